"""Exercise 5: a right answer, and edits of it. WRONG: (idea, old text, new text, a piece of its own message)."""

# ruff: noqa: E501  # an edit and its message share a line

import seed

HISTORY = seed.ROOT / "contracts" / "history"
MINOR = "dataset: listings\n" + (HISTORY / "listings-1.5.0.yaml").read_text(encoding="utf-8")
MAJOR = "dataset: listings\n" + (HISTORY / "listings-2.0.0.yaml").read_text(encoding="utf-8")

# The two contracts differ, so an edit of both names the file: ("ex5_expand.yaml", old text).
EXPAND, CONTRACT = "ex5_expand.yaml", "ex5_contract.yaml"

ANSWER = {
    EXPAND: MINOR,
    CONTRACT: MAJOR,
    "ex5_migration.py": """
GRADES = {"A": "excellent", "B": "good", "C": "fair"}
PERCENT = {"excellent": 100, "good": 90, "fair": 80}


def expand(row):
    return row | {"condition_grade": GRADES[row["item_condition"]]}


def charged_cents(row):
    return row["price_cents"] * PERCENT[row["condition_grade"]] // 100


def contract(row):
    return {name: value for name, value in row.items() if name != "item_condition"}
""",
}

WIDER = 'return row | {"condition_grade": GRADES[row["item_condition"]]}'
PRICE = 'return row["price_cents"] * PERCENT[row["condition_grade"]] // 100'
NARROWER = 'return {name: value for name, value in row.items() if name != "item_condition"}'
ANNOUNCED = "    deprecated: {announced: 2026-09-01, replaced_by: condition_grade}\n"
OLD = MINOR[MINOR.index("  - name: item_condition") : MINOR.index("  - name: condition_grade")]
NEW = MINOR[MINOR.index("  - name: condition_grade") : MINOR.index("  - name: price_cents")]
ENUM = "enum: {excellent: as new, good: light wear, fair: visible wear}"
REQUIRED = "    meaning: Grader's condition grade, assigned at intake.\n    required: true\n"

RIGHT = [
    ("announced on another day", (EXPAND, "2026-09-01"), "2027-01-15"),
    ("the enum as a list", (EXPAND, ENUM), "enum: [fair, good, excellent]"),
    ("the new field at the end", (EXPAND, NEW), "", (EXPAND, "evolution:"), NEW + "evolution:"),
    ("other words for the new field", (EXPAND, "Grader's condition grade, assigned at intake."), "In words.", (CONTRACT, "Grader's condition grade, assigned at intake."), "In words."),
    ("a ValueError of one's own", WIDER, "if row['item_condition'] not in GRADES:\n        raise ValueError('what is that?')\n    " + WIDER),
    ("an assertion", PRICE, "assert row['condition_grade'] in PERCENT\n    " + PRICE),
    ("match", WIDER, "match row['item_condition']:\n        case 'A' | 'B' | 'C' as code:\n            return dict(row, condition_grade=GRADES[code])\n        case _:\n            raise LookupError"),
    ("a price as a whole float", PRICE, 'return round(row["price_cents"] * PERCENT[row["condition_grade"]] / 100, 6)'),
    ("a copy, then pop", NARROWER, "row = dict(row)\n    row.pop('item_condition')\n    return row"),
    ("columns in another order", WIDER, 'return {"condition_grade": GRADES[row["item_condition"]], **row}'),
]  # fmt: skip

