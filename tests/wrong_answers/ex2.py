"""Exercise 2: a right answer, and edits of it. WRONG: (idea, old text, new text, a piece of its own message)."""

# ruff: noqa: E501  # an edit and its message share a line

import seed

LISTINGS = (seed.ROOT / "contracts" / "listings.yaml").read_text(encoding="utf-8")

ANSWER = {
    "ex2_listings.yaml": """
dataset: listings
version: 1.0.0
owner: team-marketplace-backend
consumers: [data-platform, pricing-service, finance-reporting]
fields:
  - name: listing_id
    type: integer
    required: true
  - name: item_condition
    type: string
    required: true
    enum: [A, B, C]
  - {name: brand, type: string, required: true}
  - name: price_cents
    type: integer
    required: true
    unit: EUR_cents
""",
    "ex2_validate.py": """
from collections import Counter

TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool}


def is_missing(value):
    return value is None or value != value


def has_type(value, type_name):
    if isinstance(value, bool):
        return type_name == "boolean"
    return isinstance(value, TYPES[type_name])


def validate(rows, contract):
    found = []
    for field in contract["fields"]:
        name = field["name"]
        if rows and not any(name in row for row in rows):
            found.append({"rule": "missing", "field": name, "failing": len(rows)})
            continue
        values = [row.get(name) for row in rows]
        there = [value for value in values if not is_missing(value)]
        typed = [value for value in there if has_type(value, field["type"])]
        outside = [value for value in typed if "enum" in field and value not in field["enum"]]
        if field.get("required") and len(there) < len(values):
            found.append({"rule": "required", "field": name, "failing": len(values) - len(there)})
        if len(typed) < len(there):
            found.append({"rule": "type", "field": name, "failing": len(there) - len(typed)})
        if outside:
            found.append({"rule": "enum", "field": name, "failing": len(outside), "values": dict(Counter(outside))})
    return found
""",
}

REFERENCE = {
    "ex2_listings.yaml": ANSWER["ex2_listings.yaml"],
    "ex2_validate.py": """
import validate as lesson


def validate(rows, contract):
    return lesson.validate(rows, {"version": "1.0.0", "owner": "shelf", **contract})
""",
}

MISSING = "return value is None or value != value"
TYPED = "return isinstance(value, TYPES[type_name])"
BOOL = 'if isinstance(value, bool):\n        return type_name == "boolean"\n    '
ENUM_OF = "outside = [value for value in typed if"
ALLOWED = 'value not in field["enum"]'
COLUMN = "if rows and not any(name in row for row in rows):"
VALUES = '"values": dict(Counter(outside))'
CONDITION = "    enum: [A, B, C]\n"

RIGHT = [
    ("a generator", "        if outside:\n", "        if outside:\n            pass\n        if outside:\n"),
    ("a tuple", "return found", "return tuple(found)"),
    ("a generator of violations", "return found", "return (violation for violation in reversed(found))"),
    ("objects", "return found", "from types import SimpleNamespace\n    return [SimpleNamespace(**{'values': None, **one}) for one in found]"),
    ("the lesson's own Violation", "return found", "from validate import Violation\n    return [Violation(one['rule'], one['field'], one['failing'], len(rows), 'x', values=tuple(one.get('values', {}).items())) for one in found]"),
    ("more than was asked", '"failing": len(outside)', '"failing": len(outside), "message": "my words", "checked": len(rows)'),
    ("values as pairs", VALUES, '"values": Counter(outside).most_common()'),
    ("values as JSON has them", VALUES, '"values": [{"value": v, "rows": n} for v, n in Counter(outside).items()]'),
    ("an enum for the rule", 'return found', "import enum\n    R = enum.Enum('R', {r: r for r in ('missing', 'required', 'type', 'enum')})\n    return [one | {'rule': R(one['rule'])} for one in found]"),
    ("numpy's counts", '"failing": len(rows)', '"failing": __import__("numpy").int64(len(rows))'),
    ("the enum as a set", ALLOWED, 'value not in set(field["enum"])'),
    ("math.isnan", MISSING, "import math\n    return value is None or isinstance(value, float) and math.isnan(value)"),
    ("the contract says more", "    unit: EUR_cents\n", "    unit: EUR_cents\n    min: 1\nvolume: {min_rows: 1}\n"),
    ("the volume of the whole table", "    unit: EUR_cents\n", "    unit: EUR_cents\nvolume: {min_rows: 6500, max_rows: 9500}\n"),
    ("the enum with its meanings", CONDITION, "    enum: {A: as new, B: light wear, C: visible wear}\n"),
    ("teams in another order", "[data-platform, pricing-service, finance-reporting]", "[finance-reporting, data-platform, pricing-service]"),
    ("the whole contract of the lesson", ANSWER["ex2_listings.yaml"].split("fields:")[1], LISTINGS.split("fields:")[1]),
]  # fmt: skip

