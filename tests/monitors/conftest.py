"""Fixtures of the tests of the monitors: the shop's orders, and the metrics of its 27 days."""

import pytest

import monitors
import seed


@pytest.fixture(scope="session")
def rows():
    return seed.orders()


@pytest.fixture(scope="session")
def days(rows):
    return monitors.daily_metrics(rows)