WRONG = [
    ("drops the old column in the minor version", (EXPAND, OLD), "", "expanding adds, it does not rename"),
    ("re-codes in place", (EXPAND, "enum: [A, B, C]"), "enum: [excellent, good, fair]", "PR #4471 once more"),
    ("lets the old field take the new words too", (EXPAND, "enum: [A, B, C]"), "enum: [A, B, C, excellent, good, fair]", "keeps its values"),
    ("no new field", (EXPAND, NEW), "", (EXPAND, ANNOUNCED), "", "condition_grade is not there yet"),
    ("announces a field that is not there", (EXPAND, NEW), "", "replaced_by names 'condition_grade'"),
    ("the wording of a meaning changes between the two", (CONTRACT, "Grader's condition grade, assigned at intake."), "In words.", "Another promise is broken"),
    ("the new field has no enum", (EXPAND, f"    {ENUM}\n"), "", "the next re-coding passes"),
    ("the new field takes letters", (EXPAND, ENUM), "enum: [A, B, C]", "letters are the old field's values"),
    ("the new field takes both", (EXPAND, ENUM), "enum: [A, B, C, excellent, good, fair]", "letters are the old field's values"),
    ("a word is missing", (EXPAND, ENUM), "enum: [excellent, good]", "three words of the release"),
    ("the new field may be NULL", (EXPAND, REQUIRED), REQUIRED.replace("    required: true\n", ""), "loses a promise"),
    ("nothing is announced", (EXPAND, ANNOUNCED), "", "Nobody is told"),
    ("nowhere to move", (EXPAND, ", replaced_by: condition_grade"), "", "where to move"),
    ("replaced by another", (EXPAND, "replaced_by: condition_grade"), "replaced_by: category", "where to move"),
    ("2.0.0 at once", (EXPAND, "version: 1.5.0"), "version: 2.0.0", "would say that something is gone"),
    ("1.4.1", (EXPAND, "version: 1.5.0"), "version: 1.4.1", "a new field makes 1.5.0"),
    ("1.4.0 still", (EXPAND, "version: 1.5.0"), "version: 1.4.0", "a new field makes 1.5.0"),
    ("another field is lost", (EXPAND, "  - name: brand\n    type: string\n    meaning: The label in the piece, as the seller gave it.\n    required: true\n"), "", "Another promise is broken"),
    ("another promise is looser", (EXPAND, "max: 100000"), "max: 200000", "Another promise is broken"),
    ("the unit is lost", (EXPAND, "    unit: EUR_cents\n"), "", "Another promise is broken"),
    ("the old field may be NULL now", (EXPAND, "C = visible wear.\n    required: true\n"), "C = visible wear.\n", "The step is rejected"),
    ("a team is forgotten", (EXPAND, "[data-platform, pricing-service, finance-reporting]"), "[data-platform, pricing-service]", "would no longer be told"),
    ("the notice is dropped", (EXPAND, ", notice: 14d"), "", "notice was 14d"),
    ("no new columns any more", (EXPAND, "additive: allowed"), "additive: forbidden", "evolution clause"),
    ("a promise that the rows do not keep", (EXPAND, "min: 100\n"), "min: 5000\n", (CONTRACT, "min: 100\n"), "min: 5000\n", "gives break listings 1.5.0", ),
    ("another dataset", (EXPAND, "dataset: listings"), "dataset: listings_v2", "same table"),
    ("the old field is still there in 2.0.0", (CONTRACT, NEW), OLD.replace(ANNOUNCED, "") + NEW, "still promised"),
    ("1.6.0 for the removal", (CONTRACT, "version: 2.0.0"), "version: 1.6.0", "a major step"),
    ("both are gone", (CONTRACT, NEW), "", "gone as well"),
    ("the new field loses its enum in 2.0.0", (CONTRACT, f"    {ENUM}\n"), "", "the next re-coding passes"),
    ("another field goes along", (CONTRACT, "  - name: size\n    type: string\n    enum: [XS, S, M, L, XL]\n"), "", "Another promise is broken"),
    ("a team is forgotten in 2.0.0", (CONTRACT, "[data-platform, pricing-service, finance-reporting]"), "[pricing-service]", "would no longer be told"),
    ("renames in the row", WIDER, NARROWER.replace("}", "} | {'condition_grade': GRADES[row['item_condition']]}"), "that is a rename"),
    ("re-codes in the row", WIDER, "return row | {'item_condition': GRADES[row['item_condition']], 'condition_grade': GRADES[row['item_condition']]}", "into its ELSE"),
    ("the old code in the new column", WIDER, 'return row | {"condition_grade": row["item_condition"]}', "The grade of A is excellent"),
    ("capitals", WIDER, 'return row | {"condition_grade": GRADES[row["item_condition"]].title()}', "compared exactly"),
    ("the grades turned round", 'GRADES = {"A": "excellent", "B": "good", "C": "fair"}', 'GRADES = {"C": "excellent", "B": "good", "A": "fair"}', "The grade of A is excellent"),
    ("sorts the grades", 'GRADES = {"A": "excellent", "B": "good", "C": "fair"}', 'GRADES = dict(zip("ABC", sorted(["excellent", "good", "fair"])))', "Sorted by alphabet"),
    ("drops rows that it does not know", WIDER, "if row['item_condition'] not in GRADES:\n        return None\n    " + WIDER, "drops the row"),
    ("mutates its row", WIDER, "row['condition_grade'] = GRADES[row['item_condition']]\n    return row", "changes what it was given"),
    ("mutates its row, and gives nothing back", WIDER, "row['condition_grade'] = GRADES[row['item_condition']]", "a return missing"),
    ("only the columns that it knows", WIDER, "return {name: row[name] for name in ('listing_id', 'item_condition', 'price_cents')} | {'condition_grade': GRADES[row['item_condition']]}", "lost on the way"),
    ("another column more", WIDER, WIDER.replace("{", "{'graded_by': 'x', "), "Nobody asked for"),
    ("pairs for a row", WIDER, "return [*row.items(), ('condition_grade', GRADES[row['item_condition']])]", "A row belongs here"),
    ("changes another column", WIDER, WIDER.replace("{", "{'price_cents': 0, "), "price_cents has changed"),
    ("guesses fair", 'GRADES[row["item_condition"]]', 'GRADES.get(row["item_condition"], "fair")', "the silent ELSE once more"),
    ("leaves unknown grades empty", 'GRADES[row["item_condition"]]', 'GRADES.get(row["item_condition"])', "as if nothing were wrong"),
    ("upper() for unknown codes", 'GRADES[row["item_condition"]]', 'GRADES[str(row["item_condition"]).upper()]', "the silent ELSE once more"),
    ("the old column stays in 2.0.0's rows", NARROWER, "return dict(row)", "in 2.0.0 there is no such column"),
    ("the old column is emptied", NARROWER, "return row | {'item_condition': None}", "emptied or not"),
    ("del on what it was given", NARROWER, "del row['item_condition']\n    return row", "changes what it was given"),
    ("the new column goes too", NARROWER, NARROWER.replace('!= "item_condition"', 'not in ("item_condition", "condition_grade")'), "The new column is not there"),
    ("an ELSE of 80%", 'PERCENT[row["condition_grade"]]', 'PERCENT.get(row["condition_grade"], 80)', "this is the silent ELSE"),
    ("None for an unknown grade", PRICE, "if row['condition_grade'] not in PERCENT:\n        return None\n    " + PRICE, "passed on in silence"),
    ("0 for an unknown grade", 'PERCENT[row["condition_grade"]]', 'PERCENT.get(row["condition_grade"], 0)', "this is the silent ELSE"),
    ("small letters do as well", 'PERCENT[row["condition_grade"]]', 'PERCENT[row["condition_grade"].lower()]', "'Good' is no grade"),
    ("EUR", PRICE, PRICE.replace("// 100", "/ 10000"), "This is EUR"),
    ("still reads the old column", PRICE, "return row['price_cents'] * {'A': 100, 'B': 90, 'C': 80}[row['item_condition']] // 100", "KeyError: 'item_condition'"),
    ("the list price", PRICE, "PERCENT[row['condition_grade']]\n    return row['price_cents']", "This is the list price"),
    ("80% for good", '"good": 90', '"good": 80', "as in the ELSE"),
    ("the markdown", PRICE, "return row['price_cents'] * (100 - PERCENT[row['condition_grade']]) // 100", "This is the markdown"),
    ("percent of cents", PRICE, PRICE.replace(" // 100", ""), "divided by 100"),
    ("half price", '"good": 90', '"good": 50', "good costs 90% of the list price"),
    ("a cent is lost", PRICE, PRICE + " - 1 * (row['condition_grade'] == 'good')", "floats cannot hold 0.9"),
    ("a price in words", PRICE, "return f'about {row[\"price_cents\"]}'", "A number of cents"),
]  # fmt: skip
