"""In jsonschema's environment: hold every row to the schema, formats too, and say what is wrong."""

import json
import sys

import jsonschema
import pyarrow.parquet as pq

schema_path, parquet = sys.argv[1:]
with open(schema_path, encoding="utf-8") as file:
    schema = json.load(file)
judge = jsonschema.Draft202012Validator
judge.check_schema(schema)
validator = judge(schema, format_checker=judge.FORMAT_CHECKER)
assert "date-time" in judge.FORMAT_CHECKER.checkers, "formats are not checked here"
rows = pq.read_table(parquet).to_pylist()
plain = (json.loads(json.dumps(row, default=lambda value: value.isoformat())) for row in rows)
wrong = {f"{error.json_path}: {error.validator}" for row in plain for error in validator.iter_errors(row)}
print(", ".join(sorted(wrong)))
