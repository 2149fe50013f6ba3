"""The main job: build the shop, print the incident, let the gate judge it, show what the monitors would have seen.

python lesson.py        everything, in the order of the story
python lesson.py gate   the gate alone: before the release, after it, and with the contract that lacked the clause
python lesson.py monitors   the calendar alone
python lesson.py drill      who notices, when the shop's listings are broken on purpose
"""

if __name__ == "__main__":
    from contracts.ending import begin

    begin()

import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import monitors
import seed
import validate
from contracts.ending import command, of_output
from contracts.errors import brief
from contracts.writing import whole_or_not_at_all

GATE = [  # (what it shows, contract, stage, the story's clock, the exit status that the story needs)
    ("18 August, before the release", "listings.yaml", "before", "2026-08-18T14:30:00+02:00", 0),
    ("19 August, the rename patched, the re-coding not: what the clause would have said", "listings.yaml", "after",
     "2026-08-19T15:30:00+02:00", 1),
    ("the same rows, and the contract as it was: nobody had written the clause", "history/listings-1.3.0.yaml", "after",
     "2026-08-19T15:30:00+02:00", 0),
]  # fmt: skip

LIE = """The same pull request re-coded `item_condition`: A, B and C became excellent, good and fair. The pricing CASE
knows A, B and C; whatever else comes falls into its ELSE 0.80, the price of a worn piece. No error, for nine days.
figures.yaml says what each of these figures means.
"""

USAGE = "usage: python lesson.py [gate | monitors | drill], without an argument for everything"


def heading(text: str) -> None:
    """A title of the story, underlined."""
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def dashboards(shop: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Run the consumers' dashboards on the shop as it stands: name -> "" where it works, the error where not."""
    outcomes = {}
    for path in sorted(seed.CONSUMERS.glob("*/dashboard_*.sql")):
        try:
            shop.execute(path.read_text(encoding="utf-8"))
            outcomes[path.stem] = ""
        except duckdb.Error as error:
            outcomes[path.stem] = str(error).splitlines()[0]
    return outcomes


def loud() -> None:
    """The renamed column: it breaks at once, everybody sees it, and it costs an afternoon."""
    print("14:07  PR #4471 is live. 14:11  Six dashboards read `brand`, which is now called `brand_name`:\n")
    with seed.build() as shop:
        for stage, when in (("at_release", "14:11"), ("after", "14:52, patched")):
            seed.put_listings(shop, stage)
            outcomes = dashboards(shop)
            broken = [error for error in outcomes.values() if error]
            print(f"  {when:<15} {len(broken)} of {len(outcomes)} broken   {broken[0] if broken else ''}".rstrip())


def gate() -> int:
    """Let the gate judge the rows before and after; 0 where it says what the story needs."""
    as_told = True
    seed.SHOP.parent.mkdir(exist_ok=True)
    for stage in ("before", "after"):
        with whole_or_not_at_all(seed.SHOP.with_name(f"listings_{stage}.parquet")) as half:
            pq.write_table(pa.Table.from_pylist(seed.listings(stage)), half)
    for what, contract, stage, clock, needed in GATE:
        arguments = [f"contracts/{contract}", f"data/listings_{stage}.parquet", "--as-of", clock]
        print(f"\n# {what}\n$ python validate.py {' '.join(arguments)}", flush=True)
        status = validate.main([str(seed.ROOT / argument) for argument in arguments[:2]] + arguments[2:])
        print(f"exit {status}", flush=True)
        as_told &= status == needed
    return 0 if as_told else 1


def alarm() -> int:
    """The calendar of the monitors; 0 where they sound the alarm, as the story needs."""
    return 0 if monitors.main([]) == 1 else 1


def broken_on_purpose() -> int:
    """The drill on the shop; 0 where something survives, as the lesson tells: no contract catches a swap."""
    import drill

    return 0 if drill.main([]) == 1 else 1


def story() -> int:
    """Everything, in order; 0 where the figures, the gate and the monitors say what the lesson tells."""
    heading("Structure breaks")
    loud()
    heading("Semantics lie")
    print(LIE)
    status = seed.main()
    heading("The gate")
    status = max(status, gate())
    heading("The monitors: five of the shape of the data, and gmv, of the money taken")
    status = max(status, alarm())
    print("\nNext: `make lab` opens the notebooks, `make check` the exercises. The code begins with seed.py.")
    return status


def main(arguments: list[str]) -> int:
    """Run one job, or all: 0 as the lesson tells it, 1 otherwise, 2 where it cannot."""
    jobs = {"gate": gate, "monitors": alarm, "drill": broken_on_purpose}
    if arguments in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if len(arguments) > 1 or not jobs.keys() >= set(arguments):
        print(f"lesson.py: {brief(' '.join(arguments))!r} is no part of it; {USAGE}", file=sys.stderr)
        return 2
    try:
        return jobs[arguments[0]]() if arguments else story()
    except OSError as error:  # no room, or no right to write data/
        if of_output(error):
            raise
        print(f"lesson.py: {error}: make room or give write access and run again", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(command(lambda: main(sys.argv[1:]), "lesson.py"))
