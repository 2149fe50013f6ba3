"""Contracts to begin with: texts that are almost one, mappings that are one, and what one little change makes of it."""

# ruff: noqa: RUF001, lists of words read best on long lines

from __future__ import annotations

import copy
import datetime as dt
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
REAL = sorted((ROOT / "contracts").glob("*.yaml")) + sorted((ROOT / "contracts" / "history").glob("*.yaml"))
TEXTS = [path.read_text(encoding="utf-8") for path in REAL]
DATA = [yaml.safe_load(text) for text in TEXTS]
TYPES = ["string", "integer", "number", "boolean", "date", "timestamp"]
KEYS = [
    "dataset", "version", "owner", "consumers", "freshness", "volume", "fields", "evolution", "max_lag", "field",
    "timezone", "min_rows", "max_rows", "additive", "breaking", "notice", "name", "type", "enum", "meaning", "unit",
    "required", "max_null_rate", "min", "max", "pattern", "unique", "deprecated", "announced", "replaced_by",
    "meanings", "<<", "=",
]  # fmt: skip

# Words that mean something else to somebody, that are too long, too many, or of a type that nobody expects.
WORDS = [
    *(
        "",
        "~",
        "null",
        "NO",
        "off",
        "Yes",
        "true",
        "1.4.0",
        "1.4",
        "1",
        "0",
        "-0",
        "0x1F",
        "0b1",
        "0o17",
        "017",
        "1_000",
    ),
    *(
        "1e999999",
        "-1e999999",
        "1e-999999",
        ".inf",
        "-.INF",
        ".nan",
        "12:30:45",
        "190:20:30.15",
        "1e3",
        "+.5",
        "-",
        "=",
        "<<",
    ),
    *("9" * 39, "9" * 5000, "-" + "9" * 4301, "0." + "3" * 400, "1" + ":59" * 40, "0x" + "f" * 5000, "0b" + "1" * 99),
    *(
        "2026-08-19",
        "2026-13-45",
        "0000-00-00",
        "9999-12-31T23:59:60Z",
        "2001-12-14 21:59:43.10 -5",
        "0001-01-01T00:00:00+23:59",
    ),
    *(
        "2026-08-19T12:30:00",
        "9999-12-31T23:59:59-23:59",
        "2026-02-30",
        "2026-08-19T24:00:00",
        "2026-08-19t12:00:00+99:99",
    ),
    *(
        "1h",
        "14d",
        "999999999w",
        "0s",
        "-1h",
        "1.5h",
        "١h",
        "Europe/Berlin",
        "UTC",
        "../../etc/passwd",
        "Europe/",
        "a/b/c",
        ".",
    ),
    *(
        "[",
        "]",
        "{",
        "}",
        "[]",
        "{}",
        "[[]]",
        "[{}]",
        "{a: {b: [c]}}",
        "[A, A]",
        "[1, 1.0, true]",
        "{A: x, B: y}",
        "[~]",
    ),
    *(
        "&a [*a]",
        "&a {k: *a}",
        "&a x",
        "*a",
        "*b",
        "<<: *a",
        "? [a, b]\n: c",
        "? {a: b}\n: c",
        "!!python/name:os.system ''",
    ),
    *(
        "!!binary aGk=",
        "!!set {a, b}",
        "!!omap [a: 1]",
        "!!timestamp x",
        "!!int x",
        "!!float ''",
        "!!null x",
        "!!bool maybe",
        "!x y",
    ),
    *(
        "!!str 1",
        "!!merge x",
        "!!map [a]",
        "!!seq {a: b}",
        "!<tag:yaml.org,2002:int> 7",
        "!!int 0x",
        "!!float 1e",
        "%YAML 1.1",
    ),
    *(
        "---",
        "...",
        "--- x",
        "# comment",
        "|",
        ">-",
        "|9",
        "'",
        '"',
        "'a",
        '"\\x41',
        '"\\ud800"',
        '"\\0"',
        "\t",
        " \t ",
        ": ",
        "- ",
        "?",
    ),
    *(
        "(a+)+$",
        "[",
        "(?P<n>x)",
        "\\p{Greek}",
        "(?i)",
        "a{1000}",
        "((((a{99}){99}){99}){99})",
        "\\C",
        "\\Q.",
        "^$",
        "(?s).*",
        "[[:alpha:]]",
    ),
    *(
        "x" * 70,
        "é",
        "é",
        "👍",
        "\u202e",
        "\u2028",
        "\x85",
        "\ufeff",
        "\x00",
        "\x1b[2J",
        "\x7f",
        "\ud7ff",
        "\ufffe",
        "ı",
        "ß",
    ),
]
NASTY = st.sampled_from(WORDS) | st.text(max_size=8)


