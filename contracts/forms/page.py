"""To a page that a person reads, in Markdown or as one HTML file: what is promised, to whom, and what has changed.

The HTML asks nothing of the network and runs no script. It reads on a phone, in the dark, and aloud.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.changes import Change
from contracts.compatibility import released
from contracts.document import Contract, Field
from contracts.errors import ContractError, printable
from contracts.evolution import diff
from contracts.formats import cell
from contracts.forms import Exported
from contracts.splicing import flow
from contracts.values import duration_text

Rows = Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Table:
    """A table of the page: its caption, its columns and its rows, of which the first cell is the row's name."""

    caption: str
    columns: tuple[str, ...]
    rows: Rows


def export(contract: Contract, form: str, previous: Contract | None = None) -> Exported:
    """The contract as a page; form: markdown or html. previous: the version that the changes are told from."""
    left: tuple[str, ...] = ()
    if previous is None:
        try:
            previous = last_version(contract)
        except ContractError as error:
            left = (f"the changes since the last version: {error.faults[0]}",)
    return Exported((markdown if form == "markdown" else html)(contract, previous), left)


def last_version(contract: Contract) -> Contract | None:
    """The version before this one in history/, beside the contract's file; None where there is none."""
    if contract.source is None:
        return None
    folder = contract.source.absolute().parent
    for history in (folder / "history", folder):
        if history.name == "history" and history.is_dir():
            try:
                return released(history, contract)[-1]
            except OSError:
                return None
    return None


# ---- what the page says -------------------------------------------------------------------------------------------


def title(contract: Contract) -> str:
    return printable(f"{contract.dataset} {contract.version}")


def facts(contract: Contract) -> Rows:
    """What is to be said of the table as a whole, each with its name."""
    volume, freshness, evolution = contract.volume, contract.freshness, contract.evolution
    found = [("Owner", contract.owner), ("Consumers", ", ".join(contract.consumers) or "nobody is named")]
    if volume:
        found.append(("Rows", within(volume.min_rows, volume.max_rows)))
    if freshness:
        by = f", by {freshness.field}" if freshness.field else ", by the time it was loaded"
        zone = f"; times without a zone are those of {freshness.timezone}" if freshness.timezone else ""
        found.append(("Freshness", f"the newest row is at most {duration_text(freshness.max_lag)} old{by}{zone}"))
    found.append(("New columns", f"{evolution.additive} without a new version"))
    breaking = {"expand_and_contract": "in two steps, the new field beside the old one first"}
    notice = f"; announced {duration_text(evolution.notice)} before" if evolution.notice else ""
    found.append(("Breaking changes", breaking.get(evolution.breaking, evolution.breaking) + notice))
    return [(name, printable(says)) for name, says in found]


def within(low: Any, high: Any, unit: str = "") -> str:
    """A range in words."""
    said = [f"{word} {shown(end)}" for word, end in (("at least", low), ("at most", high)) if end is not None]
    return " and ".join(said) + (f" {unit}" if unit else "")


