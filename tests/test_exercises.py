"""The course's own law: every stub fails, right answers pass, each known wrong answer fails with its own message."""

# ruff: noqa: E501  # an edit and its message share a line

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from wrong_answers import ex1, ex2, ex3, ex4, ex5, ex6
from wrong_answers.mutants import mutants

import seed
from contracts.document import lint
from exercises import __main__ as entry
from exercises import checker
from exercises.checks import figures, shape, shop, validating
from exercises.checks.upstream import NYC
from exercises.manifest import EXERCISES, STUBS
from exercises.worker import judge

ANSWERS = {1: ex1, 2: ex2, 3: ex3, 4: ex4, 5: ex5, 6: ex6}
FIRST = "\n\ndef daily_gmv"  # in exercise 1, where a test puts something of its own


def edited(answer, *texts):
    """The answer with each old text replaced by the new one after it; every old text has to be there just once."""
    answer = dict(answer)
    for old, new in zip(texts[::2], texts[1::2], strict=True):
        names, old = ([old[0]], old[1]) if isinstance(old, tuple) else (list(answer), old)
        assert [answer[name].count(old) for name in names if old in answer[name]] == [1], old
        for name in names:
            answer[name] = answer[name].replace(old, new)
    return answer


def put(answer, folder):
    """Write an answer into a workbook of its own, tmp/exercises."""
    book = folder / "exercises"
    book.mkdir(exist_ok=True)
    for name, text in answer.items():
        (book / name).write_text(text, encoding="utf-8")
    return book


def message(number, answer, folder):
    return judge(number, put(answer, folder))["message"]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """One folder for all answers, of which each takes the place of the one before."""
    return tmp_path_factory.mktemp("desk")


def cases(kind):
    return [
        pytest.param(number, case, id=f"{number}-{case[0]}")
        for number, module in ANSWERS.items()
        for case in getattr(module, kind)
    ]


# --- the law ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ANSWERS)
def test_the_stub_fails(number, desk):
    stubs = {name: (STUBS / name).read_text(encoding="utf-8") for name in EXERCISES[number - 1].files}
    stubs["../README.md"] = edited(ex6.ANSWER, ex6.FORM, "| question | answer |\n| --- | --- |\n| table | |\n")[
        "../README.md"
    ]
    assert message(number, stubs, desk)


@pytest.mark.parametrize("number", ANSWERS)
def test_the_right_answer_passes(number, desk):
    assert message(number, ANSWERS[number].ANSWER, desk) == ""


@pytest.mark.parametrize("number", [2, 4])
def test_the_root_modules_behind_a_thin_adapter_pass(number, desk):
    assert message(number, ANSWERS[number].REFERENCE, desk) == ""


@pytest.mark.parametrize(("number", "case"), cases("RIGHT"))
def test_a_right_answer_in_another_form_passes(number, case, desk):
    assert message(number, edited(ANSWERS[number].ANSWER, *case[1:]), desk) == ""


@pytest.mark.parametrize(("number", "case"), cases("WRONG"))
def test_a_wrong_answer_fails_with_its_own_message(number, case, desk):
    said = message(number, edited(ANSWERS[number].ANSWER, *case[1:-1]), desk)
    assert "?." not in said
    assert said, "a wrong answer passes"
    assert case[-1] and case[-1] in " ".join(said.split()).replace("expected ", "expected  ")


@pytest.mark.skipif("MUTANTS" not in os.environ, reason="takes ten seconds: set MUTANTS=1")
@pytest.mark.parametrize("number", ANSWERS)
def test_no_small_change_of_a_right_answer_passes(number, desk):
    answer = ANSWERS[number].ANSWER
    pass_all_the_same = [
        f"{what}\n{mutant}"
        for name in answer
        if name.endswith(".py")
        for _, what, mutant in mutants(answer[name])
        if not message(number, answer | {name: mutant}, desk)
    ]
    assert [passed for passed in pass_all_the_same if not passed.startswith("without print(error)")] == []


@pytest.mark.parametrize("module", ANSWERS.values())
def test_there_are_enough_of_each(module):
    assert len(module.WRONG) >= 8
    assert len(module.RIGHT) >= 3


@pytest.mark.parametrize("number", ANSWERS)
def test_what_one_exercise_checks_is_what_its_stub_names(number):
    exercise = EXERCISES[number - 1]
    assert exercise.number == number
    for name in exercise.files:
        stub = (STUBS / name).read_text(encoding="utf-8")
        assert f"Exercise {number}" in stub
        assert "python -m exercises" in stub


