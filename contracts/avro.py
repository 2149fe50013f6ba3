"""A contract as an Avro schema: what a schema registry keeps of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from contracts.document import Contract, Field, as_plain

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
    fields = [avro_field(field, enums, (defaults or {}).get(field.name)) for field in contract.fields]
    return {"type": "record", "name": avro_name(contract.dataset), "fields": fields}


def avro_field(field: Field, enums: bool, default: str | None) -> Schema:
    """One field. NULL is allowed unless the contract forbids it, and then it is the default."""
    made: Schema = {"name": avro_name(field.name)}
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
