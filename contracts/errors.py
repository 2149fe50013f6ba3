"""What can go wrong: the contract is wrong, the data cannot be read, a table does not keep its schema."""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass
from enum import Enum
from typing import Any


def printable(text: str) -> str:
    """The text on one line: whatever would not show, or would move the cursor, is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a contract: where it is, and what to write instead."""

    path: str
    line: int
    column: int
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", printable(self.message))

    def __str__(self) -> str:
        return f"{printable(self.path)}:{self.line}:{self.column}: {self.message}"


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
    """The data could not be read: neither a violation nor a pass."""

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message, path, line)
        self.path = path
        self.line = line

    def __str__(self) -> str:
        return str(self.args[0])


# --- a table at a function's signature -------------------------------------------------------------------------------

LONGEST = 1900  # characters of a message, whatever fails


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
        name: str = getattr(self.schema, "__name__", self.schema)
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
