"""Linkage by many sets at once against one set at a time, and against its naive twin."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.attacks as naive
from incrowd.attacks.linkage import linkage
from incrowd.attacks.play import Attackers, play_world
from incrowd.linkage.fit import ColumnSets
from incrowd.linkage.world import World
from incrowd.linkage.world_linkage import WorldLinkage
from incrowd.table.column import CodedColumn, Domain, Kind

VALUES = 4
SETS = sorted(
    {frozenset({v}) for v in range(1, VALUES)} | {frozenset({1, 2}), frozenset({2, 3})}, key=sorted
)

APART = [frozenset({1, 2}), frozenset({3})]
"""Sets of which no two overlap."""


def value_column(name, codes):
    values = np.arange(1, VALUES, dtype=np.int64)
    return CodedColumn(name, np.array(codes, dtype=np.int32), Domain(Kind.NUMBER, values))


def label_column(name, cells):
    """Sets of values as spans, in the spelling of a release."""
    texts = [f"{min(s)}" if len(s) == 1 else f"[{min(s)}, {max(s)}]" for s in SETS]
    codes = np.array([SETS.index(cell) + 1 for cell in cells], dtype=np.int32)
    return CodedColumn(name, codes, Domain(Kind.TEXT, np.array(texts, dtype=object)))


@st.composite
def facings(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 7))
    world = [draw(st.tuples(*[st.integers(1, 3)] * 3)) for _ in range(m)]
    few = draw(st.sampled_from([SETS, APART]))
    shown = [draw(st.tuples(*[st.sampled_from(few)] * 3)) for _ in range(n)]
    person = [draw(st.integers(1, 4)) for _ in range(m)]
    truth = [draw(st.integers(0, 5)) for _ in range(n)]
    names = ("a", "b", "c")
    linked_world = WorldLinkage(
        {name: label_column(name, [row[j] for row in shown]) for j, name in enumerate(names)},
        World(
            {name: value_column(name, [row[j] for row in world]) for j, name in enumerate(names)},
            np.array(person, dtype=np.int32),
        ),
        names,
        truth=np.where(np.isin(truth, person), truth, 0).astype(np.int32),
    )
    return linked_world, shown, world, person, truth


@settings(max_examples=30)
@given(facings())
def test_every_set_of_columns(given_):
    linked_world, shown, world, person, truth = given_
    seen = {found.knows: found for found in linked_world.sweep(ColumnSets(3, 3))}
    sets = [s for size in (1, 2) for s in combinations(range(3), size)]
    assert set(seen) == {tuple("abc"[j] for j in columns) for columns in sets}
    for columns in sets:
        found = seen[tuple("abc"[j] for j in columns)]
        number, success = naive.linkage(shown, world, person, columns, truth)
        assert found.number.tolist() == number
        assert linkage(found).success == pytest.approx(success)
        alone = linked_world.candidates(found.knows)
        assert alone.number.tolist() == number
        assert alone.right.tolist() == found.right.tolist()
    whole = linked_world.candidates()
    number, success = naive.linkage(shown, world, person, (0, 1, 2), truth)
    assert whole.number.tolist() == number
    assert linkage(whole).success == pytest.approx(success)


def test_all_columns_come_first_and_once():
    cells = [frozenset({1}), frozenset({1, 2})]
    linked_world = WorldLinkage(
        {name: label_column(name, cells) for name in "ab"},
        World({name: value_column(name, [1, 2, 3]) for name in "ab"}),
        ("a", "b"),
    )
    told = [attack.knows for attack in play_world(linked_world, Attackers(max_size=2)).attacks]
    assert told == [("a", "b"), ("a",), ("b",)]
    assert [attack.knows for attack in play_world(linked_world, Attackers()).attacks] == [
        ("a", "b")
    ]
