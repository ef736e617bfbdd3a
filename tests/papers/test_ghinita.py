"""The worked examples of Ghinita that need no picture."""

import numpy as np
import pytest

from incrowd.loss import Gcp, Il1, IlInf
from incrowd.recoding import Pieces, Spans
from worked import problem, tree

EUROPE = ("France", "Italy", "Spain")
AMERICA = ("Canada", "US")
COUNTRIES = tree(
    [(c, "Europe", "Country") for c in EUROPE] + [(c, "America", "Country") for c in AMERICA]
)


def partitioned(rows, trees, groups):
    """The outcome that puts each row into the group of its number."""
    of = problem(rows, trees)
    class_of = np.empty(of.tally.rows, dtype=np.int32)
    class_of[of.tally.row_of] = groups
    pieces = Pieces(np.arange(of.tally.rows, dtype=np.int32), of.tally.counts, class_of)
    return of.outcome(Spans(pieces))


@pytest.mark.parametrize(
    ("group", "penalty"),
    [
        ({"Italy", "France"}, 3 / 5),
        ({"US", "Spain"}, 1),
        ({"US", "Canada"}, 2 / 5),
        ({"Italy"}, 0),
    ],
    ids=["italy-france", "us-spain", "us-canada", "italy"],
)
def test_figure_20_ncp_of_countries(group, penalty):
    rows = [(country,) for country in sorted(group)]
    outcome = partitioned(rows, [COUNTRIES], [0] * len(rows))
    assert Gcp().of(outcome) == pytest.approx(penalty)
    assert IlInf().of(outcome) == pytest.approx(penalty)


AGES = tree([(age, "*") for age in range(35, 75, 5)], ordered=True)
WEIGHTS = tree([(kilo, "*") for kilo in range(50, 90, 5)], ordered=True)


def test_ncp_of_numbers_is_the_extent_over_that_of_the_table():
    rows = [(35, 50), (45, 60), (60, 80), (70, 85)]
    outcome = partitioned(rows, [AGES, WEIGHTS], [0, 0, 1, 1])
    first, second = (10 / 35 + 10 / 35) / 2, (10 / 35 + 5 / 35) / 2
    assert Gcp().of(outcome) == pytest.approx((2 * first + 2 * second) / 4)
    assert Il1().of(outcome) == pytest.approx((first + second) / 2)
    assert IlInf().of(outcome) == pytest.approx(first)


def test_gcp_weighs_groups_by_their_records():
    rows = [(35, 50), (35, 55), (35, 60), (70, 85)]
    outcome = partitioned(rows, [AGES, WEIGHTS], [0, 0, 0, 1])
    assert Gcp().of(outcome) == pytest.approx(3 * (10 / 35 / 2) / 4)
    assert Il1().of(outcome) == pytest.approx(10 / 35 / 2 / 2)


def test_gcp_is_one_when_a_single_group_covers_the_table():
    rows = [(35, 50), (50, 60), (70, 85)]
    assert Gcp().of(partitioned(rows, [AGES, WEIGHTS], [0, 0, 0])) == pytest.approx(1)
    assert Gcp().of(partitioned(rows, [AGES, WEIGHTS], [0, 1, 2])) == 0


def test_splitting_a_group_can_raise_the_average_extent():
    rows = [(35,), (40,), (50,), (65,), (70,)]
    together = partitioned(rows, [AGES], [0, 0, 1, 0, 0])
    split = partitioned(rows, [AGES], [0, 1, 2, 0, 1])
    assert Il1().of(together) == pytest.approx(1 / 2)
    assert Il1().of(split) == pytest.approx(2 * 30 / 35 / 3)
    assert Il1().of(split) > Il1().of(together)
    assert IlInf().of(split) < IlInf().of(together)
    assert Gcp().of(split) < Gcp().of(together)
