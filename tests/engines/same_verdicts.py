"""The same verdicts on DuckDB, PySpark and PostgreSQL, or none, with the reason. `make engines` runs this.

`tests/test_two_readings.py` holds DuckDB to the plain Python reading, with as many examples as one likes; here a fixed
hundred of its examples go to every engine. What an engine cannot hold is written down where the rows are put there.
"""

import datetime as dt
import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import ibis
import pyarrow as pa
import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as hypothesis_seed
from ibis.expr.datatypes import Timestamp

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent), str(HERE)]

import servers  # noqa: E402
from test_two_readings import AS_OF, as_arrow, as_rows, cases, seen  # noqa: E402

import contracts  # noqa: E402
import monitors  # noqa: E402
import seed  # noqa: E402
from boundary import (  # noqa: E402
    Check,
    CheckExecutionError,
    CoercionError,
    ConstraintError,
    DataFrame,
    Nullable,
    Schema,
    StructuralError,
    ValidationError,
    contract,
)
from clause import engines as differences  # noqa: E402
from clause.sources import open_source  # noqa: E402
from contracts import DataError  # noqa: E402
from validate import quarantine, report, validate  # noqa: E402

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*infer_string.*",  # an option of pandas that ibis asks for, and a keyword that it gives
    "ignore:The copy keyword is deprecated",
    "ignore:.*distutils.*",  # pyspark
    "ignore::pytest.PytestUnraisableExceptionWarning",  # sockets that py4j leaves to the garbage collector
    "ignore::ResourceWarning",
)

EXAMPLES = 100
SPLIT = 25  # of them are put in quarantine too
REAL = seed.ROOT.parent / "shared" / "real"
REAL_CASES = yaml.safe_load((REAL / "cases.yaml").read_text(encoding="utf-8")) if REAL.exists() else []
LISTINGS = seed.ROOT / "contracts" / "listings.yaml"
HEAD = {"version": "1.0.0", "owner": "us", "consumers": ["you"], "dataset": "t"}


# --- the engines -----------------------------------------------------------------------------------------------------


class DuckDB:
    name = "duckdb"

    def __init__(self):
        self.ibis, self.tables = ibis.duckdb.connect(), 0

    def can_hold(self, names):
        return len({name.casefold() for name in names}) == len(names)  # it takes `price` for `Price`

    def held(self, table):
        """The rows as this engine holds them, where it has no such type or value."""
        return table

    def load(self, table):
        """An Arrow table as a table of this engine."""
        self.tables += 1
        name = f"rows_{self.tables}"
        self.put(name, self.held(table))
        return self.ibis.table(name)

    def put(self, name, table):
        self.ibis.create_table(name, table)


class Spark(DuckDB):
    name = "pyspark"

    def __init__(self, session):
        self.session, self.ibis, self.tables = session, ibis.pyspark.connect(session), 0

    def can_hold(self, names):
        return True

    def held(self, table):
        """There are no unsigned 64 bits; as decimals they are no integers."""
        types = [pa.decimal128(20, 0) if kind == pa.uint64() else kind for kind in table.schema.types]
        return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))

    def put(self, name, table):
        from pyspark.sql.pandas.types import from_arrow_schema

        kinds = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
        self.session.createDataFrame(table, kinds).createOrReplaceTempView(name)


