"""A folder of attacks."""

import json
from pathlib import Path

import pytest
from attacks import BUILD, NASTY, UNSEEN, agreement, save


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with such a contract, a later version of it, and rows that break it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    later = agreement(version="1.1.0", owner="other" + NASTY)
    later["fields"] = [{"name": f"e{NASTY}", "type": "string", "enum": [f"B{NASTY}"]}, *later["fields"][2:]]
    del later["freshness"]
    save("one.yaml", agreement())
    save("two.yaml", later)
    names = [field["name"] for field in agreement()["fields"]]
    row = dict(zip(names, (f"Z{NASTY}", "2020-01-01T00:00:00Z", f"Y{NASTY}", f"X{NASTY}"), strict=True))
    Path("rows.jsonl").write_text(json.dumps(row | {f"more{NASTY}": 1}) + "\n", encoding="utf-8")
    folder = Path("consumers", "team")
    folder.mkdir(parents=True)
    column, table = (f'"{name}"' for name in (names[0].replace('"', '""'), f"d{NASTY}".replace('"', '""')))
    (folder / "q.sql").write_text(
        f"select case {column} when 'A' then 1 else 2 end as x from {table}", encoding="utf-8"
    )
    (folder / "bad.sql").write_text(f"select {column} frm '{UNSEEN}{BUILD}'", encoding="utf-8")
    return tmp_path
