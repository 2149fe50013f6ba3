"""Change a contract's file and leave the rest of it, comments, order and spelling, as its author wrote it.

A `Page` is the text. Each edit finds its place by the marks of YAML's own parser, and splices.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

from contracts.document import Contract, Field, as_plain, to_mapping
from contracts.errors import TELLTALE
from contracts.yaml_text import LOADER

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*( [A-Za-z0-9_.()-]+)*")
WORDS = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null|nan|inf")


def flow(value: Any) -> str:
    """A value on one line, right in every place of a YAML file, to a reader of YAML 1.1 and of 1.2."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return re.sub(r"^(-?\d+)e", r"\1.0e", repr(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dt.datetime):
        return json.dumps(value.isoformat())
    if isinstance(value, dt.date):
        return value.isoformat()
    text = str(value)
    if PLAIN.fullmatch(text) and not WORDS.fullmatch(text):
        return text
    if re.fullmatch(r"[0-9]+[smhdw]|[0-9]+\.[0-9]+\.[0-9]+", text):  # a duration, a version
        return text
    seen = "".join(c if c == " " or (c.isprintable() and c not in '"\\') else escaped(c) for c in text)
    return f'"{TELLTALE.sub(lambda one: escaped(one[0]), seen)}"'


def escaped(c: str) -> str:
    """A character in double quotes."""
    if c in '"\\':
        return f"\\{c}"
    point = ord(c)
    if point < 256:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 65536 else f"\\U{point:08x}"


def block(mapping: Mapping[str, Any], indent: str, newline: str) -> str:
    """One item of a list, a key on each line."""
    lines = [f"{key}: {flow(value)}" for key, value in mapping.items()]
    return newline.join([f"{indent}- {lines[0]}", *(f"{indent}  {line}" for line in lines[1:])]) + newline


def written(contract: Contract) -> str:
    """The whole file, for a contract that has none."""
    mapping = {key: value for key, value in to_mapping(contract).items() if key not in ("fields", "evolution")}
    lines = [f"{key}: {flow(value)}\n" for key, value in mapping.items()]
    fields = [block(to_mapping(field), "  ", "\n") for field in contract.fields]
    evolution = flow(to_mapping(contract.evolution))
    return "".join([*lines, "fields:\n", *fields, *([f"evolution: {evolution}\n"] if evolution != "{}" else [])])


class Unspliceable(Exception):
    """The file shares parts by aliases, so that no part can be changed alone."""