SLIPS = {
    "under_charged_eur": (figures.UNDER_CHARGED, figures.under_charged_eur, [[figures.ONE_OF_EACH], [figures.ANOTHER]]),
    "median_fall_pct": (figures.FALL, figures.median_fall_pct, figures.DAYS),
    "z": (figures.Z, figures.z, figures.DAYS),
    "days_inside_band": (figures.INSIDE, figures.days_inside_band, figures.DAYS),
    "distinct_multipliers": (shape.MULTIPLIERS, shape.distinct_multipliers, [[orders] for orders in shape.DAYS]),
    "blended_markdown_pct": (shape.BLENDED, shape.blended_markdown_pct, [[orders] for orders in shape.DAYS]),
}


@pytest.mark.parametrize("name", SLIPS)
def test_every_slip_of_a_figure_is_seen_on_the_small_rows(name):
    slips, right, cases = SLIPS[name]
    for slip, sentence in slips:
        answers = []
        for case in cases:
            try:
                answers.append(slip(*case) == right(*case))
            except ArithmeticError:
                answers.append(True)
        assert not all(answers), sentence


def test_every_slip_of_validate_is_seen():
    for idea, sentence in validating.SLIPS:
        found = [validating.findings(case.rows, case.fields, idea) for case in validating.CASES]
        assert found != [validating.findings(case.rows, case.fields) for case in validating.CASES], sentence


@pytest.mark.parametrize(
    ("slips", "off", "series"),
    [
        (shape.FEWER_SLIPS, shape.fewer, shape.COUNTS.values()),
        (shape.POINT_SLIPS, shape.point_off, shape.RATES.values()),
    ],
    ids=["multipliers", "blended"],
)
def test_every_slip_of_a_monitor_is_seen(slips, off, series):
    for idea, sentence in slips:
        if idea.need:  # without any baseline some ideas have no answer
            found = [shape.alerts(values, off, idea) for values in series]
            assert found != [shape.alerts(values, off) for values in series], sentence


def test_the_orders_are_those_of_the_shop():
    names = ("day", "item_condition", "price_cents", "charged_cents")
    assert shop.orders() == [{name: row[name] for name in names} for row in seed.orders()]


def test_the_right_figures_are_those_that_the_lesson_publishes():
    published = yaml.safe_load((seed.ROOT / "figures.yaml").read_text(encoding="utf-8"))
    orders = shop.orders()
    gmv = figures.daily_gmv(orders)
    before = [cents for day, cents in gmv.items() if day < figures.RELEASE]
    after = [cents for day, cents in gmv.items() if day >= figures.RELEASE]
    assert str(figures.under_charged_eur(orders)) == published["incident"]["under_charged_eur"]
    assert f"{float(figures.median_fall_pct(before, after)):.1f}" == published["revenue"]["median_fall_pct"]
    assert f"{figures.z(before, after):.2f}" == published["revenue"]["z"]
    assert figures.days_inside_band(before, after) == published["revenue"]["post_release_days_inside_band"]


def test_the_worked_example_is_refused_though_its_contract_lints(desk):
    readme = (seed.ROOT / "README.md").read_text(encoding="utf-8")
    example = readme.partition("### A worked example")[2].partition("### Your table")[0]
    assert f"`nyc.{NYC[0]}`" in example and f"`{NYC[1]}`" in example
    form, contract = example[example.index("| question") : example.index("```yaml")], example.split("```")[1]
    section = f"## Your upstream table\n### A worked example\n{example}\n### Your table\n"
    empty = "\n".join(f"{line.rpartition(' |')[0].rpartition(' | ')[0]} | |" for line in form.strip().splitlines())
    contract = {"ex6_upstream.yaml": contract.removeprefix("yaml\n")}
    assert "still empty" in message(6, {"../README.md": section + empty, **contract}, desk)
    said = message(6, {"../README.md": section + form, **contract}, desk)
    assert "worked example's, word for word" in " ".join(said.split())
    other = section + form.replace("`extra`", "tolls").replace("unit: USD", "in USD").replace("the ", "our own ")
    assert "nothing about the field 'tolls'" in message(6, {"../README.md": other, **contract}, desk)
    assert lint(desk / "exercises" / "ex6_upstream.yaml") == ()


# --- what can go wrong in a student's file ----------------------------------------------------------------------------

