import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.models
import naive.risk
from incrowd.exposure import measure, measure_blocks
from incrowd.partition.classes import SensitiveColumn
from incrowd.table.column import Missing
from incrowd.table.fold import fold
from strategies import problem_of, tables

KEYS = {
    *("schema", "records", "people", "classes", "k", "unique_records", "average_class"),
    *("prosecutor", "sensitive", "missing"),
}


def tally_of_columns(*columns, unit=None, weights=None):
    quasi = [np.array(column, dtype=np.int32) for column in columns]
    return fold(quasi, (), None if unit is None else np.array(unit, dtype=np.int32), weights)


@settings(deadline=None, max_examples=60)
@given(tables(sensitive=2, units=True, max_columns=4), st.sampled_from([0.2, 0.5, 1 / 3, 0.1]))
def test_every_reading_agrees_with_the_naive_twin(table, threshold):
    _, quasi, values, unit = table
    problem = problem_of(table, [], None)
    people = list(range(len(quasi[0]))) if unit is None else unit

    risk = measure(problem.tally, problem.sensitive, threshold)

    for reading in Missing:
        fast = risk.missing[reading]
        slow = naive.risk.figures(quasi, values, people, reading, threshold)
        for name in ("records", "people", "classes", "k", "unique_records"):
            assert getattr(fast, name) == slow[name], name
        assert fast.average_class == pytest.approx(slow["average_class"])
        for name in ("max", "average", "above_threshold"):
            assert getattr(fast.prosecutor, name) == pytest.approx(slow[name]), name
        for column, reached in zip(problem.sensitive, slow["sensitive"], strict=True):
            held = fast.sensitive[column.name]
            assert held.l == {
                kind: pytest.approx(reached[kind]) for kind in ("frequency", "distinct", "entropy")
            }
            whole = dict(enumerate(column.whole.tolist()))
            t = max((naive.models.equal(v, whole) for v in reached["held"]), default=0)
            assert held.t["equal"] == pytest.approx(float(t))
            t = max((naive.models.ordered(v, whole) for v in reached["held"]), default=0)
            assert held.t["ordered"] == pytest.approx(float(t))


@settings(deadline=None)
@given(tables(sensitive=1, units=True))
def test_the_figures_hang_together(table):
    problem = problem_of(table, [], None)

    risk = measure(problem.tally, problem.sensitive)

    assert sum(classes for _, classes in risk.sizes) == risk.classes
    assert risk.sizes[0][0] == risk.k
    assert risk.missing[Missing.MATCHES_ANYTHING].k >= risk.k
    assert risk.unique_share == risk.unique_records / risk.records
    assert risk.missing[Missing.OWN_VALUE].k == risk.k
    found = json.loads(json.dumps(risk.as_dict(), allow_nan=False))
    assert found.keys() >= KEYS
    assert found["prosecutor"].keys() == {"max", "average", "above_threshold"}
    assert found["sensitive"]["s0"]["l"].keys() == {"frequency", "distinct", "entropy"}
    assert found["missing"].keys() == {"own-value", "matches-anything", "suppress"}


def test_a_missing_value_is_read_in_three_ways():
    """Two records differ in a missing value alone; a third is like neither."""
    risk = measure(tally_of_columns([1, 1, 2], [0, 7, 9]), ())

    readings = risk.as_dict()["missing"]
    assert {name: read["k"] for name, read in readings.items()} == {
        "own-value": 1,
        "matches-anything": 1,
        "suppress": 1,
    }
    assert {name: read["unique_records"] for name, read in readings.items()} == {
        "own-value": 3,
        "matches-anything": 1,
        "suppress": 2,
    }
    assert readings["suppress"]["records"] == 2


def test_the_reading_asked_for_gives_the_figures():
    tally = tally_of_columns([1, 1, 2], [0, 7, 9])

    assert measure(tally, (), missing=Missing.SUPPRESS).records == 2
    assert measure(tally, (), missing=Missing.MATCHES_ANYTHING).unique_records == 1


def test_prosecutor_risk_of_a_small_table():
    """Classes of 5, 2 and 1: a risk of exactly the threshold does not exceed it."""
    risk = measure(tally_of_columns([1, 1, 1, 1, 1, 2, 2, 3]), (), threshold=0.2)

    assert risk.prosecutor.max == 1
    assert risk.prosecutor.average == pytest.approx(3 / 8)
    assert risk.prosecutor.above_threshold == 3 / 8
    assert risk.sizes == ((1, 1), (2, 1), (5, 1))
    assert (risk.k, risk.unique_records, risk.unique_share) == (1, 1, 1 / 8)


def test_a_person_with_many_records_is_one_person():
    risk = measure(tally_of_columns([1, 1, 1, 2, 2], unit=[1, 1, 1, 2, 3]), ())

    assert (risk.records, risk.people, risk.k, risk.unique_records) == (5, 3, 1, 3)
    assert risk.prosecutor.average == pytest.approx((3 + 2 / 2) / 5)


def test_weights_tell_the_lightest_class():
    risk = measure(tally_of_columns([1, 1, 2], weights=np.array([10.0, 2.5, 40.0])), ())

    assert risk.population == 12.5


def test_a_table_without_records_has_no_risk():
    nothing = np.empty(0, dtype=np.int32)
    tally = fold([nothing, nothing], [nothing])
    column = SensitiveColumn("s", np.zeros(1, dtype=np.int64), ordered=True)

    found = measure(tally, [column]).as_dict()

    assert (found["records"], found["classes"], found["k"]) == (0, 0, 0)
    assert found["prosecutor"] == {"max": 0.0, "average": 0.0, "above_threshold": 0.0}
    assert found["sensitive"]["s"]["l"] == {"frequency": None, "distinct": None, "entropy": None}
    json.dumps(found, allow_nan=False)


def test_without_quasi_identifiers_all_are_one_class():
    tally = fold((), [np.array([1, 2, 2], dtype=np.int32)])
    column = SensitiveColumn("s", np.array([0, 1, 2]))

    risk = measure(tally, [column])

    assert (risk.classes, risk.k) == (1, 3)
    assert risk.sensitive["s"].t == {"equal": pytest.approx(0, abs=1e-12)}


@settings(deadline=None, max_examples=60)
@given(tables(sensitive=2, max_columns=3), st.integers(1, 4), st.sampled_from([0.2, 0.5]))
def test_a_table_in_blocks_has_the_risk_of_the_whole(table, number, threshold):
    tally = replace(problem_of(table, [], None).tally, row_of=None)
    sensitive = problem_of(table, [], None).sensitive
    block = tally.quasi.sum(axis=0) % number
    blocks = [tally.take(np.flatnonzero(block == b).astype(np.int32)) for b in range(number)]
    found = measure_blocks(iter(blocks), sensitive, threshold)
    if (tally.quasi == 0).any():
        assert found is None
    else:
        assert found.as_dict() == measure(tally, sensitive, threshold).as_dict()
