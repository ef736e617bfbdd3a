"""What the documentation shows works: its commands, Python, TOML, JSON, links, lists, pictures."""

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

import incrowd
from incrowd.attacks.play import KINDS
from incrowd.cli.output import COMPILING
from incrowd.loss import LOSSES
from incrowd.models import MODELS
from incrowd.policy.codec import loads
from incrowd.search import SEARCHES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
API = DOCS / "reference" / "api.md"


def of_docs(name):
    """A program of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


refresh = of_docs("refresh")
EVERY = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
PAGES = sorted(page for page in EVERY if "generated" not in page.parts)


def name(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


def every(language):
    for page in PAGES:
        for number, block in enumerate(blocks(page, language), start=1):
            yield pytest.param(page, block, id=f"{name(page)}-{number}")


@pytest.mark.slow
@pytest.mark.parametrize("page", refresh.pages(), ids=name)
def test_what_a_page_shows_is_what_it_gives(page, tmp_path):
    """`python docs/refresh.py` writes into the pages what they give."""
    with refresh.folder(tmp_path):
        assert refresh.rewritten(page) == page.read_text("utf-8")


def test_outputs_are_compared_but_for_what_varies():
    digest = "0123456789abcdef" * 4
    assert refresh.alike(f"k = 5 {digest}\n") == refresh.alike("k = 5 " + "f" * 64 + "\n")
    assert refresh.alike("k = 5, 1.2 s\n") == refresh.alike("k = 5, 33 s\n")
    assert refresh.alike("k = 5\n") != refresh.alike("k = 6\n")


def test_what_a_first_run_compiles_is_not_in_a_page():
    assert refresh.tidy(f"{COMPILING}\nk = 5\n") == "k = 5\n"


def test_a_page_that_shows_something_else_is_found_out(tmp_path):
    page = tmp_path / "page.md"
    shown = "```python\nprint(6 * 7)\n```\n\n```text\n{}\n```\n"
    page.write_text(shown.format(43))
    with refresh.folder(tmp_path):
        assert refresh.rewritten(page) == shown.format(42)


def test_a_command_that_fails_is_found_out(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```console\n$ incrowd risk nothing.csv --quasi zip\n```\n")
    with refresh.folder(tmp_path), pytest.raises(RuntimeError, match="exit code 3"):
        refresh.rewritten(page)
    page.write_text("```console\n$ incrowd risk nothing.csv --quasi zip\n$ echo $?\n```\n")
    with refresh.folder(tmp_path):
        assert refresh.rewritten(page).endswith("$ echo $?\n3\n```\n")


def test_pictures_are_shown_and_made_by_a_page():
    made = {DOCS / "pictures" / "before-after.svg"}  # by docs/draw.py
    shown = set()
    for page in PAGES:
        commands = "".join(blocks(page, "console"))
        for picture in refresh.pictures(page):
            shown.add(DOCS / "pictures" / picture)
            made |= {DOCS / "pictures" / picture} if f" {picture}" in commands else set()
    assert set((DOCS / "pictures").iterdir()) == shown == made


@pytest.mark.slow
def test_the_picture_of_the_readme_is_drawn_from_a_release():
    draw = of_docs("draw")
    assert draw.before_after() == draw.PICTURE.read_text("utf-8")


@pytest.mark.parametrize(("page", "block"), list(every("toml")))
def test_toml_is_toml_and_a_whole_policy_is_a_policy(page, block):
    said = tomllib.loads(block)
    if "version" in said:
        assert loads(block, name(page)).columns


@pytest.mark.parametrize(("page", "block"), list(every("json")))
def test_json_is_json(page, block):
    assert json.loads(block)["schema"].startswith("incrowd."), page


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", text):
        assert not target or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_modules_and_names_that_are_mentioned_exist(page):
    text = page.read_text("utf-8")
    for dotted in re.findall(r"`(incrowd(?:\.\w+)+)`", text):
        found = incrowd
        for step in dotted.split(".")[1:]:
            try:
                found = getattr(found, step)
            except AttributeError:
                found = __import__(f"{found.__name__}.{step}", fromlist=[step])
    for benchmark in re.findall(r"python -m benchmarks\.(\w+)", text):
        assert (ROOT / "benchmarks" / f"{benchmark}.py").exists(), benchmark


PLUGINS = [
    *(("models", plugin) for plugin in MODELS),
    *(("losses", plugin) for plugin in LOSSES),
    *(("searches", plugin) for plugin in SEARCHES),
    *(("attacks", plugin) for plugin in KINDS),
]


@pytest.mark.parametrize(("folder", "plugin"), PLUGINS)
def test_every_plug_in_has_a_page(folder, plugin):
    """Definition or what it does, paper, guarantee, when not to use it, an example that runs."""
    page = DOCS / folder / f"{plugin}.md"
    text = page.read_text("utf-8")
    assert re.search(r"\*\*(Definition|What it does)", text), "its definition"
    assert re.search(r"\*\*Papers?\*?\*?", text), "its paper"
    assert re.search(r"\*\*(Guarantee|Promises|What it says|What the figure says)", text)
    assert re.search(r"When not to (use|rely on) it", text)
    assert refresh.runs(page), "an example that runs"
    assert f"({plugin}.md)" in (page.parent / "index.md").read_text("utf-8")


ROW = re.compile(r"^\| `(\w+)` \| (.+) \|\n", re.MULTILINE)


def first_line(public):
    if public == "__version__":
        return "The version of incrowd."
    return inspect.getdoc(getattr(incrowd, public)).split("\n\n")[0].replace("\n", " ")


def test_the_reference_lists_every_public_name_with_its_line():
    """UPDATE_DOCS=1 writes the docstrings' first lines into the page and drops what is gone."""
    if os.environ.get("UPDATE_DOCS"):
        page = ROW.sub(_row, API.read_text("utf-8"))
        API.write_text(page, "utf-8")
    listed = dict(ROW.findall(API.read_text("utf-8")))
    assert sorted(listed) == sorted(incrowd.__all__)
    assert listed == {public: first_line(public) for public in incrowd.__all__}


