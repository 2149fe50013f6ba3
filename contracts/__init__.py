"""The agreements, and what can be done with them without any data."""

TYPE_CHECKING = False  # as in typing, whose import takes a while: Ctrl-C is not heeded before contracts.ending's begin
if TYPE_CHECKING:
    from contracts.document import Contract, Field, from_mapping, load, parse
    from contracts.errors import ContractError, DataError

__all__ = ["Contract", "ContractError", "DataError", "Field", "from_mapping", "load", "parse"]


def __getattr__(name: str) -> object:
    """What `__all__` names when it is first asked for, so that the errors alone do not import pydantic."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from contracts import errors

    if name in ("ContractError", "DataError"):
        return getattr(errors, name)
    from contracts import document

    return getattr(document, name)
