"""Allowances in comments, and which consumers' SQL has to be there before a field is called unread."""

# ruff: noqa: E501, SQL reads best on one line

from __future__ import annotations

from pathlib import Path

import pytest
from audited import ITEMS, NOT_AUDITED, NOTHING, ask, places, write

from contracts.audit import audit

# ---- allowances --------------------------------------------------------------------------------------------------------

MAPPING = "select\ncase grade when 'A' then 1 when 'B' then 2 when 'C' then 3\n"


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        (MAPPING + "else 3 end as m -- contracts: allow silent-else because C is the floor\nfrom items", []),
        (MAPPING + "-- contracts: allow silent-else because C is the floor\nelse 3 end as m\nfrom items", []),
        (MAPPING + "/* contracts: allow silent-else because\n   C is the floor */\nelse 3 end as m\nfrom items", []),
        (MAPPING + "{# contracts: allow silent-else because C is the floor #}\nelse 3 end as m\nfrom items", []),
        (MAPPING + "{# contracts: allow silent-else because\n two lines -#}\nelse 3 end as m\nfrom items", []),
        (MAPPING + "else 3 end as m -- contracts: allow silent-else\nfrom items", ["3:1 silent", "3:17 allowance-without-reason"]),
        (MAPPING + "else 3 end as m -- contracts: allow silent-else because\nfrom items", ["allowance-without-reason"]),
        (MAPPING + "else 3 end as m -- contracts: allow silent-els because of a slip\nfrom items", ["unused-allowance"]),
        (MAPPING + "else 3 end as m -- contracts: allow unwritten-unit because it is another\nfrom items", ["unused-allowance"]),
        ("-- contracts: allow silent-else because it is too far away\n" + MAPPING + "else 3 end as m from items", ["unused-allowance"]),
        (MAPPING + "else 3 end as m, '-- contracts: allow silent-else because it is a text' as t from items", ["silent-else"]),
        ("select item_id from items -- contracts: allow silent-else because there is none\n", ["unused-allowance"]),
    ],
)  # fmt: skip
def test_allowances(tmp_path, sql, left):
    path = write(tmp_path, {"items.yaml": ITEMS, "pricing/q.sql": sql}) / "pricing"
    found = places(audit([str(path)], contracts=str(tmp_path)))
    if left:
        assert all(any(part in one for one in found) for part in left), found
    else:
        assert found == []


def test_an_allowance_silences_its_own_line_before_the_next(tmp_path):
    one = "case grade when 'A' then 1 when 'B' then 2 when 'C' then 3 else 3 end"
    sql = f"select\n{one} as m, -- contracts: allow silent-else because it is the floor\n{one} as n\nfrom items"
    assert places(ask(tmp_path, {"pricing/q.sql": sql})) == ["q.sql:3:60 silent-else"]


def test_one_allowance_silences_one_finding(tmp_path):
    why = "-- contracts: allow unknown-literal because of old rows"
    sql = f"select item_id from items where grade = 'X' or grade = 'Y' {why}\n"
    assert places(ask(tmp_path, {"pricing/q.sql": sql})) == ["q.sql:1:56 unknown-literal"]
    both = sql.replace(
        why, "/* contracts: allow unknown-literal because a */ /* contracts: allow unknown-literal because b */"
    )
    assert places(ask(tmp_path, {"pricing/q.sql": both})) == []
    third = both.replace("/* contracts", "/* contracts: allow unknown-literal because c */ /* contracts", 1)
    assert places(ask(tmp_path, {"pricing/q.sql": third})) == ["q.sql:1:158 unused-allowance"]
    one_column = "select item_id from items where kind = 'x' or kind = 'y' -- contracts: allow unwritten-clause because of old rows"
    assert places(ask(tmp_path, {"pricing/q.sql": one_column})) == []


@pytest.mark.parametrize(
    ("files", "is_unused"),
    [
        ({"pricing/q.sql": "select * from items -- contracts: allow silent-else because of x"}, True),
        ({"pricing/q.sql": "select item_id from items -- contracts: allow unknown-literal because of x"}, True),
        ({"pricing/q.sql": "select item_id from items;\nselect (; -- contracts: allow silent-else because of x"}, False),
        ({"pricing/q.sql": "select * from boxes -- contracts: allow star-across-boundary because of x"}, False),
        ({"q.sql": "select item_id from items -- contracts: allow unlisted-consumer because of x"}, False),
        ({"pricing/q.sql": "select item_id from items where grade like 'Z%' -- contracts: allow unknown-literal because of x"}, False),
        ({"pricing/q.sql": "select item_id from items {% for i in [] %} where grade = 'Z' {% endfor %} -- contracts: allow unknown-literal because of x"}, False),
    ],
)  # fmt: skip
def test_an_allowance_is_unused_only_where_its_rule_was_asked(tmp_path, files, is_unused):
    assert ("unused-allowance" in {one.rule for one in ask(tmp_path, files).findings}) is is_unused


