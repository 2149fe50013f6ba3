"""The main job: build the shop, print the incident, and let the gate judge the table before and after the release.

python lesson.py        everything, in the order of the story
python lesson.py gate   the gate alone
"""

import sys

import duckdb

import seed


def loud() -> None:
    """The renamed column: it breaks at once, everybody sees it, and it costs an afternoon."""
    shop = seed.build()
    print("14:11, four minutes after the release: six dashboards read `brand`, which is now called `brand_name`.\n")
    for stage in ("at_release", "after"):
        seed.put_listings(shop, stage)
        outcomes = dashboards(shop)
        broken = [error for error in outcomes.values() if error]
        print(f"  {stage:<11} {len(broken)} of {len(outcomes)} dashboards broken {': ' + broken[0] if broken else ''}")


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


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def main(arguments: list[str]) -> int:
    heading("Structure breaks")
    loud()
    heading("Semantics lie")
    status = seed.main()
    print("\nNext: read seed.py from top to bottom.")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
