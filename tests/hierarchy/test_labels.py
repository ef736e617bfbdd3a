"""Labels have one writer and one reader."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.hierarchy import labels
from incrowd.hierarchy.foreign_labels import read_any_bounds
from incrowd.hierarchy.labels import Bounds
from incrowd.table.column import Domain, Kind

ROOT = Path(__file__).parents[2] / "src" / "incrowd"
ENDS = st.one_of(
    st.integers(-99, 99).map(str),
    st.dates().map(str),
    st.text(alphabet='ab ,"[](){}*', min_size=1, max_size=6),
)
SYNTAX = re.compile(r"""["'](?:[≥≤] |\(-inf|< \{)|-Q\{|\(≥""")
"""What only the writer and the reader of labels have in their code."""


@given(ENDS, ENDS)
def test_spans_are_read_as_they_are_written(low, high):
    assert labels.read_bounds(labels.write_span(low, high)) == Bounds(low, high, high_inside=True)


@given(st.lists(ENDS, min_size=2, max_size=4))
def test_sets_are_read_as_they_are_written(values):
    assert labels.read_set(labels.write_set(values)) == values


@pytest.mark.parametrize("low", [None, "20", "1965-03-01"])
@pytest.mark.parametrize("high", [None, "30", "1970"])
@pytest.mark.parametrize("inside", [(True, False), (False, False), (True, True), (False, True)])
def test_intervals_are_read_as_they_are_written(low, high, inside):
    label = labels.write_bounds(Bounds(low, high, *inside))
    if low is None and high is None:
        assert label == labels.TOP
        return
    found = labels.read_bounds(label)
    assert (found.low, found.high) == (low, high)
    assert low is None or found.low_inside == inside[0]
    assert high is None or found.high_inside == inside[1]
    assert read_any_bounds(label) == found


def test_quarters_and_masked_codes_are_read_as_they_are_written():
    assert labels.read_quarter(labels.write_quarter(1965, 2)) == Bounds(
        "1965-04", "1965-06", high_inside=True
    )
    assert labels.read_masked(labels.mask_code("021", 5)) == ("021", 2)
    assert labels.read_masked("02138") is labels.read_masked("0*1*") is None


@pytest.mark.parametrize(
    ("label", "bounds"),
    [
        ("[20,30)", Bounds("20", "30")),
        ("]20; Inf)", Bounds("20", None, low_inside=False)),
        ("20-29", Bounds("20", "29", high_inside=True)),
        ("[20-29]", Bounds("20", "29", high_inside=True)),
        ("90+", Bounds("90", None)),
        ("<=20", Bounds(None, "20", high_inside=True)),
        ("elderly", None),
    ],
)
def test_labels_of_other_tools_are_read(label, bounds):
    assert read_any_bounds(label) == bounds


def test_spans_between_nodes_reach_from_the_first_to_the_last():
    births = Domain(Kind.DATE, np.array(["1965-03-01", "1967-12-24"], dtype="datetime64[D]"))
    whole = labels.reach_of("[1965-01, 1965-09]", births)
    assert labels.node_reach("[1965-Q1, 1965-Q3]", births) == whole
    assert labels.reach_of("[1965-Q1, 1965-Q3]", births) is None


def test_nobody_else_writes_or_reads_labels():
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sorted(ROOT.rglob("*.py"))
        if path != ROOT / "hierarchy" / "labels.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if SYNTAX.search(line) and not line.lstrip().startswith((">>>", "(", "#", '"""'))
    ]
    assert found == []