def test_without_contracts_what_they_would_tell_is_no_unused_allowance(tmp_path):
    text = "select * from items -- contracts: allow star-across-boundary because of x\n"
    path = write(tmp_path, {"pricing/q.sql": text}) / "pricing"
    assert audit([str(path)]).findings == []


def test_a_contract_can_allow_an_unread_field(tmp_path):
    contract = ITEMS.replace("consumers: [pricing, finance]", "consumers: [pricing]")
    reason = "  # contracts: allow unread-field because audits ask for it"
    files = {"items.yaml": contract, "sql/pricing/q.sql": "select item_id, kind, price_cents from items"}
    unread = audit([str(write(tmp_path, files) / "sql")], contracts=str(tmp_path))
    assert places(unread) == ["items.yaml:6:3 unread-field"]
    write(tmp_path, {"items.yaml": contract.replace("[A, B, C]}", "[A, B, C]}" + reason)})
    assert audit([str(tmp_path / "sql")], contracts=str(tmp_path)).status == NOTHING
    for other in ("select item_id from boxes", "select item_id, grade, kind, price_cents from items"):
        write(tmp_path, {"sql/pricing/q.sql": other})  # nobody knows who reads the table; the field is read
        unused = audit([str(tmp_path / "sql")], contracts=str(tmp_path)).of("unused-allowance")
        assert len(unused) == ("grade" in other)


# ---- consumers ---------------------------------------------------------------------------------------------------------


def test_a_team_that_the_contract_does_not_name(tmp_path):
    found = ask(tmp_path, {"growth/a.sql": "select item_id\nfrom shop.items", "growth/b.sql": "select item_id from items", "pricing/c.sql": "select item_id from items", "shop/d.sql": "select * from items"})  # fmt: skip
    assert places(found) == ["a.sql:2:6 unlisted-consumer"]
    assert "consumers: [pricing, finance, growth]" in found.findings[0].suggestion


def test_unread_fields_are_not_judged_where_a_consumer_is_missing_or_not_audited(tmp_path):
    found = ask(tmp_path, {"pricing/q.sql": "select item_id from items"})
    assert found.findings == [] and any("the SQL of finance is not here" in one.reason for one in found.not_judged)
    found = ask(tmp_path, {"finance/q.sql": "select item_id from items", "finance/bad.sql": "select ("})
    assert found.findings == [] and any("was not audited" in one.reason for one in found.not_judged)


def test_a_consumer_that_is_there_and_reads_another_table_is_not_called_missing(tmp_path):
    sql = {"pricing/q.sql": "select item_id from items", "finance/q.sql": "select a from other"}
    says = "whether a field of items is unread: the SQL of finance that is here does not read it"
    assert [one.reason for one in ask(tmp_path, sql).not_judged] == [says]
    found = ask(tmp_path, {"finance/bad.sql": "select ("})
    assert [one.reason for one in found.not_judged] == ["whether a field of items is unread: some SQL was not audited"]


def test_a_field_is_unread_only_where_all_sql_of_the_consumer_was_given(tmp_path):
    """A folder that is no team's, one file of the team, a part of its folder: nobody knows what the rest reads."""
    contract = ITEMS.replace("consumers: [pricing, finance]", "consumers: [pricing]")
    sql = "select item_id, grade, kind from items"
    write(tmp_path, {"items.yaml": contract, "sql/q.sql": sql, "sql/pricing/marts/q.sql": sql})
    for path, unread in (("sql/q.sql", 0), ("sql/pricing/marts/q.sql", 0), ("sql/pricing/marts", 0), ("sql/pricing", 1), ("sql", 1)):  # fmt: skip
        found = audit([str(tmp_path / path)], contracts=str(tmp_path))
        assert len(found.of("unread-field")) == unread, path
        assert any("the SQL of pricing is not here" in one.reason for one in found.not_judged) == (not unread)


def test_of_several_versions_the_newest_counts_and_a_wrong_contract_is_not_audited(tmp_path):
    write(tmp_path, {"c/items-1.0.0.yaml": ITEMS, "c/items.yaml": ITEMS.replace("1.0.0", "1.2.0").replace("kind, type: string", "kind, type: string, enum: [shoe]"), "c/bad.yaml": "version: 1\n", "sql/pricing/q.sql": "select item_id from items where kind = 'shoe'"})  # fmt: skip
    found = audit([str(tmp_path / "sql")], contracts=str(tmp_path / "c"))
    assert found.findings == [] and found.status == NOT_AUDITED
    assert [Path(one.file).name for one in found.not_audited] == ["bad.yaml"]
