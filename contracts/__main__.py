"""python -m contracts COMMAND: what can be done with contracts without any data."""

from __future__ import annotations

if __name__ == "__main__":
    from contracts.ending import begin

    begin()

import argparse
import datetime as dt
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.arguments import Parser
from contracts.document import Contract, concerns, load
from contracts.ending import cannot, command, of_output, place
from contracts.errors import ContractError, DataError, brief, json_text, masked, printable
from contracts.values import nearest

if TYPE_CHECKING:  # lint does without
    from contracts.release import Verdict

HOW = "how to say it (default: text)"


class Wrong(Exception):
    """What was asked for cannot be done: one sentence, and exit status 2."""


FAILED = (ContractError, OSError, Wrong, DataError)


def why_not(error: Exception) -> str:
    """Why a command could not go on. Raises the error again where standard output is what failed."""
    if isinstance(error, OSError):
        if of_output(error):
            raise error
        return cannot(error)
    return str(error) if isinstance(error, ContractError) else brief(masked(str(error)))


def lint(files: Sequence[str]) -> int:
    """Say what is wrong in each contract. Exit status: 0 nothing, 1 faults, 2 a file cannot be read."""
    status = 0
    for file in files:
        try:
            contract = load(file)
            faults, found = concerns(contract), 1
        except ContractError as error:
            faults, found = error.faults, 2 if error.unreadable else 1
        for fault in faults:
            print(fault)
        if faults:
            status = max(status, found)
        else:
            count = len(contract.fields)
            says = f"{contract.dataset} {contract.version}, {count} field{'s' * (count != 1)}"
            print(f"ok  {printable(file)}  {brief(says)}")
    return status


def diff(chosen: argparse.Namespace) -> int:
    """Judge a new version of a contract.

    Exit status: 0 accepted, 1 rejected, 2 could not check; of several files the worst.
    """
    from contracts.formats import FAILURES, FORMATS, together

    files, missing = chosen.files, (1 if chosen.against else 2) - len(chosen.files)
    if 0 < missing < len(chosen.editorial):  # diff --editorial FIELD OLD NEW
        files = chosen.editorial[-missing:] + files
        del chosen.editorial[-missing:]
    if chosen.against is None and len(files) != 2:
        raise Wrong("diff compares two files, OLD and NEW, or files with a revision: --against main FILE...")
    if chosen.against is not None and not files:
        raise Wrong("with --against, diff takes files and compares each with what it was in that revision")
    said, told, status = [], set[str](), 0
    for before, file in [files] if chosen.against is None else zip(files, files, strict=True):
        try:
            found, new = judged(chosen, before, file)
        except FAILED as error:
            status, why = 2, why_not(error)
            if why not in told:  # where there is no repository, once for all files
                print(why, file=sys.stderr)
            told.add(why)
            said += [FAILURES[chosen.format](why)] if chosen.format in FAILURES else []
        else:
            status = max(status, found.status)
            said.append(FORMATS[chosen.format](found, new))
    if said:
        print(together(chosen.format, said))
    return status


def judged(chosen: argparse.Namespace, before: str, file: str) -> tuple[Verdict, Contract]:
    """The verdict of `diff` on one file, and what it says now; `before` is the old one, or with --against the same."""
    from contracts.release import first, verdict
    from contracts.revisions import load_at

    new = load(file)
    old = load(before) if chosen.against is None else load_at(chosen.against, file)
    if old is None:
        return first(new), new
    for name in chosen.editorial:
        named_field(name, old)
    found = verdict(
        old,
        new,
        as_of=chosen.as_of,
        editorial=chosen.editorial,
        consumers=chosen.consumers or beside(file) or beside(before),
        dialect=dialect(chosen.dialect),
    )
    return found, new


def plan(chosen: argparse.Namespace) -> int:
    """Split a breaking change into two steps that pass diff.

    Exit status: 0 done, 1 a part of it has no two steps, 2 could not split.
    """
    from contracts.plan import plan as made
    from contracts.plan import write

    current, wanted = load(chosen.current), load(chosen.wanted)
    names = dict(renaming(each, current) for each in chosen.name)
    consumers = chosen.consumers or beside(chosen.current)
    for name in chosen.editorial:
        named_field(name, current)
    try:
        found = made(
            current,
            wanted,
            announce=chosen.announce,
            consumers=consumers,
            dialect=dialect(chosen.dialect),
            names=names,
            editorial=chosen.editorial,
        )
    except ContractError:
        raise
    except ValueError as error:
        raise Wrong(str(error)) from None
    print(on_screen(found.text(files=chosen.out is None)))
    if chosen.out is not None:
        for path in write(found, Path(chosen.out)):
            print(f"wrote {printable(str(path))}")
    return 1 if found.left_out else 0


