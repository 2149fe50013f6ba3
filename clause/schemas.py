"""Schemas as classes, and tables that carry them.

A `Schema` declares columns. `DataFrame[S]` is an ibis table that was held to one: by `S.cast`, which looks at names and
types, or by `S.parse`, which looks at every value (see `parsing.py`). `boundary.py` tells the whole story.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast, get_origin

import ibis
import ibis.expr.operations as ops
import ibis.expr.types as ir
import pyarrow as pa
from ibis.expr.schema import Schema as TableSchema

import contracts
from clause import engines, frames
from clause.columns import Column, bound, column_of, disagreements, read_column, refine
from clause.judging import Violation, broken
from clause.reading import described, package_of
from clause.signatures import names_at
from contracts import Contract, ContractError
from contracts.document import to_mapping
from contracts.errors import Fault, StructuralError, ValidationError, ValidationPhase, printable
from contracts.values import nearest

S = TypeVar("S", bound="Schema")
SEEN = 256  # table schemas that a class remembers

# --- a table that carries its schema ----------------------------------------------------------------------------------

if TYPE_CHECKING:

    class DataFrame(ir.Table, Generic[S]):  # type: ignore[misc,unused-ignore]
        """An ibis table that was held to the schema S."""

        def __getattr__(self, key: str) -> Any:
            """A column: which ones there are, no type checker knows."""

else:

    class DataFrame(ir.Table):
        """An ibis table that was held to a schema: `DataFrame[S]` is a class of its own for each schema S."""

        __slots__ = ()
        __schema__ = None

        def __class_getitem__(cls, schema):
            if cls is not DataFrame or not (isinstance(schema, type) and issubclass(schema, Schema)):
                return types.GenericAlias(DataFrame, (schema,))
            if "_frame" not in vars(schema):
                namespace = {"__slots__": (), "__schema__": schema, "__module__": schema.__module__}
                schema._frame = type(f"DataFrame[{schema.__name__}]", (DataFrame,), namespace)
            return schema._frame

        def __reduce__(self):
            return typed, (type(self).__schema__, self.op())


def frame_of(schema: Any) -> Any:
    """DataFrame[schema], as a class."""
    return DataFrame if schema is None else DataFrame[schema]


def typed(schema: Any, op: Any) -> Any:
    """A table that was pickled, as it was."""
    return frame_of(schema)(op)


# --- a schema ---------------------------------------------------------------------------------------------------------


class Schema:
    """Base class of schemas: each annotation in a subclass is a column.

    contract: the YAML file that the columns are held to, beside the defining file or in `contracts/`; the class names
    the columns that its function reads, and other columns pass. extra: whether columns that the class does not name
    are an error ("forbid", the default without a contract) or pass ("allow").
    """

    _columns: ClassVar[dict[str, Column]] = {}
    _contract: ClassVar[Contract | None] = None  # the contract that the class is bound to
    _extra: ClassVar[str] = "forbid"
    _known: ClassVar[frozenset[str]] = frozenset()  # other columns that the contract names
    _fields: ClassVar[Contract | None] = None  # what the engine judges by
    _orders: ClassVar[dict[Any, tuple[str, ...] | None]] = {}

    def __init_subclass__(
        cls,
        *,
        contract: str | Path | Contract | None = None,
        extra: Literal["forbid", "allow"] | None = None,
        **rest: Any,
    ) -> None:
        super().__init_subclass__(**rest)
        frame = sys._getframe(1)
        while frame.f_code.co_name == "__init_subclass__" and frame.f_back:
            frame = frame.f_back
        if extra not in (None, "forbid", "allow"):
            raise TypeError(f"{cls.__name__}: extra={extra!r} is unknown; write 'forbid' or 'allow'")
        own = {column.name: column for column in own_columns(cls, frame)}
        cls._orders = {}
        cls._columns = columns = {}
        for parent in reversed(cls.__mro__[1:]):
            for column in vars(parent).get("_columns", {}).values():
                columns[column.name] = column
        if contract is not None:
            place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            agreed = contract if isinstance(contract, Contract) else contracts.load(found(contract, cls, frame))
            held = {name: refine(columns[name], column) if name in columns else column for name, column in own.items()}
            own = bind(cls, {**columns, **held}, agreed, place)
            cls._contract, cls._extra = agreed, "allow"
            cls._known = frozenset()
            if agreed.evolution.additive == "forbidden":
                cls._extra, cls._known = "forbid", frozenset(field.name for field in agreed.fields)
            columns.update(own)
        else:
            for name, column in own.items():
                columns[name] = refine(columns[name], column) if name in columns else column
        if extra is not None:
            cls._extra, cls._known = extra, frozenset()
        if columns:
            cls._fields = engine_contract(cls, f"{frame.f_code.co_filename}", frame.f_lineno)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{cls.__name__} describes tables and is never one; write {cls.__name__}.cast(table)")

    @classmethod
    def cast(cls: type[S], table: Any) -> DataFrame[S]:
        """The table as DataFrame[S] if its names and types are right, in the order of the class. Runs no query.

        table: an ibis table, or a pandas, polars or Arrow table or a DuckDB relation. Raises StructuralError with all
        that is missing, too much, or of another type.
        """
        if not isinstance(table, ir.Table):
            table = as_table(table, cls, ValidationPhase.CAST)
        op = table.op()
        try:
            order = cls._orders[op.schema]
        except KeyError:
            op = as_table(table, cls, ValidationPhase.CAST).op()
            order = cls._order(op.schema)
        if order is not None:  # what table.select(*order) makes, four times as fast
            op = ops.Project(op, {name: ops.Field(op, name) for name in order})
        return cast("DataFrame[S]", frame_of(cls)(op))

    @classmethod
    def parse(cls: type[S], table: Any) -> DataFrame[S]:
        """The table as DataFrame[S] if every value is right, each cast to the type of its column where need be.

        Casts never lose anything: '5.7' is no int. Raises StructuralError, CoercionError, ConstraintError or
        CheckExecutionError, with all failures at once. Runs one aggregate query, and one more where something fails.
        """
        from clause.parsing import parsed  # here, because it stands on this module

        return cast("DataFrame[S]", frame_of(cls)(parsed(cls, table).op()))

    @classmethod
    def to_contract(cls, *, version: str = "1.0.0", owner: str = "unknown") -> Contract:
        """The class as a contract. One that is bound to a contract gives that one, with the columns of the class.

        Raises TypeError for what a contract cannot say (a list column, a check of your own): nothing is left out.
        """
        return contract_of(cls, version, owner)

    @classmethod
    def _order(cls, schema: TableSchema) -> tuple[str, ...] | None:
        """The order that columns of that table are to be put in, None where it is right; StructuralError."""
        faults = list(misfits(cls, schema))
        if faults:
            raise failure(StructuralError, cls, ValidationPhase.CAST, faults)
        order = (*cls._columns, *(name for name in schema.names if name not in cls._columns))
        if len(cls._orders) >= SEEN:
            cls._orders.clear()
        cls._orders[schema] = None if order == schema.names else order
        return cls._orders[schema]


def own_columns(cls: type[Schema], frame: types.FrameType) -> Iterator[Column]:
    """The columns that a class itself declares."""
    names: Mapping[str, Any] | None = None
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if isinstance(annotation, str):
            names = names_at(frame) if names is None else names
            try:
                annotation = eval(annotation, {}, names)
            except Exception as error:
                raise TypeError(f"{cls.__name__}.{name}: {annotation!r} cannot be resolved ({error})") from None
        if annotation is ClassVar or get_origin(annotation) is ClassVar:
            continue
        if name in vars(cls):
            raise TypeError(f"{cls.__name__}.{name}: a column has a type and no value; take the value out")
        try:
            yield read_column(name, annotation)
        except TypeError as error:
            raise TypeError(f"{cls.__name__}.{error}") from None


PROJECT = (".git", "pyproject.toml")  # what the folder of a project has


def found(path: str | Path, cls: type, frame: types.FrameType) -> Path:
    """Where a contract is: absolute, beside the defining file or in `contracts/` there, or so in a folder above it.

    The folders above end with that of the project, which has a `.git` or a `pyproject.toml`. In a clone of the lesson,
    its own contracts come last, for notebooks, which are no files; where the code is installed, they are not looked at:
    a table of the same name is another table.
    """
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None) or frame.f_code.co_filename
    home = Path(contracts.__file__).resolve().parent.parent
    above = list(Path(file).resolve().parents) if Path(file).is_absolute() and Path(file).is_file() else []
    root = next((i for i, one in enumerate(above) if any((one / name).exists() for name in PROJECT)), 0)
    bases = [*above[: root + 1], *([home] if (home / "lesson.py").exists() else [])]
    places = [place for base in bases for place in (base / path, base / "contracts" / path)]
    for place in places:
        if os.path.isfile(place):  # not Path's: that raises where a name is too long
            return place
    looked = ", ".join(dict.fromkeys(str(place) for place in places))
    says = f"{cls.__name__} is bound to this contract, but there is none at {looked}"
    raise ContractError((Fault(str(path), 1, 1, says),), unreadable=True)


def bind(cls: type, columns: dict[str, Column], agreed: Contract, place: str) -> dict[str, Column]:
    """The columns with all that the contract says of them; ContractError, naming both places, where they disagree."""
    faults, held = [], {}
    source = str(agreed.source or f"contract {agreed.dataset}")
    for name, column in columns.items():
        at = f"{place}: {cls.__name__}.{name}"
        field = agreed.field(name)
        if field is None:
            names = ", ".join(field.name for field in agreed.fields)
            faults.append(Fault(source, 1, 1, f"{at}: the contract has no field {name!r}; it has {names}"))
            continue
        for clause, says in disagreements(column, field):
            cure = "" if clause == "required" else "; correct one"
            faults.append(Fault(source, agreed.line(name, clause) or 1, 1, f"{at}, {clause}: {says}{cure}"))
        held[name] = bound(column, field)
    if faults:
        raise ContractError(tuple(faults))
    return held


def engine_contract(cls: type[Schema], file: str, line: int) -> Contract:
    """The class as the engine judges by it: the clauses about its columns, and nothing about the table as a whole."""
    says: dict[str, Any] = {"dataset": cls.__name__, "version": "1.0.0", "owner": "unknown"}
    agreed = cls._contract
    if agreed is not None:
        says |= {"dataset": agreed.dataset, "version": agreed.version, "owner": agreed.owner}
        says["consumers"] = agreed.consumers
        if agreed.freshness and agreed.freshness.timezone:  # where naive timestamps were written
            says["freshness"] = {"max_lag": "1d", "timezone": agreed.freshness.timezone}
    says["fields"] = [column.field() for column in cls._columns.values()]
    try:
        return Contract.model_validate(says)
    except ValueError as error:
        found: list[dict[str, Any]] = getattr(error, "errors", list)()
        lines = [fault["msg"] for fault in found] or [str(error)]
        raise ContractError(tuple(Fault(file, line, 1, f"{cls.__name__}: {text}") for text in lines)) from None


# --- from and to a contract -------------------------------------------------------------------------------------------


def schema_from(agreed: Contract | str | Path | Mapping[str, Any]) -> type[Schema]:
    """The class that a contract describes, with all its fields; `to_contract` gives the contract back."""
    if not isinstance(agreed, Contract):
        agreed = contracts.from_mapping(agreed) if isinstance(agreed, Mapping) else contracts.load(agreed)
    words = "".join(c if c.isalnum() else " " for c in agreed.dataset).split()
    name = "".join(word[:1].upper() + word[1:] for word in words) or "Table"
    schema: Any = types.new_class(name, (Schema,), exec_body=lambda body: body.update({"__module__": __name__}))
    schema._columns = {field.name: column_of(field) for field in agreed.fields}
    schema._contract = agreed
    schema._extra = "forbid" if agreed.evolution.additive == "forbidden" else "allow"
    schema._fields = engine_contract(schema, str(agreed.source or agreed.dataset), 1)
    return schema


def contract_of(cls: type[Schema], version: str, owner: str) -> Contract:
    """What `to_contract` gives; version and owner are for a class that is bound to no contract."""
    unsaid = [f"{column.name}: {column.dtype}" for column in cls._columns.values() if column.type is None]
    for column in cls._columns.values():
        unsaid += [f"{column.name}: {check.name}" for check in column.split()[1]]
    if unsaid or cls._fields is None:
        says = ", ".join(unsaid) or "a table without columns"
        raise TypeError(f"{cls.__name__}.to_contract: no contract can say {says}")
    if cls._contract is None or not all(map(cls._contract.field, cls._columns)):
        evolution = {"additive": "forbidden" if cls._extra == "forbid" else "allowed"}
        own = {"dataset": cls.__name__, "version": version, "owner": owner, "evolution": evolution}
        return contracts.from_mapping(to_mapping(cls._fields) | own)
    update: dict[str, Any] = {"fields": cls._fields.fields}
    freshness = cls._contract.freshness
    if freshness and freshness.field and freshness.field not in cls._columns:
        update["freshness"] = None
    return cls._contract.model_copy(update=update)


# --- structure --------------------------------------------------------------------------------------------------------


def misfits(cls: type[Schema], schema: TableSchema, types_too: bool = True) -> Iterator[Violation]:
    """All that is wrong with the names and types of a table's columns."""
    judged_by = cls._fields or NOTHING
    extra = [name for name in schema.names if name not in cls._columns]
    for name, column in cls._columns.items():
        if name not in schema:
            near = nearest(name, extra)
            says = f"the column is missing{f'; did {near!r} take its place?' if near else ''}"
            yield broken(judged_by, "missing", name, says, 0, 0)
        elif types_too and not column.fits(schema[name]):
            yield broken(judged_by, "type", name, f"the column is {schema[name]}, expected {column.dtype}", 0, 0)
    if cls._extra == "forbid":
        for name in extra:
            if name not in cls._known:
                says = "the column is not in the schema, which allows no others"
                yield broken(judged_by, "additive", name, says, 0, 0)


