"""Names say what things are: no function is a bare participle, no class name stands for two."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2] / "src" / "incrowd"
IRREGULAR = {
    *("begun", "broken", "brought", "built", "chosen", "done", "drawn", "driven", "found"),
    *("frozen", "given", "gone", "heard", "held", "hidden", "kept", "known", "laid", "left"),
    *("lost", "made", "meant", "met", "paid", "proven", "said", "seen", "sent", "shown", "sold"),
    *("taken", "thought", "told", "understood", "won", "worn", "written"),
}
"""Participles that do not end in -ed, without those that are imperatives, too (read, cut, put)."""
PUBLIC = {"correlated"}
"""Functions that users call by such a name."""
NOUNS = {"embed", "exceed", "need", "proceed", "seed", "speed"}
PROPERTIES = {"property", "cached_property"}


@cache
def trees():
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.rglob("*.py")}


def nodes(*kinds):
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, kinds):
                yield path.relative_to(ROOT).as_posix(), node


def is_property(node):
    marks = (ast.unparse(mark).rpartition(".")[2] for mark in node.decorator_list)
    return any(mark in PROPERTIES for mark in marks)


def is_bare_participle(name):
    """Whether a name is one word that tells what was done, and not to what."""
    word = name.strip("_")
    if "_" in word or word in NOUNS:
        return False
    return word in IRREGULAR or word.endswith("ed")


def test_no_function_is_a_bare_participle():
    bare = [
        f"{path}:{node.lineno} {node.name}"
        for path, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        if is_bare_participle(node.name) and not is_property(node) and node.name not in PUBLIC
    ]
    assert bare == []


def test_one_class_name_is_one_class():
    homes = defaultdict(set)
    for path, node in nodes(ast.ClassDef):
        homes[node.name.strip("_")].add(path)
    several = {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1}
    assert several == {}


def test_what_is_a_bare_participle():
    assert all(map(is_bare_participle, ("_found", "told", "_joined")))
    assert not any(map(is_bare_participle, ("load_table", "smallest_class", "seed", "read")))
