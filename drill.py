"""The drill: break the data on purpose and see who notices. Would our contract have caught it?

    python drill.py                        the shop's listings, their contract, and nine days of orders
    python drill.py CONTRACT               the same listings under another contract, as history/listings-1.3.0.yaml
    python drill.py CONTRACT DATA          any table and its contract

Mutation testing, for contracts. Each mutation of `clause/mutations.py` really changes the rows, and each guard really
runs on them: the contract, the function boundary without and with `validate=True`, the consumers' SQL, the monitors.
In the shop it comes in on 19 August: `fct_price.sql` prices the mutated listings, and the nine days' orders are charged
that. Where it stops with an error, the prices of the day before stay, and nothing is charged wrongly.

Cost: the sum over the orders of |charged as intended - charged with the mutation|, so that over-charging one does not
make up for under-charging another; an order that can no longer be charged counts in full. Until the first notice: the
contract, a boundary, and SQL that stops speak before any order, so 0; a monitor speaks at the end of its day, which is
paid.

The score is what the contract catches, of the mutations that change what a consumer computes: the results of the
consumers' SQL as multisets or, where the SQL of a team is missing or does not run, the promised columns too. What
changes nothing is not counted.

The swap A ↔ C. Every value stays legal, so no clause about values can see it, and with the usual thresholds no monitor
does either. But `backtest` allows the blended markdown 0.2 points instead of 1.0, and so *calibrated*, shape sees the
swap from the first day on; it has only 4 quiet days to stand on, so both kinds of shape have a column of their own.
"""

from __future__ import annotations

if __name__ == "__main__":
    from contracts.ending import begin

    begin()

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.compute as pc

import boundary
import contracts
import monitors
import seed
import validate
from clause import files, matrix
from clause.charging import Costs, charge
from clause.daybook import Day, counted
from clause.loading import load, newest, split
from clause.matrix import Notice, Result, Row, as_text
from clause.matrix_figure import plot
from clause.mutations import MUTATIONS, DoesNotApply
from clause.plots import pyplot, save
from clause.proposing import Proposal, missing, tighter, written
from clause.roles import Table
from clause.running import Consumers, differ, distinct
from contracts import Contract, DataError
from contracts.ending import cannot, command, of_output
from contracts.errors import ValidationError, brief, json_text, printable
from contracts.writing import whole_or_not_at_all

__all__ = ["Notice", "Result", "Row", "as_text", "drill", "plot", "write"]

SHAPE = ("multipliers", "branches", "blended", "mix", "holds")
POINTS, PSI = (0.1, 0.2, 0.3, 0.5, 1.0), (0.01, 0.02, 0.05, 0.1)  # thresholds to choose from; the usual ones are last
MARGIN = 1.25  # a threshold lies that much above what the quiet days showed


# --- who watches -----------------------------------------------------------------------------------------------------


def by_contract(rows: pa.Table, contract: Contract, as_of: datetime | None, day: date | None) -> list[Notice]:
    """The clauses that the rows break."""
    found = validate.report(rows, contract, as_of=as_of).violations
    return [Notice("contract", f"{each.rule}: {each.field or contract.dataset}", day, each.message) for each in found]


def by_boundary(rows: pa.Table, schema: Any, values: bool, day: date | None) -> list[Notice]:
    """What `@contract` says at a function whose parameter has the schema: of names and types, or of values too."""

    def reads(table: Any) -> None: ...

    reads.__annotations__ = {"table": boundary.DataFrame[schema]}
    try:
        boundary.contract(validate=values)(reads)(ibis.memtable(rows))
    except ValidationError as error:
        return [
            Notice(
                "boundary_validate" if values else "boundary", type(error).__name__, day, " ".join(str(error).split())
            )
        ]
    return []


