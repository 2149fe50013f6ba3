"""The matrix of a drill as a figure: mutations down, guards across, the cost beside them."""

from __future__ import annotations

from typing import Any

from clause.daybook import counted
from clause.matrix import GUARDS, IN_THE_BUILD, Result, Row, cells, heads, nth
from clause.plots import pyplot
from contracts.errors import printable

COLOURS = {"early": "#0072B2", "late": "#E69F00", "none": "#FFFFFF", "unknown": "#DDDDDD", "alarm": "#D55E00"}


def plot(result: Result) -> Any:
    """A matplotlib figure of the matrix, with the cost beside it. Its label is its alt text."""
    plt = pyplot()
    from matplotlib.patches import Rectangle

    rows = [row for row in result.matrix if row.applies]
    if not rows:
        raise ValueError("no mutation applies to this table, so there is nothing to draw; give one with rows")
    columns = heads(result)
    figure = plt.figure(figsize=(2.6 + 0.78 * len(columns), 1.2 + 0.21 * len(rows)), layout="constrained")
    ax = figure.subplots()
    for y, row in enumerate(rows):
        for x, (column, text) in enumerate(zip(columns, cells(row, result), strict=True)):
            if column in ("cost", "until"):
                ax.text(x + 0.95, y + 0.5, text, ha="right", va="center", fontsize=7)
                continue
            colour = colour_of(row, column, text, result)
            ax.add_patch(Rectangle((x, y), 1, 1, facecolor=COLOURS[colour], edgecolor="#BBBBBB", linewidth=0.6))
            ink = "white" if colour in ("early", "alarm") else "black"
            said = "" if text == "." else plain(brief(row, column, text, result))
            ax.text(x + 0.5, y + 0.5, said, ha="center", va="center", fontsize=7, color=ink)
    ax.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
    ax.set_xticks([x + 0.5 for x in range(len(columns))], list(columns.values()), fontsize=8)
    ax.set_yticks(
        [y + 0.5 for y in range(len(rows))],
        [plain(f"{row.title}{' (harmless)' * row.harmless}") for row in rows],
        fontsize=8,
    )
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    score = "-" if result.mutation_score is None else f"{result.mutation_score:.0%}"
    title = f"{printable(result.dataset)} {result.version}: who notices? Mutation score {score}"
    figure.suptitle(plain(title), x=0.01, ha="left", fontsize=11)
    legend = "blue: in the build or on the first day; orange: later; grey with ?: could not judge; red: a false alarm"
    figure.supxlabel(legend, fontsize="small", x=0.01, ha="left")
    figure.set_label(alt_text(result))
    return figure


def colour_of(row: Row, guard: str, text: str, result: Result) -> str:
    """A key of COLOURS: whether the guard noticed it, and in time."""
    if text in (".", "?"):
        return "none" if text == "." else "unknown"
    if row.harmless:
        return "alarm"
    return "early" if guard in IN_THE_BUILD or row.first(guard)[0].day in (None, *result.days[:1]) else "late"


def brief(row: Row, guard: str, text: str, result: Result) -> str:
    """A cell of a figure has room for a word: of a monitor its day, of a clause its name."""
    found = row.first(guard)
    return nth(found[0].day, result) if found and guard not in IN_THE_BUILD else text


def plain(text: str) -> str:
    """Text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def alt_text(result: Result) -> str:
    """What the figure shows, in sentences."""
    rows = [row for row in result.matrix if row.applies and not row.harmless]
    says = [f"Matrix of {counted(len(rows), 'mutation')} of {printable(result.dataset)} {result.version} by guard."]
    for guard, head in GUARDS.items():
        seen = sum(guard in row.noticed_by for row in rows)
        says.append(f"{head}: " + ("not judged." if guard in result.not_judged else f"notices {seen}."))
    nobody = ", ".join(row.title for row in rows if not row.notices)
    says.append(f"Nobody notices: {nobody or 'none'}.")
    alarms = ", ".join(row.title for row in result.false_alarms)
    says.append(f"False alarms: {alarms or 'none'}.")
    return " ".join(says)