def shown(value: Any) -> str:
    """A value: whole numbers with commas, all others as a contract's file has them."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if is_whole else flow(value)


def tables(contract: Contract) -> Iterator[Table]:
    """The fields, and then the values of each field that names its own."""
    rows = [(printable(field.name), printable("; ".join(promises(field))), meaning(field)) for field in contract.fields]
    yield Table("Fields", ("Field", "Promise", "Meaning"), rows)
    for field in contract.fields:
        if field.enum is not None:
            says = dict(field.meanings)
            else_ = "not written down, but see the field's own meaning" if field.meaning else "not written down"
            values = [(flow(value), printable(says.get(value, else_))) for value in field.enum]
            yield Table(f"Values of {printable(field.name)}", ("Value", "Meaning"), values)


def promises(field: Field) -> Iterator[str]:
    """The clauses of a field, in words."""
    yield field.type
    if field.required or field.max_null_rate == 0:
        yield "never NULL"
    elif field.max_null_rate is not None:
        yield f"NULL in at most {100 * field.max_null_rate:.6g}% of the rows"
    else:
        yield "may be NULL"
    if field.enum is not None:
        yield f"one of {len(field.enum)} value{'s' * (len(field.enum) != 1)}, see below"
    if field.min is not None or field.max is not None:
        yield within(field.min, field.max, field.unit or "")
    elif field.unit:
        yield f"in {field.unit}"
    if field.pattern is not None:
        yield f"of the form {flow(field.pattern)}"
    if field.unique:
        yield "no value twice"
    if field.deprecated:
        instead = f"; read {field.deprecated.replaced_by} instead" if field.deprecated.replaced_by else ""
        yield f"will go, as announced on {field.deprecated.announced}{instead}"


def meaning(field: Field) -> str:
    return printable(" ".join(field.meaning.split())) if field.meaning else "not written down"


def changes(contract: Contract, previous: Contract | None) -> tuple[str, Table | None]:
    """What changed, as a sentence, and as a table where there is something to show."""
    if previous is None:
        return "No earlier version is known here.", None
    found = diff(previous, contract)
    if not found:
        return printable(f"Nothing has changed since {previous.version}."), None
    breaking = sum(change.breaking for change in found)
    count = f"{len(found)} change{'s' * (len(found) != 1)}"
    says = f"{count} since {previous.version}, {breaking or 'none'} of them breaking."
    return printable(says), Table("Changes", ("Rule", "Weight", "Change"), [row(change) for change in found])


def row(change: Change) -> tuple[str, str, str]:
    return change.rule, f"{change.bump}, {change.kind}", str(change)


# ---- how it looks -------------------------------------------------------------------------------------------------


def markdown(contract: Contract, previous: Contract | None) -> str:
    """The page in Markdown, in which every text of the contract stays text."""
    says, changed = changes(contract, previous)
    lines = [f"# {cell(title(contract))}", ""]
    lines += [f"- {name}: {cell(text)}" for name, text in facts(contract)]
    for table in tables(contract):
        lines += ["", f"## {cell(table.caption)}", "", *grid(table)]
    lines += ["", "## What has changed", "", cell(says)]
    lines += ["", *grid(changed)] if changed else []
    return "\n".join(lines) + "\n"


def grid(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(table.columns)} |"
    yield f"|{' --- |' * len(table.columns)}"
    for cells in table.rows:
        yield f"| {' | '.join(map(cell, cells))} |"


def html(contract: Contract, previous: Contract | None) -> str:
    """The page as one HTML file; the template escapes every text."""
    from jinja2 import Environment

    says, changed = changes(contract, previous)
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(HTML)
    fields, *values = tables(contract)
    text: str = template.render(
        title=title(contract), facts=facts(contract), fields=fields, values=values, says=says, changed=changed
    )
    return f"{text}\n"


HTML = """\
{% macro grid(table) %}
<table>
<caption>{{ table.caption }}</caption>
<thead><tr>{% for column in table.columns %}<th scope="col">{{ column }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in table.rows %}
<tr><th scope="row">{{ row[0] }}</th>{% for cell in row[1:] %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table>
{% endmacro %}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{ title }}: data contract</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem;
  background: Canvas; color: CanvasText; overflow-wrap: anywhere; }
h1, h2 { line-height: 1.2; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: 0.25rem 1rem; }
dt { font-weight: bold; }
dd { margin: 0; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: bold; padding: 0.25rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.375rem; border-bottom: 1px solid GrayText; }
</style>
</head>
<body>
<main>
<h1>{{ title }}</h1>
<dl>
{% for name, text in facts %}
<dt>{{ name }}</dt><dd>{{ text }}</dd>
{% endfor %}
</dl>
<h2>What each field promises</h2>
{{ grid(fields) }}
{% if values %}
<h2>What each value means</h2>
{% for table in values %}
{{ grid(table) }}
{% endfor %}
{% endif %}
<h2>What has changed</h2>
<p>{{ says }}</p>
{% if changed %}
{{ grid(changed) }}
{% endif %}
</main>
</body>
</html>"""
