"""The figures: daily GMV with its band, the blended markdown with its median, the branch mix.

Notebooks and `--plot` draw the same ones. What matters is told apart by form, not by colour alone.
"""

import base64
import html
import io
import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from clause.daybook import ELSE, Day, Verdict, by_monitor, in_order, scale, whose
from contracts.errors import printable
from contracts.writing import whole_or_not_at_all

HATCHES = (("#0072B2", ""), ("#E69F00", "//"), ("#F0E442", ".."), ("#56B4E9", "||"), ("#CC79A7", "--"))
MARKS: dict[str, dict[str, Any]] = {
    "alert": {"marker": "X", "s": 70, "color": "#D55E00"},
    "quiet": {"marker": "o", "s": 26, "color": "#0072B2"},
    "not judged": {"marker": "o", "s": 26, "facecolor": "white", "edgecolor": "#555555"},
}


def pyplot() -> Any:
    """matplotlib.pyplot; where matplotlib is missing, ModuleNotFoundError says how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        says = "a figure needs matplotlib, which is not installed: run python -m pip install matplotlib"
        raise ModuleNotFoundError(says, name="matplotlib") from None
    return plt


def plot(
    days: Iterable[Day], verdicts: Sequence[Verdict], *panels: str, unit: str = "EUR_cents", source: str = ""
) -> Any:
    """A matplotlib figure of the panels "gmv", "markdown", "mix" (all three without one). Its label is its alt text."""
    plt = pyplot()
    days = [day for day in in_order(days) if day.day and day.orders]
    if not days:
        raise ValueError("there is no day with orders to draw; give the metrics of at least one")
    found, parts, panels = by_monitor(verdicts), list(dict.fromkeys(day.part for day in days)), panels or tuple(PANELS)
    figure = plt.figure(figsize=(9 * len(parts), 3.6 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), len(parts), squeeze=False, sharex="col")
    texts = []
    for (panel, part), ax in zip(itertools.product(panels, parts), axes.flat, strict=True):
        mine, (title, monitor, draw) = [day for day in days if day.part == part], PANELS[panel]
        text = draw(ax, mine, found.get((monitor, part), ()), unit)
        ax.set_title(plain(title + whose(part)), loc="left")
        ax.tick_params(axis="x", rotation=30)
        plt.setp(ax.get_xticklabels(), ha="right")
        ax.spines[["top", "right"]].set_visible(False)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        texts.append(f"{title}{whose(part)}, {mine[0].day} to {mine[-1].day}: {text}.")
    figure.supxlabel(plain(f"Source: {source}") if source else "", fontsize="small", x=0.01, ha="left")
    figure.set_label(" ".join(texts))
    return figure


def show(figure: Any) -> None:
    """Show a figure in a notebook, with its label as alt text, and close it.

    JupyterLab gives an image of its own no alt text, so it comes as HTML too. The text form is what a strict run
    compares, since the bytes of a picture differ between machines.
    """
    import matplotlib.pyplot as plt
    from IPython.display import display

    drawn, label = io.BytesIO(), figure.get_label()
    figure.savefig(drawn, format="png", dpi=100, facecolor="white", metadata={"Software": None})
    plt.close(figure)
    picture = base64.b64encode(drawn.getvalue()).decode("ascii")
    image = f'<img alt="{html.escape(label)}" src="data:image/png;base64,{picture}">'
    bundle = {"image/png": picture, "text/html": image, "text/plain": label}
    display(bundle, raw=True, metadata={"image/png": {"alt": label}})  # type: ignore[no-untyped-call]


def draw_gmv(ax: Any, days: Sequence[Day], said: Sequence[Verdict], unit: str) -> str:
    """Draw daily GMV and its band; gives what it shows, in words."""
    heights = [float(day.gmv) / scale(unit) for day in days]
    alerts = draw_marks(ax, days, heights, said)
    bands = {one.day: one.limits for one in said if one.limits}
    low, high = ([band[i] / scale(unit) for band in bands.values()] for i in (0, 1))
    at = [days[0].day, *bands] if bands else []  # drawn from the first day on: it is what the band is made of
    ax.fill_between(at, low[:1] + low, high[:1] + high, color="#56B4E9", alpha=0.3, label="band of those before")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set_ylabel(plain(unit.removesuffix("_cents")))
    band = f", the last band {low[-1]:,.0f} to {high[-1]:,.0f}" if bands else ""
    return f"{min(heights):,.0f} to {max(heights):,.0f}{band}; {alerts}"


def draw_markdown(ax: Any, days: Sequence[Day], said: Sequence[Verdict], unit: str) -> str:
    """Draw the blended markdown in percent, and its median; gives what it shows, in words."""
    ax.set_ylabel("% of list value")
    days = [day for day in days if day.markdown is not None]
    if not days:
        return "no list values"
    heights = [float(day.markdown or 0) for day in days]
    alerts = draw_marks(ax, days, heights, said)
    judged = {one.day: (one.baseline, *one.limits) for one in said if one.limits}
    medians, low, high = ([row[i] for row in judged.values()] for i in range(3))
    if judged:
        ax.plot(list(judged), medians, "k--", linewidth=1, label="median of those before")
        ax.fill_between(
            list(judged), low, high, color="#56B4E9", alpha=0.3, label=f"± {(high[0] - low[0]) / 2:g} point"
        )
    return f"{min(heights):.2f}% to {max(heights):.2f}%; {alerts}"


def draw_mix(ax: Any, days: Sequence[Day], said: Sequence[Verdict], unit: str) -> str:
    """Draw the share of each branch in percent of the orders; gives what it shows, in words."""
    names = sorted({name for day in days for name in day.mix}, key=lambda name: (name == ELSE, name))
    shares = {name: [100 * day.mix.get(name, 0) / (sum(day.mix.values()) or 1) for day in days] for name in names}
    gaps = [(later.day - day.day).days for day, later in itertools.pairwise(days) if day.day and later.day]
    base, width = [0.0] * len(days), 0.9 * min(gaps, default=1)
    for name, (colour, hatch) in zip(names, itertools.cycle(HATCHES), strict=False):
        style = {"color": "#444444", "hatch": "xx"} if name == ELSE else {"color": colour, "hatch": hatch}
        ax.bar([day.day for day in days], shares[name], width, base, edgecolor="white", label=plain(name), **style)
        base = [low + share for low, share in zip(base, shares[name], strict=True)]
    ax.set(ylabel="% of orders", ylim=(0, 100))
    first, last = (", ".join(f"{printable(name)} {shares[name][i]:.0f}%" for name in names) for i in (0, -1))
    return f"{first} on the first day; {last} on the last" if names else "no branches"


def save(figure: Any, path: str) -> None:
    """Write a figure, whole or not at all; the suffix is its form. Raises OSError, ValueError for an unknown form."""
    with whole_or_not_at_all(Path(path)) as half:
        figure.savefig(half, dpi=120)


def plain(text: str) -> str:
    """Text that matplotlib does not take for a formula."""
    return printable(text).replace("$", r"\$")


def draw_marks(ax: Any, days: Sequence[Day], heights: Sequence[float], said: Sequence[Verdict]) -> str:
    """A line through the days, each with the mark of its verdict; returns how many of them alerted."""
    statuses = [{one.day: one.status for one in said}.get(day.day, "not judged") for day in days]
    ax.plot([day.day for day in days], heights, color="#555555", linewidth=1, zorder=2)
    for status, style in MARKS.items():
        at = [i for i, found in enumerate(statuses) if found == status]
        ax.scatter([days[i].day for i in at], [heights[i] for i in at], label=status, zorder=3, **style)
    judged = len(statuses) - statuses.count("not judged")
    return f"{statuses.count('alert')} of {judged} judged days alert"


PANELS = {  # panel -> its title, the monitor whose verdicts it shows, how it is drawn
    "gmv": ("Daily GMV", "gmv", draw_gmv),
    "markdown": ("Blended markdown", "blended", draw_markdown),
    "mix": ("Branch mix", "mix", draw_mix),
}
