"""SECURITY.md, held to its word: no contract, data, SQL or document runs code, reaches other files, or deceives."""

import ast
import html.parser
import json
import os
import re
import sqlite3
import stat
import sys
import unicodedata
from pathlib import Path

import duckdb
import ibis
import polars
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import sqlglot
import yaml

import contracts
import monitors
import seed
import validate
from clause import matching, plots, running, sources
from clause.daybook import Day
from contracts import __main__ as command
from contracts import patterns
from contracts.auditing import allowances, templating
from contracts.auditing.stubs import Untemplated
from contracts.errors import ContractError, DataError, printable
from contracts.interop import export, import_file
from contracts.plan import plan

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such names, links or rights")

# What moves a cursor, cannot be seen, ends a line, a tag or a quotation, or is a command to a build.
UNSEEN = "\x1b[2J\x9b31m\a\b\u202e\u2066\u200b\u2028\x85\u3164\u115f\ufeff\U000e0041"
BUILD = "##[set-output name=a]b ##vso[task.setvariable]c ::error::d"
MARKUP = "<script>x</script> <!-- ]]> [words](javascript:x) https://a.invalid/ www.b.invalid `c` | $d$ _e_ &lt; {{ 7 }}"
QUOTES = "' \" '' `; drop table canary; -- */ \\' \\\" $$ ); drop table canary; --"
NASTY = f"\nKEPT (all of it 1.0.0, 9 rows)\r{UNSEEN}{BUILD} {MARKUP} {QUOTES}"


def agreement(text: str = NASTY, **more: object) -> dict[str, object]:
    """A contract in which whatever can hold text holds that text."""
    return {
        "dataset": f"d{text}",
        "version": "1.0.0",
        "owner": f"o{text}",
        "consumers": [f"c{text}"],
        "freshness": {"max_lag": "1h", "field": f"t{text}", "timezone": "UTC"},
        "volume": {"min_rows": 100},
        "fields": [
            {
                "name": f"e{text}",
                "type": "string",
                "enum": {f"A{text}": f"m{text}"},
                "meaning": f"n{text}",
                "unit": f"u{text}",
            },
            {
                "name": f"t{text}",
                "type": "timestamp",
                "deprecated": {"announced": "2026-01-01", "replaced_by": f"e{text}"},
            },
            {"name": f"p{text}", "type": "string", "pattern": "[a-z]+|" + re.escape(f"q{text}").replace("\\\n", "\\n")},
            {"name": f"n{text}", "type": "number", "min": 1, "unit": f"v{text}"},
        ],
        "evolution": {"additive": "forbidden"},
    } | more


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with such a contract, a later version of it, and rows that break it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    later = agreement(version="1.1.0", owner="other" + NASTY)
    later["fields"] = [{"name": f"e{NASTY}", "type": "string", "enum": [f"B{NASTY}"]}, *later["fields"][2:]]
    del later["freshness"]
    save("one.yaml", agreement())
    save("two.yaml", later)
    names = [field["name"] for field in agreement()["fields"]]
    row = dict(zip(names, (f"Z{NASTY}", "2020-01-01T00:00:00Z", f"Y{NASTY}", f"X{NASTY}"), strict=True))
    Path("rows.jsonl").write_text(json.dumps(row | {f"more{NASTY}": 1}) + "\n", encoding="utf-8")
    folder = Path("consumers", "team")
    folder.mkdir(parents=True)
    column, table = (f'"{name}"' for name in (names[0].replace('"', '""'), f"d{NASTY}".replace('"', '""')))
    (folder / "q.sql").write_text(
        f"select case {column} when 'A' then 1 else 2 end as x from {table}", encoding="utf-8"
    )
    (folder / "bad.sql").write_text(f"select {column} frm '{UNSEEN}{BUILD}'", encoding="utf-8")
    return tmp_path


def save(name: str, data: object) -> str:
    Path(name).write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return name


def shows(text: str) -> bool:
    """Whether every character of a text is to be seen, and none of them in another order than it stands."""
    unseen = "\u115f\u3164"
    return all(c == "\n" or ((unicodedata.category(c)[0] not in "CZ" or c == " ") and c not in unseen) for c in text)


# --- what is printed -------------------------------------------------------------------------------------------------

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


def fails(*_):
    raise duckdb.IOException("not installed")


# --- code ------------------------------------------------------------------------------------------------------------

TAGGED = "!!python/object/apply:os.system ['touch pwned']"


