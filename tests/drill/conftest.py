"""Fixtures of the tests of the drill: the shop drilled with and without the clause, and fewer mutations."""

import json
from datetime import date

import pytest
from drilled import BEFORE, FEW, only

import drill
from clause import proposing


@pytest.fixture(scope="session")
def shop():
    return drill.drill()


@pytest.fixture(scope="session")
def without(tmp_path_factory):
    """The shop under contract 1.3.0, by the command line: exit status, document, the copy."""
    folder = tmp_path_factory.mktemp("without")
    copy = folder / "listings-1.4.0.yaml"
    with pytest.MonkeyPatch.context() as patch:
        said = []
        patch.setattr("builtins.print", lambda *words, **_: said.append(" ".join(map(str, words))))
        status = drill.main([str(BEFORE), "--format", "json", "--write", str(copy)])
    return status, json.loads(next(text for text in said if text.startswith("{"))), copy


@pytest.fixture
def few(monkeypatch):
    only(monkeypatch, *FEW)


@pytest.fixture
def in_spring(monkeypatch):
    """Freshness is proposed for a time that is not long ago."""
    monkeypatch.setattr(proposing, "today", lambda: date(2026, 3, 1))
