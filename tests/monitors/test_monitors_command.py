"""The command line of the monitors: calendar, JSON, exit status, options, hard circumstances."""

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from made_up_days import RELEASE, ROOT, write

import monitors
import seed
from clause import daybook
from clause.sources import Source


def test_the_calendar(capsys):
    assert monitors.main([]) == 1
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[0].split()[4:] == ["multipliers", "branches", "blended", "mix", "holds", "gmv"]
    assert len([line for line in lines if line.startswith("2026-08-")]) == 27
    assert lines[19].split()[-6:] == ["ALERT"] * 4 + [".", "."]
    assert lines[27].split()[-6:] == ["ALERT"] * 6
    assert "gmv: 6 alerts on 9 days judged" in printed
    assert (
        "GMV of the 9 days with another alert: 3 inside the band of the 18 others (27,186 to 36,784),"
        " median 15.9% below theirs, z -2.18\n"
    ) in printed
    assert "gmv: needs 18 earlier days without an alert (18 days, 2026-08-01 to 2026-08-18)" in printed
    assert printed.isascii() and "\033" not in printed


@pytest.mark.parametrize(
    ("euros", "unit", "asks"), [(True, "EUR_cents", True), (True, "EUR", False), (False, "EUR_cents", False)]
)
def test_amounts_that_are_no_whole_cents_are_asked_about(rows, tmp_path, capsys, euros, unit, asks):
    priced = [{**row, "charged_cents": row["charged_cents"] / 100 + 0.25} for row in rows] if euros else rows
    monitors.main([write(tmp_path / "orders.csv", priced), "--unit", unit])
    assert ("is their unit EUR? write --unit EUR" in capsys.readouterr().out) is asks


