"""The figures of the notebooks; the label of each says its data in words, and is the alt text.

What matters is told apart by form and by words, not by colour alone. The ground is white in a dark theme too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#555555"
Euros = Sequence[tuple[date, float]]  # a day and an amount


def panel(height: float = 3.6) -> tuple[Any, Any]:
    """A figure nine inches wide, and its axes."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(9, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return figure, ax


def cost_of_silence(days: Euros, minutes: Mapping[str, int]) -> Any:
    """Under-charged so far, day by day, beside the minutes of the loud change."""
    figure, ax = panel()
    total = [sum(amount for _, amount in days[: n + 1]) for n in range(len(days))]
    ax.bar([day for day, _ in days], total, color=ORANGE, hatch="//", edgecolor="white")
    for (day, _), height in zip(days, total, strict=True):
        ax.annotate(f"{height:,.0f}", (day, height), ha="center", va="bottom", fontsize="small")
    seen, mended = minutes["seen"], minutes["mended"]
    ax.annotate(
        f"the renamed column:\nseen after {seen} minutes, mended after {mended}",
        (days[0][0], total[0] + 0.06 * total[-1]),
        (0.02, 0.72),
        textcoords="axes fraction",
        arrowprops={"arrowstyle": "->", "color": GREY},
    )
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set_ylabel("EUR under-charged so far")
    ax.set_title("The re-coded column: no error, nine days", loc="left")
    ax.set_xticks([day for day, _ in days], [f"{day.day} Aug" for day, _ in days])
    figure.set_label(
        f"Bars of the EUR under-charged so far, from {total[0]:,.2f} on {days[0][0]} to {total[-1]:,.2f} on"
        f" {days[-1][0]}. The renamed column was seen after {seen} minutes and mended after {mended}."
    )
    return figure


def values_and_promise(counts: Mapping[str, Mapping[str, int]], promised: Sequence[str]) -> Any:
    """How many rows have which value, before and after; hatched: what is not allowed."""
    figure, ax = panel()
    bars = [(when, value, rows) for when, values in counts.items() for value, rows in values.items()]
    for place, (_, value, rows) in enumerate(bars):
        legal = value in promised
        ax.bar(
            place,
            rows,
            color=BLUE if legal else ORANGE,
            hatch="" if legal else "xx",
            edgecolor="white",
        )
        ax.annotate(f"{rows:,}", (place, rows), ha="center", va="bottom")
    ax.set_xticks(range(len(bars)), [f"{value}\n({when})" for when, value, _ in bars])
    ax.set_ylabel("listings")
    ax.set_title(
        f"The type says string to all six; the enum {list(promised)} to the plain bars only",
        loc="left",
    )
    text = "; ".join(
        f"{when}: " + ", ".join(f"{v} {n:,}{'' if v in promised else ' (not allowed)'}" for v, n in values.items())
        for when, values in counts.items()
    )
    figure.set_label(f"Bars of listings for each value of the column. {text}.")
    return figure


def two_ways(big_bang: Euros, in_steps: Euros, steps: Mapping[date, str]) -> Any:
    """Under-charged so far: the change in one step, and in three."""
    figure, ax = panel()
    texts = []
    for name, days, style in (
        ("in one step", big_bang, {"color": ORANGE, "marker": "X"}),
        ("expand, migrate, contract", in_steps, {"color": BLUE, "marker": "o"}),
    ):
        total = [sum(amount for _, amount in days[: n + 1]) for n in range(len(days))]
        ax.plot(range(1, len(days) + 1), total, label=name, **style)
        texts.append(f"{name} {total[-1]:,.2f} EUR after {len(days)} days")
    top = ax.get_ylim()[1]
    dates = [day for day, _ in in_steps]
    ax.set_xticks(range(1, len(dates) + 1))
    for day, step in steps.items():
        ax.axvline(1 + dates.index(day), color=GREY, linestyle=":", linewidth=1)
        at = {
            "xy": (1 + dates.index(day), top),
            "xytext": (3, -4),
            "textcoords": "offset points",
        }
        ax.annotate(step, **at, va="top", fontsize="small")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set(xlabel="day", ylabel="EUR under-charged so far")
    ax.set_title("The same end, twice", loc="left")
    ax.legend(loc="center left", frameon=False)
    figure.set_label(f"Two lines of the EUR under-charged so far: {'; '.join(texts)}.")
    return figure


def guards(found: Mapping[str, Mapping[str, str]]) -> Any:
    """Which guard (column) stops which change (row): "stopped" or "passes"."""
    columns = list(next(iter(found.values())))
    figure, ax = panel(0.7 + 0.55 * len(found))
    for y, cells in enumerate(found.values()):
        for x, said in enumerate(cells.values()):
            stopped = said == "stopped"
            ax.barh(y, 0.96, left=x - 0.48, height=0.9, color=BLUE if stopped else "#EEEEEE")
            ax.annotate(
                said,
                (x, y),
                ha="center",
                va="center",
                color="white" if stopped else "black",
            )
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(found)), list(found))
    ax.invert_yaxis()
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    lines = [f"{row}: " + ", ".join(f"{guard} {said}" for guard, said in cells.items()) for row, cells in found.items()]
    figure.set_label(f"A table of changes and guards. {'; '.join(lines)}.")
    return figure
