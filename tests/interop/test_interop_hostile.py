"""Files that nobody should write, and the two commands: one sentence and an exit status, never a traceback."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from exchanged import ANSWERS, BOTH_WAYS, DBT, LISTINGS, ODCS, import_text, some
from hypothesis import given
from hypothesis import strategies as st

import seed
from contracts import ContractError, load, parse
from contracts.__main__ import main
from contracts.interop import FROM, TO, export

# ---- hostile files ------------------------------------------------------------------------------------------------

JUNK = [None, True, 3, -1, 1e300, 10**50, "", "x", "\0", "{{ x }}", "NO", "é", [], {}, [None], [[]], [{}], {"a": None}, {1: 2}, {"name": ["x"]},
        {"value": {"x": 1}}, "9999999999999d", "2026-02-30", "(", "^(?:$", "x" * 5000]  # fmt: skip
SEEDS = {"odcs": ODCS % "\n".join(f"      - {one[0]}" for one in ANSWERS.values()), "dbt": DBT}


def ways(data: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [way] if way else []
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else []
    for key, value in items:
        found += ways(value, (*way, key))
    return found


@pytest.mark.parametrize("form", BOTH_WAYS)
def test_whatever_stands_in_a_file_is_imported_or_refused_in_a_sentence(form: str, folder: Path) -> None:
    own = export(load(seed.ROOT / "contracts" / "history" / "listings-1.5.0.yaml"), form, enums=True).text
    seeds = [yaml.safe_load(text) for text in (own, SEEDS.get(form, own))]

    junk_of_form = [*JUNK, "\ud800", {"\ud800": "\udfff"}] if form in ("jsonschema", "avro") else JUNK

    @some
    @given(
        st.sampled_from(seeds),
        st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(junk_of_form)), min_size=1, max_size=4),
    )
    def check(data: Any, changes: list[tuple[int, Any]]) -> None:
        data = copy.deepcopy(data)
        for place, junk in changes:
            places = ways(data)
            if not places:
                break
            *above, last = places[place % len(places)]
            part = data
            for key in above:
                part = part[key]
            part[last] = copy.deepcopy(junk)
        text = json.dumps(data) if form in ("jsonschema", "avro") else yaml.safe_dump(data, allow_unicode=True)
        try:
            found = import_text(text, form, folder)
        except ContractError as error:
            assert error.unreadable and len(str(error).splitlines()) == 1
        else:
            parse(found.text)
            assert all(len(says.splitlines()) == 1 for says in found.left_out)

    check()


BROKEN = {
    "empty": "",
    "not YAML": "a: [",
    "binary": "\x01\x02",
    "a bomb": "a: &a [x, x]\n"
    + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)),
    "another format": "dataContractSpecification: 1.1.0\nmodels: {}",
    "a list": "[1, 2]",
    "a word": "x",
    "no tables": "{apiVersion: v3.1.0, kind: DataContract, schema: []}",
    "no columns": "{apiVersion: v3.1.0, schema: [{name: t, properties: []}]}",
    "an object of Python's": "!!python/object/apply:os.system [true]",
    "deep": "[" * 200,
}


@pytest.mark.parametrize("form", BOTH_WAYS)
@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_read_is_one_sentence_and_status_2(
    case: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text(BROKEN[case], encoding="utf-8")
    assert main(["import", str(tmp_path / "file"), "--from", form]) == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1 and said.err.startswith(str(tmp_path))


@pytest.mark.parametrize("form", FROM)
def test_no_file_a_folder_and_bytes_are_status_2(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00bytes")
    for path in (tmp_path / "nobody", tmp_path, tmp_path / "bytes", "nul\0"):
        assert main(["import", str(path), "--from", form]) == 2
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1


# ---- the command line ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", TO)
def test_strict_is_status_1_where_something_is_not_said(to: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(LISTINGS), "--to", to]) == 0
    loose = capsys.readouterr()
    strict = main(["export", str(LISTINGS), "--to", to, "--strict"])
    said = capsys.readouterr()
    assert said.out == loose.out and said.err == loose.err
    assert strict == (0 if to in ("odcs", "markdown", "html") else 1) == (1 if said.err else 0)
    assert all(line.startswith(f"not in {to}: ") for line in said.err.splitlines())


def test_what_is_said_moves_no_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(
        '{version: 1.0.0, owner: us, fields: [{name: "\\e[2Jx", type: string, unique: true, max_null_rate: 0.1}]}'
    )
    for to in ("avro", "dbt", "jsonschema", "sql"):
        assert main(["export", str(path), "--to", to]) == 0
        said = capsys.readouterr()
        assert "\x1b" not in said.err and said.err
        assert "\x1b" not in said.out or to == "sql"  # where it is quoted, as a name must be


def test_import_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(ODCS % "      - {name: a, logicalType: string, classification: secret}", encoding="utf-8")
    assert main(["import", str(path), "--from", "odcs"]) == 0
    said = capsys.readouterr()
    (tmp_path / "drafted.yaml").write_text(said.out, encoding="utf-8")
    assert main(["lint", str(tmp_path / "drafted.yaml")]) == 0
    assert "left out: schema.properties[0].classification (secret): a contract has no place for it" in said.err
