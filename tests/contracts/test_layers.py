"""Imports point down: the architecture, enforced."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2] / "src" / "incrowd"

LAYERS = {
    0: {
        "arrays",
        "docstrings",
        "errors",
        "lazy",
        "search_names",
        "showing",
        "values",
        "watch",
        "withholding",
    },
    1: {"table", "kernels"},
    2: {"hierarchy", "partition"},
    3: {
        "attacks",
        "exposure",
        "identify",
        "linkage",
        "loss",
        "models",
        "pii",
        "population",
        "recoding",
        "utility",
    },
    4: {"problem"},
    5: {"search", "engines"},
    6: {"policy", "release", "verify"},
    7: {"documents", "io", "datasets", "requests"},
    8: {"api", "pipeline", "verbs"},
    9: {"__main__", "auditor", "cli", "demo", "web"},
}
LAYER = {name: layer for layer, names in LAYERS.items() for name in names}

OUTSIDE = {
    "numba": {"kernels"},
    "narwhals": {"table", "engines", "io", "pipeline", "verbs"},
    "polars": {
        "table",
        "engines",
        "io",
        "release",
        "verify",
        "datasets",
        "documents",
        "pipeline",
        "population",
        "verbs",
        "demo",
    },
    "pandas": {"engines"},
    "pyarrow": {"engines", "io"},
    "pyspark": {"engines"},
    "typer": {"cli"},
    "altair": {"documents"},
    "jinja2": {"documents"},
    "cryptography": {"release"},
    "duckdb": {"engines"},
    "adbc_driver_postgresql": {"engines"},
    "ibis": {"engines"},
    "rich": {"cli", "documents", "demo"},
    "tomlkit": {"policy"},
    "sklearn": {"utility"},
    "nicegui": {"web"},
    "fastapi": {"web"},
    "uvicorn": {"web"},
}


PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")


@cache
def modules():
    return sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


class Said(NamedTuple):
    """What a file says that these tests ask for: little, as trees of all files slow a process."""

    imports: tuple
    """Full names of the modules that it imports, wherever in the file."""
    loads: tuple
    """The same without what only type checkers read."""
    calls: tuple
    """Of each call the name of what is called, and in front of its dot, if it is so plain."""
    texts: frozenset
    """Texts that may name a module of ours."""


@cache
def said(path):
    """What a file says."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    loading = [one for one in tree.body if not is_for_type_checkers(one)]
    every = [node for one in tree.body for node in ast.walk(one)]
    texts = (one.value for one in every if isinstance(one, ast.Constant))
    return Said(
        tuple(imported_names(every)),
        tuple(imported_names(node for one in loading for node in ast.walk(one))),
        tuple(called(one.func) for one in every if isinstance(one, ast.Call)),
        frozenset(text for text in texts if isinstance(text, str) and text.startswith("incrowd")),
    )


def is_for_type_checkers(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def called(node):
    """The name of what is called, and the name in front of its dot; empty texts if it has none."""
    if isinstance(node, ast.Attribute):
        return node.attr, getattr(node.value, "id", ".")
    return getattr(node, "id", ""), ""


def part(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path, *, typed=True):
    """Full names of the modules that a file imports, wherever in the file."""
    return said(path).imports if typed else said(path).loads


def imported_names(tree):
    for node in tree:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def parts_imported(path):
    for name in imports(path):
        pieces = name.split(".")
        if pieces[0] == "incrowd" and len(pieces) > 1 and pieces[1] in LAYER:
            yield pieces[1]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    here = LAYER[part(path)]
    upward = {name for name in parts_imported(path) if LAYER[name] > here}
    assert not upward


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_each_outside_library_has_one_seam(path):
    used = {name.split(".")[0] for name in imports(path)}
    stray = {name for name in used if name in OUTSIDE and part(path) not in OUTSIDE[name]}
    assert not stray


def node(name):
    """What must not import itself by way of others: a part, or of verbs and the spine a module."""
    pieces = name.split(".")
    return ".".join(pieces[1:3]) if LAYER.get(pieces[1]) == 8 else pieces[1]


def nodes_imported(path):
    """What a file loads: not what it imports for type checkers only."""
    for name in imports(path, typed=False):
        pieces = name.split(".")
        if pieces[0] == "incrowd" and len(pieces) > 1 and pieces[1] in LAYER:
            yield node(name)


def test_parts_of_one_layer_do_not_import_each_other_in_a_circle():
    graph = {}
    for path in modules():
        here = node(".".join(("incrowd", *path.relative_to(ROOT).with_suffix("").parts)))
        graph.setdefault(here, set()).update(name for name in nodes_imported(path) if name != here)
    circles = [name for name in graph if name in reached(graph, name)]
    assert circles == []


def reached(graph, start):
    found, new = set(), [start]
    while new:
        nexts = graph.get(new.pop(), set()) - found
        found |= nexts
        new += nexts
    return found


def test_search_and_engines_do_not_know_each_other():
    for path in modules():
        if part(path) == "search":
            assert "engines" not in set(parts_imported(path))
        if part(path) == "engines":
            assert "search" not in set(parts_imported(path))


def test_the_page_and_the_command_line_stand_side_by_side():
    allowed = {("cli", "ui.py")}  # the command that opens the page
    for path in modules():
        here, names = part(path), set(imported_by_name(path))
        if here == "web":
            assert not {name for name in names if name.startswith("incrowd.cli")}, path
        if here == "cli" and (here, path.name) not in allowed:
            assert not {name for name in names if name.startswith("incrowd.web")}, path


def imported_by_name(path):
    """What a file imports, and modules that it names in a text to import them later."""
    yield from imports(path)
    yield from said(path).texts


def test_kernels_import_little():
    for path in (ROOT / "kernels").rglob("*.py"):
        assert set(parts_imported(path)) <= {"arrays", "kernels", "lazy", "watch"}


def test_verification_shares_nothing_with_the_search():
    used = set(parts_imported(ROOT / "verify" / "verify.py"))
    assert not used & {"kernels", "partition", "recoding", "problem", "search", "loss", "models"}


def test_only_io_opens_files():
    for path in modules():
        if part(path) in {"auditor", "io", "cli", "demo", "kernels"}:
            continue
        writing = {"write_text", "write_bytes", "read_bytes"}
        calls = [
            (name, before)
            for name, before in said(path).calls
            if (name, before) == ("open", "") or (before not in {"", "files"} and name in writing)
        ]
        assert not calls, path


SILENT = [path for path in modules() if LAYER[part(path)] < 7]


@pytest.mark.parametrize("path", SILENT, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_below_reports_prints(path):
    assert ("print", "") not in said(path).calls


def test_there_is_no_drawer():
    banned = {"utils", "util", "common", "core", "misc", "helpers", "manager", "v2"}
    assert not [path for path in ROOT.rglob("*") if path.stem in banned]


def test_the_page_has_the_layers():
    rows = re.findall(r"^\| (\d) \| `(\w+)` \| .+ \|$", PAGE, re.MULTILINE)
    assert sorted((int(layer), name) for layer, name in rows) == sorted(
        (layer, name) for name, layer in LAYER.items()
    )
    assert {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in modules()} <= {*LAYER}


def test_the_page_has_the_places_of_outside_libraries():
    rows = re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|$", PAGE, re.MULTILINE)
    assert {name: set(re.findall(r"\w+", places)) for name, places in rows} == OUTSIDE


def test_the_page_names_files_that_there_are():
    for place in re.findall(r"`(\w+/(?:\w+/)*(?:\w+\.py)?|\w+\.py)`", PAGE):
        assert (ROOT / place).exists(), place
