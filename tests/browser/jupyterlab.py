"""The notebooks as a student has them: JupyterLab in a real browser, Run All, and a look at the page.

`make browser-test` runs it, and keeps a picture of each notebook in data/browser/. It works on a copy, so nothing of
the checkout changes. Skipped, with the reason, where no Chromium is installed.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
import pytest

import seed

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run `make browser-test`")

NOTEBOOKS = sorted((seed.ROOT / "notebooks").glob("[0-9]*.ipynb"))
PICTURES = seed.ROOT / "data" / "browser"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [  # no sandbox, for a root user; and nothing that asks the network by itself
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--no-first-run",
]
SETTINGS = {  # every cell in the page, so that all of them can be looked at; no questions to the user
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
BEGUN = "() => /[0-9*]/.test(document.querySelector('.jp-CodeCell .jp-InputPrompt').textContent)"
DONE = """() => {
    const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(p => p.textContent);
    return prompts.length > 0 && prompts.every(p => /[0-9]+/.test(p));
}"""
TOO_WIDE = """() => [...document.querySelectorAll('.jp-OutputArea-output, .jp-RenderedMarkdown, .cm-scroller')]
    .filter(e => e.scrollWidth > e.clientWidth + 1)
    .map(e => e.scrollWidth + ' > ' + e.clientWidth + ': ' + e.textContent.slice(0, 90))"""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: install it to see the pages")


def lab(folder: Path, theme: str) -> Iterator[str]:
    """JupyterLab on a free port over a copy of the notebooks: its address, until the test is done with it."""
    for name in ("notebooks", "contracts"):
        shutil.copytree(seed.ROOT / name, folder / "work" / name)
    for name, settings in {**SETTINGS, "apputils-extension/themes": {"theme": theme}}.items():
        file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = {f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    settings_ = {
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "spaces"),
    }
    options = {"ip": "127.0.0.1", "port": port, "port_retries": 0, "token": "", "password": "", "allow_root": True}
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        *(f"--ServerApp.{k}={v}" for k, v in options.items()),
    ]
    environment = os.environ | home | settings_
    with (folder / "lab.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder / "work", env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_for(f"http://127.0.0.1:{port}", server, folder / "lab.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while server.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{address}/api/status", timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail("JupyterLab does not start:\n" + log.read_text(encoding="utf-8", errors="replace")[-2000:])


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from lab(tmp_path_factory.mktemp("light"), "JupyterLab Light")


@pytest.fixture(scope="module")
def dark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from lab(tmp_path_factory.mktemp("dark"), "JupyterLab Dark")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


def menu(page: Any, *names: str) -> None:
    """Choose from the menu, as a person would."""
    page.locator(".lm-MenuBar-item", has_text=names[0]).first.click()
    page.locator(".lm-Menu-item", has_text=names[1]).first.click()


def open_notebook(browser: Any, address: str, notebook: Path) -> Any:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    for last in (False, False, True):  # on a busy machine a kernel may miss its page; a person loads it again
        page.goto(f"{address}/lab/workspaces/{notebook.stem}/tree/notebooks/{notebook.name}")
        try:
            page.wait_for_selector(".jp-Notebook .jp-CodeCell")
            page.wait_for_selector(".jp-NotebookPanel .jp-Notebook-ExecutionIndicator[data-status=idle]")
            break
        except playwright.TimeoutError:
            if last:
                raise
    return page


def run_all(page: Any) -> None:
    """Clear what is stored, so that what is seen comes from this run; then Run All, to its end."""
    menu(page, "Edit", "Clear Outputs of All Cells")
    page.wait_for_function("() => document.querySelectorAll('.jp-OutputArea-output').length === 0")
    for patience in (10_000, 20_000, 60_000):  # on a busy machine a menu may close under the click
        menu(page, "Run", "Run All Cells")
        with suppress(playwright.TimeoutError):
            page.wait_for_function(BEGUN, timeout=patience)
            break
    try:
        page.wait_for_function(DONE, timeout=180_000)
    except playwright.TimeoutError:
        look(page, "not-done")
        raise
    page.wait_for_selector(".jp-NotebookPanel .jp-Notebook-ExecutionIndicator[data-status=idle]")


def look(page: Any, name: str) -> None:
    """Keep a picture of the whole notebook."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    height = page.evaluate("() => document.querySelector('.jp-WindowedPanel-outer').scrollHeight")
    page.set_viewport_size({"width": 1280, "height": int(height) + 160})
    page.evaluate("() => document.querySelector('.jp-WindowedPanel-outer').scrollTo(0, 0)")
    page.wait_for_timeout(500)  # for the page to settle: this is a picture, nothing is asserted of it
    page.screenshot(path=PICTURES / f"{name}.png")


def figures(notebook: Path) -> int:
    cells = nbformat.read(notebook, as_version=4).cells
    return sum("image/png" in output.get("data", {}) for cell in cells for output in cell.get("outputs", ()))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_run_all_in_a_browser(browser: Any, light: str, notebook: Path) -> None:
    page = open_notebook(browser, light, notebook)
    answers = page.locator(".jp-CodeCell", has_text="compare(prediction")
    assert answers.locator(".jp-OutputArea-output:visible").count() == 0, "a prediction is answered before it is made"
    run_all(page)
    for answer in answers.all():
        answer.locator(".jp-OutputArea-output:visible").first.wait_for()
    errors = page.locator('[data-mime-type="application/vnd.jupyter.error"], [data-mime-type$="stderr"]')
    assert errors.all_inner_texts() == []
    pictures = page.locator(".jp-OutputArea img")
    pictures.nth(figures(notebook) - 1).wait_for()
    assert pictures.count() == figures(notebook) >= 1
    for picture in pictures.all():
        assert picture.get_attribute("alt"), "a figure has no alt text"
        assert picture.evaluate("image => image.complete && image.naturalWidth") > 300
    assert page.evaluate(TOO_WIDE) == [], "something scrolls sideways at 1280 pixels"
    look(page, notebook.stem)
    page.close()


def test_the_dark_theme(browser: Any, dark: str) -> None:
    """A figure has a ground of its own, so that its black letters can be read on a dark page."""
    page = open_notebook(browser, dark, NOTEBOOKS[0])
    assert page.evaluate("() => document.body.dataset.jpThemeLight") == "false"
    corner = """image => {
        const canvas = document.createElement('canvas').getContext('2d');
        canvas.drawImage(image, 0, 0);
        return [...canvas.getImageData(1, 1, 1, 1).data];
    }"""
    picture = page.locator(".jp-OutputArea img").first
    assert picture.evaluate(corner) == [255, 255, 255, 255]
    look(page, f"{NOTEBOOKS[0].stem}-dark")
    page.close()
