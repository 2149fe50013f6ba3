"""README, MANUAL and CONTRIBUTING name what is there: each file of ours, each option, each target of make."""

import contextlib
import io
import re

import pytest

import drill
import make
import monitors
import seed
import validate
from contracts.__main__ import main as contracts_command
from exercises.__main__ import main as exercises_command

DOCUMENTS = ["README.md", "MANUAL.md", "CONTRIBUTING.md"]
PLACE = re.compile(r"`((?:clause|contracts|exercises|notebooks|tests|workbook|\.ci|data)/[\w./-]*|[a-z]+\.(?:py|sql))`")
FOLDERS = ["clause", "contracts", "exercises", "notebooks", "tests", "workbook"]
READERS_OWN = {"build/listings.parquet", "exercises/ex6_upstream.yaml", "contracts/mine.yaml"}
CONTRACTS = ["lint", "diff", "plan", "readers", "audit", "compat", "export", "import"]
OTHERS = {"--global", "--stat", "--help"} | {  # options of git and uv, and of spark-submit
    "--master",
    "--universal",
    "--python-version",
    "--extra",
    "--no-header",
    "--no-annotate",
}


def text(name: str) -> str:
    return (seed.ROOT / name).read_text(encoding="utf-8")


def files(pattern: str = "*.*") -> set[str]:
    """The names of the files that the repository keeps."""
    return {path.name for folder in FOLDERS for path in (seed.ROOT / folder).rglob(pattern)} | {
        path.name for path in seed.ROOT.glob(pattern)
    }


@pytest.mark.parametrize("name", ["MANUAL.md", "CONTRIBUTING.md"])
def test_each_file_of_ours_that_is_named_is_there(name):
    named, there = set(PLACE.findall(text(name))) - READERS_OWN, files()
    assert len(named) > 2
    assert not {place for place in named if not (seed.ROOT / place).exists() and place not in there}


def test_the_map_of_the_house_names_what_is_there_and_every_module_of_the_tool():
    shown = set(re.findall(r"\w+\.py\b", text("README.md").partition("## The house")[2]))
    tool = {path.name for folder in ("clause", "contracts") for path in (seed.ROOT / folder).glob("*.py")}
    assert not shown - files("*.py")
    assert not {name for name in tool if not name.startswith("_")} - shown


@pytest.fixture(scope="module")
def options() -> set[str]:
    """Every option that a command of ours has."""
    commands = [(validate.main, []), (monitors.main, []), (drill.main, []), (contracts_command, [])]
    commands += [(contracts_command, [name]) for name in CONTRACTS]
    commands += [(exercises_command, [name]) for name in ("submit", "list")]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        for command, arguments in commands:
            with contextlib.suppress(SystemExit):
                command([*arguments, "--help"])
    return set(re.findall(r"--[a-z-]+", said.getvalue()))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_option_that_is_named_is_one(name, options):
    assert len(options) > 30
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text(name)))
    assert not named - options - OTHERS


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_target_of_make_that_is_named_is_one(name):
    named = set(re.findall(r"`make ([a-z-]+)", text(name)))
    assert named and named <= set(make.TARGETS)
