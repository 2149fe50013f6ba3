"""A class and its contract: held to one, made from one, written as one."""

import importlib.util
import sys
from datetime import date, datetime
from typing import Annotated, Literal

import ibis
import pyarrow as pa
import pytest
from typed_tables import Listings, schema

import contracts
import seed
from boundary import Check, ConstraintError, Schema, StructuralError, meaning, schema_from, unit
from contracts import ContractError
from contracts.interop import to_python

# ibis 12 asks pandas 3 for an option that goes away, whenever it makes a pandas frame.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")


# --- held to a contract -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "columns, clause, says",
    [
        ({"price_cents": str}, "type", "the class says string, the contract integer"),
        ({"price_cents": int | None}, "required", "required: true; write int, without | None, or take required out"),
        ({"size": str}, "required", "required: false; write str | None, or required: true in the contract"),
        ({"item_condition": Annotated[str, Check.isin("A", "B")]}, "enum", "['A', 'B', 'C']"),
        ({"item_condition": Literal["A", "B", "X"]}, "enum", "['A', 'B', 'X']"),
        ({"brand": Annotated[str, Check.isin("A")]}, "enum", "no enum"),
        ({"price_cents": Annotated[int, unit("USD_cents")]}, "unit", "USD_cents"),
        ({"photos": Annotated[int, unit("pieces")]}, "unit", "no unit"),
        ({"brand_name": str}, "brand_name", "the contract has no field 'brand_name'"),
    ],
)
def test_class_and_contract_must_agree(columns, clause, says):
    with pytest.raises(ContractError) as caught:
        type("Mine", (Schema,), {"__annotations__": columns}, contract="listings.yaml")
    (fault,) = caught.value.faults
    name = next(iter(columns))
    assert fault.path.endswith("listings.yaml") and says in fault.message and clause in fault.message
    assert f"{__file__}:" in fault.message and f"Mine.{name}" in fault.message
    line = (seed.ROOT / "contracts" / "listings.yaml").read_text().splitlines()[fault.line - 1]
    if clause in ("type", "enum", "unit") and "no " not in says:
        assert clause in line


def test_all_disagreements_are_named_at_once():
    with pytest.raises(ContractError) as caught:

        class Mine(Schema, contract="listings.yaml"):
            price_cents: Annotated[str | None, unit("USD")]
            nothing: int

    assert len(caught.value.faults) == 4


def test_of_two_bounds_the_tighter_one_holds():
    class Loose(Schema, contract="listings.yaml"):
        price_cents: Annotated[int, Check.ge(0), Check.le(500)]

    said = Loose.to_contract().field("price_cents")
    assert (said.min, said.max) == (100, 500)
    said = schema(a=Annotated[int, Check.ge(5), Check.ge(0), Check.le(7), Check.le(9)]).to_contract().field("a")
    assert (said.min, said.max) == (5, 7)


def test_what_the_class_does_not_say_the_contract_does():
    class Cheap(Schema, contract="listings.yaml"):
        price_cents: int

    with pytest.raises(ConstraintError, match=r"100 to 100,000 EUR_cents"):
        Cheap.parse(pa.table({"price_cents": [99, 100]}))
    Cheap.parse(pa.table({"price_cents": [100]}))  # volume and freshness are promises about the whole table


def test_a_contract_is_found_beside_the_file_in_contracts_or_absolute_and_never_by_the_current_folder(
    tmp_path, monkeypatch
):
    text = "version: 1.0.0\nowner: us\nfields:\n  - {name: a, type: integer, required: true}\n"
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    (home / "contracts").mkdir(parents=True)
    elsewhere.mkdir()
    (home / "beside.yaml").write_text(text)
    (home / "contracts" / "inside.yaml").write_text(text)
    (elsewhere / "current.yaml").write_text(text)
    monkeypatch.chdir(elsewhere)

    def load(path):
        module = home / "module.py"
        module.write_text(f"from boundary import Schema\nclass T(Schema, contract={str(path)!r}):\n    a: int\n")
        spec = importlib.util.spec_from_file_location("module_of_the_test", module)
        made = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, made)
        spec.loader.exec_module(made)
        return made.T

    assert load("beside.yaml").to_contract().owner == "us"
    assert load("inside.yaml").to_contract().owner == "us"
    assert load("contracts/inside.yaml").to_contract().owner == "us"
    assert load((elsewhere / "current.yaml").resolve()).to_contract().owner == "us"
    with pytest.raises(ContractError, match=r"there is none at .*home") as caught:
        load("current.yaml")
    assert caught.value.unreadable


