"""`make notebooks`: run every notebook from top to bottom and store what it gives.

The bytes are the same each time: what would differ between two runs is not stored, such as times and the version of
Python.
"""

if __name__ == "__main__":
    from contracts.ending import begin

    begin()

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from contracts.ending import command
from contracts.writing import whole_or_not_at_all

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


def execute(path: Path) -> None:
    """Run a notebook and write it back whole. Raises CellExecutionError."""
    notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(
        notebook,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        timeout=300,
        record_timing=False,
        coalesce_streams=True,
    ).execute()
    notebook.metadata = nbformat.NotebookNode(METADATA)  # type: ignore[no-untyped-call]
    stem = path.stem.partition("_")[0]
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"{stem}-{number:02}"
        cell.metadata = nbformat.NotebookNode(metadata(cell))  # type: ignore[no-untyped-call]
    text = nbformat.writes(notebook, version=4).rstrip("\n") + "\n"  # type: ignore[no-untyped-call]
    with whole_or_not_at_all(path) as half:
        half.write_text(text, encoding="utf-8", newline="\n")


def metadata(cell: Any) -> dict[str, Any]:
    """What answers a prediction is folded away; running the cell unfolds it."""
    return {"jupyter": {"outputs_hidden": True}} if "compare(prediction" in cell.source else {}


def main(names: list[str]) -> int:
    for path in [Path(name).resolve() for name in names] or sorted(NOTEBOOKS.glob("[0-9]*.ipynb")):
        print(f"running {path.name}", flush=True)
        try:
            execute(path)
        except CellExecutionError as error:
            print(error, file=sys.stderr)
            print(f"{path.name} is left as it was: mend the cell and run again", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(command(lambda: main(sys.argv[1:]), "workbook"))
