"""What is printed deceives no reader and commands no build, whatever is in values, names and texts."""

import html.parser
import importlib
import json
import re
import sys

import duckdb
import pytest
from attacks import NASTY, UNSEEN, X, agreement, save, shows

import contracts
import drill
import monitors
import validate
from clause import plots
from clause.daybook import Day
from contracts import __main__ as command
from contracts.errors import DataError, printable
from contracts.interop import export

GATE = [["gate", "one.yaml", "rows.jsonl", "--format", form] for form in ("text", "json", "github", "junit", "sarif")]
DIFF = [["diff", "one.yaml", "two.yaml", "--format", form] for form in ("text", "json", "github", "markdown")]
OTHERS = [
    ["gate", "none" + NASTY, "rows.jsonl", "--format", "github"],
    ["gate", "one.yaml", "none" + NASTY + ".csv", "--format", "github"],
    ["lint", "one.yaml", "none" + NASTY],
    ["plan", "one.yaml", "two.yaml", "--out", "out"],
    ["compat", "one.yaml", "two.yaml"],
    ["readers", "one.yaml", f"e{NASTY}"],
    ["readers", "one.yaml", f"none{NASTY}"],
    ["audit", "consumers", "--contracts", "one.yaml"],
    ["audit", "consumers", "--contracts", "one.yaml", "--format", "github"],
    ["audit", "consumers", "--contracts", "one.yaml", "--format", "markdown"],
    ["monitors", "none" + NASTY],
    ["monitors", "rows.jsonl", "--day", "none" + NASTY],
]


def run(capsys, name: str, *arguments: str) -> str:
    """Run a command in this process, and give all that it printed."""
    main = {"gate": validate.main, "monitors": monitors.main}.get(name)
    main([*arguments]) if main else command.main([name, *arguments])
    out, err = capsys.readouterr()
    return out + err


@pytest.mark.parametrize("arguments", [*GATE, *DIFF, *OTHERS], ids=lambda one: " ".join(one)[:24] + one[-1][:9])
def test_no_command_prints_what_deceives_a_reader_or_commands_a_build(here, capsys, arguments):
    said = run(capsys, *arguments)
    assert said and shows(said)
    assert not re.search(r"^\W*KEPT", said, re.MULTILINE), "a value has faked the line of a verdict"
    assert not re.search(r"##\w*\[", said)
    commands = [line.split("::")[1].split()[0] for line in said.splitlines() if line.lstrip().startswith("::")]
    assert {*commands} <= {"error", "warning", "notice"} and (not commands or "github" in arguments)


def test_what_does_not_show_is_escaped_and_what_shows_is_not():
    assert printable(UNSEEN).isascii() and shows(printable(NASTY))
    for text in ("A\u3164", "A\ufe0f", "A\U000e0100", "\u2800"):  # Python calls them printable
        assert printable(text) != text
    for text in ("5 ≤ é 漢字 👍🏽 ⚠️ ©️", "a::b # c ## d", "::"):
        assert (printable(text) == text) is (text != "::")


@pytest.mark.parametrize("form", ["odcs", "dbt", "avro", "jsonschema", "python", "markdown", "html"])
def test_exported_documents_show_every_character(form):
    made = export(contracts.from_mapping(agreement()), form).text
    assert (
        shows(made) and not re.search(r"##\w*\[", made.replace(r"\#", "") if form in ("markdown",) else made)
    ) or form == "html"


def test_a_terminal_gets_no_raw_character_of_a_document(here, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for arguments in (["export", "one.yaml", "--to", "sql"], ["plan", "one.yaml", "two.yaml"]):
        assert command.main(arguments) in (0, 1)
        assert shows(capsys.readouterr().out)


def test_messages_of_sarif_hold_no_link(here, capsys):
    messages = re.findall(r'"text": (".*")', run(capsys, *GATE[-1]))
    assert any("(javascript:" in text for text in messages)
    assert not any(re.search(r"(?<!\\)\]\(", json.loads(text)) for text in messages)


class Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag, attributes):
        self.found.add(tag)
        self.attributes |= {name for name, _ in attributes}


def test_the_page_has_only_its_own_tags():
    tags, plain = Tags(), Tags()
    tags.feed(export(contracts.from_mapping(agreement()), "html").text)
    plain.feed(export(contracts.from_mapping(agreement("")), "html").text)
    assert tags.found == plain.found and tags.attributes == plain.attributes and "script" not in tags.found
    assert "default-src 'none'" in export(contracts.from_mapping(agreement()), "html").text


