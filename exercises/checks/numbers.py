"""A number that a student's function gives: exact where it can be, in whatever type it comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from numbers import Rational, Real
from typing import Any

from exercises.checks.slips import likeliest
from exercises.checks.student import Answer, shown

# What a known wrong idea would give for the same arguments, and the sentence that names it.
Slip = tuple[Callable[..., Any], str]


def as_number(value: Any) -> Fraction | None:
    """The value as an exact number: int, float, Decimal, Fraction, numpy's, or text such as '29,289.95'."""
    try:
        if isinstance(value, bool) or type(value).__name__ == "bool":
            return None
        if isinstance(value, Rational):
            return Fraction(int(value.numerator), int(value.denominator))
        if isinstance(value, Decimal):
            return Fraction(value)
        if isinstance(value, Real):
            return Fraction(repr(float(value)))  # 0.1 is a tenth here: the number that Python shows
        if isinstance(value, str) and len(value) < 100:
            text = value.replace(",", "").replace("EUR", "").replace("€", "").replace("%", "").strip()
            return Fraction(Decimal(text))
    except (ValueError, OverflowError, InvalidOperation):
        pass
    return None


@dataclass(frozen=True)
class Case:
    """A call of the student's function, the right number, and how a message shows the call."""

    arguments: list[Any]
    right: Any
    called: str = ""
    why: str = ""  # the sentence where no slip explains the answer


def expect(
    answer: Answer,
    name: str,
    cases: Sequence[Case],
    slips: Sequence[Slip] = (),
    *,
    within: str = "0",
    unit: str = "",
    almost: tuple[str, str] | None = None,
) -> None:
    """Ask the student's function for numbers. Raises Wrong at the first that is off by more than `within`.

    The sentence is that of the slip that explains the answers, of `almost` = (how near, sentence), or of the case.
    """
    tolerance = Fraction(within)
    answers: list[Fraction | None] = []

    def explains(slip: Callable[..., Any], case: int) -> bool:
        would_be, was = as_number(slip(*cases[case].arguments)), answers[case]
        return would_be is not None and was is not None and abs(was - would_be) <= tolerance

    for at, case in enumerate(cases):
        got = answer.ask(name, *case.arguments, called=case.called)
        number, expected = as_number(got), as_number(case.right)
        assert expected is not None
        called = case.called or f"{name}({', '.join(map(shown, case.arguments))})"
        facts = {"called": called, "expected": f"{case.right} {unit}".strip(), "got": shown(got)}
        if number is None:
            kind = "NaN or infinite" if isinstance(got, float) else f"of type {type(got).__name__}"
            raise answer.wrong(name, f"A number belongs here; this is {kind}.", **facts)
        answers.append(number)
        if abs(number - expected) <= tolerance:
            continue
        for later in cases[at + 1 :]:  # what else it gives may tell the ideas apart
            answers.append(as_number(answer.unheard(partial(answer.ask, name, *later.arguments))))
        near = almost[1] if almost and abs(number - expected) <= Fraction(almost[0]) else ""
        raise answer.wrong(name, likeliest(slips, explains, len(cases), at) or near or case.why, **facts)
