"""python -m contracts COMMAND: what can be done with contracts without any data."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from contracts.document import concerns, load
from contracts.errors import ContractError, printable


def lint(files: Sequence[str]) -> int:
    """Say what is wrong in each contract. 0: nothing, 1: faults, 2: a file cannot be read."""
    status = 0
    for file in files:
        try:
            contract = load(file)
            faults, found = concerns(contract), 1
        except ContractError as error:
            faults, found = error.faults, 2 if error.unreadable else 1
        for fault in faults:
            print(fault)
        if faults:
            status = max(status, found)
        else:
            count = len(contract.fields)
            says = f"{contract.dataset} {contract.version}, {count} field{'s' * (count != 1)}"
            print(f"ok  {printable(file)}  {printable(says)}")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m contracts", description="Work with contracts, without any data.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser("lint", help="say what is wrong in contracts", description=lint.__doc__)
    command.add_argument("files", nargs="+", metavar="FILE", help="a contract, as YAML")
    command.set_defaults(run=lambda chosen: lint(chosen.files))
    chosen = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status: int = chosen.run(chosen)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader, say `head`, has seen enough; Python would complain again at its exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status


if __name__ == "__main__":
    sys.exit(main())
