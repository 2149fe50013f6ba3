"""The six exercises, in order: what each asks for, where the lesson tells it, a hint, and the file with its check."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
STUBS = FOLDER / "stubs"


@dataclass(frozen=True)
class Exercise:
    """One exercise. `files` are the student's own, in `exercises/`; a stub of the same name lies in `stubs/`."""

    number: int
    name: str  # of the module in exercises/checks that checks it
    files: tuple[str, ...]
    title: str
    goal: str
    lesson: str
    hint: str


EXERCISES = (
    Exercise(
        1,
        "figures",
        ("ex1_figures.py",),
        "Reproduce the figures",
        "Compute from order rows what the incident cost, and why the revenue alert was no proof.",
        "notebooks/01_incident.ipynb; README, The numbers",
        "Money stays in whole cents until the last step. What an order should have cost depends on its grade: excellent"
        " was A, good was B, fair was C. z is (median of the days after - mean of the days before) / sample standard"
        " deviation of the days before: statistics.median, mean and stdev. figures.sql says the same in SQL.",
    ),
    Exercise(
        2,
        "validating",
        ("ex2_listings.yaml", "ex2_validate.py"),
        "Write the contract, and validate",
        "Write the contract of shop.listings, and validate(rows, contract), which finds the four kinds of violation.",
        "notebooks/02_contract.ipynb; MANUAL.md, Your own contract; the head of clause/reading.py",
        "Go through the contract field by field. No row has the column: missing, and nothing else. Else put each value"
        " into one of three drawers: it is not there (None, NaN, no such key), it has the wrong type, or it is typed."
        " required counts the first drawer, type the second, enum looks at the third alone.",
    ),
    Exercise(
        3,
        "gating",
        ("ex3_gate.py",),
        "Fail the build",
        "Write the gate: exit status 1 on the release, 0 before it, 2 where it could not check; it names column, values"
        " and teams.",
        "notebooks/02_contract.ipynb; MANUAL.md, Your own contract (the table of exit statuses)",
        "report(rows, contract) of validate.py has .verdict and .violations, and each violation a .message. It raises"
        " ContractError where the contract is wrong, DataError or TypeError where the rows are: those are exit status"
        " 2, as is the verdict 'could not check'.",
    ),
    Exercise(
        4,
        "shape",
        ("ex4_shape.py",),
        "Watch the shape",
        "Write two monitors: too few distinct multipliers, and a blended markdown off the median of its 14 days.",
        "notebooks/03_monitors.ipynb; MANUAL.md, The monitors",
        "Walk through the days in order with a list of the days that are fit for the baseline. Judge the day against"
        " the last 14 of that list; only after that, and only where it did not alert, append the day to the list.",
    ),
    Exercise(
        5,
        "expanding",
        ("ex5_expand.yaml", "ex5_contract.yaml", "ex5_migration.py"),
        "Expand and contract",
        "Bring in the new grades so that nobody's price is wrong for a day: 1.5.0 with both columns, then 2.0.0.",
        "notebooks/04_expand_and_contract.ipynb; MANUAL.md, Changing a contract",
        "Copy the text of contracts/listings.yaml into both files, below `dataset: listings`, and edit. In 1.5.0"
        " item_condition stays as it is and gets deprecated: {announced: ..., replaced_by: condition_grade}; 2.0.0 has"
        " it no more. Then compare, step by step: python -m contracts diff contracts/listings.yaml"
        " exercises/ex5_expand.yaml",
    ),
    Exercise(
        6,
        "upstream",
        ("ex6_upstream.yaml",),
        "Your upstream table",
        "Write down the one clause that is true today of a table you read, and that nobody has written.",
        "README, Your upstream table",
        "Take a column that you filter or branch on: a status, a type, an amount. List its values"
        " (select distinct) or ask for its unit. If no document says so, that is the clause. The worked example in the"
        " README shows the form and the contract; python -m contracts lint exercises/ex6_upstream.yaml checks yours.",
    ),
)


def student_files() -> list[Path]:
    """Every file that is the student's own, in order."""
    return [FOLDER / name for exercise in EXERCISES for name in exercise.files]
