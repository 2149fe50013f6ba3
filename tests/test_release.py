"""contracts/release.py: whether a change may be released, PR #4471, and the command `diff`."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import copy
import datetime as dt
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from versions import ABC, HISTORY, INT, MIGRATED, WORDS, consumers, contract, listings, pr_4471

import seed
from contracts import from_mapping
from contracts.__main__ import main
from contracts.changes import given as bump_of
from contracts.release import verdict

ACCEPTED, REJECTED, COULD_NOT_CHECK = 0, 1, 2
TEAMS = ["data-platform", "pricing-service", "finance-reporting"]


# ---- whether it may be released -----------------------------------------------------------------------------------------


def step(old: dict[str, Any], new: dict[str, Any], **more: Any) -> tuple[int, tuple[str, ...]]:
    """Exit status and reasons."""
    found = verdict(from_mapping(old), from_mapping(new), **({"as_of": dt.date(2026, 9, 15)} | more))
    return found.status, found.reasons


def test_the_number_must_say_what_the_change_needs() -> None:
    free = {"evolution": {"breaking": "allowed"}}
    old = contract({}, **free)
    for new, needed in ((contract({"required": True}, **free), "minor"), (contract({}, owner="x", **free), "patch"), (contract({"type": "date"}, **free), "major")):  # fmt: skip
        bumps = ["patch", "minor", "major"]
        for version in ("1.0.0", "1.0.1", "1.1.0", "2.0.0", "1.2.7", "3.1.0", "0.9.9"):
            has = bump_of("1.0.0", version)
            good = has is not None and bumps.index(has) >= bumps.index(needed)
            assert step(old, new | {"version": version})[0] == (ACCEPTED if good else REJECTED), (needed, version)
    assert "still 1.0.0" in step(old, contract({"required": True}, **free))[1][0]
    assert "goes down" in step(old, old | {"version": "0.9.0"})[1][0]
    assert step(old, old) == step(old, old | {"version": "1.0.1"}) == (ACCEPTED, ())
    assert bump_of("1.9.0", "1.10.0") == "minor" and bump_of("1.10.0", "1.9.9") is None  # numbers, not text


def test_one_breaking_step_is_rejected_whatever_the_number() -> None:
    for old, new in ((ABC, WORDS), (INT | {"unit": "g"}, INT | {"unit": "kg"}), (ABC, {}), ({"required": True}, {}), ({}, None)):  # fmt: skip
        status, reasons = step(contract(old), contract(new, version="2.0.0"))
        assert status == REJECTED and "a" in reasons[0]
    loose = contract({}, volume={"min_rows": 1}), contract({}, version="2.0.0")
    assert step(*loose)[0] == REJECTED
    # The clause that counts is the old one.
    bypass = contract(WORDS, version="2.0.0", evolution={"breaking": "allowed"})
    assert step(contract(ABC), bypass)[0] == REJECTED
    assert step(contract(ABC, evolution={"breaking": "allowed"}), bypass)[0] == ACCEPTED
    never = contract({"deprecated": {"announced": "2020-01-01"}}, evolution={"breaking": "forbidden"})
    assert step(never, contract(version="2.0.0", evolution={"breaking": "forbidden"}))[0] == REJECTED
    closed = {"evolution": {"additive": "forbidden"}}
    assert step(contract(**closed), contract({}, version="1.1.0", **closed))[0] == REJECTED


def test_the_default_is_not_called_what_the_contract_says() -> None:
    said, unsaid = ({"evolution": {"breaking": "expand_and_contract"}}, {"evolution": {"notice": "2d"}})
    for more, says in ((said, "the contract says expand_and_contract"), (unsaid, "breaking: expand_and_contract holds, as the contract does not say otherwise")):  # fmt: skip
        (reason,) = step(contract(INT | {"max": 9}, **more), contract(INT | {"max": 10}, version="2.0.0", **more))[1]
        assert reason == f"a: a breaking change in one step (range); {says}"
    assert step(contract(ABC), contract(WORDS, version="2.0.0"))[1][0].endswith("does not say otherwise")


PLAN = "; python -m contracts plan OLD NEW writes both steps"
GOES = "mark a deprecated, and remove it once nobody reads it" + PLAN
LOOSER = "a: keep the promise, or give the looser one to a new field beside it, " + GOES
VALUES = "a: keep it as it is, put the new values in a new field beside it, " + GOES
OTHER_TABLE = "or publish a new table beside this one"
CLAUSE = "the table: keep the evolution clause, which the consumers rely on"
NOW, LATER = {"deprecated": {"announced": "2026-09-01"}}, {"deprecated": {"announced": "2026-09-30"}}
FORBIDDEN = {"evolution": {"breaking": "forbidden"}}


@pytest.mark.parametrize(
    ("old", "new", "instead"),
    [
        (contract(INT | {"max": 10_000}), contract(INT | {"max": 20_000}), [LOOSER]),
        (contract({"pattern": "a+"}), contract({"pattern": "a*"}), [LOOSER]),
        (contract({"required": True}), contract({}), [LOOSER]),
        (contract({"max_null_rate": 0.1}), contract({"max_null_rate": 0.2}), [LOOSER]),
        (contract({"unique": True}), contract({}), [LOOSER]),
        (contract({"enum": ["A"]}), contract({"enum": ["A", "B"]}), [LOOSER]),
        (contract(ABC), contract({}), [LOOSER]),
        (contract(ABC), contract(WORDS), [VALUES]),
        (contract(INT | {"unit": "g", "max": 1}), contract(INT | {"unit": "kg", "max": 2}), [VALUES]),
        (contract({}), contract(INT), [VALUES]),
        (contract({"meaning": "net"}), contract({"meaning": "gross"}), [VALUES]),
        (contract({}), contract(), ["a: keep it, mark it deprecated, and remove it once nobody reads it" + PLAN]),
        (contract(LATER), contract(NOW), ["a: announce it on 2026-09-30 as before, or on a later day"]),
        (contract({}, **FORBIDDEN), contract(**FORBIDDEN), ["a: keep it as it is, or agree with the consumers on a new table, as this contract forbids breaking changes"]),
        (contract(dataset="t"), contract(dataset="u"), [f"the table: keep the name, {OTHER_TABLE}"]),
        (contract(volume={"min_rows": 2}), contract(volume={"min_rows": 1}), [f"the table: keep the promise, {OTHER_TABLE} with the looser one"]),
        (contract(evolution={"notice": "2d"}), contract(), ["the table: keep the notice, which the consumers rely on"]),
        (contract(evolution={"additive": "forbidden"}), contract(), [CLAUSE]),
        (contract(), contract(evolution={"breaking": "allowed"}), [CLAUSE]),
    ],
)  # fmt: skip
def test_the_advice_fits_the_change(old: dict[str, Any], new: dict[str, Any], instead: list[str]) -> None:
    found = verdict(from_mapping(old), from_mapping(new | {"version": "2.0.0"}), as_of=dt.date(2026, 9, 15))
    assert list(found.instead) == instead


@pytest.mark.parametrize(("notice", "says"), [("36h", "after 2 days"), ("1d", "after 1 day"), ("14d", "after 14 days")])
def test_the_notice_in_the_advice_is_the_one_that_is_agreed(notice: str, says: str) -> None:
    old = from_mapping(contract({}, evolution={"notice": notice}))
    found = verdict(old, from_mapping(contract(evolution={"notice": notice})), as_of=dt.date(2026, 9, 15))
    assert f"remove it {says} of notice, once nobody reads it" in found.instead[0]


def test_the_lesson_s_own_history_is_accepted() -> None:
    assert (HISTORY / "listings-1.4.0.yaml").read_bytes() == (seed.ROOT / "contracts" / "listings.yaml").read_bytes()
    for old, new in (("1.3.0", "1.4.0"), ("1.4.0", "1.5.0")):
        assert verdict(listings(old), listings(new), as_of=dt.date(2026, 9, 1)).status == ACCEPTED


def test_a_field_goes_after_the_notice_and_once_nobody_reads_it(tmp_path: Path) -> None:
    moved = consumers(tmp_path / "moved", MIGRATED)

    def go(day: str, folder: Path | None = moved) -> tuple[int, str]:
        found = verdict(listings("1.5.0"), listings("2.0.0"), as_of=dt.date.fromisoformat(day), consumers=folder)
        return found.status, " ".join(found.reasons + found.not_checked)

    assert go("2026-09-15") == go("2027-01-01") == (ACCEPTED, "")
    assert go("2026-09-12")[0] == REJECTED and "3 days left" in go("2026-09-12")[1]
    assert "1 day left" in go("2026-09-14")[1]
    status, says = go("2026-09-15", seed.CONSUMERS)
    assert status == REJECTED and "data-platform, pricing-service still read it" in says

    only_one = consumers(tmp_path / "one", {name: sql for name, sql in MIGRATED.items() if "pricing" in name})
    assert go("2026-09-15", only_one)[0] == COULD_NOT_CHECK and "data-platform" in go("2026-09-15", only_one)[1]
    assert go("2026-09-15", None)[0] == COULD_NOT_CHECK
    broken = consumers(tmp_path / "broken", MIGRATED | {"data-platform/new.sql": "select {{ a }} from"})
    assert go("2026-09-15", broken)[0] == COULD_NOT_CHECK
    unlisted = consumers(tmp_path / "unlisted", MIGRATED | {"growth/new.sql": "select item_condition from listings"})
    assert go("2026-09-15", unlisted)[0] == REJECTED


def test_freshness_follows_a_field_to_its_successor(tmp_path: Path) -> None:
    def with_(stamps: list[dict[str, Any]], field: str, version: str) -> dict[str, Any]:
        return {"version": version, "owner": "us", "fields": stamps, "freshness": {"max_lag": "1h", "field": field}}

    old, new = {"name": "x", "type": "date"}, {"name": "y", "type": "date"}
    marked = old | {"deprecated": {"announced": "2026-01-01", "replaced_by": "y"}}
    assert step(with_([marked, new], "x", "1.1.0"), with_([new], "y", "2.0.0"))[0] == ACCEPTED
    assert step(with_([marked, new], "x", "1.1.0"), with_([marked, new], "y", "2.0.0"))[0] == REJECTED
    other = {"name": "z", "type": "date"}
    assert step(with_([marked, new, other], "x", "1.1.0"), with_([new, other], "z", "2.0.0"))[0] == REJECTED


# ---- PR #4471 as a contract diff -------------------------------------------------------------------------------------


def test_pr_4471_is_rejected_with_its_four_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = tmp_path / "listings.yaml"
    new.write_text(pr_4471(), encoding="utf-8")
    arguments = ["diff", str(seed.ROOT / "contracts" / "listings.yaml"), str(new), "--as-of", "2026-08-19"]
    assert main([*arguments, "--format", "json"]) == REJECTED
    said = json.loads(capsys.readouterr().out)
    assert {each["field"]: (each["rule"], each["bump"], each["kind"]) for each in said["changes"]} == {
        "brand": ("field renamed", "major", "structural"),
        "item_condition": ("re-coded", "major", "semantic"),
        "graded_by": ("field added", "minor", "structural"),
        "weight_g": ("type widened", "minor", "structural"),
    }
    assert len(said["changes"]) == 4 and sum(each["breaking"] for each in said["changes"]) == 2
    assert said["consumers"] == TEAMS and said["needed"] == "major" and said["given"] == "patch"

    for version in ("1.4.1", "1.5.0", "2.0.0"):
        new.write_text(pr_4471().replace("version: 1.4.1", f"version: {version}"), encoding="utf-8")
        for form in ("text", "github", "markdown"):
            assert main([*arguments, "--format", form]) == REJECTED
            out = capsys.readouterr().out
            plain = out.replace("\\", "")
            assert all(word in plain for word in [*TEAMS, "brand → brand_name", "4 changes, 2 breaking"])
            if form != "github":
                assert "instead" in plain.lower() and "beside" in plain and "deprecated" in plain
    lines = out.splitlines()
    assert lines[0].startswith("### REJECTED") and "| --- | --- | --- | --- |" in lines


# ---- the command ------------------------------------------------------------------------------------------------------


def test_the_command_s_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = HISTORY / "listings-1.5.0.yaml", HISTORY / "listings-2.0.0.yaml"
    moved = str(consumers(tmp_path, MIGRATED))
    assert main(["diff", str(HISTORY / "listings-1.4.0.yaml"), str(old)]) == ACCEPTED
    assert main(["diff", str(old), str(new), "--as-of", "2026-09-15", "--consumers", moved]) == ACCEPTED
    assert main(["diff", str(old), str(new), "--as-of", "2026-09-12", "--consumers", moved]) == REJECTED
    assert "3 days left" in capsys.readouterr().out
    # Without --consumers, the SQL beside the contract counts.
    assert main(["diff", str(old), str(new), "--as-of", "2026-09-15"]) == REJECTED
    assert "stg_listings.sql:3:8" in capsys.readouterr().out
    for wrong in (["nowhere.yaml", str(new)], [str(old)], [str(old), str(new), "--consumers", "nowhere"], [str(old), str(new), "--editorial", "item_conditon"],
                  [str(old), str(new), "--dialect", "klingon"], [str(new), str(new), "--consumers", "nowhere"], [str(new), str(new), "--dialect", ""], ["--against", "HEAD"]):  # fmt: skip
        assert main(["diff", *wrong]) == COULD_NOT_CHECK, wrong
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1, said
    with pytest.raises(SystemExit) as stopped:
        main(["diff", str(old), str(new), "--as-of", "yesterday"])
    assert stopped.value.code == COULD_NOT_CHECK


def test_editorial_on_the_command_line_in_either_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "before.yaml", tmp_path / "after.yaml"
    old.write_text(yaml.safe_dump(contract({"meaning": "net"})), encoding="utf-8")
    new.write_text(yaml.safe_dump(contract({"meaning": "before tax"}, version="1.0.1")), encoding="utf-8")
    assert main(["diff", str(old), str(new)]) == REJECTED
    assert main(["diff", str(old), str(new), "--editorial", "a"]) == ACCEPTED
    assert main(["diff", "--editorial", "a", "id", str(old), str(new)]) == ACCEPTED
    # Two files without a dataset of their own may be called anything; the table goes by the old name.
    said = capsys.readouterr().out
    assert "dataset" not in said and "REJECTED: before 1.0.0" in said and "after 1.0.0" not in said
    new.write_text(yaml.safe_dump(contract({"meaning": "net"}, version="1.0.1", dataset="prices")), encoding="utf-8")
    assert main(["diff", str(old), str(new)]) == ACCEPTED
    assert "ACCEPTED: prices 1.0.0" in capsys.readouterr().out


def test_hostile_words_stay_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "x\r\n::error::\x1b[2J%0A`|<b>\u202e"
    old = contract({}, consumers=[evil]) | {"fields": [{"name": evil, "type": "string", "enum": [evil], "unit": evil}]}
    new = copy.deepcopy(old) | {"version": "2.0.0"}
    new["fields"][0] |= {"enum": [evil + "A"], "unit": "y"}
    for name, mapping in (("a,b:c%.yaml", old), ("new.yaml", new)):
        (tmp_path / name).write_text(yaml.safe_dump(mapping, allow_unicode=False), encoding="utf-8")
    for form in ("text", "json", "github", "markdown"):
        assert main(["diff", str(tmp_path / "a,b:c%.yaml"), str(tmp_path / "new.yaml"), "--format", form]) == REJECTED
        out = capsys.readouterr().out
        assert all(line.isprintable() for line in out.split("\n"))
        if form == "json":
            assert json.loads(out)["verdict"] == "rejected"
        if form == "github":
            assert "%0A" not in out
            assert all(re.match(r"::(error|warning|notice) file=[^,]*,line=\d+::", line) for line in out.splitlines())


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false", *arguments], check=True, capture_output=True)  # fmt: skip


def test_against_a_git_revision_from_any_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    repo, folder = tmp_path / "re po", tmp_path / "re po" / "contracts"
    folder.mkdir(parents=True)
    file = folder / "listings.yaml"
    file.write_bytes((HISTORY / "listings-1.4.0.yaml").read_bytes())
    git(repo, "init", "-b", "main")
    git(repo, "add", ".")
    git(repo, "commit", "-m", "one")
    monkeypatch.chdir(repo)
    assert main(["diff", "--against", "main", "contracts/listings.yaml"]) == ACCEPTED
    file.write_text(pr_4471(), encoding="utf-8")
    for place, path in ((repo, "contracts/listings.yaml"), (folder, "listings.yaml"), (tmp_path, str(file))):
        monkeypatch.chdir(place)
        assert main(["diff", "--against", "main", path]) == REJECTED
    capsys.readouterr()
    monkeypatch.chdir(repo)
    for wrong in (["nope", str(file)], ["--output=x", str(file)], ["", str(file)], ["main:x", str(file)], ["main", str(folder / "new.yaml")], ["main", str(folder)], ["main", str(tmp_path / "no" / "x.yaml")]):  # fmt: skip
        assert main(["diff", f"--against={wrong[0]}", wrong[1]]) == COULD_NOT_CHECK, wrong
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1, said
    assert sorted(path.name for path in repo.iterdir()) == [".git", "contracts"]
    file.write_text("version: 1", encoding="utf-8")
    git(repo, "commit", "-am", "broken")
    file.write_text(pr_4471(), encoding="utf-8")
    assert main(["diff", "--against", "HEAD", str(file)]) == COULD_NOT_CHECK
    assert capsys.readouterr().err.startswith("HEAD:")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that holds listings.yaml, and in it."""
    (tmp_path / "listings.yaml").write_bytes((HISTORY / "listings-1.4.0.yaml").read_bytes())
    for arguments in (["init", "-b", "main"], ["add", "."], ["commit", "-m", "one"]):
        git(tmp_path, *arguments)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_contract_that_the_revision_does_not_have_is_new(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / "new").mkdir()  # neither has it the folder
    (repo / "new" / "orders.yaml").write_text(yaml.safe_dump(contract({})), encoding="utf-8")
    says = "ACCEPTED: orders 1.0.0 is new: its file is not in the revision, so it breaks nobody"
    for form in ("text", "json", "github", "markdown"):
        assert main(["diff", "--against", "main", "new/orders.yaml", "--format", form]) == ACCEPTED
        said = capsys.readouterr()
        assert said.err == ""
        if form == "json":
            found = json.loads(said.out)
            assert (found["verdict"], found["old"], found["new"], found["changes"]) == ("accepted", None, "1.0.0", [])
        else:
            assert says in said.out
    (repo / "new" / "orders.yaml").write_text("version: 1", encoding="utf-8")
    assert main(["diff", "--against", "main", "new/orders.yaml"]) == COULD_NOT_CHECK  # new, and no contract
    assert main(["diff", "--against", "nope", "new/orders.yaml"]) == COULD_NOT_CHECK


