"""The drill: what is broken, who notices, what it costs, and which clause nobody has written."""

import json
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import matplotlib
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import contracts
import drill
import monitors
import seed
from clause import loading, matrix, mutations, proposing, roles, running
from clause.charging import charge
from contracts import ContractError, DataError

matplotlib.use("Agg")

pytestmark = pytest.mark.xdist_group("drill")  # one process, since all look at the same two drills on the shop

IN_FORCE = seed.ROOT / "contracts" / "listings.yaml"
BEFORE = seed.ROOT / "contracts" / "history" / "listings-1.3.0.yaml"
RELEASE = date(2026, 8, 19)
PUBLISHED = yaml.safe_load((seed.ROOT / "figures.yaml").read_text(encoding="utf-8"))
LOST = float(PUBLISHED["incident"]["under_charged_eur"])
FEW = ("rename", "reorder columns", "add column", "recode every value", "swap two values", "flip boolean")
FEW += ("times 100", "null every 20th", "lose leading zeros", "stale snapshot", "duplicate every 100th", "widen")


@pytest.fixture(scope="module")
def shop():
    return drill.drill()


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """The shop under contract 1.3.0, by the command line: exit status, document, the copy."""
    folder = tmp_path_factory.mktemp("without")
    copy = folder / "listings-1.4.0.yaml"
    with pytest.MonkeyPatch.context() as patch:
        said = []
        patch.setattr("builtins.print", lambda *words, **_: said.append(" ".join(map(str, words))))
        status = drill.main([str(BEFORE), "--format", "json", "--write", str(copy)])
    return status, json.loads(next(text for text in said if text.startswith("{"))), copy


def only(monkeypatch, *names):
    """Fewer mutations, for tests that are not about them."""
    monkeypatch.setattr(drill, "MUTATIONS", [each for each in mutations.MUTATIONS if each.name in names])


@pytest.fixture
def few(monkeypatch):
    only(monkeypatch, *FEW)


def row_of(result, name):
    (row,) = [row for row in result.matrix if row.name == name]
    return row


def entry_of(document, name):
    (entry,) = [entry for entry in document["mutations"] if entry["name"] == name]
    return entry


# --- the incident ---------------------------------------------------------------------------------------------------


def test_1_3_0_misses_the_recoding_and_only_shape_and_revenue_see_it(without):
    _, document, _ = without
    entry = entry_of(document, "recode every value")
    assert entry["noticed_by"] == ["shape", "shape_calibrated", "gmv"]
    assert (entry["cost_eur"], entry["over_charged_eur"]) == (LOST, 0) == (29289.95, 0)
    assert entry["first_day"] == "2026-08-19"
    assert 0 < entry["until_noticed_eur"] < LOST / 5  # the first day is paid: shape speaks at its end
    days = {notice["by"]: notice["day"] for notice in entry["notices"] if notice["guard"] != "shape_calibrated"}
    assert days["blended"] == days["multipliers"] == days["branches"] == days["mix"] == "2026-08-19"
    assert (days["holds"], days["gmv"]) == ("2026-08-21", "2026-08-20")  # three days on one value; weather


def test_1_4_0_catches_it_before_it_costs_anything(shop):
    row = row_of(shop, "recode every value")
    assert row.caught and [notice.by for notice in row.notices if notice.guard == "contract"] == [
        "enum: item_condition"
    ]
    assert "excellent (2,080 rows)" in row.notices[0].message  # the gate's own sentence
    assert (row.first_day, row.cost_eur, row.until_noticed_eur) == (RELEASE, LOST, 0)
    assert "boundary" not in row.noticed_by and "boundary_validate" in row.noticed_by  # structure does not see it


def test_the_swap_passes_every_value_clause_and_only_calibrated_shape_sees_it(shop):
    row = row_of(shop, "swap two values")
    assert row.column == "item_condition" and row.noticed_by == ["shape_calibrated"]
    assert row.proposal is None  # no clause about values can
    (notice,) = row.notices
    assert (notice.by, notice.day, notice.days) == ("blended", RELEASE, 9)
    assert row.under_charged_eur > 10_000 and row.over_charged_eur > 10_000
    assert row.cost_eur == row.under_charged_eur + row.over_charged_eur  # the one does not make up for the other
    assert shop.thresholds == {"points": 0.2, "psi": 0.01, "judged": 4}


def test_the_quiet_days_allow_the_calibrated_thresholds_and_no_smaller_ones():
    quiet = [day for day in monitors.daily_metrics(seed.orders()) if day.day < RELEASE]
    tested = {one["monitor"]: one for one in monitors.backtest(quiet, monitors.Rules(points=0.2, psi=0.01))}
    assert {name: one["alerts"] for name, one in tested.items()} == dict.fromkeys(tested, 0)
    assert 0.1 < drill.MARGIN * tested["blended"]["most_off"] <= 0.2


