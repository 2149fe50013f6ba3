"""Two versions of any contract: what diff, the release, the registry's rules and the plan say of them."""

from __future__ import annotations

import copy
import datetime as dt
import json
from typing import Any

from agreements import DATA, OF_TYPE, PATTERNS, TYPES, agreed, agreed_field
from budget import fuzzed
from hypothesis import given, reject
from hypothesis import strategies as st

import contracts
from contracts import Contract, ContractError
from contracts.changes import BUMPS, needed
from contracts.compatibility import compatibility, levels, table
from contracts.document import to_mapping
from contracts.evolution import diff
from contracts.formats import FORMATS
from contracts.plan import plan
from contracts.release import verdict
from validate import validate

DAY = dt.date(2026, 9, 15)
NEW_NAMES = ["a", "b", "c", "d", "a_v2", "a_name", "id"]


@st.composite
def steps(draw: Any, many: int = 2) -> list[Contract]:
    """Versions of one contract, each made of the last by one to three changes that people make."""
    now = draw(st.sampled_from(DATA) | agreed())
    made = [contracts.from_mapping({"dataset": "t", **now})]
    for _ in range(many - 1):
        data = copy.deepcopy(to_mapping(made[-1]))
        for _ in range(draw(st.integers(1, 3))):
            change(draw, data)
        try:
            made.append(contracts.from_mapping(data))
        except ContractError:
            reject()
    return made


def change(draw: Any, data: dict[str, Any]) -> None:
    fields = data["fields"]
    field = draw(st.sampled_from(fields))
    of = OF_TYPE[field["type"]]
    match draw(st.integers(0, 13)):
        case 0 if len(fields) > 1:
            fields.remove(field)
        case 1:
            names = [one for one in NEW_NAMES if one not in [each["name"] for each in fields]]
            fields.append(draw(agreed_field(draw(st.sampled_from(names or ["zz"])), [])))
        case 2:
            field["name"] = draw(st.sampled_from(NEW_NAMES))
        case 3:
            field["type"] = draw(st.sampled_from(TYPES))
        case 4:
            field["enum"] = draw(st.lists(of, min_size=1, max_size=4, unique_by=str))
        case 5 if isinstance(field.get("enum"), list):
            field["enum"] = [*field["enum"], draw(of)][draw(st.integers(0, 1)) :]
        case 6:
            for clause in draw(
                st.sets(st.sampled_from(["enum", "min", "max", "pattern", "unit", "meaning", "deprecated"]))
            ):
                field.pop(clause, None)
        case 7:
            field[draw(st.sampled_from(["min", "max"]))] = draw(of)
        case 8:
            field["pattern"] = draw(st.sampled_from(PATTERNS))
        case 9:
            field["required"], field["unique"] = draw(st.booleans()), draw(st.booleans())
            field.pop("max_null_rate", None)
        case 10:
            field["unit"], field["meaning"] = (
                draw(st.sampled_from(["g", "kg"])),
                draw(st.sampled_from(["x", "X.", "y"])),
            )
        case 11:
            field["deprecated"] = {"announced": draw(st.dates(dt.date(2026, 1, 1), dt.date(2027, 1, 1)))}
        case 12:
            key = draw(st.sampled_from(["freshness", "volume", "evolution", "consumers"]))
            made = draw(agreed())
            data.pop(key, None)
            if key in made and key != "freshness":
                data[key] = made[key]
        case _:
            draw(st.randoms(use_true_random=False)).shuffle(fields)


def weight(changes: Any) -> int:
    bump = needed(changes)
    return -1 if bump is None else BUMPS.index(bump)


@fuzzed()
@given(agreed())
def test_nothing_changes_between_a_contract_and_itself(mapping: Any) -> None:
    contract = contracts.from_mapping(mapping)
    assert diff(contract, contract) == [] == diff(mapping, contract)
    found = verdict(contract, contract, as_of=DAY)
    assert found.needed is None and not found.changes
    assert compatibility(contract, contract).full
    made = plan(contract, contract, announce=DAY)
    assert not made.drops and not made.left_out and made.expand == contract


