"""contracts/readers.py: who reads a column, by its lineage, and who only seems to."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import seed
from contracts.__main__ import main
from contracts.readers import Readers, readers

LISTINGS = str(seed.ROOT / "contracts" / "listings.yaml")
TEAMS = ("data-platform", "finance-reporting", "pricing-service")


def ask(folder: Path, sql: str | dict[str, str], field: str = "a", teams: tuple[str, ...] = (), **more: str) -> Readers:
    """Who reads the field of `t`, in files of a team."""
    for name, text in (sql if isinstance(sql, dict) else {"team/q.sql": sql}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return readers(folder, "t", field, teams, **more)


def marked(sql: str) -> tuple[str, list[int]]:
    """The SQL without its marks ^, and the column after each."""
    parts = sql.split("^")
    return "".join(parts), [len("".join(parts[:i])) + 1 for i in range(1, len(parts))]


READING = {  # ^ stands before each word that reads the column a of t
    "plain": "select ^a from t",
    "schema": "select ^a from shop.t",
    "catalog": "select ^a from lake.shop.t",
    "upper case": "SELECT ^A FROM Shop.T",
    "quoted": 'select ^"a" from "shop"."t"',
    "alias of the table": "select ^x.a from t as x",
    "renamed": "select ^a as b from t",
    "expression": "select upper(^a) || 'a' as b from t",
    "where": "select b from t where ^a = 'A'",
    "case": "select case ^a when 'A' then 1 else 0 end as m from t",
    "group": "select count(*) from t group by ^a",
    "having": "select b from t group by b having max(^a) > 1",
    "window": "select row_number() over (partition by ^a order by b) from t",
    "window order": "select row_number() over (order by ^a) as a2 from t",
    "qualify": "select b from t qualify row_number() over (partition by ^a) = 1",
    "filter": "select count(*) filter (where ^a = 'A') from t",
    "order": "select b from t order by ^a",
    "join on": "select u.b from t join u on u.a = ^t.a",
    "join, unqualified": "select ^a, u.b from t join u on u.id = t.id",
    "using": "select b from t join u using (^a)",
    "natural": "select b from t natural join ^u",
    "cte": "with c as (select ^a, b from t) select b from c",
    "cte, twice": "with c as (select ^a from t), d as (select ^a from c) select ^a from d",
    "cte, renamed": "with c as (select ^a as z from t) select ^z, 1 as a from c",
    "cte named as the table": "with t as (select ^a from shop.t) select ^a from t",
    "cte of a star": "with c as (select * from t) select ^a from c",
    "subquery": "select ^s.z from (select ^a as z from t) as s",
    "correlated": "select 1 from t x where exists (select 1 from u where u.k = ^x.a)",
    "in a subquery": "select 1 from u where k in (select ^a from t)",
    "scalar subquery": "select (select max(^a) from t) as m from u",
    "union": "select ^a from t union all select k from u",
    "union, second branch": "select k from u union all select ^a from t",
    "union in a cte": "with c as (select k from u union all select ^a from t) select ^k from c",
    "star": "select ^* from t",
    "star of an alias": "select x.^* from t as x join u on x.id = u.id",
    "star of all": "select ^* from u join t on t.id = u.id",
    "star of a star": "with c as (select * from t) select ^* from c",
    "star of a subquery": "select ^* from (select * from t)",
    "star, union": "select ^* from t union all select ^* from t",
    "excluded by name": "select * exclude (^a) from t",
    "replaced": "select * replace (upper(^a) as ^a) from t",
    "columns": "select ^columns('^a') from t".replace("'^a'", "'a'"),
    "from first": "^from t",
    "whole row": "select to_json(^t) from t",
    "create": "create table z as select ^a from t",
    "create a view of a star": "create view z as select ^* from t",
    "insert": "insert into z select ^a from t",
    "update": "update z set b = ^t.a from t",
    "delete": "delete from z using t where z.b = ^t.a",
    "lateral": "select v.z from t, lateral (select ^t.a as z) as v",
    "recursive": "with recursive c as (select ^a from t union all select ^a from c) select ^a from c",
    "two statements": "select b from t; select ^a from t",
    "unnest": "select unnest(string_split(^a, ',')) from t",
    "insert below a cte": "with c as (select * from t) insert into z select ^a from c",
    "pivot": "select b from (pivot ^t on ^a using sum(b))",
    "pivot of a table": "select b from t pivot (sum(b) for ^a in ('x'))",
    "a part of a struct": "select ^x.a.b, ^a.c from t x",
    "star in a function": "select to_json(x.^*) from t x",
    "star of a like": "select ^* like 'a%' from t",
    "renamed by a star": "with c as (select * rename (^a as z) from t) select ^z from c",
    "renamed by place": "with c(z, y) as (select ^a, b from t) select ^z, y from c",
    "renamed by place in a subquery": "select ^z from (select ^a from t) as s(z)",
    "places of a table": "select z from ^t as s(z)",
    "after an emoji": "select '👍é', ^a from t",
    "comment before": "/* a\ufeff from t */ select ^a from t",
}  # fmt: skip


@pytest.mark.parametrize("case", READING)
def test_reads(case: str, tmp_path: Path) -> None:
    sql, columns = marked(READING[case])
    answer = ask(tmp_path, sql)
    assert answer.unknown == ()
    assert [(one.line, one.column) for one in answer.readers] == [(1, column) for column in columns]


NOT_READING = {
    "another column": "select b from t",
    "another table": "select a from u",
    "a name that only ends alike": "select a from other_t",
    "a table that only begins alike": "select a from t_old",
    "a count": "select count(*) from t",
    "text": "select 'a' as b from t",
    "comment": "select b /* a */ from t -- a",
    "an alias": "select b as a from t",
    "order by an alias": "select b as a from t order by a",
    "another's column": "select u.a from t join u on u.id = t.id",
    "a star that nobody takes it from": "with c as (select * from t) select b from c",
    "a star in a subquery": "select b from (select * from t)",
    "the star of another": "select u.* from t join u on u.id = t.id",
    "a count of a star": "select count(*) from (select * from t)",
    "exists": "select 1 from u where exists (select * from t where t.id = u.id)",
    "a cte named as the table": "with t as (select a from u) select a from t",
    "overwritten in a cte": "with c as (select b as a from t) select a from c",
    "a cte that FROM does not name": "with c as (select * from t) select a from u",
    "a star beside a cte": "with c as (select * from t) select * from u",
    "a count of a star by its table": "select count(t.*) from t",
    "a lambda's own": "select list_transform(l, a2 -> a2 + 1) from t",
    "a function of the name": "select a(b) from t",
    "a field of a struct": "select s.a.b from t as x join u as s on true",
    "a local column first": "select b from t where id in (select a from u)",
    "a count by the table's name": "select b, count(*) as t from shop.t group by b having t > 1",
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_READING)
def test_does_not_read(case: str, tmp_path: Path) -> None:
    assert ask(tmp_path, NOT_READING[case]).readers == ()


def test_every_place_of_the_lesson_s_consumers() -> None:
    answer = readers(seed.CONSUMERS, "listings", "item_condition", TEAMS)
    places = [(Path(one.file).name, one.line, one.column, one.how) for one in answer.readers]
    assert places == [
        ("stg_listings.sql", 3, 8, "*"),
        ("fct_price.sql", 5, 24, "item_condition"),
        ("fct_price.sql", 11, 9, "item_condition"),
        ("fct_price.sql", 13, 14, "item_condition"),
        ("fct_price.sql", 24, 5, "item_condition"),
    ]
    assert (answer.reading, answer.unknown, answer.teams) == (("data-platform", "pricing-service"), (), TEAMS)
    lines = {path.name: path.read_text(encoding="utf-8").splitlines() for path in seed.CONSUMERS.glob("*/*.sql")}
    for name, line, column, how in places:
        assert lines[name][line - 1][column - 1 :].startswith(how)


def test_models_of_a_team_read_each_other_in_any_order(tmp_path: Path) -> None:
    files = {
        "one/a_last.sql": "select a from b_middle",
        "one/b_middle.sql": "select * from c_first",
        "one/c_first.sql": "create view c_first as select x.* from shop.t as x",
        "one/sub/deep.sql": "create view named as select a as z from shop.t; select z from named",
        "two/a_last.sql": "select a from b_middle",  # another team's b_middle
        "two/q.sql": "select b from t",
    }
    answer = ask(tmp_path, files)
    places = [(Path(one.file).name, one.line, one.column) for one in answer.readers]
    assert places == [("a_last.sql", 1, 8), ("b_middle.sql", 1, 8), ("c_first.sql", 1, 33), ("deep.sql", 1, 29), ("deep.sql", 1, 56)]  # fmt: skip
    assert answer.reading == ("one",)


def test_who_cannot_be_judged_is_unknown_and_never_migrated(tmp_path: Path) -> None:
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary" / "q.sql").write_bytes(b"select \xff")
    (tmp_path / "folder" / "q.sql").mkdir(parents=True)
    files = {
        "jinja/q.sql": "select a from {{ ref('t') }}",
        "broken/q.sql": "select a frm t where (",
        "broken/good.sql": "select b from t",
        "empty/q.sql": "-- nothing yet",
        "elsewhere/q.sql": "select a from u",
        "deep/q.sql": "select " + "(" * 20_000 + "1" + ")" * 20_000 + " from t",
        "reads/q.sql": "select a from t",
        "command/q.sql": "explain select a from t",
        "no_sql/q.sql": "table t",
    }
    teams = ("jinja", "broken", "empty", "elsewhere", "deep", "binary", "missing", "reads", "command", "no_sql")
    answer = ask(tmp_path, files, teams=teams)
    assert answer.reading == ("reads",)
    reasons = {one.team: one.reason for one in answer.unknown}
    assert set(reasons) == {"jinja", "broken", "empty", "elsewhere", "deep", "binary", "missing", "command", "no_sql"}
    assert reasons["missing"] == reasons["empty"] == "there is no SQL of it"
    assert reasons["elsewhere"] == "none of its 1 files names t"
    assert "EXPLAIN select a from t is not understood" in reasons["command"]
    assert reasons["binary"] == "it is not UTF-8"


def test_what_cannot_be_followed_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("contracts.lineage.Search.projections", fail)
    answer = ask(tmp_path, "select b from t")
    assert [one.reason for one in answer.unknown] == ["its columns cannot be followed (RecursionError)"]


def test_another_dialect(tmp_path: Path) -> None:
    answer = ask(tmp_path, "select `a` from `shop`.`t` limit 3", dialect="bigquery")
    assert [(one.line, one.column) for one in answer.readers] == [(1, 8)]


def test_crlf_bom_and_lines(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "q.sql").write_bytes("\ufeffselect\r\n  b,\r\n  a\r\nfrom t\r\n".encode())
    assert [(one.line, one.column) for one in readers(tmp_path, "t", "a").readers] == [(3, 3)]


def test_the_command_says_it_in_text_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["readers", LISTINGS, "item_condition", "--consumers", str(seed.CONSUMERS)]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "fct_price.sql:13:14: pricing-service reads it (item_condition)" in out
    assert out.splitlines()[-1] == "listings.item_condition is read by data-platform, pricing-service"
    assert main([*arguments, "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["readers"][1] | {"file": ""} == {"team": "pricing-service", "file": "", "line": 5, "column": 24, "how": "item_condition"}  # fmt: skip

    (tmp_path / "pricing-service").mkdir()
    (tmp_path / "pricing-service" / "q.sql").write_text("select brand from shop.listings", encoding="utf-8")
    assert main(["readers", LISTINGS, "item_condition", "--consumers", str(tmp_path)]) == 2
    out = capsys.readouterr().out
    assert out.splitlines() == [
        "data-platform: unknown whether data-platform reads it: there is no SQL of it",
        "finance-reporting: unknown whether finance-reporting reads it: there is no SQL of it",
        "listings.item_condition is read by nobody, as far as is known; unknown: data-platform, finance-reporting",
    ]

    for wrong in (["readers", LISTINGS, "item_conditon", "--consumers", str(tmp_path)], ["readers", LISTINGS, "size", "--consumers", str(tmp_path / "no")],
                  ["readers", "no.yaml", "size", "--consumers", str(tmp_path)], ["readers", LISTINGS, "size", "--consumers", str(tmp_path), "--dialect", "no"], ["readers", LISTINGS, "size", "--dialect", ""]):  # fmt: skip
        assert main(wrong) == 2
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1, said


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_a_link_that_leads_back_ends(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "team" / "gone.sql").symlink_to(tmp_path / "nowhere")
    answer = ask(tmp_path, "select a from t")
    assert answer.reading == ("team",) and [one.reason for one in answer.unknown] == ["it is no ordinary file"]
