"""The contract loader on any file and any data: a Contract or a ContractError, soon, in little memory."""

# ruff: noqa: E501, lists of words read best on long lines

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from typing import Any

import pytest
import yaml
from agreements import ANY_DATA, ROOT, agreed, damaged, disturbed
from budget import EXAMPLES, FEW, fuzzed, in_time
from hypothesis import given
from hypothesis import strategies as st

import contracts
from contracts import Contract, ContractError
from contracts.document import concerns, to_mapping
from contracts.interop import export
from validate import quarantine, report

MOST_MEMORY = 500 << 20
FORMS = ["odcs", "dbt", "avro", "jsonschema", "sql", "python", "markdown", "html"]


def as_flow(data: Any) -> bytes:
    """Data as Python writes it, which is often YAML; 5000 digits it does not write."""
    try:
        return repr(data).encode("utf-8", "replace")
    except ValueError:
        return b"[" + b"9" * 5000 + b"]"


def said(error: ContractError) -> None:
    """Each fault is one line that says where and what."""
    assert error.faults
    for fault in error.faults:
        assert fault.message.strip() and fault.message.isprintable()
        assert len(str(fault).splitlines()) == 1 and len(fault.message) < 1000
    str(error).encode("utf-8")
    assert pickle.loads(pickle.dumps(error)).faults == error.faults


def lives(contract: Contract) -> None:
    """A contract that has loaded can be used: written and read again, shown, held against rows, handed to others."""
    mapping = to_mapping(contract)
    assert contracts.from_mapping(mapping) == contract
    assert contracts.parse(yaml.safe_dump(mapping, allow_unicode=True, sort_keys=False)) == contract
    assert contracts.parse(yaml.safe_dump(mapping, sort_keys=False)) == contract
    assert pickle.loads(pickle.dumps(contract)) == contract and hash(contract) == hash(contracts.from_mapping(mapping))
    repr(contract)
    for fault in concerns(contract):
        str(fault)
    names = [field.name for field in contract.fields]
    for rows in ([], [dict.fromkeys(names)], [dict.fromkeys(names, value) for value in ("A", 1, 0.5, True)]):
        json.dumps(report(rows, contract).to_dict()).encode()
        accepted, quarantined = quarantine(rows, contract)
        assert len(accepted) + len(quarantined) == len(rows)


@fuzzed(2)
@given(damaged() | st.binary(max_size=300) | ANY_DATA.map(as_flow))
def test_any_bytes_are_a_contract_or_a_contract_error(tmp_path: Any, raw: bytes) -> None:
    path = tmp_path / "listings-1.4.0.yaml"
    path.write_bytes(raw)
    with in_time():
        try:
            contract = contracts.load(path)
        except ContractError as error:
            said(error)
            assert all(1 <= fault.line <= raw.count(b"\n") + raw.count(b"\r") + 20 for fault in error.faults)
            return
        for field in contract.fields:
            assert contract.line(field.name, "type")
        lives(contract)


@fuzzed(2)
@given(disturbed() | agreed() | ANY_DATA)
def test_any_data_is_a_contract_or_a_contract_error(data: Any) -> None:
    with in_time():
        try:
            contract = contracts.from_mapping(data)
        except ContractError as error:
            said(error)
        else:
            lives(contract)


@fuzzed()
@given(disturbed())
def test_data_written_as_yaml_says_the_same_as_the_data(data: Any) -> None:
    """What YAML can write and read again: a file is judged as its data is."""
    try:
        text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False)
        if yaml.safe_load(text) != data:
            return
    except (ValueError, yaml.YAMLError):  # 5000 digits; a character that YAML cannot write
        return
    try:
        contract = contracts.from_mapping(data)
    except ContractError:
        with pytest.raises(ContractError):
            contracts.parse(text)
        return
    try:
        assert contracts.parse(text) == contract
    except ContractError as error:  # a file may not write what some read in another way, and aliases
        said(error)


@fuzzed()
@given(agreed(), st.sampled_from(FORMS), st.sampled_from(["duckdb", "postgres", "sqlite"]), st.booleans())
def test_a_contract_is_exported_to_every_form(mapping: Any, form: str, dialect: str, enums: bool) -> None:
    contract = contracts.from_mapping(mapping)
    with in_time():
        try:
            found = export(contract, form, dialect=dialect, enums=enums and form == "avro")
        except ValueError as error:  # as documented, where the form has no place for it
            assert str(error) and len(str(error).splitlines()) == 1
            return
        found.text.encode("utf-8")
        if form == "python":
            compile(found.text, "exported", "exec")
        if form in ("avro", "jsonschema"):
            json.loads(found.text)


