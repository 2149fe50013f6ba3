"""A plugin of pytest for run.py: a line of JSON for each property, with its examples, its seconds and its faults."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    report = (yield).get_result()
    if report.when != "call" or report.skipped:
        return
    examples = sum(map(int, re.findall(r"(\d+) passing", getattr(item, "hypothesis_statistics", ""))))
    faults = 0
    if report.failed:
        error = call.excinfo.value
        faults = len(error.exceptions) if isinstance(error, BaseExceptionGroup) else 1
    found = {"file": item.path.stem, "property": item.name, "examples": examples or 1, "seconds": call.duration}
    with open(os.environ["FUZZ_TALLY"], "a", encoding="utf-8") as file:
        file.write(json.dumps(found | {"faults": faults}) + "\n")
