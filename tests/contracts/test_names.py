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
def definitions():
    """The functions and classes of all files: name, place, and whether it is a property.

    Only statements are looked into: trees of all files would slow the process.
    """
    return [
        (type(node), node.name, f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", property_)
        for path in ROOT.rglob("*.py")
        for node in defining(ast.parse(path.read_text(encoding="utf-8")))
        for property_ in [is_property(node)]
    ]


def defining(node):
    """The functions and classes within a node, at any depth."""
    for one in ast.iter_child_nodes(node):
        if isinstance(one, ast.stmt):
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield one
            yield from defining(one)


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
        f"{place} {name}"
        for kind, name, place, property_ in definitions()
        if kind is not ast.ClassDef and not property_
        if is_bare_participle(name) and name not in PUBLIC
    ]
    assert bare == []


def test_one_class_name_is_one_class():
    homes = defaultdict(set)
    for kind, name, place, _ in definitions():
        if kind is ast.ClassDef:
            homes[name.strip("_")].add(place.partition(":")[0])
    several = {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1}
    assert several == {}


def test_what_is_a_bare_participle():
    assert all(map(is_bare_participle, ("_found", "told", "_joined")))
    assert not any(map(is_bare_participle, ("load_table", "smallest_class", "seed", "read")))
