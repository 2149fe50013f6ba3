"""Plain data: there and back, and that any data or text gives a contract or a contract's error."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
import yaml
from any_contract import mappings
from documents import LESSON
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts import ContractError, from_mapping, parse
from contracts.document import to_mapping


def test_plain_data_says_the_same_with_the_way_to_the_key() -> None:
    data = yaml.safe_load(LESSON)
    assert from_mapping(data) == parse(LESSON)
    data["fields"][0]["enum"] = ["A", None, 3]
    data["fields"][1]["requierd"] = True
    data["volume"] = None
    with pytest.raises(ContractError) as caught:
        from_mapping(data)
    assert sorted(map(str, caught.value.faults)) == [
        "<contract>:0:0: fields[0].enum[1]: null is no value of an enum; take it out: required and max_null_rate "
        "speak of NULL",
        "<contract>:0:0: fields[0].enum[2]: here is the integer 3, but text belongs here; write one text, in quotes",
        "<contract>:0:0: fields[1]: requierd is no key here; did you mean required?",
        "<contract>:0:0: volume: null is read as null, but a mapping belongs here; write it with the keys min_rows, "
        "max_rows",
    ]


def test_data_that_contains_itself_is_a_fault() -> None:
    data: dict[str, Any] = yaml.safe_load(LESSON)
    data["fields"].append(data)
    with pytest.raises(ContractError, match="more than 32 levels"):
        from_mapping(data)


def test_a_mapping_is_written_in_the_order_of_the_lesson_without_defaults() -> None:
    data = to_mapping(parse(LESSON, source="listings.yaml"))
    assert list(data) == ["dataset", "version", "owner", "consumers", "freshness", "volume", "fields", "evolution"]
    assert data["freshness"] == {"max_lag": "1h"} and data["evolution"] == {"notice": "14d"}
    assert data["fields"][1] == {"name": "price_cents", "type": "integer", "unit": "EUR_cents"}
    json.dumps(data)


class Quoting(yaml.SafeDumper):
    """Writes every text in quotes, and nothing else."""


Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


@settings(max_examples=150, deadline=None)
@given(mappings())
def test_round_trip(data: dict[str, Any]) -> None:
    contract = from_mapping(data)
    assert from_mapping(to_mapping(contract)) == contract
    assert pickle.loads(pickle.dumps(contract)) == contract
    hash(contract)
    # And through a file, in which every text is quoted.
    assert parse(yaml.dump(to_mapping(contract), Dumper=Quoting, allow_unicode=False, sort_keys=False)) == contract
    plain = yaml.safe_dump(to_mapping(contract), allow_unicode=False, sort_keys=False)
    try:
        assert parse(plain) == contract
    except ContractError as error:  # PyYAML leaves these bare, and readers of YAML 1.2 take them for numbers
        assert all("is read as the" in fault.message for fault in error.faults)


KEYS = st.sampled_from(["version", "owner", "fields", "name", "type", "enum", "meanings", "min", "max", "volume"])
OTHER_KEYS = st.none() | st.integers() | st.text(max_size=3)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3) | st.dates(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner) | st.dictionaries(OTHER_KEYS, inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(PLAIN, mappings(), st.data())
def test_any_data_gives_a_contract_or_a_contract_error(anything: Any, data: dict[str, Any], draws: Any) -> None:
    part: Any = data  # anything at all, somewhere in a good contract
    while isinstance(part, dict | list) and part:
        place = draws.draw(st.sampled_from(list(part) if isinstance(part, dict) else range(len(part))))
        if draws.draw(st.booleans()) or not isinstance(part[place], dict | list):
            part[place] = anything
            break
        part = part[place]
    for mapping in (anything, data):
        try:
            contract = from_mapping(mapping)
        except ContractError as error:
            assert error.faults and str(error).encode()
        else:
            assert from_mapping(to_mapping(contract)) == contract


SIGNS = """[ ] { } &a *a << !! ! ' " ~ NO 017 --- ?"""
TOKENS = [*LESSON.split(), *SIGNS.split(), "\n", "\n  - ", ": ", "\t"]


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60) | st.lists(st.sampled_from(TOKENS)).map(" ".join))
@example(b"\xff\xfe")
@example("!!int x")
@example("!!bool x: !!null y")
@example("? [a]\n: b")
@example("%TAG ! tag:x,2000:\n--- !a b")
@example("%YAML 9.9\n--- a")
@example("=: 1")
def test_any_text_gives_a_contract_or_a_contract_error(text: str | bytes) -> None:
    try:
        parse(text)
    except ContractError as error:
        assert error.faults and str(error).isprintable() | (len(error.faults) > 1)