@pytest.mark.parametrize("form", ["contract", "odcs", "dbt", "dbt_project.yml"])
def test_a_tag_of_yaml_makes_no_object(tmp_path, monkeypatch, form):
    monkeypatch.chdir(tmp_path)
    text = {
        "contract": f"version: 1.0.0\nowner: {TAGGED}\nfields: [{{name: x, type: string}}]\n",
        "odcs": f"apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: {TAGGED}\nschema: []\n",
        "dbt": f"version: 2\nsources: [{{name: s, tables: [{{name: t, description: {TAGGED}}}]}}]\n",
        "dbt_project.yml": f"name: {TAGGED}\nvars: {{x: {TAGGED}}}\n",
    }[form]
    Path("dbt_project.yml").write_text(text, encoding="utf-8")
    if form == "contract":
        with pytest.raises(ContractError, match="has no place in a contract"):
            contracts.load("dbt_project.yml")
    elif form == "dbt_project.yml":
        templating.Templates("duckdb", tmp_path)
    else:
        with pytest.raises(ContractError):
            import_file("dbt_project.yml", form)
    assert not Path("pwned").exists()


ATTACKS = {
    "attributes": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "attr": "{{ ''|attr('__class__') }}",
    "map": "{{ ['']|map(attribute='__class__')|list }}",
    "cycler": "{{ cycler.__init__.__globals__.os.popen('touch pwned').read() }}",
    "lipsum": "{{ lipsum.__globals__['os'].popen('touch pwned').read() }}",
    "format": "{{ '{0.__globals__}'.format(ref) }}{{ '{x.__class__}'.format_map({'x': ref}) }}",
    "self": "{{ self._TemplateReference__context.environment }}",
    "config": "{{ config.get.__globals__ }}{{ ref.__code__ }}",
    "modules": "{{ modules.os.system('touch pwned') }}{{ modules.re.sys.modules }}",
    "include": "{% include '/etc/passwd' %}",
    "import": "{% from '/etc/passwd' import x %}",
    "extends": "{% extends 'secret.sql' %}",
    "environment": "select '{{ env_var('SECRET_OF_MINE') }}'",
    "query": "{{ run_query('copy (select 1) to ''pwned''') }}{{ adapter.execute('x') }}",
    "range": "{% for i in range(10**9) %}x{% endfor %}",
    "power": "{{ 9**9**9**9 }}",
    "repeat": "{{ 'x' * 10**10 }}",
    "itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_template_gets_nowhere(tmp_path, monkeypatch, attack):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SECRET_OF_MINE", "TOP SECRET")
    Path("secret.sql").write_text("TOP SECRET", encoding="utf-8")
    try:
        said = "".join(one.sql for one in templating.Templates("duckdb", None).rendered(ATTACKS[attack], "m"))
    except Untemplated as error:
        said = str(error)
    assert not Path("pwned").exists()
    assert not re.search(r"TOP SECRET|root:|<class|<module|<function|0x[0-9a-f]{6}", said)


ALLOWED = {  # what has to run code, unpickle or start a program, and why that is no way in
    "eval": {"clause/signatures.py", "clause/schemas.py"},  # annotations of the reader's own Python
    "exec": {"exercises/checks/student.py"},  # the student's own exercise, in a process of its own
    "pickle.load": {"contracts/auditing/workers.py"},  # from a process that was started here, through a pipe
    "pickle.loads": {"contracts/errors.py"},  # what it has pickled itself
}
FORBIDDEN = {"os.system", "os.popen", "tempfile.mktemp", "yaml.unsafe_load", "yaml.full_load", "marshal.loads"}
FOLDERS = ("clause", "contracts", "exercises", "workbook")
PYTHON = [*seed.ROOT.glob("*.py"), *(path for folder in FOLDERS for path in (seed.ROOT / folder).rglob("*.py"))]