def test_a_change_of_unit_passes_types_and_not_values(shop):
    row = row_of(shop, "cents to euros")
    assert row.noticed_by == ["contract", "boundary_validate", "gmv"]
    assert row.first("contract")[0].by == "range: price_cents"


def test_the_renamed_column_breaks_six_dashboards_and_costs_nothing(shop):
    row = row_of(shop, "rename")
    assert row.column == "brand"
    stopped = [notice.by for notice in row.notices if notice.guard == "readers"]
    assert len(stopped) == 6 and all("dashboard" in name for name in stopped)
    assert row.cost_eur == 0


def test_where_the_price_list_stops_the_prices_of_the_day_before_stay(shop):
    row = row_of(shop, "drop")
    assert row.column == "item_condition"
    assert "pricing-service/fct_price.sql" in [notice.by for notice in row.notices]
    assert row.cost_eur == 0 and "shape" not in row.noticed_by


def test_controls_raise_nothing(shop, without):
    names = ["widen", "reorder columns", "add column"]
    for name in names:
        row = row_of(shop, name)
        assert row.applies and row.harmless and row.notices == () and row.cost_eur == 0
    assert shop.false_alarms == [] and without[1]["false_alarms"] == []
    assert not {*names} & {row.name for row in shop.counted}


def test_a_control_that_raises_something_is_a_false_alarm():
    notice = drill.Notice("contract", "additive: x", None, "")
    rows = [drill.Row("add column", "structural", "", harmless=True, changes=True, notices=(notice,))]
    result = drill.Result("d", "1.0.0", 1, tuple(rows), {})
    assert [row.name for row in result.false_alarms] == ["add column"] and result.counted == []
    assert "false alarms: add column (contract), of 1 harmless control" in str(result)


def test_an_empty_table_is_not_judged_by_the_monitors(shop):
    row = row_of(shop, "empty table")
    assert row.not_judged == ("gmv", "shape", "shape_calibrated")
    assert matrix.cells(row, shop)[-5:-2] == ["?", "?", "?"]


def test_the_mutations_are_those_of_the_issue_and_all_of_them_really_change_the_rows(shop):
    assert len(shop.matrix) == len(mutations.MUTATIONS) >= 33
    assert {row.axis for row in shop.matrix} == {"structural", "semantic", "volume", "time"}
    assert [row.name for row in shop.matrix if not row.applies] == ["flip boolean", "lose leading zeros"]
    assert all(row.models.endswith(".") for row in shop.matrix)  # each says what it models


# --- the score ------------------------------------------------------------------------------------------------------


def test_what_does_not_apply_is_listed_and_never_counted(shop):
    row = row_of(shop, "flip boolean")
    assert row.why_not == "no column of true and false" and not row.counts and row.notices == ()
    assert row not in shop.counted + shop.survivors
    assert "not applicable: flip boolean: no column of true and false" in str(shop)
    assert len(shop.counted) == len(shop.matrix) - 2 - 3  # and the three controls


def test_the_score_is_what_the_contract_catches(shop, without):
    document = without[1]
    assert (document["caught"], document["counted"]) == (19, 30)
    assert document["mutation_score"] == round(19 / 30, 4) < shop.mutation_score == round(25 / 30, 4)
    assert [row.name for row in shop.survivors] == [
        "swap two values", "slip one row", "other currency", "round amounts", "truncate text"
    ]  # fmt: skip


def test_survivors_come_with_the_clause_that_would_catch_each(without):
    clauses = {each["name"]: each["clause"] for each in without[1]["survivors"]}
    enum = {"field": "item_condition", "key": "enum", "value": ["A", "B", "C"]}
    assert clauses["recode every value"] == clauses["change case"] == clauses["default to empty"] == enum
    assert clauses["swap two values"] is None


def test_the_copy_keeps_the_author_s_lines_and_the_data_and_scores_better(without, monkeypatch):
    _, document, copy = without
    text = copy.read_text(encoding="utf-8")
    kept = BEFORE.read_text(encoding="utf-8").replace("version: 1.3.0", "version: 1.4.0").splitlines()
    fresh = [line for line in text.splitlines() if line not in kept]
    assert [line for line in text.splitlines() if line in kept] == kept  # comments too
    assert all("review" in line for line in fresh) and len(fresh) == 3  # the head, and two clauses
    assert contracts.document.lint(copy) == ()
    names = ("recode every value", "swap two values", "truncate text", "times 100")
    only(monkeypatch, *names)
    again = drill.drill(copy)  # which refuses data that does not keep it
    assert again.mutation_score == 0.75
    assert [name for name in names if "contract" in entry_of(document, name)["noticed_by"]] == ["times 100"]
    assert row_of(again, "recode every value").until_noticed_eur == 0