class Watch:
    """The monitors from that day on, with their usual thresholds and with those that the quiet days before allow.

    An alert that the table raises as it is, too, is weather and no notice.
    """

    def __init__(self, days: Sequence[Day], since: date) -> None:
        quiet = [day for day in days if day.day and day.day < since]
        tested = monitors.backtest(quiet)
        points, psi = allowed(POINTS, tested, "blended"), allowed(PSI, tested, "mix")
        judged = max((one["judged"] for one in tested if one["monitor"] in SHAPE), default=0)
        self.last = max((day.day for day in days if day.day), default=since)
        self.since, self.thresholds = since, {"points": points, "psi": psi, "judged": judged}
        self.rules = {"shape": monitors.Rules(), "shape_calibrated": monitors.Rules(points=points, psi=psi)}
        self.days, usual = days, list(self.judged(days))
        self.weather = {(guard, one.monitor, one.day, one.part) for guard, one in usual if one.status == "alert"}
        self.can_judge = {guard for guard, _ in usual}

    def judged(self, days: Sequence[Day]) -> Iterator[tuple[str, monitors.Verdict]]:
        """What the monitors could judge, and in which column of the matrix; the band has no threshold to calibrate.

        Only of days that the table has: on a day that a mutation has made, to come, nobody has looked yet.
        """
        for guard, rules in self.rules.items():
            for one in monitors.judge(days, rules):
                if one.status != "not judged" and one.day and self.since <= one.day <= self.last:
                    if one.monitor in SHAPE:
                        yield guard, one
                    elif guard == "shape":
                        yield "gmv", one

    def look(self, days: Sequence[Day]) -> tuple[list[Notice], set[str]]:
        """The first alert of each monitor, and on how many days it alerts; and the guards that could not judge."""
        if days == self.days:  # nobody is charged anything else
            return [], set()
        said, found = list(self.judged(days)), dict[tuple[str, str], Notice]()
        for guard, one in said:
            if one.status == "alert" and (guard, one.monitor, one.day, one.part) not in self.weather:
                fresh = Notice(guard, one.monitor, one.day, one.message, 0)
                first = found.get((guard, one.monitor), fresh)
                found[guard, one.monitor] = replace(first, days=first.days + 1)
        return list(found.values()), self.can_judge - {guard for guard, _ in said}


def allowed(thresholds: Sequence[float], tested: Sequence[Mapping[str, Any]], monitor: str) -> float:
    """The smallest threshold that the quiet days allow, with a margin; the usual one where they allow no smaller."""
    off = [one["most_off"] for one in tested if one["monitor"] == monitor and one["most_off"] is not None]
    return next((one for one in thresholds if off and one >= MARGIN * max(off)), thresholds[-1])


# --- what is broken --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scene:
    """A table and all that stands around it."""

    table: Table
    as_of: datetime | None  # when freshness is judged
    consumers: Consumers | None
    watch: Watch | None = None
    days: tuple[date, ...] = ()  # those on which the mutation is in
    earlier: int = 0  # so many rows, the first, are of the days before
    play: Callable[[pa.Table], tuple[list[Day], Costs | None]] | None = None  # what the monitors see, and what it costs

    @property
    def since(self) -> date | None:
        return self.days[0] if self.days else None


def shop(contract: Contract) -> Scene:
    """The listings of 18 August, who reads them, and the orders of the nine days from the release on."""
    with seed.build() as built:
        listings = built.execute("from shop.listings_before order by listing_id").to_arrow_table()
        orders = built.execute(
            "select order_id, day, listing_id, category, price.* exclude (listing_id) from shop.orders"
            " join shop.fct_price_before as price using (listing_id) order by order_id"
        ).to_arrow_table()
    days, consumers = monitors.daily_metrics(orders), Consumers(seed.CONSUMERS, "listings", listings)
    sold = orders.filter(pc.greater_equal(orders["day"], pa.scalar(seed.RELEASE_DAY)))
    after = tuple(sorted(set(sold["day"].to_pylist())))
    before = days[: -len(after)]

    def play(rows: pa.Table) -> tuple[list[Day], Costs]:
        """The consumers have run on these rows: charge what `fct_price` says, or what it said the day before."""
        if (charged := charge(consumers.connection, sold)) is None:
            return days, dict.fromkeys(after, (0.0, 0.0))
        orders, costs = charged
        return before + (monitors.daily_metrics(orders) if orders.num_rows else []), costs

    table, watch = Table(listings, contract, ("item_condition", "price_cents")), Watch(days, seed.RELEASE_DAY)
    return Scene(table, seed.SYNCED["before"], consumers, watch, after, play=play)


