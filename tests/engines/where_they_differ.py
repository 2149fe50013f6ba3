"""Where engines read patterns, times, names and types each in their own way, the verdict is one, or says why not."""

import datetime as dt
from decimal import Decimal
from typing import Annotated

import pyarrow as pa
import pytest
import yaml
from ibis.expr.datatypes import Timestamp
from test_two_readings import AS_OF, seen

import contracts
import monitors
import seed
from boundary import (
    Check,
    CheckExecutionError,
    Nullable,
    Schema,
    StructuralError,
)
from clause import engines as differences
from contracts import DataError
from validate import quarantine, report, validate

LISTINGS = seed.ROOT / "contracts" / "listings.yaml"
HEAD = {"version": "1.0.0", "owner": "us", "consumers": ["you"], "dataset": "t"}


# --- what they read in their own way ----------------------------------------------------------------------------------


def texts(pattern, values):
    return {**HEAD, "fields": [{"name": "x", "type": "string", "pattern": pattern}]}, pa.table({"x": values})


@pytest.mark.parametrize(
    ("pattern", "values"),
    [
        (r"\d+", ["12", "12\n", "\n12", "١٢", ""]),  # Java's $ stands before the last line end too; Arabic digits
        (r"a.b", ["a b", "a\nb", "a\rb", "a\u2028b", "a\u0085b", "a👍b"]),  # what a dot is
        (r"\s", ["\v", "\f", " ", "\u00a0"]),  # RE2 has no \v among its blanks, Java has
        (r"\w+", ["x_1", "é", "\N{LATIN SMALL LETTER LONG S}"]),
        (r"(?i)k|ß", ["K", "\N{KELVIN SIGN}", "ß", "ẞ", "ss"]),
        (r"[a-z&&[def]]", ["d]", "&]", "a]", "d"]),  # an intersection in Java
        (r"[\]\\^-]+", ["]", "\\", "^-", "x"]),
        (r"a{2,3}?b*", ["aa", "aaabb", "a", "aaaa"]),
        (r"\x41\$", ["A$", "A"]),
        (r"(\w+\.)*\w+@x", ["a.b@x", "a..b@x", "@x"]),
        (r"(a+)+", ["a" * 40, "a" * 40 + "b"]),  # would take an engine that backtracks for ever
        (r"", ["", "\n", "x"]),
    ],
)
def test_a_pattern_means_the_same(engine, pattern, values):
    agreed, table = texts(pattern, values)
    assert validate(engine.load(table), agreed) == validate(table.to_pylist(), agreed)


@pytest.mark.parametrize("pattern", [r"\bx\b", r"\pL+", "(?s).", "[[:alpha:]]+", "a$b|^^c", "(?i)[^a]"])
def test_a_pattern_that_the_engine_would_read_in_another_way_is_not_checked(duckdb, other, pattern):
    agreed, table = texts(pattern, ["x", "1"])
    in_python, in_duckdb, found = (
        report(rows, agreed) for rows in (table.to_pylist(), duckdb.load(table), other.load(table))
    )
    assert in_python == in_duckdb and not in_duckdb.not_checked
    assert not found.violations
    assert [(clause.rule, clause.field) for clause in found.not_checked] == [("pattern", "x")]
    assert found.not_checked[0].reason == f"{other.name} would read the pattern in another way than RE2 does"
    with pytest.raises(DataError, match="column 'x': cannot be split by its pattern"):
        quarantine(other.load(table), agreed)

    class Patterned(Schema):
        x: Annotated[str, Check.pattern(pattern)]

    with pytest.raises(CheckExecutionError, match="x: the pattern cannot be checked"):
        Patterned.parse(other.load(table))


def test_characters_that_are_hard_to_write_in_sql(engine):
    """PostgreSQL has no NUL in text, so no row of it has that value; nothing else changes."""
    odd = ["a\0b", "\a", "\f", "\v", "\b", "\r", "\\n", "it's", "%_", "\x1b", "\x7f", "${x}", "\\u0041"]
    agreed = {**HEAD, "fields": [{"name": "x", "type": "string", "enum": [*odd, "A"]}]}
    table = engine.held(pa.table({"x": [*odd[1:], "A", "ab", "n", "f"]}))
    found = validate(engine.load(table), agreed)
    assert found == validate(table.to_pylist(), agreed)
    assert found[0].failing == 3


def test_ties_are_in_the_order_of_the_characters(engine):
    """Ten of these values are shown, and the same ten on PostgreSQL, which would sort them as people do."""
    table = pa.table({"x": [*"aAbBcCdDeEfFäÄ", "é", "z", "Z", "_", "👍", "\uffff"]})
    agreed = {**HEAD, "fields": [{"name": "x", "type": "string", "enum": ["none"]}]}
    assert validate(engine.load(table), agreed) == validate(table.to_pylist(), agreed)