def readers(chosen: argparse.Namespace) -> int:
    """Say who still reads a field.

    Exit status: 0 nobody, 1 somebody, 2 nobody known, but of some teams nothing is known.
    """
    from contracts.readers import readers as who

    contract = load(chosen.contract)
    field = named_field(chosen.field, contract)
    consumers = chosen.consumers or beside(chosen.contract)
    if consumers is None:
        raise Wrong("there is no folder of the consumers' SQL beside the contract; name one with --consumers")
    found = who(consumers, contract.dataset, field, contract.consumers, dialect=dialect(chosen.dialect))
    if chosen.format == "json":
        print(json_text(found.to_dict()))
    else:
        for place in (*found.readers, *found.unknown):
            print(place)
        unknown = ", ".join(dict.fromkeys(one.team for one in found.unknown))
        says = f"{found.dataset}.{found.field} is read by "
        says += ", ".join(found.reading) or ("nobody, as far as is known" if unknown else "nobody")
        print(printable(says + (f"; unknown: {unknown}" if unknown else "")))
    return 1 if found.readers else 2 if found.unknown else 0


def audit(chosen: argparse.Namespace) -> int:
    """Say what SQL relies on that nobody has promised.

    Exit status: 0 nothing, 1 findings, 2 something was not audited.
    """
    from contracts.audit import audit as asked
    from contracts.auditing.reporting import FORMATS

    data: dict[str, list[str]] = {}
    for each in chosen.data:
        name, file = pair(each, "--data", "CONTRACT=FILE")
        data.setdefault(name, []).append(file)
    where = dict(pair(each, "--where", "CONTRACT=CONDITION") for each in chosen.where)
    if chosen.contracts is not None and not Path(chosen.contracts).exists():
        raise Wrong(f"there is no {chosen.contracts}; give --contracts the folder of the contracts, or one of them")
    if (chosen.amount or where) and not data:
        raise Wrong("--amount and --where are about data; give it with --data CONTRACT=FILE")
    try:
        found = asked(
            chosen.paths,
            contracts=chosen.contracts,
            data=data,
            dialect=dialect(chosen.dialect),
            amount=chosen.amount,
            where=where,
            progress=show_progress if sys.stderr.isatty() else None,
        )
    except DataError as error:
        raise Wrong(str(error)) from None
    print(FORMATS[chosen.format](found))
    return found.status


def show_progress(done: int, of: int) -> None:
    """One line on the terminal that counts the files, and goes once they are done."""
    says = f"{done:,} of {of:,} files" if done < of else ""
    print(f"\r\033[K{says}", end="", file=sys.stderr, flush=True)


def compat(chosen: argparse.Namespace) -> int:
    """Say what a schema registry would say of a new version, beside the contract's own verdict.

    Exit status: 0 FULL, 1 less, 2 could not compare.
    """
    from contracts.compatibility import compatibility, released, table

    new = load(chosen.files[-1])
    defaults = dict(pair(each, "--default") for each in chosen.default)
    for name in defaults:
        named_field(name, new)
    if len(chosen.files) == 2 and chosen.history is None:
        versions = [load(chosen.files[0])]
    elif len(chosen.files) == 1 and chosen.history is not None:
        versions = released(chosen.history, new)
    else:
        raise Wrong("compat compares OLD and NEW, or NEW with every version in a folder: --history DIR NEW")
    found = [compatibility(old, new, enums=chosen.enums, defaults=defaults) for old in versions]
    if chosen.format == "json":
        print(json_text([each.to_dict() for each in found]))
    else:
        print(table(found))
    return 0 if all(each.full for each in found) else 1


def export(chosen: argparse.Namespace) -> int:
    """Write a contract in another form, on stdout.

    Exit status: 0 written, 1 with --strict, a part of it cannot be said there, 2 could not write.
    """
    from contracts.interop import export as written

    contract = load(chosen.contract)
    previous = load(chosen.previous) if chosen.previous else None
    try:
        found = written(contract, chosen.to, enums=chosen.enums, dialect=chosen.dialect, previous=previous)
    except ContractError:
        raise
    except ValueError as error:
        raise Wrong(str(error)) from None
    put(found.text)
    for says in found.left_out:
        print(f"not in {chosen.to}: {printable(says)}", file=sys.stderr)
    for says in found.warnings:
        print(f"warning: {printable(says)}", file=sys.stderr)
    return 1 if chosen.strict and found.left_out else 0


