"""contracts/plan.py: expand, migrate, contract; and exercise 5's story on real rows."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import datetime as dt
import os
import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from versions import MIGRATED, consumers, listings, pr_4471

import seed
from contracts import from_mapping, load, parse
from contracts.__main__ import main
from contracts.document import to_mapping
from contracts.plan import Plan, plan, write
from contracts.release import verdict
from contracts.splicing import Page, flow, respelled
from validate import validate

LISTINGS = seed.ROOT / "contracts" / "listings.yaml"
ANNOUNCED, MAY_GO = dt.date(2026, 9, 1), dt.date(2026, 9, 15)


def passes(made: Plan, folder: Path) -> None:
    """Both versions are what `diff` accepts, read back from the text."""
    expand = parse(made.expand_text, source=f"{made.current.dataset}.yaml")
    assert expand == made.expand and verdict(made.current, expand, as_of=ANNOUNCED).reasons == ()
    if made.contract_text is not None:
        small = parse(made.contract_text, source=f"{made.current.dataset}.yaml")
        assert small == made.contract
        day = max(drop.earliest for drop in made.drops)
        nobody = expand.model_copy(update={"consumers": ()})
        assert verdict(nobody, small.model_copy(update={"consumers": ()}), as_of=day, consumers=folder).status == 0
        if day > ANNOUNCED:
            early = verdict(nobody, small, as_of=day - dt.timedelta(days=1), consumers=folder)
            assert "1 day left" in early.reasons[0]


def test_pr_4471_as_it_should_have_been(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted, out = tmp_path / "listings.yaml", tmp_path / "out"
    wanted.write_text(pr_4471(), encoding="utf-8")
    made = plan(
        LISTINGS, wanted, announce=ANNOUNCED, consumers=seed.CONSUMERS, names={"item_condition": "condition_grade"}
    )
    passes(made, tmp_path)
    assert (made.expand.version, made.contract and made.contract.version, made.left_out) == ("1.5.0", "2.0.0", ())
    assert [(drop.field.name, drop.successor and drop.successor.name, drop.earliest) for drop in made.drops] == [
        ("item_condition", "condition_grade", MAY_GO),
        ("brand", "brand_name", MAY_GO),
    ]
    # The author's comments, order and folding survive, line by line.
    before, after = LISTINGS.read_text(encoding="utf-8").splitlines(), made.expand_text.splitlines()
    kept = [line for line in before if line not in ("version: 1.4.0", "    type: integer")]
    rest = iter(after)
    assert all(line in rest for line in kept)
    assert "    deprecated: {announced: 2026-09-01, replaced_by: condition_grade}" in after
    assert "      excellent = as new · good = light wear · fair = visible wear." in after  # as the wanted file folds it

    arguments = [
        "plan",
        str(LISTINGS),
        str(wanted),
        "--announce",
        "2026-09-01",
        "--name",
        "item_condition=condition_grade",
    ]
    assert main([*arguments, "--consumers", str(seed.CONSUMERS), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "fct_price.sql:13:14: pricing-service reads it (item_condition)" in said
    assert "finance-reporting does not read it" in said and "on 2026-09-15 at the earliest" in said
    assert sorted(path.name for path in out.iterdir()) == [
        "listings-1.5.0.sql",
        "listings-1.5.0.yaml",
        "listings-2.0.0.yaml",
    ]
    assert main(["diff", str(LISTINGS), str(out / "listings-1.5.0.yaml")]) == 0
    step = ["diff", str(out / "listings-1.5.0.yaml"), str(out / "listings-2.0.0.yaml"), "--as-of"]
    moved = consumers(tmp_path / "moved", {name: sql.replace(", brand", "") for name, sql in MIGRATED.items()})
    assert main([*step, "2026-09-15", "--consumers", str(moved)]) == 0
    assert main([*step, "2026-09-14", "--consumers", str(moved)]) == 1
    # Nothing is overwritten in silence.
    capsys.readouterr()
    (out / "listings-2.0.0.yaml").unlink()
    assert main([*arguments, "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err and not (out / "listings-2.0.0.yaml").exists()


def test_the_lesson_s_history_is_what_plan_makes_of_it() -> None:
    history = seed.ROOT / "contracts" / "history"
    made = plan(LISTINGS, history / "listings-2.0.0.yaml", announce=ANNOUNCED, consumers=seed.CONSUMERS)
    assert made.expand == load(history / "listings-1.5.0.yaml") and made.contract == load(
        history / "listings-2.0.0.yaml"
    )


def test_the_producer_s_sql_runs_and_is_loud(tmp_path: Path) -> None:
    wanted = tmp_path / "listings.yaml"
    wanted.write_text(pr_4471(), encoding="utf-8")
    made = plan(LISTINGS, wanted, announce=ANNOUNCED, names={"item_condition": "condition_grade"})
    connection = duckdb.connect()
    connection.register(
        "listings", pa.Table.from_pylist([*seed.listings("before")[:50], seed.listing(50) | {"item_condition": "a"}])
    )
    rows = connection.execute(made.sql).to_arrow_table().to_pylist()
    words = {"A": "excellent", "B": "good", "C": "fair", "a": None}
    assert [row["condition_grade"] for row in rows] == [words[row["item_condition"]] for row in rows]
    assert all(row["brand_name"] == row["brand"] for row in rows)
    broken = validate([row | {"graded_by": None, "weight_g": float(row["weight_g"])} for row in rows], made.expand)
    assert ("condition_grade", "required") in {(each.field, each.rule) for each in broken}  # the gate hears the NULL


def test_hostile_names_and_values_stay_in_their_quotes() -> None:
    evil = "x'; drop table t; -- \n\"\\ \u202e"
    old = {
        "dataset": "t",
        "version": "1.0.0",
        "owner": "us",
        "fields": [{"name": evil, "type": "string", "enum": [evil, "B"]}],
    }
    new = old | {"fields": [{"name": evil, "type": "string", "enum": [evil + "1", "2"]}]}
    made = plan(old, new, announce=ANNOUNCED)
    connection = duckdb.connect()
    connection.register("t", pa.table({evil: [evil, "B", "?"]}))
    assert [row[1] for row in connection.execute(made.sql).fetchall()] == [evil + "1", "2", None]
    assert parse(made.expand_text) == made.expand and "\n".join(made.steps()).replace("\n", "").isprintable()


@pytest.mark.parametrize("dataset", ["../evil", "a/b", "..", "/etc/x", "a\\b", "C:x", ".hidden", "x\0y"])
def test_a_dataset_s_name_leads_nowhere_else(dataset: str, tmp_path: Path) -> None:
    fields: list[dict[str, Any]] = [{"name": "a", "type": "string"}]
    current = from_mapping({"version": "1.0.0", "owner": "us", "fields": fields}).model_copy(
        update={"dataset": dataset}
    )
    wanted = current.model_copy(
        update={
            "fields": from_mapping(
                {"version": "1.0.0", "owner": "us", "fields": [{"name": "b", "type": "date"}]}
            ).fields
        }
    )
    made = plan(current, wanted, announce=ANNOUNCED)
    with pytest.raises(OSError, match="no name for a file"):
        write(made, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


HEAD = "version: 1.0.0\nowner: us\n"
STYLES = {
    "no indent": HEAD + "# c0\nfields:\n# c1\n- name: a # c2\n  # c3\n  type: string # c4\n\n# c5\n- name: b # c6\n  type: integer\n# c7\n",
    "flow items": HEAD + "fields:\n  # c1\n  - {name: a, type: string} # c2\n  # c3\n  - {name: b, type: integer, }  # c4\n",
    "flow list": HEAD + "fields: [{name: a, type: string}, # c1\n  {name: b, type: integer}] # c2\n# c3",
    "json": '{"version": "1.0.0", "owner": "us", "fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "integer"}]}',
    "folded last": HEAD + "fields:\n  - name: a\n    type: string\n    meaning: >-\n      one\n\n      # no comment\n      two\n\n  # c1\n  - name: b\n    type: integer\n    meaning: |\n      x\n",
    "no line end": HEAD + "fields:\n  - name: a\n    type: string\n  - name: b\n    type: integer",
    "quotes": "version: '1.0.0' # c1\nowner: \"us\"\nfields:\n  - 'name': \"a\"\n    \"type\": 'string'\n  - name: b\n    type: integer\n",
    "dash alone": HEAD + "fields:\n  -\n    name: a\n    type: string # c1\n  -\n    name: b\n    type: integer\n",
    "crlf": (HEAD + "fields: # c1\n  - name: a\n    type: string\n  - name: b\n    type: integer\n").replace("\n", "\r\n"),
    "fields first": "fields:\n  - name: a\n    type: string\n  - name: b\n    type: integer\n# c1\nversion: 1.0.0 # c2\nowner: us\n",
    "evolution in a block": HEAD + "evolution: # c1\n  notice: 14d # c2\nfields:\n  - name: a\n    type: string\n  - name: b\n    type: integer\n",
    "enum in a block": HEAD + "fields:\n  - name: a\n    type: string\n    enum: # c1\n      - A # c2\n      - B\n  - name: b\n    type: integer\n",
}  # fmt: skip
WANTED = [
    [{"name": "a", "type": "date"}, {"name": "b", "type": "number", "min": 0.5}],
    [{"name": "b", "type": "integer", "enum": [1, 2], "required": True}],
    [
        {"name": "a", "type": "string", "enum": ["NO", "é: #"], "meaning": "x"},
        {"name": "c", "type": "timestamp", "min": "2026-08-19T00:00:00"},
    ],
    [{"name": "c", "type": "boolean"}],
]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("wanted", range(len(WANTED)))
def test_every_style_of_yaml_keeps_its_comments(style: str, wanted: int, tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_bytes(STYLES[style].encode())
    new = to_mapping(load(file)) | {"fields": WANTED[wanted]}
    made = plan(file, new, announce=ANNOUNCED, consumers=tmp_path)
    passes(made, tmp_path)
    assert "Written anew" not in made.expand_text + (made.contract_text or "")
    comments = [f"c{n}" for n in range(9) if f"# c{n}" in STYLES[style]]
    if style != "enum in a block":  # a clause that changes takes its own comments along
        assert [each for each in comments if f"# {each}" not in made.expand_text] == []
    ends = set(re.findall("\r?\n", STYLES[style])) or {"\n"}
    assert set(re.findall("\r?\n", made.expand_text)) <= ends


def test_a_field_takes_the_comment_right_above_it_along(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(
        HEAD + "fields:\n  # ids\n\n  # of a\n  - {name: a, type: date}\n  # of b\n  - {name: b, type: date}\n",
        encoding="utf-8",
    )
    made = plan(file, to_mapping(load(file)) | {"fields": [{"name": "b", "type": "date"}]}, announce=ANNOUNCED)
    assert (
        made.contract_text
        == HEAD.replace("1.0.0", "2.0.0") + "fields:\n  # ids\n\n  # of b\n  - {name: b, type: date}\n"
    )


def test_text_that_looks_like_a_comment_is_none(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    text = HEAD + "fields:\n  - name: a\n    type: date\n    meaning: 'x\n      # y'\n  - name: b\n    type: date\n"
    file.write_text(text, encoding="utf-8")
    made = plan(file, to_mapping(load(file)) | {"fields": [to_mapping(load(file))["fields"][0]]}, announce=ANNOUNCED)
    assert made.contract_text == text.replace("1.0.0", "2.0.0").replace("  - name: b\n    type: date\n", "")


def test_aliases_are_written_anew_and_that_is_said(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(HEAD + "fields:\n  - &one {name: a, type: string}\n  - {<<: *one, name: b}\n", encoding="utf-8")
    made = plan(file, to_mapping(load(file)) | {"fields": [{"name": "a", "type": "string"}]}, announce=ANNOUNCED)
    passes(made, tmp_path)
    assert made.expand_text.startswith("# Written anew")


def test_what_no_two_steps_can_bring_is_left_out_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields: list[dict[str, Any]] = [{"name": "a", "type": "string", "enum": ["A"]}, {"name": "at", "type": "date"}]
    old = {
        "version": "1.0.0",
        "owner": "us",
        "fields": fields,
        "volume": {"min_rows": 5},
        "freshness": {"max_lag": "1h", "field": "at"},
    }
    made = plan(old, old | {"volume": {"min_rows": 4, "max_rows": 9}, "owner": "them"}, announce=ANNOUNCED)
    passes(made, tmp_path)
    assert len(made.left_out) == 1 and "volume min_rows" in made.left_out[0]
    assert (made.expand.owner, made.expand.version, made.contract) == ("them", "1.0.1", None)
    made = plan(old, {**old, "fields": fields[:1], "freshness": {"max_lag": "1h"}}, announce=ANNOUNCED)
    passes(made, tmp_path)
    assert made.contract is None and any("freshness needs it" in each for each in made.left_out)
    for clause, says in (("additive", "additive: forbidden"), ("breaking", "breaking: forbidden")):
        closed = old | {"evolution": {clause: "forbidden"}}
        made = plan(
            closed, closed | {"fields": [{"name": "a", "type": "string", "enum": ["X"]}, fields[1]]}, announce=ANNOUNCED
        )
        passes(made, tmp_path)
        assert made.contract is None and any(says in each for each in made.left_out)
    file, new = tmp_path / "t.yaml", tmp_path / "u.yaml"
    file.write_text(yaml.safe_dump(old), encoding="utf-8")
    new.write_text(yaml.safe_dump(old | {"volume": {"min_rows": 4}}), encoding="utf-8")
    assert main(["plan", str(file), str(new)]) == 1
    assert "LEFT OUT" in capsys.readouterr().out
    assert main(["plan", str(file), str(file)]) == 0
    assert "NOTHING TO DO" in capsys.readouterr().out
    marked = old | {"fields": [fields[0] | {"deprecated": {"announced": "2026-08-01"}}, fields[1]]}
    made = plan(marked, old | {"fields": fields[1:]}, announce=ANNOUNCED)
    passes(made, tmp_path)
    assert "has it already" in made.text() and list(made.files) == ["dataset-2.0.0.yaml"]
    new.write_text(yaml.safe_dump(old | {"fields": [fields[0] | {"enum": ["X"]}, fields[1]]}), encoding="utf-8")
    both = [str(file), str(new)]
    for wrong in (["no.yaml", str(new)], [*both, "--name", "x"], [*both, "--name", "x=y"], [*both, "--name", "a=at"], [*both, "--name", "at=z"], [*both, "--consumers", "no"]):  # fmt: skip
        assert main(["plan", *wrong]) == 2
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1, said


def test_a_wording_that_its_author_calls_editorial_needs_no_new_field() -> None:
    old = {"version": "1.0.0", "owner": "us", "fields": [{"name": "a", "type": "string", "meaning": "net price"}]}
    new = old | {"fields": [{"name": "a", "type": "string", "meaning": "price before tax"}]}
    assert plan(old, new, announce=ANNOUNCED).expand.version == "1.1.0"
    made = plan(old, new, announce=ANNOUNCED, editorial=["a"])
    assert (made.expand.version, made.drops, made.left_out) == ("1.0.1", (), ())


def test_freshness_moves_to_the_successor(tmp_path: Path) -> None:
    old = {
        "version": "1.0.0",
        "owner": "us",
        "fields": [{"name": "at", "type": "date"}],
        "freshness": {"max_lag": "1h", "field": "at"},
    }
    made = plan(
        old,
        old | {"fields": [{"name": "at", "type": "timestamp", "min": "2026-01-01T00:00:00", "meaning": "x"}]},
        announce=ANNOUNCED,
    )
    passes(made, tmp_path)
    made = plan(
        old | {"fields": [{"name": "at", "type": "date", "unit": "a"}]},
        old | {"fields": [{"name": "at", "type": "date", "unit": "b"}]},
        announce=ANNOUNCED,
    )
    passes(made, tmp_path)
    assert (
        made.left_out == () and made.contract and made.contract.freshness and made.contract.freshness.field == "at_v2"
    )


def test_freshness_that_is_wanted_of_a_field_that_changes(tmp_path: Path) -> None:
    """The old field is no date, so freshness can only mean the new one; and no text can take a date's place."""
    number, date = {"name": "at", "type": "number"}, {"name": "at", "type": "date"}
    old = {"version": "1.0.0", "owner": "us", "fields": [number]}
    made = plan(old, old | {"fields": [date], "freshness": {"max_lag": "1h", "field": "at"}}, announce=ANNOUNCED)
    passes(made, tmp_path)
    assert made.expand.freshness and made.expand.freshness.field == "at_v2"
    dated = old | {"fields": [date], "freshness": {"max_lag": "1h", "field": "at"}}
    made = plan(dated, old | {"fields": [number]}, announce=ANNOUNCED)
    passes(made, tmp_path)
    assert made.contract is None and any("tells time" in each for each in made.left_out)


