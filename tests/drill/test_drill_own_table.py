"""Any table: monitors, consumers' SQL, what cannot be drilled, hostile names and values."""

import json
import re
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from drilled import RIDES, entry_of, only, rides, row_of

import contracts
import drill
import monitors
from clause import mutations, running
from contracts import ContractError, DataError

# --- any table ------------------------------------------------------------------------------------------------------


def test_a_foreign_table_with_its_own_contract(tmp_path, few, in_spring):
    contract, data = rides(tmp_path)
    copy = tmp_path / "reviewed.yaml"
    before = drill.drill(contract, str(data))
    drill.write(before, contracts.load(contract), copy)
    text = str(before)
    assert not before.false_alarms and before.thresholds == {}
    assert {"readers", "shape", "shape_calibrated", "gmv"} == {*before.not_judged}  # which is not the same as fine
    assert row_of(before, "lose leading zeros").column == "postcode"
    assert row_of(before, "times 100").example == "5.0 written as 500.0"
    assert 'no enum on The "zone": ' in text and "no max on fare: 5.0 written as 500.0 passes; write max: " in text
    again = drill.drill(copy, data)
    assert before.mutation_score < 0.3 and again.mutation_score > 0.7
    assert again.dataset == "rides"  # though the file is called otherwise
    assert [row.name for row in again.survivors if row.proposal] == []
    assert "  # counted up" in copy.read_text(encoding="utf-8")
    assert not again.false_alarms


