"""Bounds of other forms that are themselves not allowed become the next value, or are taken out and said."""

import json

import pytest

from contracts.interop import import_file


@pytest.mark.parametrize(
    ("limits", "clause"),
    [
        ({"exclusiveMinimum": 5}, "min: 6"),
        ({"exclusiveMaximum": 9}, "max: 8"),
        ({"exclusiveMinimum": 5.5}, "min: 6"),  # the first integer above
        ({"exclusiveMinimum": -5.5}, "min: -5"),
        ({"exclusiveMaximum": 5.5}, "max: 5"),
        ({"exclusiveMaximum": -5.5}, "max: -6"),
    ],
    ids=str,
)
def test_an_exclusive_bound_is_the_next_integer(tmp_path, limits, clause):
    found = import_file(schema(tmp_path, limits), "jsonschema")
    assert f"{{name: a, type: integer, {clause}}}" in found.text
    assert found.left_out == ()


@pytest.mark.parametrize("bound", ["1e40", "1e999", "1" + 400 * "0"], ids=["more than 38 digits", "infinite", "huge"])
@pytest.mark.parametrize("key", ["exclusiveMinimum", "exclusiveMaximum"])
def test_a_bound_that_no_contract_can_hold_is_said_and_no_other_takes_its_place(tmp_path, key, bound):
    found = import_file(schema(tmp_path, {key: "BOUND"}, bound), "jsonschema")
    assert "{name: a, type: integer}" in found.text
    assert len(found.left_out) == 1 and found.left_out[0].startswith("a: mi" if key.endswith("Minimum") else "a: ma")


def schema(folder, limits, bound="0"):
    """The schema of a row with one integer, with these limits; "BOUND" as that number's own digits."""
    path = folder / "rows.json"
    text = json.dumps({"title": "t", "type": "object", "properties": {"a": {"type": "integer", **limits}}})
    path.write_text(text.replace('"BOUND"', bound), encoding="utf-8")
    return path
