"""Files, read by the contract's types and never sniffed, and what cannot be read."""

import json
import os
import pickle

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tables import broken, contract, field, file

import seed
from contracts import DataError
from validate import report, validate

READ_BY_TYPE = {
    "x\n007\n": field(enum=["007"], required=True),  # leading zeros survive
    "x\nNA\n": field(enum=["NA"], required=True),  # Namibia
    'x\n""\n': field(required=True),  # quoted: a string
    "\ufeffx\n1\n": field("integer"),  # a byte order mark
    "x\r\n1\n2\r\n": field("integer"),  # mixed line ends
    "x\n1": field("integer"),  # no line end at the end
    'x\n"a\n""b"\n': field(enum=['a\n"b']),
    "x\n+1\n-2\n99999999999999999999\n": field("integer"),
    "x\n1\n.5\n1e3\n": field("number"),
    "x\ntrue\nFALSE\n": field("boolean"),
    "x\n2026-08-19 12:00\n2026-08-19T12:00:00.5Z\n": field("timestamp"),
}


@pytest.mark.parametrize("text", READ_BY_TYPE)
def test_csv_is_read_by_the_type_of_the_contract(tmp_path, text):
    assert broken(file(tmp_path, "a.csv", text), READ_BY_TYPE[text]) == []


def test_null_in_csv_is_the_empty_unquoted_field(tmp_path):
    rows = file(tmp_path, "a.csv", 'x,y\n"",1\n,2\n')
    assert broken(rows, field(required=True)) == [("required", 1, 2, {})]


@pytest.mark.parametrize("type", ["integer", "number", "boolean", "date", "timestamp"])
@pytest.mark.parametrize("cell", ["12,5", " 1", "1_000", "NaN", "yes", "19.08.2026", "2026-02-30", "٣"])
def test_what_is_no_value_of_the_type_in_csv_is_a_type_violation(tmp_path, type, cell):
    assert broken(file(tmp_path, "a.csv", f'x\n"{cell}"\n'), field(type)) == [("type", 1, 1, {cell: 1})]


@pytest.mark.parametrize(
    ("value", "type"), [("1", "string"), ('"1"', "integer"), ("true", "integer"), ("1.0", "integer"), ("1", "boolean")]
)
def test_json_has_types_of_its_own(tmp_path, value, type):
    rows = file(tmp_path, "a.jsonl", f'{{"x": {value}}}\n{{"x": null}}\n')
    assert broken(rows, field(type)) == [("type", 1, 1, {json.loads(value): 1})]