def test_with_day_and_amount_the_monitors_watch_and_the_mutation_comes_in_on_a_day(tmp_path, few, capsys):
    contract, data = rides(tmp_path)
    asked = ["--day", "at", "--amount", "fare", "--list-amount", "gross", "--branch", 'The "zone"']
    assert drill.main([str(contract), str(data), *asked, "--since", "2026-01-20", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["since"] == "2026-01-20" and {*document["not_judged"]} == {"readers"}
    entry = entry_of(document, "recode every value")
    assert entry["noticed_by"] == ["shape", "shape_calibrated"] and entry["first_day"] == "2026-01-20"
    assert entry["cost_eur"] is None  # nobody knows how this table is charged
    assert "gmv" in entry_of(document, "times 100")["noticed_by"]
    assert entry_of(document, "swap two values")["noticed_by"] == []
    spec = monitors.Spec("at", "fare", None, None, (), None)
    scene = drill.own(contracts.load(contract), data, spec, None, None)
    assert scene.since == date(2026, 1, 17) and scene.earlier == 160  # the last third of 24 days


def test_nobody_notices_anything_on_a_day_that_has_not_been(tmp_path, monkeypatch):
    """A clock that was never set makes orders of next year; the monitors say what they see on the days until now."""
    only(monkeypatch, "future time", "recode every value")
    contract, data = rides(tmp_path)
    spec = monitors.Spec("at", "fare", "gross", 'The "zone"', (), None)
    result = drill.drill(contract, data, spec=spec, since=date(2026, 1, 20))
    assert "shape" in row_of(result, "recode every value").noticed_by
    notices = row_of(result, "future time").notices
    assert [one.by for one in notices if not one.day or one.day > date(2026, 1, 24)] == []


def test_every_column(tmp_path, few):
    contract, data = rides(tmp_path)
    result = drill.drill(contract, data, every_column=True)
    tried = [row.column for row in result.matrix if row.name == "null every 20th"]
    assert sorted(tried) == sorted(field.name for field in contracts.load(contract).fields)


def test_sql_of_consumers_beside_the_contract_is_run(tmp_path, monkeypatch):
    only(monkeypatch, "rename", "recode every value", "times 100", "flip boolean")
    contract, data = rides(tmp_path)
    team = tmp_path / "consumers" / "billing"
    team.mkdir(parents=True)
    (team / "b_invoice.sql").write_text("select sum(total) as total from a_total -- reads another\n;", encoding="utf-8")
    (team / "a_total.sql").write_text(
        'select "The ""zone""", sum(fare) as total from lake.rides group by 1', encoding="utf-8"
    )
    result = drill.drill(contract, data)
    assert {"shape", "shape_calibrated", "gmv"} == {*result.not_judged}
    assert row_of(result, "recode every value").counts and row_of(result, "times 100").counts
    assert not row_of(result, "flip boolean").counts  # nobody reads it
    assert re.search("^not counted, as no consumer gets anything else: .*flip boolean", str(result), re.MULTILINE)
    (team / "reads_zone.sql").write_text("select postcode from rides", encoding="utf-8")
    row = row_of(drill.drill(contract, data), "rename")
    assert row.column == "postcode" and [notice.by for notice in row.first("readers")] == ["billing/reads_zone.sql"]


PRICES = [
    {"list_cents": 900 + i, "price_cents": 500 + 7 * i, "shelf": "ab"[i % 2], "size": "xy"[i % 2]} for i in range(40)
]
PRICED = {"version": "1.0.0", "dataset": "toys", "owner": "me", "fields": [
    {"name": "list_cents", "type": "integer", "unit": "EUR_cents"}, {"name": "price_cents", "type": "integer"},
    {"name": "shelf", "type": "string"}, {"name": "size", "type": "string"}]}  # fmt: skip


def test_a_column_that_the_sql_of_consumers_reads_is_broken_before_one_that_nobody_does(tmp_path, monkeypatch):
    only(monkeypatch, "times 100", "recode every value", "rename")
    (tmp_path / "till").mkdir()
    (tmp_path / "till" / "sold.sql").write_text("select Size, sum(price_cents) as s from toys group by 1", "utf-8")
    (tmp_path / "till" / "other.sql").write_text("select list_cents from elsewhere", "utf-8")
    with_sql = drill.drill(PRICED, PRICES, consumers=tmp_path)
    without = drill.drill(PRICED, PRICES)
    assert [row.column for row in with_sql.matrix] == ["size", "size", "price_cents"]
    assert [row.column for row in without.matrix] == ["shelf", "shelf", "list_cents"]


@pytest.mark.parametrize(
    ("clauses", "names", "advice"),
    [
        ({}, ["price_cents", "shelf"], "drill the rows that the gate's --quarantine accepts: "),
        ({"volume": {"max_rows": 9}}, ["price_cents", "shelf", "40 rows"], "mend the data, or the contract where it"),
    ],
    ids=["rows", "also their number"],
)
def test_data_that_breaks_its_contract_is_told_every_clause_and_what_helps(clauses, names, advice):
    fields = [dict(field) for field in PRICED["fields"]]
    fields[1]["max"], fields[2]["enum"] = 1, ["a"]
    with pytest.raises(DataError) as refused:
        drill.drill({**PRICED, "fields": fields, **clauses}, PRICES)
    said = str(refused.value)
    assert f"{len(names)} clauses broken" in said and advice in said
    assert all(name in said for name in names)


def test_a_bound_that_is_there_but_wide_is_told_and_not_added(monkeypatch):
    only(monkeypatch, "cents to euros", "round amounts", "lose last 30 percent")
    fields = [{"name": "price_cents", "type": "integer", "min": 1, "max": 10**6}]
    contract = {**PRICED, "fields": fields, "volume": {"min_rows": 1, "max_rows": 10**6}}
    result = drill.drill(contract, 2 * [{"price_cents": each["price_cents"]} for each in PRICES])
    assert result.proposals == []
    assert [row.tighter and row.tighter.says for row in result.survivors] == [
        "min: 500",
        None,
        "volume: {min_rows: 64, max_rows: 96}",
    ]
    said = str(result)
    assert "wide min on price_cents: 500 written as 5 passes; min: 500 would catch it" in said
    assert said.partition("no further clause, and no tighter bound, would catch these:")[2].count("survivor: ") == 1


def test_sql_that_does_not_run_is_told_and_may_read_any_column(tmp_path, monkeypatch):
    only(monkeypatch, "flip boolean")
    contract, data = rides(tmp_path)
    team = tmp_path / "consumers" / "billing"
    team.mkdir(parents=True)
    for name, sql in (
        ("total", "select sum(fare) as total from rides"),
        ("stray", "select * from rides join elsewhere using (fare)"),
        ("steals", f"copy rides to '{tmp_path / 'stolen.csv'}'"),
        ("peeps", f"select * from rides, read_csv('{data}')"),
        ("clock", "select fare, random() as r from rides"),
        ("rides", "select * from rides"),
        ("lost", "select * from system.rides"),
    ):
        (team / f"{name}.sql").write_text(sql, encoding="utf-8")
    result = drill.drill(contract, data)
    assert not (tmp_path / "stolen.csv").exists()
    why = {name.removeprefix("billing/"): why for name, why in result.not_judged.items() if name.startswith("billing/")}
    assert {*why} == {"stray.sql", "steals.sql", "peeps.sql", "clock.sql", "rides.sql", "lost.sql"}
    assert why["clock.sql"] == "it gives something else each time"
    assert why["rides.sql"] == "its name is that of the table itself"
    assert "readers" not in result.not_judged
    assert row_of(result, "flip boolean").counts  # who knows what the others read?


def test_sql_that_takes_too_long_is_interrupted_and_not_judged(tmp_path, monkeypatch):
    """`slow` from the start; `grows` on the mutated rows alone, and what reads it is not judged either."""
    only(monkeypatch, "times 100", "flip boolean")
    monkeypatch.setattr(running, "SECONDS", 0.3)
    contract, data = rides(tmp_path)
    team = tmp_path / "consumers" / "billing"
    team.mkdir(parents=True)
    count = "with recursive n(i) as (select 1 union all select i + 1 from n where i < {}) select max(i) as m from n"
    for name, sql in (
        ("slow", count.format("(select count(*) * 10000000000 from rides)")),
        ("grows", count.format("(select if(max(fare) > 1000, 10000000000, 2) from rides)")),
        ("reader", "select m from grows"),
        ("total", "select sum(fare) as total from rides"),
    ):
        (team / f"{name}.sql").write_text(sql, encoding="utf-8")
    result = drill.drill(contract, data)
    late = "it took more than 0.3 seconds, so it was interrupted"
    assert {name: why for name, why in result.not_judged.items() if name.startswith("billing/")} == {
        "billing/slow.sql": late,
        "billing/grows.sql": late,
        "billing/reader.sql": "it reads grows, which took more than 0.3 seconds",
    }
    row = row_of(result, "times 100")
    assert row.counts and "readers" in row.not_judged and not row.first("readers")
    assert "billing/grows.sql" in str(result)


def test_a_team_without_sql_may_read_any_column(tmp_path, monkeypatch):
    only(monkeypatch, "flip boolean")
    contract, data = rides(tmp_path, contract=RIDES.replace("[billing]", "[billing, research]"))
    team = tmp_path / "consumers" / "billing"
    team.mkdir(parents=True)
    (team / "total.sql").write_text("select sum(fare) as total from rides", encoding="utf-8")
    result = drill.drill(contract, data)
    assert row_of(result, "flip boolean").counts and result.not_judged["research"] == "there is no SQL of it"


def test_a_folder_without_sql_says_nothing_of_what_is_read(tmp_path, monkeypatch):
    only(monkeypatch, "flip boolean")
    contract, data = rides(tmp_path, contract=RIDES.replace("consumers: [billing]\n", ""))
    (tmp_path / "consumers").mkdir()
    result = drill.drill(contract, data)
    assert row_of(result, "flip boolean").counts
    assert result.not_judged["readers"] == "no SQL of consumers runs on rides"


def test_no_survivor_and_no_false_alarm_is_exit_0(tmp_path, monkeypatch, capsys):
    contract, data = rides(
        tmp_path, contract=RIDES.replace("fare, type: number", "fare, type: number, max: 200, min: 5")
    )
    held = [each for each in mutations.MUTATIONS if each.name in ("times 100", "rename", "add column", "flip sign")]
    monkeypatch.setattr(drill, "MUTATIONS", held)
    figure = tmp_path / "matrix.svg"
    assert drill.main([str(contract), str(data), "--write", str(tmp_path / "copy.yaml"), "--plot", str(figure)]) == 0
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    said = capsys.readouterr()
    assert "mutation score 100%" in said.out and "not written: no clauses to review" in said.err
    assert not (tmp_path / "copy.yaml").exists()


def test_what_cannot_be_drilled_is_exit_2_with_one_sentence(tmp_path, capsys):
    contract, data = map(str, rides(tmp_path))
    wrong, empty, lacking, broken = (
        tmp_path / name for name in ("wrong.yaml", "empty.csv", "lacking.csv", "broken.csv")
    )
    wrong.write_text("version: 1.0\n", encoding="utf-8")
    lines = Path(data).read_text(encoding="utf-8").splitlines(keepends=True)
    empty.write_text(lines[0], encoding="utf-8")
    lacking.write_text("fare\n1.0\n", encoding="utf-8")
    broken.write_text(lines[0] + lines[1].replace("5.00", "much"), encoding="utf-8")
    for arguments, says in (
        ([str(tmp_path / "none.yaml")], "cannot read the file"),
        ([str(wrong), data], "a version is three numbers"),
        ([contract, str(tmp_path / "none.csv")], "there is no such file"),
        ([contract, str(empty)], "has no rows, so nothing can be broken"),
        ([contract, str(lacking)], "5 clauses broken before anything is mutated"),
        ([contract, str(broken)], "are not of type number: much (1 row)"),
        ([contract, data, "--day", "at", "--amount", "nothing"], "no column 'nothing' for amount"),
        ([contract, data, "--day", "at", "--amount", "fare", "--since", "2030-01-01"], "nothing from 2030-01-01 on"),
        ([contract, data, "--consumers", str(tmp_path / "nowhere")], "there is no such folder"),
        ([contract, data, "--write", contract], "is the contract itself"),
        ([contract, data, "--write", str(tmp_path)], "is a folder, and --write needs a file"),
    ):
        assert drill.main(arguments) == 2, arguments
        said = capsys.readouterr()
        assert says in said.err and "Traceback" not in said.err and said.out == ""
    assert Path(contract).read_text(encoding="utf-8") == RIDES
    for arguments in (
        [contract, data, "--day", "at"],
        [contract, data, "--since", "2026-01-03"],
        ["--day", "at", "--amount", "fare"],
        ["--consumers", str(tmp_path)],
        *([contract, data, option, ""] for option in ("--consumers", "--plot", "--write")),
        [""],
        [contract, ""],
    ):
        with pytest.raises(SystemExit) as stop:
            drill.main(arguments)
        assert stop.value.code == 2


# --- hostile tables ---------------------------------------------------------------------------------------------------


def test_names_that_differ_only_in_case_and_names_that_would_move_the_cursor(few):
    rows = {
        "Price": [1.5, 2.5] * 10,
        "price": [3.5, 4.5] * 10,
        "co\x1b[2Jde": ["a", "b"] * 10,
        "'; drop table x; --": [1] * 20,
    }
    fields = [{"name": name, "type": "string" if "co" in name else "number"} for name in rows if "drop" not in name]
    fields.append({"name": "'; drop table x; --", "type": "integer"})
    result = drill.drill({"version": "1.0.0", "owner": "me", "fields": fields}, pa.table(rows))
    assert row_of(result, "times 100").column == "Price" and result.false_alarms == []
    assert "differ in case alone" in result.not_judged["boundary"]
    assert "\x1b" not in str(result) and "co\\x1b[2Jde" in str(result)


def test_one_row_and_a_huge_enum(monkeypatch):
    only(monkeypatch, "times 100", "recode every value", "swap two values")
    one = drill.drill({"version": "1.0.0", "owner": "me", "fields": [{"name": "x", "type": "number"}]}, [{"x": 1.5}])
    assert row_of(one, "times 100").applies and not row_of(one, "recode every value").applies
    words = [f"word {i}" for i in range(1000)]
    says = {"version": "1.0.0", "owner": "me", "fields": [{"name": "w", "type": "string", "enum": words}]}
    huge = drill.drill(says, pa.table({"w": words}))
    assert row_of(huge, "recode every value").caught
    assert not row_of(huge, "swap two values").counts  # the same values once each: nobody gets anything else
    assert max(map(len, str(huge).splitlines())) < 300


def test_keys_that_come_twice_are_told_not_unique(few):
    rows = pa.table({"key": [1, 1, 2, 3], "x": [1.0, 2.0, 3.0, 4.0]})
    fields = [{"name": "key", "type": "integer"}, {"name": "x", "type": "number"}]
    result = drill.drill({"version": "1.0.0", "owner": "me", "fields": fields}, rows)
    assert ("key", "unique") not in [(one.field, one.key) for one in result.proposals]
    with pytest.raises(DataError, match=r"1 clause broken before anything.*share their value"):
        drill.drill({"version": "1.0.0", "owner": "me", "fields": [fields[0] | {"unique": True}, fields[1]]}, rows)


def test_a_wrong_contract_is_no_data_error(tmp_path):
    with pytest.raises(ContractError):
        drill.drill({"version": "1.0.0"}, [{"x": 1}])