# ---- what could cost much: in a process whose memory and time are measured -----------------------------------------

HEAD = "version: 1.0.0\nowner: us\nfields:\n  - {name: a, type: string}\n"


def bombs() -> dict[str, bytes]:
    """Small or huge files, each made to cost a reader much."""
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    laughs += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 40))
    merges = "m0: &m0 {k: v}\n" + "".join(
        f"m{i}: &m{i} {{<<: [*m{i - 1}, *m{i - 1}], k{i}: v}}\n" for i in range(1, 200)
    )
    many = "".join(f"  - {{name: f{i}, type: string, enum: [A, B]}}\n" for i in range(9000))
    texts = {
        "billion laughs": laughs + HEAD,
        "billion laughs in the enum": laughs + "fields: *a39\n",
        "merges of merges": merges + HEAD,
        "merge keys that double": "x: &x {a: b}\n" + "y: &y {<<: [" + ", ".join(["*x"] * 20000) + "]}\n" + HEAD,
        "quadratic aliases": "a: &a [" + "x, " * 20000 + "]\nb: [" + "*a, " * 20000 + "]\n",
        "an anchor on itself": "a: &a [*a]\n" + HEAD,
        "an anchor on itself in a mapping": "a: &a {k: *a}\n" + HEAD,
        "an anchor as its own key": "? &a [*a]\n: x\n",
        "deep lists": "[" * 200_000,
        "deep mappings": "{a: " * 100_000,
        "deep blocks": "".join(f"{' ' * i}a:\n" for i in range(1300)),
        "deep dashes": "- " * 300_000,
        "deep questions": "? " * 300_000,
        "many fields": HEAD + many,
        "many faults": "version: 1\nfields:\n" + "  - {nme: a, typ: b}\n" * 20000,
        "many keys": HEAD + "".join(f"k{i}: v\n" for i in range(60000)),
        "many keys again": HEAD + "owner: us\n" * 90000,
        "many documents": "---\n" * 200_000,
        "many tags": "\n".join("- !!x y" for _ in range(90000)),
        "many anchors": "\n".join(f"- &a{i} x" for i in range(60000)),
        "many comments": "# x\n" * 240_000 + HEAD,
        "many directives": "%YAML 1.1\n" * 90_000 + "---\n" + HEAD,
        "a huge word": HEAD + "dataset: " + "x" * 900_000,
        "a huge quoted word": HEAD + 'dataset: "' + "\\x41" * 200_000 + '"',
        "a huge folded word": HEAD + "dataset: >\n" + "  x\n" * 200_000,
        "a huge key": HEAD + "? " + "x" * 900_000 + "\n: y",
        "a huge integer": HEAD.replace("string", "integer, min: " + "9" * 900_000),
        "an integer of 5000 digits": HEAD.replace("string", "integer, min: " + "9" * 5000),
        "an integer in hexadecimal": HEAD.replace("string", "integer, min: 0x" + "f" * 900_000),
        "an integer in sixties": HEAD.replace("string", "integer, min: 1" + ":59" * 300_000),
        "a float in sixties": HEAD.replace("string", "number, min: 1" + ":59" * 300_000 + ".5"),
        "an exponent": HEAD.replace("string", "number, min: 1e999999999"),
        "a float of many digits": HEAD.replace("string", "number, min: 0." + "3" * 900_000),
        "a version of many digits": HEAD.replace("1.0.0", "1." + "0" * 900_000 + ".0"),
        "a duration of many digits": HEAD + "freshness: {max_lag: " + "9" * 900_000 + "h}\n",
        "a zone of many letters": HEAD + "freshness: {max_lag: 1h, timezone: " + "a/" * 400_000 + "}\n",
        "a date of many digits": HEAD.replace("string", "date, min: 2026-08-" + "1" * 900_000),
        "a long pattern": HEAD.replace("string", "string, pattern: '" + "a?" * 400_000 + "'"),
        "patterns of classes": HEAD + "".join(
            f"  - {{name: f{i}, type: string, pattern: '{i}" + "[\\pL\\pN]" * 50 + "'}\n" for i in range(50)
        ),
        "patterns of repetitions": HEAD + "".join(
            f"  - {{name: f{i}, type: string, pattern: '{i}" + "a{1,1000}" * 5 + "'}\n" for i in range(900)
        ),
        "patterns too large for RE2": HEAD + "".join(
            f"  - {{name: f{i}, type: string, pattern: '{i}" + "[\\pL\\d]{1,99}" * 30 + "'}\n" for i in range(900)
        ),
        "a pattern of optional repetitions": HEAD.replace("string", "string, pattern: '" + "a{1,1000}" * 100 + "'"),
        "a pattern of repetitions": HEAD.replace("string", "string, pattern: '((((a{99}){99}){99}){99})'"),
        "a pattern of alternatives": HEAD.replace("string", "string, pattern: '" + "|".join(f"x{i}" for i in range(90000)) + "'"),
        "a pattern of classes": HEAD.replace("string", "string, pattern: '" + "[\\pL\\pN]" * 90_000 + "'"),
        "an enum of many": HEAD.replace("string", "string, enum: [" + ", ".join(f"v{i}" for i in range(49000)) + "]"),
        "an enum of one again and again": HEAD.replace("string", "string, enum: [" + "A, " * 49000 + "]"),
        "teams that are one": HEAD + "consumers: [" + "a, " * 49000 + "]\n",
        "an unknown key that is nearly one": HEAD + "".join(f"onwer{i}: x\n" for i in range(24000)),
        "too large": "# " + "x" * 3_000_000,
        "binary": "\x00" * 900_000,
        "spaces": " " * 999_000,
        "tabs": "\t" * 999_000,
        "line ends": "\r" * 999_000,
        "quotes": "'" * 999_999,
        "colons": ":" * 999_999,
        "colons and blanks": ": " * 400_000,
        "brackets": "[]" * 400_000,
        "commas": "[" + "," * 900_000,
        "pairs in a list": "[" + "a: b, " * 100_000 + "]",
        "percents": "%" * 900_000,
        "bars": "- |\n" * 200_000,
        "bangs": "!" * 900_000,
        "stars": "*" * 900_000,
        "ampersands": "&" * 900_000,
    }  # fmt: skip
    return {name: text.encode() for name, text in texts.items()}


