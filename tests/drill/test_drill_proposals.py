"""The clause that would catch a survivor: what is proposed, and how it is written into a copy."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from drilled import RIDES, only, table

import contracts
import drill
from clause import proposing


def test_a_bound_is_proposed_beyond_the_values():
    for values, low, high in (([2500, 44800], 2000, 50000), ([-7, 0], -7, 0), ([0.034, 0.5], 0.03, 0.5)):
        proposed = {one.key: one.value for one in proposing.candidates(table(x=values), "x")}
        assert (proposed["min"], proposed["max"]) == (low, high)


@pytest.mark.parametrize(
    "text",
    [
        RIDES,
        RIDES.replace("\n", "\r\n"),
        RIDES.replace(
            '  - {name: "ride no.", type: integer}  # counted up\n', '  - name: "ride no."\n    type: integer\n'
        ),
        "x: &shared {name: fare, type: number}\n" + RIDES.replace("{name: fare, type: number, unit: EUR}", "*shared"),
    ],
    ids=["flow", "windows", "block", "aliases"],
)
def test_a_copy_says_what_is_proposed_however_the_file_is_written(tmp_path, text):
    path = tmp_path / "rides.yaml"
    path.write_bytes(text.removeprefix("x: &shared {name: fare, type: number}\n").encode())
    if text.startswith("x"):
        path.write_bytes(RIDES.replace("paid, type: boolean", "paid, type: &b boolean").replace(
            "at, type: timestamp}", "at, type: timestamp}\n  - {name: done, type: *b}").encode())  # fmt: skip
    contract = contracts.load(path)
    clauses = [proposing.Proposal("ride no.", "unique", True), proposing.Proposal("fare", "max", 200.0)]
    found = proposing.written(contract, clauses, 10, "copy")
    (tmp_path / "copy.yaml").write_bytes(found.encode())
    copy = contracts.load(tmp_path / "copy.yaml")
    assert (copy.dataset, copy.version) == ("rides", "0.10.0")
    assert copy.field("ride no.").unique and copy.field("fare").max == 200
    assert [field.name for field in copy.fields] == [field.name for field in contract.fields]
    assert ("\r\n" in found) == ("\r\n" in text)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_only_proposed_lines_are_marked(tmp_path, newline, end):
    path = tmp_path / "rides.yaml"
    path.write_bytes((RIDES.rstrip("\n") + end).replace("\n", newline).encode())
    volume = proposing.Proposal(None, "volume", proposing.Volume(min_rows=1, max_rows=9))
    found = proposing.written(contracts.load(path), [proposing.Proposal("fare", "max", 200.0), volume], 10, "copy")
    says = [line.removesuffix(proposing.MARK).strip() for line in found.splitlines() if proposing.MARK in line]
    assert says == ["- {name: fare, type: number, unit: EUR, max: 200.0}", "volume: {min_rows: 1, max_rows: 9}"]
    assert found.count("\r\n") == (found.count("\n") if newline == "\r\n" else 0)


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_a_time_with_or_without_a_zone_is_written_so_that_the_copy_loads(
    tmp_path, monkeypatch, in_spring, zone, capsys
):
    only(monkeypatch, "stale snapshot")
    contract, data = tmp_path / "t.yaml", tmp_path / "t.parquet"
    contract.write_text("version: 1.0.0\nowner: me\nfields:\n  - {name: at, type: timestamp}\n", encoding="utf-8")
    at = [datetime(2026, 2, 1 + i, tzinfo=zone and UTC) for i in range(5)]
    pq.write_table(pa.table({"at": pa.array(at, pa.timestamp("us", zone))}), data)
    assert drill.main([str(contract), str(data), "--write", str(tmp_path / "copy.yaml")]) == 1
    copy = contracts.load(tmp_path / "copy.yaml")
    assert (copy.freshness.field, copy.freshness.timezone) == ("at", "UTC")
    assert capsys.readouterr().err.endswith("with 1 more clause to review\n")
    assert drill.main([str(tmp_path / "copy.yaml"), str(data)]) == 0


@pytest.mark.parametrize(
    ("newest", "is_proposed"),
    [(date(2026, 2, 28), True), (date(2026, 3, 1), True), (date(2026, 3, 2), False), (date(2025, 2, 27), False)],
)
def test_freshness_is_proposed_for_a_time_that_is_neither_to_come_nor_long_ago(in_spring, newest, is_proposed):
    given = table({"fields": [{"name": "day", "type": "date"}]}, day=[date(2020, 1, 1), newest])
    assert ("freshness" in [one.key for one in proposing.candidates(given, "day")]) is is_proposed


def test_a_clause_that_is_there_is_left_alone():
    fields = [{"name": "x", "type": "integer", "min": 0, "max_null_rate": 0}]
    keys = [one.key for one in proposing.candidates(table({"fields": fields}, x=[5, 7]), "x")]
    assert "min" not in keys and "max_null_rate" not in keys and "max" in keys


def test_no_second_clause_of_a_kind_is_proposed_for_a_column():
    given = table(s=["ab", "cd", "ef"])
    wider = proposing.Proposal("s", "pattern", "(?s:.){1,9}")

    def found(chosen):
        return proposing.missing(given, "s", mutated_text, chosen, drill.breaks)

    mutated_text = given.put("s", "x || ' '")
    assert found([]) == proposing.Proposal("s", "pattern", "(?s:.){2}")
    assert found([wider]) is None  # and not one that would take its place