@pytest.mark.parametrize(
    "arguments", [["export", "one.yaml", "--to", "markdown"], DIFF[-1], OTHERS[-3]], ids=lambda one: one[0]
)
def test_markdown_renders_to_text_alone(here, capsys, arguments):
    import mistune

    tags = Tags()
    plugins = ["table", "url", "strikethrough", "math"]
    tags.feed(mistune.create_markdown(escape=False, plugins=plugins)(run(capsys, *arguments)))
    own = {"h1", "h2", "h3", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "p", "strong"}
    assert "td" in tags.found and tags.found <= own


def test_a_figure_takes_text_for_text(monkeypatch):
    import matplotlib.pyplot as plt

    shown = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, **_: shown.append(bundle))
    mix = {"$\\frac{$": 3, '"><script>\x1b': 2}
    days = [Day(monitors.date(2026, 1, day), 5, gmv=5, list_value=5, mix=mix, part="$\\x{$") for day in (1, 2)]
    plots.show(plots.plot(days, [], unit="$\\y{$", source="$\\z{$"))
    plt.close("all")
    tags = Tags()
    tags.feed(shown[0]["text/html"])
    assert (tags.found, tags.attributes) == ({"img"}, {"alt", "src"}) and shows(shown[0]["text/plain"])


@pytest.mark.parametrize(
    "address",
    [
        "s3://me:%s@bucket/x.csv",
        "https://me:%s@host.invalid/x.csv",
        "https://host.invalid/x.csv?X-Amz-Signature=%s&y=1",
        "postgresql://me:%s@host.invalid/db",
        "host=h.invalid password=%s user=me",
    ],
)
def test_no_error_names_a_password(address, monkeypatch):
    address %= "pa55word"
    assert "pa55word" not in str(DataError(f"{address}: cannot be read"))
    if "csv" in address:
        monkeypatch.setattr(duckdb.DuckDBPyConnection, "load_extension", fails, raising=False)
        with pytest.raises(DataError) as error:
            validate.report(address, agreement(""))
        assert "pa55word" not in str(error.value)


ADDRESS = "http://me:{}@127.0.0.1:1/c.yaml".format("pa55word")  # no secret stands here whole


@pytest.mark.parametrize(
    "arguments",
    [
        "lint {0}",
        "diff {0} c.yaml",
        "diff --against main {0}",
        "plan c.yaml {0}",
        "readers {0} x",
        "readers c.yaml e --consumers {0}",
        "compat {0} c.yaml",
        "compat c.yaml --history {0}",
        "audit q.sql --contracts {0}",
        "audit {0}",
        "export {0} --to avro",
        "export c.yaml --to html --previous {0}",
        "import {0} --from odcs",
        "import {0} --from avro",
    ],
)
def test_no_command_shows_the_password_of_an_address_that_is_given_for_a_contract(
    tmp_path, monkeypatch, capsys, arguments
):
    monkeypatch.chdir(tmp_path)
    save("c.yaml", {**X, "fields": [{"name": "e", "type": "string"}]})
    (tmp_path / "q.sql").write_text("select e from c", encoding="utf-8")
    assert command.main(arguments.format(ADDRESS).split()) == 2
    told = "".join(capsys.readouterr())
    assert "pa55word" not in told and "127.0.0.1" in told


@pytest.mark.parametrize("run", [validate.main, drill.main])
def test_a_contract_is_a_file_and_no_address(capsys, run):
    assert run([ADDRESS, "data.csv"]) == 2
    says = (
        "http://***@127.0.0.1:1/c.yaml:1:1: cannot read the file: it is an address, and a contract is a file; give the"
    )
    assert says in capsys.readouterr().err


def fails(*_):
    raise duckdb.IOException("not installed")


@pytest.mark.parametrize("module", ["validate", "monitors", "drill", "contracts.__main__", "exercises.__main__"])
def test_an_argument_that_nobody_knows_is_shown_escaped_and_short(module, capsys):
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(module).main(
            ["check" if "exercises" in module else "lint", "1", "2", f"--{UNSEEN}", "x" * 5000]
        )
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "\x1b" not in said and r"\x1b" in said
    assert max(map(len, said.splitlines())) < 2500
