"""The shop, and the incident in it: 8,000 listings and 27 days of orders, the same rows on every machine.

A retailer of second-hand fashion. On Wednesday 19 August 2026 at 14:07 the backend team ships PR #4471, "grade
taxonomy cleanup". Four columns change; two changes matter. The renamed one breaks six dashboards and is patched
back at 14:52. The re-coded one breaks nothing, and for nine days every price is wrong.

There are no random numbers, no floats and no clock here: one stride, 277, walks an 8 x 100 x 10 grid of category,
grading slot and price rung. It is prime and shares no factor with 8,000, so each cell is filled exactly once and
the grades are mixed alike in every category and on every rung.

"2,285 orders" are those of the nine incident days. The day is the grain, so 19 August counts in full.
z uses the sample standard deviation of the 18 days before. Money is whole cents; every price is a multiple of 50,
so times 0.9 or 0.8 is a whole cent again and no rounding rule is needed.
"""

if __name__ == "__main__":
    from contracts.ending import begin

    begin()

import os
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.dataset  # which DuckDB reads Arrow by: a Ctrl-C while it imports it by itself crashes
import yaml

from contracts.ending import command
from contracts.writing import whole_or_not_at_all

ROOT = Path(__file__).resolve().parent
SHOP = ROOT / "data" / "shop.duckdb"
CONSUMERS = ROOT / "contracts" / "consumers"

Row = dict[str, object]
STAGES = ("before", "at_release", "after")

FIRST_DAY, RELEASE_DAY = date(2026, 8, 1), date(2026, 8, 19)
SYNCED = {  # when the table was last synced: a day before the release, three minutes into it, after the patch
    "before": datetime(2026, 8, 18, 12, 0, tzinfo=UTC),
    "at_release": datetime(2026, 8, 19, 12, 10, tzinfo=UTC),
    "after": datetime(2026, 8, 19, 13, 0, tzinfo=UTC),
}
TYPICAL_EUR = dict(tops=50, jeans=60, knitwear=70, shoes=90, dresses=110, bags=140, jackets=160, coats=280)
RUNG_PERCENT = (50, 65, 75, 85, 95, 105, 120, 135, 160, 200)
WEIGHT_G = (180, 620, 410, 900, 380, 750, 1100, 1600)
BRANDS = ("Alder", "Birkholm", "Corvane", "Dunmere", "Elsbeth", "Fjordan", "Gantry", "Holloway", "Ilvy")
CITIES = ("Amsterdam", "Berlin", "Copenhagen", "Dublin", "Lisbon", "Milan", "Paris")
SIZES = ("XS", "S", "M", "L", "XL")
# One row a week, from Saturday 1 August on.
ORDERS_PER_DAY = (
    *(271, 274, 259, 242, 249, 259, 265),
    *(278, 274, 267, 230, 250, 245, 243),
    *(276, 311, 262, 243, 266, 238, 245),
    *(282, 285, 239, 245, 251, 234),
)
STRIDE, PIECES = 277, 8_000


def listing(i: int) -> Row:
    """Listing i as it stood on 18 August. Price in EUR cents, weight in grams, times in UTC."""
    category, slot, rung = (cell := i * STRIDE % PIECES) // 1000, cell // 10 % 100, cell % 10
    return {
        "listing_id": i + 1,
        "category": list(TYPICAL_EUR)[category],
        "brand": BRANDS[i % 9],
        "size": SIZES[i % 5],
        "item_condition": "A" if slot < 26 else "B" if slot < 72 else "C",
        "price_cents": list(TYPICAL_EUR.values())[category] * RUNG_PERCENT[rung],
        "seller_id": 1_000 + i * STRIDE % 613,
        "seller_city": CITIES[i % 7],
        "photos": 1 + i % 8,
        "weight_g": WEIGHT_G[category] + slot,
        "listed_at": datetime(2026, 7, 31, 18, 0, tzinfo=UTC) - timedelta(minutes=11 * i),
        "synced_at": SYNCED["before"] - timedelta(minutes=i % 50),
    }


