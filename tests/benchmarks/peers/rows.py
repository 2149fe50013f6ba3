"""The tables that all judge, and their contract in the forms that they read.

    python rows.py FOLDER ROWS...

The contract is contracts/listings.yaml with three changes: a pattern for the brand, so that there is a clause of every
kind; volume for the rows at hand; and a day of freshness, since the newest row is ten minutes old when the table is
written and a run takes longer than an hour.

    clean-ROWS   the shop's listings over and over, each with an id of its own: every clause is kept
    incident     the 8,000 listings after the release
    broken       6,000 listings, in which a clause of every kind is broken, each by another number of rows
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

import contracts  # noqa: E402
import seed  # noqa: E402
from contracts.interop import export  # noqa: E402

FRESH = "now() - interval 10 minute"
MOVED = "synced_at + ({newest} - (select max(synced_at) from shop.{table})) as synced_at"
BROKEN = """
case when n <= 2 then 3 when n between 11 and 15 then null else listing_id end as listing_id,
case when n <= 7 then 'X' when n <= 9 then null else item_condition end as item_condition,
case when n <= 11 then 99 when n <= 15 then 100001 else price_cents end as price_cents,
case when n <= 6 then 'hats' else category end as category,
case when n <= 8 then 'no label' else brand end as brand,
case when n <= 9 then 'XXL' else size end as size,
case when n <= 10 then 0 else seller_id end as seller_id,
case when n <= 900 then null else coalesce(seller_city, 'Ghent') end as seller_city,
case when n <= 12 then 0 else photos end as photos,
case when n <= 13 then 40000 else weight_g end as weight_g,
case when n <= 14 then null else listed_at end as listed_at,
"""


def write(stem: Path, query: str, low: int, high: int) -> None:
    """A table and its contract, volume from low to high."""
    said = yaml.safe_load((ROOT / "contracts" / "listings.yaml").read_text(encoding="utf-8"))
    said["freshness"]["max_lag"] = "1d"
    said["volume"] = {"min_rows": low, "max_rows": high}
    next(field for field in said["fields"] if field["name"] == "brand")["pattern"] = "[A-Z][a-z]+"
    written, parquet = beside(stem, "yaml"), beside(stem, "parquet")
    written.write_text(yaml.safe_dump(said, sort_keys=False, allow_unicode=True), encoding="utf-8")
    agreed = contracts.load(written)
    beside(stem, "json").write_text(json.dumps(plain(agreed)), encoding="utf-8")
    server = {"server": "local", "type": "local", "format": "parquet", "path": str(parquet)}
    exported = f"{export(agreed, 'odcs').text}servers: {json.dumps([server])}\n"
    beside(stem, "odcs.yaml").write_text(exported, encoding="utf-8")
    with seed.build() as shop:
        shop.execute("set preserve_insertion_order = false")
        shop.execute(f"copy ({query}) to '{parquet}' (format parquet)")


def beside(stem: Path, ending: str) -> Path:
    return stem.with_name(f"{stem.name}.{ending}")


def plain(agreed: contracts.Contract) -> dict[str, Any]:
    """The contract as plain values, for those who read none of its forms."""
    fields = [
        {
            "name": field.name,
            "type": field.type,
            "required": field.required,
            "unique": field.unique,
            "enum": list(field.enum or ()),
            "min": field.min,
            "max": field.max,
            "pattern": field.pattern,
            "null_rate": field.max_null_rate,
        }
        for field in agreed.fields
    ]
    volume, freshness = agreed.volume, agreed.freshness
    assert volume is not None and freshness is not None
    return {
        "fields": fields,
        "volume": [volume.min_rows, volume.max_rows],
        "freshness": [freshness.field, freshness.max_lag.total_seconds()],
    }


def main(folder: Path, sizes: list[int]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    moved = MOVED.format(newest=FRESH, table="listings")
    write(folder / "incident", f"select * replace ({moved}) from shop.listings", 6_500, 9_500)
    old = MOVED.format(newest="now() - interval 3 day", table="listings_before")
    first = "(select *, row_number() over (order by listing_id) as n from shop.listings_before)"
    query = f"select * exclude (n) replace ({BROKEN} {old}) from {first} where n <= 6000"
    write(folder / "broken", query, 6_500, 9_500)
    moved = MOVED.format(newest=FRESH, table="listings_before")
    for rows in sizes:
        replaced = f"listing_id + 8000 * copies.n as listing_id, {moved}"
        query = (
            f"select * exclude (n) replace ({replaced}) from shop.listings_before, range({rows // 8000}) as copies(n)"
        )
        write(folder / f"clean-{rows}", query, rows * 4 // 5, rows * 6 // 5)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(rows) for rows in sys.argv[2:]])