def test_several_files_have_a_verdict_each_and_the_worst_exit_status(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    (repo / "new.yaml").write_text(yaml.safe_dump(contract({})), encoding="utf-8")
    both = ["diff", "--against", "main", "new.yaml", "listings.yaml"]
    assert main(both) == ACCEPTED
    assert [line[:21] for line in capsys.readouterr().out.split("\n\n")] == ["ACCEPTED: new 1.0.0 i", "ACCEPTED: listings 1."]  # fmt: skip
    (repo / "listings.yaml").write_text(pr_4471(), encoding="utf-8")
    assert main(both) == REJECTED
    assert "ACCEPTED: new" in (said := capsys.readouterr().out) and "REJECTED: listings" in said
    verdicts = ["rejected", "could not check", "accepted"]
    for form in ("text", "json", "github", "markdown"):
        files = ["listings.yaml", "nowhere.yaml", "new.yaml"]
        assert main(["diff", "--against", "main", *files, "--format", form]) == COULD_NOT_CHECK
        said = capsys.readouterr()
        assert "nowhere.yaml" in said.err and len(said.err.splitlines()) == 1
        if form == "json":
            assert [each["verdict"] for each in json.loads(said.out)] == verdicts
        else:
            places = [said.out.lower().find(word) for word in verdicts if form != "text" or word != "could not check"]
            assert -1 not in places and places == sorted(places)
    assert main(["diff", "--against", "nope", "listings.yaml", "new.yaml"]) == COULD_NOT_CHECK
    assert len(capsys.readouterr().err.splitlines()) == 1  # what is so for all is said once


FORMS = {"diff": ["json", "github", "markdown"], "readers": ["json"], "compat": ["json"], "audit": ["json", "github", "markdown", "sarif"]}  # fmt: skip
IN_VAIN = [
    ["diff", "nowhere%.yaml", "listings.yaml"],
    ["diff", "broken.yaml", "listings.yaml"],  # with two faults
    ["diff", "--against", "nope", "listings.yaml"],
    ["diff", "listings.yaml"],
    ["readers", "nowhere%.yaml", "brand"],
    ["compat", "nowhere%.yaml", "listings.yaml"],
    ["audit", ".", "--contracts", "nowhere%"],
]


@pytest.mark.parametrize(("arguments", "form"), [(each, form) for each in IN_VAIN for form in FORMS[each[0]]])
def test_what_could_not_be_checked_is_said_in_each_form(repo: Path, arguments: list[str], form: str, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    (repo / "broken.yaml").write_text("version: 1\nowner: 2\n", encoding="utf-8")
    assert main([*arguments, "--format", form]) == COULD_NOT_CHECK
    said = capsys.readouterr()
    why = said.err.rstrip("\n")
    if form == "json":
        assert json.loads(said.out) == {"verdict": "could not check", "error": why}
    elif form == "github":
        line = why.replace("%", "%25").replace("\n", "%0A")
        assert said.out == f"::error title=could not check::{line}\n"
    elif form == "sarif":
        run = json.loads(said.out)["runs"][0]
        assert run["results"] == [] and run["invocations"][0]["executionSuccessful"] is False and why in said.out
    else:
        lines = said.out.replace("\\", "").splitlines()
        assert lines == ["### COULD NOT CHECK", "", *(f"- {line}" for line in why.splitlines())]


def test_no_traceback_in_a_process_of_its_own(tmp_path: Path) -> None:
    for arguments in (["diff"], ["nope"], ["diff", str(tmp_path), str(tmp_path)]):  # no system passes on a NUL
        done = subprocess.run([sys.executable, "-m", "contracts", *arguments], cwd=seed.ROOT, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})  # fmt: skip
        assert done.returncode == COULD_NOT_CHECK and b"Traceback" not in done.stderr