# PR #4471, "grade taxonomy cleanup": each change takes a row and gives the row as the release writes it.


def rename_brand(row: Row) -> Row:
    """(1) Structural and breaking, loud: six dashboards read `brand`. Patched back at 14:52."""
    return {("brand_name" if name == "brand" else name): value for name, value in row.items()}


def recode_condition(row: Row) -> Row:
    """(2) Semantic and breaking, silent: still a string, still three values, and no WHEN names them."""
    return row | {"item_condition": {"A": "excellent", "B": "good", "C": "fair"}[str(row["item_condition"])]}


def add_graded_by(row: Row) -> Row:
    """(3) Additive, harmless: a new column that nobody reads yet."""
    return row | {"graded_by": f"grader-{int(str(row['listing_id'])) % 12 + 1}"}


def widen_weight(row: Row) -> Row:
    """(4) Additive, harmless: `weight_g` from INTEGER to BIGINT. A Python int has no width; see `put_listings`."""
    return row


PR_4471 = (rename_brand, recode_condition, add_graded_by, widen_weight)
CHANGES = {"before": (), "at_release": PR_4471, "after": PR_4471[1:]}


def listings(stage: str) -> list[Row]:
    """The 8,000 listings as rows: "before" (18 Aug), "at_release" (19 Aug, 14:07 to 14:52), "after" (patched)."""
    if stage not in STAGES:
        raise ValueError(f"stage {stage!r} is unknown: write one of {', '.join(STAGES)}")
    rows = []
    for i in range(PIECES):
        row = listing(i) | {"synced_at": SYNCED[stage] - timedelta(minutes=i % 50)}
        for change in CHANGES[stage]:
            row = change(row)
        rows.append(row)
    return rows


def put_listings(connection: duckdb.DuckDBPyConnection, stage: str) -> None:
    """(Re)write the table `shop.listings` as it stood at that stage."""
    weight = "bigint" if widen_weight in CHANGES[stage] else "integer"
    connection.register("rows", pa.Table.from_pylist(listings(stage)))
    widths = f"weight_g::{weight} as weight_g, photos::integer as photos"
    connection.execute(f"create or replace table shop.listings as select * replace ({widths}) from rows")
    connection.unregister("rows")


def fill(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Write the shop's tables: every order is charged what `fct_price.sql` made of the listings of its day."""
    price = (CONSUMERS / "pricing-service" / "fct_price.sql").read_text(encoding="utf-8")
    days = [FIRST_DAY + timedelta(days=n) for n, orders in enumerate(ORDERS_PER_DAY) for _ in range(orders)]
    pieces = [k * STRIDE % PIECES + 1 for k in range(len(days))]
    connection.register("sold", pa.table({"order_id": range(1, len(days) + 1), "day": days, "listing_id": pieces}))
    for stage, verb, on_those_days in (
        ("before", "create table shop.orders as", "day < $release"),
        ("after", "insert into shop.orders", "day >= $release"),
    ):
        put_listings(connection, stage)
        connection.execute(f"create or replace table shop.fct_price as {price}")
        connection.execute(
            f"{verb} select order_id, day, listing_id, category, price.* exclude (listing_id)"
            " from sold join shop.listings using (listing_id) join shop.fct_price as price using (listing_id)"
            f" where {on_those_days} order by order_id",
            {"release": RELEASE_DAY},
        )
        if stage == "before":
            connection.execute("create table shop.listings_before as from shop.listings")
            connection.execute("create table shop.fct_price_before as from shop.fct_price")
    connection.unregister("sold")
    return connection


def build(target: str | os.PathLike[str] = ":memory:") -> duckdb.DuckDBPyConnection:
    """Build the shop and connect to it: in memory, or (read-only) as a file that appears whole or not at all.

    shop.listings and shop.fct_price stand as after the release, shop.listings_before and shop.fct_price_before
    as on 18 August; shop.orders holds the 27 days. Raises OSError or duckdb.Error where it cannot write.
    """
    if str(target) == ":memory:":
        return fill(attach(":memory:"))
    path = Path(target).absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_or_not_at_all(path) as half:
        fill(attach(half)).close()
    return attach(target, "read_only")


def attach(target: str | os.PathLike[str], mode: str = "read_write") -> duckdb.DuckDBPyConnection:
    """Connect to a database file under the name "shop", as `duckdb data/shop.duckdb` would call it too."""
    connection = duckdb.connect()
    quoted = str(target).replace("'", "''")
    connection.execute(f"attach '{quoted}' as shop ({mode}); use shop; set timezone = 'UTC'")
    return connection


def orders() -> list[Row]:
    """The 6,983 orders of 27 days as rows, in the order they came in; money in EUR cents."""
    return build().execute("from shop.orders order by order_id").to_arrow_table().to_pylist()


def figures(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, object]]:
    """Every published figure, computed from the rows by `figures.sql`, in the form of `figures.yaml`."""
    nested: dict[str, dict[str, object]] = {}
    query = (ROOT / "figures.sql").read_text(encoding="utf-8")
    for name, value in connection.execute(query).to_arrow_table().to_pylist()[0].items():
        section, key = name.split(".")
        nested.setdefault(section, {})[key] = value
    return nested


