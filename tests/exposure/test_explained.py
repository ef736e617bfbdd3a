"""What columns do to the risk, against explicit counting; what is said to lower it does."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.risk
from incrowd.exposure import measure
from incrowd.exposure.explained import (
    MOST_SWEPT,
    bands_of_values,
    explain_columns,
    findings,
    rows_at_risk,
    share_of,
)
from incrowd.table.fold import fold
from strategies import tables

THRESHOLD = 0.4


def told(table, coarser=None, population=None, weights=None):
    """The tally, its risk and its explanation; and rows and people for the naive twin."""
    _, quasi, _, unit = table
    columns = [np.array(column, dtype=np.int32) for column in quasi]
    units = None if unit is None else np.array(unit, dtype=np.int32)
    tally = fold(columns, (), units, weights)
    risk = measure(tally, (), THRESHOLD, population=population)
    names = [f"q{j}" for j in range(len(columns))]
    rows = list(zip(*quasi, strict=True))
    people = [(i, 0) if unit is None or not unit[i] else unit[i] for i in range(len(rows))]
    return explain_columns(names, tally, risk, coarser or {}), risk, rows, people


def above(rows, people, columns):
    sizes = naive.risk.crowd(rows, people, columns)
    return sum(1 / size > THRESHOLD for size in sizes) / len(rows)


@given(tables(sensitive=0, units=True, max_columns=3, max_records=10))
def test_contributions_agree_with_counting(table):
    found, _, rows, people = told(table)
    every = range(len(rows[0]))
    parts = naive.risk.shapley(rows, people)
    for j, one in enumerate(found.contributions):
        others = [i for i in every if i != j]
        assert one.alone == pytest.approx(above(rows, people, [j]))
        assert one.without == pytest.approx(above(rows, people, others))
        assert one.values == len({row[j] for row in rows})
        assert one.unique == pytest.approx(parts[j], abs=1e-9)


@given(tables(sensitive=0, units=True, max_columns=3, max_records=10))
def test_the_parts_of_the_columns_sum_to_the_share_of_uniques(table):
    found, risk, rows, people = told(table)
    parts = sum(one.unique for one in found.contributions)
    assert parts == pytest.approx(risk.unique_share - naive.risk.unique_share(rows, people, ()))


@given(tables(sensitive=0, units=True, max_columns=3, max_records=10))
def test_knowledge_agrees_with_counting(table):
    from itertools import combinations

    found, _, rows, people = told(table)
    width = len(rows[0])
    for step in found.knowledge:
        sets = list(combinations(range(width), step.known))
        shares = [naive.risk.unique_share(rows, people, one) for one in sets]
        sizes = [naive.risk.crowd(rows, people, one) for one in sets]
        assert step.sets == len(sets)
        assert step.unique_share == pytest.approx(max(shares))
        assert step.mean_unique_share == pytest.approx(sum(shares) / len(shares))
        worst = [int(name[1:]) for name in step.worst]
        assert naive.risk.unique_share(rows, people, worst) == pytest.approx(max(shares))
        average = max(sum(1 / s for s in size) / len(rows) for size in sizes)
        assert step.average == pytest.approx(average)


@given(tables(sensitive=0, units=True, max_columns=3, max_records=12), st.data())
def test_changes_are_what_they_say(table, data):
    trees, quasi = table[:2]
    width = len(quasi)
    coarser = {
        f"q{j}": np.array([0, *(1 + i // 2 for i in range(len(tree.leaves)))], dtype=np.int32)
        for j, tree in enumerate(trees)
        if data.draw(st.booleans())
    }
    found, risk, rows, people = told(table, coarser)
    for change in found.changes:
        j = int(change.column[1:])
        if change.change == "drop":
            others = [i for i in range(width) if i != j]
            assert change.above_threshold == pytest.approx(above(rows, people, others))
            continue
        quasi = [list(column) for column in table[1]]
        quasi[j] = coarser[change.column][quasi[j]].tolist()
        shown = list(zip(*quasi, strict=True))
        assert change.above_threshold == pytest.approx(above(shown, people, range(width)))
        assert change.values == len(set(quasi[j]))
        unique = naive.risk.unique_share(shown, people, range(width))
        assert change.unique_share == pytest.approx(unique)
    assert {c.column for c in found.changes if c.change == "coarsen"} == set(coarser)
    for finding in findings(replace(risk, explained=found)):
        for best in filter(None, (finding.drop, finding.coarsen)):
            lowered = getattr(best, finding.figure)
            assert lowered < finding.now
            same = [c for c in found.changes if c.change == best.change]
            assert lowered == min(getattr(c, finding.figure) for c in same)


def test_bands_tell_how_common_the_values_of_the_exposed_are():
    """One value of one record, one of three, one of a hundred; the hundred hide each other."""
    codes = np.array([1, *[2] * 3, *[3] * 100], dtype=np.int32)
    tally = fold([codes], ())
    found = bands_of_values(tally, 0, rows_at_risk(tally, tally.quasi, 0.2))
    assert [band.values for band in found] == [1, 1, 0, 0, 1]
    assert [band.records for band in found] == pytest.approx([1 / 104, 3 / 104, 0, 0, 100 / 104])
    assert [band.exposed for band in found] == pytest.approx([1 / 4, 3 / 4, 0, 0, 0])


def test_exposed_rows_have_a_risk_above_the_threshold():
    tally = fold([np.array([1, 1, 1, 1, 1, 2, 2, 3], dtype=np.int32)], ())
    assert share_of(tally, rows_at_risk(tally, tally.quasi, 0.2)) == 3 / 8
    assert share_of(tally, rows_at_risk(tally, tally.quasi, 0.5)) == 1 / 8
    assert share_of(tally, rows_at_risk(tally, tally.quasi, 1.0)) == 0


def test_a_change_is_measured_for_the_population_too():
    rng = np.random.default_rng(1)
    table = ((), [rng.integers(1, 60, 300).tolist(), rng.integers(1, 4, 300).tolist()], (), None)
    found, risk, _, _ = told(table, population=3_000)
    assert {finding.figure for finding in findings(replace(risk, explained=found))} == {
        "above_threshold",
        "unique_share",
        "uniqueness",
        "individual",
    }
    dropped = found.changes[0]
    alone = measure(fold([np.array(table[1][1], dtype=np.int32)], ()), (), population=3_000)
    assert dropped.uniqueness == alone.uniqueness.estimate
    assert dropped.individual == pytest.approx(alone.individual.average)


def test_one_column_cannot_be_dropped():
    found, risk, _, _ = told(((), [[1, 2, 2, 2, 2, 2]], (), None))
    assert found.changes == ()
    (first, *_) = findings(replace(risk, explained=found))
    assert (first.drop, first.coarsen) == (None, None)


def test_a_table_without_records_is_explained():
    found, risk, _, _ = told(((), [[], []], (), None))
    assert findings(replace(risk, explained=found)) == ()
    assert found.knowledge == ()


def test_many_columns_are_not_swept():
    quasi = [[1, 2, j] for j in range(MOST_SWEPT + 1)]
    found, _, _, _ = told(((), quasi, (), None))
    assert found.knowledge == ()
    assert found.contributions[0].unique is None
