"""What benchmarks import of incrowd is there: they are not run with the tests."""

import ast
import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


def sources(path):
    """The program of a file, and those that it hands to other processes as text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield tree
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and "import incrowd" in text.replace(
            "from incrowd", "import incrowd"
        ):
            try:
                yield ast.parse(text)
            except SyntaxError:
                continue  # prose that mentions it


def imported(path):
    """Module and name of everything that is imported of incrowd; no name for a whole module."""
    for tree in sources(path):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("incrowd"):
                yield from ((node.module, alias.name) for alias in node.names)
            elif isinstance(node, ast.Import):
                names = (alias.name for alias in node.names)
                yield from ((name, "") for name in names if name.startswith("incrowd"))


def is_there(module, name):
    try:
        found = importlib.import_module(module)
        return not name or hasattr(found, name) or bool(importlib.import_module(f"{module}.{name}"))
    except ImportError:
        return False


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_benchmark_imports_what_is_there(path):
    absent = [
        f"{module} {name}".strip() for module, name in imported(path) if not is_there(module, name)
    ]
    assert absent == []