TROUBLE = [  # (what, old text, new text, a piece of the message)
    ("a syntax error", FIRST, "\n\nif True print(1)" + FIRST, "ex1_figures.py:8 Python cannot read the file: invalid syntax"),
    ("an indentation error", "    gmv = {}", "      gmv = {}", "Python cannot read the file: unindent"),
    ("a null byte", FIRST, "\0" + FIRST, "Python cannot read the file"),
    ("exit() as the file is run", FIRST, "\n\nexit()" + FIRST, "ends the program here with exit()"),
    ("sys.exit in a function", ex1.INSIDE, "import sys; sys.exit('done')", "exit('done')"),
    ("an error as the file is run", FIRST, "\n\n1 / 0" + FIRST, "ZeroDivisionError: division by zero"),
    ("an error in a function", ex1.INSIDE, "return sum(befor)", "return sum(befor) NameError: name 'befor' is not defined"),
    ("an error two calls deep", ex1.INSIDE, "return inner(after)\n\n\ndef inner(x):\n    return x[99]", "in inner return x[99] IndexError"),
    ("recursion without end", ex1.INSIDE, "return days_inside_band(before, after)", "calls itself without end"),
    ("input()", ex1.INSIDE, "return int(input('how many? '))", "nobody answers"),
    ("an import of what is not there", "import statistics", "import statistics, statistik", "No module named 'statistik'"),
    ("an import of a name that is not there", "import statistics", "import statistics\nfrom math import floot", "cannot import name 'floot'"),
    ("no function of that name", "def z(", "def zet(", "There is no function z in the file"),
    ("a function in another case", "def z(", "def Z(", "There is Z, which differs in case"),
    ("a number for a function", "def days_inside_band", "z = 3\n\n\ndef days_inside_band", "z is 3, but a function belongs here"),
    ("a gap", ex1.INSIDE, "...", "Here is still a gap"),
    ("a gap in an expression", ex1.RIGHT_CENTS, "...", "ex1_figures.py:18 under_charged_eur Here is still a gap"),
    ("a return that is missing", ex1.INSIDE, ex1.INSIDE.removeprefix("return "), "Is a return missing"),
    ("one parameter less", "def z(before, after)", "def z(before)", "takes 1 positional argument but 2 were given"),
    ("an exception that has no text", ex1.INSIDE, "class Odd(Exception):\n        __str__ = None\n    raise Odd", "Odd"),
    ("a repr that fails", ex1.INSIDE, "class Odd:\n        __repr__ = None\n    return Odd()", "whose repr raises TypeError"),
    ("no memory left", ex1.INSIDE, "raise MemoryError", "took all the memory"),
    ("an endless text", ex1.INSIDE, "return '9' * 10**8", "A number belongs here"),
    ("a warning", ex1.INSIDE, "import warnings; warnings.warn('x'); return -1", "expected 3 days"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "fragment"), [case[1:] for case in TROUBLE], ids=[case[0] for case in TROUBLE])
@pytest.mark.filterwarnings("ignore:x")
def test_trouble_in_a_students_file_has_its_sentence(old, new, fragment, desk):
    said = message(1, edited(ex1.ANSWER, old, new), desk)
    assert fragment in " ".join(said.split())
    assert "Traceback" not in said and str(desk) not in said


def test_a_file_that_is_not_utf8_or_gone(tmp_path):
    book = put(ex1.ANSWER, tmp_path)
    (book / "ex1_figures.py").write_bytes(b"# ok\n# gr\xfc\xdfe\n")
    assert "not UTF-8: byte 0xfc in line 2" in judge(1, book)["message"]
    (book / "ex1_figures.py").unlink()
    assert "The file is not there" in judge(1, book)["message"]
    (book / "ex1_figures.py").mkdir()
    assert "cannot be read" in judge(1, book)["message"]


def test_a_byte_order_mark_and_windows_line_ends_are_no_trouble(desk):
    book = put(ex1.ANSWER, desk)
    text = ex1.ANSWER["ex1_figures.py"].replace("\n", "\r\n")
    (book / "ex1_figures.py").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert judge(1, book)["message"] == ""


def test_prints_are_kept_apart_and_cut_off(desk):
    found = judge(1, put(edited(ex1.ANSWER, ex1.INSIDE, "print('gr\u00fc\u00dfe ' * 10_000)\n    return 0"), desk))
    assert found["printed"].startswith("gr\u00fc\u00dfe ") and "characters more" in found["printed"]
    assert len(found["printed"]) < 5_000 and "gr\u00fc\u00dfe" not in found["message"]


