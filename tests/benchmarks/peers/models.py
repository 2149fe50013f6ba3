"""The files of the audit's benchmark, and the floor of what reading them costs.

python models.py write FOLDER COUNT     COUNT files of 200 lines, every other one a template, and their contract
python models.py parse FOLDER           sqlglot parses each, the template's one expression replaced by hand
"""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def write(folder: Path, count: int) -> None:
    made = importlib.util.spec_from_file_location("made", HERE.parent / "audit.py")
    assert made and made.loader
    audit = importlib.util.module_from_spec(made)
    made.loader.exec_module(audit)
    (folder / "pricing").mkdir(parents=True)
    (folder / "items.yaml").write_text(audit.CONTRACT, encoding="utf-8")
    for number in range(count):
        (folder / "pricing" / f"model_{number:04}.sql").write_text(audit.model(number), encoding="utf-8")


def parse(folder: Path) -> None:
    import sqlglot

    for file in sorted(folder.glob("*.sql")):
        text = file.read_text(encoding="utf-8").replace("{{ source('shop', 'items') }}", "shop.items")
        assert sqlglot.parse(text), file


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        parse(Path(sys.argv[2]))