class Postgres(Spark):
    name = "postgres"

    def __init__(self, port):
        self.ibis, self.tables = ibis.postgres.connect(host="127.0.0.1", port=port, user="lesson", database="lesson"), 0

    def held(self, table):
        """There are no unsigned 64 bits, and no NUL in text."""
        table = super().held(table)
        for i, kind in enumerate(table.schema.types):
            if kind == pa.string():
                texts = [text and text.replace("\0", "\N{SYMBOL FOR NULL}") for text in table.column(i).to_pylist()]
                table = table.set_column(i, table.field(i), pa.array(texts, kind))
        return table

    def put(self, name, table):
        """With COPY; ibis would go by way of pandas, which loses the year 9999."""
        kinds = {"int64": "bigint", "int32": "integer", "int16": "smallint", "int8": "smallint", "bool": "boolean"}
        kinds |= {"double": "double precision", "float": "real", "string": "text", "date32[day]": "date"}
        kinds |= {"timestamp[us]": "timestamp", "timestamp[us, tz=UTC]": "timestamptz", "null": "text"}
        columns = []
        for field in table.schema:
            decimal = pa.types.is_decimal(field.type) and f"numeric({field.type.precision}, {field.type.scale})"
            columns.append(f"{quoted(field.name)} {decimal or kinds[str(field.type)]}")
        self.do(f"create table {name} ({', '.join(columns)})")
        with self.ibis.con.cursor() as cursor, cursor.copy(f"copy {name} from stdin") as copy:
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                copy.write_row(row)
        self.ibis.con.commit()

    def do(self, sql):
        with self.ibis.con.cursor() as cursor:
            cursor.execute(sql)
        self.ibis.con.commit()


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(scope="session")
def spark():
    with servers.spark() as session:
        yield Spark(session)


@pytest.fixture(scope="session")
def postgres():
    with servers.postgres() as port:
        setup = ibis.postgres.connect(host="127.0.0.1", port=port, user="lesson", database="postgres")
        setup.con.autocommit = True
        # Sorts as people do ("a" before "B"), which must not show in any verdict.
        setup.con.execute(
            "create database lesson template template0 encoding 'UTF8' locale_provider icu icu_locale 'en' locale 'C'"
        )
        setup.disconnect()
        engine = Postgres(port)
        yield engine
        engine.ibis.disconnect()


@pytest.fixture(scope="session")
def duckdb():
    return DuckDB()


@pytest.fixture(params=["duckdb", "pyspark", "postgres"])
def engine(request):
    return request.getfixturevalue({"pyspark": "spark"}.get(request.param, request.param))


@pytest.fixture(params=["pyspark", "postgres"])
def other(request):
    """An engine that is not DuckDB."""
    return request.getfixturevalue({"pyspark": "spark"}.get(request.param, request.param))


# --- the shop, and tables that really drifted ------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["before", "at_release", "after"])
def test_the_shop(engine, stage):
    rows = seed.listings(stage)
    as_of = seed.SYNCED[stage]
    found, expected = (report(t, LISTINGS, as_of=as_of) for t in (engine.load(pa.Table.from_pylist(rows)), rows))
    assert found == expected
    assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())  # no Decimal where there were integers


def by_contract(path, agreed):
    """A text file as a typed table: a column has the contract's type where every cell can be read as one."""
    source = open_source(str(path))
    source = source.parse({clause.name: clause.type for clause in agreed.fields})
    columns = {}
    for name in source.columns:
        clause = agreed.field(name)
        stored = source.stored(name)
        values = source.value(name, clause.type) if clause else stored
        if clause and clause.type == "integer":
            values = values.cast("int64")
        asked = source.table.aggregate(stored=stored.count(), typed=values.count())
        columns[name] = values if len({*source.run(asked)[0].values()}) == 1 else stored
    numbered = {f"v{i}": values for i, values in enumerate(columns.values())}
    found = source.relate(source.table.select(**numbered)).to_arrow_table()
    return found.rename_columns(list(columns))


@pytest.mark.parametrize(
    "case",
    [case for case in REAL_CASES if "MERGE_CONFLICT" not in case["data"]],  # no table, so no engine holds it
    ids=lambda case: case["data"].split("/")[-1],
)
def test_a_real_case(engine, case):
    agreed = contracts.load(REAL / case["contract"])
    found = report(engine.load(by_contract(REAL / case["data"], agreed)), agreed)
    expected = {(violation["rule"], violation["field"]): violation.get("failing") for violation in case["violations"]}
    assert found.rows == case["rows"]
    assert {(violation.rule, violation.field) for violation in found.violations} == set(expected)
    for violation in found.violations:
        assert expected[violation.rule, violation.field] in (None, violation.failing)
    assert list(found.violations) == validate(by_contract(REAL / case["data"], agreed), agreed)  # the values too