NOTHING = contracts.from_mapping(
    {"version": "1.0.0", "owner": "unknown", "fields": [{"name": "none", "type": "string"}]}
)


def as_table(value: Any, cls: type[Schema], phase: ValidationPhase) -> Any:
    """Any kind of table as an ibis table; StructuralError where it is none."""
    library, kind = package_of(value), type(value).__name__
    try:
        if isinstance(value, ir.Table):
            return engines.zoned(value)
        if library == "duckdb" and kind == "DuckDBPyRelation":
            return ibis.memtable(value.to_arrow_table())
        if library == "polars" and hasattr(value, "lazy") and kind != "Series":
            return ibis.memtable(frames.of_polars(lambda: value.lazy().collect().to_arrow()))
        if library == "pandas" and hasattr(value, "columns"):
            return ibis.memtable(pa.Table.from_pandas(value, preserve_index=False))
        if isinstance(value, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
            return ibis.memtable(frames.whole(value))
    except Exception as error:
        says = f"this is {described(value)}, which cannot be read as a table: {str(error)[:300]}"
        raise wrong(StructuralError, cls, phase, [says], original=error) from error
    says = f"this is {described(value)}, not a table; give an ibis, pandas, polars or Arrow table, or a DuckDB relation"
    raise wrong(StructuralError, cls, phase, [says])


def failure(
    kind: type[ValidationError],
    cls: type[Schema],
    phase: ValidationPhase,
    violations: list[Violation],
) -> ValidationError:
    """The error that says all that is wrong with a table."""
    consumers = (cls._fields or NOTHING).consumers
    tail = f"; affects {', '.join(map(printable, consumers))}" if consumers else "; the contract names no consumers"
    sentences = [violation.message.removesuffix(tail) for violation in violations]
    return wrong(kind, cls, phase, sentences, violations=tuple(violations))


def wrong(
    kind: type[ValidationError], cls: type[Schema], phase: ValidationPhase, sentences: list[str], **more: Any
) -> ValidationError:
    """The error with these sentences, as many as a message holds, and the contract that the schema is bound to."""
    shown: list[str] = []
    for sentence in sentences:
        if sum(map(len, shown)) + len(sentence) > 1000 and shown:
            break
        shown.append(sentence if len(sentence) <= 1000 else f"{sentence[:999]}…")
    if len(shown) < len(sentences):
        shown.append(f"and {len(sentences) - len(shown):,} more")
    detail = shown[0] if len(shown) == 1 else "\n  ".join(["", *shown])
    agreed = cls._contract
    if agreed is not None:
        teams = ", ".join(agreed.consumers)[:200] or "nobody that it names"
        more["agreed"] = f"contract {agreed.dataset[:100]} {agreed.version} of {agreed.owner[:100]}, read by {teams}"
    return kind(detail, schema=cls, phase=phase, **more)
