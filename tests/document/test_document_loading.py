"""What loads, and what it says then; the errors as objects, the lint, the command."""

from __future__ import annotations

import copy
import datetime as dt
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest
from documents import HEAD, LESSON, faults, field

from contracts import Contract, ContractError, DataError, Field, from_mapping, load, parse, splicing
from contracts.__main__ import main
from contracts.document import Evolution, Freshness, Volume, lint, to_mapping
from contracts.errors import Fault
from contracts.plan import plan

# ---- what loads --------------------------------------------------------------------------------------------


def test_the_lesson_loads_verbatim(tmp_path: Path) -> None:
    path = tmp_path / "listings-1.4.0.yaml"
    path.write_text(LESSON, encoding="utf-8")
    contract = load(path)
    assert (contract.dataset, contract.version, contract.owner) == ("listings", "1.4.0", "team-marketplace-backend")
    assert contract.consumers == ("data-platform", "pricing-service", "finance-reporting")
    assert contract.freshness == Freshness(max_lag=dt.timedelta(hours=1))
    assert contract.volume == Volume(min_rows=6500, max_rows=9500)
    assert contract.evolution == Evolution(breaking="expand_and_contract", notice=dt.timedelta(days=14))
    meaning = "Grader's condition band, assigned at intake. A = as new · B = light wear · C = visible wear."
    condition = Field(name="item_condition", type="string", enum=("A", "B", "C"), meaning=meaning, required=True)
    price = Field(name="price_cents", type="integer", unit="EUR_cents", required=False)
    assert contract.fields == (condition, price)
    assert (contract.field("price_cents"), contract.field("Price_Cents")) == (price, None)  # names are exact

    # A gate's annotation needs the line of a clause.
    assert contract.source == path
    assert contract.line("item_condition", "enum") == 9
    assert contract.line("item_condition", "name") == 7
    assert contract.line("price_cents", "enum") == 14  # no such clause: the field
    assert contract.line(None, "volume") == 5
    assert contract.line("nobody", "enum") == 1  # no such field: the file

    # Where it was written is no part of it.
    bare = parse(LESSON, source="dataset.yaml")
    assert bare == parse(LESSON) and hash(bare) == hash(parse(LESSON)) and to_mapping(bare) == to_mapping(parse(LESSON))
    assert parse(LESSON).source is None and parse(LESSON).line(None, "volume") is None


def test_the_dataset_is_the_file_s_stem_without_the_version() -> None:
    stems = {"listings.yaml": "listings", "listings-1.3.0.yaml": "listings", "a-1.3.yaml": "a-1.3", "x": "x"}
    assert {name: parse(LESSON, source=name).dataset for name in stems} == stems
    assert parse("dataset: other\n" + LESSON, source="listings.yaml").dataset == "other"
    assert parse(LESSON).dataset == "dataset"


def test_every_type_has_values_of_its_own_python_type() -> None:
    contract = parse(
        HEAD
        + dedent("""\
        fields:
          - {name: s, type: string, enum: ['', 'NO', "A\\0", 017a]}
          - {name: i, type: integer, enum: [1, -2], min: -2, max: 10}
          - {name: n, type: number, enum: [0, 0.5, 1.0e+3], max_null_rate: 0.01}
          - {name: b, type: boolean, enum: [true, False]}
          - {name: d, type: date, min: 2026-08-19, max: '9999-12-31'}
          - {name: t, type: timestamp, min: 2026-08-19, max: 2026-08-19 12:30:00}
          - {name: z, type: timestamp, min: '2026-08-19T12:30:00+02:00', unique: true}
          - {name: m, type: string, enum: {A: ' as new ', B: light wear}, pattern: '[AB]'}
        """)
    )
    values = {f.name: f.enum for f in contract.fields}
    assert values["s"] == ("", "NO", "A\0", "017a")
    assert values["i"] == (1, -2) and all(type(v) is int for v in values["i"])
    assert [(v, type(v)) for v in values["n"] or ()] == [(0, int), (0.5, float), (1000.0, float)]
    assert values["b"] == (True, False)
    d, t, z, m = contract.fields[4:]
    assert (d.min, d.max) == (dt.date(2026, 8, 19), dt.date(9999, 12, 31)) and type(d.min) is dt.date
    assert (t.min, t.max) == (dt.datetime(2026, 8, 19), dt.datetime(2026, 8, 19, 12, 30))
    assert z.min == dt.datetime(2026, 8, 19, 10, 30, tzinfo=dt.UTC)
    assert m.enum == ("A", "B") and m.meanings == (("A", "as new"), ("B", "light wear"))


def test_durations() -> None:
    for text, seconds in {"45s": 45, "30m": 1_800, "1h": 3_600, "14d": 1_209_600, "2w": 1_209_600}.items():
        contract = parse(LESSON.replace("notice: 14d", f"notice: {text}"))
        assert contract.evolution.notice == dt.timedelta(seconds=seconds)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_zones(zone: str) -> None:
    contract = parse(LESSON.replace("max_lag: 1h", f"max_lag: 1h, timezone: {zone}"))
    assert contract.freshness is not None and contract.freshness.timezone == zone


def test_anchors_aliases_and_merge_keys() -> None:
    contract = parse(
        HEAD
        + "fields:\n"
        + "  - &money {name: price, type: integer, unit: &cents EUR_cents, min: 0}\n"
        + "  - {<<: *money, name: fee, min: 1}\n"
        + "  - {<<: [*money], name: tax, unit: *cents}\n"
    )
    assert [(f.name, f.min) for f in contract.fields] == [("price", 0), ("fee", 1), ("tax", 0)]
    assert {(f.type, f.unit) for f in contract.fields} == {("integer", "EUR_cents")}


