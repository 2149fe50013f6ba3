"""What looks like a secret in a file that is about to be handed in: few precise patterns, few false alarms."""

from __future__ import annotations

import re

QUOTE = r"[\"'`]"
KEY = r"(?:password|passwd|pwd|passphrase|secret|(?:api|access|secret|private)[_-]?key|(?:auth|access|api)[_-]?token)"
BARE = "a password without quotes"
PATTERNS = {
    "a private key": re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY"),
    "an AWS key": re.compile(r"\b(?:AKIA|ASIA)(?![0-9A-Z]{9}EXAMPLE)[0-9A-Z]{16}\b"),
    "a GitHub token": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{50})"),
    "a GitLab token": re.compile(r"\bglpat-[A-Za-z0-9_-]{20}"),
    "a Slack token": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10}"),
    "a Google key": re.compile(r"\bAIza[A-Za-z0-9_-]{35}\b"),
    "an API key": re.compile(r"\b(?:sk-[A-Za-z0-9_-]{32}|[sr]k_live_[A-Za-z0-9]{20})"),
    "a signed token": re.compile(r"(?<![\w-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10}"),
    "a password in an address": re.compile(r"://[^\s:/@\"'`]{1,100}:(?P<value>[^\s@/\"'`]{3,200})@"),
    "a password": re.compile(rf"{KEY}{QUOTE}?\s*[:=]\s*(?P<q>{QUOTE})(?P<value>[^\"'`]{{4,200}})(?P=q)", re.I),
    # As YAML has it, at the start of a line or in {...}: in a sentence, what follows is a word of the sentence.
    BARE: re.compile(
        rf"(?:^[\s>|*-]{{0,60}}|[{{,]\s*){QUOTE}?[\w.-]{{0,40}}{KEY}{QUOTE}?\s*[:=]\s*"
        r"(?P<value>[^\s\"'`,;|{}]{6,200})\s*(?:[,}#].*)?$",
        re.I,
    ),
}
# Stands where a secret would: <...>, $NAME, {name}, ***, or a word that says what should be there.
STAND_IN = re.compile(
    r"<.*>|\$.*|\{.*\}|%.*|\[.*\]|.*(?:\*\*\*|…|\.\.\.|example|your|change.?me|placeholder|redacted|password).*|x+|pass"
    r"|pwd|passwd|secret|token|string|integer|number|boolean|timestamp|required|optional|hidden|true|false|null"
)


def secret_in(name: str, raw: bytes) -> tuple[int, str] | None:
    """Line and kind of the first thing that looks like a secret. In Python an unquoted word is a name, no password."""
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    for number, line in enumerate(text.split("\n"), 1):
        for kind, pattern in PATTERNS.items():
            if kind == BARE and name.endswith((".py", ".ipynb")):
                continue
            for match in pattern.finditer(line):
                value = match.groupdict().get("value")
                if value is None or not STAND_IN.fullmatch(value.lower()):
                    return number, kind.removesuffix(" without quotes")
    return None
