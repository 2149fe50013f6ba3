"""What a contract says: the model, and how a file becomes one, with every fault at its line.

    load(path), parse(text), from_mapping(mapping) -> Contract, or ContractError with all faults at once
    to_mapping(contract) -> dict, what the file would say
    lint(path) -> the faults, and those that only a lint minds

`yaml_text` makes plain data of a file, `values` reads one value. The rules live in the model alone, so that
files, plain data and Python say the same.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import pydantic
from pydantic import Field as clause

from contracts import values
from contracts.errors import ContractError, Fault
from contracts.values import MOST_FAULTS, Place, Scalar, Type, Value, at, found, named, plain, quoted, wrong
from contracts.yaml_text import DEEPEST, MOST_BYTES, MOST_NODES, Node, data_of, read

# ---- what a key holds: its Python type, its reader, and what an editor is told -------------------------------

Plain, Schema = pydantic.PlainValidator, pydantic.WithJsonSchema
STRING = {"type": "string", "minLength": 1}
LIST = {"type": "array", "items": {"type": ["string", "number", "boolean"]}, "minItems": 1, "uniqueItems": True}
MAPPING = {"type": "object", "additionalProperties": STRING, "minProperties": 1}
TEAMS = {"type": "array", "items": STRING, "uniqueItems": True}


def form(pattern: str) -> pydantic.WithJsonSchema:
    """Text of that form."""
    return Schema({"type": "string", "pattern": f"^{pattern}$"})


Text = Annotated[str, Plain(values.words), Schema(STRING)]
Meaning = Annotated[str, Plain(values.meaning), Schema(STRING)]
Flag = Annotated[bool, Plain(values.flag), Schema({"type": "boolean"})]
Count = Annotated[int, Plain(values.count), Schema({"type": "integer", "minimum": 0})]
Date = Annotated[dt.date, Plain(values.date), form(values.DATE)]
Duration = Annotated[dt.timedelta, Plain(values.duration), form(values.DURATION)]
Version = Annotated[str, Plain(values.version), form(values.VERSION)]
Zone = Annotated[str, Plain(values.zone), Schema(STRING)]
Enum = Annotated[tuple[Value, ...], Plain(values.enum), Schema({"anyOf": [LIST, MAPPING]})]
Meanings = Annotated[tuple[tuple[Value, str], ...], Plain(values.meanings), Schema({})]
Bound = Annotated[Value, Plain(values.bound), Schema({"type": ["number", "string"]})]
Rate = Annotated[float, Plain(values.null_rate), Schema({"type": "number", "minimum": 0, "maximum": 1})]
Pattern = Annotated[str, Plain(values.pattern), Schema({"type": "string"})]
Teams = Annotated[tuple[str, ...], Plain(values.teams), Schema(TEAMS)]
TypeName = Annotated[Type, pydantic.BeforeValidator(values.type_name)]
Option = pydantic.BeforeValidator(values.option)


# ---- the model -----------------------------------------------------------------------------------------------


def as_written(schema: dict[str, Any]) -> None:
    """Make pydantic's schema of the model one of the file: no null, no key that the file has not."""
    schema["properties"].pop("meanings", None)
    for name, key in schema["properties"].items():
        key.pop("title", None)
        if key.get("default", ...) is None:
            del key["default"]
        if options := [option for option in key.get("anyOf", []) if option != {"type": "null"}]:
            del key["anyOf"]
            key.update(options[0] if len(options) == 1 else {"anyOf": options})
        schema["properties"][name] = dict(sorted(key.items()))


def entry(part: Any, name: str) -> Any:
    """One entry of a mapping that nobody has checked yet, or of a part that is already built."""
    return part.get(name) if isinstance(part, dict) else getattr(part, name, None)


