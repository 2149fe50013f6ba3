"""The agreements, and what can be done with them without any data."""

from typing import TYPE_CHECKING, Any

from contracts.errors import ContractError, DataError

if TYPE_CHECKING:
    from contracts.document import Contract, Field, from_mapping, load, parse

__all__ = ["Contract", "ContractError", "DataError", "Field", "from_mapping", "load", "parse"]


def __getattr__(name: str) -> Any:
    """The rest of `__all__` when it is first asked for, so that the errors alone do not import pydantic."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from contracts import document

    return getattr(document, name)
