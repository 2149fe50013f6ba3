"""The shop: the incident, the score of both contracts, the copy with clauses to review, the figure."""

import json
import re

import matplotlib
import pytest
import yaml
from drilled import BEFORE, IN_FORCE, RELEASE, entry_of, only, row_of

import contracts
import drill
import monitors
import seed
from clause import matrix, mutations

matplotlib.use("Agg")


pytestmark = pytest.mark.xdist_group("drill")  # one process, since all look at the same two drills on the shop


PUBLISHED = yaml.safe_load((seed.ROOT / "figures.yaml").read_text(encoding="utf-8"))
LOST = float(PUBLISHED["incident"]["under_charged_eur"])


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


def test_every_mutation_is_tried_and_says_what_it_models_and_two_do_not_apply(shop):
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


def test_the_copy_comes_whole_or_not_at_all(tmp_path, shop, monkeypatch):
    path = tmp_path / "copy.yaml"
    path.write_text("as it was\n", encoding="utf-8")

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(seed.os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        drill.write(shop, contracts.load(IN_FORCE), path)
    assert path.read_text(encoding="utf-8") == "as it was\n"