def test_the_drill_says_the_same_twice_and_its_exit_status_says_that_something_survives(shop, monkeypatch, capsys):
    names = ("recode every value", "swap two values", "one group only", "null every 20th")
    only(monkeypatch, *names)
    assert drill.main(["--format", "json"]) == 1
    again = json.loads(capsys.readouterr().out)["mutations"]
    assert again == [entry for entry in json.loads(json.dumps(shop.to_dict()))["mutations"] if entry["name"] in names]


def test_the_document_has_the_promised_keys(without):
    status, document, _ = without
    assert status == 1
    assert {"mutations", "mutation_score", "false_alarms", "survivors", "not_judged"} <= {*document}
    promised = {"name", "axis", "applies", "noticed_by", "first_day", "cost_eur"}
    assert all(promised <= {*entry} for entry in document["mutations"])


# --- the figure -----------------------------------------------------------------------------------------------------


def test_the_figure_shows_the_matrix_and_says_it_in_words(shop):
    import matplotlib.pyplot as plt

    figure = drill.plot(shop)
    ax = figure.axes[0]
    applied = [row for row in shop.matrix if row.applies]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == list(matrix.heads(shop).values())
    ticks = [tick.get_text() for tick in ax.get_yticklabels()]
    assert ticks == [row.title + " (harmless)" * row.harmless for row in applied]
    y = ticks.index("swap two values [item_condition]") + 0.5
    texts = {round(text.get_position()[0], 2): text.get_text() for text in ax.texts if text.get_position()[1] == y}
    calibrated = list(matrix.heads(shop)).index("shape_calibrated") + 0.5
    assert texts[calibrated] == "day 1" and "32,369.00" in texts.values()
    assert {texts[x + 0.5] for x in range(5)} == {""}
    alt = figure.get_label()
    assert "Matrix of 30 mutations of listings 1.4.0" in alt and "contract: notices 25." in alt
    assert "Nobody notices: slip one row [item_condition], round amounts" in alt
    plt.close("all")


def test_the_text_has_a_line_for_each_mutation_that_applies(shop):
    text = str(shop)
    (line,) = re.findall(r"^swap two values .*$", text, re.MULTILINE)
    assert line.split()[-2:] == ["32,369.00", "3,817.70"] and "blended day 1" in line
    assert re.search(r"^slip one row .* 32,112\.85 +never$", text, re.MULTILINE)
    assert "mutation score 83%: the contract catches 25 of 30 that change what a consumer computes" in text
    assert "write enum: [Alder, Birkholm" in text  # truncate text


# --- any table ------------------------------------------------------------------------------------------------------

RIDES = """\
# What dispatch promises.
version: 0.9.0
owner: dispatch
consumers: [billing]
fields:
  - {name: "ride no.", type: integer}  # counted up
  - {name: 'The "zone"', type: string}
  - {name: fare, type: number, unit: EUR}
  - {name: postcode, type: string}
  - {name: paid, type: boolean}
  - {name: at, type: timestamp}
"""


def rides(folder, rows=240, contract=RIDES):
    """A small table of hostile column names as CSV, ten rides a day, and its contract."""
    lines = ['ride no.,"The ""zone""",fare,postcode,paid,at,gross']
    for i in range(rows):
        at = datetime(2026, 1, 1, 6) + timedelta(days=i // 10, hours=i % 10)
        zone, fare = ("city", "suburb", "airport")[i % 3], 5 + i * 13 % 89 + (i // 10) / 100
        lines.append(
            f"{i},{zone},{fare:.2f},{i * 37 % 9999:05d},{'false' if i % 4 else 'true'},{at.isoformat()},{fare * 2}"
        )
    (folder / "rides.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "rides.yaml").write_text(contract, encoding="utf-8")
    return folder / "rides.yaml", folder / "rides.csv"


@pytest.fixture
def in_spring(monkeypatch):
    """Freshness is proposed for a time that is not long ago."""
    monkeypatch.setattr(proposing, "today", lambda: date(2026, 3, 1))


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
    ):
        with pytest.raises(SystemExit) as stop:
            drill.main(arguments)
        assert stop.value.code == 2


# --- what it is made of ---------------------------------------------------------------------------------------------


def table(contract=None, **columns):
    types = {"int64": "integer", "string": "string", "double": "number", "bool": "boolean"}
    rows = pa.table(columns)
    fields = [
        {"name": field.name, "type": types.get(str(field.type), "timestamp")} for field in rows.schema if field.name
    ]
    says = {"version": "1.0.0", "owner": "me", "fields": fields} | (contract or {})
    return roles.Table(rows, contracts.from_mapping(says))


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


def test_the_copy_comes_whole_or_not_at_all(tmp_path, shop, monkeypatch):
    path = tmp_path / "copy.yaml"
    path.write_text("as it was\n", encoding="utf-8")

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(seed.os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        drill.write(shop, contracts.load(IN_FORCE), path)
    assert path.read_text(encoding="utf-8") == "as it was\n"


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