def test_the_first_key_of_an_item_can_go(tmp_path: Path) -> None:
    file, new = tmp_path / "t.yaml", tmp_path / "new.yaml"
    file.write_text(HEAD + "fields:\n- name: a\n  type: string\n- name: b\n  type: string\n", encoding="utf-8")
    mark = "- deprecated: {announced: 2026-01-01, replaced_by: a}\n  name: b\n"
    new.write_text(HEAD + f"fields:\n- name: a\n  type: string\n{mark}  type: date\n", encoding="utf-8")
    made = plan(file, new, announce=ANNOUNCED)
    passes(made, tmp_path)
    assert "- name: b_v2\n  type: date\n" in made.expand_text


# ---- any two contracts ------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6).filter(
    lambda text: text.strip() == text
)
FIELDS = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "number", "boolean", "date", "timestamp"])},
    optional={
        "meaning": TEXTS,
        "unit": TEXTS,
        "required": st.booleans(),
        "unique": st.booleans(),
        "deprecated": st.just({"announced": "2026-08-01"}),
    },
)
CONTRACTS = st.fixed_dictionaries(
    {"owner": TEXTS, "fields": st.dictionaries(TEXTS, FIELDS, min_size=1, max_size=4)},
    optional={
        "consumers": st.lists(TEXTS, unique=True, max_size=2),
        "volume": st.fixed_dictionaries({"min_rows": st.integers(0, 3), "max_rows": st.integers(3, 5)}),
        "evolution": st.fixed_dictionaries({"notice": st.sampled_from(["1d", "36h", "2w"])}),
    },
).map(lambda made: {"dataset": "t", "version": "1.0.0"} | made | {"fields": [{"name": name} | field for name, field in made["fields"].items()]})  # fmt: skip


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(CONTRACTS, CONTRACTS)
def test_both_versions_of_any_plan_pass_diff(tmp_path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    new = new | {
        "fields": [
            *new["fields"],
            *(field for field in old["fields"][1:] if field["name"] not in [f["name"] for f in new["fields"]]),
        ]
    }
    made = plan(old, new, announce=ANNOUNCED)
    passes(made, tmp_path)


@settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8), lambda inner: st.lists(inner, max_size=3)
    )
)
def test_flow_is_read_back_as_it_was(value: Any) -> None:
    assert yaml.safe_load(f"a: {flow(value)}\n") == {"a": value}


