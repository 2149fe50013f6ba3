"""The page of a contract in a real browser: on a phone, in the dark, with hostile texts in it.

`make browser-test` runs it, and keeps a picture of each page in data/browser/. Skipped, with the reason, where no
Chromium is installed.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import seed
from contracts import from_mapping, load
from contracts.interop import export

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run `make browser-test`")

PICTURES = seed.ROOT / "data" / "browser"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]
SCRIPT = "<script>document.title = 'taken over'</script><img src=x onerror=\"document.title = 'taken over'\">"
PAGES = {
    "listings": load(seed.ROOT / "contracts" / "listings.yaml"),
    "orders": load(seed.ROOT / "contracts" / "orders.yaml"),
    "listings-2.0.0": load(seed.ROOT / "contracts" / "history" / "listings-2.0.0.yaml"),
    "hostile": from_mapping(
        {
            "dataset": "x" * 200,
            "version": "1.0.0",
            "owner": SCRIPT,
            "consumers": ["y" * 300],
            "fields": [
                {
                    "name": SCRIPT,
                    "type": "string",
                    "enum": {SCRIPT: SCRIPT, "z" * 300: "w" * 300},
                    "meaning": "v" * 300,
                },
                {"name": "n" * 300, "type": "number", "unit": "u" * 300, "min": 1e300, "max": 2e300},
            ],
        }
    ),
}
WIDTHS = (320, 375, 1280)
# The least contrast of text on its ground, over every element that holds text of its own.
CONTRAST = """() => {
    const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = rgb => { const [r, g, b] = rgb.match(/[0-9.]+/g).map(Number);
        return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
    const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
        if (c !== 'rgba(0, 0, 0, 0)') return c; } return 'rgb(255, 255, 255)'; };
    return Math.min(...[...document.querySelectorAll('body *')]
        .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
        .map(e => { const a = light(getComputedStyle(e).color), b = light(ground(e));
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }));
}"""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: install it to see the pages")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


def opened(browser: Any, folder: Path, name: str, width: int, scheme: str) -> Any:
    """The page from its file, with whatever it complains of or asks the network for in `complaints`."""
    file = folder / f"{name}.html"
    file.write_text(export(PAGES[name], "html").text, encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.complaints.append(request.url))
    page.goto(file.as_uri())
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_the_page(browser: Any, tmp_path: Path, name: str, width: int, scheme: str) -> None:
    page = opened(browser, tmp_path, name, width, scheme)
    agreed = PAGES[name]
    assert page.title() == f"{agreed.dataset} {agreed.version}: data contract"
    assert page.locator("h1").inner_text() == f"{agreed.dataset} {agreed.version}"
    assert page.locator("script, img").count() == 0
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width, "it scrolls sideways"
    assert len(page.complaints) == 1, "it asks for more than its own file"
    assert page.evaluate(CONTRAST) >= 4.5
    dark = page.evaluate("() => getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"contract-{name}-{width}-{scheme}.png", full_page=True)
    page.close()


def test_what_a_screen_reader_finds(browser: Any, tmp_path: Path) -> None:
    """Headings that step down one at a time, and tables with names, row and column headers."""
    page = opened(browser, tmp_path, "orders", 375, "light")
    levels = page.eval_on_selector_all("h1, h2, h3, h4, h5, h6", "all => all.map(h => +h.tagName[1])")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert page.evaluate("() => document.documentElement.lang") == "en"
    for table in page.get_by_role("table").all():
        assert table.locator("caption").inner_text().strip()
        assert table.get_by_role("columnheader").count() >= 2
        assert table.get_by_role("rowheader").count() == table.locator("tbody tr").count() > 0
    assert page.get_by_role("main").count() == 1
    values = page.get_by_role("table", name="Values of multiplier")
    assert json.dumps(values.locator("tbody").inner_text().split()) == json.dumps(
        ["1.0", "as", "new", "0.9", "light", "wear", "0.8", "visible", "wear"]
    )
    page.close()
