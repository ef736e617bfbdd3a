"""Classes in steps, and pairs of columns, against counts that are written out."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.exposure.pairs import unique_by_pairs
from incrowd.exposure.spread import (
    records_by_step,
    risk_steps,
    size_steps,
    step_names,
    value_steps,
)
from incrowd.partition.classes import Classes
from incrowd.table.fold import fold

TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=30)
)


def classes_of(sizes):
    people = np.array(sizes, dtype=np.int64)
    return Classes(people, people, {})


@given(TABLES, st.booleans(), st.data())
def test_pairs_are_counted_one_by_one(rows, units, data):
    width = len(rows[0])
    unit = None
    if units:
        drawn = st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows))
        unit = np.array(data.draw(drawn), dtype=np.int32)
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    found = unique_by_pairs([f"c{j}" for j in range(width)], fold(columns, (), unit))
    who = [f"alone {i}" if unit is None or not unit[i] else int(unit[i]) for i in range(len(rows))]
    for i in range(width):
        for j in range(width):
            people = {}
            for row, person in zip(rows, who, strict=True):
                people.setdefault((row[i], row[j]), set()).add(person)
            alone = sum(len(people[row[i], row[j]]) == 1 for row in rows)
            assert found[i, j] == pytest.approx(alone / len(rows))


@given(st.lists(st.integers(1, 300), min_size=1, max_size=40), st.integers(1, 50))
def test_every_record_is_in_one_step(sizes, least):
    steps = size_steps(least, max(sizes))
    counts = records_by_step(classes_of(sizes), np.array(sizes), steps)
    assert steps[0] == 1
    assert least in steps or least > max(sizes)
    ends = [*steps[1:], 10**9]
    for low, high, count in zip(steps, ends, counts, strict=True):
        assert count == sum(size for size in sizes if low <= size < high)
    assert len(step_names(steps, whole=True)) == len(steps) == len(set(steps))


@given(
    st.lists(st.floats(0, 60, allow_nan=False), min_size=1, max_size=30),
    st.one_of(st.none(), st.floats(0.01, 40)),
)
def test_steps_of_values_hold_every_class(values, asked):
    steps = value_steps(values, asked)
    counts = records_by_step(classes_of([1] * len(values)), np.array(values), steps)
    assert sum(counts) == len(values)
    assert list(steps) == sorted(set(steps))
    if asked is not None and asked <= max(values):
        assert asked in steps
        below = sum(counts[: steps.index(asked)])
        assert below == sum(value < asked for value in values) or min(values) < steps[0]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=60), st.integers(1, 9))
def test_the_curve_of_risk_hides_few_records(sizes, least):
    points = risk_steps(classes_of(sizes), least)
    total = sum(sizes)
    held = Counter()
    for size in sizes:
        held[size] += size
    if total < least:
        assert points == ()
        return
    assert list(points) == sorted(points, key=lambda point: point[0])
    above = [share * total for _, share in points]
    steps = -np.diff([total, *above])
    assert (steps[1:] >= least - 1e-6).all()
    assert points[-1][1] == 0.0
    for risk, share in points:
        counted = sum(n for s, n in held.items() if 1 / s > risk)
        assert share * total >= counted - 1e-6  # never less than there is
        assert share * total < counted + least
    if least == 1:
        assert [risk for risk, _ in points] == sorted(1 / s for s in held)