def import_(chosen: argparse.Namespace) -> int:
    """Draft a contract from another form or from a table, on stdout. Exit status: 0 drafted, 2 could not draft."""
    from contracts.interop import import_file

    found = import_file(chosen.file, chosen.form, chosen.table)
    put(found.text)
    for says in found.left_out:
        print(f"left out: {printable(says)}", file=sys.stderr)
    return 0


def put(text: str) -> None:
    """Write the text of a file: as a file of ours is, in UTF-8 and with its line ends, on every system."""
    if sys.__stdout__ is None:  # closed, as by `>&-`
        raise Wrong("standard output is closed, so the text would go nowhere; send it to a file: > FILE")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    print(on_screen(text), end="")


def on_screen(text: str) -> str:
    """A file's text, faithful but for a terminal, which its characters must not command."""
    return "\n".join(map(printable, text.split("\n"))) if sys.stdout.isatty() else text


# ---- what the arguments say -------------------------------------------------------------------------------------


def beside(file: str) -> str | None:
    """The consumers' SQL that lies beside a contract, or one folder up, as for history/."""
    above = Path(file).absolute().parent
    found = next((one / "consumers" for one in (above, above.parent) if (one / "consumers").is_dir()), None)
    return None if found is None else str(found.relative_to(Path.cwd()) if found.is_relative_to(Path.cwd()) else found)


def named_field(name: str, contract: Contract) -> str:
    """The name, if the contract has such a field."""
    if contract.field(name) is None:
        near = nearest(name, [field.name for field in contract.fields])
        hint = f"did you mean {near}?" if near else f"it has {', '.join(field.name for field in contract.fields[:12])}"
        raise Wrong(f"{contract.dataset} {contract.version} has no field {name!r}; {hint}")
    return name


def renaming(text: str, contract: Contract) -> tuple[str, str]:
    """OLD=NEW, of which the contract has the old field."""
    old, new = pair(text, "--name")
    return named_field(old, contract), new


def pair(text: str, option: str, form: str = "FIELD=WORD") -> tuple[str, str]:
    """Both sides of an argument such as FIELD=WORD; `form` says what the option takes."""
    name, sign, word = text.partition("=")
    if not (name and sign and word):
        raise Wrong(f"{option} takes {form}, but here is {text!r}")
    return name, word


def dialect(name: str) -> str:
    """The name, if sqlglot knows such a dialect."""
    if name == "duckdb":  # the default: to look others up is to load sqlglot
        return name
    from sqlglot import Dialect

    try:
        Dialect.get_or_raise(name or "an empty name")  # which sqlglot would take for a dialect of its own
    except ValueError:
        raise Wrong(f"{name!r} is no SQL dialect; write duckdb, snowflake, bigquery, postgres, spark, …") from None
    return name


def day(text: str) -> dt.date:
    """A day on the command line; of a time, its day."""
    try:
        return dt.datetime.fromisoformat(text).date()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date; write it as 2026-08-19") from None


