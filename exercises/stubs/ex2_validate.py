"""Exercise 2, second half: validate(rows, contract), with its four kinds of violation.

Your job: fill the gaps, each marked `...`. Plain Python, no library.

Given: rows, a list of dicts, column name to value; contract, a dict as YAML gives it, such as
    {"fields": [{"name": "grade", "type": "string", "required": True, "enum": ["A", "B"]},
                {"name": "pages", "type": "integer"}]}
A type is string, integer, number or boolean. `required` and `enum` may be left out, which means: not promised.

Return: a list of violations, one for each promise that is broken; [] where all are kept. A violation is a dict, or an
object with the same attributes:
    rule      "missing", "required", "type" or "enum"
    field     the column's name
    failing   how many rows break it
    values    for enum: the offending values with their counts, such as {"good": 2}

What counts as what:
    missing    no row has the column. That is all that can be said of the field.
    required   the value is not there: None, NaN, or this row lacks the key. '' and 0 and False are values.
    type       the value is there, but not of the type. True is no integer, '1' is no integer, 1.0 is no integer;
               a number is an integer or a float.
    enum       the value is there and of the type, but not in the list.

    >>> validate([{"grade": "A"}, {"grade": "good"}, {"grade": None}], contract)
    [{'rule': 'required', 'field': 'grade', 'failing': 1},
     {'rule': 'enum', 'field': 'grade', 'failing': 1, 'values': {'good': 1}},
     {'rule': 'missing', 'field': 'pages', 'failing': 3}]

Check: `python -m exercises`. Its cases stand in exercises/checks/validating.py.
"""


def is_missing(value):
    """Whether the value is not there: None or NaN. (NaN is the one value that is not equal to itself.)"""
    ...


def has_type(value, type_name):
    """Whether a value that is there has the type: string, integer, number or boolean."""
    if type_name == "string":
        return isinstance(value, str)
    ...


def validate(rows, contract):
    found = []
    for field in contract["fields"]:
        name = field["name"]
        if rows and not any(name in row for row in rows):  # the first kind: a whole example
            found.append({"rule": "missing", "field": name, "failing": len(rows)})
            continue
        values = [row.get(name) for row in rows]
        ...  # the other three kinds
    return found
