"""To and from JSON Schema (draft 7 and later): one row as a JSON object.

Dates and times are text. What a validator of one row cannot check (unique, max_null_rate, volume, freshness) is in
`x-contract` under our names, as an annotation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contracts.document import Contract, Field, as_plain, to_mapping
from contracts.errors import json_text
from contracts.forms import Exported, Imported, clauses, evolution, limits, of_the_table, regex
from contracts.forms.drafting import Draft
from contracts.forms.taking import Taken, read_json, unreadable

DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$(?!\n)"
CLOCK = r"[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?"
TIMESTAMP = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]{CLOCK}(Z|[+-][0-9]{{2}}:?[0-9]{{2}})?$(?!\n)"
NAIVE = rf"^[^Z+]{{11}}{CLOCK}$(?!\n)"
SHAPES: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date", "pattern": DATE},
    # RFC 3339, which date-time is, knows no time without a zone.
    "timestamp": {"type": "string", "pattern": TIMESTAMP, "anyOf": [{"format": "date-time"}, {"pattern": NAIVE}]},
}


def export(contract: Contract) -> Exported:
    """The contract as a schema of one row."""
    own = to_mapping(contract)
    carried: dict[str, Any] = {
        key: own[key] for key in ("dataset", "version", "owner", "consumers", "freshness", "volume") if key in own
    }
    carried["evolution"] = evolution(contract)
    document: dict[str, Any] = {  # without $schema, as every keyword means the same from draft 7 on
        "title": contract.dataset,
        "description": f"One row of {contract.dataset} {contract.version}, as {contract.owner} promises it.",
        "type": "object",
        "properties": {field.name: shape(field) for field in contract.fields},
    }
    required = [field.name for field in contract.fields if field.required]
    if required:
        document["required"] = required
    if contract.evolution.additive == "forbidden":
        document["additionalProperties"] = False
    document["x-contract"] = carried
    text = json_text(document, ascii=False)
    return Exported(f"{text}\n", tuple(left_out(contract)))


def shape(field: Field) -> dict[str, Any]:
    """What one value may be. NULL is null, or a key that is not there."""
    made = dict(SHAPES[field.type])
    if not field.required:
        made["type"] = [made["type"], "null"]
    if field.meaning:
        made["description"] = field.meaning
    if field.deprecated:
        made["deprecated"] = True
    if field.enum is not None:
        made["enum"] = [as_plain(value) for value in field.enum] + [None] * (not field.required)
    if field.type in ("integer", "number"):
        made |= {key: value for key, value in (("minimum", field.min), ("maximum", field.max)) if value is not None}
    own = to_mapping(field)
    kept = ["unit", "unique", "max_null_rate", "deprecated"]
    kept += ["min", "max"] if field.type in ("date", "timestamp") else []
    if field.pattern is not None:
        common = regex.portable(field.pattern)
        if common is not None:
            made["pattern"] = f"^{common}$(?!\\n)"  # in Python, $ alone would let a line end by
        if regex.from_search(made.get("pattern", ""))[0] != field.pattern:
            kept.append("pattern")
    carried = {key: own[key] for key in kept if key in own}
    if field.type in ("date", "timestamp"):
        carried["type"] = field.type
    if field.meanings:
        carried["meanings"] = [{"value": as_plain(value), "meaning": says} for value, says in field.meanings]
    if carried:
        made["x-contract"] = carried
    return made


def left_out(contract: Contract) -> Iterator[str]:
    """What a validator of one row does not check, or checks otherwise, a sentence each."""
    for field in contract.fields:
        for clause in clauses(field):
            if clause in ("unique", "max_null_rate"):
                yield f"{field.name}: {clause} is about all rows, and a schema sees one"
            elif clause in ("min", "max") and field.type in ("date", "timestamp"):
                yield f"{field.name}: {clause} of a {field.type} cannot be said, as a schema compares no texts"
            elif clause == "pattern" and regex.portable(str(field.pattern)) is None:
                yield f"{field.name}: the pattern is RE2's, and ECMA-262 has no form for it"
            elif clause == "enum" and field.type == "timestamp":
                yield f"{field.name}: enum compares texts, so the same moment spelled in another way is refused"
    integers = ", ".join(field.name for field in contract.fields if field.type == "integer")
    if integers:
        yield f"{integers}: a schema takes 1.0 for an integer, and the contract does not"
    for clause in of_the_table(contract):
        if clause != "additive: forbidden":
            yield f"{clause} is about all rows, and a schema sees one"


# ---- and back -----------------------------------------------------------------------------------------------------

TYPES = ("string", "integer", "number", "boolean")
FORMATS = {"date": "date", "date-time": "timestamp"}
DEEPEST = 20  # references that lead to references


def read(path: str, named: str | None = None) -> Imported:
    """A draft from the schema of a row, or of a list of rows. Raises ContractError where the file holds none."""
    document = read_json(path)
    draft = Draft(path, "a JSON Schema")
    rows = resolved(document, document)
    if rows.get("type") == "array" or ("items" in rows and "properties" not in rows):
        rows = resolved(rows.get("items"), document)
    if not isinstance(rows.get("properties"), dict):
        raise unreadable(
            path, "this is not the schema of a row: it has no properties; give another file, or another --from"
        )
    if named is not None and named != rows.get("title"):
        raise unreadable(path, f"there is one row here, and no table {named!r}; leave --table out")
    top = Taken(draft, "", rows)
    top.pass_over("$schema", "$id", "$defs", "definitions", "$comment", "type")
    own = top.part("x-contract")
    if own.data:
        top.pass_over("description")  # is ours
    draft.about(own, top.text("title"))
    required = [name for name in top.items("required") if isinstance(name, str)]
    if top.raw("additionalProperties") is False and "evolution" not in draft.top:
        draft.top["evolution"] = {"additive": "forbidden"}
    elif isinstance(top.raw("additionalProperties"), dict):
        draft.leave("additionalProperties: what other columns hold")
    top.pass_over("properties")
    for name, schema in rows["properties"].items():
        column(draft, Taken(draft, name, resolved(schema, document)), name in required)
    for name in required:
        if name not in rows["properties"]:
            draft.leave(f"{name}: required, but not described, so nobody knows its type")
    own.close()
    top.close()
    return draft.imported()


def resolved(schema: Any, document: Any) -> dict[str, Any]:
    """The schema with what its references within the file lead to; {} for one that says nothing."""
    for _ in range(DEEPEST):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        target = document
        for part in reference.removeprefix("#").split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, dict) else None
        schema = {**(target if isinstance(target, dict) else {}), **{k: v for k, v in schema.items() if k != "$ref"}}
    return {}


def column(draft: Draft, part: Taken, is_required: bool) -> None:
    """One property as one field."""
    own = part.part("x-contract")
    allows_null = nullable(part)
    type_ = type_of(part, own)
    if type_ is None:
        draft.leave(f"{part.where}: it is no single value of one type, and a contract is flat; the column is left out")
        return
    if not part.where.strip():
        draft.leave(f"{part.where!r}: a column without a name")
        return
    made = draft.field(part.where, type_)
    if made is None:
        return
    if is_required and not allows_null:
        made["required"] = True
    title = part.text("title")
    if (meaning := part.text("description") or title) is not None:
        made["meaning"] = meaning
    values = part.items("enum")
    if "const" in part.data:
        values = [part.raw("const")]
    if values:
        own.meanings(made, limits.domain(draft, made, [value for value in values if value is not None]))
    limits.bounds(draft, part, made)
    found = part.text("pattern")
    if type_ == "string":
        limits.pattern(draft, made, found)
    elif found not in (None, DATE, TIMESTAMP):
        draft.leave(f"{made['name']}: the pattern of a {type_}")
    if type_ == "timestamp" and part.data.get("anyOf") == SHAPES["timestamp"]["anyOf"]:
        part.pass_over("anyOf")
    limits.lengths(draft, part, made)
    own.own(made)
    part.pass_over("$comment", "$id", *["deprecated"] * ("deprecated" in made))
    own.close()
    part.close()


def nullable(part: Taken) -> bool:
    """Whether null is allowed; takes from anyOf or oneOf the one branch that is there beside it."""
    types = part.data.get("type")
    found = types == "null" or (isinstance(types, list) and "null" in types) or part.data.get("nullable") is True
    for key in ("anyOf", "oneOf"):
        branches = part.data.get(key)
        if isinstance(branches, list) and {"type": "null"} in branches:
            others = [branch for branch in branches if branch != {"type": "null"}]
            if len(others) == 1 and isinstance(others[0], dict):
                part.data = {**others[0], **{k: v for k, v in part.data.items() if k != key}}
                return True
    part.pass_over("nullable")
    values = part.data.get("enum")
    return found and not (isinstance(values, list) and None not in values)


def type_of(part: Taken, own: Taken) -> str | None:
    """The contract's type of a schema; None for what is no single value."""
    types, form = part.raw("type"), part.data.get("format")
    said = own.text("type")
    names = [name for name in (types if isinstance(types, list) else [types]) if name != "null"]
    if names == [None]:
        values = [value for value in [*part.items("enum"), part.raw("const")] if value is not None]
        kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
        names = sorted({kinds.get(type(value), "") for value in values})
    if sorted(map(str, names)) == ["integer", "number"]:
        names = ["number"]
    if len(names) != 1 or names[0] not in TYPES:
        return None
    if names[0] == "string":
        if said in ("date", "timestamp") or (isinstance(form, str) and form in FORMATS):
            part.pass_over("format")
            return said or FORMATS[str(form)]
        return "string"
    return str(names[0])
