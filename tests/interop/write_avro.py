"""In fastavro's environment: write the rows that the schema takes, read them again, and say what is wrong in others."""

import io
import json
import sys

import fastavro
import pyarrow.parquet as pq

schema_path, parquet = sys.argv[1:]
with open(schema_path, encoding="utf-8") as file:
    schema = fastavro.parse_schema(json.load(file))
columns = {field["name"]: field.get("column", field["name"]) for field in schema["fields"]}  # Avro's name, and ours
rows = [{name: row[column] for name, column in columns.items()} for row in pq.read_table(parquet).to_pylist()]
wrong, kept = set(), []
for row in rows:
    try:
        fastavro.validation.validate(row, schema, strict=True)
        kept.append(row)
    except fastavro.validation.ValidationError as error:
        wrong |= {columns[str(each.field).rpartition(".")[2]] for each in error.errors}
written = io.BytesIO()
fastavro.writer(written, schema, kept)
written.seek(0)
again = list(fastavro.reader(written))
assert len(again) == len(kept) and [list(row) for row in again] == [list(row) for row in kept], "other rows came back"
print(", ".join(sorted(wrong)))