def test_a_contract_is_found_above_the_file_up_to_the_project_and_never_among_the_lessons_where_that_is_installed(
    tmp_path, monkeypatch
):
    text = "version: 1.0.0\nowner: us\nfields:\n  - {name: a, type: integer, required: true}\n"
    project, source = tmp_path / "project", tmp_path / "project" / "src" / "app"
    source.mkdir(parents=True)
    for folder in (tmp_path, project):
        (folder / "contracts").mkdir()
    (project / "pyproject.toml").touch()
    (project / "contracts" / "orders.yaml").write_text(text)
    (tmp_path / "contracts" / "beyond.yaml").write_text(text)

    def load(path):
        code = compile(f"class T(Schema, contract={path!r}):\n    a: int\n", str(source / "module.py"), "exec")
        names = {"Schema": Schema, "__name__": "__module__"}
        exec(code, names)
        return names["T"].to_contract().owner

    (source / "module.py").touch()
    assert load("orders.yaml") == "us"  # the lesson has an orders.yaml too
    with pytest.raises(ContractError, match="there is none at"):
        load("beyond.yaml")
    with pytest.raises(ContractError, match="has no field 'a'"):
        load("listings.yaml")  # the lesson's own, in a clone of it
    installed = tmp_path / "site-packages" / "contracts"
    monkeypatch.setattr("contracts.__file__", str(installed / "__init__.py"))
    installed.mkdir(parents=True)
    (installed / "listings.yaml").write_text(text)
    with pytest.raises(ContractError, match="there is none at"):
        load("listings.yaml")


def test_in_a_notebook_the_package_contracts_are_found(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    cell = "class T(Schema, contract='listings.yaml'):\n    brand: str\n"
    names = {"Schema": Schema, "__name__": "__notebook__"}
    exec(compile(cell, "/tmp/ipykernel_1/1.py", "exec"), names)
    assert names["T"].to_contract().version == "1.4.0"


def test_a_contract_that_forbids_other_columns(tmp_path):
    (tmp_path / "t.yaml").write_text(
        "version: 1.0.0\nowner: us\nevolution: {additive: forbidden}\n"
        "fields: [{name: a, type: integer, required: true}, {name: b, type: string}]\n"
    )

    class T(Schema, contract=tmp_path / "t.yaml"):
        a: int

    T.cast(ibis.table({"a": "int64", "b": "string"}, name="nowhere"))
    with pytest.raises(StructuralError):
        T.cast(ibis.table({"a": "int64", "c": "string"}, name="nowhere"))


# --- from and to a contract ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["listings", "orders"])
def test_a_contract_as_a_class_and_back(name, tmp_path):
    agreed = contracts.load(seed.ROOT / "contracts" / f"{name}.yaml")
    assert schema_from(agreed).to_contract() == agreed
    (tmp_path / f"{name}.yaml").write_bytes(agreed.source.read_bytes())
    module = tmp_path / "exported.py"
    module.write_text(to_python(contracts.load(tmp_path / f"{name}.yaml")), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("exported", module)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert getattr(made, name.title()).to_contract() == agreed


EXPORTED = """\
# parts 1.2.0 of us, held to the YAML when the class is created.
from datetime import date
from typing import Annotated

from boundary import Check, Schema, meaning, unit


class Parts(Schema, contract="parts.yaml"):
    id: Annotated[int, Check.ge(1), Check.le(9), Check.unique()]
    made: date | None
    grade: Annotated[str | None, Check.isin({"A": "as new", "B": "the \\"rest\\""})]
    code: Annotated[str, Check.pattern("[A-Z]+"), unit("code"), meaning("What it says.")]
    __annotations__["a b"] = Annotated[float | None, Check.isin(0.5, 1.0)]
"""


def test_export_to_python(tmp_path, capsys):
    from contracts.__main__ import main

    (tmp_path / "parts.yaml").write_text(
        """
version: 1.2.0
owner: us
fields:
  - {name: id, type: integer, required: true, min: 1, max: 9, unique: true}
  - {name: made, type: date}
  - {name: grade, type: string, enum: {A: as new, B: the "rest"}}
  - {name: code, type: string, required: true, pattern: '[A-Z]+', unit: code, meaning: What it says.}
  - {name: a b, type: number, enum: [0.5, 1.0]}
"""
    )
    assert main(["export", str(tmp_path / "parts.yaml"), "--to", "python"]) == 0
    assert capsys.readouterr().out == EXPORTED


def test_a_class_as_a_contract_and_back():
    class Plain(Schema):
        a: Annotated[int, Check.ge(0), Check.le(9), unit("g"), meaning("Weight.")]
        b: Annotated[str | None, Check.isin({"A": "as new", "B": "light wear"})]
        c: Annotated[str, Check.pattern("[a-z]+"), Check.unique()]
        d: Annotated[date, Check.ge(date(2026, 1, 1))]
        e: datetime
        f: float | None
        g: bool

    agreed = Plain.to_contract(version="2.0.0", owner="us")
    assert (agreed.dataset, agreed.version, agreed.owner) == ("Plain", "2.0.0", "us")
    assert agreed.evolution.additive == "forbidden"
    assert agreed.field("b").meanings == (("A", "as new"), ("B", "light wear"))
    again = schema_from(agreed)
    assert again.to_contract() == agreed
    assert again.__name__ == "Plain" and again._extra == Plain._extra
    for name, column in Plain._columns.items():
        other = again._columns[name]
        assert (column.dtype, column.nullable, column.field()) == (other.dtype, other.nullable, other.field())


def test_a_subset_as_a_contract():
    agreed = Listings.to_contract()
    assert [field.name for field in agreed.fields] == ["item_condition", "brand", "price_cents"]
    assert agreed.version == "1.4.0" and agreed.freshness is None and agreed.consumers


def test_what_a_contract_cannot_say_is_not_left_out():
    with pytest.raises(TypeError, match=r"array<int64>.*is even"):
        schema(a=list[int], b=Annotated[int, Check(lambda c: c % 2 == 0, "is even")]).to_contract()
