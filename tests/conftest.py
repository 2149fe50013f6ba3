"""What every test has: one process for those that share what is costly to make, and this folder on the path.

pytest puts the folder of a conftest.py on the path; so any_contract.py and wrong_answers/ are found from every folder.
"""

import os

import pytest
from hypothesis import settings

# A red suite is about what was changed, so properties draw the same examples each time; with EXAMPLES set, new ones.
settings.register_profile("the same each time", derandomize="EXAMPLES" not in os.environ)
settings.load_profile("the same each time")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Write each test's `xdist_group` into its name, `...@group`, where xdist looks for it with `--dist loadgroup`.

    xdist 3.8 itself writes it where pytest looked up to 9.1; with 9.2 every process made its own of everything.
    """
    if not config.getoption("loadgroup", False):
        return
    for item in items:
        group = item.get_closest_marker("xdist_group")
        if group and "@" not in item.nodeid.rpartition("]")[2]:
            item._id = item.parent.id.child(f"{item.name}@{group.args[0]}")
            assert item.nodeid.endswith(f"@{group.args[0]}"), "pytest keeps the name of a test elsewhere by now"