@fuzzed(2)
@given(steps())
def test_any_two_versions_are_judged_in_every_form(pair: list[Contract]) -> None:
    old, new = pair
    changes = diff(old, new)
    assert (not changes) == (without_number(old) == without_number(new)), [str(one) for one in changes]
    for one in changes:
        assert str(one).isprintable() and len(str(one)) < 2000
        json.dumps(one.to_dict())
    found = verdict(old, new, as_of=DAY)
    assert found.needed == needed(changes)
    for form in FORMATS.values():
        form(found, new).encode("utf-8")
    for enums in (False, True):
        for other, one in ((old, new), (new, old)):
            try:
                json.dumps(compatibility(other, one, enums=enums).to_dict())
            except ValueError as error:  # a name that Avro has not
                assert str(error)


def without_number(contract: Contract) -> dict[str, Any]:
    mapping = to_mapping(contract)
    return {name: value for name, value in mapping.items() if name != "version"}


@fuzzed(2)
@given(st.tuples(agreed() | st.sampled_from(DATA), agreed() | st.sampled_from(DATA)))
def test_two_contracts_that_have_nothing_to_do_with_each_other(pair: Any) -> None:
    old, new = (contracts.from_mapping({"dataset": "t", **each}) for each in pair)
    for a, b in ((old, new), (new, old)):
        diff(a, b)
        verdict(a, b, as_of=DAY)
        planned(a, b)


def planned(old: Contract, new: Contract) -> Any:
    """The plan, or the documented ValueError; what it makes passes its own diff."""
    try:
        made = plan(old, new, announce=DAY)
    except ValueError as error:
        assert str(error)
        return None
    made.text().encode("utf-8")
    assert contracts.parse(made.expand_text).fields == made.expand.fields
    assert weight(diff(old, made.expand)) < BUMPS.index("major"), [str(one) for one in diff(old, made.expand)]
    if made.contract is not None and made.contract_text is not None:
        assert contracts.parse(made.contract_text).fields == made.contract.fields
    return made


@fuzzed(2)
@given(steps())
def test_a_plan_expands_without_breaking_anything(pair: list[Contract]) -> None:
    old, new = pair
    planned(old, new)


@fuzzed(2)
@given(steps(3))
def test_what_two_steps_ask_together(versions: list[Contract]) -> None:
    """Two steps that break nothing break nothing together; a step without a change adds nothing to the other.

    More does not hold, and is not claimed: a direct diff may weigh less than its heavier step, where the second mends
    what the first broke (a value allowed, then forbidden again). Who must not miss the break compares with every
    version on the way, as `compat --history` and the gate on each release do.
    """
    a, b, c = versions
    first, second, direct = weight(diff(a, b)), weight(diff(b, c)), weight(diff(a, c))
    if first == -1:
        assert direct == second
    if second == -1:
        assert direct == first
    if max(first, second) < BUMPS.index("major"):
        assert direct < BUMPS.index("major"), ([str(one) for one in diff(a, c)], [str(one) for one in diff(a, b)])


@fuzzed(2)
@given(steps(), st.data())
def test_rows_that_keep_a_version_keep_an_older_one_unless_the_step_was_breaking(
    pair: list[Contract], data: Any
) -> None:
    """What `minor` means to a consumer: every row of the new version keeps the old promise, except wider types."""
    old, new = pair
    changes = diff(old, new)
    if weight(changes) == BUMPS.index("major") or any(one.rule in ("type widened", "field added") for one in changes):
        return
    if any(one.rule.startswith("evolution") for one in changes):
        return
    rows = [
        {field.name: data.draw(st.none() | OF_TYPE[field.type]) for field in new.fields}
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    if not validate(rows, new):
        assert not validate(rows, old), [str(one) for one in changes]


@fuzzed()
@given(steps(3), st.booleans())
def test_the_registry_transitive_levels_are_no_stronger_than_the_plain(versions: list[Contract], enums: bool) -> None:
    *earlier, new = versions
    try:
        found = [compatibility(one, new, enums=enums) for one in earlier]
    except ValueError:
        return
    held = levels(found)
    for name in ("BACKWARD", "FORWARD", "FULL"):
        assert held[name] or not held[f"{name}_TRANSITIVE"]
    table(found).encode("utf-8")
