"""What does not load: each fault with its line, its column and what to write instead."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent

import pytest
from documents import DATED, HEAD, LESSON, WRONG, faults, field

from contracts import ContractError, load, parse
from contracts.errors import Fault

TRAPS = {  # as written: as read
    "NO": "the boolean false", "yes": "the boolean true", "on": "the boolean true", "off": "the boolean false",
    "true": "the boolean true", "1": "the integer 1", "1.10": "the number 1.1", "1e3": "the number 1000.0",
    "017": "the integer 15", "0o17": "the integer 15", "0x1F": "the integer 31", "1_000": "the integer 1000",
    "12:30": "the integer 750", ".inf": "the number inf", "2026-08-19": "the date 2026-08-19",
    "2026-08-19 12:30:00": "the timestamp 2026-08-19 12:30:00",
}  # fmt: skip


@pytest.mark.parametrize(("written", "read"), TRAPS.items())
def test_yaml_traps_are_errors_wherever_text_belongs(written: str, read: str) -> None:
    says = f"{written} is read as {read}; write '{written}', because text belongs here"
    for text, place in {
        field(f"name: a, type: string, enum: [{written}]"): (4, 36),
        field(f"name: a, type: string, enum: {{A: {written}}}"): (4, 39),
        field(f"name: a, type: string, enum: {{{written}: of it}}"): (4, 36),
        field(f"type: string, name: {written}"): (4, 26),
        field(f"name: a, type: string, unit: {written}"): (4, 35),
        field(f"name: a, type: string, meaning: {written}"): (4, 38),
        DATED.replace("team", written): (2, 8),
        DATED + f"consumers: [x, {written}]": (5, 16),
        DATED + f"dataset: {written}": (5, 10),
    }.items():
        assert [(f.line, f.column, f.message) for f in faults(text)] == [(*place, says)], text
    # The same in quotes is what was meant.
    quoted = parse(field(f"name: '{written}', type: string, enum: ['{written}']").replace("team", f"'{written}'"))
    assert (quoted.owner, quoted.fields[0].name, quoted.fields[0].enum) == (written, written, (written,))


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_has_its_place_and_says_what_to_write(name: str) -> None:
    text, line, column, says = WRONG[name]
    found = [fault for fault in faults(text) if (fault.line, fault.column) == (line, column)]
    assert found, f"none at {line}:{column}: {faults(text)}"
    for words in says.split("; "):
        assert any(words in fault.message for fault in found), f"{words!r} is not in {found}"
    assert all(len(fault.message) < 300 and fault.message.isprintable() for fault in faults(text))
    assert len(faults(text)) == 1, faults(text)  # one mistake, one fault


def test_everything_wrong_is_reported_at_once_in_the_order_of_the_file() -> None:
    text = dedent("""\
        version: 1.4
        ownr: team
        consumers: [NO, a, a]
        volume: {min_rows: 10, max_rows: 5}
        fields:
          - {name: a, type: strng}
          - {name: a, type: string, enum: [1, ~, on], min: 3}
          - {name: d, type: date, name: d, deprecated: {announced: never, replaced_by: z}, unique: yes}
        evolution: {notice: soon}
        """)
    assert [(fault.line, fault.column) for fault in faults(text)] == [
        (1, 1),  # owner is missing
        (1, 10),  # the version is a float
        (2, 1),  # ownr
        (3, 13),  # NO
        (3, 20),  # a, again
        (4, 34),  # min_rows above max_rows
        (6, 21),  # strng
        (7, 12),  # a second field a
        *((7, column) for column in (36, 39, 42, 52)),  # 1, ~, on, min of a string
        *((8, column) for column in (27, 60, 80, 92)),  # name twice, never, z, yes
        (9, 21),  # soon
    ]


def test_an_alias_bomb_a_chain_of_aliases_and_a_merge_bomb_do_no_harm() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{b}: &{b} [{', '.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "with aliases written out" in faults(bomb)[0].message
    chain = "- &a0 [x]\n" + "".join(f"- &a{i + 1} [*a{i}]\n" for i in range(200))  # few values, many levels
    assert "with aliases written out" in faults(chain)[0].message
    deep = faults("[" * 100_000)[0].message
    assert "maximum nesting" in deep or "32 levels" in deep  # libyaml's own limit, where PyYAML has libyaml
    merge = "- &a {" + ", ".join(f"k{i}: v" for i in range(1000)) + "}\n- {<<: [" + "*a, " * 10_000 + "]}"
    assert "with aliases written out" in faults(merge)[0].message


def test_slow_to_read_is_no_way_to_hang() -> None:
    """Each of these took minutes, or would, with one of the limits taken out."""
    for text in (
        "version: " + "1" * 900_000 + "x",
        "version: " + "1:" * 400_000 + "1",
        field("name: a, type: string, enum: {" + ", ".join(f"{i}: x" for i in range(20_000)) + "}"),
        HEAD + "fields: [" + ", ".join(f"{{requird{i}: x}}" for i in range(15_000)) + "]",
        "{" + ", ".join(f"k{i}: x" for i in range(20_000)) + "}",
    ):
        assert 0 < len(faults(text)) <= 202


def test_of_very_many_faults_the_first_ones_are_told() -> None:
    found = faults(field("name: a, type: string") + "".join(f"x{i}: 1\n" for i in range(500)))
    assert len(found) <= 201 and found[0].message.startswith("x0 is no key here")
    found = faults(HEAD + "fields:\n" + "".join(f"  - {{name: f{i}}}\n" for i in range(500)))
    assert len(found) == 201 and found[-1].message == "there are more faults from here on; correct these first"


def test_control_characters_and_long_values_stay_out_of_messages() -> None:
    (fault,) = faults(field('name: a, type: "\\e[31m\\n' + "x" * 5000 + '"'))
    assert "\\x1b[31m\\n" in fault.message and len(fault.message) < 250
    assert str(Fault("a\nb", 1, 2, "c\rd")) == "a\\nb:1:2: c\\rd"


def test_files_that_cannot_be_read_are_said_to_be_so(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.yaml", tmp_path, Path(f"{tmp_path}/a\0b")):
        with pytest.raises(ContractError, match="cannot read the file") as caught:
            load(path)
        assert caught.value.unreadable and len(caught.value.faults) == 1
    large = tmp_path / "large.yaml"
    with large.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(ContractError, match="more than 1,000,000 bytes"):
        load(large)


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "secret.yaml"
    path.write_text(LESSON, encoding="utf-8")
    path.chmod(0)
    with pytest.raises(ContractError, match="Permission denied") as caught:
        load(path)
    assert caught.value.unreadable