def fingerprint(connection: duckdb.DuckDBPyConnection) -> str:
    """A SHA-256 of the rows of listings (both stages) and orders, not of the file's bytes: alike on every machine."""
    connection.execute("set timezone = 'UTC'")
    tables = {"listings_before": "listing_id", "listings": "listing_id", "orders": "order_id"}
    rows = [f"select to_json(t)::text as row, '{t}' as t, {key} as i from shop.{t} as t" for t, key in tables.items()]
    hashed = "select sha256(string_agg(row, chr(10) order by t, i)) from"
    return str(connection.execute(f"{hashed} ({' union all '.join(rows)})").fetchall()[0][0])


def show(connection: duckdb.DuckDBPyConnection) -> bool:
    """Print the incident: what the lesson says beside what the data says. True where every figure agrees."""
    published = yaml.safe_load((ROOT / "figures.yaml").read_text(encoding="utf-8"))
    computed = figures(connection)
    print(f"{'figure':<38} {'the lesson says':<38} the data says")
    for section, keys in published.items():
        for key, says in keys.items():
            found = computed[section][key]
            print(f"{section + '.' + key:<38} {says!s:<38} {found}{'' if found == says else '  <- differs'}")
    print(f"\nUNDER-CHARGED EUR {Decimal(str(computed['incident']['under_charged_eur'])):,}")
    print(f"sha256 of the rows {fingerprint(connection)}")
    return computed == published


def main(arguments: Sequence[str] = ()) -> int:
    """Write data/shop.duckdb and print the figures: 0 all as published, 1 one differs, 2 could not write."""
    usage = "usage: python seed.py, without an argument: build data/shop.duckdb and print every published figure"
    if arguments:
        is_asked = list(arguments) in (["-h"], ["--help"])
        print(
            usage if is_asked else f"seed.py: takes no argument; {usage}", file=sys.stdout if is_asked else sys.stderr
        )
        return 0 if is_asked else 2
    if not (ROOT / "figures.yaml").exists():  # installed, it only lends the shop to the drill and the monitors
        print("seed.py: the published figures are not beside it; run it in a clone of the repository", file=sys.stderr)
        return 2
    try:
        shop = build(SHOP)
    except (OSError, duckdb.Error) as error:
        why = f"cannot write {SHOP} ({str(error).splitlines()[0]})"
        print(f"seed.py: {why}: make room or give write access and run again", file=sys.stderr)
        return 2
    with shop:
        return 0 if show(shop) else 1


if __name__ == "__main__":
    sys.exit(command(lambda: main(sys.argv[1:]), "seed.py"))
