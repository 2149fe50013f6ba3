"""SECURITY.md names tests that are there, and each test here is named there."""

import re
from pathlib import Path

import seed


def functions(path: Path) -> set[str]:
    return {*re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)}


def test_every_test_that_the_page_names_is_there():
    page = (seed.ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_\w+)`", page)
    tests = {path.name: functions(path) for path in (seed.ROOT / "tests").rglob("test_*.py")}
    there = set().union(*tests.values())
    assert len(named) > 20 and not {*named} - there
    own = set().union(*(functions(path) for path in Path(__file__).parent.glob("test_*.py")))
    assert own - {*named} == {"test_every_test_that_the_page_names_is_there"}, "each test here stands for a threat"