class Part(pydantic.BaseModel):
    """One mapping of the document. Frozen; every fault in it is reported, not only the first."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid", json_schema_extra=as_written)

    @classmethod
    def _across(cls, data: dict[Any, Any]) -> Iterator[tuple[Place, str]]:
        """Faults that concern more than one key."""
        return iter(())

    @pydantic.model_validator(mode="wrap")
    @classmethod
    def _every_fault(cls, data: Any, handler: pydantic.ModelWrapValidatorHandler[Self]) -> Self:
        """The part, or all its faults: pydantic alone would leave out what `_across` finds where a key is wrong."""
        if isinstance(data, cls):
            return data
        keys = [name for name in cls.model_fields if name != "meanings"]
        if not isinstance(data, dict):
            raise wrong(f"{found(data)}, but a mapping belongs here; write it with the keys {', '.join(keys)}")
        faults = [at(place, wrong(says)) for place, says in cls._across(data)]
        known = {name: value for name, value in data.items() if name in keys}
        if isinstance(data.get("meanings"), tuple):  # from Python; a file says it in the enum
            known["meanings"] = data["meanings"]
        strange = [(place, name) for place, name in enumerate(data) if name not in known]
        faults += [at((place,), values.unknown_key(name, keys)) for place, name in strange[:MOST_FAULTS]]
        if isinstance(data.get("enum"), dict) and "meanings" in cls.model_fields:
            known["meanings"] = data["enum"]
        try:
            part = handler(known)
        except pydantic.ValidationError as error:
            for each in error.errors(include_url=False, include_input=False):
                fault = wrong(each["msg"], each["type"])
                if each["type"] == "missing":
                    name = str(each["loc"][-1])
                    example = (cls.model_fields[name].examples or [""])[0]
                    fault = wrong(f"the key {name} is missing; write it, for example {name}: {example}")
                faults.append(at(each["loc"], fault))
        if faults:
            raise pydantic.ValidationError.from_exception_data(cls.__name__, faults)
        return part


class Deprecated(Part):
    """A field that will go."""

    announced: Date = clause(description="The day the consumers were told.", examples=["2026-08-19"])
    replaced_by: Text | None = clause(default=None, description="The field to read instead.")


class Field(Part):
    """A column that the contract speaks about."""

    name: Text = clause(description="The column's name, exactly.", examples=["item_condition"])
    type: TypeName = clause(description="The type of every value that is not NULL.", examples=["string"])
    enum: Enum | None = clause(default=None, description="The allowed values: a list, or a mapping value: meaning.")
    meanings: Meanings = ()
    meaning: Meaning | None = clause(default=None, description="What a value says about the thing it describes.")
    unit: Text | None = clause(default=None, description="The unit of the values, as EUR_cents.")
    required: Flag = clause(default=False, description="Whether NULL is forbidden.")
    max_null_rate: Rate | None = clause(default=None, description="The largest share of NULL, from 0 to 1.")
    min: Bound | None = clause(default=None, description="The least number, date or timestamp.")
    max: Bound | None = clause(default=None, description="The greatest number, date or timestamp.")
    pattern: Pattern | None = clause(default=None, description="A regular expression (RE2) for the whole string.")
    unique: Flag = clause(default=False, description="Whether no value may come twice.")
    deprecated: Deprecated | None = clause(default=None, description="Announces that the field will go.")


class Freshness(Part):
    """How old the newest row may be."""

    max_lag: Duration = clause(description="The greatest age: a whole number and s, m, h, d or w.", examples=["1h"])
    field: Text | None = clause(default=None, description="The date or timestamp field that tells the age.")
    timezone: Zone | None = clause(default=None, description="The zone of timestamps that name none, as UTC.")


class Volume(Part):
    """How many rows there may be."""

    min_rows: Count | None = clause(default=None, description="The least number of rows.")
    max_rows: Count | None = clause(default=None, description="The greatest number of rows.")

    @classmethod
    def _across(cls, data: dict[Any, Any]) -> Iterator[tuple[Place, str]]:
        if not data:
            yield (), "the volume is empty; write min_rows, max_rows or both, or take the entry out"
        least, most = plain(data.get("min_rows")), plain(data.get("max_rows"))
        if isinstance(least, int) and isinstance(most, int) and least > most >= 0:
            says = f"min_rows {named(least)} is above max_rows {named(most)}, so no table could ever pass"
            yield ("max_rows",), f"{says}; swap or correct them".replace("the integer ", "")


class Evolution(Part):
    """How the contract may change."""

    additive: Annotated[Literal["allowed", "forbidden"], Option] = clause(
        default="allowed", description="Whether columns that the contract does not name may appear."
    )
    breaking: Annotated[Literal["expand_and_contract", "forbidden", "allowed"], Option] = clause(
        default="expand_and_contract", description="How a breaking change may come."
    )
    notice: Duration | None = clause(default=None, description="The time between announcing a removal and doing it.")


class Contract(Part):
    """The agreement between the producer of a dataset and its consumers."""

    dataset: Text = clause(default="dataset", description="The table's name; the file's name if left out.")
    version: Version = clause(description="Three numbers: breaking, additive, repair.", examples=["1.0.0"])
    owner: Text = clause(description="The team that makes the data.", examples=["team-name"])
    consumers: Teams = clause(default=(), description="The teams that read the data.")
    freshness: Freshness | None = clause(default=None, description="How old the newest row may be.")
    volume: Volume | None = clause(default=None, description="How many rows there may be.")
    fields: Annotated[tuple[Field, ...], pydantic.BeforeValidator(values.some_fields)] = clause(
        description="The columns it speaks about.",
        json_schema_extra={"minItems": 1},
        examples=["[{name: id, type: string}]"],
    )
    evolution: Evolution = clause(default=Evolution.model_validate({}), description="How the contract may change.")

    _source: Path | None = pydantic.PrivateAttr(default=None)
    _lines: dict[tuple[str | None, str | None], int] = pydantic.PrivateAttr(default_factory=dict)

    @classmethod
    def _across(cls, data: dict[Any, Any]) -> Iterator[tuple[Place, str]]:
        items = data.get("fields")
        items = items if isinstance(items, list | tuple) else []
        types: dict[str, Any] = {}
        for place, item in enumerate(items):
            if not isinstance(name := entry(item, "name"), str):
                continue
            if name in types:
                yield ("fields", place, "name"), f"two fields are named {quoted(name)}; rename or remove one"
            else:
                types[name] = entry(item, "type")
        if not all(isinstance(entry(item, "name"), str) for item in items):
            return  # nobody knows which names there are
        for place, item in enumerate(items):
            successor = entry(entry(item, "deprecated"), "replaced_by")
            if isinstance(successor, str) and (successor not in types or successor == entry(item, "name")):
                says = f"replaced_by names {quoted(successor)}, but another field of this contract belongs here"
                yield ("fields", place, "deprecated", "replaced_by"), f"{says}; correct it, or take it out"
        told = entry(data.get("freshness"), "field")
        if isinstance(told, str) and told not in types:
            says = f"freshness.field names {quoted(told)}, but a field of this contract belongs here"
            yield ("freshness", "field"), f"{says}; correct it, or take it out"
        elif isinstance(told, str) and types[told] in ("string", "integer", "number", "boolean"):
            says = f"the field {quoted(told)} is of type {types[told]}, but freshness needs a date or timestamp"
            yield ("freshness", "field"), f"{says}; name another field, or take it out"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contract) and self.__dict__ == other.__dict__  # wherever each was written

    def __hash__(self) -> int:
        return hash((self.dataset, self.version, self.owner, self.fields))

    @property
    def source(self) -> Path | None:
        """The file that the contract was read from."""
        return self._source

    def field(self, name: str) -> Field | None:
        """The field of that name."""
        return next((field for field in self.fields if field.name == name), None)

    def line(self, field: str | None, clause: str) -> int | None:
        """The line of a field's clause, or of the contract's own (field None); of the field, if that says nothing."""
        if self._source is None:
            return None
        return self._lines.get((field, clause)) or self._lines.get((field, None)) or 1


# ---- from a file, from plain data, and back --------------------------------------------------------------------


def load(path: str | os.PathLike[str]) -> Contract:
    """The contract in a file. Raises ContractError; it is `unreadable` if there is no text to judge."""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except ValueError as error:  # a NUL in the path
        why = str(error)
    except OSError as error:
        why = "it is a directory" if os.path.isdir(path) else error.strerror or str(error)
        if re.match(r"\w\w+:/", str(path)):
            why = "it is an address, and a contract is a file"
    else:
        contract = parse(raw, source=path)
        if not os.path.isfile(path):
            contract._source = None  # a pipe can be read once
        return contract
    says = f"cannot read the file: {why}; give the path of a contract"
    raise ContractError((Fault(str(path), 1, 1, says),), unreadable=True)


def parse(text: str | bytes, *, source: str | os.PathLike[str] | None = None) -> Contract:
    """The contract that a text says. Raises ContractError with everything that is wrong in it."""
    path = "<contract>" if source is None else str(source)
    root, faults = read(text, path)
    data = data_of(root)
    if source is not None and isinstance(data, dict):
        stem = Path(source).stem.encode("utf-8", "replace").decode("utf-8")  # a file's name need not be UTF-8
        data.setdefault("dataset", re.sub(rf"-{values.VERSION}$", "", stem))
    contract = built(data, path, root, faults)
    if source is not None:
        contract._source = Path(source)
        contract._lines = dict(lines_of(root))
    return contract


def from_mapping(mapping: Mapping[str, Any]) -> Contract:
    """The contract that plain data says, such as yaml.safe_load gives. Raises ContractError with key paths."""
    return built(data_from(mapping, [MOST_NODES]), "<contract>")


NULL = Scalar("null", None)


def data_from(value: Any, budget: list[int], depth: int = 0) -> Any:
    """Plain Python data as it would come from a file; what contains itself, or has no end, is a ContractError."""
    budget[0] -= 1
    if depth > DEEPEST or budget[0] < 0:
        says = f"here are more than {DEEPEST} levels or {MOST_NODES:,} values, but a contract is short"
        raise ContractError((Fault("<contract>", 0, 0, says),))
    if isinstance(value, Mapping):
        return {NULL if key is None else key: data_from(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [data_from(item, budget, depth + 1) for item in value]
    return NULL if value is None else value


def built(data: Any, path: str, root: Node | None = None, faults: Iterable[Fault] = ()) -> Contract:
    """The contract that the data says, or ContractError with these faults and all others, in the order of the file."""
    told = list(faults)
    taken = {(fault.line, fault.column) for fault in told}  # what could not be read is no second mistake
    try:
        contract = Contract.model_validate(data, context=values.Budget())
    except pydantic.ValidationError as error:
        for each in error.errors(include_url=False, include_input=False):
            line, column = place_of(root, each["loc"]) if root else (0, 0)
            if (line, column) not in taken:
                says = each["msg"] if root else way_to(each["loc"], each["type"]) + each["msg"]
                told.append(Fault(path, line, column, says))
    if not told:
        return contract
    told.sort(key=lambda fault: (fault.line, fault.column))
    if len(told) > MOST_FAULTS:
        says = "there are more faults from here on; correct these first"
        told[MOST_FAULTS:] = [replace(told[MOST_FAULTS], message=says)]
    raise ContractError(tuple(told))


def place_of(root: Node, loc: Place) -> tuple[int, int]:
    """Line and column of what loc leads to, or of the last thing on the way that is there."""
    mark = node = root
    for part in loc:
        if isinstance(node.data, list) and isinstance(part, int):
            mark = node = node.data[part]
        elif isinstance(node.data, dict) and isinstance(part, int):  # a key, by its number
            key, node = list(node.data.values())[part]
            mark = node if "meanings" in loc else key
        elif isinstance(node.data, dict) and (pair := node.data.get("enum" if part == "meanings" else part)):
            mark = node = pair[1]
        else:
            break
    return mark.line, mark.column


def way_to(loc: Place, kind: str) -> str:
    """The keys that lead to a fault where there is no file, as in fields[0].enum[2]: ."""
    keys = loc[:-1] if kind == "unknown_key" else loc
    way = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")
    return f"{way.replace('meanings', 'enum')}: " if way else ""


def lines_of(root: Node) -> Iterator[tuple[tuple[str | None, str | None], int]]:
    """The line of each clause, by field and key; a field's own line has no key."""
    for key, (mark, _) in root.data.items():
        yield (None, key), mark.line
    for item in root.data["fields"][1].data:
        name = item.data["name"][1].data
        yield (name, None), item.line
        for key, (mark, _) in item.data.items():
            yield (name, key), mark.line


