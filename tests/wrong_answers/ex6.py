"""Exercise 6: a right answer, and edits of it. WRONG: (idea, old text, new text, a piece of its own message)."""

# ruff: noqa: E501  # an edit and its message share a line

import seed

EXAMPLE = """### A worked example

| question | answer |
| --- | --- |
| table | `nyc.yellow_tripdata` |
| owner | NYC Taxi and Limousine Commission |
| consumers | fare-forecast |
| field | `extra` |
| clause | unit: USD_without_congestion_surcharge |
| true today, as seen in | the share of rides with an extra of 2.50 or more |
| written nowhere, as looked for in | the data dictionary of the table |
"""

FORM = """| question | answer |
| --- | --- |
| table | warehouse.public.shipments |
| owner | Logistics Platform |
| consumers | returns-desk, controlling |
| field | state |
| clause | enum: open, sent, lost |
| true today, as seen in | select distinct state over the last 90 days |
| written nowhere, as looked for in | the wiki page and the table's comment |
"""

README = f"# The Clause Nobody Wrote\n\n## Your upstream table\n\n{EXAMPLE}\n### Your table\n\n{FORM}\n## The house\n"

YAML = """
dataset: warehouse.public.shipments
version: 1.0.0
owner: Logistics Platform
consumers: [returns-desk, controlling]
fields:
  - {name: shipment_id, type: integer, required: true}
  - name: state
    type: string
    enum: [open, sent, lost]
"""

ANSWER = {"../README.md": README, "ex6_upstream.yaml": YAML}
R, Y = "../README.md", "ex6_upstream.yaml"

RIGHT = [
    ("code marks and a bold word", "| state |", "| **`state`** |"),
    ("the table's short name in the contract", (Y, "dataset: warehouse.public.shipments"), "dataset: shipments"),
    ("the enum with its meanings", (Y, "enum: [open, sent, lost]"), "enum: {open: not packed, sent: with the carrier, lost: written off}"),
    ("the clause in other words", "enum: open, sent, lost", "the values are `open`, `sent` and `lost`, and nothing else"),
    ("a unit instead", "enum: open, sent, lost", "in EUR_cents", (Y, "    type: string\n    enum: [open, sent, lost]\n"), "    type: number\n    unit: EUR_cents\n"),
    ("consumers with 'and', in another order", "returns-desk, controlling |", "controlling and returns-desk |"),
    ("the owner in small letters", "| owner | Logistics Platform |", "| owner | logistics  platform |"),
    ("a bar in an answer", "the wiki page and the table's comment", "wiki \\| comment \\| ticket search"),
    ("the field with its table", "| state |", "| shipments.state |"),
    ("the worked example is gone", EXAMPLE, ""),
    ("more in the section", FORM, "Some words of my own.\n\n" + FORM + "\nAnd more of them.\n"),
]  # fmt: skip


def answered(question: str, answer: str) -> str:
    return f"| {question} | {answer} |"


CLAUSE = answered("clause", "enum: open, sent, lost")

LISTINGS = YAML.partition("fields:")[0] + (
    "fields:" + (seed.ROOT / "contracts" / "listings.yaml").read_text(encoding="utf-8").partition("fields:")[2]
)

WRONG = [
    ("an empty table", answered("table", "warehouse.public.shipments"), "| table | |", "'table' is still empty"),
    ("an empty clause", CLAUSE, "| clause |  |", "'clause' is still empty"),
    ("a comment for an answer", "| Logistics Platform |", "| <!-- who? --> |", "'owner' is still empty"),
    ("TODO", "select distinct state over the last 90 days", "TODO", "a placeholder"),
    ("three dots", "| returns-desk, controlling |", "| ... |", "a placeholder"),
    ("your team", "| Logistics Platform |", "| your team |", "a placeholder"),
    ("n/a", "the wiki page and the table's comment", "n/a", "a placeholder"),
    ("one word of evidence", "select distinct state over the last 90 days", "yes", "Say in a few words"),
    ("one word about the search", "the wiki page and the table's comment", "wiki", "which documents"),
    ("the example handed back", FORM, EXAMPLE.split("\n\n", 1)[1], "worked example's, word for word"),
    ("the example's table and field", FORM, FORM.replace("warehouse.public.shipments", "yellow_tripdata").replace("| state |", "| extra |"), "worked example's table and field"),
    ("the example's evidence", "select distinct state over the last 90 days", "the share of rides with an extra of 2.50 or more", "word for word"),
    ("the lesson's own table", "| warehouse.public.shipments |", "| shop.listings |", "the lesson's own table"),
    ("a row of the form is gone", CLAUSE + "\n", "", "has no row 'clause'"),
    ("the heading is gone", "### Your table\n", "", 'no heading "Your table"'),
    ("the section is gone", "## Your upstream table\n", "", 'no section "Your upstream table"'),
    ("another table in the contract", (Y, "dataset: warehouse.public.shipments"), "dataset: returns", "different tables"),
    ("no dataset in the contract", (Y, "dataset: warehouse.public.shipments\n"), "", "write dataset"),
    ("another owner", (Y, "owner: Logistics Platform"), "owner: Finance", "different owners"),
    ("no consumers", (Y, "consumers: [returns-desk, controlling]\n"), "", "names no consumers"),
    ("a consumer less", (Y, "[returns-desk, controlling]"), "[returns-desk]", "different consumers"),
    ("another field", (Y, "name: state"), "name: status", "nothing about the field 'state'"),
    ("no clause in the contract", (Y, "    enum: [open, sent, lost]\n"), "", "The clause itself is missing"),
    ("the clause on another field", (Y, "required: true}"), "required: true, enum: [1, 2]}", (Y, "    enum: [open, sent, lost]\n"), "", "The clause itself is missing"),
    ("a value less", (Y, "[open, sent, lost]"), "[open, sent]", "names 'lost', which the contract's enum does not allow"),
    ("a value less, in brackets", CLAUSE, answered("clause", "enum: [open, sent, lost, held]"), "names 'held'"),
    ("a value more", (Y, "[open, sent, lost]"), "[open, sent, lost, held]", "does not name 'held'"),
    ("another unit", (Y, "    type: string\n    enum: [open, sent, lost]\n"), "    type: number\n    unit: kg\n", "contract's unit are different"),
    ("a placeholder for a unit", (Y, "    type: string\n    enum: [open, sent, lost]\n"), "    type: number\n    unit: unit\n", "a placeholder, not a unit"),
    ("a fault in the contract", (Y, "type: string"), "type: text", "The contract has a fault"),
    ("the lesson's contract under another name", "| state |", "| item_condition |", CLAUSE, answered("clause", "A, B, C"), (Y, YAML), LISTINGS, "These are the fields of contracts/listings.yaml"),
    ("nothing but comments", (Y, YAML), "# later\n", "Nothing is written here yet"),
    ("no version", (Y, "version: 1.0.0\n"), "", "key version is missing"),
]  # fmt: skip
