"""The mutations: ways in which a table goes wrong, each a small function that really changes the rows.

A mutation takes a `Table` and, where its role asks for one, the name of a column; it gives the rows as they would come
after the mistake. Nothing is random: where only some rows change, it is every k-th. Each docstring says what it models:
the lesson, or an incident that anybody can look up. One axis each: structural (names and types), semantic (what the
values say), volume (which rows are there), time.

The harmless ones are controls: a guard that raises anything against them cries wolf.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from clause.roles import (
    Role,
    Table,
    amounts,
    anything,
    booleans,
    codes,
    groups,
    integers,
    moments,
    narrow,
    numerals,
    texts,
    times,
    words,
)

Axis = Literal["structural", "semantic", "volume", "time"]
NEW_WORDS = ("excellent", "good", "fair")  # what PR #4471 made of A, B and C


# --- a mutation ----------------------------------------------------------------------------------------------------


class DoesNotApply(Exception):
    """The table has nothing that this mutation could change; the message says why."""


@dataclass(frozen=True)
class Mutation:
    """One way to break a table: `apply` gives the mutated rows, of the named column where it has a role."""

    name: str
    axis: Axis
    models: str
    change: Callable[..., pa.Table]
    role: Role | None
    harmless: bool = False

    def columns(self, table: Table) -> list[str | None]:
        """The columns that it could be tried on, the likeliest first; [None] where it needs none, or none fits."""
        fit = self.role(table) if self.role else []
        found: list[str | None] = [*(sorted(fit, key=lambda name: not table.matters(name)) if table.read else fit)]
        return found or [None]

    def apply(self, table: Table, column: str | None, earlier: int = 0) -> pa.Table:
        """The rows after it. Raises DoesNotApply where it needs a column and has none, or they would be as before.

        earlier: so many rows, the first, stay as they are, unless it makes columns of other names: a table has one set.
        """
        if self.role and column is None:
            raise DoesNotApply(self.role.__doc__ or "")
        if earlier:
            rows = self.changed(replace(table, rows=table.rows.slice(earlier), whole=table.rows), column)
            if rows.column_names == table.rows.column_names:
                with suppress(pa.ArrowException):
                    return pa.concat_tables([table.rows.slice(0, earlier).cast(rows.schema), rows])
        return self.changed(table, column)

    def changed(self, table: Table, column: str | None) -> pa.Table:
        """The rows after it, all of them. Raises DoesNotApply where the values do not allow it, or stay as they are."""
        try:
            rows = self.change(table, column) if self.role else self.change(table)
        except (duckdb.Error, pa.ArrowException) as error:
            raise DoesNotApply(f"the values do not allow it ({str(error).splitlines()[0][:100]})") from error
        if rows.equals(table.rows):
            raise DoesNotApply("it changes nothing in this table")
        return rows


MUTATIONS: list[Mutation] = []


def mutation(axis: Axis, role: Role | None = None, harmless: bool = False) -> Callable[[Any], Any]:
    """Enter a function in the list, under its own name."""

    def enter(change: Any) -> Any:
        name, models = change.__name__.replace("_", " "), " ".join((change.__doc__ or "").split())
        MUTATIONS.append(Mutation(name, axis, models, change, role, harmless))
        return change

    return enter


# --- structural ----------------------------------------------------------------------------------------------------


@mutation("structural", texts)
def rename(table: Table, column: str) -> pa.Table:
    """The column has another name, as `brand` became `brand_name` in PR #4471: the lesson's loud change."""
    return table.rows.rename_columns(
        [fresh_name(table, f"{column}_name") if name == column else name for name in table.rows.column_names]
    )


@mutation("structural", anything)
def drop(table: Table, column: str) -> pa.Table:
    """The column is gone: somebody thought that nobody reads it."""
    return table.rows.drop_columns([column])


@mutation("structural", integers)
def integer_to_text(table: Table, column: str) -> pa.Table:
    """Whole numbers come as text, as from an export that quotes everything."""
    return table.put(column, "x::varchar")


@mutation("structural", amounts)
def number_with_comma(table: Table, column: str) -> pa.Table:
    """Numbers come as text with a comma, as a spreadsheet shows them: 8,900 or 0,9."""
    whole = pa.types.is_integer(table.rows[column].type)
    return table.put(column, "format('{:,}', x::bigint)" if whole else "replace(x::varchar, '.', ',')")


@mutation("structural", narrow, harmless=True)
def widen(table: Table, column: str) -> pa.Table:
    """A control: a wider type, as `weight_g` from INTEGER to BIGINT in PR #4471. No value changes."""
    wide = pa.float64() if pa.types.is_floating(table.rows[column].type) else pa.int64()
    return table.rows.set_column(table.rows.column_names.index(column), column, table.rows[column].cast(wide))


@mutation("structural", harmless=True)
def reorder_columns(table: Table) -> pa.Table:
    """A control: the same columns in another order."""
    return table.rows.select(table.rows.column_names[::-1])


