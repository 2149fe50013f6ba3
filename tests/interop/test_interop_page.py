"""The page that people read, HTML and Markdown: its parts, and hostile text in it."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from exchanged import LISTINGS

import seed
from contracts import from_mapping, load
from contracts.interop import export

EVIL = "<script>alert(1)</script>"
HOSTILE = {
    "dataset": "t|`x`", "version": "2.0.0", "owner": f"{EVIL} & co", "consumers": ["a\nb", "[x](javascript:alert(1))"],
    "fields": [
        {"name": "a|b", "type": "string", "enum": {EVIL: "`code` | *bold*", "": "nothing", "\u202ex": "turned"}, "meaning": "x\n# y"},
        {"name": "<b>", "type": "number", "min": 1, "unit": "<i>"},
    ],
}  # fmt: skip


class Page(HTMLParser):
    """What a browser would see: tags in order, attributes, text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_html_page_is_one_file_that_is_read_aloud_and_runs_nothing() -> None:
    page = Page(export(from_mapping(HOSTILE), "html").text)
    assert "script" not in page.tags and "b" not in page.tags and "i" not in page.tags and "img" not in page.tags
    assert EVIL in page.text and "turned" in page.text and "\u202e" not in page.text
    assert ("html", {"lang": "en"}) in page.attributes
    assert any(tag == "meta" and attrs.get("name") == "viewport" for tag, attrs in page.attributes)
    assert [tag for tag in page.tags if re.fullmatch("h[1-6]", tag)] == ["h1", "h2", "h2", "h2"]
    assert page.tags.count("caption") == page.tags.count("table") == 2
    assert all(attrs.get("scope") in ("col", "row") for tag, attrs in page.attributes if tag == "th")
    assert not any("src" in attrs or "href" in attrs for _, attrs in page.attributes)


def test_the_markdown_page_keeps_every_text_in_its_cell() -> None:
    text = export(from_mapping(HOSTILE), "markdown").text
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# t\\|\\`x\\` 2.0.0", "## Fields", "## Values of a\\|b", "## What has changed"
    ]  # fmt: skip
    for line in lines:
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (3, 4)
    assert "<script>" not in text and r"\<script\>" in text and r"\[x\]\(" not in text and r"\[x\]" in text


def test_the_page_says_meanings_and_changes(tmp_path: Path) -> None:
    page = export(load(seed.ROOT / "contracts" / "orders.yaml"), "markdown").text
    assert "| 0.9 | light wear |" in page and "No earlier version is known here." in page
    history = seed.ROOT / "contracts" / "history"
    changed = export(load(history / "listings-2.0.0.yaml"), "html").text
    assert "since 1.5.0" in changed and "field removed" in changed
    asked = export(load(LISTINGS), "markdown", previous=load(history / "listings-1.5.0.yaml")).text
    assert "since 1.5.0" in asked
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "t-0.9.0.yaml").write_text("version: 1", encoding="utf-8")
    (tmp_path / "t.yaml").write_text("{version: 1.0.0, owner: us, fields: [{name: a, type: string}]}", encoding="utf-8")
    found = export(load(tmp_path / "t.yaml"), "html")
    assert len(found.left_out) == 1 and "t-0.9.0.yaml" in found.left_out[0]
