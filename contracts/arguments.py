"""How every command line of ours reads its arguments."""

import argparse
from typing import NoReturn

from contracts.errors import brief


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line and not long, with nothing in it that a terminal would heed."""

    def error(self, message: str) -> NoReturn:
        super().error(brief(message))
