"""Where the tests of the audit read their files: in this process, unless they ask for `processes`."""

from __future__ import annotations

import pytest

from contracts.auditing.sqlfiles import facts


@pytest.fixture(autouse=True)
def in_this_process(request, monkeypatch):
    """Most tests read their few files here, which is faster; those that ask for `processes` do as users do."""
    if "processes" not in request.fixturenames:
        monkeypatch.setattr("contracts.audit.in_workers", lambda tasks, *_: ((task, facts(*task)) for task in tasks))


@pytest.fixture
def processes():
    """For tests whose files would take this process with them."""