def own(contract: Contract, data: object, spec: monitors.Spec | None, since: date | None, folder: Path | None) -> Scene:
    """Any table: the SQL beside its contract, and the monitors if `spec` says which columns have day and amount."""
    rows = load(data, contract, *((spec.day, (spec.amount, spec.list_amount)) if spec else ()))
    if folder is not None and not folder.is_dir():
        raise DataError(f"{folder}: there is no such folder; name the one that has <team>/*.sql")
    folder = folder or (contract.source.parent / "consumers" if contract.source else None)
    consumers = Consumers(folder, contract.dataset, rows) if folder and folder.is_dir() else None
    first = tuple(name for name in (spec.branch, spec.list_amount, spec.amount) if name) if spec else ()
    table = Table(rows, contract, first, read=consumers.named if consumers else frozenset())
    scene = Scene(table, newest(table), consumers)
    if spec is None or not rows.num_rows:
        return scene

    def play(rows: pa.Table) -> tuple[list[Day], None]:
        with suppress(DataError):  # it lacks a column that the monitors read
            return [day for day in monitors.daily_metrics(rows, spec) if day.day], None
        return [], None

    monitors.daily_metrics(rows, spec)  # of the table as it is, that is an error
    measured, _ = play(rows)
    days = list(dict.fromkeys(day.day for day in measured if day.day))
    since = since or (days[len(days) * 2 // 3] if days else None)
    if since is None or since > days[-1]:
        there = f"has {days[0]} to {days[-1]}, and nothing from {since} on" if days else "holds no day that can be read"
        raise DataError(f"column {spec.day!r} {there}, so there is no day to break; name another column or --since")
    rows, earlier = split(rows, spec.day, since)
    after = tuple(day for day in days if day >= since)
    table = replace(table, rows=rows)
    return Scene(table, newest(table), consumers, Watch(measured, since), after, earlier, play)


# --- the drill -------------------------------------------------------------------------------------------------------


def drill(
    contract: Contract | str | Path | Mapping[str, Any] | None = None,
    data: object = None,
    *,
    spec: monitors.Spec | None = None,
    since: date | None = None,
    consumers: Path | None = None,
    every_column: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Result:
    """Break the table in every way and see who notices. Without `data` it is the shop's listings.

    The data has to keep the contract, as tests have to pass before anybody mutates the code: else nobody could tell a
    new violation from an old one. spec: the columns of day and amount, for the monitors. since: the day from which the
    rows are mutated (the last third of the days). consumers: the folder of <team>/*.sql, else that beside the contract.
    Raises ContractError where the contract is wrong, DataError where the data cannot be read or drilled.
    """
    contract = validate.as_contract(seed.ROOT / "contracts" / "listings.yaml" if contract is None else contract)
    if data is None and (spec or since or consumers):
        raise ValueError("spec, since and consumers go with data of your own; leave them out for the shop")
    scene = shop(contract) if data is None else own(contract, data, spec, since, consumers)
    table = scene.table
    before = validate.report(table.rows, contract, as_of=scene.as_of)
    if broken := before.violations:
        says = f"{contract.dataset}: {counted(len(broken), 'clause')} broken before anything is mutated, so"
        says += " nobody could tell old from new; mend the data, or "
        of_rows = all(each.rule in ("type", "required", "enum", "range", "pattern", "unique") for each in broken)
        says += "drill the rows that the gate's --quarantine accepts" if of_rows else "the contract where it is wrong"
        more = f"; and {len(broken) - 5} more" if len(broken) > 5 else ""
        raise DataError(f"{says}: {'; '.join(each.message for each in broken[:5])}{more}")
    if not table.rows.num_rows or not before.checked:
        what = "has no rows" if not table.rows.num_rows else "has no clause that could be checked"
        raise DataError(f"{contract.dataset}: {what}, so nothing can be broken; give data that its contract speaks of")
    schema, not_judged = watchers(scene)
    found, clauses = list[Row](), list[Proposal]()
    for i, mutation in enumerate(MUTATIONS):
        if progress:
            progress(f"{i + 1} of {len(MUTATIONS)}: {mutation.name}")
        for column in mutation.columns(table)[: None if every_column else 1]:
            row = Row(mutation.name, mutation.axis, mutation.models, column, mutation.harmless)
            try:
                rows = mutation.apply(table, column, scene.earlier)
            except DoesNotApply as why:
                found.append(replace(row, why_not=str(why)))
                continue
            row = look(row, scene, rows, schema, not_judged)
            if scene.consumers:  # SQL may take too long on these rows alone
                not_judged |= scene.consumers.not_run
            if row.counts and not row.caught:
                if clause := missing(table, column, rows, clauses, breaks):
                    clauses += [clause] if clause not in clauses else []
                    row = replace(row, proposal=clause)
                elif bound := tighter(table, column, rows, breaks):
                    beyond = matrix.example(table.rows, rows, column, bound.stops)
                    row = replace(row, tighter=bound, example=beyond or row.example)
            found.append(row)
    if progress:
        progress("")
    thresholds = scene.watch.thresholds if scene.watch and "shape" not in not_judged else {}
    said = tuple(found), not_judged, scene.since, scene.days, thresholds
    return Result(contract.dataset, contract.version, table.rows.num_rows, *said)


def breaks(rows: pa.Table, contract: Contract, before: pa.Table) -> bool:
    """Whether the rows break the contract, judged when those before were fresh."""
    return bool(by_contract(rows, contract, newest(Table(before, contract)), None))


def watchers(scene: Scene) -> tuple[Any, dict[str, str]]:
    """The schema of the contract, and which guards cannot judge this table, with the reason."""
    contract, cannot = scene.table.contract, dict[str, str]()
    schema = boundary.schema_from(contract)
    for name, values in (("boundary", False), ("boundary_validate", True)):
        if not distinct(scene.table.rows.column_names):
            cannot[name] = "no table of DuckDB has columns of these names, which differ in case alone"
        elif refused := by_boundary(scene.table.rows, schema, values, None):
            cannot[name] = f"it does not take the table as it is: {refused[0].message}"
    if scene.consumers is None:
        cannot["readers"] = "there is no SQL of consumers beside the contract"
    else:
        cannot |= {} if scene.consumers.models else {"readers": f"no SQL of consumers runs on {contract.dataset}"}
        cannot |= scene.consumers.not_run | dict.fromkeys(
            scene.consumers.without_sql(contract), "there is no SQL of it"
        )
    why = "there are too few days before" if scene.watch else "--day and --amount do not say which columns to read"
    can_judge = scene.watch.can_judge if scene.watch else set()
    watching = ("shape", "shape_calibrated", "gmv")
    return schema, cannot | {name: why for name in watching if name not in can_judge}


def look(row: Row, scene: Scene, rows: pa.Table, schema: Any, not_judged: Mapping[str, str]) -> Row:
    """Let every guard look at the mutated rows, and count what they cost."""
    notices = by_contract(rows, scene.table.contract, scene.as_of, scene.since)
    for name, values in (("boundary", False), ("boundary_validate", True)):
        notices += by_boundary(rows, schema, values, scene.since) if name not in not_judged else []
    contract, consumers, changes, silent = scene.table.contract, scene.consumers, False, set[str]()
    if consumers and (computed := consumers.run(rows)):
        changes = consumers.changed(computed)
        silent |= {"readers"} if any(each.late for each in computed.values()) else set()
        notices += [Notice("readers", name, scene.since, error) for name, error in consumers.errors(computed)]
    if consumers and not consumers.models and "readers" not in not_judged:  # all of it has taken too long
        silent |= {"readers"}
    if not consumers or not consumers.tell_all(contract):
        changes = changes or differ(scene.table.rows, rows, [field.name for field in scene.table.fields])
    costs = None
    if scene.watch and scene.play:
        days, costs = scene.play(rows)
        said, unseen = scene.watch.look(days)
        notices, silent = notices + said, silent | unseen
    first = min((notice.day for notice in notices if notice.day), default=None)
    row = replace(row, changes=changes, notices=tuple(notices), not_judged=tuple(sorted(silent)), first_day=first)
    row = replace(row, example=matrix.example(scene.table.rows, rows, row.column))
    return row if costs is None else row.with_costs(costs)


def write(result: Result, contract: Contract, path: Path) -> None:
    """Write a copy of the contract with the missing clauses, for its author to review: whole, or not at all."""
    text = written(contract, result.proposals, result.rows, path.stem)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_or_not_at_all(path) as half:
        half.write_bytes(text.encode("utf-8"))


# --- the command line ------------------------------------------------------------------------------------------------


def run(given: Any) -> int:
    """Drill what the arguments name, print it, and return the exit status."""
    if given.plot:
        pyplot()  # which may be missing: to be said before the drill, not after it
    contract = files.contract_of(given.contract or seed.ROOT / "contracts" / "listings.yaml", given.data)
    if given.write and contract.source and given.write.resolve() == contract.source.resolve():
        raise OSError(f"{given.write} is the contract itself; name another file for the copy with more clauses")
    if given.write and given.write.is_dir():
        raise OSError(
            f"{given.write} is a folder, and --write needs a file; name one in it, as {given.write / 'new.yaml'}"
        )
    spec = None
    if given.day:
        spec = monitors.Spec(given.day, given.amount, given.list_amount, given.branch, known=(), goods=None)
    wanted = {name: getattr(given, name) for name in ("since", "consumers", "every_column")}
    result = drill(contract, given.data, spec=spec, progress=tell if sys.stderr.isatty() else None, **wanted)
    if given.plot:
        os.environ.setdefault("MPLBACKEND", "Agg")  # a file needs no screen
        save(plot(result), given.plot)
    said = json_text(result.to_dict(), indent=1) if given.format == "json" else as_text(result)
    with suppress(BrokenPipeError):  # nobody reads on (`| head`), but the exit status still says it
        print(said, flush=True)
    if given.write and result.proposals:
        write(result, contract, given.write)
    if given.write:
        more = counted(len(result.proposals), "more clause")
        done = f"written: {given.write}, with {more}" if result.proposals else "not written: no clauses"
        print(printable(f"{done} to review"), file=sys.stderr)
    return 1 if result.survivors or result.false_alarms else 0


def tell(what: str) -> None:
    """One line on the terminal that the next takes the place of; "" clears it."""
    print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Exit 0 where nothing that matters survives the contract and no control raises an alarm, else 1; 2 no drill."""
    given = matrix.read_arguments(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return run(given)
    except contracts.ContractError as error:  # which names the file and the line by itself
        print(error, file=sys.stderr)
    except (DataError, ModuleNotFoundError, OSError, ValueError) as error:
        if isinstance(error, OSError) and of_output(error):
            raise
        said = cannot(error) if isinstance(error, OSError | ModuleNotFoundError) else brief(str(error))
        print(f"drill.py: {said}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(command(main, "drill.py"))
