"""What a silent default costs: on the shop, and on models of one's own."""

# ruff: noqa: E501, SQL reads best on one line

from __future__ import annotations

import json
from pathlib import Path

import pytest
from audited import CONSUMERS, CONTRACTS, FOUND, ITEMS, PRICE, SILENT, ask, places, run, write

import seed
from contracts.audit import audit
from contracts.auditing.findings import Audit

# ---- the shop ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    """The listings before and after, and the orders."""
    folder = tmp_path_factory.mktemp("shop")
    with seed.build() as connection:
        for table in ("listings_before", "listings", "orders"):
            connection.execute(f"copy (from shop.{table}) to '{(folder / table).as_posix()}.parquet'")
    return folder


def test_the_clause_that_nobody_wrote(capsys):
    contract = seed.ROOT / "contracts" / "history" / "listings-1.3.0.yaml"
    status, out, _ = run(capsys, str(CONSUMERS), "--contracts", str(contract), "--format", "json")
    first = json.loads(out)["findings"][0]
    assert status == FOUND
    assert (first["rule"], first["file"], first["line"], first["column"]) == ("unwritten-clause", PRICE, 13, 14)
    assert (first["table"], first["field"]) == ("listings", "item_condition")
    assert "enum: [A, B, C]" in first["suggestion"] and "'A', 'B', 'C'" in first["message"]


def test_with_the_clause_the_silent_else_and_the_star_are_left(processes):
    found = audit([str(CONSUMERS)], contracts=str(CONTRACTS))
    assert places(found) == ["fct_price.sql:17:13 silent-else", "stg_listings.sql:3:8 star-across-boundary"]
    assert found.findings[0].file == PRICE and "as 'C' does" in found.findings[0].message
    assert not found.not_audited and found.files == 9


def test_all_listings_are_in_the_else_branch_after_the_release(shop, capsys):
    after = f"listings={shop / 'listings.parquet'}"
    status, out, _ = run(capsys, str(CONSUMERS), "--contracts", str(CONTRACTS), "--data", after)
    assert status == FOUND
    assert "8,000 of 8,000 rows of listings take it today ('good' 3,680, 'fair' 2,240, 'excellent' 2,080)" in out


def with_orders(shop: Path, *listings: str) -> Audit:
    return audit(
        [str(CONSUMERS)],
        contracts=str(CONTRACTS),
        data={"listings": [str(shop / name) for name in listings], "orders": [str(shop / "orders.parquet")]},
        where={"orders": "day >= '2026-08-19'"},
        amount="charged_cents",
    )


def test_what_it_costs_if_every_row_does(shop):
    finding = with_orders(shop, "listings_before.parquet").findings[0]
    radius = finding.blast_radius or {}
    assert (radius["default"], radius["rows"]) == (0, 8000)
    model, orders = radius["totals"]
    assert (orders["over"], orders["rows"], orders["difference"], orders["unit"]) == (
        "orders",
        2285,
        -2928995,
        "EUR_cents",
    )
    assert (model["rows"], model["difference"]) == (8000, -10254720)
    assert "joined with the 2,285 rows of orders on listing_id" in finding.message
    assert "EUR 29,289.95 less than now" in finding.message


def test_what_it_has_cost_between_two_states(shop):
    finding = with_orders(shop, "listings_before.parquet", "listings.parquet").findings[0]
    assert "8,000 of 8,000 rows of listings take it today" in finding.message
    assert "and 0 of 8,000 did before" in finding.message and "EUR 29,289.95 less than before" in finding.message


def test_the_values_that_are_really_there(shop):
    contract = str(seed.ROOT / "contracts" / "history" / "listings-1.3.0.yaml")
    before, after = (
        audit([PRICE], contracts=contract, data={"listings": [str(shop / name)]}).findings[0]
        for name in ("listings_before.parquet", "listings.parquet")
    )
    assert "'B' 3,680, 'C' 2,240, 'A' 2,080" in before.message and before.suggestion.endswith("enum: [B, C, A]")
    assert "but not 'A', 'B', 'C'" in after.message
    assert "enum: [A, B, C]  # SQL names these, the data has [good, fair, excellent]" in after.suggestion


# ---- figures of other models -------------------------------------------------------------------------------------------


