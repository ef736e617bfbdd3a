"""Motwani-Xu Table 1: its minimal keys and quasi-identifiers."""

import numpy as np
import pytest

from incrowd.identify.minimal import minimal_sets
from incrowd.identify.records import Measure, Records

AGE, SEX, STATE = range(3)
TABLE_1 = Records(
    ("age", "sex", "state"),
    np.array([[1, 2, 3, 1, 3], [1, 1, 1, 2, 2], [1, 1, 3, 2, 1]], dtype=np.int32),
    np.ones(5, dtype=np.int64),
)


@pytest.mark.parametrize(
    "method", ["auto", "levelwise", "subtable", "iterative", "hitting-sets", "depth-first"]
)
def test_the_minimal_keys_of_table_1(method):
    found = minimal_sets(TABLE_1, Measure.DISTINCT, 1.0, method=method)
    assert found.sets == ((AGE, SEX), (AGE, STATE))
    assert found.complete


def test_age_is_a_06_distinct_and_08_separation_quasi_identifier():
    assert (AGE,) in minimal_sets(TABLE_1, Measure.DISTINCT, 0.6).sets
    assert (AGE,) in minimal_sets(TABLE_1, Measure.SEPARATION, 0.8).sets
    assert (AGE,) not in minimal_sets(TABLE_1, Measure.SEPARATION, 0.81).sets


def test_sex_and_state_are_08_distinct_and_09_separation():
    assert (SEX, STATE) in minimal_sets(TABLE_1, Measure.DISTINCT, 0.8).sets
    assert (SEX, STATE) in minimal_sets(TABLE_1, Measure.SEPARATION, 0.9).sets