QUICK = (
    *("billion laughs", "quadratic aliases", "an anchor on itself", "deep lists", "deep blocks", "too large"),
    *("an integer of 5000 digits", "an integer in sixties", "an exponent", "a pattern of classes", "a pattern of repetitions"),
    "a pattern of optional repetitions",
)  # fmt: skip
CHILD = """
import json, os, sys, time
sys.path[:] = json.loads(sys.argv[1])
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
except ImportError:
    resource = None
import contracts
for name in sys.argv[3:]:
    begun = time.process_time()
    try:
        contracts.load(name)
        found = "a contract"
    except contracts.ContractError as error:
        found = "a contract error" if all(len(fault.message) < 1000 for fault in error.faults) else "a long message"
    except BaseException as error:
        found = f"{type(error).__name__}: {str(error)[:200]}"
    most = 0
    if sys.platform == "linux":  # getrusage would tell the memory of the process that this one was forked from
        most = int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]) * 1024
    print(json.dumps([os.path.basename(name), found, time.process_time() - begun, most]), flush=True)
"""


def test_no_file_costs_much(tmp_path: Any) -> None:
    """At most two seconds of the processor and 500 MB, whatever the file."""
    made = bombs()
    if EXAMPLES <= FEW:
        made = {name: made[name] for name in QUICK}
    paths = []
    for i, raw in enumerate(made.values()):
        paths.append(tmp_path / f"{i}.yaml")
        paths[-1].write_bytes(raw)
    path = json.dumps([str(ROOT), *sys.path])
    limit = str(MOST_MEMORY if sys.platform.startswith("linux") else 1 << 62)
    command = [sys.executable, "-c", CHILD, path, limit, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = []
    for name, (_, found, seconds, memory) in zip(made, told, strict=False):
        if found not in ("a contract", "a contract error") or seconds > 2 or memory > MOST_MEMORY:
            wrong.append(f"{name}: {found}, {seconds:.1f} s, {memory >> 20} MB")
    if len(told) < len(made):
        wrong.append(f"{list(made)[len(told)]}: the process died with {done.returncode}: {done.stderr[-300:]}")
    assert not wrong, "\n".join(wrong)
    if os.environ.get("SHOW"):
        for name, (_, found, seconds, memory) in zip(made, told, strict=True):
            print(f"{seconds:6.2f} s {memory >> 20:5} MB  {found:<18} {name}")