def test_a_blast_radius_runs_the_model_with_all_that_it_reads(tmp_path):
    """Another dialect, a model between, a join, DECODE, a grouped result, NULL among the values."""
    (tmp_path / "items.csv").write_text(
        "item_id,grade,kind,price_cents\n1,A,x,100\n2,B,x,200\n3,,y,400\n4,Z,y,800\n", encoding="utf-8"
    )
    files = {
        "pricing/stg_items.sql": 'select i.item_id as id, i.grade as g, i.price_cents from LAKE.shop."items" i',
        "pricing/totals.sql": """with s as (select * from stg_items)
select id % 2 as odd, sum(price_cents * decode(g, 'A', 3, 'B', 2, 'C', 1, 1)) as total from s group by 1""",
    }
    found = ask(tmp_path, files, dialect="snowflake", data={"items": [str(tmp_path / "items.csv")]}, amount="total")
    [finding] = [one for one in found.findings if one.rule == "silent-else"]
    radius = finding.blast_radius
    assert radius is not None and "(NULL 1, 'Z' 1)" in finding.message
    assert (radius["rows"], radius["default"]) == (4, 2)
    assert radius["values"] == [[None, 1], ["Z", 1]]
    total = radius["totals"][0]
    assert (total["as_is"], total["all_default"]) == (100 * 3 + 200 * 2 + 400 + 800, 1500)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("select case grade when 'A' then 1 when 'B' then 2 when 'C' then 2 else 2 end as m from items join boxes using (item_id)", "--data boxes=FILE"),
        ("select 1 as m from items where item_id = case grade when 'A' then 1 when 'B' then 2 when 'C' then 2 else 2 end", "in a condition"),
        ("update items set price_cents = case grade when 'A' then 1 when 'B' then 2 when 'C' then 2 else 2 end", "not run"),
        ("select case items.grade when 'A' then 1 when 'B' then 2 when 'C' then 2 else 2 end as m from items, read_text('secret.txt')", "DuckDB says"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_says_why_and_stays_a_finding(tmp_path, monkeypatch, sql, why):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"items.csv": "item_id,grade,kind,price_cents\n1,A,x,100\n", "secret.txt": "s3cret"})
    found = ask(tmp_path, {"pricing/q.sql": sql}, data={"items": ["items.csv"]})
    message = next(one.message for one in found.findings if one.rule == "silent-else")
    assert why in message and "s3cret" not in message


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        (SILENT.replace(" as m", " as m, {{ other.fee('price_cents') }} as fee"), "the amount was not summed"),
        (SILENT.replace(" as m", " * {{ other.fee() }} as m"), "the amount was not summed"),
        (SILENT.replace("from items", "from items join {{ other.boxes() }} b using (item_id)"), "the blast radius was not measured"),
    ],
)  # fmt: skip
def test_a_macro_that_is_not_here_is_said_to_be_so_and_by_no_name_of_ours(tmp_path, sql, what):
    write(tmp_path, {"items.csv": "item_id,grade,kind,price_cents\n1,A,x,100\n"})
    found = ask(tmp_path, {"pricing/q.sql": sql}, data={"items": [str(tmp_path / "items.csv")]}, amount="m")
    message = next(one.message for one in found.findings if one.rule == "silent-else")
    assert message.endswith(
        f"{what}: a part of its SQL comes from Jinja that is not here, as a macro of another package"
    )
    assert "jinja_value" not in str(found.to_dict())


def test_what_duckdb_says_is_not_cut_off_in_a_name(tmp_path):
    write(tmp_path, {"items.csv": "item_id,grade\n1,A\n"})
    sql = SILENT.replace(" as m", " as m, the_price_of_the_item_in_cents_before_tax as price_before")
    found = ask(tmp_path, {"pricing/q.sql": sql}, data={"items": [str(tmp_path / "items.csv")]}, amount="m")
    message = next(one.message for one in found.findings if one.rule == "silent-else")
    assert '"the_price_of_the_item_in_cents_before_tax" not found' in message


def test_data_that_cannot_be_read_is_said_in_one_line(tmp_path, capsys):
    write(tmp_path, {"items.yaml": ITEMS, "q.sql": SILENT, "bad.parquet": "no parquet", "x.csv": "a\n1\n"})
    for data, why in (
        ("bad.parquet", "cannot be read as the data"),
        ("x.txt", "data is Parquet, CSV"),
        ("gone.csv", "cannot be read"),
    ):
        status, out, err = run(
            capsys, str(tmp_path / "q.sql"), "--contracts", str(tmp_path), "--data", f"items={tmp_path / data}"
        )
        assert status == 2 and out == "" and why in err and err.count("\n") == 1


@pytest.mark.parametrize("name", ["parcels", "ops.parcels", "OPS.Parcels", "lake.ops.parcels"])
def test_data_is_found_by_the_end_of_a_dataset_name(tmp_path, capsys, name):
    contract = ITEMS.replace("owner: shop", "dataset: ops.parcels\nowner: shop")
    sql = {"sql/pricing/q.sql": SILENT.replace("items", "ops.parcels"), "rows.csv": "grade,kind\nA,x\nZ,x\nZ,y\n"}
    write(tmp_path, {"parcels.yaml": contract, **sql})
    rows, only = f"{name}={tmp_path / 'rows.csv'}", f"{name}=kind = 'x'"
    given = ("--contracts", str(tmp_path), "--data", rows, "--where", only)
    status, out, err = run(capsys, str(tmp_path / "sql"), *given)
    assert (status, err) == (1, "") and "1 of 2 rows of ops.parcels take it today ('Z' 1)" in out


def test_data_whose_name_fits_two_contracts_is_refused(tmp_path, capsys):
    each = {f"{one}.yaml": ITEMS.replace("owner: shop", f"dataset: {one}.items\nowner: shop") for one in ("ops", "lab")}
    write(tmp_path, {**each, "sql/pricing/q.sql": SILENT, "rows.csv": "grade\nA\n"})
    rows = f"items={tmp_path / 'rows.csv'}"
    status, _, err = run(capsys, str(tmp_path / "sql"), "--contracts", str(tmp_path), "--data", rows)
    assert status == 2 and "may be lab.items, ops.items; name the one" in err
