"""To Python: the class for a function's signature (see boundary.py)."""

from __future__ import annotations

import datetime as dt
import keyword
import unicodedata
from collections.abc import Iterator
from typing import Any

from contracts.document import Contract, Field
from contracts.errors import TELLTALE, printable
from contracts.forms import Exported, of_the_table

PYTHON = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "date": "date",
    "timestamp": "datetime",
}
WIDEST = 120  # characters of a line


def export(contract: Contract) -> Exported:
    """The contract as a Schema class; what the class does not check stays in the YAML that it is held to."""
    left = (f"{clause} stays in the YAML, and no Schema checks it" for clause in of_the_table(contract))
    return Exported(to_python(contract), tuple(left))


def to_python(contract: Contract) -> str:
    """The contract as a Schema class, to be saved beside it: the columns for the type checker, held to the YAML."""
    body = [line for field in contract.fields for line in column(field)]
    if not any(is_plain(field.name) for field in contract.fields):
        body.insert(0, "    __annotations__ = {}")
    text = "\n".join(body)
    typing = ["Annotated"] if "Annotated[" in text else []
    times = [name for name in ("date", "datetime") if any(PYTHON[field.type] == name for field in contract.fields)]
    boundary = ["Check"] * ("Check." in text) + ["Schema"]
    boundary += ["meaning"] * (" meaning(" in text) + ["unit"] * (" unit(" in text)
    imports = [f"from datetime import {', '.join(times)}"] * bool(times)
    imports += [f"from typing import {', '.join(typing)}"] * bool(typing)
    file = contract.source.name if contract.source else f"{contract.dataset}.yaml"
    says = f"# {contract.dataset} {contract.version} of {contract.owner}, held to the YAML when the class is created."
    return "\n".join(
        [
            printable(says),
            *imports,
            *[""] * bool(imports),
            f"from boundary import {', '.join(boundary)}",
            "",
            "",
            f"class {class_name(contract.dataset)}(Schema, contract={quoted(file)}):",
            *body,
            "",
        ]
    )


def column(field: Field) -> Iterator[str]:
    """The lines that declare one column."""
    kind = PYTHON[field.type] + (" | None" if not field.required else "")
    says = list(checks(field))
    annotation = f"Annotated[{', '.join([kind, *says])}]" if says else kind
    target = field.name if is_plain(field.name) else f"__annotations__[{quoted(field.name)}]"
    sign = ": " if is_plain(field.name) else " = "
    line = f"    {target}{sign}{annotation}"
    if len(line) <= WIDEST or not says:
        yield line
        return
    yield f"    {target}{sign}Annotated["
    yield from (f"        {part}," for part in [kind, *says])
    yield "    ]"


def checks(field: Field) -> Iterator[str]:
    """What stands beside the type in Annotated[...]."""
    if field.meanings:
        pairs = ", ".join(f"{literal(value)}: {quoted(says)}" for value, says in field.meanings)
        yield f"Check.isin({{{pairs}}})"
    elif field.enum is not None:
        yield f"Check.isin({', '.join(map(literal, field.enum))})"
    if field.min is not None:
        yield f"Check.ge({literal(field.min)})"
    if field.max is not None:
        yield f"Check.le({literal(field.max)})"
    if field.pattern is not None:
        yield f"Check.pattern({quoted(field.pattern)})"
    if field.unique:
        yield "Check.unique()"
    if field.unit is not None:
        yield f"unit({quoted(field.unit)})"
    if field.meaning is not None:
        yield f"meaning({quoted(field.meaning)})"


def literal(value: Any) -> str:
    """A value as Python writes it."""
    if isinstance(value, dt.date):
        kind = "datetime" if isinstance(value, dt.datetime) else "date"
        return f"{kind}.fromisoformat({quoted(value.isoformat())})"
    return quoted(value) if isinstance(value, str) else repr(value)


def quoted(text: str) -> str:
    """Text in double quotes, on one line."""
    seen = "".join(c if c.isprintable() and c not in '"\\' else escaped(c) for c in text)
    return f'"{TELLTALE.sub(lambda one: escaped(one[0]), seen)}"'


def escaped(character: str) -> str:
    if character.isascii() and character.isprintable() and character not in '"\\':
        return f"\\x{ord(character):02x}"
    return '\\"' if character == '"' else character.encode("unicode_escape").decode()


def is_plain(name: str) -> bool:
    """Whether a class body can declare a name as it is: Python changes __x, and letters such as the ligature fi."""
    is_mangled = name.startswith("__") and not name.endswith("__")
    is_word = name.isidentifier() and not keyword.iskeyword(name) and name != "__annotations__"
    return is_word and not is_mangled and unicodedata.normalize("NFKC", name) == name


def class_name(dataset: str) -> str:
    """listings becomes Listings, order_lines becomes OrderLines."""
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in dataset).split()
    name = "".join(word[:1].upper() + word[1:] for word in words) or "Table"
    taken = {"Schema", "Check", "Annotated"}
    return f"Table{name}" if name[0].isdigit() or keyword.iskeyword(name) or name in taken else name
