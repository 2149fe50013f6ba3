"""To and from Avro: a contract as the schema that a registry keeps of it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any

from contracts.document import Contract, Field, as_plain, to_mapping
from contracts.errors import json_text
from contracts.forms import Exported, Imported, clauses, evolution, of_the_table
from contracts.forms.drafting import Draft
from contracts.forms.taking import Taken, read_json, to_type

Schema = dict[str, Any]

TYPES: dict[str, Any] = {
    "string": "string",
    "integer": "long",
    "number": "double",
    "boolean": "boolean",
    "date": {"type": "int", "logicalType": "date"},
    "timestamp": {"type": "long", "logicalType": "timestamp-micros"},
}
NAME = r"[A-Za-z_][A-Za-z0-9_]*"


def schema(contract: Contract, *, enums: bool = False, defaults: Mapping[str, str] | None = None) -> Schema:
    """The record that Avro writes for one row.

    An enum of text is a string with its domain as a property, which no reader checks; with `enums` it is an Avro
    enum, if its values are Avro names. defaults: the symbol that an enum's reader takes for one it does not know.
    """
    record, taken, fields = avro_name(contract.dataset), set[str](), []
    for field in contract.fields:
        name = free_name(avro_name(field.name), taken)
        taken.add(name)
        fields.append(avro_field(field, name, enums, (defaults or {}).get(field.name)))
    return {"type": "record", "name": free_name(record, {f"{name}_enum" for name in taken}), "fields": fields}


def free_name(name: str, taken: set[str]) -> str:
    """The name, or one like it: two columns may come to one name where Avro allows few signs."""
    return next(other for n in itertools.count(1) if (other := name if n == 1 else f"{name}_{n}") not in taken)


def avro_field(field: Field, name: str, enums: bool, default: str | None) -> Schema:
    """One field. NULL is allowed unless the contract forbids it, and then it is the default."""
    made: Schema = {"name": name}
    kind = TYPES[field.type]
    if enums and can_be_enum(field):
        kind = {"type": "enum", "name": f"{made['name']}_enum", "symbols": list(field.enum or ())}
        if default is not None:
            kind["default"] = default
    made["type"] = kind if field.required else ["null", kind]
    if not field.required:
        made["default"] = None
    if field.meaning:
        made["doc"] = field.meaning
    if field.enum is not None:
        made["domain"] = as_plain(field.enum)
    if field.unit:
        made["unit"] = field.unit
    return made


def can_be_enum(field: Field) -> bool:
    """Whether every value is a name, as Avro asks of its symbols."""
    return field.type == "string" and all(re.fullmatch(NAME, str(value)) for value in field.enum or ("",))


def avro_name(name: str) -> str:
    """The name, with every sign that Avro does not allow written as its code."""
    safe = "".join(c if re.fullmatch(r"[A-Za-z0-9_]", c) else f"_{ord(c):x}_" for c in name)
    return safe if re.match(r"[A-Za-z_]", safe) else f"_{safe}"


# ---- as a file ----------------------------------------------------------------------------------------------------

OURS = ("min", "max", "pattern", "unique", "max_null_rate", "deprecated")  # properties of a field that Avro ignores
TABLE = ("dataset", "version", "owner", "consumers", "freshness", "volume")


def export(contract: Contract, enums: bool = False) -> Exported:
    """The schema as JSON, with every clause that Avro has no word for as a property, which its readers ignore."""
    made, own = schema(contract, enums=enums), to_mapping(contract)
    made["doc"] = f"One row of {contract.dataset} {contract.version}, as {contract.owner} promises it."
    made["contract"] = {key: own[key] for key in TABLE if key in own} | {"evolution": evolution(contract)}
    left, warnings = [], []
    for field, column in zip(contract.fields, made["fields"], strict=True):
        said = to_mapping(field)
        column |= {key: said[key] for key in OURS if key in said}
        if column["name"] != field.name:
            column["column"] = field.name
        if field.meanings:
            column["meanings"] = [{"value": as_plain(value), "meaning": says} for value, says in field.meanings]
        is_enum = enums and field.enum is not None and can_be_enum(field)
        if is_enum:
            trap = "a reader with a default takes it for every value that it does not know, and says nothing"
            warnings.append(f"{field.name}: leave this enum without a default: {trap}")
        left += [unchecked(field, clause, enums) for clause in clauses(field) if not (clause == "enum" and is_enum)]
    left = [says for says in left if says]
    left += [f"{clause} is a property, which no Avro reader checks" for clause in of_the_table(contract)]
    made["fields"] = made.pop("fields")  # last, as they are long
    text = json_text(made, ascii=False)
    return Exported(f"{text}\n", tuple(left), tuple(warnings))


def unchecked(field: Field, clause: str, enums: bool) -> str:
    """What Avro does not do about a clause."""
    if clause == "required":
        return ""
    if clause != "enum":
        return f"{field.name}: {clause} is a property, which no Avro reader checks"
    why = "its values are not all names, as Avro asks of an enum" if enums else "--enums makes an enum of it"
    why = "Avro's enums are of text" if field.type != "string" else why
    return f"{field.name}: the enum is the property domain, which no Avro reader checks; {why}"


PRIMITIVES = {
    "string": "string",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "boolean": "boolean",
}
LOGICAL = {
    "date": "date",
    "decimal": "number",
    "uuid": "string",
    "timestamp-millis": "timestamp",
    "timestamp-micros": "timestamp",
    "timestamp-nanos": "timestamp",
    "local-timestamp-millis": "timestamp",
    "local-timestamp-micros": "timestamp",
    "local-timestamp-nanos": "timestamp",
}


def read(path: str, named: str | None = None) -> Imported:
    """A draft from a record's schema. Raises ContractError where the file holds none."""
    draft = Draft(path, "an Avro schema")
    whole = read_json(path)
    records = [one for one in (whole if isinstance(whole, list) else [whole]) if is_record(one)]
    record = draft.chosen(records, lambda one: str(one.get("name")), named, "a record: {type: record, fields: [...]}")
    known: dict[str, Any] = {}
    for one in whole if isinstance(whole, list) else []:
        remember(one, known)
    top = Taken(draft, "", record)
    top.pass_over("type", "name")
    own = top.part("contract")
    if own.data:
        top.pass_over("doc")  # is ours
    draft.about(own, str(record.get("name")))
    for i, one in enumerate(top.items("fields")):
        field(draft, Taken(draft, f"fields[{i}]", one), known)
    own.close()
    top.close()
    return draft.imported()


