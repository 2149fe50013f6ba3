"""A draft from a table: what is proposed, marked for review, and kept by the table itself."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import csv
import os
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import contracts
from contracts import parse
from contracts.interop import import_file
from validate import report


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One table in every kind of file: codes with leading zeros, a key, a domain, NULLs, an infinity, a list."""
    folder = tmp_path_factory.mktemp("tables")
    found = {kind: folder / f"parts.{kind}" for kind in ("csv", "parquet", "json", "duckdb", "sqlite")}
    with duckdb.connect(str(found["duckdb"])) as connection:
        connection.execute(
            """
            create table parts as select i as part_id, printf('%03d', i % 40) as code, ['A', 'B', 'NA'][1 + i % 3] as grade,
                case when i % 10 = 0 then null else i * 1.5 end as weight, i % 2 = 0 as ok, date '2026-08-01' + i::int as made,
                timestamp '2026-08-01 12:00:00' + interval (i) hour as seen, 1 + i % 4 as "vendor id", null::int as nothing
            from range(100) t(i)
            """
        )
        for kind in ("csv", "parquet", "json"):
            connection.execute(f"copy parts to '{found[kind].as_posix()}'")
        values = connection.execute(
            "select part_id, code, grade, weight, ok, made::text, seen::text from parts"
        ).fetchall()
    database = sqlite3.connect(found["sqlite"])
    database.execute("create table parts (part_id, code, grade, weight, ok, made, seen)")
    database.executemany(
        "insert into parts values (?, ?, ?, ?, ?, ?, ?)",
        [[*row[:3], row[3] and float(row[3]), *row[4:]] for row in values],
    )
    database.commit()
    database.close()
    return found


@pytest.mark.parametrize("kind", ["csv", "parquet", "json", "duckdb", "sqlite"])
def test_a_table_is_drafted_and_keeps_its_draft(kind: str, files: dict[str, Path]) -> None:
    found = import_file(files[kind], "table")
    drafted = parse(found.text)
    fields = {field["name"]: field for field in yaml.safe_load(found.text)["fields"]}
    assert drafted.dataset == "parts" and yaml.safe_load(found.text)["volume"] == {"min_rows": 80, "max_rows": 120}
    assert fields["part_id"] == {"name": "part_id", "type": "integer", "required": True, "unique": True}
    assert fields["code"] == {
        "name": "code",
        "type": "string",
        "enum": sorted(f"{i:03d}" for i in range(40)),
        "required": True,
    }
    assert fields["grade"]["enum"] == ["A", "B", "NA"]
    assert fields["weight"] == {"name": "weight", "type": "number", "max_null_rate": 0.1, "min": 1.0, "max": 200.0}
    if kind != "sqlite":  # which has neither booleans nor dates
        assert [fields[name]["type"] for name in ("ok", "made", "seen")] == ["boolean", "date", "timestamp"]
        assert fields["vendor id"]["enum"] == [1, 2, 3, 4]
    clauses = sum(len(field) - 2 for field in fields.values())
    assert found.text.count("# review: ") >= clauses + 3
    if kind in ("csv", "parquet", "json"):
        judged = report(str(files[kind]), drafted)
        assert judged.verdict == "kept" and not judged.violations


def test_a_draft_of_the_shop_is_kept_before_and_broken_after(
    rows: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    path = tmp_path / "listings.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows["before"][0])
        writer.writeheader()
        writer.writerows(rows["before"][:2000])
    drafted = parse(import_file(path, "table").text)
    assert report(str(path), drafted).verdict == "kept"
    found = report([{**row, "photos": int(row["photos"])} for row in rows["after"][:2000]], drafted)
    assert ("enum", "item_condition") in {(one.rule, one.field) for one in found.violations}


def test_tables_that_are_odd(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "odd.duckdb")) as connection:
        connection.execute(
            "create table odd as select unnest([1.0, 'inf'::double, 'nan'::double]) as x, [1] as list, 1::int as one"
        )
        connection.execute("create schema s; create table s.empty (a int, b varchar)")
    found = import_file(tmp_path / "odd.duckdb", "table", "odd")
    assert [field.name for field in parse(found.text).fields] == ["x", "one"]
    assert any(says.startswith("list: ") for says in found.left_out)
    assert any(says.startswith("x: ") and "does not keep" in says for says in found.left_out)
    empty = import_file(tmp_path / "odd.duckdb", "table", "s.empty")
    assert parse(empty.text).volume is None and "every value is NULL" in empty.text
    (tmp_path / "nameless.csv").write_bytes(b'a,"", \n1,2,3\n')
    nameless = import_file(tmp_path / "nameless.csv", "table")
    assert [field.name for field in parse(nameless.text).fields] == ["a"] and "without a name" in nameless.left_out[0]
    database = sqlite3.connect(tmp_path / "cut.sqlite")
    database.execute("create table t (a)")
    database.execute("insert into t values ('x')")
    database.commit()
    database.close()
    os.truncate(tmp_path / "cut.sqlite", 5000)
    with pytest.raises(contracts.DataError, match="cannot be read as an SQLite database"):
        import_file(tmp_path / "cut.sqlite", "table")
    (tmp_path / "wide.csv").write_text("a,b\n12345678901234567890,x\n12345678901234567891,y\n,z\n")
    wide = import_file(tmp_path / "wide.csv", "table")
    assert yaml.safe_load(wide.text)["fields"][0] == {"name": "a", "type": "integer", "max_null_rate": 0.34}
    assert report(str(tmp_path / "wide.csv"), parse(wide.text)).verdict == "kept"
    (tmp_path / "bad.csv").write_bytes(b"a,b\n1,2,3\n")
    with pytest.raises(contracts.DataError, match="line 2"):
        import_file(tmp_path / "bad.csv", "table")


