"""contracts/compatibility.py and avro.py: what a registry says, held to the avro package's own checker."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import seed
from contracts import avro, from_mapping
from contracts.__main__ import main
from contracts.compatibility import compatibility, levels, obstacles, released

HISTORY = seed.ROOT / "contracts" / "history"


def contract(*fields: dict[str, Any], version: str = "1.0.0") -> dict[str, Any]:
    return {"dataset": "t", "version": version, "owner": "us", "fields": list(fields)}


def condition(*values: str) -> dict[str, Any]:
    return contract({"name": "item_condition", "type": "string", "enum": list(values), "required": True})


ABC, WORDS = condition("A", "B", "C"), condition("excellent", "good", "fair")


def test_trap_1_a_recoded_string_is_full() -> None:
    found = compatibility(ABC, WORDS)
    assert (found.level, found.needed) == ("FULL", "major")
    assert "re-coded" in found.breaking[0]


def test_trap_2_an_enum_recoded_with_a_default_is_backward_and_silent() -> None:
    assert compatibility(ABC, WORDS, enums=True).level == "NONE"
    found = compatibility(ABC, WORDS, enums=True, defaults={"item_condition": "fair"})
    assert (found.level, found.needed) == ("BACKWARD", "major")
    assert found.silent == ("item_condition: every A, B, C is read as fair: the registry's own ELSE",)


def test_both_traps_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for name, mapping in (("t-1.0.0.yaml", ABC), ("t-2.0.0.yaml", WORDS | {"version": "2.0.0"})):
        (tmp_path / name).write_text(json.dumps(mapping), encoding="utf-8")
        files.append(str(tmp_path / name))
    assert main(["compat", *files]) == 0
    out = capsys.readouterr().out
    assert "registry: FULL" in out and "contract: major bump" in out and "The registry lets it through as FULL" in out
    assert main(["compat", *files, "--enums", "--default", "item_condition=fair"]) == 1
    assert "every A, B, C is read as fair: the registry's own ELSE" in capsys.readouterr().out
    assert main(["compat", *files, "--enums", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["BACKWARD"] is False
    for wrong in (
        [files[0]],
        [*files, "--default", "x"],
        [*files, "--default", "nobody=x"],
        ["--history", "no", files[0]],
    ):
        assert main(["compat", *wrong]) == 2
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1


def test_the_transitive_levels_over_the_history(capsys: pytest.CaptureFixture[str]) -> None:
    newest = HISTORY / "listings-2.0.0.yaml"
    versions = released(
        HISTORY, from_mapping(contract({"name": "a", "type": "string"}, version="9.0.0") | {"dataset": "listings"})
    )
    assert [each.version for each in versions] == ["1.3.0", "1.4.0", "1.5.0", "2.0.0"]
    found = [compatibility(each, newest) for each in versions[:-1]]
    assert [each.level for each in found] == ["NONE", "NONE", "BACKWARD"]
    assert levels(found) == {
        "BACKWARD": True,
        "FORWARD": False,
        "FULL": False,
        "BACKWARD_TRANSITIVE": False,
        "FORWARD_TRANSITIVE": False,
        "FULL_TRANSITIVE": False,
    }
    assert main(["compat", "--history", str(HISTORY), str(newest)]) == 1
    assert "BACKWARD_TRANSITIVE  no" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "level"),
    [
        ({"type": "integer"}, {"type": "number"}, "BACKWARD"),  # long → double
        ({"type": "date"}, {"type": "timestamp"}, "BACKWARD"),  # int → long, though days are no microseconds
        ({"type": "string", "required": True}, {"type": "string"}, "BACKWARD"),
        ({"type": "integer"}, {"type": "string"}, "NONE"),
        ({"type": "integer", "unit": "EUR"}, {"type": "integer", "unit": "EUR_cents"}, "FULL"),
    ],
)
def test_what_a_registry_says_of_a_field(old: dict[str, Any], new: dict[str, Any], level: str) -> None:
    assert compatibility(contract({"name": "a"} | old), contract({"name": "a"} | new)).level == level


def test_any_name_becomes_one_that_avro_takes() -> None:
    made = avro.schema(from_mapping(contract({"name": "1 é-x", "type": "string", "enum": ["no name"]})), enums=True)
    assert made["fields"][0]["name"] == "_1_20__e9__2d_x" and made["fields"][0]["type"] == ["null", "string"]


# ---- the avro package's own checker -----------------------------------------------------------------------------------


def random_contract(pick: random.Random) -> dict[str, Any]:
    """A contract with some of four fields, of any type."""
    fields = []
    for name in ("a", "b", "c", "d"):
        if pick.random() < 0.8:
            kind = pick.choice(["string", "string", "string", "integer", "number", "boolean", "date", "timestamp"])
            field: dict[str, Any] = {"name": name, "type": kind, "required": pick.random() < 0.5}
            if kind == "string" and pick.random() < 0.8:
                field["enum"] = pick.sample(["A", "B", "C", "D"], pick.randint(1, 3))
            fields.append(field)
    return contract(*fields or [{"name": "a", "type": "string"}])


def random_schema(pick: random.Random, depth: int = 0) -> Any:
    """Any Avro schema; every name once, as Avro asks."""
    kind = pick.choice(
        ["null", "int", "long", "float", "double", "string", "bytes", "boolean", "enum", "fixed"]
        + ["array", "map", "record", "union"] * (depth < 2)
    )
    name = f"{pick.choice('xy')}_{kind}_{pick.getrandbits(30)}" if pick.random() < 0.1 else f"{kind}_{depth}"
    match kind:
        case "enum":
            symbols = pick.sample(["A", "B", "C"], pick.randint(1, 3))
            return {"type": "enum", "name": name, "symbols": symbols} | (
                {"default": symbols[0]} if pick.random() < 0.4 else {}
            )
        case "fixed":
            return {"type": "fixed", "name": name, "size": pick.randint(1, 2)}
        case "array":
            return {"type": "array", "items": random_schema(pick, depth + 1)}
        case "map":
            return {"type": "map", "values": random_schema(pick, depth + 1)}
        case "record":
            names = pick.sample("abc", pick.randint(1, 2))
            return {
                "type": "record",
                "name": name,
                "fields": [
                    {"name": f"{each}", "type": f"{t}"} | ({"default": None} if t == "null" else {})
                    for each in names
                    for t in [pick.choice(["int", "long", "string", "null"])]
                ],
            }
        case "union":
            return pick.sample(["null", "int", "double", "string", "boolean"], pick.randint(1, 3))
    return kind


def their_verdict(reader: Any, writer: Any) -> bool:
    """Whether the avro package's own checker calls the pair compatible."""
    theirs = pytest.importorskip("avro.compatibility", reason="the avro package is in the development extra")
    from avro.schema import parse  # type: ignore[import-not-found,import-untyped,unused-ignore]

    checker = theirs.ReaderWriterCompatibilityChecker()
    result = checker.get_compatibility(parse(json.dumps(reader)), parse(json.dumps(writer)))
    return bool(result.compatibility is theirs.SchemaCompatibilityType.compatible)