def arguments_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m contracts", description="What can be done with contracts, without any data.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    sql = Parser(add_help=False)
    sql.add_argument(
        "--consumers",
        metavar="DIR",
        type=place,
        help="the consumers' SQL, DIR/<team>/*.sql (default: beside the contract)",
    )
    sql.add_argument("--dialect", default="duckdb", metavar="D", help="dialect of that SQL (default: duckdb)")

    command = commands.add_parser("lint", help="say what is wrong in contracts", description=lint.__doc__)
    command.add_argument("files", nargs="+", metavar="FILE", help="a contract, a YAML file")
    command.set_defaults(run=lambda chosen: lint(chosen.files))

    command = commands.add_parser(
        "diff", help="judge a new version of a contract", description=diff.__doc__, parents=[sql]
    )
    command.add_argument("files", nargs="*", metavar="FILE", help="OLD and NEW, or with --against any number of NEW")
    command.add_argument("--against", metavar="REV", help="compare each file with what it is in this git revision")
    command.add_argument(
        "--as-of", metavar="DATE", type=day, default=dt.date.today(), help="judge on this day (default: today)"
    )
    command.add_argument(
        "--editorial",
        metavar="FIELD",
        nargs="+",
        action="extend",
        default=[],
        help="fields of which only the wording changed",
    )
    command.add_argument("--format", choices=["text", "json", "github", "markdown"], default="text", help=HOW)
    command.set_defaults(run=diff)

    command = commands.add_parser(
        "plan", help="split a breaking change into two steps", description=plan.__doc__, parents=[sql]
    )
    command.add_argument("current", metavar="CURRENT", help="the version in force")
    command.add_argument("wanted", metavar="WANTED", help="what it should become")
    command.add_argument(
        "--announce",
        metavar="DATE",
        type=day,
        default=dt.date.today(),
        help="the day the consumers are told (default: today)",
    )
    command.add_argument("--name", metavar="OLD=NEW", action="append", default=[], help="what a new field is called")
    command.add_argument(
        "--editorial", metavar="FIELD", action="append", default=[], help="a field of which only the wording changed"
    )
    command.add_argument("--out", metavar="DIR", type=place, help="folder to write both versions and the SQL into")
    command.set_defaults(run=plan)

    command = commands.add_parser(
        "readers", help="say who still reads a field", description=readers.__doc__, parents=[sql]
    )
    command.add_argument("contract", metavar="CONTRACT", help="the contract, a YAML file")
    command.add_argument("field", metavar="FIELD", help="the field's name")
    command.add_argument("--format", choices=["text", "json"], default="text", help=HOW)
    command.set_defaults(run=readers)

    command = commands.add_parser(
        "audit", help="say what SQL relies on that nobody has promised", description=audit.__doc__
    )
    command.add_argument("paths", nargs="+", metavar="PATH", help="SQL files, or folders of them")
    command.add_argument("--contracts", metavar="DIR", type=place, help="the contracts of the tables, or one contract")
    command.add_argument(
        "--data",
        metavar="CONTRACT=FILE",
        action="append",
        default=[],
        help="that table's rows; given twice: earlier, and today",
    )
    command.add_argument("--amount", metavar="COLUMN", help="with --data: the column of the models to sum")
    command.add_argument(
        "--where",
        metavar="CONTRACT=CONDITION",
        action="append",
        default=[],
        help="with --data: only the rows where it holds",
    )
    command.add_argument("--dialect", default="duckdb", metavar="D", help="dialect of the SQL (default: duckdb)")
    command.add_argument("--format", choices=["text", "json", "github", "sarif", "markdown"], default="text", help=HOW)
    command.set_defaults(run=audit)

    command = commands.add_parser(
        "compat", help="say what a schema registry would say of a new version", description=compat.__doc__
    )
    command.add_argument("files", nargs="+", metavar="FILE", help="OLD and NEW, or with --history only NEW")
    command.add_argument(
        "--history", metavar="DIR", type=place, help="compare with every earlier version there (transitive)"
    )
    command.add_argument("--enums", action="store_true", help="export an enum of text as an Avro enum")
    command.add_argument(
        "--default",
        metavar="FIELD=SYMBOL",
        action="append",
        default=[],
        help="with --enums: that enum's default in NEW",
    )
    command.add_argument("--format", choices=["text", "json"], default="text", help=HOW)
    command.set_defaults(run=compat)

    command = commands.add_parser("export", help="write a contract in another form", description=export.__doc__)
    command.add_argument("contract", metavar="CONTRACT", help="the contract, a YAML file")
    forms = ["odcs", "dbt", "avro", "jsonschema", "sql", "python", "markdown", "html"]
    command.add_argument("--to", required=True, choices=forms, help="the form to write")
    command.add_argument("--enums", action="store_true", help="avro: export an enum of text as an Avro enum")
    command.add_argument(
        "--dialect",
        choices=["duckdb", "postgres", "sqlite"],
        default="duckdb",
        help="sql: its dialect (default: duckdb)",
    )
    command.add_argument(
        "--previous", metavar="OLD", type=place, help="markdown, html: tell the changes since this version"
    )
    command.add_argument("--strict", action="store_true", help="exit 1 if the form cannot express something")
    command.set_defaults(run=export)

    command = commands.add_parser("import", help="draft a contract from another form", description=import_.__doc__)
    command.add_argument(
        "file", metavar="FILE", help="a file in the other form; for table: CSV, Parquet, JSON or a database"
    )
    sources = ["odcs", "dbt", "jsonschema", "avro", "table"]
    command.add_argument("--from", dest="form", required=True, choices=sources, help="what FILE is")
    command.add_argument("--table", metavar="NAME", help="the table, where FILE speaks of several")
    command.set_defaults(run=import_)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    chosen = arguments_parser().parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return int(chosen.run(chosen))
    except FAILED as error:
        why, form = why_not(error), getattr(chosen, "format", "text")
        print(why, file=sys.stderr)
        if form != "text":  # a machine waits for it
            from contracts.formats import FAILURES

            print(FAILURES[form](why))
        return 2


if __name__ == "__main__":
    sys.exit(command(main, "contracts"))
