"""The worked examples of Ghinita on l-diversity and the dual problem."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import naive.accuracy
from incrowd.kernels.literature.accuracy import GroupRule, grow_and_adjust_groups
from incrowd.loss import Gcp
from incrowd.models import LDiversity
from incrowd.search import Accuracy, Diversify
from incrowd.search.layout import boxes_of
from incrowd.search.literature.diversify import groups
from incrowd.watch import Watch
from strategies import problem_of
from worked import tree


def line(places, values, models=()):
    """A problem with one column of places on a line, and its records in their order."""
    low, high = min(places), max(places)
    column = tree([(place, "*") for place in range(low, high + 1)], ordered=True)
    codes = [place - low + 1 for place in places]
    problem = problem_of(([column], [codes], [values], None), models, Gcp())
    order = np.argsort(problem.tally.quasi[0], kind="stable").astype(np.int32)
    return problem, groups.records_of(problem, order, 0)


FIGURE_18 = (11, 14, 16, 20, 23, 27, 31, 33, 36, 40, 44)
"""The figure is a picture: 11, 27, 31 and 44 are in the text, the others are ours."""
VALUES = (1, 2, 3, 1, 2, 1, 3, 4, 2, 4, 3)


def test_figure_18_privacy_before_and_after_the_adjustment():
    problem, records = line(FIGURE_18, VALUES)
    extent = 20 / (44 - 11)

    def cost(group):
        held = [FIGURE_18[i] for i in group]
        return (max(held) - min(held)) / (44 - 11)

    runs = naive.accuracy.candidates(len(FIGURE_18), extent, cost)
    before = [naive.accuracy.privacy(run, VALUES, by_value=True) for run in runs]
    assert before == [Fraction(7, 3), Fraction(4, 2)]
    starts = np.array([0, len(problem.columns[0].frequency)])
    class_of = grow_and_adjust_groups(
        records.items,
        records.value,
        records.values,
        boxes_of(problem),
        starts,
        GroupRule(extent, True),
    )
    places = [sorted(np.array(FIGURE_18)[class_of == c].tolist()) for c in range(2)]
    assert places == [[11, 14, 16, 20, 23, 31], [27, 33, 36, 40, 44]]
    after = [
        naive.accuracy.privacy(np.flatnonzero(class_of == c), VALUES, by_value=True)
        for c in range(2)
    ]
    assert after == [Fraction(6, 2), Fraction(5, 2)]


def test_figure_14_the_extra_record_joins_the_group_before_it():
    places, values = (0, 1, 2, 3, 20, 21, 22), (1, 3, 4, 2, 1, 3, 4)
    problem, records = line(places, values, [LDiversity("s0", 3)])
    class_of, fallen = groups.diverse_classes(records, 3, boxes_of(problem))
    assert class_of.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert fallen == 0


def test_figure_14_not_if_its_value_is_there_already():
    places, values = (0, 1, 2, 3, 20, 21), (1, 3, 4, 1, 3, 4)
    problem, records = line(places, values, [LDiversity("s0", 3)])
    class_of, _ = groups.diverse_classes(records, 3, boxes_of(problem))
    assert class_of.tolist() == [0, 0, 0, 1, 1, 1]


def test_the_greedy_step_falls_back_on_the_most_frequent_values():
    # the first two records would leave three of value 3 among four
    places, values = (0, 1, 10, 11, 12, 13), (1, 2, 3, 3, 3, 1)
    problem, records = line(places, values, [LDiversity("s0", 2)])
    class_of, fallen = groups.diverse_classes(records, 2, boxes_of(problem))
    assert fallen == 1
    held = [Counter(records.value[class_of == c].tolist()) for c in range(3)]
    assert all(max(count.values()) == 1 and len(count) == 2 for count in held)


def test_figure_5_alzheimers_stays_with_the_old():
    # ages and diseases: the two over 80 are the only ones with the last value
    problem, _ = line((25, 40, 65, 82), (1, 2, 1, 3), [LDiversity("s0", 2)])
    found = Diversify().run(problem, Watch())
    outcome = problem.outcome(found.recoding)
    ends = sorted(zip((outcome.low[0] + 24).tolist(), (outcome.high[0] + 24).tolist(), strict=True))
    assert ends == [(25, 40), (65, 82)]


def test_section_5_a_bound_of_ten_years():
    """No class spans more than ten years of age, and privacy is as large as that allows."""
    problem, _ = line(tuple(range(30, 70, 2)), tuple(1 + i % 4 for i in range(20)))
    columns = (replace(problem.columns[0], widest=10.0),)
    problem = replace(problem, columns=columns)
    found = Accuracy(max_loss=1.0, privacy="l").run(problem, Watch())
    best = Accuracy(max_loss=1.0, privacy="l", method="optimal").run(problem, Watch())
    outcome = problem.outcome(found.recoding)
    assert (outcome.high - outcome.low).max() <= 10
    assert found.facts["l"] <= best.facts["l"]
    assert best.facts["l"] == pytest.approx(4)
