"""README, MANUAL and CONTRIBUTING name what is there: each file of ours, each option, each target of make."""

import contextlib
import datetime as dt
import importlib.util
import io
import re
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import contracts
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
READERS_OWN = {"build/listings.parquet", "exercises/ex6_upstream.yaml", "contracts/mine.yaml", "data/"}
CONTRACTS = ["lint", "diff", "plan", "readers", "audit", "compat", "export", "import"]
OTHERS = {"--global", "--stat", "--help"} | {  # options of git, uv, pytest and spark-submit
    "--ignore",
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


# --- the manual's examples, as they stand there -----------------------------------------------------------------------


def example(heading: str, language: str, words: str) -> str:
    """The one code block of a section that holds these words."""
    section = text("MANUAL.md").partition(f"\n## {heading}")[2].partition("\n## ")[0]
    (block,) = [block for block in re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL) if words in block]
    return block


@pytest.fixture
def team(tmp_path, monkeypatch):
    """A folder of a team's own, with the manual's contract and rows that keep it; run(name, code) imports a module."""
    monkeypatch.chdir(tmp_path)
    for folder in ("contracts", "build"):
        (tmp_path / folder).mkdir()
    contract = example("Your own contract", "yaml", "price_cents")
    (tmp_path / "contracts/listings.yaml").write_text(contract, encoding="utf-8")
    rows = pa.table({"item_condition": ["A", "B"], "price_cents": [1250, 900]})
    pq.write_table(rows, tmp_path / "build/listings.parquet")

    def run(name, code):
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, tmp_path / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return tmp_path, rows, run


def test_the_manuals_test_passes_on_rows_that_keep_the_manuals_contract_and_on_no_stale_ones(team):
    here, _, run = team
    manuals_test = run("manuals_test", example("Your own contract", "python", "def test_"))
    manuals_test.test_listings_keep_their_contract()
    contract = here / "contracts/listings.yaml"
    stale = "freshness: {max_lag: 1h, field: synced_at, timezone: UTC}\n"
    field = "  - {name: synced_at, type: timestamp}\n"
    contract.write_text(contract.read_text(encoding="utf-8").replace("fields:", f"{stale}fields:") + field, "utf-8")
    rows = pa.table({"item_condition": ["A"], "price_cents": [1], "synced_at": [dt.datetime(2020, 1, 1)]})
    pq.write_table(rows, "build/listings.parquet")
    with pytest.raises(AssertionError, match="expected at most 1 h"):
        manuals_test.test_listings_keep_their_contract()


def test_the_manuals_class_is_held_to_the_manuals_contract(team):
    here, rows, run = team
    prices = run("manuals_prices", example("At a function's signature", "python", "@contract"))
    assert prices.Listings.to_contract() == contracts.load(here / "contracts/listings.yaml")
    priced = prices.price(prices.Listings.parse(rows))
    assert priced.to_pyarrow().to_pydict() == {"price": [12.5, 9.0]}


def test_the_map_of_the_tests_names_each_file_and_folder():
    tests = seed.ROOT / "tests"
    there = {path.name for path in tests.glob("test_*.py")} | {path.parent.name for path in tests.glob("*/test_*.py")}
    assert len(there) > 20 and not {name for name in there if name not in text("tests/README.md")}
