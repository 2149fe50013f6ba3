"""From the text of a file to plain data in which every value knows its line: YAML, read with suspicion.

    read(raw, path) -> the top Node, and the faults that leave something to read; ContractError if nothing does
    data_of(node)   -> lists, dicts and text, with a Scalar for each word that YAML does not read as text

The way of a file: bytes -> text -> YAML events -> nodes. PyYAML's own loader would drop a key that comes twice,
make False of NO, and know no lines; an alias bomb would fill its memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from contracts.errors import ContractError, Fault
from contracts.values import Scalar, found, short

Told = tuple[int, int, str]  # line, column, what is wrong

MOST_BYTES, MOST_NODES, DEEPEST = 1_000_000, 50_000, 32
LONGEST = 100  # of a word that may be anything but text: 400,000 digits with colons take minutes to read
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's where it is there, which is faster
RESOLVER: Any = yaml.resolver.Resolver()
YAML = "tag:yaml.org,2002:"
TEXT = f"{YAML}str"
NOT_TEXT = {
    f"{YAML}bool": "a boolean",
    f"{YAML}int": "an integer",
    f"{YAML}float": "a number",
    f"{YAML}null": "null",
    f"{YAML}timestamp": "a date",
}
CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
EXPONENT = r"[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)[eE][-+]?[0-9]+"  # 1e3: text in YAML 1.1, a number in 1.2
OCTAL = r"0o[0-7]+"  # likewise


@dataclass(slots=True)
class Node:
    """A value in the file and its place. A list holds nodes; a mapping holds (key, value) nodes by key."""

    line: int
    column: int
    data: Any
    anchor: str | None = None
    size: int = 1  # how many nodes it comes to with every alias written out
    depth: int = 0  # how many levels are below it, likewise


class Stop(Exception):
    """Nothing more can be read: line, column, what is wrong."""


def read(raw: str | bytes, path: str) -> tuple[Node, list[Fault]]:
    """The one YAML document of a file as nodes, and what is wrong in it. Raises ContractError if it is none."""
    told: list[Told] = []
    try:
        root = composed(decoded(raw), told)
    except Stop as stop:
        raise ContractError((Fault(path, *stop.args),)) from None
    return root, [Fault(path, *one) for one in told]


def decoded(raw: str | bytes) -> str:
    """The text of a file: UTF-8, with or without a BOM, short, without control characters."""
    if len(raw) > MOST_BYTES:
        raise Stop(1, 1, f"the file has more than {MOST_BYTES:,} bytes, but a contract is short; is it the right one?")
    if isinstance(raw, bytes):
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Stop(1, 1, "the file is UTF-16, but a contract is UTF-8; save it as UTF-8")
        try:
            raw = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            good, bad = error.object[: error.start].decode("utf-8"), error.object[error.start]
            says = f"the byte 0x{bad:02x} is not UTF-8; save the file as UTF-8 (is it text at all?)"
            raise Stop(*end(good), says) from None
    text = raw.removeprefix("\ufeff")
    if control := CONTROL.search(text):
        says = f"the character U+{ord(control[0]):04X} does not belong in a text file (is it binary?)"
        raise Stop(*end(text[: control.start()]), f'{says}; take it out, or write it as an escape in "..."')
    return text


def end(text: str) -> tuple[int, int]:
    """Line and column after the text."""
    return text.count("\n") + 1, len(text) - text.rfind("\n")


def composed(text: str, told: list[Told]) -> Node:
    """The top node. Aliases stay shared, and what they come to written out is counted, so that no bomb goes off."""
    top = Node(1, 1, [])
    stack = [top]  # the lists and mappings that are still open
    anchors: dict[str, Node | None] = {}  # None: still open
    for event, line, column in events(text):
        match event:
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                shape = "seq" if isinstance(event, yaml.SequenceStartEvent) else "map"
                if event.tag not in (None, "!", YAML + shape):
                    told.append((line, column, bad_tag(event.tag)))
                if len(stack) > DEEPEST:
                    says = f"here are more than {DEEPEST} levels"
                    raise Stop(line, column, f"{says}, but a contract is flat; take some out")
                if event.anchor:
                    anchors[event.anchor] = None
                stack.append(Node(line, column, [], event.anchor))
                continue
            case yaml.ScalarEvent():
                node = Node(line, column, scalar(event, line, column, told), event.anchor)
            case yaml.AliasEvent():
                name = event.anchor
                if name not in anchors:
                    raise Stop(line, column, f"no &{name} comes before *{name}; write out what is meant")
                if (target := anchors[name]) is None:
                    raise Stop(line, column, f"*{name} contains itself; write out what is meant")
                node = target
            case yaml.SequenceEndEvent():
                node = stack.pop()
            case yaml.MappingEndEvent():
                node = stack.pop()
                node.data = paired(node.data, told)
            case _:
                continue
        if node.anchor:
            anchors[node.anchor] = node
        above = stack[-1]
        above.data.append(node)
        above.size, above.depth = above.size + node.size, max(above.depth, node.depth + 1)
        if above.size > MOST_NODES or len(stack) + node.depth > DEEPEST:
            says = f"with aliases written out, here are more than {MOST_NODES:,} values or {DEEPEST} levels"
            raise Stop(line, column, f"{says}, but a contract is short; take some out")
    if not top.data or top.data[0].data == Scalar("", None):
        raise Stop(1, 1, "the file is empty, but a contract has a version, an owner and fields; write them")
    root: Node = top.data[0]
    return root


def events(text: str) -> Iterator[tuple[Any, int, int]]:
    """The events of one YAML document, each with its line and column."""
    documents = 0
    try:
        parsed: Iterator[Any] = yaml.parse(text, Loader=LOADER)
        for event in parsed:
            line, column = event.start_mark.line + 1, event.start_mark.column + 1
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise Stop(line, column, "a second document begins here, but a file is one contract; split the file")
            yield event, line, column
    except yaml.YAMLError as error:
        mark, why = None, short(str(error))
        if isinstance(error, yaml.MarkedYAMLError):
            mark, why = error.problem_mark or error.context_mark, str(error.problem)
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise Stop(*place, f"this is not YAML: {why}; check indentation, colons and quotes") from None


def scalar(event: Any, line: int, column: int, told: list[Told]) -> str | Scalar:
    """One word: text, or a Scalar if YAML 1.1 (what PyYAML reads) or 1.2 (others) does not read it as text."""
    word: str = event.value
    tag: str | None = event.tag
    if tag in (None, "!"):
        if not event.implicit[0] or tag == "!" or len(word) > LONGEST:
            return word
        tag = str(RESOLVER.resolve(yaml.ScalarNode, word, (True, False)))
        if tag == TEXT and re.fullmatch(EXPONENT, word):
            return Scalar(word, float(word))
        if tag == TEXT and re.fullmatch(OCTAL, word):
            return Scalar(word, int(word, 8))
    elif tag != TEXT and (tag not in NOT_TEXT or len(word) > LONGEST):
        told.append((line, column, bad_tag(tag)))
        return word
    if tag not in NOT_TEXT:
        return word
    try:
        value: Any = yaml.constructor.SafeConstructor().construct_object(yaml.ScalarNode(tag, word))
    except (ValueError, LookupError, AttributeError, TypeError, OverflowError):
        says = f"{short(word)} looks like {NOT_TEXT[tag]}, but is none; correct it, or quote it"
        told.append((line, column, says))
        return word
    return Scalar(word, value)


def bad_tag(tag: str) -> str:
    """What to say of a tag such as !!python/object."""
    name = "!!" + tag.removeprefix(YAML) if tag.startswith(YAML) else tag
    return f"the tag {short(name)} has no place in a contract; take it out"


def paired(children: list[Node], told: list[Told]) -> dict[Any, tuple[Node, Node]]:
    """The entries of a mapping, each key once, and then what `<<` merges into it."""
    pairs: dict[Any, tuple[Node, Node]] = {}
    for key, value in zip(children[::2], children[1::2], strict=True):
        if isinstance(key.data, list | dict):
            told.append((key.line, key.column, f"{found(key.data)}, but a key is one word; write a word"))
        elif key.data in pairs:
            says = f"the key {short(getattr(key.data, 'text', key.data))} is already on line {pairs[key.data][0].line}"
            told.append((key.line, key.column, f"{says}, and a reader would drop one in silence; remove one"))
        else:
            pairs[key.data] = key, value
    if "<<" in pairs:
        _, value = pairs.pop("<<")
        for one in value.data if isinstance(value.data, list) else [value]:
            if not isinstance(one.data, dict):
                says = f"{found(one.data)}, but << merges mappings only; write <<: *name with &name at a mapping"
                told.append((one.line, one.column, says))
                continue
            for name, pair in one.data.items():
                pairs.setdefault(name, pair)
    return pairs


def data_of(node: Node) -> Any:
    """The plain data of a node, with a Scalar for what YAML does not read as text."""
    if isinstance(node.data, list):
        return [data_of(item) for item in node.data]
    if isinstance(node.data, dict):
        return {name: data_of(value) for name, (_, value) in node.data.items()}
    return node.data