def test_what_a_file_does_to_python_does_not_reach_the_next_exercise(desk):
    spoilt = "import decimal, os, sys\ndecimal.getcontext().prec = 2\nos.chdir('/')\nsys.setrecursionlimit(200)"
    answers = edited(ex1.ANSWER, "import statistics", f"import statistics\n{spoilt}") | ex2.ANSWER
    book, here = put(answers, desk), os.getcwd()
    assert [judge(number, book)["message"] for number in (1, 2)] == ["", ""]
    assert os.getcwd() == here


# --- the process that runs it -----------------------------------------------------------------------------------------


def test_a_loop_without_end_and_a_hard_exit_are_survived_and_named(tmp_path):
    answers = edited(ex1.ANSWER, ex1.INSIDE, "while True:\n        before = after") | ex2.ANSWER
    answers |= edited(ex3.ANSWER, ex3.STATUS, "import os; os.write(1, b'{}'); os._exit(0)") | ex4.ANSWER
    found = checker.outcomes((1, 2, 3, 4), folder=put(answers, tmp_path), limit=3)
    assert [outcome.done for outcome in found] == [False, True, False, True]
    assert "days_inside_band" in found[0].message and "still running here after 3 seconds" in found[0].message
    loop = answers["ex1_figures.py"].splitlines().index("    while True:") + 1
    assert found[0].message.startswith((f"exercises/ex1_figures.py:{loop}", f"exercises/ex1_figures.py:{loop + 1}"))
    assert "ended the whole program" in found[2].message


def test_an_exercise_is_not_blamed_for_what_the_one_before_has_spoilt(tmp_path):
    answers = edited(ex1.ANSWER, "import statistics", "import json, statistics\njson.loads = None") | ex2.ANSWER
    answers |= edited(ex4.ANSWER, "import statistics", "import statistics, sys\nsys.modules.clear()")
    found = checker.outcomes((4, 2), folder=put(answers, tmp_path))
    assert found[1].done, found[1].message


# --- the command line, in a copy of the repository --------------------------------------------------------------------


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    """A copy of what the command needs, without any file of a student's."""
    copy = tmp_path_factory.mktemp("a copy") / "clause"
    copy.mkdir()

    def leave_out(folder, names):
        own = {name for exercise in EXERCISES for name in exercise.files} if folder.endswith("exercises") else set()
        return [name for name in names if name in own | {"__pycache__"} or ".backup-" in name]

    for folder in ("exercises", "contracts", "clause"):
        shutil.copytree(seed.ROOT / folder, copy / folder, ignore=leave_out)
    for name in ("seed.py", "validate.py", "monitors.py", "figures.yaml", "figures.sql"):
        shutil.copy(seed.ROOT / name, copy / name)
    (copy / "README.md").write_text(ex6.ANSWER["../README.md"], encoding="utf-8")
    return copy


@pytest.fixture
def copy(pristine, tmp_path):
    return shutil.copytree(pristine, tmp_path / "clause")


