"""A browser for tests of pages: Chromium without a network. It records all that goes wrong.

    from browser import chromium, looked_at      # the fixture and a look at a file

A test asks for the fixture `chromium` and calls `looked_at(chromium, path)`.
"""

import asyncio
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from servers import _install, _missing

PACKAGE = "chromium"
RULES = "MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1"
OFFLINE = ["--no-sandbox", f"--host-resolver-rules={RULES}"]
"""Every host but this machine is mapped to nothing."""
DESKTOP, PHONE = (1200, 900), (390, 844)
SCHEMES = ("light", "dark")


@cache
def program():
    """The program of the browser: CHROMIUM says which, else the first on the path."""
    if not _found():
        _install(PACKAGE)
    return str(_found() or _missing("Chromium", PACKAGE))


def _found():
    named = os.environ.get("CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def chromium(pytestconfig):
    """A running browser that reaches this machine alone: the same for all tests of a process."""
    browser, loop = _launched(pytestconfig)
    with _in_loop(loop):
        yield browser


@cache
def _launched(config):
    """The browser, until the process ends, and the loop that it is driven in."""
    sync_api = pytest.importorskip("playwright.sync_api")
    path = program()
    started = sync_api.sync_playwright()
    playwright = started.__enter__()
    loop = asyncio.get_running_loop()
    asyncio._set_running_loop(None)
    with _in_loop(loop):
        browser = playwright.chromium.launch(executable_path=path, args=OFFLINE)

    def end():
        with _in_loop(loop):
            browser.close()
            started.__exit__()

    config.add_cleanup(end)
    return browser, loop


@contextmanager
def _in_loop(loop):
    """The browser's loop is this thread's meanwhile; other tests have loops of their own."""
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)


@dataclass
class Look:
    """A page in a browser, and what it did."""

    page: object
    errors: list = field(default_factory=list)
    """What the console shows as errors or warnings: violations of the page's policy, too."""
    requests: list = field(default_factory=list)
    """What the page asked for beside itself."""

    @property
    def overflow(self):
        """By how many pixels the page is wider than the window."""
        root = "document.documentElement"
        return self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")


@cache
def _context(browser, scheme, scripts):
    """What tests share one after the other: an empty page keeps its window, which opens slowly."""
    context = browser.new_context(
        color_scheme=scheme, java_script_enabled=scripts, reduced_motion="reduce"
    )
    context.new_page()
    return context


@contextmanager
def looked_at(browser, path, *, size=DESKTOP, scheme="light", scripts=True):
    """A file opened in a window of this size and colour scheme."""
    page = _context(browser, scheme, scripts).new_page()
    try:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        look = Look(page)
        address = Path(path).resolve().as_uri()
        page.on("console", lambda said: _note(look, said))
        page.on("pageerror", lambda error: look.errors.append(str(error)))
        page.on(
            "request",
            lambda asked: asked.url == address or look.requests.append(asked.url),
        )
        page.goto(address)
        page.wait_for_load_state("load")
        yield look
    finally:
        page.close()


def _note(look, said):
    if said.type in {"error", "warning"}:
        look.errors.append(said.text)
