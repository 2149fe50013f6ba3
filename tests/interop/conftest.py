"""Fixtures of the tests of interop: a folder for files that come in, and the shop's listings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import seed


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interop")


@pytest.fixture(scope="session")
def rows() -> dict[str, list[dict[str, Any]]]:
    """The listings before the release, and after it."""
    found = {}
    with seed.build() as shop:
        for name in ("listings_before", "listings"):
            answer = shop.sql(f"select * from shop.{name} order by listing_id")
            found[name] = [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
    return {"before": found["listings_before"], "after": found["listings"]}