# --- the property test's examples ------------------------------------------------------------------------------------


def example(number):
    """One example of the property test, always the same."""
    found = []

    @hypothesis_seed(number)
    @settings(
        max_examples=5, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(cases())
    def collect(case):
        found.append(case)

    collect()
    return found[-1]


@pytest.fixture(scope="session")
def hundred():
    return [example(number) for number in range(EXAMPLES)]


def held(engine, columns):
    """The columns of an example as the engine holds them, again as name -> (type, values)."""
    table = engine.held(as_arrow(columns))
    return {name: (table.field(i).type, table.column(i).to_pylist()) for i, name in enumerate(table.column_names)}


def test_a_hundred_examples(engine, hundred):
    """Every violation with its values and message, and everything that was not checked, as plain Python has it."""
    different, judged = [], 0
    for number, (agreed, columns) in enumerate(hundred):
        if engine.can_hold(columns):
            judged += 1
            columns = held(engine, columns)
            expected, found = seen(as_rows(columns), agreed), seen(engine.load(as_arrow(columns)), agreed)
            if found != expected:
                different.append((number, expected, found))
    assert not different
    assert judged > 0.7 * EXAMPLES


def test_quarantine_of_the_examples(engine, hundred):
    for agreed, columns in hundred[:SPLIT]:
        columns = {**columns, "#": (pa.int64(), list(range(len(next(iter(columns.values()))[1]))))}
        if not engine.can_hold(columns):
            continue
        columns = held(engine, columns)
        accepted, quarantined = quarantine(as_rows(columns), agreed)
        table_accepted, table_quarantined = quarantine(engine.load(as_arrow(columns)), agreed)
        assert sorted(table_accepted["#"].to_pyarrow().to_pylist()) == [row["#"] for row in accepted]
        reasons = table_quarantined.select("#", "broken_clauses").to_pyarrow().to_pylist()
        assert sorted(reasons, key=lambda row: row["#"]) == [
            {"#": row["#"], "broken_clauses": row["broken_clauses"]} for row in quarantined
        ]


# --- quarantine, the boundary, the monitors --------------------------------------------------------------------------


def test_quarantine_gives_two_tables_of_the_same_engine(engine):
    for stage, counts in (("before", (8000, 0)), ("after", (0, 8000))):
        table = engine.load(pa.Table.from_pylist(seed.listings(stage)))
        both = quarantine(table, LISTINGS)
        assert tuple(part.count().execute() for part in both) == counts
        assert [type(part) for part in both] == [type(table)] * 2
        assert both[0].get_backend() is both[1].get_backend() is engine.ibis


class Listings(Schema, contract=LISTINGS):
    item_condition: Annotated[str, Check.isin("A", "B", "C")]
    price_cents: int


@contract(validate=True)
def passed_on(listings: DataFrame[Listings]) -> DataFrame[Listings]:
    return listings


def test_a_function_stops_the_recoded_column(engine):
    before, after = (Listings.cast(engine.load(pa.Table.from_pylist(seed.listings(s)))) for s in ("before", "after"))
    assert passed_on(before).count().execute() == 8000
    with pytest.raises(ConstraintError, match=r"good \(3,680 rows\), fair \(2,240 rows\), excellent \(2,080 rows\)"):
        passed_on(after)


class Written(Schema):
    whole: int
    real: float
    day: dt.date
    time: dt.datetime
    flag: bool


GOOD = {
    "whole": ["1", "-2", "+3", "9223372036854775807", "007", "0", "0", "0"],
    "real": ["1.5", "1e3", "-.5", "1.", "1e-300", "0", "-0", "1e300"],
    "day": ["2026-08-19", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", *["2026-08-19"] * 3],
    "time": [
        "2026-08-19T14:07:00Z",
        "2026-08-19 14:07",
        "2026-08-19T14:07+02",
        "2026-08-19T14:07:00.123456+0200",
        "2026-08-19T14:07:59-05:30",
        "2026-08-19 14:07 Z",
        "2026-08-19 14:07:00z",
        "2026-08-19 14:07:00 +02:00",
    ],
    "flag": ["true", "False", "TRUE", "fALSE", None, "true", "true", "true"],
}
BAD = {
    "whole": ["9223372036854775808", "1.0", "12\n", "", "99999999999999999999999999999999999999999999"],
    "real": ["x", "1e", "1,5", " 1", "1\n"],
    "day": ["2026-02-29", "2026-02-30", "1900-02-29", "2026-13-01", "2026-8-9"],
    "time": ["2026-08-19T24:00:00Z", "2026-02-30 14:07:00", "19.08.2026", "2026-08-19", "2026-08-19T14:61:00Z"],
    "flag": ["yes", "true\n", "1", "t", ""],
}


def outcome(schema, table):
    try:
        return [tuple(row.values()) for row in schema.parse(table).to_pyarrow().to_pylist()]
    except ValidationError as error:
        return type(error), str(error)


def test_parse_reads_text_alike(engine):
    class Optional(Written):
        flag: bool | None

    good, bad = pa.table(GOOD), pa.table(BAD)
    rows = outcome(Optional, engine.load(good))
    assert rows == outcome(Optional, good)
    assert [row[3].isoformat() for row in rows[5:]] == ["2026-08-19T14:07:00+00:00"] * 2 + ["2026-08-19T12:07:00+00:00"]
    assert rows[1] == (-2, 1000.0, dt.date(2024, 2, 29), dt.datetime(2026, 8, 19, 14, 7, tzinfo=dt.UTC), False)
    kind, said = outcome(Written, engine.load(bad))
    assert (kind, said) == outcome(Written, bad)
    assert kind is CoercionError and said.count("5 of 5 rows cannot become") == 5


def test_parse_casts_numbers_alike(engine):
    class Whole(Schema):
        a: int
        b: int

    floats = [1.0, 2.5, 1e300, float("inf"), 9.3e18, -9.3e18]
    decimals = [Decimal("1.00"), Decimal("1.50"), Decimal("3"), Decimal("-2"), None, Decimal("99999999.99")]
    table = pa.table({"a": floats, "b": pa.array(decimals, pa.decimal128(12, 2))})
    assert outcome(Whole, engine.load(table)) == outcome(Whole, table)
    assert outcome(Whole, engine.load(table.slice(0, 1))) == [(1, 1)]


def test_a_check_of_ones_own(engine):
    class Priced(Schema):
        price: Annotated[int, Check(lambda column: column % 50 == 0, "is a multiple of 50")]

    assert Priced.parse(engine.load(pa.table({"price": [50, 100]}))).count().execute() == 2
    with pytest.raises(ConstraintError, match=r"1 of 2 rows fail the check 'is a multiple of 50': 7 \(1 row\)"):
        Priced.parse(engine.load(pa.table({"price": [50, 7]})))


def test_the_calendar(engine):
    orders = pa.Table.from_pylist(seed.orders())
    days, found = monitors.daily_metrics(orders), monitors.daily_metrics(engine.load(orders))
    assert found == days
    assert monitors.judge(found) == monitors.judge(days)


def test_sums_beyond_64_bits_are_exact(engine):
    table = pa.table({"day": [dt.date(2026, 8, 1)] * 100, "charged_cents": [10**17 + i for i in range(100)]})
    (day,) = monitors.daily_metrics(engine.load(table), monitors.Spec(list_amount=None, branch=None, goods=None))
    assert day.gmv == 10**19 + 4_950


# --- where engines differ --------------------------------------------------------------------------------------------


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
