"""The engines that `same_verdicts.py` and `where_they_differ.py` ask, each started once; `make engines` runs the two.

What an engine cannot hold is written down where the rows are put there.
"""

import sys
from pathlib import Path

import ibis
import pyarrow as pa
import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))  # the environment of these tests has not the project itself
QUIET = pytest.mark.filterwarnings(
    "ignore:.*infer_string.*",  # an option of pandas that ibis asks for, and a keyword that it gives
    "ignore:The copy keyword is deprecated",
    "ignore:.*distutils.*",  # pyspark
    "ignore::pytest.PytestUnraisableExceptionWarning",  # sockets that py4j leaves to the garbage collector
    "ignore::ResourceWarning",
)


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(QUIET)


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
    import servers  # here, as only these tests need it

    with servers.spark() as session:
        yield Spark(session)


@pytest.fixture(scope="session")
def postgres():
    import servers

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