def test_json_is_an_array_or_an_object_a_line(tmp_path):
    for text in ('[{"x": "007"},\n {"x": "NA"}]', '{"x": "007"}\n{"x": "NA"}\n', '\ufeff{"x": "NA"}\n'):
        assert broken(file(tmp_path, "a.json", text), field(enum=["007", "NA"], required=True)) == []


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "x,y\n1,2\n3\n", "a.csv, line 3: cannot be read: Expected Number of Columns: 2 Found: 1"),
        ("a.csv", "x,y\n1,2\n3,4,5\n", "a.csv, line 3: cannot be read: Expected Number of Columns: 2 Found: 3"),
        ("a.csv", "x,y\r\n1,2\n3\r\n", "a.csv, line 3: cannot be read: Expected Number of Columns: 2 Found: 1"),
        ("a.csv", 'x,y\n"a\nb",2\n3\n', "a.csv, line 4: cannot be read: Expected Number of Columns: 2 Found: 1"),
        ("a.csv", 'x,y\n1,2\n"3,4\n5,6\n', "a.csv, line 3: cannot be read: Value with unterminated quote found"),
        ("a.csv", "x,y\n1,2\n3,é\n".encode("latin-1"), "a.csv, line 3: is not UTF-8; save the file as UTF-8"),
        ("a.csv", "x\n1\né\n".encode("latin-1"), "a.csv, line 3: is not UTF-8; save the file as UTF-8"),
        ("a.csv", "x,é\n1,2\n".encode("latin-1"), "a.csv, line 1: is not UTF-8; save the file as UTF-8"),
        ("a.csv", "x,y\n1,2\n".encode("utf-16"), "a.csv, line 1: is not UTF-8; save the file as UTF-8"),
        ("a.csv", "x,x\n1,2\n", "a.csv, line 1: has two columns of the name 'x'"),
        ("a.csv", "", "a.csv, line 1: is empty; expected a line of column names"),
        ("a.csv.gz", b"\x1f\x8b\x08\0", "a.csv.gz, line 1: is no CSV header"),
        ("a.jsonl", '{"x": 1}\n{"x": 2\n{"x": 3}\n', "a.jsonl, line 2: cannot be read: "),
        ("a.jsonl", '{"x": 1}\n[2]\n', "a.jsonl, line 2: is array; expected an object of column and value"),
        ("a.jsonl", '{"x": 1}\n{"x": "é"}\n'.encode("latin-1"), "a.jsonl, line 2: cannot be read: invalid UTF-8"),
        ("a.json", '[\n{"x": 1},\n{"x": b}\n]', "a.json, line 3: cannot be read: "),
        ("a.jsonl", '{"x": 1, "x": 2}\n', "a.jsonl: an object has two columns of the name 'x'"),
        ("a.parquet", b"PAR1 and then nothing that makes sense PAR1", "a.parquet: cannot be read: "),
        ("a.parquet", b"", "a.parquet: cannot be read: "),
        ("a.xlsx", b"", "a.xlsx: found .xlsx; expected files of one kind"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_file_and_line(tmp_path, name, content, says):
    with pytest.raises(DataError) as error:
        report(file(tmp_path, name, content), contract("x: string"))
    assert str(error.value).startswith(f"{tmp_path}{os.sep}{says}")
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_a_file_that_ends_in_the_middle_is_an_error(tmp_path):
    whole = file(tmp_path, "whole.parquet", b"")
    pq.write_table(pa.table({"x": list(range(10_000))}), whole)
    with pytest.raises(DataError, match=r"half\.parquet: cannot be read"):
        report(file(tmp_path, "half.parquet", whole.read_bytes()[:5000]), contract("x: integer"))


@pytest.mark.parametrize(
    ("path", "says"),
    [("none.csv", "there is no such file"), ("*.csv", "no file matches the glob"), ("", "is a folder, not a file")],
)
def test_no_file_is_an_error(tmp_path, path, says):
    with pytest.raises(DataError, match=says):
        validate(str(tmp_path / path), contract("x: string"))


def test_a_glob_is_one_table_and_a_column_that_some_files_lack_is_null_there(tmp_path):
    file(tmp_path, "1.csv", "x,y\na,1\n")
    file(tmp_path, "2.csv", "y,x\n2,b\n")
    file(tmp_path, "3.csv", "y\n3\n")
    assert report(str(tmp_path / "*.csv"), contract("x: string")).rows == 3
    assert broken(str(tmp_path / "*.csv"), field(required=True, enum=["a", "b"])) == [("required", 1, 3, {})]


def test_a_name_with_brackets_is_a_file_rather_than_a_glob(tmp_path):
    assert broken(file(tmp_path, "a [1].csv", "x\n1\n"), field("integer")) == []


TWICE = [
    pd.DataFrame([[1, 2]], columns=["x", "x"]),
    pa.table([[1], [2]], names=["x", "x"]),
    duckdb.connect().sql("select 1 as x, 2 as x"),
]


@pytest.mark.parametrize("rows", TWICE, ids=["pandas", "arrow", "duckdb"])
def test_two_columns_of_one_name_are_an_error(rows):
    with pytest.raises(DataError, match="two columns of the name 'x'"):
        validate(rows, contract("x: integer"))


@pytest.mark.parametrize("rows", [None, 5, b"x", {"x": [1]}, ["x"], pd.Series([1]), pl.Series([1])])
def test_what_is_no_table_is_a_type_error(rows):
    with pytest.raises(TypeError, match="mapping"):
        validate(rows, contract("x: integer"))


def test_what_is_of_a_library_is_named_with_it():
    with pytest.raises(TypeError, match="rows is a pandas Series: "):
        validate(pd.Series([1]), contract("x: integer"))
    with pytest.raises(TypeError, match=r"contract is a pandas DataFrame: .* after the rows"):
        validate(contract("x: integer"), pd.DataFrame({"x": [1]}))
    with pytest.raises(TypeError, match="row 1 is an int: "):
        validate([1], contract("x: integer"))


def test_what_the_manual_says_of_pandas(tmp_path):
    frame = pd.read_csv(file(tmp_path, "t.csv", "x,n\n2026-08-19,1\n2026-08-20,\n"), parse_dates=["x"])
    agreed = contract("x: date", "n: integer")
    assert [(found.field, found.rule) for found in validate(frame, agreed)] == [("x", "type")]
    frame["x"] = frame["x"].dt.date
    assert validate(frame, agreed) == []
    frame.to_parquet(tmp_path / "floats.parquet")
    assert [found.field for found in validate(tmp_path / "floats.parquet", agreed)] == ["n"]
    frame.astype({"n": "Int64"}).to_parquet(tmp_path / "integers.parquet")
    assert validate(tmp_path / "integers.parquet", agreed) == []


def test_files_of_a_glob_that_differ_in_type_are_an_error_that_names_one(tmp_path):
    contract = {"version": "1.0.0", "owner": "us", "fields": [{"name": "n", "type": "number"}]}
    pq.write_table(pa.table({"n": [1.0, 2.0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"n": ["x"]}), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"b\.parquet: column 'n' is VARCHAR, but DOUBLE in .*a\.parquet"):
        validate(str(tmp_path / "*.parquet"), contract)
    pq.write_table(pa.table({"n": pa.array([1], pa.int32())}), tmp_path / "c.parquet")
    pq.write_table(pa.table({"n": pa.array([1], pa.int64())}), tmp_path / "d.parquet")
    assert validate(str(tmp_path / "[cd].parquet"), contract) == []


def test_json_too_deep_to_read_is_an_error(tmp_path):
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(DataError, match=r"deep\.json"):
        validate(str(tmp_path / "deep.json"), seed.ROOT / "contracts" / "listings.yaml")


def test_a_semicolon_file_is_told_about_its_commas(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1;2\n", encoding="utf-8")
    contract = {"version": "1.0.0", "owner": "us", "fields": [{"name": "a", "type": "integer"}]}
    assert "are the cells separated by commas?" in validate(str(tmp_path / "t.csv"), contract)[0].message
