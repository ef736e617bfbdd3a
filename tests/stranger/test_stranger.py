"""A stranger who reads the documentation and a CSV file finds what incrowd says."""

import ast
import sys
from pathlib import Path

import pytest

from stranger.labels import may_be, names

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))


@pytest.mark.parametrize(
    ("label", "value", "kind", "fits"),
    [
        ("37", "37", "number", True),
        ("37", "37.0", "number", True),
        ("37", "38", "number", False),
        ("[20, 30)", "20", "number", True),
        ("[20, 30)", "30", "number", False),
        ("[17, 25]", "25", "number", True),
        ("(-inf, 20)", "19", "number", True),
        ("[90, inf)", "89", "number", False),
        ("≥ 100000", "100000", "number", True),
        ("> 100000", "100000", "number", False),
        ("< 1930", "1929-12-31", "date", True),
        ("< 1930", "1930-01-01", "date", False),
        ("≤ 1930", "1930-12-31", "date", True),
        ("> 1930", "1930-12-31", "date", False),
        ("1965-03", "1965-03-31", "date", True),
        ("1965-03", "1965-04-01", "date", False),
        ("1965-Q1", "1965-03-31", "date", True),
        ("1965-H2", "1965-06-30", "date", False),
        ("1965", "1965-12-31", "date", True),
        ("[1965, 1970]", "1970-12-31", "date", True),
        ("[1960, 1970)", "1970-01-01", "date", False),
        ("[1965-03-01, 1965-04-17]", "1965-04-17", "date", True),
        ("0213*", "02139", "text", True),
        ("0213*", "02149", "text", False),
        ("{A, B}", "B", "text", True),
        ('{"a, b", "c"}', "a, b", "text", True),
        ("{A, B}", "C", "text", False),
        ("*", "", "text", True),
        ("", "", "number", True),
        ("", "7", "number", False),
        ("[20, 30)", "", "number", False),
    ],
)
def test_labels_as_they_are_written(label, value, kind, fits):
    assert may_be(label, value, kind) is fits


@pytest.mark.parametrize(("value", "fits"), [("a", True), ("b", False), ("c", True)])
def test_others_are_what_no_label_of_the_column_names(value, fits):
    named = names(["{a, *others*}", "b", "*", "{*others*}"])
    assert named == {"a", "b"}
    assert may_be("{a, *others*}", value, "text", named) is fits


def test_the_stranger_uses_the_standard_library_only():
    for path in (HERE / "labels.py", HERE / "checker.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            roots = {name.split(".")[0] for name in names}
            assert roots <= {*sys.stdlib_module_names, "stranger"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, pytest.param(0, marks=pytest.mark.thorough)])
def test_the_stranger_agrees(seed):
    from benchmarks.stranger import run

    tally = run(30, seed)
    assert tally.disagreements == []
    assert tally.counts["released"] >= 10
    assert tally.counts["exchanged, not met"] >= 1