@mutation("structural", harmless=True)
def add_column(table: Table) -> pa.Table:
    """A control: a column that nobody reads yet, as `graded_by` in PR #4471."""
    if table.contract.evolution.additive == "forbidden":
        raise DoesNotApply("the contract forbids additive columns, so it is not harmless")
    return table.rows.append_column(fresh_name(table, "graded_by"), pa.array(["grader-1"] * table.rows.num_rows))


def fresh_name(table: Table, name: str) -> str:
    """The name, with as many _ behind it as make it a new one."""
    while name.casefold() in [column.casefold() for column in table.rows.column_names]:
        name += "_"
    return name


# --- semantic: codes -----------------------------------------------------------------------------------------------


def values_of(table: Table, column: str) -> list[Any]:
    """The codes, in their order."""
    return sorted(table.profiles[column].common)


def renamed(value: Any, i: int, text: str) -> Any:
    """Another code in the place of this one: a text, or for numbers one that is far off."""
    return text if isinstance(value, str) else value + 100 * (i + 1)


@mutation("semantic", codes)
def recode_every_value(table: Table, column: str) -> pa.Table:
    """Every value is written anew, as A, B, C became excellent, good, fair in PR #4471: the lesson's silent change."""
    fresh = itertools.chain(NEW_WORDS, (f"grade {i}" for i in itertools.count(4)))
    pairs = zip(values_of(table, column), fresh, strict=False)
    return table.recode(column, {old: renamed(old, i, new) for i, (old, new) in enumerate(pairs)})


@mutation("semantic", codes)
def recode_one_value(table: Table, column: str) -> pa.Table:
    """The most frequent value is written anew, as 'Iran' became 'Iran (Islamic Republic of)' in the daily COVID-19
    reports of Johns Hopkins University for 10 March 2020."""
    value = table.profiles[column].common[0]
    return table.recode(column, {value: renamed(value, 0, f"{value} (in full)")})


@mutation("semantic", codes)
def new_value(table: Table, column: str) -> pa.Table:
    """The business grows: every 50th row has a value that nobody has seen yet."""
    high = table.profiles[column].high
    return spliced(table, column, renamed(high, 0, "brand new"), 50)


@mutation("semantic", codes)
def swap_two_values(table: Table, column: str) -> pa.Table:
    """The first and the last value change places, so that every value stays legal and means the opposite; a flag with
    a second meaning undid Knight Capital in 2012."""
    first, *_, last = values_of(table, column) * 2
    return table.recode(column, {first: last, last: first})


@mutation("semantic", codes)
def slip_one_row(table: Table, column: str) -> pa.Table:
    """One column is a row off, as in a spreadsheet where it was sorted alone: same values, same counts, other rows."""
    values = table.rows[column].combine_chunks()
    slipped = pa.concat_arrays([values[-1:], values[:-1]])
    return table.rows.set_column(table.rows.column_names.index(column), column, slipped)


@mutation("semantic", words)
def change_case(table: Table, column: str) -> pa.Table:
    """Capitals come as small letters, and texts without any in capitals."""
    return table.put(column, "case when lower(x) <> x then lower(x) else upper(x) end")


@mutation("semantic", words)
def trailing_blank(table: Table, column: str) -> pa.Table:
    """Every text has a blank at its end, as from a column of fixed width."""
    return table.put(column, "x || ' '")


@mutation("semantic", booleans)
def flip_boolean(table: Table, column: str) -> pa.Table:
    """True is false: `is_hidden` has become `is_visible` under the old name."""
    return table.put(column, "not x")


# --- semantic: amounts ---------------------------------------------------------------------------------------------


def scaled(table: Table, column: str, sql: str) -> pa.Table:
    """Another amount in the place of each, of the kind that was there: a whole number stays one. `sql` is over x."""
    kind, at = table.rows[column].type, table.rows.column_names.index(column)
    if pa.types.is_integer(kind):
        rows = table.put(column, f"round({sql.replace('x', 'x::hugeint')})::bigint")
    elif pa.types.is_decimal(kind):
        rows = table.put(column, f"({sql})::decimal(38, {kind.scale})")
    else:
        rows = table.put(column, sql)
    with suppress(pa.ArrowInvalid):  # as narrow as before, where the amounts fit
        return rows.set_column(at, column, rows[column].cast(kind))
    return rows


@mutation("semantic", amounts)
def cents_to_euros(table: Table, column: str) -> pa.Table:
    """A change of unit, 8,900 cents to 89 euros; the Mars Climate Orbiter was lost to one in 1999."""
    return scaled(table, column, "x / 100")


@mutation("semantic", amounts)
def times_100(table: Table, column: str) -> pa.Table:
    """The change of unit the other way: euros are multiplied as though they were not cents yet."""
    return scaled(table, column, "x * 100")


@mutation("semantic", amounts)
def flip_sign(table: Table, column: str) -> pa.Table:
    """Amounts are booked from the other side: every plus is a minus."""
    return scaled(table, column, "-x")


@mutation("semantic", amounts)
def other_currency(table: Table, column: str) -> pa.Table:
    """Amounts come in a currency of which 1.16 make a euro, and nothing says so."""
    return scaled(table, column, "x * 1.16")