def test_the_avro_package_agrees_on_exported_contracts() -> None:
    pick, seen = random.Random(5), {True: 0, False: 0}
    for _ in range(400):
        enums = pick.random() < 0.7
        default = {name: "A" for name in "abcd" if pick.random() < 0.4}
        old, new = from_mapping(random_contract(pick)), from_mapping(random_contract(pick))
        if pick.random() < 0.5:  # alike but for one field
            new = old.model_copy(update={"fields": (*old.fields[:-1], *(f for f in new.fields if f.name == "d"))})
        default = {n: d for n, d in default.items() if (f := new.field(n)) and "A" in (f.enum or ())}
        if not new.fields:
            continue
        writer, reader = avro.schema(old, enums=enums), avro.schema(new, enums=enums, defaults=default)
        for one, other in ((reader, writer), (writer, reader)):
            ours = not list(obstacles(one, other))
            assert ours is their_verdict(one, other), (one, other)
            seen[ours] += 1
    assert min(seen.values()) > 50, seen


def test_the_avro_package_agrees_on_any_schemas() -> None:
    pick, seen = random.Random(7), {True: 0, False: 0}
    for _ in range(2_000):
        writer = random_schema(pick)
        reader = writer if pick.random() < 0.2 else random_schema(pick)
        ours = not list(obstacles(reader, writer))
        assert ours is their_verdict(reader, writer), (reader, writer, list(obstacles(reader, writer)))
        seen[ours] += 1
    assert min(seen.values()) > 100, seen
