"""Reading what somebody else has written: a file, its values, and its mappings key by key.

A `Taken` is one mapping of the other file. What nobody took of it is left out, and said.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.document import data_from
from contracts.errors import ContractError, Fault
from contracts.values import OTHER_NAMES, TYPES, Scalar, plain, short
from contracts.yaml_text import MOST_BYTES, MOST_NODES, data_of
from contracts.yaml_text import read as read_nodes

if TYPE_CHECKING:
    from contracts.forms.drafting import Draft


def unreadable(path: str, says: str, line: int = 1, column: int = 1) -> ContractError:
    """The error for a file of which nothing can be read."""
    return ContractError((Fault(path, line, column, says),), unreadable=True)


def read_bytes(path: str) -> bytes:
    """The bytes of a file, up to what a contract's own file may have. Raises ContractError."""
    try:
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except ValueError as error:  # a NUL in the path
        raise unreadable(path, f"cannot read the file: {error}; give the path of a file") from None
    except OSError as error:
        why = "it is a directory" if os.path.isdir(path) else error.strerror or str(error)
        raise unreadable(path, f"cannot read the file: {why}; give the path of a file") from None


def read_yaml(path: str) -> tuple[Any, list[str]]:
    """The plain data of a YAML file, a `Scalar` for each word that is no text, and what is wrong here and there.

    Raises ContractError where it is no YAML.
    """
    root, faults = read_nodes(read_bytes(path), path)
    return data_of(root), [f"line {fault.line}: {fault.message}" for fault in faults]


def read_json(path: str) -> Any:
    """The plain data of a JSON file. Raises ContractError where it is none."""
    raw = read_bytes(path)
    if len(raw) > MOST_BYTES:
        raise unreadable(
            path, f"the file has more than {MOST_BYTES:,} bytes, but a schema is short; is it the right one?"
        )
    try:
        data = json.loads(raw.decode("utf-8-sig"), parse_constant=lambda word: None)
        data_from(data, [MOST_NODES])
        return data
    except json.JSONDecodeError as error:
        says = f"this is not JSON: {short(error.msg)}; check commas, quotes and brackets"
        raise unreadable(path, says, error.lineno, error.colno) from None
    except UnicodeDecodeError:
        raise unreadable(path, "this is not UTF-8; save the file as UTF-8 (is it text at all?)") from None
    except (RecursionError, ContractError):
        raise unreadable(path, "the file is nested too deep, or too long, for a schema; is it the right one?") from None
    except ValueError as error:  # a number of more digits than Python reads
        raise unreadable(path, f"this is not JSON that can be read: {short(str(error))}") from None


def words(value: Any) -> str | None:
    """Text as it stands in the file, where there is some."""
    text = value.text if isinstance(value, Scalar) else value
    text = str(text) if isinstance(text, int | float) and not isinstance(text, bool) else text
    return text if isinstance(text, str) and text.strip() else None


def is_null(value: Any) -> bool:
    return plain(value) is None


def to_type(value: Any, type_: str) -> Any:
    """A value as the type has it; as it stands where it is none, for the draft to take out again."""
    bare = plain(value)
    if type_ in ("string", "date", "timestamp"):
        text = value.text if isinstance(value, Scalar) else value
        return str(text).lower() if isinstance(text, bool) else str(text) if isinstance(text, int | float) else text
    if type_ == "boolean":
        return {"true": True, "false": False}.get(str(bare).strip().lower(), bare)
    try:
        number = float(bare) if isinstance(bare, str | int | float) and not isinstance(bare, bool) else None
    except (ValueError, OverflowError):
        number = None
    if number is None or isinstance(bare, int):
        return bare
    if isinstance(bare, str) and re.fullmatch(r"[-+]?[0-9]{1,38}", bare.strip()):
        return int(bare)
    return int(number) if type_ == "integer" and number.is_integer() else number


def known_type(name: str | None) -> str | None:
    """The contract's type for the name of one: varchar(20), BIGINT, TIMESTAMP WITH TIME ZONE; None for others."""
    word = re.split(r"[(\s<]", (name or "").strip().lower())[0]
    others = {"nvarchar": "string", "character": "string", "uuid": "string", "tinyint": "integer", "hugeint": "integer"}
    others |= {"int2": "integer", "int4": "integer", "int8": "integer", "int32": "integer", "int64": "integer"}
    others |= {"float4": "number", "float8": "number", "float32": "number", "float64": "number", "bignumeric": "number"}
    others |= {"timestamp_ntz": "timestamp", "timestamp_ltz": "timestamp", "timestamp_tz": "timestamp"}
    others |= {"timestamps": "timestamp", "time": ""}
    return word if word in TYPES else {**OTHER_NAMES, **others}.get(word) or None