class Page:
    """The text of a contract's file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parsed: tuple[str, Any] = "", None
        self.newline = "\r\n" if "\r\n" in text else "\n"
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=LOADER)):
            raise Unspliceable

    @property
    def root(self) -> Any:
        """The top node of the text as it stands."""
        if self.parsed[0] != self.text:
            self.parsed = self.text, yaml.compose(self.text, Loader=LOADER)
        return self.parsed[1]

    @property
    def fields(self) -> Any:
        return entry(self.root, "fields")[1]

    def item(self, name: str) -> int:
        """The place of a field in the list."""
        return next(i for i, item in enumerate(self.fields.value) if entry(item, "name")[1].value == name)

    def splice(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]

    def end(self, node: Any) -> int:
        """Where a node's own text ends; the parser counts what follows a block, up to the next word, as part of it."""
        if isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">"):
            return node.end_mark.index
        if not isinstance(node, yaml.ScalarNode):
            if node.flow_style:
                return node.end_mark.index
            last = node.value[-1]
            return self.end(last[1] if isinstance(last, tuple) else last)
        lines = self.text[node.start_mark.index : node.end_mark.index].splitlines(keepends=True)
        body = [len(line) - len(line.lstrip(" ")) for line in lines[1:] if line.strip()]
        while len(lines) > 1 and (not lines[-1].strip() or len(lines[-1]) - len(lines[-1].lstrip(" ")) < body[0]):
            lines.pop()
        return node.start_mark.index + len("".join(lines).rstrip("\r\n"))

    def line_end(self, at: int) -> int:
        """The start of the next line."""
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found + 1

    def set(self, field: str | None, key: str, value: Any) -> None:
        """Write a key of a field, or of the contract itself; None takes it out."""
        mapping = self.root if field is None else self.fields.value[self.item(field)]
        pair = entry(mapping, key)
        if pair and value is not None:
            start, end = pair[1].start_mark.index, self.end(pair[1])
            if "\n" in self.text[pair[0].end_mark.index : start]:  # the value began on a line of its own
                start = self.text.index(":", pair[0].end_mark.index) + 1
                self.splice(start, end, f" {flow(value)}")
            else:
                self.splice(start, end, flow(value))
        elif pair:
            self.drop(mapping, mapping.value.index(pair))
        elif value is not None:
            self.add(mapping, f"{key}: {flow(value)}")

    def add(self, mapping: Any, says: str) -> None:
        """One more key, after the last."""
        end = self.end(mapping.value[-1][1])
        if mapping.flow_style:
            self.splice(end, end, f", {says}")
            return
        at, indent = self.line_end(end), " " * mapping.value[0][0].start_mark.column
        if at == len(self.text) and not self.text.endswith("\n"):
            says, at = f"{self.newline}{indent}{says}", len(self.text)
            self.splice(at, at, says)
        else:
            self.splice(at, at, f"{indent}{says}{self.newline}")

    def drop(self, node: Any, place: int) -> None:
        """Take out one item of a list, or one key of a mapping, with the comment right above it."""
        items = [pair if isinstance(pair, tuple) else (pair, pair) for pair in node.value]
        start, end = items[place][0].start_mark.index, self.end(items[place][1])
        if node.flow_style:
            if place + 1 < len(items):
                end = items[place + 1][0].start_mark.index
            elif place:
                start = self.end(items[place - 1][1])
            self.splice(start, end, "")
            return
        if self.text[self.text.rfind("\n", 0, start) + 1 : start].strip() and not isinstance(node, yaml.SequenceNode):
            if place + 1 == len(items):  # the key stands beside the dash of its item, and is the only one
                raise Unspliceable
            self.splice(start, items[place + 1][0].start_mark.index, "")
            return
        start = self.text.rfind("\n", 0, start) + 1
        if isinstance(node, yaml.SequenceNode):
            while not self.text[start:].lstrip().startswith("-"):  # the dash stands on a line of its own
                start = self.text.rfind("\n", 0, start - 1) + 1
            floor = self.line_end(self.end(items[place - 1][1])) if place else 1  # above it is another item
            while start > floor and re.match("[ ]*#", self.text[(above := self.text.rfind("\n", 0, start - 1) + 1) :]):
                start = above
        self.splice(start, self.line_end(end), "")

    def insert(self, after: str | None, field: Field, source: Page | None = None) -> None:
        """A new field after that one, or as the last; as its author wrote it in `source`, if that is possible."""
        fields = self.fields
        place = len(fields.value) - 1 if after is None else self.item(after)
        end = self.end(fields.value[place])
        if fields.flow_style:
            self.splice(end, end, f", {flow(to_mapping(field))}")
            return
        indent = " " * fields.start_mark.column
        text = (source and source.lines(field.name, indent)) or block(to_mapping(field), indent, self.newline)
        at = self.line_end(end)
        if not self.text[:at].endswith("\n"):
            text = self.newline + text
        self.splice(at, at, text.replace("\r\n", "\n").replace("\n", self.newline))

    def lines(self, name: str, indent: str) -> str | None:
        """The lines of a field in a list, a line or more for each, moved to that indent."""
        fields = self.fields
        if fields.flow_style or name not in [entry(item, "name")[1].value for item in fields.value]:
            return None
        item, old = fields.value[self.item(name)], " " * fields.start_mark.column
        start = self.text.rfind("\n", 0, item.start_mark.index) + 1
        found = self.text[start : self.line_end(self.end(item))].splitlines()
        if not found[0].startswith(f"{old}-") or not all(not line.strip() or line.startswith(old) for line in found):
            return None
        return "".join(f"{indent}{line[len(old) :]}\n" if line.strip() else "\n" for line in found)


def entry(mapping: Any, key: str) -> Any:
    """The (key, value) nodes of an entry."""
    return next((pair for pair in mapping.value if pair[0].value == key), None)


def respelled(page: Page, before: Contract, after: Contract, source: Page | None = None) -> str:
    """The page, changed from what `before` says to what `after` says."""
    old, new = to_mapping(before), to_mapping(after)
    for key in ("version", "owner", "consumers", "freshness", "volume", "evolution"):
        if old.get(key) != new.get(key):
            page.set(None, key, new.get(key))
    for field in before.fields:
        if (kept := after.field(field.name)) is not None:
            was, now = to_mapping(field), to_mapping(kept)
            for key in {**was, **now}:
                if was.get(key) != now.get(key) or list_of(was.get(key)) != list_of(now.get(key)):
                    page.set(field.name, key, as_yaml(kept, key) if key in now else None)
    last = None
    for field in after.fields:
        if before.field(field.name) is None:
            page.insert(last, field, source)
        last = field.name
    for field in before.fields:
        if after.field(field.name) is None:
            page.drop(page.fields, page.item(field.name))
    return page.text


def list_of(value: Any) -> Any:
    """The order of a mapping counts too."""
    return list(value.items()) if isinstance(value, dict) else value


def as_yaml(field: Field, key: str) -> Any:
    """A clause as the file says it; a date stays a date."""
    if key == "enum" and field.meanings:
        return dict(field.meanings)
    if key == "deprecated" and field.deprecated:
        successor = {"replaced_by": field.deprecated.replaced_by} if field.deprecated.replaced_by else {}
        return {"announced": field.deprecated.announced, **successor}
    value = getattr(field, key)
    return value if isinstance(value, dt.date) else as_plain(value)