@pytest.mark.parametrize("kind", ["csv", "parquet", "json", "duckdb"])
def test_what_names_a_row_has_no_bounds_for_the_next_one_is_higher(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"orders.{kind}"
    names = ["order_no", "customer_id", "CustomerID", "shop key", "id", "line", "paid", "piano", "born"]
    columns = "1000 + i % 100, i % 30, i % 31, i % 32, i % 33, i, 300 + i % 60, 300 + i % 60, 1940 + i % 68"
    with duckdb.connect(str(tmp_path / "orders.duckdb")) as connection:
        listed = ", ".join(f'"{name}"' for name in names)
        connection.execute(f"create table orders({listed}) as select {columns} from range(200) t(i)")
        if kind != "duckdb":
            connection.execute(f"copy orders to '{path.as_posix()}'")
    fields = {field["name"]: field for field in yaml.safe_load(import_file(path, "table").text)["fields"]}
    bounded = {name for name, field in fields.items() if {"min", "max"} & set(field)}
    assert list(fields) == names and bounded == {"paid", "piano", "born"}


def test_what_a_type_loses_and_what_has_no_type_is_said(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(
            """
            create table t as select 1.5::decimal(12,2) as amount, 1.5::double as share, 1::hugeint as wide,
                timestamptz '2026-08-01 12:00:00+02' as seen, timestamp '2026-08-01 12:00:00' as made,
                {'a': 1} as object, [1] as list, map {'a': 1} as map, 'x'::blob as bytes, time '12:00' as clock
            """
        )
        connection.execute(f"copy t to '{(tmp_path / 't.parquet').as_posix()}'")
    expected = {
        "amount: decimal(12, 2); a contract says number, and not how many digits",
        "seen: its times have a zone; a contract says timestamp, and names a zone for freshness alone",
        "object: its values are objects, which a contract has no type for; make columns of their parts",
        "list: its values are lists, which a contract has no type for; make columns of their parts",
        "map: its values are objects, which a contract has no type for; make columns of their parts",
        "bytes: binary is no type of a contract's",
        "clock: time is no type of a contract's",
    }
    for name in ("t.duckdb", "t.parquet"):
        left_out = import_file(tmp_path / name, "table").left_out
        assert {says for says in left_out if not says.startswith(("freshness", "wide"))} == expected
    (tmp_path / "t.jsonl").write_text(
        '{"object": {"a": 1}, "list": [1], "both": [1], "mixed": {}, "seen": "2026-08-01T12:00:00Z"}\n'
        '{"object": {}, "list": [], "both": {}, "mixed": 1, "seen": "2026-08-01T12:00:00+02:00"}\n'
        '{"object": null, "made": "2026-08-01T12:00:00"}\n'
    )
    nested = "which a contract has no type for; make columns of their parts"
    assert set(import_file(tmp_path / "t.jsonl", "table").left_out[:-1]) == {
        f"object: its values are objects, {nested}",
        f"list: its values are lists, {nested}",
        f"both: its values are objects and lists, {nested}",
        "mixed: its values are of no one type, so the column is left out",
        "seen: its times have a zone; a contract says timestamp, and names a zone for freshness alone",
    }


def test_a_single_column_with_separators_in_its_name_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b\n1;2\n")
    (first, *_) = import_file(tmp_path / "t.csv", "table").left_out
    assert first == "the only column is 'a;b', so are the cells separated by commas?"
