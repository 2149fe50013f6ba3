"""What can go wrong: the contract is wrong, the data cannot be read, a table does not keep its schema."""

from __future__ import annotations

import json
import pickle
import re
import sys
from dataclasses import dataclass
from enum import Enum
from typing import Any

UNSEEN = re.compile(  # nothing is to be seen of it, though Python calls it printable; U+FE0F belongs to an emoji
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\U000e0100-\U000e01ef]"
    r"|(?<![\xa9\xae\u203c-\u3299\U0001f000-\U0001faff])[\ufe00-\ufe0f]"
)
# What is a command in the log of a build: ##[…] anywhere in a line, and :: at its start.
TELLTALE = re.compile(rf"{UNSEEN.pattern}|(?<=#)#(?=\w*\[)|^:(?=:)")

LONGEST = 1900  # characters of a message, whatever fails


def printable(text: str) -> str:
    """The text on one line: whatever would not show, would move the cursor, or would command a build, is escaped."""
    shown = "".join(c if c.isprintable() else code(c) for c in text)
    return TELLTALE.sub(lambda found: f"\\x{ord(c):02x}" if (c := found[0]).isascii() else code(c), shown)


def brief(text: str) -> str:
    """A sentence on one line that never fills a screen, whatever names and values it quotes.

    What goes is its middle: the beginning says where, the end what to do.
    """
    shown = printable(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 601]}…{shown[-600:]}"


def code(character: str) -> str:
    return character.encode("unicode_escape").decode()


def json_text(data: Any, *, indent: int = 2, ascii: bool = True, default: Any = None) -> str:
    """A JSON document, in which whatever would not show, or would command a build, is escaped as JSON does."""
    text = json.dumps(data, indent=indent, ensure_ascii=ascii, allow_nan=False, default=default)
    if not ascii:
        text = "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
        text = UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)
    return text.replace("##", r"#\u0023")


def unlinked(text: str) -> str:
    """A message of SARIF, whose viewers make a link of [words](address)."""
    return text.replace("](", r"\](")


def masked(text: str) -> str:
    """The text without the names, passwords and tokens that stand in addresses. ssh's `git@` is none.

    An address that was taken for a path has one slash left, as in https:/name:password@host.
    """
    text = re.sub(r"(?<=\w\w)(?<!ssh):(//?)[^/\s]*@", r":\1***@", text)
    text = re.sub(r"(ssh://?[^/\s:@]*):[^/\s]*@", r"\1:***@", text)
    text = re.sub(r"(?<=\w\w):(//?)[^/\s:@]+:(?!\d+(/|$))\S*@", r":\1***@", text)  # a password with a slash in it
    text = re.sub(r"\b(password|passwd|pwd)=[^&\s'\"]+", r"\1=***", text, flags=re.I)
    word = r"token|key|password|secret|signature|credential|\bsig\b"
    value = r"[^&\s'\"]{4,}?(?=:?([&\s'\"]|$))"
    return re.sub(rf"([?&][^=&\s]*(?:{word})[^=&\s]*=){value}", r"\1***", text, flags=re.I)


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a contract: where it is, and what to write instead."""

    path: str
    line: int
    column: int
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", masked(self.path))  # it may be an address, with a password
        object.__setattr__(self, "message", brief(masked(self.message)))

    def __str__(self) -> str:
        return f"{brief(self.path)}:{self.line}:{self.column}: {self.message}"


class ContractError(ValueError):
    """The contract document is wrong, and `faults` says all that is.

    `unreadable`: the file could not be opened, so there was nothing to judge.
    """

    def __init__(self, faults: tuple[Fault, ...], unreadable: bool = False) -> None:
        super().__init__(faults, unreadable)
        self.faults = faults
        self.unreadable = unreadable

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


class DataError(Exception):
    """The data could not be read: neither a violation nor a pass. What it says names no password."""

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        super().__init__(brief(masked(message)), path, line)
        self.path = path
        self.line = line

    def __str__(self) -> str:
        return str(self.args[0])


# --- a table at a function's signature -------------------------------------------------------------------------------


class ValidationPhase(Enum):
    """Where a table was held to its schema."""

    CAST = "cast"
    PARSE = "parse"
    CONTRACT_INPUT = "contract_input"
    CONTRACT_OUTPUT = "contract_output"


class ValidationError(Exception):
    """A table does not keep its schema. A subclass says in what way; the attributes say it to a program.

    schema: the class, or its name where the error has come from another process that does not know the class.
    phase: where it was found. function, parameter: the place, for a phase of @contract. detail: what is wrong.
    agreed: the contract that the schema is bound to, its version, owner and consumers. violations: one for each clause
    that is broken. original: the error that a check or an engine raised.
    """

    def __init__(
        self,
        detail: str,
        *,
        schema: Any,
        phase: ValidationPhase,
        agreed: str = "",
        violations: tuple[Any, ...] = (),
        original: BaseException | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.schema = schema
        self.phase = phase
        self.function: str | None = None  # this and the next two are set where a signature is crossed
        self.parameter: str | None = None
        self.item = ""  # in a container of tables, which one, as "[1]"
        self.agreed = agreed
        self.violations = violations
        self.original = original

    def __str__(self) -> str:
        name = printable(getattr(self.schema, "__name__", self.schema))
        if self.function is None:
            where = f"{name}.{self.phase.value}"
        elif self.phase is ValidationPhase.CONTRACT_OUTPUT:
            where = f"{self.function}(…){self.item} -> {name}"
        else:
            where = f"{self.function}({self.parameter}{self.item}=…): {name}"
        where = shortened(where, 300) + (f", {shortened(self.agreed, 500)}" if self.agreed else "")
        return shortened(f"{where}:{'' if self.detail[:1] == chr(10) else ' '}{self.detail}", LONGEST)

    def __reduce__(self) -> tuple[Any, ...]:
        state = self.__dict__ | {"original": portable(self.original)}
        if not is_importable(self.schema):
            state["schema"] = getattr(self.schema, "__name__", self.schema)
        return again, (type(self), state)

    def __copy__(self) -> ValidationError:
        return again(type(self), self.__dict__)

    def __deepcopy__(self, memo: dict[int, Any]) -> ValidationError:
        return again(type(self), self.__dict__)  # what it refers to never changes


class StructuralError(ValidationError, TypeError):
    """Columns are missing, too many or of another type, or this is no table at all."""


class CoercionError(ValidationError):
    """A value cannot become what the schema says without losing something: '5.7' is no int."""


class ConstraintError(ValidationError):
    """Values break a clause: NULL, enum, range, pattern, unique, or a check of the schema's own."""


class CheckExecutionError(ValidationError):
    """A check of the schema's own failed itself, so nobody knows whether the values keep it."""


def again(kind: type[ValidationError], state: dict[str, Any]) -> ValidationError:
    """An error of that kind, as it was."""
    error = kind.__new__(kind, state["detail"])
    error.__dict__.update(state)
    return error


def is_importable(schema: Any) -> bool:
    """Whether another process finds that class by its name."""
    found: Any = sys.modules.get(getattr(schema, "__module__", ""))
    for name in getattr(schema, "__qualname__", "").split("."):
        found = getattr(found, name, None)
    return found is schema


def portable(error: BaseException | None) -> BaseException | None:
    """The error, or one that says the same where it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def shortened(text: str, most: int) -> str:
    """The text, of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
