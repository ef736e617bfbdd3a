"""What the documentation shows works: its Python, its TOML, its commands, its links, its lists."""

import inspect
import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import incrowd
from incrowd.datasets import hospital
from incrowd.policy.codec import loads

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
API = ROOT / "docs" / "reference" / "api.md"
START = ROOT / "docs" / "guide" / "getting-started.md"


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


@pytest.mark.parametrize(("page", "block"), list(every("python")))
def test_python_runs(page, block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, name(page), "exec"), {"__name__": "docs"})
    assert "False" not in capsys.readouterr().out.split()


@pytest.mark.parametrize(("page", "block"), list(every("toml")))
def test_toml_is_toml_and_a_whole_policy_is_a_policy(page, block):
    said = tomllib.loads(block)
    if "version" in said:
        assert loads(block, name(page)).columns


@pytest.mark.parametrize(("page", "block"), list(every("json")))
def test_json_is_json(page, block):
    import json

    assert json.loads(block)["schema"].startswith("incrowd."), page


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", text):
        assert not target or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_modules_and_names_that_are_mentioned_exist(page):
    for dotted in re.findall(r"`(incrowd(?:\.\w+)+)`", page.read_text("utf-8")):
        found = incrowd
        for step in dotted.split(".")[1:]:
            try:
                found = getattr(found, step)
            except AttributeError:
                found = __import__(f"{found.__name__}.{step}", fromlist=[step])


@pytest.mark.slow
def test_the_ten_minutes_take_the_way_they_say(tmp_path, monkeypatch):
    from incrowd.cli.main import main

    monkeypatch.chdir(tmp_path)
    hospital(1_000, seed=7).write_csv("patients.csv")
    for line in "".join(blocks(START, "sh")).splitlines():
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line)[1:])
        assert stop.value.code == 0, line


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
        if page.suffix != ".md":
            continue
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            path = (page.parent / target).resolve()
            found = set(path.glob("*.md")) if path.is_dir() else {path}
            new |= found - reached
    assert set(PAGES) <= reached
