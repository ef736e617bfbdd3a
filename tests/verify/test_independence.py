"""Verification shares nothing with the search: the whole import closure of what judges."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
ROOT = SRC / "incrowd"

ALLOWED = {
    "incrowd": "names only, loaded when they are first used",
    "incrowd.arrays": "names of array types",
    "incrowd.errors": "errors",
    "incrowd.lazy": "what loads the names of packages, which nobody here asks for",
    "incrowd.showing": "what results can do in a notebook: a slot that the package fills",
    "incrowd.hierarchy": "names only, loaded when they are first used",
    "incrowd.hierarchy.decoding": "which values a label stands for",
    "incrowd.hierarchy.foreign_labels": "how other tools write labels",
    "incrowd.hierarchy.labels": "how labels are written and read",
    "incrowd.hierarchy.written_labels": "which values a label stands for, without a hierarchy",
    "incrowd.table": "an empty package",
    "incrowd.table.cells": "how cells are read as text",
    "incrowd.table.column": "codes and what they stand for",
    "incrowd.table.counted": "distinct rows and their records: the evidence itself",
    "incrowd.table.parse": "which texts are numbers and dates",
    "incrowd.withholding": "what is said in place of small counts",
}
"""What verification may reach, and why; and `incrowd.verify` itself."""
UNLOADED = {"incrowd", "incrowd.hierarchy"}
"""Packages that load a name when it is asked for: nobody in the closure asks them for one."""

FORBIDDEN = [
    "api",
    "attacks",
    "cli",
    "documents",
    "engines",
    "exposure",
    "identify",
    "io",
    "kernels",
    "linkage",
    "loss",
    "models",
    "partition",
    "pii",
    "pipeline",
    "policy",
    "population",
    "problem",
    "recoding",
    "release",
    "search",
    "table.encode",
    "table.fold",
    "table.tally",
    "verbs",
]


def path_of(name):
    """The file of a module, None if there is none of this name."""
    here = SRC.joinpath(*name.split("."))
    for path in (here.with_suffix(".py"), here / "__init__.py"):
        if path.exists():
            return path
    return None


def running(tree):
    """All nodes but those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        yield from running(node)


def imports(path):
    """The modules of ours that a file loads, wherever in the file, with the packages above them."""
    for node in running(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are absolute"
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            every = (".".join(parts[:n]) for n in range(1, len(parts) + 1))
            yield from (module for module in every if parts[0] == "incrowd" and path_of(module))


def closure(start):
    """All modules of ours that are loaded with these."""
    seen, todo = set(), list(start)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(imports(path_of(name)))
    return seen


def verifying():
    return [f"incrowd.verify.{path.stem}" for path in sorted((ROOT / "verify").glob("[a-z]*.py"))]


def forbidden(names):
    return [
        name
        for name in names
        for part in FORBIDDEN
        if name == f"incrowd.{part}" or name.startswith(f"incrowd.{part}.")
    ]


def test_the_whole_closure_of_what_judges_is_allowed():
    reached = closure(verifying())
    assert "incrowd.verify.judges" in reached
    stray = {name for name in reached if not name.startswith("incrowd.verify")} - set(ALLOWED)
    assert not stray
    assert set(ALLOWED) <= reached
    assert not forbidden(reached)


def test_the_closure_is_followed_through_packages_and_functions():
    """A test that cannot fail is none: the verbs of the system reach everything."""
    reached = closure(["incrowd.pipeline"])
    assert {"incrowd.kernels.fold", "incrowd.linkage.index"} <= reached
    assert forbidden(reached)


def test_nothing_in_the_closure_loads_modules_by_their_names():
    """What is loaded by a string, or through the names of the whole package, no test would see."""
    for name in closure(verifying()) - UNLOADED - {"incrowd.lazy"}:
        assert "incrowd.lazy" not in imports(path_of(name)), name
        for node in running(ast.parse(path_of(name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name | ast.Attribute):
                word = node.id if isinstance(node, ast.Name) else node.attr
                assert word not in {"import_module", "__import__", "importlib"}, name
            if isinstance(node, ast.ImportFrom):
                assert node.module not in UNLOADED, name
            if isinstance(node, ast.FunctionDef):
                assert node.name != "__getattr__", name


def test_what_runs_is_what_was_read():
    code = f"import sys, {', '.join(verifying())}\nprint(*(m for m in sys.modules))"
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        text=True,
        env={"PYTHONPATH": str(SRC), "PATH": ""},
    ).stdout.split()
    assert "incrowd.verify.candidates" in out
    assert not forbidden(out)
    assert "numba" not in out


@pytest.mark.parametrize("module", ["release.check", "release.released"])
def test_those_who_ask_the_judges_count_nothing_with_the_search(module):
    """They may hold values (a policy, a certificate, a world), but call nothing that counts."""
    counting = [
        "kernels",
        "partition",
        "search",
        "problem",
        "recoding",
        "table.fold",
        "table.tally",
        "models",
    ]
    assert all(path_of(f"incrowd.{part}") for part in counting)
    direct = set(imports(path_of(f"incrowd.{module}")))
    assert not {f"incrowd.{part}" for part in counting} & direct
    linked = {name for name in direct if name.startswith("incrowd.linkage.")}
    assert linked <= {"incrowd.linkage.world"}


def test_the_proof_calls_judges_only():
    """In the functions that prove a release every name that was imported is verification's."""
    tree = ast.parse(path_of("incrowd.release.proof").read_text(encoding="utf-8"))
    home = {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    names_only = {"incrowd.release.rows", "incrowd.table.column", "dataclasses"}
    for name in ("prove", "_proof_of", "_prove_by_class", "_demand_rows", "_demand_cells"):
        used = {
            home[node.id]
            for part in functions[name].body
            for node in ast.walk(part)
            if isinstance(node, ast.Name) and node.id in home
        }
        assert {module for module in used if not module.startswith("incrowd.verify")} <= names_only
