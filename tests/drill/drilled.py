"""Tables to drill, contracts for them, and one row of what a drill gives."""

from datetime import date, datetime, timedelta

import pyarrow as pa

import contracts
import drill
import seed
from clause import mutations, roles

IN_FORCE = seed.ROOT / "contracts" / "listings.yaml"
BEFORE = seed.ROOT / "contracts" / "history" / "listings-1.3.0.yaml"
RELEASE = date(2026, 8, 19)


FEW = ("rename", "reorder columns", "add column", "recode every value", "swap two values", "flip boolean")
FEW += ("times 100", "null every 20th", "lose leading zeros", "stale snapshot", "duplicate every 100th", "widen")


def only(monkeypatch, *names):
    """Fewer mutations, for tests that are not about them."""
    monkeypatch.setattr(drill, "MUTATIONS", [each for each in mutations.MUTATIONS if each.name in names])


def row_of(result, name):
    (row,) = [row for row in result.matrix if row.name == name]
    return row


def entry_of(document, name):
    (entry,) = [entry for entry in document["mutations"] if entry["name"] == name]
    return entry


RIDES = """\
# What dispatch promises.
version: 0.9.0
owner: dispatch
consumers: [billing]
fields:
  - {name: "ride no.", type: integer}  # counted up
  - {name: 'The "zone"', type: string}
  - {name: fare, type: number, unit: EUR}
  - {name: postcode, type: string}
  - {name: paid, type: boolean}
  - {name: at, type: timestamp}
"""


def rides(folder, rows=240, contract=RIDES):
    """A small table of hostile column names as CSV, ten rides a day, and its contract."""
    lines = ['ride no.,"The ""zone""",fare,postcode,paid,at,gross']
    for i in range(rows):
        at = datetime(2026, 1, 1, 6) + timedelta(days=i // 10, hours=i % 10)
        zone, fare = ("city", "suburb", "airport")[i % 3], 5 + i * 13 % 89 + (i // 10) / 100
        lines.append(
            f"{i},{zone},{fare:.2f},{i * 37 % 9999:05d},{'false' if i % 4 else 'true'},{at.isoformat()},{fare * 2}"
        )
    (folder / "rides.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "rides.yaml").write_text(contract, encoding="utf-8")
    return folder / "rides.yaml", folder / "rides.csv"


def table(contract=None, **columns):
    types = {"int64": "integer", "string": "string", "double": "number", "bool": "boolean"}
    rows = pa.table(columns)
    fields = [
        {"name": field.name, "type": types.get(str(field.type), "timestamp")} for field in rows.schema if field.name
    ]
    says = {"version": "1.0.0", "owner": "me", "fields": fields} | (contract or {})
    return roles.Table(rows, contracts.from_mapping(says))