def called(node: ast.AST) -> str:
    """What a call calls, where that is a name or a name of a module."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def test_nothing_runs_a_shell_evaluates_text_or_unpickles_a_file():
    found: dict[str, set[str]] = {}
    for path in PYTHON:
        where = path.relative_to(seed.ROOT).as_posix()
        if re.match(r"exercises/(ex\d|stubs/)", where):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            assert "shell" not in given, f"{where}:{node.lineno} may run a shell"
            name = called(node.func)
            if name == "yaml.load":
                assert called(given["Loader"]) == "LOADER", f"{where}:{node.lineno} loads YAML with another loader"
            if name in ALLOWED or name in FORBIDDEN:
                found.setdefault(name, set()).add(where)
    assert found == ALLOWED


# --- SQL -------------------------------------------------------------------------------------------------------------

SQL = "x'\"`; drop table canary; -- \\' */ rows % {} :a $1"


def injected() -> tuple[contracts.Contract, pa.Table]:
    """A contract and a table full of SQL: one row keeps it, one breaks each clause."""
    fields = [
        {"name": f"e{SQL}", "type": "string", "enum": [SQL]},
        {"name": f"p{SQL}", "type": "string", "pattern": f"[x]|{re.escape(SQL)}"},
        {"name": f"u{SQL}", "type": "string", "unique": True},
        {"name": "select", "type": "integer", "max": 5},
    ]
    rows = {f"e{SQL}": [SQL, SQL + "'"], f"p{SQL}": [SQL, SQL + '"'], f"u{SQL}": [SQL, SQL], "select": [1, 9]}
    return contracts.from_mapping({"version": "1.0.0", "owner": "o", "dataset": SQL, "fields": fields}), pa.table(rows)


SQLITE = pytest.mark.filterwarnings(  # what ibis does with SQLite and pandas
    "ignore:The 'future.infer_string' option", "ignore:The default date.* adapter", "ignore:unclosed database"
)


@SQLITE
@pytest.mark.parametrize("engine", ["rows", "arrow", "parquet", "csv", "jsonl", "polars", "duckdb", "sqlite"])
def test_sql_in_names_values_and_patterns_stays_text(tmp_path, engine):
    agreed, table = injected()
    connection = None
    if engine in ("duckdb", "sqlite"):
        connection = getattr(ibis, engine).connect()
        connection.create_table("canary", pa.table({"a": [1]}))
        connection.create_table(SQL, table)
    path = str(tmp_path / f"t.{engine}")
    if engine == "parquet":
        pq.write_table(table, path)
    elif engine == "csv":
        duckdb.from_arrow(table).to_csv(path)
    elif engine == "jsonl":
        Path(path).write_text("\n".join(map(json.dumps, table.to_pylist())), encoding="utf-8")
    given = {
        "rows": lambda: table.to_pylist(),
        "arrow": lambda: table,
        "polars": lambda: polars.from_arrow(table),
    }.get(engine, lambda: connection.table(SQL) if connection else path)()
    found = validate.report(given, agreed)
    assert {(one.rule, one.failing) for one in found.violations} >= {("enum", 1), ("unique", 2), ("range", 1)}
    assert ("pattern", 1) in {(one.rule, one.failing) for one in found.violations} or found.not_checked
    if connection:
        assert connection.table("canary").count().execute() == 1


def canary(engine: str):
    """A database with a table that must outlive what is run beside it."""
    connection = duckdb.connect() if engine == "duckdb" else sqlite3.connect(":memory:")
    connection.execute("create table canary (a integer)")
    return connection


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
@pytest.mark.parametrize("text", [NASTY, SQL])
def test_exported_tables_run_no_statement_of_a_contract(engine, text):
    made = export(contracts.from_mapping(agreement(text)), "sql", dialect=engine).text
    connection = canary(engine)
    connection.execute(made) if engine == "duckdb" else connection.executescript(made)
    assert connection.execute("select count(*) from canary").fetchone() == (0,)
    statements = duckdb.extract_statements(made) if engine == "duckdb" else []
    assert {str(one.type) for one in statements} <= {f"StatementType.{kind}" for kind in ("CREATE", "ALTER")}


def test_an_exported_domain_shows_every_character():
    field = {"name": "x", "type": "string", "enum": ["a\u202eb\n'"], "pattern": "\u3164|."}
    agreed = contracts.from_mapping({"version": "1.0.0", "owner": "o", "fields": [field]})
    for dialect in ("duckdb", "postgres", "sqlite"):
        assert shows(export(agreed, "sql", dialect=dialect).text)
    connection = canary("duckdb")
    connection.execute(export(agreed, "sql").text.replace("\u3164", ""))
    with pytest.raises(duckdb.ConstraintException):
        connection.execute("insert into dataset values ('ab')")


@pytest.mark.parametrize("text", [NASTY, SQL])
def test_the_sql_of_a_plan_is_one_select(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    field = {"name": f"f{text}", "type": "string", "enum": [f"A{text}"]}
    one = {"dataset": text.replace(".", "").strip(), "version": "1.0.0", "owner": "o", "fields": [field]}
    save("a.yaml", one)
    save("b.yaml", one | {"version": "2.0.0", "fields": [field | {"enum": [f"B{text}"]}]})
    made = plan("a.yaml", "b.yaml").sql
    assert [str(one.type) for one in duckdb.extract_statements(made)] == ["StatementType.SELECT"]
    assert len(sqlglot.parse(made, read="duckdb")) == 1


def test_dbt_gets_nothing_that_would_end_its_quotes(tmp_path):
    fields = [
        {"name": 'a" or 1=1 --', "type": "string", "enum": ["x"], "required": True, "unique": True},
        {"name": "b", "type": "string", "enum": {"\\'); drop table canary; --": "m"}},
        {"name": "c", "type": "string", "enum": ["it's {{ 7*7 }}"]},
    ]
    agreed = contracts.from_mapping({"dataset": 'x"; --', "version": "1.0.0", "owner": "o", "fields": fields})
    made = export(agreed, "dbt")
    source = yaml.safe_load(made.text)["sources"][0]["tables"][0]
    unsafe, escaped, plain = source["columns"]
    assert "data_tests" not in unsafe and "data_tests" not in escaped and "identifier" not in source
    (test,) = plain["data_tests"]
    assert test["accepted_values"]["arguments"]["values"] == ["it''s {{ '{' }}{ 7*7 }}"]
    assert sum("quote" in said or "backslash" in said for said in made.left_out) == 5
    (tmp_path / "s.yml").write_text(made.text, encoding="utf-8")
    assert contracts.parse(import_file(str(tmp_path / "s.yml"), "dbt").text) == agreed  # nothing is lost for it


@pytest.mark.parametrize("text", [NASTY, SQL, '"""\\', "): pass\nimport os\nos.system('touch pwned')  #"])
def test_an_exported_class_is_only_a_class(text):
    tree = ast.parse(export(contracts.from_mapping(agreement(text)), "python").text)
    assert [type(node) for node in tree.body] == [*[ast.ImportFrom] * (len(tree.body) - 1), ast.ClassDef]
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert called <= {"Check.isin", "Check.ge", "Check.pattern", "meaning", "unit"}


