"""No contract, template, document or SQL of others runs code here, nor does our own code invite it."""

import ast
import re
from pathlib import Path

import pytest

import contracts
import seed
from contracts.auditing import templating
from contracts.auditing.stubs import Untemplated
from contracts.errors import ContractError
from contracts.interop import import_file

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
