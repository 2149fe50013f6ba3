"""What each mutation does to the rows, to which columns, and what it costs."""

from datetime import UTC, datetime, timedelta

import duckdb
import pyarrow as pa
import pytest
from drilled import RELEASE, rides, table

import contracts
from clause import loading, mutations, roles, running
from clause.charging import charge


def mutated(name, given, column=None):
    (mutation,) = [each for each in mutations.MUTATIONS if each.name == name]
    return mutation.apply(given, column or mutation.columns(given)[0])


CODES = {"code": ["a", "c", "b", "a"] * 3, "n": [5] * 12}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recode every value", ["excellent", "fair", "good", "excellent"]),
        ("recode one value", ["a (in full)", "c", "b", "a (in full)"]),
        ("new value", ["brand new", "c", "b", "a"]),
        ("swap two values", ["c", "a", "b", "c"]),
        ("slip one row", ["a", "a", "c", "b"]),
        ("change case", ["A", "C", "B", "A"]),
        ("trailing blank", ["a ", "c ", "b ", "a "]),
        ("default to empty", ["", "c", "b", "a"]),
        ("null every 20th", [None, "c", "b", "a"]),
    ],
)
def test_mutations_of_codes(name, expected):
    assert mutated(name, table(**CODES), "code")["code"].to_pylist()[:4] == expected


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("cents to euros", [8900, 150], [89, 2]),
        ("times 100", [89, -1], [8900, -100]),
        ("flip sign", [5, -5], [-5, 5]),
        ("other currency", [100, 50], [116, 58]),
        ("round amounts", [8950, -150], [8900, -100]),
        ("default to zero", [5, 6], [0, 6]),
        ("number with comma", [8900, 5], ["8,900", "5"]),
        ("integer to text", [8900, 5], ["8900", "5"]),
        ("cents to euros", [8.5, 2.0], [0.085, 0.02]),
        ("round amounts", [8.5, -2.7], [8.0, -2.0]),
        ("number with comma", [0.5, 2.25], ["0,5", "2,25"]),
    ],
)
def test_mutations_of_amounts(name, given, expected):
    assert mutated(name, table(amount=given))["amount"].to_pylist() == expected


def test_an_amount_stays_of_its_kind_and_is_not_too_small_for_its_type():
    fields = [{"name": "d", "type": "number"}, {"name": "i", "type": "integer"}]
    rows = pa.table({"d": pa.array([100, 250], pa.decimal128(5, 2)), "i": pa.array([100, -7], pa.int8())})
    given = roles.Table(rows, contracts.from_mapping({"version": "1.0.0", "owner": "me", "fields": fields}))
    assert mutated("times 100", given, "d")["d"].to_pylist() == [10_000, 25_000]
    assert mutated("times 100", given, "i")["i"].to_pylist() == [10_000, -700]
    assert pa.types.is_decimal(mutated("other currency", given, "d")["d"].type)


def test_whole_hundreds_of_a_narrow_type_are_not_rounded():
    given = table({"fields": [{"name": "cents", "type": "integer"}]}, cents=pa.array([8900, -200], pa.int32()))
    with pytest.raises(mutations.DoesNotApply, match="changes nothing"):
        mutated("round amounts", given, "cents")
    assert mutated("flip sign", given, "cents")["cents"].type == pa.int32()


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_mutations_of_times_keep_the_type_and_the_zone(zone):
    kind, at = pa.timestamp("ms", zone), datetime(2026, 8, 19, 12, tzinfo=zone and UTC)
    given = table(at=pa.array([at] * 3, kind))
    for name, moved in (("shift two hours", timedelta(hours=2)), ("stale snapshot", -timedelta(days=7))):
        found = mutated(name, given)
        assert found["at"].to_pylist() == [at + moved] * 3 and found["at"].type == kind
    assert mutated("future time", given)["at"].to_pylist() == [at + timedelta(days=365), at, at]


