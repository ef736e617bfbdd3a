"""Run what the pages show, and write what it really gives into them.

    python docs/refresh.py                 every page
    python docs/refresh.py docs/choose.md  this one

A page is run from top to bottom in a folder of its own, which begins with the tables of
docs/tables.md. Two kinds of blocks have an output:

- ```console: every line that begins with `$ ` is a command; what it prints stands below it. Its
  exit code is 0, unless the next command is `echo $?`, which shows it. `| head -n 3` cuts what goes
  to standard output after three lines, `| head -c 3` after three characters.
- ```python, directly followed by ```text: what the Python prints. All Python of a page shares its
  names.

A block directly below a line that ends with a file's name and a colon (`study.toml`:) is that file.

Pictures in docs/pictures are made by a command of a page that shows them, under the same name.
What differs from run to run is not compared: see `_VARIES`.
"""

# ruff: noqa: INP001  programs of the site, no package

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
TABLES = DOCS / "tables.md"
WIDTH = "80"

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_CONTINUED = re.compile(r" \\\n +")
_SHOWN_PICTURE = re.compile(r"\]\((?:[\w./-]*/)?pictures/([\w.-]+)\)")
_NAMED = re.compile(r"`([\w-]+\.\w+)`:\s*$")
_HEAD = re.compile(r"^(?P<command>.*?) \| head -(?P<of>[nc]) (?P<first>\d+)$")
_VARIES = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "(SHA-256)"),
    (re.compile(r"\b\d+(\.\d+)? (seconds|s)\b"), "(seconds)"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.+]+\b"), "(moment)"),
)


@dataclass
class Session:
    """One page that is run: its folder is the working directory."""

    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    code: int = 0

    def python(self, source: str) -> str:
        """What a block of Python prints."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(source, "page", "exec"), self.names)  # noqa: S102  our own pages
        return said.getvalue()

    def console(self, block: str) -> str:
        """The commands of a block, each followed by what it prints."""
        commands = re.findall(r"^\$ ((?:.* \\\n)*.*)$", block, re.MULTILINE)
        shown = []
        for command, after in zip(commands, [*commands[1:], ""], strict=True):
            output = self._command(_CONTINUED.sub(" ", command))
            if self.code and command != "echo $?" and after != "echo $?":
                raise RuntimeError(f"exit code {self.code}: {command}\n{output}")
            shown += [f"$ {command}\n", output, "" if after == "" or not output else "\n"]
        return "".join(shown)

    def _command(self, command: str) -> str:
        if command == "echo $?":
            return f"{self.code}\n"
        cut = _HEAD.match(command)
        command = cut["command"] if cut else command
        run = self._incrowd if command.startswith("incrowd ") and "|" not in command else _shell
        remarks = io.StringIO()
        results = io.StringIO() if cut else remarks
        with contextlib.redirect_stdout(results), contextlib.redirect_stderr(remarks):
            self.code = run(command)
        if not cut:
            return tidy(remarks.getvalue())
        self.code = 0  # of a pipe it is that of its last command
        said, first = tidy(results.getvalue()), int(cut["first"])
        head = "".join(said.splitlines(keepends=True)[:first]) if cut["of"] == "n" else said[:first]
        return tidy(remarks.getvalue()) + (head if head.endswith("\n") else f"{head}\n")

    @staticmethod
    def _incrowd(command: str) -> int:
        from incrowd.cli.main import perform  # noqa: PLC0415  pages without commands need none

        return perform(shlex.split(command)[1:])


def _shell(command: str) -> int:
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(  # noqa: S602  our own pages
        command,
        shell=True,
        check=False,
        text=True,
        capture_output=True,
        env={**os.environ, "PATH": paths},
    )
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


def tidy(output: str) -> str:
    """The output without what only a first run shows and without blanks at the ends of lines."""
    from incrowd.cli.output import COMPILING  # noqa: PLC0415  pages without commands need none

    lines = [line.rstrip() for line in output.splitlines() if not line.startswith(COMPILING)]
    return "".join(f"{line}\n" for line in lines).strip("\n") + "\n" if any(lines) else ""


def alike(shown: str) -> str:
    """The output without what differs from run to run."""
    for varies, instead in _VARIES:
        shown = varies.sub(instead, shown)
    return shown


def rewritten(page: Path) -> str:
    """The text of a page with the outputs that it really has; the working directory is used."""
    session, text = Session(), page.read_text("utf-8")
    pieces, end, printed = [], 0, None
    for block in _FENCE.finditer(text):
        language, body = block.groups()
        between = text[end : block.start()]
        if language == "text" and printed is not None and not between.strip():
            now = tidy(printed)
        elif language == "console":
            now = session.console(body)
        else:
            now = body
        if named := _NAMED.search(between):
            Path(named[1]).write_text(body, "utf-8")
        printed = session.python(body) if language == "python" else None
        same = alike(now) == alike(body)
        pieces += [between, f"```{language}\n{body if same else now}```\n"]
        end = block.end()
    return "".join([*pieces, text[end:]])


def pictures(page: Path) -> list[str]:
    """The pictures that a page shows; its own commands make some of them."""
    return _SHOWN_PICTURE.findall(page.read_text("utf-8"))


@contextlib.contextmanager
def folder(path: Path) -> Iterator[None]:
    """Work in this folder, with the tables of all pages in it, as on a terminal of 80 columns."""
    before = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ.update(COLUMNS=WIDTH, NO_COLOR="1")
    with contextlib.chdir(path):
        for source in _PYTHON.findall(TABLES.read_text("utf-8")):
            exec(compile(source, "tables", "exec"), {})  # noqa: S102  our own page
        yield
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


def runs(page: Path) -> bool:
    """Whether a page shows something that can be run."""
    return bool(re.search(r"^```(python|console)\n", page.read_text("utf-8"), re.MULTILINE))


def pages() -> list[Path]:
    """Every page with something to run."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
    return [page for page in found if "generated" not in page.parts and runs(page)]


def refresh(page: Path) -> bool:
    """Write what a page gives into it; whether anything changed."""
    text = page.read_text("utf-8")
    with tempfile.TemporaryDirectory() as scratch, folder(Path(scratch)):
        now = rewritten(page)
        for name in pictures(page):
            if Path(name).exists():
                (PICTURES / name).write_bytes(Path(name).read_bytes())
    if now != text:
        page.write_text(now, "utf-8")
    return now != text


def main(arguments: list[str]) -> int:
    """Refresh the named pages, or all; the number of those that failed."""
    failed = 0
    if not arguments:
        subprocess.run([sys.executable, str(DOCS / "draw.py")], check=True)  # noqa: S603  ours
    for page in [Path(name).resolve() for name in arguments] or pages():
        try:
            state = "changed" if refresh(page) else "as it was"
        except Exception as error:  # noqa: BLE001  the other pages are refreshed all the same
            failed += 1
            state = f"FAILED: {type(error).__name__}: {error}"
        sys.stdout.write(f"{page.relative_to(ROOT)}: {state}\n")
        sys.stdout.flush()
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