MOMENTS = pa.table(
    {
        "naive": pa.array([dt.datetime(2026, 8, 19, 23, 30), None], pa.timestamp("us")),
        "aware": pa.array([dt.datetime(2026, 8, 19, 23, 30, tzinfo=dt.UTC), None], pa.timestamp("us", "UTC")),
        "charged_cents": [1, 1],
    }
)


@pytest.fixture(params=["UTC", "Asia/Kathmandu"])
def zone(request, engine):
    """The session's time zone, which must not show in any verdict."""

    def put(name):
        if engine.name == "pyspark":
            engine.session.conf.set("spark.sql.session.timeZone", name)
        elif engine.name == "postgres":
            engine.do(f"set timezone to '{name}'")
        else:
            engine.ibis.raw_sql(f"set timezone = '{name}'")

    put(request.param)
    yield request.param
    put("UTC")


def test_the_time_zone_of_the_session_does_not_show(engine, zone):
    table = engine.load(MOMENTS)
    for name in ("naive", "aware"):
        for most in (dt.datetime(2026, 8, 19, 23, 29, tzinfo=dt.UTC), dt.datetime(2026, 8, 19, 23, 31, tzinfo=dt.UTC)):
            fields = [{"name": name, "type": "timestamp", "max": most}]
            agreed = contracts.from_mapping({**HEAD, "fields": fields, "freshness": {"max_lag": "1h", "field": name}})
            assert seen(table, agreed) == seen(MOMENTS.to_pylist(), agreed)
        spec = monitors.Spec(day=name, list_amount=None, branch=None, goods=None, loaded_at=name)
        assert monitors.daily_metrics(table, spec) == monitors.daily_metrics(MOMENTS, spec)


def test_spark_tells_instants_from_times_without_a_zone(spark):
    agreed = contracts.from_mapping(
        {**HEAD, "fields": [{"name": "naive", "type": "timestamp"}], "freshness": {"max_lag": "1h", "field": "naive"}}
    )
    assert "name no zone" in report(spark.load(MOMENTS), agreed, as_of=AS_OF).not_checked[0].reason

    class Moments(Schema):
        aware: Annotated[Timestamp(timezone="UTC"), Nullable]

    assert Moments.cast(spark.load(MOMENTS.select(["aware"]))).count().execute() == 2
    with pytest.raises(StructuralError, match="aware"):
        Moments.cast(spark.load(MOMENTS.select(["naive"]).rename_columns(["aware"])))


def test_two_names_that_differ_in_case_alone(spark):
    """Spark takes them for one by default, and then cannot say which one is meant."""
    table = spark.load(pa.table({"Price": [1], "price": [2]}))
    agreed = {**HEAD, "fields": [{"name": "price", "type": "integer", "max": 1}]}
    assert len(validate(table, agreed)) == 1
    spark.session.conf.set("spark.sql.caseSensitive", "false")
    try:
        with pytest.raises(DataError, match=r"the ibis table: cannot be read: \[AMBIGUOUS_REFERENCE\]"):
            validate(table, agreed)
    finally:
        spark.session.conf.set("spark.sql.caseSensitive", "true")


def test_a_number_that_is_none(postgres):
    """PostgreSQL's NUMERIC has a NaN, which is missing as every NaN is."""
    postgres.do("create table nan as select unnest(array['NaN', '1.5', '20.123456789012345', null]::numeric[]) as x")
    agreed = {**HEAD, "fields": [{"name": "x", "type": "number", "required": True, "max": 10}]}
    rows = [{"x": Decimal("NaN")}, {"x": Decimal("1.5")}, {"x": Decimal("20.123456789012345")}, {"x": None}]
    assert validate(postgres.ibis.table("nan"), agreed) == validate(rows, agreed)


def test_times_beyond_the_calendar_are_no_verdict(postgres):
    """Counted they are, but no Python value shows them."""
    postgres.do("create table ever as select unnest(array['infinity', '2026-08-19']::timestamp[]) as x")
    table = postgres.ibis.table("ever")
    assert not validate(table, {**HEAD, "fields": [{"name": "x", "type": "timestamp", "required": True}]})
    with pytest.raises(DataError, match="the ibis table: cannot be read: "):
        validate(table, {**HEAD, "fields": [{"name": "x", "type": "timestamp", "max": dt.datetime(2026, 9, 1)}]})


def test_types_that_no_contract_has_are_wrong_but_shown(postgres):
    postgres.do(
        "create table odd as select '6f9619ff-8b86-d011-b42d-00c04fc964ff'::uuid as u, '{\"a\": 1}'::jsonb as j,"
        " array[1, 2] as a, '10.0.0.1'::inet as i, 'x'::char(3) as c, b'101' as b, '<x/>'::xml as x"
    )
    fields = [{"name": name, "type": "string"} for name in "ujaicbx"]
    found = validate(postgres.ibis.table("odd"), {**HEAD, "fields": fields})
    assert [violation.rule for violation in found] == ["type"] * len(found)
    shown = {violation.field: violation.values[0][0] for violation in found}
    assert shown["u"] == "6f9619ff-8b86-d011-b42d-00c04fc964ff" and "1" in shown["j"] and "2" in shown["a"]
    assert shown.keys() == set("ujaibx")