def is_record(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "record" and isinstance(schema.get("fields"), list)


def field(draft: Draft, part: Taken, known: dict[str, Any]) -> None:
    """One field of a record as one of the contract."""
    name = part.text("column") or part.text("name")
    if part.data.get("name") != name:
        part.pass_over("name")
    branches = part.raw("type")
    branches = branches if isinstance(branches, list) else [branches]
    there = [one for one in branches if one != "null"]
    kind = there[0] if there else None
    remember(kind, known)
    if len(there) == 1 and isinstance(kind, str):
        kind = known.get(kind, kind)
    type_ = contract_type(kind)
    if name is None or len(there) != 1 or type_ is None:
        draft.leave(f"{part.where}: {name or 'a field without a name'} is no single plain type, and a contract is flat")
        return
    made = draft.field(name, type_)
    if made is None:
        return
    if isinstance(kind, dict) and kind.get("logicalType") == "uuid":
        draft.leave(f"{name}: that it is a UUID")
    if len(branches) == 1:
        made["required"] = True
    domain = part.items("domain")
    if isinstance(kind, dict) and kind.get("type") == "enum":
        symbols = kind.get("symbols")
        domain = symbols if isinstance(symbols, list) else []
        if kind.get("default") is not None:
            draft.leave(f"{name}: the enum's default, which a reader takes for every value that it does not know")
    part.meanings(made, [to_type(value, type_) for value in domain])
    part.own(made, doc="meaning")
    if part.data.get("default") is None:
        part.pass_over("default")
    part.close()


def remember(schema: Any, known: dict[str, Any]) -> None:
    """A named type may be meant by its name alone later on."""
    if isinstance(schema, dict) and isinstance(schema.get("name"), str):
        known[schema["name"]] = schema


def contract_type(schema: Any) -> str | None:
    """The contract's type for a schema; None for what is no single value."""
    if isinstance(schema, str):
        return PRIMITIVES.get(schema)
    if not isinstance(schema, dict):
        return None
    if isinstance(schema.get("logicalType"), str) and schema["logicalType"] in LOGICAL:
        return LOGICAL[schema["logicalType"]]
    inner = schema.get("type")
    if inner == "enum":
        return "string"
    return contract_type(inner) if not isinstance(inner, dict) or inner != schema else None
