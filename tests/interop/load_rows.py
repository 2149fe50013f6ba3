"""In dbt's environment: put the Parquet file into a database of its own DuckDB, under the name in the export."""

import sys

import duckdb

database, parquet, name = sys.argv[1:]
with duckdb.connect(database) as connection:
    connection.execute(f"create schema {name}")
    connection.execute(f"create table {name}.{name} as select * from read_parquet(?)", [parquet])
