"""How many examples a property gets: few in `make test`, always the same ones; many and new ones with EXAMPLES set."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, settings

FEW = 3
EXAMPLES = int(os.environ.get("EXAMPLES", FEW))
MOST_SECONDS = 2.0  # of the processor's time, so that a busy machine is no fault


def fuzzed(share: float = 1) -> settings:
    """Settings for a property that costs so much that it gets only that share of the examples."""
    return settings(
        max_examples=max(1, round(EXAMPLES * share)),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )


@contextmanager
def in_time(most: float = MOST_SECONDS) -> Iterator[None]:
    """Fail where what is inside takes longer than that."""
    begun = time.process_time()
    yield
    taken = time.process_time() - begun
    assert taken <= most, f"it took {taken:.1f} s"
