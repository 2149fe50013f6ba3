"""A contract of items, files to audit beside it, and short forms of what the audit says."""

from __future__ import annotations

from pathlib import Path

import pytest

import seed
from contracts.__main__ import main
from contracts.audit import audit
from contracts.auditing.findings import Audit

CONSUMERS, CONTRACTS = seed.ROOT / "contracts" / "consumers", seed.ROOT / "contracts"
PRICE = (CONSUMERS / "pricing-service" / "fct_price.sql").as_posix()
NOTHING, FOUND, NOT_AUDITED = 0, 1, 2
ITEMS = """version: 1.0.0
owner: shop
consumers: [pricing, finance]
fields:
  - {name: item_id, type: integer, unique: true}
  - {name: grade, type: string, enum: [A, B, C]}
  - {name: kind, type: string}
  - {name: price_cents, type: integer, unit: EUR_cents}
"""
SILENT = "select case grade when 'A' then 1.0 when 'B' then 0.9 when 'C' then 0.8 else 0.8 end as m from items\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return folder


def ask(folder: Path, files: dict[str, str | bytes], **more: object) -> Audit:
    """The audit of some files, with the contract of `items`."""
    write(folder, {"contracts/items.yaml": ITEMS} | {f"sql/{name}": text for name, text in files.items()})
    return audit([str(folder / "sql")], contracts=str(folder / "contracts"), **more)  # type: ignore[arg-type]


def places(found: Audit) -> list[str]:
    """Each finding in short: q.sql:1:2 rule."""
    return [f"{Path(one.file).name}:{one.line}:{one.column} {one.rule}" for one in found.findings]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["audit", *map(str, arguments)])
    said = capsys.readouterr()
    return status, said.out, said.err
