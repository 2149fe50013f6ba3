"""validate(rows, contract): does this table keep its promises?

    violations = validate(rows, "contracts/listings.yaml")

`rows` is a list of mappings, a pandas, polars or Arrow table, an ibis table, a DuckDB relation, or the path (or glob)
of CSV, Parquet or JSON files. The answer is a list with one `Violation` per broken clause, [] where all are kept.
It is a function of its arguments alone: no clock, no network, no environment.

    report(rows, contract)       everything: violations, the clauses that could not be checked, additive columns
    quarantine(rows, contract)   the rows that keep every row-level clause, and those that do not, with the reasons

    python validate.py CONTRACT DATA        the gate: exit 0 kept, 1 broken, 2 could not check
"""

from __future__ import annotations

if __name__ == "__main__":
    from contracts.ending import begin

    begin()

import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeGuard

import contracts
from clause.judging import NotChecked, Violation, demand_times, judge, without_values
from clause.reading import Reading, described, mappings, package_of, read_rows, zone_of
from contracts import Contract
from contracts.ending import command, place
from contracts.errors import brief, printable


@dataclass(frozen=True)
class Report:
    """All that the contract has to say of a table."""

    dataset: str
    version: str
    rows: int
    violations: tuple[Violation, ...]
    not_checked: tuple[NotChecked, ...]
    additive_columns: tuple[str, ...]
    checked: int  # clauses that were checked
    as_of: datetime | None = None  # when freshness was judged

    @property
    def verdict(self) -> str:
        """ "broken", "kept", or "could not check" where no clause could be checked."""
        if self.violations:
            return "broken"
        return "kept" if self.checked else "could not check"

    def __str__(self) -> str:
        """The report as the gate prints it."""
        from clause import verdicts

        return verdicts.text(self)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return {
            "dataset": self.dataset,
            "version": self.version,
            "rows": self.rows,
            "verdict": self.verdict,
            "violations": [violation.to_dict() for violation in self.violations],
            "not_checked": [asdict(clause) for clause in self.not_checked],
            "additive_columns": list(self.additive_columns),
        }


def validate(
    rows: object,
    contract: Contract | str | Path | Mapping[str, Any],
    *,
    as_of: datetime | None = None,
    loaded_at: datetime | None = None,
) -> list[Violation]:
    """The clauses of the contract that these rows break; [] where every clause that could be checked is kept.

    as_of: when freshness is judged (a naive time is in the contract's time zone); without it freshness is not checked.
    loaded_at: when the table was loaded, for a freshness clause that names no field.
    Raises ContractError where the contract is wrong, DataError where the rows cannot be read, TypeError for a time that
    is no datetime.
    """
    return list(report(rows, contract, as_of=as_of, loaded_at=loaded_at).violations)


def report(
    rows: object,
    contract: Contract | str | Path | Mapping[str, Any],
    *,
    as_of: datetime | None = None,
    loaded_at: datetime | None = None,
) -> Report:
    """The whole picture; arguments and errors as for `validate`."""
    contract = as_contract(contract)
    demand_times(as_of=as_of, loaded_at=loaded_at)
    reading = read(rows, contract)
    findings = list(judge(reading, contract, as_of, loaded_at))
    named = {field.name for field in contract.fields}
    return Report(
        dataset=contract.dataset,
        version=contract.version,
        rows=reading.rows,
        violations=tuple(found for found in findings if isinstance(found, Violation)),
        not_checked=tuple(found for found in findings if isinstance(found, NotChecked)),
        additive_columns=tuple(name for name in reading.columns if name not in named),
        checked=sum(not isinstance(found, NotChecked) for found in findings),
        as_of=as_of,
    )


def quarantine(rows: object, contract: Contract | str | Path | Mapping[str, Any]) -> tuple[Any, Any]:
    """(accepted, quarantined): the rows that keep every row-level clause, and those that do not.

    Row-level are type, required, enum, range, pattern, unique. Both are of the kind that came in: lists for rows as
    mappings, frames for frames; DuckDB relations for a path, read when they are used, so that files may be larger than
    memory. Quarantined rows carry `broken_clauses`, a list such as ["item_condition: enum"]. A table whose structure
    is broken is quarantined whole. Errors as for `validate`.
    """
    from clause import quarantining

    contract = as_contract(contract)
    if is_rows(rows):
        return quarantining.split_rows(mappings(rows), contract)
    return quarantining.split(rows, contract)


def as_contract(contract: Contract | str | Path | Mapping[str, Any]) -> Contract:
    """The contract, loaded where it is a path or a mapping. Raises ContractError, and TypeError for what is none."""
    if isinstance(contract, Contract):
        return contract
    if isinstance(contract, Mapping):
        return contracts.from_mapping(contract)
    if not isinstance(contract, str | os.PathLike):
        raise TypeError(f"contract is {described(contract)}: give a Contract, a path or a mapping, after the rows")
    return contracts.load(contract)