WRONG = [
    ("two teams are not named", "[data-platform, pricing-service, finance-reporting]", "[data-platform]", "is not told"),
    ("no enum", CONDITION, "", "the clause that nobody wrote"),
    ("an enum that takes the new words too", "[A, B, C]", "[A, B, C, excellent, good, fair]", "lets the release through"),
    ("the enum of the release", "[A, B, C]", "[excellent, good, fair]", "three grades that the consumers' CASE knows"),
    ("an enum in small letters", "[A, B, C]", "[a, b, c]", "a is not A"),
    ("an enum one short", "[A, B, C]", "[A, B]", "three grades"),
    ("money as a number", "name: price_cents\n    type: integer", "name: price_cents\n    type: number", "floats cannot hold"),
    ("no unit", "    unit: EUR_cents\n", "", "Without a unit"),
    ("EUR", "unit: EUR_cents", "unit: EUR", "a factor of 100"),
    ("NULL allowed", "    required: true\n    enum", "    enum", "NULL is not forbidden"),
    ("NULL allowed in brand", "type: string, required: true", "type: string", "NULL is not forbidden"),
    ("a column in another case", "name: item_condition", "name: Item_Condition", "differs in case"),
    ("no brand", "  - {name: brand, type: string, required: true}\n", "", "nothing about the column brand"),
    ("a promise that 18 August does not keep", "unit: EUR_cents", "unit: EUR_cents\n    max: 100", "promises too much"),
    ("a contract that is no YAML", "fields:", "fields", "The contract has a fault"),
    ("a misspelt key", "    required: true\n    enum", "    require: true\n    enum", "did you mean required?"),
    ("bare truthiness for required", MISSING, "return not value or value != value", "`not value`"),
    ("'' is missing", MISSING, "return value is None or value == '' or value != value", "'' is a value"),
    ("== on NaN", MISSING, "return value is None or value == float('nan')", "NaN is not there"),
    ("None alone is missing", MISSING, "return value is None", "NaN is not there"),
    ("only missing columns", "        values = [", "        continue\n        values = [", "the other three kinds"),
    ("neither type nor enum", "        if len(typed)", "        continue\n        if len(typed)", "Neither type nor enum"),
    ("str() for missing", MISSING, "return str(value).lower() in ('none', 'nan', 'null')", "are texts like any other"),
    ("isinstance(True, int)", BOOL, "", "True is an int"),
    ("type() is int, and so numbers are no integers", TYPED, "return isinstance(value, {'string': str, 'integer': int, 'number': float}[type_name] if type_name != 'boolean' else bool)", "An integer is a number as well"),
    ("what could be converted", TYPED, "try:\n        return {'string': str, 'integer': int, 'number': float, 'boolean': bool}[type_name](value) is not None\n    except (TypeError, ValueError):\n        return False", "could be converted"),
    ("digits are an integer", TYPED, "return isinstance(value, TYPES[type_name]) or type_name == 'integer' and isinstance(value, str) and value.isdigit()", "'1' is text"),
    ("1.0 is an integer", TYPED, "return isinstance(value, TYPES[type_name]) or type_name == 'integer' and isinstance(value, float) and value.is_integer()", "1.0 is no integer"),
    ("0 and 1 are booleans", TYPED, "return isinstance(value, TYPES[type_name]) or type_name == 'boolean' and isinstance(value, int)", "only True and False"),
    ("type is not checked", BOOL + TYPED, "return True", "Type is not checked"),
    ("boolean and number are not checked", BOOL + TYPED, "if type_name in ('boolean', 'number'):\n        return True\n    " + BOOL + TYPED, "Only some types"),
    ("`in` on a string", ALLOWED, "str(value) not in ''.join(map(str, field[\"enum\"]))", "in a text"),
    ("`in` on the text of the list", ALLOWED, 'str(value) not in str(list(field["enum"]))', "the text that the list makes"),
    ("the case does not matter", ALLOWED, 'str(value).upper() not in [str(one).upper() for one in field["enum"]]', "a is not A"),
    ("blanks do not matter", ALLOWED, 'str(value).strip() not in [str(one) for one in field["enum"]]', "'A ' is not 'A'"),
    ("the enum is not looked at", "        if outside:\n", "        if False:\n", "The enum is not looked at"),
    ("enum of what is not there", ENUM_OF, "outside = [value for value in values if (is_missing(value) or has_type(value, field['type'])) and", "NULL is the business of required alone"),
    ("enum of the wrong type", ENUM_OF, "outside = [value for value in there if", "counted under enum too"),
    ("the lengths of sets", '"failing": len(outside)', '"failing": len(set(outside))', "counts distinct values"),
    ("distinct values everywhere", "values = [row.get(name) for row in rows]", "values = list({repr(row.get(name)): row.get(name) for row in rows}.values())", "a value that comes twice is counted once"),
    ("failing is always 1", "return found", "return [one | {'failing': 1} for one in found]", "failing counts rows"),
    ("the first row alone is looked at", "found = []", "found = []\n    rows = rows[:1]", "Only the first row is looked at"),
    ("the first row decides which columns there are", COLUMN, "if rows and name not in rows[0]:", "looks at the first row only"),
    ("every row must have the key", COLUMN, "if rows and not all(name in row for row in rows):", "missing when no row has it"),
    ("a column of NULL is missing", COLUMN, "if rows and all(is_missing(row.get(name)) for row in rows):", "business of required"),
    ("missing and required", "            continue\n", "            if not field.get('required'):\n                continue\n", "reported twice"),
    ("missing only where required", COLUMN, "if rows and not field.get('required') and not any(name in row for row in rows):\n            continue\n        " + COLUMN, "its column is promised all the same"),
    ("required everywhere", 'if field.get("required") and', "if", "NULL is allowed in it"),
    ("required by its key alone", 'if field.get("required") and', 'if "required" in field and', "NULL is allowed in it"),
    ("None is of the wrong type", "there = [value for value in values if not is_missing(value)]", "there = values", "counted as a value of the wrong type"),
    ("returns at the first violation", "return found", "return found[:1]", "stops at the first violation"),
    ("one kind hides another", "        if len(typed) < len(there):\n", "        elif len(typed) < len(there):\n", "one kind hide another"),
    ("one violation per row", "        if outside:\n            found.append({\"rule\": \"enum\", \"field\": name, \"failing\": len(outside), ", "        for _ in outside:\n            found.append({\"rule\": \"enum\", \"field\": name, \"failing\": 1, ", "comes more than once"),
    ("rows as a set", "found = []", "found = []\n    rows = [dict(row) for row in {repr(row): row for row in rows}.values()]", "alike are counted once"),
    ("all values for the offending", "dict(Counter(outside))", "dict(Counter(values))", "those outside the enum offend"),
    ("values without counts", "dict(Counter(outside))", "sorted(set(outside))", "each offending value with its count"),
    ("every value once", "dict(Counter(outside))", "{value: 1 for value in outside}", "their counts are not"),
    ("a value that nobody has", "dict(Counter(outside))", "{'x': 1}", "not the values that stand outside"),
    ("one row more", '"failing": len(outside)', '"failing": len(outside) + 1', "the numbers of rows are not"),
    ("a gap in a function of its own", MISSING, "...", "If you do not need the function, delete it"),
    ("no values", ', "values": dict(Counter(outside))', "", "has values"),
    ("mutates the rows", "found = []", "found = []\n    for row in rows:\n        row.setdefault('grade', None)", "changes what it was given"),
    ("takes fields out of the contract", "return found", "contract['fields'].clear()\n    return found", "changes what it was given"),
    ("a column that is not in the contract", "return found", "found += [{'rule': 'missing', 'field': n, 'failing': 1} for row in rows for n in row if n == 'new']\n    return found", "is not broken here"),
    ("the column of the lesson typed in", 'for field in contract["fields"]:', 'for field in [f for f in contract["fields"] if f["name"] in ("grade", "pages", "title", "price", "sold", "stars")]:', "expected  required of state"),
    ("crashes on no rows", "found = []", "found = []\n    rows[0]", "IndexError"),
    ("says kept or broken", "return found", "return not found", "A list of violations"),
    ("sentences for violations", "return found", "return [str(one) for one in found]", "A violation has a rule"),
    ("gives nothing back", "    return found\n", "", "a return missing"),
]  # fmt: skip