def test_nested_types_in_spark(spark):
    table = spark.session.sql("select array(1, 2) as a, map('k', 1) as m, named_struct('f', 1) as s, x'00ff' as b")
    table.createOrReplaceTempView("nested")
    fields = [{"name": name, "type": "string"} for name in "amsb"]
    found = validate(spark.ibis.table("nested"), {**HEAD, "fields": fields})
    assert [(violation.rule, violation.field, violation.failing) for violation in found] == [
        ("type", name, 1) for name in "amsb"
    ]


def test_a_name_that_ibis_gives_to_parts_of_its_queries(other):
    """A table t1 is hidden where ibis writes WITH t1 AS, and another table would be judged."""
    other.put("t1", pa.table({"x": ["A"]}))
    agreed = {**HEAD, "fields": [{"name": "x", "type": "string"}]}
    with pytest.raises(DataError, match="the ibis table: is named 't1', as ibis names parts of its own queries"):
        validate(other.ibis.table("t1"), agreed)


def test_a_table_that_is_gone_is_no_verdict(engine):
    table = engine.load(pa.table({"x": ["A"]}))
    if engine.name == "pyspark":
        engine.session.catalog.dropTempView(table.get_name())
    else:
        engine.ibis.drop_table(table.get_name())
    agreed = {**HEAD, "fields": [{"name": "x", "type": "string"}]}
    with pytest.raises(DataError, match="the ibis table: cannot be read: ") as caught:
        validate(table, agreed)
    assert "\n" not in str(caught.value)
    again = engine.load(pa.table({"x": ["A"]}))  # the connection is as good as before
    assert validate(again, agreed) == []


# --- what an engine does for it --------------------------------------------------------------------------------------


def final(plan):
    """The plan that Spark came to, without the one it began with."""
    return plan.split("== Initial Plan ==")[0]


def plan_of(frame):
    jvm = frame.sparkSession.sparkContext._jvm.org.apache.spark.sql.execution.ExplainMode
    return frame._jdf.queryExecution().explainString(jvm.fromString("simple"))


def test_spark_reads_the_table_once_to_count_and_once_for_the_values(spark, tmp_path, monkeypatch):
    """One aggregate; no rows come to the driver but its one, and ten values with a total for each broken clause."""
    rows = seed.listings("after")
    for row in rows:
        row["brand"] = f"{row['brand']}-{row['listing_id']}"  # so that 8,000 values are wrong there
    path = str(tmp_path / "listings")
    spark.session.createDataFrame(rows).write.parquet(path)
    spark.session.read.parquet(path).createOrReplaceTempView("stored")
    mapping = yaml.safe_load(LISTINGS.read_text(encoding="utf-8"))
    next(field for field in mapping["fields"] if field["name"] == "brand")["enum"] = ["Alder"]
    asked, fetched = [], []
    monkeypatch.setattr(spark.ibis, "raw_sql", lambda sql: asked.append(spark.session.sql(sql)) or asked[-1])
    fetch = differences.fetch
    monkeypatch.setattr(differences, "fetch", lambda query: fetched.append(fetch(query)) or fetched[-1])
    found = report(spark.ibis.table("stored"), {**mapping, "dataset": "listings"})
    assert [violation.field for violation in found.violations] == ["item_condition", "brand"]
    assert [len(answer) for answer in fetched] == [1, (3 + 1) + (10 + 1)]
    assert [violation.distinct_values for violation in found.violations] == [3, 8000]
    _, counts, values = asked  # the first asks the catalogue for the types, and is not run
    counted = final(plan_of(counts))
    print(counted)
    assert counted.count("FileScan") == 1
    assert "Expand" not in counted and "Sort" not in counted and "Window" not in counted
    shown = final(plan_of(values))
    print(shown)
    assert shown.count("FileScan") == len(found.violations)  # each reads its one column
    assert shown.count("TakeOrderedAndProject(limit=10") == len(found.violations)
    assert shown.count("ReusedExchange") == len(found.violations)


def test_a_clean_table_is_asked_one_query(engine, monkeypatch):
    table = engine.load(pa.Table.from_pylist(seed.listings("before")))
    fetched = []
    fetch = differences.fetch
    monkeypatch.setattr(differences, "fetch", lambda query: fetched.append(fetch(query)) or fetched[-1])
    assert validate(table, LISTINGS) == []
    assert [len(answer) for answer in fetched] == [1]
