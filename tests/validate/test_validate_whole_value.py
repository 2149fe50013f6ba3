"""A pattern is about the whole value, in both readings, whatever stands in it."""

import pyarrow as pa
import pytest

from validate import validate

WHOLE = {  # pattern: values that keep it, and values that do not
    r"\Qa)(b": (["a)(b"], ["a", "a)(b)"]),  # \Q without \E quotes to the end, what stands around it too
    "a|ab": (["a", "ab"], ["abb", "b"]),  # the longer way, where the shorter one would do for a part
    "(?m)^a$": (["a"], ["a\nc", "b\na"]),  # a line is not the value
    "a$": (["a"], ["a\n"]),  # nor is all but the last line end
    "(?i)ab": (["AB", "ab"], ["abc"]),
    "": ([""], ["a"]),
}


@pytest.mark.parametrize("as_table", [False, True], ids=["rows", "table"])
@pytest.mark.parametrize("pattern", WHOLE)
def test_a_pattern_is_about_the_whole_value(pattern, as_table):
    keeping, breaking = WHOLE[pattern]
    contract = {
        "version": "1.0.0",
        "owner": "shop",
        "consumers": ["pricing"],
        "fields": [{"name": "code", "type": "string", "pattern": pattern}],
    }
    kept, broken = (
        validate(pa.table({"code": values}) if as_table else [{"code": value} for value in values], contract)
        for values in (keeping, breaking)
    )
    assert not kept
    assert [(violation.rule, violation.failing) for violation in broken] == [("pattern", len(breaking))]
