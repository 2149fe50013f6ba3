"""Quarantine: the input row for row in two tables of its kind, with the reasons, on any engine."""

import duckdb
import ibis
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tables import CLAUSES, FILES, column, contract, field, listed, numbers, only

import contracts
import seed
from validate import quarantine, validate


def test_quarantine_gives_back_the_same_kind_of_table(table):
    rows = table(column("A", "Q"))
    expected = list if table.kind == "generator" else duckdb.DuckDBPyRelation if table.kind in FILES else type(rows)
    assert [type(part) for part in quarantine(rows, CLAUSES)] == [expected, expected]


def test_accepted_and_quarantined_are_the_input_row_for_row(table):
    rows = column("A", "Q", "Q", None, "B", "B", "Q", None, "B")  # with duplicates
    accepted, quarantined = map(listed, quarantine(table(rows), CLAUSES))
    assert accepted == [{"x": "A", "n": 0}]
    assert numbers(quarantined) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert sorted(str(row["x"]) for row in quarantined) == sorted(str(row["x"]) for row in rows[1:])


def test_whole_rows_that_are_alike_are_all_kept(table):
    accepted, quarantined = quarantine(table([{"x": "A"}] * 3 + [{"x": "Q"}] * 2), contract(field(enum=["A"])))
    assert (len(listed(accepted)), len(listed(quarantined))) == (3, 2)


def test_quarantined_rows_carry_the_clauses_that_each_breaks(table):
    _, quarantined = quarantine(table(column("Q", None, "B", "B", *"AQQQQ")), CLAUSES)
    reasons = {int(row["n"]): row["broken_clauses"] for row in listed(quarantined)}
    assert [reasons[i] for i in (0, 1, 2, 8)] == [
        ["x: enum", "x: unique"],
        ["x: required"],
        ["x: unique"],
        ["x: enum", "x: unique", "n: range"],
    ]


def test_accepted_rows_pass_the_row_level_clauses(table):
    accepted, _ = quarantine(table(column("A", "Q", None, "B", "C", "C")), CLAUSES)
    assert validate(accepted, CLAUSES) == []


def test_a_table_whose_structure_is_broken_is_quarantined_whole(table):
    rows = column("A", "B")
    for clauses in (contract("gone: string"), contract("x: string", evolution={"additive": "forbidden"})):
        accepted, quarantined = map(listed, quarantine(table(rows), clauses))
        assert (accepted, numbers(quarantined)) == ([], [0, 1])


def test_values_of_the_wrong_type_are_quarantined(table):
    accepted, quarantined = map(listed, quarantine(table(column("a", "b", None)), contract(field("integer"))))
    assert (numbers(accepted), numbers(quarantined)) == ([2], [0, 1])


@only(*FILES)
def test_cells_that_are_quarantined_are_as_readable_as_they_were(table):
    _, quarantined = quarantine(table([{"x": "Q", "y": "extra"}]), contract(field(enum=["A"])))
    assert listed(quarantined) == [{"x": "Q", "y": "extra", "broken_clauses": ["x: enum"]}]


def test_quarantine_of_files_is_read_in_pieces(tmp_path):
    rows = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"n": range(300_000), "x": ["A", "Q", "B"] * 100_000}), rows, row_group_size=50_000)
    accepted, quarantined = quarantine(rows, contract(field(enum=["A", "B"])))
    assert len(accepted.fetchmany(10)) == 10  # a relation, which nobody has computed whole
    assert (accepted.count("*").fetchone(), quarantined.count("*").fetchone()) == ((200_000,), (100_000,))


@pytest.mark.parametrize("dtype", [pl.Object, pl.Int128], ids=str)
def test_polars_types_that_arrow_has_not(dtype):
    contract = contracts.from_mapping(
        {"version": "1.0.0", "owner": "us", "fields": [{"name": "n", "type": "integer", "max": 2}]}
    )
    frame = pl.DataFrame({"n": pl.Series([1, 2, 3], dtype=dtype)})
    assert [(v.rule, v.failing) for v in validate(frame, contract)] == [("range", 1)]
    accepted, quarantined = quarantine(frame, contract)
    assert (len(accepted), len(quarantined)) == (2, 1)


@pytest.mark.filterwarnings(  # what ibis does with SQLite
    "ignore:The 'future.infer_string' option", "ignore:The default date.* adapter", "ignore:unclosed database"
)
@pytest.mark.parametrize("backend", ["polars", "sqlite"])
def test_an_ibis_table_of_another_back_end(backend):
    contract = seed.ROOT / "contracts" / "listings.yaml"
    connection = getattr(ibis, backend).connect()
    for stage in ("before", "after"):
        rows = seed.listings(stage)
        table = connection.create_table(f"listings_{stage}", pa.Table.from_pylist(rows))
        assert validate(table, contract) == validate(rows, contract)
        accepted, quarantined = quarantine(table, contract)
        assert accepted.count().execute() == (8000 if stage == "before" else 0)
        assert quarantined.count().execute() == (0 if stage == "before" else 8000)
    connection.disconnect()
