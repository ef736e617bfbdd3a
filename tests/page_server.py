"""A running `incrowd ui`, and a browser that looks at its pages.

    from page_server import opened, served      # a tab, and a server of its own

A test that needs no server of its own takes the one of the fixture `pages`, and begins anew.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*")
STARTED = 180.0
WAIT = 180_000
"""Milliseconds that a page may take to show something, on a machine that does other work and may
compile kernels first."""
FAILED = Path(__file__).parents[1] / "build/failed"
DESKTOP, PHONE = (1280, 860), (390, 844)


@dataclass
class Served:
    """A running `incrowd ui`."""

    process: subprocess.Popen
    address: str
    """With the token."""
    said: list = field(default_factory=list)
    """All that the server wrote."""
    contexts: dict = field(default_factory=dict)
    """Of the browser, by scheme: tests share them one after the other, with the cookie in it."""

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


ANEW = """
import json, os, signal, sys, threading
from pathlib import Path
from nicegui import core
from incrowd.web import pages, uploads
from incrowd.web.pages import frame, project
from incrowd.web.server import UiOptions, serve

SEARCHED, MOST = project.SEARCHED, uploads.MOST
frame._LOOKED_AT = 0.1

class Anew(project.Project):
    "A project that begins anew for each line that it is given."

    def __init__(self, session):
        super().__init__(session)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in sys.stdin:
            core.loop.call_soon_threadsafe(self.begin, json.loads(line))
        os.kill(os.getpid(), signal.SIGTERM)  # nobody is there any more

    def begin(self, asked):
        session = self.session
        self.open(None)
        for purpose in uploads.PURPOSES:
            session.uploads.forget(purpose)
        super().__init__(session)
        session.folder = Path(asked["folder"])
        uploads.MOST = session.uploads.most = asked["most"] or MOST
        project.SEARCHED = SEARCHED if asked["searched"] else 0
        if asked["file"]:
            self.open(session.folder / asked["file"])
        print("begun", asked["number"])

pages.Project = Anew
serve(UiOptions(browser=False), print)
"""
"""A server that looks for changes ten times a second, and takes another folder when told to."""


@dataclass
class Pages:
    """A server that many tests use, one after the other."""

    server: Served
    begun: int = 0

    def begin(self, folder, file=None, *, searched=False, most=None):
        """The server with nothing but this folder, and perhaps a table of it.

        A full search goes on behind only if it is `searched`; the page takes files of `most` bytes.
        """
        self.begun += 1
        asked = {"number": self.begun, "folder": str(folder), "file": file}
        asked |= {"searched": searched, "most": most}
        self.server.process.stdin.write(json.dumps(asked) + "\n")
        self.server.process.stdin.flush()
        self.server.says(f"begun {self.begun}\n")
        return self.server


@pytest.fixture(scope="module")
def pages(pytestconfig):
    """The server of all tests of a process that need none of their own."""
    return _pages(pytestconfig)


@cache
def _pages(config):
    ending = ExitStack()
    config.add_cleanup(ending.close)
    folder = ending.enter_context(TemporaryDirectory())
    storage = {"NICEGUI_STORAGE_PATH": f"{folder}/nicegui", "MATPLOTLIB": "false"}
    return Pages(ending.enter_context(served(folder=folder, code=ANEW, **storage)))


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
        stdin=subprocess.PIPE,
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
        process.stdin.close()
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
        """Open a page by its address."""
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
def opened(browser, server, path="/", *, size=DESKTOP, scheme="light"):
    """A tab with this page; nothing may go wrong in it."""
    context = _context(browser, server, scheme)
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    tab = Tab(page, server.origin)
    page.on("console", lambda said: _note(tab, said))
    page.on("pageerror", lambda error: tab.errors.append(str(error)))
    page.on("request", lambda asked: _stranger(tab, asked.url))
    try:
        if not context.cookies():
            page.goto(server.address)
            page.wait_for_url(f"{server.origin}/")  # the token is gone from the address
        if page.url != server.origin + path:
            tab.go(path)
        yield tab
    except BaseException:
        _kept_picture(page, server)
        raise
    finally:
        page.close()


def _context(browser, server, scheme):
    """The server's context of this scheme: an empty page keeps its window, which opens slowly."""
    if scheme not in server.contexts:
        context = browser.new_context(
            color_scheme=scheme, reduced_motion="reduce", accept_downloads=True
        )
        context.set_default_timeout(WAIT)
        context.new_page()
        server.contexts[scheme] = context
    return server.contexts[scheme]


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
