"""To dbt's schema.yml; from_dbt reads it.

A contract becomes a source with its tests: accepted_values, not_null, unique, and the freshness that only sources have.
What dbt's own tests cannot check is in `config.meta` under our names, where no test looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from contracts.document import Contract, Field, Freshness, as_plain, to_mapping
from contracts.forms import Exported, clauses, evolution, of_the_table
from contracts.forms.yaml_blocks import written
from contracts.quoting import identifier
from contracts.values import duration_text

TYPES = {
    "string": "varchar",
    "integer": "bigint",
    "number": "double",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
}
PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
TESTED = ("required", "unique", "enum")
FIELD_KEYS = ("unit", "max_null_rate", "min", "max", "pattern", "deprecated")  # what a column's meta holds of ours
PERIODS = {"d": "day", "h": "hour", "m": "minute"}


def export(contract: Contract) -> Exported:
    """The contract as a source in a schema.yml."""
    schema, _, name = contract.dataset.rpartition(".")
    table: dict[str, Any] = {"name": safe(name)}
    if safe(name) != name and is_sound(name):
        table |= {"identifier": text(name), "quoting": {"identifier": True}}
    own = to_mapping(contract)
    meta: dict[str, Any] = {
        key: own[key] for key in ("dataset", "version", "consumers", "volume", "freshness") if key in own
    }
    meta["evolution"] = evolution(contract)
    table["config"] = {"meta": {"owner": text(contract.owner)} | {key: unrendered(meta[key]) for key in meta}}
    if contract.freshness:
        table["config"] |= freshness(contract.freshness)
    table["columns"] = [declared(field) for field in contract.fields]
    source: dict[str, Any] = {"name": safe(schema or name)}
    if schema and safe(schema) != schema and is_sound(schema):
        source |= {"schema": text(schema), "quoting": {"schema": True}}
    return Exported(written({"version": 2, "sources": [{**source, "tables": [table]}]}), tuple(left_out(contract)))


def declared(field: Field) -> dict[str, Any]:
    """One column with its tests."""
    made: dict[str, Any] = {"name": text(field.name)}
    if not PLAIN.fullmatch(field.name):
        made["quote"] = True
    made["data_type"] = TYPES[field.type]
    if field.meaning:
        made["description"] = text(field.meaning)
    own = to_mapping(field)
    meta: dict[str, Any] = {key: own[key] for key in FIELD_KEYS if key in own}
    if not is_sound(field.name):
        meta |= {key: True for key in ("required", "unique") if own.get(key)}
    if field.enum is not None and not is_tested(field):
        meta["enum"] = [as_plain(value) for value in field.enum]
    if field.meanings:
        meta["meanings"] = [{"value": as_plain(value), "meaning": says} for value, says in field.meanings]
    if meta:
        made["config"] = {"meta": {key: unrendered(value) for key, value in meta.items()}}
    tests: list[Any] = ["not_null"] * field.required + ["unique"] * field.unique
    if is_tested(field):
        tests.append({"accepted_values": {"arguments": accepted(field)}})
    if tests and is_sound(field.name):
        made["data_tests"] = tests
    return made


def is_tested(field: Field) -> bool:
    """Whether dbt's own test holds the domain: where a backslash is an escape, it could end the text that it is in."""
    if not is_sound(field.name):
        return False
    return field.enum is not None and not any("\\" in value for value in field.enum if isinstance(value, str))


def is_sound(name: str) -> bool:
    """Whether dbt can put a name into SQL: it puts quotes around it, and doubles none that is in it."""
    return not any(sign in name for sign in '"`\\')


def accepted(field: Field) -> dict[str, Any]:
    """The domain, as dbt puts it into SQL: in quotes, which it does not double, or bare."""
    values = [as_plain(value) for value in field.enum or ()]
    if field.type in ("integer", "number", "boolean"):
        return {"values": [unrendered(value) for value in values], "quote": False}
    return {"values": [text(str(value).replace("'", "''")) for value in values]}


def freshness(promised: Freshness) -> dict[str, Any]:
    """How old the newest row may be. dbt takes a time without a zone for UTC."""
    made: dict[str, Any] = {}
    if promised.field and is_sound(promised.field):
        made["loaded_at_field"] = text(
            promised.field if PLAIN.fullmatch(promised.field) else identifier(promised.field)
        )
    span = duration_text(promised.max_lag)
    if span[-1] in PERIODS:
        made["freshness"] = {"error_after": {"count": int(span[:-1]), "period": PERIODS[span[-1]]}}
    return made


def safe(name: str) -> str:
    """A name that dbt takes for a resource."""
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return word if re.match(r"[A-Za-z_]", word) else f"_{word}"


def text(said: str) -> str:
    """Text that dbt's templates leave as it is: where {{, {% or {# would begin one, it is itself a text in one."""
    return re.sub(r"\{[{%#]", lambda found: "{{ '" + found[0][0] + "' }}" + found[0][1], said)


def unrendered(value: Any) -> Any:
    """Data whose texts dbt's templates leave as they are."""
    if isinstance(value, dict):
        return {key: unrendered(item) for key, item in value.items()}
    if isinstance(value, list):
        return [unrendered(item) for item in value]
    if isinstance(value, int) and abs(value) >= 2**63:  # dbt stops at integers of more than 64 bits
        return str(value)
    return text(value) if isinstance(value, str) else value


def left_out(contract: Contract) -> Iterator[str]:
    """What dbt's own tests do not check, a sentence each."""
    if not is_sound(contract.dataset):
        yield "dataset: the name holds a quote or backslash, which dbt leaves as it is; name the table there yourself"
    for field in contract.fields:
        for clause in clauses(field):
            if clause in TESTED and not is_sound(field.name):
                yield f"{field.name}: {clause} is in meta alone: the name holds a quote or backslash, as dbt leaves it"
            elif clause not in TESTED:
                yield f"{field.name}: {clause} is in meta, and none of dbt's own tests checks it"
        if field.enum is not None and not is_tested(field) and is_sound(field.name):
            yield f"{field.name}: enum is in meta alone: a value holds a backslash, in many warehouses an escape"
        if "\0" in "".join(map(str, field.enum or ())):
            yield f"{field.name}: a value of the enum holds a NUL, which no SQL text can"
    for clause in of_the_table(contract):
        if clause != "freshness":
            yield f"{clause} is in meta, and none of dbt's own tests checks it"
    if contract.freshness:
        span = duration_text(contract.freshness.max_lag)
        if span[-1] not in PERIODS:
            yield f"freshness {span}: dbt knows no period below a minute, so it is in meta alone"
        if not contract.freshness.field:
            yield "freshness names no field: dbt asks the warehouse when the table was loaded, where the adapter can"
        elif not is_sound(contract.freshness.field):
            yield "freshness is in meta alone: the name of its field holds a quote or backslash"
        elif contract.freshness.timezone not in (None, "UTC"):
            yield f"freshness: dbt takes times without a zone for UTC, not for {contract.freshness.timezone}"