def test_flow_of_numbers() -> None:
    for number in (0, -5, 1.0, 1e16, 1e-7, -2.5e300, True, False):
        made = parse(
            f"version: 1.0.0\nowner: x\nfields: [{{name: a, type: {'boolean' if isinstance(number, bool) else 'number'}, enum: [{flow(number)}]}}]\n"
        )
        assert made.fields[0].enum == (number,)


def test_respelled_without_a_change_is_the_text() -> None:
    text = LISTINGS.read_text(encoding="utf-8")
    assert respelled(Page(text), load(LISTINGS), load(LISTINGS)) == text


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a folder that cannot be written")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert (
        main(
            [
                "plan",
                str(LISTINGS),
                str(seed.ROOT / "contracts/history/listings-2.0.0.yaml"),
                "--out",
                str(tmp_path / "x"),
            ]
        )
        == 2
    )


# ---- exercise 5's story, on real rows ----------------------------------------------------------------------------------

OLD_SQL = (seed.CONSUMERS / "pricing-service" / "fct_price.sql").read_text(encoding="utf-8")
NEW_SQL = OLD_SQL.replace("item_condition", "condition_grade")
for code, word in (("'A'", "'excellent'"), ("'B'", "'good'"), ("'C'", "'fair'")):
    NEW_SQL = NEW_SQL.replace(f"when {code}", f"when {word}")


