"""Exercise 3: a right answer, and edits of it. WRONG: (idea, old text, new text, a piece of its own message)."""

# ruff: noqa: E501  # an edit and its message share a line

ANSWER = {
    "ex3_gate.py": """
from contracts import ContractError, DataError
from validate import report


def gate(rows, contract):
    try:
        found = report(rows, contract)
    except (ContractError, DataError, TypeError) as error:
        print(error)
        return 2
    for violation in found.violations:
        print(violation.message)
    return {"kept": 0, "broken": 1, "could not check": 2}[found.verdict]
"""
}

STATUS = 'return {"kept": 0, "broken": 1, "could not check": 2}[found.verdict]'
CAUGHT = "except (ContractError, DataError, TypeError) as error:\n        print(error)\n        return 2"
SAY = "        print(violation.message)"
VALUES = "', '.join(f'{value}: {rows}' for value, rows in violation.values)"

RIGHT = [
    ("sys.exit", STATUS, "import sys\n    sys.exit" + STATUS.removeprefix("return ").join("()")),
    ("booleans, which are 0 and 1", STATUS, "if not found.checked:\n        return 2\n    return found.violations != ()"),
    ("any error at all is 2", "except (ContractError, DataError, TypeError)", "except Exception"),
    ("on stderr", "print(violation.message)", "__import__('sys').stderr.write(violation.message)"),
    ("as JSON", SAY, "        import json\n        print(json.dumps(violation.to_dict(), indent=1))"),
    ("in a table of one's own", SAY, f"        print(violation.field, {VALUES}, *violation.consumers, sep=' | ')"),
    ("thousands with a blank", "print(violation.message)", "print(violation.message.replace(',', ' '))"),
    ("all at the end", "    for violation in found.violations:\n" + SAY, "    print('\\n'.join(violation.message for violation in found.violations))"),
    ("the lesson's own gate", ANSWER["ex3_gate.py"].split("def gate")[1], """(rows, contract):
    import json, os, tempfile
    import validate
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'rows.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(rows, file, default=str)
        return gate_of(path, contract, rows)


def gate_of(path, contract, rows):
    try:
        found = report(rows, contract)
    except (ContractError, TypeError):
        return 2
    from clause import verdicts
    import contracts
    print(verdicts.FORMATS['text'](found, contracts.load(contract), colour=False))
    return {'kept': 0, 'broken': 1, 'could not check': 2}[found.verdict]
"""),
]  # fmt: skip

WRONG = [
    ("always passes", STATUS, "return 0", "The re-coding gets through"),
    ("gives nothing back", "    " + STATUS + "\n", "", "sys.exit(None) is exit status 0"),
    ("the number of violations", STATUS, "return len(found.violations) if found.checked else 2", "number of violations"),
    ("no rows are kept", STATUS, "return 1 if found.violations else 0", "no clause was checked"),
    ("errors are swallowed", CAUGHT, CAUGHT.replace("return 2", "return 0"), "the gate which lies"),
    ("errors are broken", CAUGHT, CAUGHT.replace("return 2", "return 1"), "nothing could be looked at"),
    ("contract errors are not caught", "(ContractError, DataError, TypeError)", "(DataError, TypeError)", "lets ContractError through"),
    ("errors of the rows are not caught", "(ContractError, DataError, TypeError)", "(ContractError, DataError)", "lets TypeError through"),
    ("the statuses are swapped", '"kept": 0, "broken": 1', '"kept": 1, "broken": 0', "status turned round"),
    ("broken is 2", '"broken": 1, "could not check": 2', '"broken": 2, "could not check": 1', "they break the contract: that is 1"),
    ("not checked is could not check", STATUS, "return 2 if found.not_checked else bool(found.violations)", "whatever else could not be checked"),
    ("freshness against today", "report(rows, contract)", "report(rows, contract, as_of=__import__('datetime').datetime.now(__import__('datetime').UTC))", "leave as_of out"),
    ("only the enum counts", STATUS, "return 2 if not found.checked else any(one.rule == 'enum' for one in found.violations)", "an enum is not the only kind"),
    ("only item_condition counts", STATUS, "return 2 if not found.checked else any(one.field == 'item_condition' for one in found.violations)", "some columns alone"),
    ("only where somebody is affected", STATUS, "return 2 if not found.checked else any(one.consumers for one in found.violations)", "whether or not"),
    ("prints nothing", SAY, "        pass", "does not name the column"),
    ("prints the first violation alone", "in found.violations:", "in found.violations[:1]:", "only the first violation"),
    ("no teams", SAY, f"        print(violation.field, {VALUES})", "whom to call"),
    ("no values", SAY, "        print(violation.field, violation.rule, violation.failing, *violation.consumers)", "this is a re-coding"),
    ("no counts", SAY, "        print(violation.field, [value for value, _ in violation.values], *violation.consumers)", "how many rows hold it"),
    ("the first team alone", SAY, f"        print(violation.field, {VALUES}, *violation.consumers[:1])", "does not name the team search"),
    ("the first value alone", SAY, "        print(violation.field, violation.values[:1], *violation.consumers)", "offending value fair"),
    ("no column", SAY, f"        print(violation.rule, {VALUES}, *violation.consumers)", "does not name the column"),
    ("returns the verdict", STATUS, "return found.verdict", "An exit status belongs here"),
    ("returns what it prints", STATUS, "return found.violations", "An exit status belongs here"),
    ("raises where it is broken", STATUS, "assert not found.violations\n    " + STATUS, "AssertionError"),
    ("3 for could not check", '"could not check": 2', '"could not check": 3', "An exit status belongs here"),
    ("contract and rows swapped", "report(rows, contract)", "report(contract, rows)", "can be checked, and is kept"),
]  # fmt: skip
