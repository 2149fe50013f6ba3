"""Questions with closed books, and predictions before the run.

Nothing leaves this machine, and nobody keeps a score.

    ask("02.1")                  the question and its choices
    ask("02.1", "b")             whether b is right, or which misconception it is
    compare(prediction, found)   what was predicted beside what was found
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import yaml

FILE = Path(__file__).with_name("questions.yaml")
QUESTIONS = yaml.safe_load(FILE.read_text(encoding="utf-8"))
WIDTH = 92  # characters of a line, so that nothing scrolls sideways


def ask(name: str, answer: str | None = None) -> None:
    """Print the question of that name ("02.1"), or what the answer, a letter, is worth."""
    if name not in QUESTIONS:
        print(f"There is no question {name!r}; there are {', '.join(QUESTIONS)}")
        return
    question = QUESTIONS[name]
    choices = dict(zip("abcdef", question["choices"], strict=False))
    letter = str(answer).strip().lower()
    if answer is None:
        say(question["ask"])
        for letter, choice in choices.items():
            say(choice["says"], f"  {letter}  ")
        print(f'Answer without looking back: ask("{name}", "?"), with your letter')
    elif letter not in choices:
        letters = ", ".join(choices)
        print(f"{answer!r} is none of the choices; answer with one of {letters}, in quotes")
    elif "right" in choices[letter]:
        say(choices[letter]["right"], "Right. ")
    else:
        say(choices[letter]["misconception"], "Not so. ")


def compare(prediction: object, found: object) -> None:
    """Print a prediction beside what was found."""
    if prediction is None:
        print(f"It is {found}. (No prediction was made; commit to one, it helps you see.)")
    elif alike(prediction) == alike(found):
        print(f"It is {found}, as you predicted.")
    else:
        print(f"It is {found}; you predicted {prediction}. What had you taken for granted?")


def alike(answer: object) -> object:
    """An answer as it is compared: 0.8 is "0.80", "30,000" is 30000, "6, 0" is "6 and 0", and " Kept" is "kept"."""
    text = re.sub(r"(?<=\d),(?=\d\d\d)", "", str(answer).strip().casefold())
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)] or text


def say(text: str, before: str = "") -> None:
    """Print a text in lines that a page has room for."""
    after = " " * len(before)
    text = " ".join(text.split())
    print(textwrap.fill(text, WIDTH, initial_indent=before, subsequent_indent=after))
