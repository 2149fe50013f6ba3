"""Texts that attack a terminal, a build, a page or SQL, and a contract that is full of them."""

import os
import re
import unicodedata
from pathlib import Path

import pytest
import yaml

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such names, links or rights")

SQLITE = pytest.mark.filterwarnings(  # what ibis does with SQLite and pandas
    "ignore:The 'future.infer_string' option", "ignore:The default date.* adapter", "ignore:unclosed database"
)
X = {"version": "1.0.0", "owner": "o", "fields": [{"name": "x", "type": "string", "enum": ["A"]}]}

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


def save(name: str, data: object) -> str:
    Path(name).write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return name


def shows(text: str) -> bool:
    """Whether every character of a text is to be seen, and none of them in another order than it stands."""
    unseen = "\u115f\u3164"
    return all(c == "\n" or ((unicodedata.category(c)[0] not in "CZ" or c == " ") and c not in unseen) for c in text)