class Taken:
    """A mapping of the other file. where: the way to it, for what is said."""

    def __init__(self, draft: Draft, where: str, data: Any) -> None:
        self.draft, self.where = draft, where
        self.data: dict[Any, Any] = data if isinstance(data, dict) else {}
        self.taken: set[Any] = set()
        if not isinstance(data, dict | None):
            draft.leave(f"{where or 'the file'}: a mapping belongs here")

    def raw(self, key: str) -> Any:
        """What stands there, whatever it is; None for nothing and for null."""
        self.taken.add(key)
        value = self.data.get(key)
        return None if is_null(value) else value

    def odd(self, key: str, belongs: str) -> None:
        """Say that something else belongs there."""
        self.draft.leave(f"{self.way(key)}: {belongs} belongs here")

    def way(self, key: Any) -> str:
        """The keys that lead to one of its own, as in schema.properties."""
        word = key.text if isinstance(key, Scalar) else str(key)
        return f"{self.where}.{word}" if self.where else word

    def text(self, key: str) -> str | None:
        """The text that stands there; like all that follow, it says so where something else does."""
        value = self.raw(key)
        text = words(value)
        if value is not None and text is None and value != "":
            self.odd(key, "text")
        return text

    def flag(self, key: str) -> bool:
        """Whether true stands there."""
        value = plain(self.raw(key))
        if isinstance(value, str) and value.lower() in ("true", "false"):
            value = value.lower() == "true"
        if value is not None and not isinstance(value, bool):
            self.odd(key, "true or false")
        return value is True

    def number(self, key: str) -> int | float | None:
        """The number that stands there."""
        value = self.raw(key)
        found = to_type(value, "number")
        if value is not None and (isinstance(found, bool) or not isinstance(found, int | float)):
            self.odd(key, "a number")
            return None
        return found

    def items(self, key: str) -> list[Any]:
        """The list that stands there; [] where there is none."""
        value = self.raw(key)
        if value is not None and not isinstance(value, list):
            self.odd(key, "a list")
        return value if isinstance(value, list) else []

    def part(self, key: str) -> Taken:
        """The mapping that stands there; an empty one where there is none."""
        return Taken(self.draft, self.way(key), self.raw(key))

    def parts(self, key: str) -> Iterator[Taken]:
        """The mappings of the list that stands there."""
        for i, item in enumerate(self.items(key)):
            yield Taken(self.draft, f"{self.way(key)}[{i}]", item)

    def pass_over(self, *keys: str) -> None:
        """Keys that say nothing a contract would have to hold."""
        self.taken.update(keys)

    def close(self) -> None:
        """Say what nobody took."""
        for key, value in self.data.items():
            if key not in self.taken and not is_null(value) and plain(value) not in (False, "", [], {}):
                text = words(value)
                self.draft.leave(
                    f"{self.way(key)}{f' ({short(text)})' if text else ''}: a contract has no place for it"
                )

    def own(self, made: dict[str, Any], **others: str) -> None:
        """The clauses that stand there under our names, and those of other names."""
        for key in ("unit", "meaning", "pattern", "max_null_rate", "min", "max", "unique", "deprecated"):
            if key == "deprecated" and not isinstance(self.data.get(key), dict):
                continue
            value = self.raw(key)
            if value is not None and value is not False:
                made[key] = plainly(value)
        for theirs, ours in others.items():
            if (text := self.text(theirs)) is not None:
                made[ours] = text

    def meanings(self, made: dict[str, Any], domain: list[Any]) -> None:
        """The allowed values, with what each means where that stands beside them under our name."""
        if not domain:
            return
        said = {}
        for one in self.parts("meanings"):
            value, says = to_type(one.raw("value"), made["type"]), one.text("meaning")
            if isinstance(value, str | int | float) and says:
                said[type(value) is bool, value] = says
        keys = [(type(value) is bool, value) for value in domain if isinstance(value, str | int | float)]
        has_all = len(keys) == len(domain) and all(key in said for key in keys)
        made["enum"] = {value: said[type(value) is bool, value] for value in domain} if has_all else domain
        if said and not has_all:
            self.draft.leave(f"{made['name']}: the meanings, which are not of the same values as the enum")


def plainly(value: Any) -> Any:
    """Plain data, with numbers and booleans as YAML reads them, and dates as text."""
    if isinstance(value, dict):
        return {str(getattr(key, "text", key)): plainly(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plainly(item) for item in value]
    if isinstance(value, Scalar):
        return value.value if isinstance(value.value, bool | int | float) else value.text
    return value