CONSUMERS = {
    "copy": "copy (select 1) to 'pwned.csv'",
    "two": "select * from t; copy (select 1) to 'pwned.csv'",
    "paren": "select * from t) ; copy (select 1) to 'pwned.csv'; select * from (select 1",
    "comment": "select * from t --\n); copy (select 1) to 'pwned.csv' --",
    "text": "select *, (select content from read_text('secret.csv')) as c from t",
    "file": "select * from t, 'secret.csv'",
    "glob": "select * from t, glob('*')",
    "address": "select * from t, read_csv('https://a.invalid/x.csv')",
    "python": "select * from t, sql",
    "query": "select * from t, query('copy (select 1) to ''pwned.csv''')",
    "attach": "attach 'pwned.db'",
}


def test_the_sql_of_consumers_reaches_no_file_and_no_variable(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("secret.csv").write_text("x\nTOP SECRET\n", encoding="utf-8")
    Path("team").mkdir()
    for name, sql in CONSUMERS.items():
        Path("team", f"{name}.sql").write_text(sql, encoding="utf-8")
    Path("team", "good.sql").write_text("select * from t", encoding="utf-8")
    found = running.Consumers(tmp_path, "t", pa.table({"a": [1]}))
    assert {*found.not_run} == {f"team/{name}.sql" for name in CONSUMERS} and [one.name for one in found.models] == [
        "good"
    ]
    assert not [path for path in tmp_path.iterdir() if "pwned" in path.name]


# --- files -----------------------------------------------------------------------------------------------------------

X = {"version": "1.0.0", "owner": "o", "fields": [{"name": "x", "type": "string", "enum": ["A"]}]}


def broken(path: str) -> bool:
    """Whether the file there is read, in which x is not A."""
    return [(one.rule, one.failing) for one in validate.validate(path, X)] == [("enum", 1)]


def write(path: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    if path.endswith(".parquet"):
        with open(path, "wb") as file:  # or pyarrow would take s3: for an address
            pq.write_table(pa.table({"x": ["excellent"]}), file)
    else:
        Path(path).write_text('{"x": "excellent"}\n' if path.endswith("l") else "x\nexcellent\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("folder", ["x=A", "c0=A", "json=A"])
def test_a_folder_says_nothing_about_a_value(tmp_path, monkeypatch, folder, suffix):
    monkeypatch.chdir(tmp_path)
    assert broken(write(f"{folder}/t.{suffix}"))


@posix
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    "name", ["q'); copy x to 'y", "[ab]*?{c}", "~", "~/t", "s3:", "https:", "file:", "|cat", "$HOME", "a\nb", "--"]
)
def test_the_name_of_a_file_is_a_name(tmp_path, monkeypatch, name, suffix):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    pattern = f"*.{suffix}" if "/" not in name else f"*/*.{suffix}"
    assert broken(write(f"{name}.{suffix}")) and broken(pattern)


def test_a_view_in_a_database_reads_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("secret.txt").write_text("TOP SECRET", encoding="utf-8")
    with duckdb.connect("d.duckdb") as connection:
        connection.execute("create view t as select content from read_text('secret.txt')")
    with pytest.raises(DataError, match="disabled by configuration"):
        import_file("d.duckdb", "table")


@posix
def test_links_that_lead_out_of_a_folder_are_not_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("secret.sql").write_text("{% macro m() %}TOP SECRET{% endmacro %} TOP SECRET", encoding="utf-8")
    for folder in ("in/team", "in/macros"):
        Path(folder).mkdir(parents=True)
        Path(folder, "link.sql").symlink_to(tmp_path / "secret.sql")
    save("in/dbt_project.yml", {"name": "p"})
    Path("in/team/calls.sql").write_text("select '{{ m() }}' as x from t", encoding="utf-8")
    save("t.yaml", X | {"consumers": ["team"]})
    for arguments in (["audit", "in"], ["readers", "t.yaml", "x", "--consumers", "in"]):
        assert command.main(arguments) == 2
        out, _ = capsys.readouterr()
        assert "is a link to a file elsewhere" in out and "SECRET" not in out
    templates = templating.Templates("duckdb", Path("in"))
    assert "SECRET" not in templates.rendered("{{ m() }}", "calls")[0].sql
    models = running.Consumers(Path("in"), "t", pa.table({"x": ["A"]})).models
    assert [one.name for one in models] == ["calls"]


@pytest.mark.parametrize("name", ["../../x", "a/b", "a\\b", "/x", "..", ".x", "C:x", "-rf", "a\0b", "x\u202ey"])
def test_no_name_in_a_contract_leads_out_of_the_folder(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    save("a.yaml", X | {"dataset": name})
    save(
        "b.yaml", X | {"dataset": name, "version": "2.0.0", "fields": [{"name": "x", "type": "string", "enum": ["B"]}]}
    )
    assert command.main(["plan", "a.yaml", "b.yaml", "--out", "deep/out"]) == 2
    assert "is no name for a file, so nothing is written" in capsys.readouterr().err
    assert {path.name for path in tmp_path.rglob("*")} == {"a.yaml", "b.yaml"}


@posix
def test_what_is_written_takes_the_place_of_a_link_and_heeds_the_umask(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("t.csv")
    Path("victim").write_text("as it was", encoding="utf-8")
    Path("q").mkdir()
    Path("q/quarantined.csv").symlink_to(tmp_path / "victim")
    before = os.umask(0o077)
    try:
        validate.main([save("c.yaml", X), "t.csv", "--quarantine", "q"])
    finally:
        os.umask(before)
    assert Path("victim").read_text(encoding="utf-8") == "as it was"
    assert {stat.S_IMODE(path.lstat().st_mode) for path in Path("q").iterdir()} == {0o600}


def test_quarantined_cells_stay_as_they_were(tmp_path, monkeypatch):
    """They go back into the table once they are corrected, so even what a spreadsheet would run stays."""
    monkeypatch.chdir(tmp_path)
    cells = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=2"]
    Path("t.csv").write_bytes(("x\r\n" + "".join(f'"{cell}"\r\n' for cell in cells)).encode())
    validate.main([save("c.yaml", X), "t.csv", "--quarantine", "q"])
    found = pa.csv.read_csv("q/quarantined.csv", parse_options=pa.csv.ParseOptions(newlines_in_values=True))
    assert found["x"].to_pylist() == cells and {*found["broken_clauses"].to_pylist()} == {"x: enum"}


def test_duckdb_spills_into_a_private_folder_and_fetches_no_extension():
    asked = "select name, value from duckdb_settings() where name in ('temp_directory', 'autoinstall_known_extensions')"
    found = dict(sources.connect().execute(asked).fetchall())
    assert found["autoinstall_known_extensions"] == "false"
    assert str(os.getpid()) not in found["temp_directory"] or len(Path(found["temp_directory"]).name) > 20
    if os.name != "nt":
        assert stat.S_IMODE(Path(found["temp_directory"]).stat().st_mode) == 0o700


# --- time ------------------------------------------------------------------------------------------------------------

ENDLESS = ["(a|aa)+", r"(\w*-?)*", "(a?){30}a{30}", "([a-z]+,?)+", "(x+x+)+y", "(a?b?){40}c", "(.*,){11}P"]
ENDING = ["(a+)+", r"[\w.+-]+@([\w-]+\.)+[a-z]{2,}", r"\d{1,3}(\.\d{1,3}){3}", ".*a.*b.*", "(AB|E[0-9]+)+"]


@SQLITE
@pytest.mark.parametrize("pattern", [*ENDLESS, *ENDING])
@pytest.mark.parametrize("engine", ["rows", "duckdb", "polars", "sqlite"])
def test_no_pattern_takes_for_ever(engine, pattern):
    agreed = contracts.from_mapping(X | {"fields": [{"name": "x", "type": "string", "pattern": pattern}]})
    table = pa.table({"x": [sign * 60 + "!" for sign in ("a", "x", "ab", "a-", "a,")]})
    if engine == "sqlite":  # its patterns are Python's, which tries every way
        connection = ibis.sqlite.connect()
        connection.create_table("t", table)
        found = validate.report(connection.table("t"), agreed)
        assert [one.reason[:28] for one in found.not_checked] == ["sqlite tries every way to ma"] * (pattern in ENDLESS)
        return
    given = {"rows": table.to_pylist, "polars": lambda: __import__("polars").from_arrow(table)}.get(
        engine, lambda: table
    )()
    assert not validate.report(given, agreed).not_checked


@pytest.mark.parametrize("pattern", ["a{1000}{1000}", "((a{30}){30}){30}", "(a{1,1000}){1,1000}"])
def test_a_pattern_that_is_too_large_is_no_pattern(pattern):
    with pytest.raises(ContractError, match="does not compile"):
        contracts.from_mapping(X | {"fields": [{"name": "x", "type": "string", "pattern": pattern}]})


def test_large_patterns_are_undecided_rather_than_compared_for_minutes():
    assert patterns.covers("(.{1,20}){1,20}", "(.{1,20}){1,20}x") is None
    assert patterns.covers("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "[0-9]{8}(-[0-9]{4}){3}-[0-9]{12}") is True
    with pytest.raises(matching.NotSearchable):
        matching.neutral("(" + "|".join(f"a{i}b" for i in range(2000)) + ")*", "sqlite")


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("contracts: allow x because" + " -" * 300_000 + "x", ("x", None)),
        ("-- contracts: allow silent-else because finance: wants it */", ("silent-else", "finance: wants it")),
        ("{# contracts: allow because of it -#}", ("", "of it")),
        ("-- contracts: allow silent-else", ("silent-else", "")),
        ("-- contracts: allow this and that", None),
        ("contracts: allow x y " * 50_000, None),
        ("contracts:" + " " * 300_000 + "x", None),
    ],
    ids=["dashes", "reason", "no rule", "no reason", "none", "many", "blanks"],
)
def test_an_allowance_is_read_in_one_pass(comment, expected):
    found = allowances.allowance(comment, 1, 1, 1)
    if expected is None:
        assert found is None
    elif expected[1] is None:
        assert found is not None and found.rule == "x" and found.reason.endswith("- -x")
    else:
        assert found is not None and (found.rule, found.reason) == expected


# --- the page --------------------------------------------------------------------------------------------------------


def functions(path: Path) -> set[str]:
    return {*re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)}


def test_every_test_that_the_page_names_is_there():
    page = (seed.ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_\w+)`", page)
    tests = {path.name: functions(path) for path in (seed.ROOT / "tests").rglob("test_*.py")}
    there = set().union(*tests.values())
    assert len(named) > 20 and not {*named} - there
    own = tests[Path(__file__).name]
    assert own - {*named} == {"test_every_test_that_the_page_names_is_there"}, "each test here stands for a threat"
