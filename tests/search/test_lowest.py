"""Levels below a column's lowest are never shown, whatever the search."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from incrowd.errors import InfeasibleError
from incrowd.hierarchy import Dates, Intervals, Ordered, Tree
from incrowd.hierarchy.hierarchy import texts
from incrowd.loss import Discernibility, Gcp, Il1
from incrowd.models import KAnonymity
from incrowd.search import Auto, Datafly, Exhaustive, Lattice, Mondrian, MuArgus
from incrowd.search.lattice import lattice as best_first
from incrowd.table.column import Domain, Kind
from incrowd.watch import Watch
from strategies import problem_of, tables

LOWEST = st.lists(st.integers(0, 2), min_size=3, max_size=3)


def found(search, problem):
    try:
        return search.run(problem, Watch())
    except InfeasibleError:
        assume(False)


@settings(max_examples=40)
@pytest.mark.parametrize(
    "search", [Auto(), Datafly(), Lattice(), Mondrian(), Mondrian(True), MuArgus()]
)
@given(table=tables(), lowest=LOWEST, k=st.integers(2, 3))
def test_no_level_below_the_lowest_is_shown(search, table, lowest, k):
    problem = problem_of(table, [KAnonymity(k)], Gcp(), 0.2, lowest)
    outcome = problem.outcome(found(search, problem).recoding)
    for j, column in enumerate(problem.columns):
        tree = column.hierarchy
        assert (outcome.level[j] >= column.lowest).all()
        first, last = tree.bounds[column.lowest]
        nodes = tree.maps[column.lowest]
        assert (first[nodes[outcome.low[j]]] == outcome.low[j])[outcome.low[j] > 0].all()
        assert (last[nodes[outcome.high[j]]] == outcome.high[j])[outcome.high[j] > 0].all()
        labels = tree.show(
            outcome.low[j], outcome.high[j], outcome.level[j], outcome.spans, lowest=column.lowest
        )
        below = {label for h in range(column.lowest) for label in tree.labels[h]}
        assert not below & set(labels.tolist())


@settings(max_examples=40)
@pytest.mark.parametrize("largest", [best_first.LARGEST_GRID, 0], ids=["grid", "heap"])
@given(
    table=tables(),
    lowest=LOWEST,
    loss=st.sampled_from([Gcp(), Discernibility(), Il1()]),
    suppression=st.sampled_from([0.0, 0.3]),
)
def test_the_lattice_finds_what_the_oracle_finds(largest, table, lowest, loss, suppression):
    problem = problem_of(table, [KAnonymity(2)], loss, suppression, lowest)
    slow = found(Exhaustive(), problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_first, "LARGEST_GRID", largest)
        fast = found(Lattice(), problem)
    assert fast.optimal
    assert np.isclose(
        loss.of(problem.outcome(fast.recoding)), loss.of(problem.outcome(slow.recoding))
    )


BIRTHS = Domain(Kind.DATE, np.array(["1921-05-17", "1938-11-23", "1950-01-02"], "datetime64[D]"))
AGES = Domain(Kind.NUMBER, np.array([3, 17, 44, 67, 95, 104]))
STAGES = ("I", "II", "III", "IV", "V")
LYING = (("1", "[7, 8]", "*"), ("2", "[7, 8]", "*"), ("3", "[1, 2]", "*"))


@pytest.mark.parametrize(
    ("spec", "domain", "low", "high", "shown"),
    [
        (Dates(steps=("year",)), BIRTHS, 1, 2, "[1921, 1938]"),
        (Dates(steps=("quarter",)), BIRTHS, 1, 2, "[1921-Q2, 1938-Q4]"),
        (Dates(steps=("5 years",)), BIRTHS, 1, 3, "[1920, 1955)"),
        (Intervals(width=5, top=90), AGES, 2, 4, "[15, 70)"),
        (Intervals(width=5, top=90), AGES, 3, 6, "≥ 40"),
        (Intervals(width=5, bottom=18), AGES, 1, 3, "< 45"),
        (Ordered(STAGES, sizes=(2,)), Domain(Kind.TEXT, texts(STAGES)), 1, 4, "[I, IV]"),
        (Ordered(STAGES, sizes=(2,)), Domain(Kind.TEXT, texts(STAGES)), 3, 5, "[III, V]"),
        (Tree(LYING), Domain(Kind.NUMBER, np.arange(1, 4)), 1, 3, '["[7, 8]", "[1, 2]"]'),
    ],
)
def test_spans_end_where_nodes_of_the_lowest_level_end(spec, domain, low, high, shown):
    tree = spec.build(domain, "x")
    ends = np.array([low], dtype=np.int32), np.array([high], dtype=np.int32)
    (label,) = tree.show(*ends, tree.join_level(*ends), True, lowest=1)
    assert label == shown
    assert tree.decode(label).tolist() == list(range(low, high + 1))
