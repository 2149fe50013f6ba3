"""Out in the world: a contract in the forms that other tools read, and a contract from theirs.

    export(contract, "odcs")    -> Exported: its text, and what that form cannot express
    import_file(path, "dbt")    -> Imported: a contract's file, and what a contract cannot hold

| form          | a contract becomes                                          | and back |
| ------------- | ----------------------------------------------------------- | -------- |
| odcs          | an Open Data Contract Standard 3.1 file                     | 2.2 to 3.2 |
| dbt           | a source with tests in a schema.yml                         | sources, models, seeds |
| avro          | a record's schema; its enums as text, or as enums           | a schema |
| jsonschema    | the schema of one row                                       | a schema |
| sql           | CREATE TABLE with checks, for DuckDB, PostgreSQL or SQLite  |          |
| python        | a Schema class for a function's signature                   |          |
| markdown, html| a page that a person reads                                  |          |
| table         |                                                             | a draft from the values themselves |

Each is a file in `forms/`, but for `avro`, which a schema registry's verdict needs too. Nothing is dropped in silence,
in either direction.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from contracts import avro
from contracts.document import Contract
from contracts.forms import Exported, Imported, dbt, ddl, from_dbt, from_odcs, json_schema, odcs, page, python, table
from contracts.forms.python import to_python

__all__ = ["FROM", "TO", "Exported", "Imported", "export", "import_file", "to_python"]

TO = ("odcs", "dbt", "avro", "jsonschema", "sql", "python", "markdown", "html")
FROM: dict[str, Callable[[str, str | None], Imported]] = {
    "odcs": from_odcs.read,
    "dbt": from_dbt.read,
    "jsonschema": json_schema.read,
    "avro": avro.read,
    "table": table.read,
}


def export(
    contract: Contract,
    to: str,
    *,
    enums: bool = False,
    dialect: str = "duckdb",
    previous: Contract | None = None,
) -> Exported:
    """The contract in that form, one of TO.

    enums: an enum of text as an Avro enum. dialect: of the SQL, one of ddl.DIALECTS. previous: the version that a page
    tells the changes from; without it, the last one in history/ beside the contract's file.
    Raises ValueError where the form has nothing to say of this contract.
    """
    match to:
        case "odcs":
            return odcs.export(contract)
        case "dbt":
            return dbt.export(contract)
        case "avro":
            return avro.export(contract, enums)
        case "jsonschema":
            return json_schema.export(contract)
        case "sql":
            return ddl.export(contract, dialect)
        case "python":
            return python.export(contract)
    return page.export(contract, to, previous)


def import_file(path: str | os.PathLike[str], form: str, named: str | None = None) -> Imported:
    """A contract's file, drafted from a file in that form, one of FROM; it loads, and each guess in it is marked.

    named: which table, where the file speaks of several; without it the first.
    Raises ContractError where the file cannot be read as that form, DataError where a table's rows cannot be.
    """
    return FROM[form](os.fspath(path), named)