def test_expand_migrate_contract_on_the_shop_s_rows() -> None:
    shop = seed.attach(":memory:")
    seed.put_listings(shop, "before")
    right = shop.execute(f"select listing_id, charged_cents from ({OLD_SQL}) order by 1").fetchall()
    cents = sum(charged for _, charged in right)

    # Expand: both columns in every row, as plan's SQL emits them, and 1.5.0 is kept.
    made = plan(listings("1.4.0"), listings("2.0.0"), announce=ANNOUNCED)
    emitted = made.sql.replace("from listings", "from shop.listings")
    shop.execute(f"create table shop.expanded as {emitted}")
    shop.execute("drop table shop.listings; alter table shop.expanded rename to listings")
    as_of = seed.SYNCED["before"] + dt.timedelta(minutes=30)
    rows = shop.execute("from shop.listings").to_arrow_table()
    assert validate(rows, listings("1.5.0"), as_of=as_of) == []

    # Migrate: the old consumer and the new one charge the same, to the cent.
    for sql in (OLD_SQL, NEW_SQL):
        assert shop.execute(f"select listing_id, charged_cents from ({sql}) order by 1").fetchall() == right
    assert cents > 0 and len(right) == 8_000

    # In place, as the release did it, the old consumer went on, with every price wrong.
    seed.put_listings(seed_shop := seed.attach(":memory:"), "after")
    wrong = seed_shop.execute(f"select sum(charged_cents) from ({OLD_SQL})").fetchall()[0][0]
    assert wrong < cents

    # Contract: the old column goes, 2.0.0 is kept, and the old consumer fails loudly: a missing column.
    shop.execute("alter table shop.listings drop column item_condition")
    assert validate(shop.execute("from shop.listings").to_arrow_table(), listings("2.0.0"), as_of=as_of) == []
    assert shop.execute(f"select listing_id, charged_cents from ({NEW_SQL}) order by 1").fetchall() == right
    with pytest.raises(duckdb.BinderException, match="item_condition"):
        shop.execute(OLD_SQL)


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "a", "b", "--out"],
        ["diff", "a", "b", "--consumers"],
        ["audit", "q.sql", "--contracts"],
        ["compat", "a", "--history"],
        ["export", "a", "--to", "html", "--previous"],
    ],
)
def test_an_empty_name_as_of_a_variable_that_is_not_set_is_refused(capsys, arguments):
    with pytest.raises(SystemExit, match="2"):
        main([*arguments, ""])
    assert "the name is empty; give one" in capsys.readouterr().err


def test_a_plan_of_one_file_makes_its_folder_too(tmp_path, capsys):
    agreed = {"dataset": "t", "version": "1.0.0", "owner": "us", "fields": [{"name": "a", "type": "string"}]}
    wanted = agreed | {"version": "1.1.0", "fields": [*agreed["fields"], {"name": "b", "type": "string"}]}
    for name, mapping in (("old", agreed), ("new", wanted)):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(mapping), encoding="utf-8")
    out = tmp_path / "planned"
    assert main(["plan", str(tmp_path / "old.yaml"), str(tmp_path / "new.yaml"), "--out", str(out)]) == 0
    assert [path.name for path in out.iterdir()] == ["t-1.1.0.yaml"]