def to_mapping(part: Part) -> dict[str, Any]:
    """The contract as its file would say it: plain values, in the order of the model, without defaults."""
    mapping = {}
    for name, info in type(part).model_fields.items():
        value = getattr(part, name)
        if name == "meanings" or (name != "dataset" and not info.is_required() and value == info.default):
            continue
        if name == "enum" and isinstance(part, Field) and part.meanings:
            mapping[name] = {as_plain(allowed): meaning for allowed, meaning in part.meanings}
        else:
            mapping[name] = as_plain(value)
    return mapping


def as_plain(value: Any) -> Any:
    """One value as YAML and JSON have it."""
    match value:
        case Part():
            return to_mapping(value)
        case tuple():
            return [as_plain(item) for item in value]
        case dt.timedelta():
            return values.duration_text(value)
        case dt.date():
            return value.isoformat()
    return value


# ---- lint ----------------------------------------------------------------------------------------------------


def lint(path: str | os.PathLike[str]) -> tuple[Fault, ...]:
    """Everything wrong in a contract's file, and everything that a lint minds; () is a clean bill."""
    try:
        return concerns(load(path))
    except ContractError as error:
        return error.faults


def concerns(contract: Contract) -> tuple[Fault, ...]:
    """What a lint minds in a contract that is right in itself."""
    freshness = contract.freshness
    told = contract.field(freshness.field) if freshness and freshness.field else None
    if told is None or told.type != "timestamp" or freshness is None or freshness.timezone:
        return ()
    says = "naive timestamps cannot be aged without a zone; add timezone: UTC (or the producer's zone)"
    return (Fault(str(contract.source or "<contract>"), contract.line(None, "freshness") or 0, 1, says),)
