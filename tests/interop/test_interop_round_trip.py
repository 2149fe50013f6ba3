"""A contract that goes to another tool's format comes back as it went."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from any_contract import mappings
from exchanged import BOTH_WAYS, OURS, contract, import_text, some
from hypothesis import given
from hypothesis import strategies as st

from contracts import from_mapping, load, parse
from contracts.document import concerns
from contracts.forms import ddl
from contracts.interop import TO, export


@pytest.mark.parametrize("form", BOTH_WAYS)
@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_our_contracts_come_back_as_they_went(path: Path, form: str, folder: Path) -> None:
    found = import_text(export(load(path), form).text, form, folder)
    assert parse(found.text) == load(path)
    assert found.left_out == () and "review" not in found.text


@pytest.mark.parametrize("form", BOTH_WAYS)
def test_any_contract_comes_back_as_it_went(form: str, folder: Path) -> None:
    @some
    @given(mappings())
    def check(data: dict[str, Any]) -> None:
        agreed = from_mapping(data)
        found = import_text(export(agreed, form).text, form, folder)
        assert parse(found.text) == agreed
        assert all(says.startswith("lint will say") for says in found.left_out)
        assert bool(found.left_out) == bool(concerns(agreed))

    check()


def test_a_field_that_is_named_as_its_table_is_not_the_one_that_tells_the_age(folder: Path) -> None:
    agreed = contract({"name": "t", "type": "date"}, freshness={"max_lag": "90s"}, evolution={"additive": "forbidden"})
    said = "additive: forbidden is in customProperties, and no rule of the standard's checks it"
    assert export(agreed, "odcs").left_out == (said,)
    for form in BOTH_WAYS:
        assert parse(import_text(export(agreed, form).text, form, folder).text) == agreed


def test_a_zone_that_nobody_named_is_not_made_up_on_the_way_back(folder: Path) -> None:
    agreed = contract({"name": "at", "type": "timestamp"}, freshness={"max_lag": "2d", "field": "at"})
    for form in BOTH_WAYS:
        found = import_text(export(agreed, form).text, form, folder)
        assert parse(found.text) == agreed
        assert len(found.left_out) == 1 and "add timezone: UTC" in found.left_out[0]


@pytest.mark.parametrize("to", TO)
def test_every_form_of_any_contract_is_text_that_utf8_holds(to: str) -> None:
    @some
    @given(mappings(), st.sampled_from(ddl.DIALECTS))
    def check(data: dict[str, Any], dialect: str) -> None:
        agreed = from_mapping(data)
        try:
            found = export(agreed, to, dialect=dialect, enums=True, previous=agreed)
        except ValueError as error:
            assert to == "sql" and "can be a column" in str(error)
            return
        assert found.text.encode("utf-8").endswith(b"\n")
        assert all(says.strip() for says in found.left_out)

    check()