def _row(found):
    name = found[1]
    return f"| `{name}` | {first_line(name)} |\n" if name in incrowd.__all__ else ""


def test_every_page_is_reached_from_the_readme():
    reached, new = set(), {ROOT / "README.md"}
    while new:
        page = new.pop()
        reached.add(page)
        if page.suffix == ".md":
            new |= {*linked(page), *listed(page)} - reached
    assert set(PAGES) <= reached


def linked(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        path = (page.parent / target).resolve()
        yield from path.glob("*.md") if path.is_dir() else [path]


def listed(page):
    """The pages that the tables of contents of a page name."""
    for block in blocks(page, r"\{toctree\}"):
        for line in block.splitlines():
            if line and not line.startswith(":"):
                named = (page.parent / f"{line}.md").as_posix()
                yield from (one for one in PAGES if fnmatch(one.as_posix(), named))


def test_the_reference_is_made_from_the_code(tmp_path):
    written = {
        path.relative_to(tmp_path).as_posix() for path in of_docs("generate").write(tmp_path)
    }
    assert {"policy-keys.md", "exit-codes.md", "documents.md", "certificate.md"} <= written
    risk = (tmp_path / "commands" / "risk.md").read_text("utf-8")
    assert "`-q, --quasi" in risk
    ask = (tmp_path / "api" / "ask.md").read_text("utf-8")
    assert "incrowd.anonymize(\n    source: Any" in ask


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path):
    """What `make docs` does."""
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html"]
    place = ["-d", str(tmp_path / "trees"), str(DOCS), str(tmp_path / "site")]
    done = subprocess.run([*build, *place], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text("utf-8")
        assert not re.findall(r'<(?:script|img|iframe)[^>]+src="(?:https?:)?//', text), page
        assert not re.findall(r'<link[^>]+href="(?:https?:)?//[^"]*"[^>]*stylesheet', text), page
