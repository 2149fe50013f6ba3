"""Which known wrong idea is behind a wrong answer: the one that explains most of the answers, not only the first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def likeliest(slips: Sequence[tuple[Any, str]], explains: Callable[[Any, int], bool], cases: int, wrong_at: int) -> str:
    """The sentence of the slip that explains the wrong answer, and of several the one that explains most others.

    slips: (what the idea would do, its sentence). explains(slip, case): whether the idea gives the student's answer to
    that case. '' where no slip explains the wrong one.
    """

    def agrees(slip: Any, case: int) -> bool:
        try:
            return explains(slip, case)
        except (ArithmeticError, ValueError, LookupError, TypeError):  # the idea has no answer to this case
            return False

    found = [(slip, sentence) for slip, sentence in slips if agrees(slip, wrong_at)]
    best = max(found, key=lambda one: sum(agrees(one[0], case) for case in range(cases)), default=(None, ""))
    return best[1]
