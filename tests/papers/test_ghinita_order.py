"""Ghinita Sections 3 and 6: divisions of one dimension, and mappings to it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.orders
from incrowd.loss import Gcp, IlInf
from incrowd.models import KAnonymity
from incrowd.search import Hilbert
from incrowd.search.literature.hilbert import hilbert_line
from incrowd.search.orders.division import code_positions
from incrowd.watch import Watch
from worked import problem, tree

EUROPE = ("France", "Italy", "Spain")
AMERICA = ("Canada", "US")
COUNTRIES = tree(
    [(c, "Europe", "Country") for c in EUROPE] + [(c, "America", "Country") for c in AMERICA]
)
SCALE = tree([(i, "*") for i in range(101)], ordered=True)


def run(values, k, loss=None):
    of = problem([(v,) for v in values], [SCALE], [KAnonymity(k)], loss or Gcp())
    return of, of.outcome(Hilbert().run(of, Watch()).recoding)


def cost(values, group, *, largest=False):
    held = [values[i] for i in group]
    extent = (max(held) - min(held)) / (max(values) - min(values) or 1)
    return extent if largest else extent * len(held) / len(values)


def best(values, k, candidates, *, largest=False):
    def price(group):
        return cost(values, group, largest=largest)

    return naive.orders.best(candidates, lambda group: len(group) >= k, price, largest=largest)


def runs(number):
    return ([range(*run) for run in division] for division in naive.orders.divisions(number))


@given(st.lists(st.integers(0, 100), min_size=3, max_size=9), st.integers(2, 3))
def test_lemma_1_no_best_division_needs_a_class_of_2k_records(values, k):
    values = sorted(values)
    short = (d for d in runs(len(values)) if all(len(group) < 2 * k for group in d))
    wanted = best(values, k, runs(len(values)))
    assert best(values, k, short) == pytest.approx(wanted)
    of, outcome = run(values, k)
    assert of.loss.of(outcome) == pytest.approx(wanted)


def test_figure_6_the_last_of_six_records_ends_a_class_of_three_to_five():
    """k = 3: of the candidates for the last class that one is taken which leaves least in all."""
    of, outcome = run([1, 2, 3, 50, 51, 52], 3)
    assert sorted(outcome.classes.records.tolist()) == [3, 3]
    assert of.loss.of(outcome) == pytest.approx(2 / 51)


def test_overlapping_classes_can_cost_less_gcp_than_any_division_into_runs():
    """Section 3 swaps records of overlapping classes without raising the loss; GCP can rise.

    One class of 0 and 100 around another of three times 50 costs 2/5; runs cost at least 1/2.
    """
    values = [0, 50, 50, 50, 100]
    everything = naive.orders.partitions(list(range(5)))
    assert best(values, 2, everything) == pytest.approx(2 / 5)
    of, outcome = run(values, 2)
    assert of.loss.of(outcome) == pytest.approx(1 / 2)


@given(st.lists(st.integers(0, 100), min_size=2, max_size=7))
def test_no_overlapping_classes_have_a_smaller_largest_extent(values):
    values = sorted(values)
    of, outcome = run(values, 2, IlInf())
    everything = naive.orders.partitions(list(range(len(values))))
    assert of.loss.of(outcome) == pytest.approx(best(values, 2, everything, largest=True))


def test_figure_20_countries_of_a_continent_stand_side_by_side():
    of = problem([(country,) for country in EUROPE + AMERICA], [COUNTRIES])
    assert code_positions(of.columns[0])[1:] == pytest.approx(np.arange(5) / 4)
    order, _ = hilbert_line(of)
    assert of.tally.quasi[0, order].tolist() == [1, 2, 3, 4, 5]