def read(rows: object, contract: Contract) -> Reading:
    """Count: mappings in plain Python, a table of any other kind with one query."""
    if is_rows(rows):
        return read_rows(mappings(rows), contract)
    from clause import sources, tables  # here, because a list of rows needs no database

    try:
        source = sources.open_source(rows, [field.name for field in contract.fields], timezone=zone_of(contract))
    except sources.MixedTypes:
        from clause import frames

        return read_rows(frames.records(rows), contract)
    return tables.read_table(source, contract)


def is_rows(rows: object) -> TypeGuard[Iterable[Any]]:
    """Whether these are rows as mappings rather than a table or a path."""
    return isinstance(rows, Iterable) and not package_of(rows) and not isinstance(rows, str | bytes | Path | Mapping)


# --- the gate --------------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """The command line: exit 0 kept, 1 broken, 2 could not check."""

    from clause import verdicts
    from contracts.arguments import Parser

    parser = Parser(
        prog="python validate.py",
        description="The gate: say whether data keeps a contract. Exit status: 0 kept, 1 broken, 2 could not check.",
    )
    parser.add_argument("contract", metavar="CONTRACT", type=place, help="the contract, a YAML file")
    addresses = "or an address (s3://, gs://, https://)"
    parser.add_argument(
        "data", metavar="DATA", type=place, help=f"CSV, Parquet or JSON files: a path, a glob {addresses}"
    )
    parser.add_argument(
        "--as-of",
        metavar="T",
        type=moment,
        help="judge freshness at this ISO 8601 time, in the contract's zone where it names none (default: now)",
    )
    parser.add_argument(
        "--loaded-at", metavar="T", type=moment, help="when the table was loaded, for freshness; as above"
    )
    parser.add_argument("--format", choices=verdicts.FORMATS, default="text", help="how to say it (default: text)")
    parser.add_argument(
        "--no-values", action="store_true", help="count the offending values and show none, as where a log is public"
    )
    parser.add_argument(
        "--quarantine", metavar="DIR", type=place, help="folder to write the accepted and the quarantined rows into"
    )
    options = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        from clause import files

        contract = files.contract_of(options.contract, options.data)
        unchanged = files.watch(options.data)
        with progress(f"reading {options.data}"):
            as_of = options.as_of or datetime.now(UTC)
            found = report(options.data, contract, as_of=as_of, loaded_at=options.loaded_at)
    except (contracts.ContractError, contracts.DataError) as error:
        return could_not_check(error, options.format)
    if options.no_values:
        found = replace(found, violations=tuple(without_values(one, contract) for one in found.violations))
    colour = {"colour": has_colour()} if options.format == "text" else {}
    with suppress(BrokenPipeError):  # nobody reads on (`| head`), but the exit status still says it
        print(verdicts.FORMATS[options.format](found, contract, **colour), flush=True)
    if options.quarantine:
        from clause import quarantining

        try:
            with progress(f"writing {options.quarantine}"):
                written = quarantining.write(options.data, contract, Path(options.quarantine), unchanged)
        except contracts.DataError as error:
            return could_not_check(error, "text")
        said = (f"{printable(str(path))} ({rows:,} row{'s' * (rows != 1)})" for path, rows in written.items())
        print(f"written: {', '.join(said)}", file=sys.stderr)
    return {"kept": 0, "broken": 1, "could not check": 2}[found.verdict]


def could_not_check(error: Exception, form: str) -> int:
    """Say why on stderr, and in the form that a machine waits for on stdout."""
    from clause import verdicts

    said = str(error) if isinstance(error, contracts.ContractError) else brief(str(error))  # of any file name
    print(said, file=sys.stderr)
    if form in verdicts.FAILURES:
        print(verdicts.FAILURES[form](said))
    return 2


def moment(text: str) -> datetime:
    """A time on the command line, such as 2026-08-19T15:00:00+02:00."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"{text!r} is no ISO 8601 time; write 2026-08-19T15:00:00+02:00") from None


def has_colour() -> bool:
    """Whether stdout is a terminal that may be coloured."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


@contextmanager
def progress(what: str) -> Iterator[None]:
    """On a terminal, say what takes more than a second, and for how long."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()

    def tick() -> None:
        seconds = 0
        while not done.wait(1):
            seconds += 1
            print(f"\r{printable(what)} … {seconds} s", end="", file=sys.stderr, flush=True)
        if seconds:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    clock = threading.Thread(target=tick, daemon=True)
    clock.start()
    try:
        yield
    finally:
        done.set()
        clock.join()


if __name__ == "__main__":
    sys.exit(command(main, "validate.py"))