def test_json(capsys):
    assert monitors.main(["--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["metrics", "alerts", "not_judged"]
    assert len(document["metrics"]) == 27
    assert {tuple(alert) for alert in document["alerts"]} == {("day", "monitor", "value", "baseline", "message")}
    assert document["not_judged"][0] == {
        "day": "2026-08-01",
        "monitor": "multipliers",
        "why": "needs 14 earlier days without an alert",
    }


def test_exit_status_0_quiet_2_nothing_judged(rows, tmp_path, capsys):
    assert monitors.main([write(tmp_path / "quiet.csv", [row for row in rows if row["day"] < RELEASE])]) == 0
    assert monitors.main([write(tmp_path / "one.csv", rows[:271])]) == 2
    said = "monitors.py: nothing was judged: shape needs 14 earlier days, and the history has 1\n"
    assert capsys.readouterr().err == said
    empty = tmp_path / "empty.csv"
    empty.write_text("day,charged_cents,price_cents,item_condition,category\n", encoding="utf-8")
    assert monitors.main([str(empty)]) == 2
    assert capsys.readouterr().err == "monitors.py: nothing was judged: there are no rows\n"


def test_a_day_is_written_as_iso_8601(capsys):
    with pytest.raises(SystemExit, match="2"):
        monitors.main(["--since", "yesterday"])
    assert "'yesterday' is no day; write it as 2026-08-19" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.csv"], "nowhere.csv: there is no such file"),
        (["--branch", "grade"], "no column 'grade' for branch"),
        (["--day", "none"], "no column 'none' for day"),  # every table needs one
        (["--window", "0"], "a window is at least one day"),
        (["--plot", "no/such/folder/a.png"], "No such file or directory"),
        (["--plot", "figure.foo"], "Format 'foo' is not supported"),
        (["--store", "no/such/folder/a.jsonl"], "No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert monitors.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("monitors.py: ") and error.count("\n") == 1
    assert said in error or os.name == "nt"


def test_one_new_day_a_store_and_a_contract(rows, tmp_path, capsys):
    store, contract = str(tmp_path / "metrics.jsonl"), tmp_path / "orders.yaml"
    contract.write_text(
        "version: 1.0.0\nowner: shop\nconsumers: [finance]\nvolume: {min_rows: 235}\n"
        "fields:\n  - {name: day, type: date}\n",
        encoding="utf-8",
    )
    before = write(tmp_path / "before.csv", [row for row in rows if row["day"].day < 27])
    assert monitors.main([before, "--store", store]) == 1
    today = write(tmp_path / "today.csv", [row for row in rows if row["day"].day == 27])
    capsys.readouterr()
    assert monitors.main([today, "--store", store, "--contract", str(contract), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [metric["day"] for metric in document["metrics"]] == ["2026-08-27"]
    volume = [alert for alert in document["alerts"] if alert["monitor"] == "volume"]
    assert [(alert["day"], alert["value"]) for alert in volume] == [("2026-08-27", 234)]
    assert len(monitors.read_store(store)) == 27


def test_with_a_store_only_what_is_new_is_told(rows, tmp_path, capsys):
    """The alerts of last week do not make today's exit status; days that never came do."""
    store, n = str(tmp_path / "metrics.jsonl"), len(rows)
    spoilt = [row | {"price_cents": 10 * row["price_cents"]} if row["day"].day == 16 else row for row in rows]
    for first, last, status in ((1, 16, 1), (17, 17, 0), (17, 17, 0)):
        some = [row for row in spoilt if first <= row["day"].day <= last]
        assert monitors.main([write(tmp_path / f"{n}.csv", some), "--store", store]) == status
    printed = capsys.readouterr().out
    assert printed.count("2026-08-16 Sun") == 1 and printed.count("2026-08-17 Mon") == 2
    contract = str(ROOT / "contracts" / "orders.yaml")
    later = write(tmp_path / "later.csv", [row | {"day": row["day"].replace(day=20)} for row in rows[:271]])
    assert monitors.main([later, "--store", store, "--contract", contract]) == 1
    assert "volume: 2 alerts on 3 days judged; the first on 2026-08-18: 0 rows" in capsys.readouterr().out


def test_until_leaves_later_days_out(capsys):
    assert monitors.main(["--until", "2026-08-18"]) == 0
    printed = capsys.readouterr().out
    assert "2026-08-18 Tue" in printed and "2026-08-19" not in printed
    assert monitors.main(["--until", "2026-07-01"]) == 2
    assert capsys.readouterr().err.endswith("no day of DATA lies between --since and --until\n")


def test_a_day_that_cannot_be_read_is_the_cause_that_is_told(rows, tmp_path, capsys):
    assert monitors.main([write(tmp_path / "orders.csv", rows), "--day", "category"]) == 2
    why = "no day can be read in the column 'category'; name that of the day with --day COLUMN"
    assert capsys.readouterr().err == f"monitors.py: nothing was judged: {why}\n"


def test_the_footer_says_what_signs_mean_and_what_to_turn(capsys):
    assert monitors.main(["--points", "0.5"]) == 1
    printed = capsys.readouterr().out
    assert ". quiet, ? not judged" in printed and "more than 0.5 points off the " in printed
    assert printed.count("--points") == printed.count("backtest(days)") == 1
    assert monitors.main(["--until", "2026-08-18"]) == 0
    assert "--points" not in capsys.readouterr().out


def test_messages_name_the_option(rows, tmp_path, capsys):
    contract = tmp_path / "orders.yaml"
    fields = "fields:\n  - {name: day, type: date}\nfreshness: {max_lag: 1h}\n"
    contract.write_text(f"version: 1.0.0\nowner: shop\n{fields}", encoding="utf-8")
    monitors.main(["--contract", str(contract)])
    assert "freshness: no time of loading: name its column with --loaded-at" in capsys.readouterr().out
    without = write(tmp_path / "net.csv", [{"day": row["day"], "net": 1} for row in rows])
    assert monitors.main([without]) == 2
    assert "no column 'charged_cents' for amount; name it with --amount COLUMN; " in capsys.readouterr().err


def test_a_higher_median_is_above(days):
    said = daybook.revenue(days, monitors.judge(days), None, "EUR_cents")
    assert "median 15.9% below theirs" in said
    dear = [replace(day, gmv=2 * day.gmv) if day.day >= RELEASE else day for day in days]
    said = daybook.revenue(dear, monitors.judge(days), None, "EUR_cents")
    assert re.search(r"median [0-9.]+% above theirs", said)


def test_since_starts_the_history_over(capsys):
    assert monitors.main(["--since", "2026-08-19"]) == 2  # nine days are no history yet
    assert len(capsys.readouterr().out.splitlines()) < 21


def test_until_shows_the_days_that_never_came(rows, tmp_path, capsys):
    quiet = write(tmp_path / "quiet.csv", [row for row in rows if row["day"] < RELEASE])
    assert monitors.main([quiet, "--until", "2026-08-20", "--contract", str(ROOT / "contracts" / "orders.yaml")]) == 1
    assert "volume: 2 alerts on 20 days judged; the first on 2026-08-19: 0 rows" in capsys.readouterr().out


def test_split_on_the_command_line(capsys):
    assert monitors.main(["--split-by", "category", "--format", "json"]) == 1
    alerts = json.loads(capsys.readouterr().out)["alerts"]
    assert list(alerts[0]) == ["day", "part", "monitor", "value", "baseline", "message"]
    assert {alert["part"] for alert in alerts if alert["monitor"] == "blended"} == set(seed.TYPICAL_EUR)


def test_plot_writes_the_file(tmp_path, capsys):
    assert monitors.main(["--plot", str(tmp_path / "shape.png")]) == 1
    assert (tmp_path / "shape.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("terminal", "coloured"), [(True, True), (False, False)])
def test_colour_only_on_a_terminal(monkeypatch, capsys, terminal, coloured):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert monitors.main([]) == 1
    printed = capsys.readouterr().out
    assert ("\033[1;31mALERT\033[0m" in printed) is ("\033" in printed) is coloured


def test_interrupted(monkeypatch, capsys):
    def interrupt_the_query(*_):  # as DuckDB reports it
        raise RuntimeError("Query interrupted") from KeyboardInterrupt()

    monkeypatch.setattr(Source, "run_duckdb", interrupt_the_query)
    with pytest.raises(KeyboardInterrupt):  # and no error of reading; the command ends with 130
        monitors.main([])
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="closes a pipe as POSIX shells do")
def test_a_reader_who_has_seen_enough_causes_no_traceback():
    running = subprocess.Popen(
        [sys.executable, str(ROOT / "monitors.py")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait() == 141


def test_plots_alone_import_matplotlib():
    code = "import sys, monitors, seed; monitors.daily_metrics(seed.orders()); print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_values_that_a_console_cannot_show_are_escaped(rows, tmp_path, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    named = [row | {"item_condition": "größe\n🧥"} if row["day"] >= RELEASE else row for row in rows]
    assert monitors.main([write(tmp_path / "odd.csv", named)]) == 1
    assert out.buffer.getvalue().isascii()


@pytest.mark.parametrize("arguments", [[""], *([option, ""] for option in ("--store", "--plot", "--contract"))])
def test_an_empty_name_as_of_a_variable_that_is_not_set_is_refused(capsys, arguments):
    with pytest.raises(SystemExit, match="2"):
        monitors.main(arguments)
    assert "the name is empty; give one" in capsys.readouterr().err