def test_mutations_of_rows():
    given = table(who=["x", "y", "x", "z"] * 50, n=list(range(200)))
    numbers = {name: mutated(name, given)["n"].to_pylist() for name in (
        "duplicate every 100th", "lose last 30 percent", "one group only", "empty table", "lose and repeat"
    )}  # fmt: skip
    assert numbers["duplicate every 100th"] == [*range(200), 0, 100]
    assert numbers["lose last 30 percent"] == [*range(140)]
    assert numbers["one group only"] == [*range(0, 200, 2)]
    assert numbers["empty table"] == []
    assert numbers["lose and repeat"] == [*range(140), *range(60)]


def test_a_mutation_that_changes_nothing_does_not_apply():
    with pytest.raises(mutations.DoesNotApply, match="it changes nothing"):
        mutated("flip sign", table(amount=[0, 0]))
    with pytest.raises(mutations.DoesNotApply, match="no column of text with leading zeros"):
        mutated("lose leading zeros", table(code=["12", "30"]))
    forbidden = table({"evolution": {"additive": "forbidden"}}, n=[1])
    with pytest.raises(mutations.DoesNotApply, match="not harmless"):
        mutated("add column", forbidden)


def test_columns_that_matter_come_first_then_those_with_a_unit_then_those_of_the_contract():
    columns = {"kind": ["p", "q"] * 10, "code": ["a", "b"] * 10, "first_id": [1, 2] * 10, "count": [1, 1] * 10}
    columns |= {"price": [7, 8] * 10, "weight": [3, 4] * 10}
    says = {"fields": [{"name": name, "type": "string" if name in ("kind", "code") else "integer"} for name in columns]}
    says["fields"][-1]["unit"] = "g"
    given = table(says, **columns)
    assert roles.codes(given) == ["kind", "code"] and roles.amounts(given) == ["weight", "count", "price"]
    known = roles.Table(given.rows, given.contract, ("code", "price"))
    assert roles.codes(known) == ["code", "kind"] and roles.amounts(known) == ["price", "weight", "count"]
    assert roles.groups(given)[0] == "first_id"


def test_orders_are_charged_as_they_stand_and_every_cent_off_counts():
    with duckdb.connect() as connection:
        connection.execute("attach ':memory:' as shop")
        prices = "(values (1, 90), (2, 210), (2, 210)) as p(listing_id, charged_cents)"
        connection.execute(f"create table shop.fct_price as from {prices}")
        sold = pa.table({
            "order_id": [1, 2, 3], "day": [RELEASE] * 3, "listing_id": [1, 2, 3], "category": ["x"] * 3,
            "charged_cents": [100, 200, 300],
        })  # fmt: skip
        orders, costs = charge(connection, sold)
    assert orders.num_rows == 3  # of the second the customer pays twice; the third can no longer be charged
    assert costs == {RELEASE: ((10 + 300) / 100, 220 / 100)}


def test_values_are_compared_as_multisets():
    one = pa.table({"x": [1, 2, 2], "y": ["a", "b", "b"]})
    assert not running.differ(one, one.take([2, 0, 1]), ["x", "y"])
    assert running.differ(one, one.take([0, 1]), ["x", "y"])
    assert running.differ(one, one.take([0, 0, 1]), ["x"])  # the same values, in other numbers
    assert running.differ(one, one.select(["y"]), ["x"])
    assert not running.differ(one, one.append_column("z", one["x"]), ["x", "y"])


def test_text_files_become_values_of_the_contract_s_types(tmp_path):
    contract, data = rides(tmp_path, rows=20)
    rows = loading.load(data, contracts.load(contract))
    kinds = [str(kind) for kind in rows.schema.types]
    assert kinds == ["int64", "string", "double", "string", "bool", "timestamp[us]", "string"]  # `gross` is nobody's
    assert str(loading.load(data, contracts.load(contract), amounts=["gross"]).schema.field("gross").type) == "double"
    zoned = tmp_path / "zoned.csv"
    zoned.write_text("at\n2026-08-19T14:00:00+02:00\n", encoding="utf-8")
    found = loading.load(zoned, contracts.load(contract))["at"]
    assert found.type == pa.timestamp("us", "UTC") and found[0].as_py() == datetime(2026, 8, 19, 12, tzinfo=UTC)