# ---- texts that are almost a contract ------------------------------------------------------------------------------


@st.composite
def damaged(draw: Any) -> bytes:
    """The bytes of a real contract after one to six accidents, in some encoding."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3, 6]))):
        lines = text.split("\n")
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        at = draw(st.integers(0, len(text)))
        match draw(st.sampled_from([3, 3, 3, 4, 4, 0, 1, 2, 5, 6, 7, 8, 9])):
            case 0:
                del lines[i]
            case 1:
                lines.insert(j, lines[i])
            case 2:
                lines[i], lines[j] = lines[j], lines[i]
            case 3 if ":" in lines[i]:  # another value
                lines[i] = f"{lines[i].partition(':')[0]}: {draw(NASTY)}"
            case 4:  # another key
                indent = len(lines[i]) - len(lines[i].lstrip())
                key, value = draw(st.sampled_from(KEYS)), draw(NASTY)
                lines.insert(j, f"{' ' * indent}{key}: {value}")
            case 5:  # the depth
                lines[i] = " " * draw(st.integers(0, 9)) + lines[i].lstrip()
            case 6:
                lines = (text[:at] + draw(NASTY) + text[at:]).split("\n")
            case 7:
                lines = text[:at].split("\n")
            case 8:
                end = min(len(text), at + draw(st.integers(1, 30)))
                lines = (text[:at] + text[end:]).split("\n")
            case _:
                lines = lines[i:] + lines[:i]
        text = "\n".join(lines)
    coding = draw(st.sampled_from(["utf-8"] * 40 + ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037"]))
    raw = text.encode(coding, "replace")
    if draw(st.integers(0, 15)) == 0:
        at = draw(st.integers(0, len(raw)))
        raw = raw[:at] + draw(st.binary(min_size=1, max_size=4)) + raw[at:]
    return raw.replace(b"\n", draw(st.sampled_from([b"\n"] * 6 + [b"\r\n", b"\r"])))


PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([38, 39, 63, 4000, 5000]).map(lambda digits: 10**digits),  # 5000 digits have no repr
    st.floats(),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.sampled_from([dt.UTC, dt.timezone(dt.timedelta(hours=-23, minutes=-59))])),
    NASTY,
    st.text(max_size=5),
    st.binary(max_size=3),
)
ANY_DATA = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | PLAIN, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def disturbed(draw: Any, around: Any = ANY_DATA) -> Any:
    """The data of a contract, real or made up, in which one to four values are something else."""
    data = copy.deepcopy(draw(st.sampled_from(DATA) | agreed()))
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 4]))):
        here = data
        while True:
            keys = list(here) if isinstance(here, dict) else list(range(len(here)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(here[key], dict | list) and draw(st.integers(0, 3)):
                here = here[key]
                continue
            match draw(st.integers(0, 3)):
                case 0:
                    del here[key]
                case 1 if isinstance(here, dict):
                    here[draw(st.sampled_from(KEYS))] = draw(around)
                case 2 if isinstance(here, list):
                    here.append(copy.deepcopy(here[key]))
                case _:
                    here[key] = draw(around)
            break
    return data


# ---- mappings that are a contract -----------------------------------------------------------------------------------

NAMES = ["a", "b", "c", "A", "a b", "id", "select", "x" * 63, "é", "it's", 'q"q', "%", "ünïcode", "1"]
OF_TYPE = {
    "string": st.sampled_from(["A", "B", "C", "a", "", "excellent", "good", "NO", "1", "it's", "👍", " "]),
    "integer": st.integers(-3, 3) | st.sampled_from([2**31, 2**53 + 1, 2**63, -(2**63), 10**37]),
    "number": st.sampled_from([0, 1, -1, 0.5, -0.5, 1e-9, 1e300, 2**53 + 1, 0.1]),
    "boolean": st.booleans(),
    "date": st.dates() | st.sampled_from([dt.date.min, dt.date.max, dt.date(2026, 8, 19)]),
    "timestamp": st.datetimes() | st.sampled_from([dt.datetime.min, dt.datetime.max]),
}
PATTERNS = ["", ".*", "[A-Z]", "[A-C]+", r"\d{3}-\d+", "A|B", "(?i)a", "a+", r"\w*", "(a*)*", "[^a]", r"\bA\b", "^A$"]


@st.composite
def agreed_field(draw: Any, name: str, names: list[str]) -> dict[str, Any]:
    kind = draw(st.sampled_from(TYPES))
    of = OF_TYPE[kind]
    if kind == "timestamp" and draw(st.booleans()):
        of = of.map(lambda time: time.replace(tzinfo=dt.UTC))
    field: dict[str, Any] = {"name": name, "type": kind}
    wants = draw(st.sets(st.sampled_from(["enum", "words", "min", "max", "pattern", "unit", "meaning", "deprecated"])))
    if "enum" in wants:
        allowed = draw(st.lists(of, min_size=1, max_size=4, unique_by=lambda one: (one == 1, str(one))))
        field["enum"] = allowed
        if "words" in wants:
            field["enum"] = {value: draw(st.sampled_from(["as new", "As new.", "worn", "x"])) for value in allowed}
    if kind in ("integer", "number", "date", "timestamp"):
        low, high = sorted([draw(of), draw(of)])
        allowed = list(field.get("enum", ())) or [low]
        field |= {"min": min(low, *allowed)} if "min" in wants else {}
        field |= {"max": max(high, *allowed)} if "max" in wants else {}
    if kind == "string" and "pattern" in wants:
        field["pattern"] = draw(st.sampled_from(PATTERNS))
    if "unit" in wants:
        field["unit"] = draw(st.sampled_from(["EUR_cents", "EUR cents", "g", "kg", "mW", "MW"]))
    if "meaning" in wants:
        field["meaning"] = draw(st.sampled_from(["One piece.", "one piece", "Weight as packed.", "x\n\ny"]))
    if "deprecated" in wants:
        field["deprecated"] = {"announced": draw(st.dates())}
        if others := [each for each in names if each != name]:
            field["deprecated"]["replaced_by"] = draw(st.sampled_from(others))
    nulls = draw(
        st.sampled_from([{}, {"required": True}, {"max_null_rate": 0.25}, {"max_null_rate": 0}, {"required": False}])
    )
    return field | nulls | draw(st.sampled_from([{}, {"unique": True}]))


@st.composite
def agreed(draw: Any) -> dict[str, Any]:
    """A mapping that is a contract."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    made: dict[str, Any] = {
        "dataset": draw(st.sampled_from(["t", "shop.listings", 'a"b', "select"])),
        "version": draw(st.sampled_from(["0.0.0", "1.0.0", "1.4.0", "2.0.1", "999999999.0.0"])),
        "owner": draw(st.sampled_from(["us", "team-é"])),
        "consumers": draw(st.lists(st.sampled_from(["one", "two", "pricing-service"]), unique=True)),
        "fields": [draw(agreed_field(name, names)) for name in names],
    }
    timed = [field["name"] for field in made["fields"] if field["type"] in ("date", "timestamp")]
    if draw(st.booleans()):
        made["freshness"] = {"max_lag": draw(st.sampled_from(["1h", "1s", "5217w", "14d"]))}
        if timed and draw(st.booleans()):
            made["freshness"]["field"] = draw(st.sampled_from(timed))
        if draw(st.booleans()):
            made["freshness"]["timezone"] = draw(st.sampled_from(["UTC", "Europe/Berlin", "America/New_York"]))
    if draw(st.booleans()):
        made["volume"] = draw(st.sampled_from([{"min_rows": 0}, {"min_rows": 2, "max_rows": 5}, {"max_rows": 10**37}]))
    if draw(st.booleans()):
        made["evolution"] = {
            "additive": draw(st.sampled_from(["allowed", "forbidden"])),
            "breaking": draw(st.sampled_from(["expand_and_contract", "forbidden", "allowed"])),
            "notice": draw(st.sampled_from(["1s", "14d", "36h", "5217w"])),
        }
    return made