@mutation("semantic", amounts)
def round_amounts(table: Table, column: str) -> pa.Table:
    """Cents are cut off (whole amounts lose two digits); the index of the Vancouver Stock Exchange, cut at the third
    decimal from 1982 on, lost half its value in 22 months."""
    return scaled(table, column, "trunc(x / 100) * 100" if column in integers(table) else "trunc(x)")


@mutation("semantic", amounts)
def default_to_zero(table: Table, column: str) -> pa.Table:
    """Every 10th amount is 0, the default of a form that did not load."""
    return scaled(table, column, "x * (n % 10 <> 0)::int")


# --- semantic: missing and damaged values --------------------------------------------------------------------------


@mutation("semantic", anything)
def null_every_20th(table: Table, column: str) -> pa.Table:
    """5% of the values are missing, as after a join that does not find every row."""
    return table.put(column, "case when n % 20 = 0 then null else x end")


@mutation("semantic", anything)
def null_all(table: Table, column: str) -> pa.Table:
    """Every value is missing: the column is there, and nobody fills it any more."""
    return table.put(column, "case when true then null else x end")


@mutation("semantic", words)
def default_to_empty(table: Table, column: str) -> pa.Table:
    """Every 10th text is '' where it was not known; MaxMind's default place was a farm in Kansas, found in 2016."""
    return table.put(column, "case when n % 10 = 0 then '' else x end")


@mutation("semantic", texts)
def truncate_text(table: Table, column: str) -> pa.Table:
    """Texts are cut to half the longest, as by a column that is too narrow."""
    return table.put(column, f"left(x, {max(1, (table.profiles[column].longest or 0) // 2)})")


@mutation("semantic", numerals)
def lose_leading_zeros(table: Table, column: str) -> pa.Table:
    """Texts of digits pass through a number, as the county codes did in the reports of Johns Hopkins University for
    12 April 2020: 01001 became 1001."""
    return table.put(column, "case when regexp_full_match(x, '0+[0-9]+') then regexp_replace(x, '^0+', '') else x end")


# --- time ------------------------------------------------------------------------------------------------------------


@mutation("time", moments)
def shift_two_hours(table: Table, column: str) -> pa.Table:
    """Local time in summer is written as though it were UTC."""
    return moved(table, column, "x + interval 2 hours")


@mutation("time", times)
def stale_snapshot(table: Table, column: str) -> pa.Table:
    """The copy of a week ago comes again, and every job is green."""
    return moved(table, column, "x - interval 7 days")


@mutation("time", times)
def future_time(table: Table, column: str) -> pa.Table:
    """Every 100th row is a year ahead, from a clock that was never set."""
    return moved(table, column, "case when n % 100 = 0 then x + interval 365 days else x end")


def moved(table: Table, column: str, sql: str) -> pa.Table:
    """Another time in the place of each, of the type that was there."""
    at, kind = table.rows.column_names.index(column), table.rows[column].type
    return table.rows.set_column(at, column, table.put(column, sql)[column].cast(kind))


# --- volume ----------------------------------------------------------------------------------------------------------


@mutation("volume")
def duplicate_every_100th(table: Table) -> pa.Table:
    """1% of the rows come twice, as from a batch that was sent again."""
    return pa.concat_tables([table.rows, table.rows.take(list(range(0, table.rows.num_rows, 100)))])


@mutation("volume")
def lose_last_30_percent(table: Table) -> pa.Table:
    """The end is missing, as when Public Health England lost 15,841 COVID-19 cases to a full spreadsheet in 2020."""
    return table.rows.slice(0, -(-table.rows.num_rows * 7 // 10))


@mutation("volume", groups)
def one_group_only(table: Table, column: str) -> pa.Table:
    """Only the rows of the most frequent value come, one seller's: a filter from a test was left in."""
    return table.rows.filter(pc.equal(table.rows[column], pa.scalar(table.profiles[column].common[0])))


@mutation("volume")
def empty_table(table: Table) -> pa.Table:
    """No rows at all, and no error: the join found nothing."""
    return table.rows.slice(0, 0)


# --- two at once -----------------------------------------------------------------------------------------------------


@mutation("semantic", words)
def rename_and_recode(table: Table, column: str) -> pa.Table:
    """The whole release, PR #4471: everybody repairs the loud change and nobody looks for the silent one."""
    other = next((name for name in texts(table) if name != column), None)
    if other is None:
        raise DoesNotApply("no second column of text to rename")
    return recode_every_value(table.with_rows(rename(table, other)), column)


@mutation("volume")
def lose_and_repeat(table: Table) -> pa.Table:
    """The last 30% are lost and the first 30% come twice: the count is what it always was."""
    kept = lose_last_30_percent(table)
    return pa.concat_tables([kept, table.rows.slice(0, table.rows.num_rows - kept.num_rows)])


def spliced(table: Table, column: str, value: Any, k: int) -> pa.Table:
    """The rows with that value in every k-th."""
    values = table.rows[column]
    here = pa.array([n % k == 0 for n in range(table.rows.num_rows)])
    written = pc.if_else(here, pa.scalar(value, values.type), values)
    return table.rows.set_column(table.rows.column_names.index(column), column, written)