def test_bom_and_windows_line_ends() -> None:
    assert parse(b"\xef\xbb\xbf" + LESSON.replace("\n", "\r\n").encode()) == parse(LESSON)
    assert [(f.line, f.column) for f in faults("\ufeffversion: 1.4")][-1] == (1, 10)
    assert faults("\ufeff" + HEAD.replace("\n", "\r\n") + "fields: 1\r\n")[0].line == 3


def test_a_contract_is_frozen_in_depth_hashes_copies_and_pickles() -> None:
    contract = parse(LESSON, source="listings.yaml")
    with pytest.raises(ValueError, match="frozen"):
        contract.fields[0].enum = ("X",)
    assert len({contract, contract.model_copy(), copy.deepcopy(contract), pickle.loads(pickle.dumps(contract))}) == 1
    assert pickle.loads(pickle.dumps(contract)).line("price_cents", "unit") == 16


def test_a_contract_can_be_built_in_python_under_the_same_rules() -> None:
    name = Field(name="n", type="string", enum=("a",), meanings=(("a", "first"),))
    contract = Contract(version="1.0.0", owner="o", fields=(name,))
    assert contract == from_mapping(to_mapping(contract))
    with pytest.raises(ValueError, match="two fields are named"):
        Contract(version="1.0.0", owner="o", fields=(name, name))


# ---- errors and the command ------------------------------------------------------------------------------------


def test_errors_pickle_and_copy() -> None:
    wrong = ContractError((Fault("a.yaml", 1, 2, "x"), Fault("a.yaml", 3, 4, "y")), unreadable=True)
    unread = DataError("cannot read", path="a.csv", line=7)
    for again in (pickle.loads(pickle.dumps(wrong)), copy.copy(wrong), copy.deepcopy(wrong)):
        assert (again.faults, again.unreadable, str(again)) == (wrong.faults, True, "a.yaml:1:2: x\na.yaml:3:4: y")
    for copied in (pickle.loads(pickle.dumps(unread)), copy.copy(unread), copy.deepcopy(unread)):
        assert (str(copied), copied.path, copied.line) == ("cannot read", "a.csv", 7)


def test_lint_minds_naive_timestamps_without_a_zone(tmp_path: Path) -> None:
    path = tmp_path / "orders.yaml"
    text = field("name: at, type: timestamp") + "freshness: {max_lag: 1h, field: at}\n"
    path.write_text(text, encoding="utf-8")
    load(path)  # it loads, but
    (fault,) = lint(path)
    assert (fault.line, "add timezone: UTC" in fault.message) == (5, True)
    path.write_text(text.replace("field: at", "field: at, timezone: Europe/Berlin"), encoding="utf-8")
    assert lint(path) == ()
    path.write_text(text.replace("timestamp", "date"), encoding="utf-8")
    assert lint(path) == ()
    assert lint(tmp_path / "missing.yaml")[0].message.startswith("cannot read the file")


def test_the_lint_command_goes_through_all_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, missing = (str(tmp_path / name) for name in ("listings.yaml", "bad.yaml", "missing.yaml"))
    Path(good).write_text(LESSON, encoding="utf-8")
    Path(bad).write_text(LESSON.replace("[A, B, C]", "[A, NO]"), encoding="utf-8")
    assert main(["lint", good]) == 0
    assert capsys.readouterr().out == f"ok  {good}  listings 1.4.0, 2 fields\n"
    assert main(["lint", bad, good]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"{bad}:9:15: NO is read as the boolean false; write 'NO', because text belongs here"
    assert second.startswith("ok")
    assert main(["lint", missing, bad, good]) == 2
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.skipif(os.name == "nt", reason="has no pipes in its folders")
def test_a_contract_that_is_named_may_be_a_pipe_which_is_read_once(tmp_path: Path) -> None:
    """As in `plan <(…) wanted.yaml`; who wants its text again writes it anew."""
    pipe = tmp_path / "c.yaml"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as writer:
        writer.submit(pipe.write_text, field("name: x, type: string"))
        contract = load(pipe)
    assert contract.dataset == "c" and contract.source is None
    assert "name: x" in splicing.written(contract)
    wanted = parse("dataset: c\n" + field("name: x, type: integer").replace("1.0.0", "2.0.0"))
    assert plan(contract, wanted, announce=dt.date(2026, 8, 19))


def test_the_command_from_outside(tmp_path: Path) -> None:
    path = tmp_path / "listings.yaml"
    path.write_text(LESSON, encoding="utf-8")
    run = [sys.executable, "-m", "contracts"]
    done = subprocess.run([*run, "lint", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("ok  ")
    assert subprocess.run(run, capture_output=True, check=False).returncode == 2
    if os.name == "posix":  # a reader that leaves at once, as `head` does
        left = subprocess.Popen([*run, "lint", *[str(path)] * 3], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert left.stdout is not None and left.stderr is not None
        left.stdout.close()
        assert (left.stderr.read(), left.wait()) == (b"", 141)
        left.stderr.close()


def test_the_errors_alone_import_no_pydantic() -> None:
    code = "import sys, contracts.errors; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    code = "import sys, contracts.document; sys.exit('re2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