def command(copy, *arguments):
    run = [sys.executable, "-m", "exercises", *arguments]
    done = subprocess.run(run, cwd=copy, capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONUTF8": "1"})
    assert "Traceback" not in done.stdout + done.stderr
    return done


def files(copy):
    """Every file of the student's folder, and everything that Python or a check may have left behind."""
    return {str(path.relative_to(copy)) for path in (copy / "exercises").rglob("*")} | {
        path.name for path in copy.iterdir()
    }


def test_the_first_run_copies_the_stubs_shows_exercise_1_and_leaves_nothing_else(copy):
    before = files(copy)
    done = command(copy)
    assert done.returncode == 1
    assert "new: exercises/ex1_figures.py" in done.stdout
    assert "Exercise 1 of 6: Reproduce the figures" in done.stdout and "Exercise 2" not in done.stdout
    assert "Here is still a gap" in done.stdout and "python -m exercises hint 1" in done.stdout
    assert "[------------------------] 0 of 6 done" in done.stdout
    own = {str(path.relative_to(copy)) for e in EXERCISES for path in [copy / "exercises" / n for n in e.files]}
    assert files(copy) == before | own
    changed = copy / "exercises" / "ex1_figures.py"
    changed.write_text("# mine\n", encoding="utf-8")
    assert "new:" not in command(copy, "check", "6").stdout
    assert changed.read_text(encoding="utf-8") == "# mine\n"
    assert files(copy) == before | own


def test_all_done_then_one_undone(copy):
    for module in ANSWERS.values():
        put(module.ANSWER, copy)
    done = command(copy)
    assert (done.returncode, done.stderr) == (0, "")
    assert "[########################] 6 of 6 done" in done.stdout and "python -m exercises submit" in done.stdout
    put(edited(ex4.ANSWER, ex4.BLENDED, "print('I was here')\n    " + ex4.SHARE), copy)
    done = command(copy, "check", "4")
    assert done.returncode == 1
    assert "as much as a coat" in " ".join(done.stdout.split()) and "your code printed:\n  | I was here" in done.stdout
    entries = json.loads(command(copy, "list", "--format", "json").stdout)
    assert [entry["done"] for entry in entries] == [True, True, True, False, True, True]
    assert command(copy, "check", "6").stdout == "Exercise 6, Your upstream table: done.\n"


def test_hint_and_wrong_usage(copy):
    hint = command(copy, "hint", "4")
    assert hint.returncode == 0 and "append" in hint.stdout
    assert command(copy, "hint", "7").returncode == 2
    assert command(copy, "hint").returncode == 2
    assert command(copy, "solve").returncode == 2
    assert command(copy, "--help").returncode == 0


def test_reset_keeps_numbered_backups(copy):
    path, stub = copy / "exercises" / "ex1_figures.py", (STUBS / "ex1_figures.py").read_bytes()
    assert command(copy, "reset", "1").returncode == 0
    assert path.read_bytes() == stub
    for number, text in enumerate(("first\n", "second\n"), 1):
        path.write_text(text, encoding="utf-8")
        assert f"kept: exercises/ex1_figures.backup-{number}.py" in command(copy, "reset", "1").stdout
        assert path.read_bytes() == stub
        assert path.with_name(f"ex1_figures.backup-{number}.py").read_text(encoding="utf-8") == text
    command(copy, "reset", "1")
    assert not path.with_name("ex1_figures.backup-3.py").exists()  # nothing was lost


def test_helpers_are_looked_at_while_validate_is_a_gap(desk):
    stub = (STUBS / "ex2_validate.py").read_text(encoding="utf-8")
    wrong = stub.replace('itself.)"""\n    ...', 'itself.)"""\n    return not value')
    assert wrong != stub
    said = message(2, ex2.ANSWER | {"ex2_validate.py": wrong}, desk)
    assert "is_missing(nan)" in said and "expected True" in " ".join(said.split()) and "gap" not in said
    right = wrong.replace("return not value", "return value is None or value != value")
    assert "Here is still a gap" in message(2, ex2.ANSWER | {"ex2_validate.py": right}, desk)


@pytest.mark.parametrize(("activated", "typed"), [(sys.prefix, "python"), ("", str(Path("here", "bin", "python")))])
def test_what_to_type_is_python_only_where_its_environment_is_activated(activated, typed, monkeypatch):
    monkeypatch.setenv("VIRTUAL_ENV", activated)
    monkeypatch.setattr(sys, "executable", str(checker.FOLDER.parent / "here" / "bin" / "python"))
    assert entry.python() == typed


@pytest.mark.skipif(not (checker.FOLDER.parent / ".venv").exists(), reason="there is no .venv to go on with")
def test_another_python_goes_on_with_the_lesson_s_own():
    run = [sys.executable, "-S", "-m", "exercises", "hint", "1"]  # without site-packages: as any other Python
    done = subprocess.run(run, cwd=checker.FOLDER.parent, capture_output=True, encoding="utf-8")
    assert done.returncode == 0 and "Reproduce the figures" in done.stdout, done.stderr


def test_a_python_without_the_packages_is_told_which_to_use(copy):
    run = [sys.executable, "-S", "-m", "exercises"]
    done = subprocess.run(run, cwd=copy, capture_output=True, encoding="utf-8")
    assert done.returncode != 0 and "this Python has no module" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a single process")
def test_watch_checks_again_on_saving_and_ends_quietly(copy):
    put(edited(ex1.ANSWER, ex1.Z, "return 99"), copy)
    run = [sys.executable, "-u", "-m", "exercises", "watch"]
    process = subprocess.Popen(run, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    with process:
        seen = until(process, "watching:")
        assert "ex1_figures.py:33  z" in seen
        put(edited(ex1.ANSWER, ex1.INSIDE, "return 99"), copy)
        assert "days_inside_band" in until(process, "watching:")
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""
    assert process.returncode == 1


def until(process, text):
    """What the process prints, up to the line with that text."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if text in line:
            break
    return "".join(lines)


def test_a_file_run_by_itself_finds_python_s_own_modules():
    """`python exercises/ex3_gate.py` looks into exercises/ first, so nothing there may have the name of one."""
    names = {path.stem for path in checker.FOLDER.glob("*.py")} | {path.stem for path in STUBS.glob("*.py")}
    assert not names & sys.stdlib_module_names
