"""A running `incrowd ui`, and a browser that looks at its pages.

from page_server import chromium, opened, served      # the fixture, a tab and a server
"""

import os
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from urllib.parse import urlsplit

import pytest

from browser import OFFLINE, program

HERE = [f"{rule} , EXCLUDE 127.0.0.1" if "MAP" in rule else rule for rule in OFFLINE]
"""Every host but this machine is mapped to nothing."""

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*")
STARTED = 180.0
WAIT = 180_000
"""Milliseconds that a page may take to show something, on a machine that does other work and may
compile kernels first."""
FAILED = Path(__file__).parents[1] / "build/failed"
DESKTOP, PHONE = (1280, 860), (390, 844)


@pytest.fixture(scope="module")
def chromium():
    """A running browser that reaches this machine alone."""
    sync_api = pytest.importorskip("playwright.sync_api")
    path = program()
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=HERE)
        yield browser
        browser.close()


@dataclass
class Served:
    """A running `incrowd ui`."""

    process: subprocess.Popen
    address: str
    """With the token."""
    said: list = field(default_factory=list)
    """All that the server wrote."""

    @property
    def origin(self):
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    def says(self, words):
        """Wait until it wrote this."""
        until = time.monotonic() + STARTED
        while not any(words in line for line in self.said):
            assert time.monotonic() < until, f"not said: {''.join(self.said)}"
            time.sleep(0.05)


IMPATIENT = """
import sys
from incrowd.web.server import Patience, UiOptions, serve
serve(UiOptions(file=sys.argv[1], browser=False, patience=Patience(alone=0.5, connecting=1)), print)
"""
"""A server that waits half a second for a tab, and one for a page that was asked for."""


@contextmanager
def served(*arguments, folder, code=None, **environment):
    """`incrowd ui` with these arguments, in this folder, until the end; or code that serves it."""
    command = [sys.executable, "-m", "incrowd.cli.main", "ui", *map(str, arguments), "--no-browser"]
    if code is not None:
        command = [sys.executable, "-c", code, *map(str, arguments)]
    environment |= os.environ | {"PYTHONUNBUFFERED": "1", "POLARS_MAX_THREADS": "2"} | environment
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines, said = Queue(), []
    threading.Thread(target=_listen, args=(process, lines, said), daemon=True).start()
    try:
        yield Served(process, _address(process, lines, said), said)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _listen(process, lines, said):
    for line in process.stdout:
        said.append(line)
        lines.put(line)


def _address(process, lines, said):
    until = time.monotonic() + STARTED
    while process.poll() is None and time.monotonic() < until:
        with suppress(Empty):
            if found := ADDRESS.search(lines.get(timeout=0.2)):
                return found[0]
    raise AssertionError(f"no address: {''.join(said)}")


@dataclass
class Tab:
    """A tab of the browser, and all that went wrong in it."""

    page: object
    origin: str
    errors: list = field(default_factory=list)
    strangers: list = field(default_factory=list)
    """Requests to other hosts."""

    def go(self, path):
        self.page.goto(self.origin + path)

    def step(self, name):
        """Choose a step on the rail, and wait for its heading."""
        self.page.get_by_role("navigation", name="Steps").get_by_role("link", name=name).click()
        self.heading(name)

    def heading(self, name):
        self.page.get_by_role("heading", name=name, level=1, exact=True).wait_for(timeout=WAIT)

    def sees(self, words, **options):
        found = self.page.get_by_text(words, **options).first
        found.wait_for(timeout=WAIT)
        return found

    def next(self, name):
        """Go on to this step."""
        self.page.get_by_role("link", name=f"Next: {name}", exact=True).first.click()
        self.heading(name)

    def quiet(self):
        """Wait until the page is drawn and nothing is under way."""
        self.page.locator(".page[aria-busy=false]").wait_for(timeout=WAIT)

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).first.click()

    @property
    def overflow(self):
        root = "document.documentElement"
        return self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")


@contextmanager
def opened(browser, server, *, size=DESKTOP, scheme="light", context=None):
    """A tab with the first page; nothing may go wrong in it."""
    own = context or browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        reduced_motion="reduce",
        accept_downloads=True,
    )
    own.set_default_timeout(WAIT)
    page = own.new_page()
    tab = Tab(page, server.origin)
    page.on("console", lambda said: _note(tab, said))
    page.on("pageerror", lambda error: tab.errors.append(str(error)))
    page.on("request", lambda asked: _stranger(tab, asked.url))
    try:
        page.goto(server.address)
        page.wait_for_url(f"{server.origin}/")  # the token is gone from the address
        yield tab
    except BaseException:
        _kept_picture(page, server)
        raise
    finally:
        page.close()
        if context is None:
            own.close()


def _kept_picture(page, server):
    """What the page showed and the server wrote when a test failed, in the build folder."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "page").rpartition("::")[2].partition(" ")[0]
    with suppress(Exception):
        page.screenshot(path=FAILED / f"{name}.png", full_page=True)
        (FAILED / f"{name}.txt").write_text("".join(server.said), encoding="utf-8")


def _note(tab, said):
    if said.type in {"error", "warning"}:
        tab.errors.append(said.text)


def _stranger(tab, url):
    if not url.startswith((tab.origin, tab.origin.replace("http", "ws"), "data:", "blob:")):
        tab.strangers.append(url)
