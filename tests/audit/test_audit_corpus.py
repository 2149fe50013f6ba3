"""Precision and recall over the labelled statements of corpus.yaml."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from audited import write

from contracts.audit import RULES as QUESTIONS_ASKED
from contracts.audit import team_of
from contracts.auditing.findings import QUESTIONS
from contracts.auditing.resolving import Known
from contracts.auditing.rules import Judge
from contracts.auditing.sqlfiles import facts
from contracts.document import Contract, load

CORPUS = Path(__file__).with_name("corpus.yaml")


@dataclass
class Case:
    sql: str
    expected: set[tuple[object, ...]]
    dialect: str
    file: str
    name: str = ""
    found: set[tuple[object, ...]] = field(default_factory=set)


def cases() -> list[Case]:
    """The statements without their marks, and what the marks say."""
    made = []
    for one in yaml.safe_load(CORPUS.read_text(encoding="utf-8"))["cases"]:
        sql, expected = one["sql"], {("unread-field", name) for name in one.get("unread", ())}
        while mark := re.search("⟦(.*?)⟧", sql):
            line, column = sql.count("\n", 0, mark.start()) + 1, mark.start() - sql.rfind("\n", 0, mark.start())
            expected |= {(rule.strip(), line, column) for rule in mark[1].split(",")}
            sql = sql[: mark.start()] + sql[mark.end() :]
        made.append(
            Case(sql, expected, one.get("dialect", "duckdb"), one.get("file", "pricing/q.sql"), one.get("name", ""))
        )
    return made


def judged(case: Case, folder: Path, contracts: list[Contract]) -> None:
    """Audit one statement, in this process."""
    path = write(folder, {case.file: case.sql}) / case.file
    teams = {"shop", "pricing", "finance", "treasury"}
    said = facts(str(path), case.file, team_of(path, folder, teams), case.dialect)
    assert not said.problems, (case.sql, said.problems)
    for one in Judge(Known(contracts, [said]), {}, case.dialect, complete=True, here={str(said.team)}).findings(
        QUESTIONS_ASKED
    ):
        case.found.add((one.rule, one.field) if one.rule == "unread-field" else (one.rule, one.line, one.column))


def test_precision_and_recall_over_the_corpus_are_one(tmp_path, capsys):
    corpus = cases()
    contracts = []
    for name, text in yaml.safe_load(CORPUS.read_text(encoding="utf-8"))["contracts"].items():
        contracts.append(load(write(tmp_path, {f"{name}.yaml": text}) / f"{name}.yaml"))
    for number, case in enumerate(corpus):
        judged(case, tmp_path / str(number), contracts)
    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    for case in corpus:
        right.update(rule for rule, *_ in case.found & case.expected)
        wrong.update(rule for rule, *_ in case.found - case.expected)
        missed.update(rule for rule, *_ in case.expected - case.found)
    with capsys.disabled():
        print(f"\n{len(corpus)} statements, {sum(not case.expected for case in corpus)} of them near-misses")
        for rule in sorted({*right, *wrong, *missed}):
            precision = right[rule] / (right[rule] + wrong[rule]) if right[rule] + wrong[rule] else 1
            recall = right[rule] / (right[rule] + missed[rule]) if right[rule] + missed[rule] else 1
            print(f"  {rule:<22} {right[rule]:>3} right   precision {precision:.2f}   recall {recall:.2f}")
    differing = [(case.name, case.sql, case.expected ^ case.found) for case in corpus if case.expected != case.found]
    assert not differing


def test_the_corpus_has_every_rule_and_dialect():
    corpus = cases()
    rules = {str(rule) for case in corpus for rule, *_ in case.expected}
    assert rules == {rule for _, rules in QUESTIONS for rule in rules}
    assert {"duckdb", "snowflake", "bigquery", "postgres", "spark"} <= {case.dialect for case in corpus}
    assert len(corpus) >= 60 and len([case for case in corpus if not case.expected]) >= 30
