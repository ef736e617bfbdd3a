"""The most privacy by all ways: no less than any of them, and never more than there is."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive.accuracy
from incrowd.errors import InfeasibleError
from incrowd.kernels.boxes import box_cost
from incrowd.kernels.literature import accuracy, accuracy_limits
from incrowd.loss import Gcp
from incrowd.loss.ncp import ncp_of_classes
from incrowd.models import KAnonymity, LDiversity
from incrowd.search import Accuracy, Crowd, Diversify
from incrowd.search.layout import boxes_of
from incrowd.search.literature.accuracy import scan
from incrowd.search.literature.accuracy.answers import BoundedProblem
from incrowd.search.literature.accuracy.frontier import frontier
from incrowd.search.literature.accuracy.loners import code_starts
from incrowd.search.literature.accuracy.portfolio import MAPPINGS
from incrowd.search.literature.diversify.diversify import order_of
from incrowd.search.literature.diversify.groups import records_of
from incrowd.watch import Watch
from strategies import problem_of, tables
from worked import tree

pytestmark = pytest.mark.slow
"""Each curve takes several searches."""

THOROUGH = pytest.mark.thorough
BOUNDS = [0.0, 0.25, 0.4, 0.7, 1.0]


def found_by(problem, bound, privacy, **settings):
    """What the search finds, None if it finds nothing."""
    try:
        return Accuracy(max_loss=bound, privacy=privacy, **settings).run(problem, Watch())
    except InfeasibleError:
        return None


def reached(problem, bound, privacy, **settings):
    found = found_by(problem, bound, privacy, **settings)
    return found.facts[privacy] if found else 0.0


def skewed(seed, *, records=120, units=False, **settings):
    """A table with two columns of numbers, most of them small, and four values."""
    rng = np.random.default_rng(seed)
    trees = [tree([(i, "*") for i in range(20)], ordered=True) for _ in range(2)]
    quasi = [np.minimum(rng.geometric(0.15, records), 20).tolist() for _ in range(2)]
    values = [rng.integers(1, 5, records).tolist()]
    unit = rng.integers(0, 60, records).tolist() if units else None
    problem = problem_of((trees, quasi, values, unit), [KAnonymity(2)], Gcp())
    return replace(problem, **settings)


def ages(rows, models=(), **settings):
    """A problem with one column of numbers from 0 to 100, and values."""
    column = tree([(age, "*") for age in range(101)], ordered=True)
    codes, values = [age + 1 for age, _ in rows], [value for _, value in rows]
    return replace(problem_of(([column], [codes], [values], None), models, Gcp()), **settings)


@pytest.mark.parametrize("privacy", ["k", "l"])
@pytest.mark.parametrize("seed", [*(pytest.param(s, marks=THOROUGH) for s in (0, 2)), 1])
def test_it_is_no_less_than_ac_along_any_mapping_nor_than_a_scan(seed, privacy):
    problem = skewed(seed)
    for bound in (0.3, 0.5):
        best = reached(problem, bound, privacy)
        for mapping in MAPPINGS:
            assert best >= reached(problem, bound, privacy, method="ac", mapping=mapping) - 1e-9
        quest = BoundedProblem(problem, bound + 1e-9, None if privacy == "k" else 0, "kd-tree")
        for search in (Crowd(), Diversify()):
            way = scan.Way("alone", search)
            alone = scan.bisect_privacy(quest, way, scan.Scans(problem, quest.sensitive), Watch())
            assert alone is None or best >= alone.privacy - 1e-9


def test_another_mapping_or_a_scan_can_be_more_private_than_the_first():
    assert reached(skewed(0), 0.5, "l") > reached(skewed(0), 0.5, "l", method="ac")
    ways = [reached(skewed(1), 0.5, "l", method="ac", mapping=mapping) for mapping in MAPPINGS]
    assert reached(skewed(1), 0.5, "l") > max(ways)


def test_leaving_records_out_raises_privacy():
    rows = [(age, age % 5) for age in [*range(40)] * 2] + [(100, 1), (100, 2)]
    assert reached(ages(rows), 0.5, "k") == 2
    spare = ages(rows, suppression=0.03)
    found = found_by(spare, 0.5, "k")
    assert found.facts["k"] == 80
    assert spare.outcome(found.recoding).suppressed == 2


def test_leaving_out_the_commonest_value_raises_l():
    rows = [(age, 1 + age % 4) for age in range(40)] + [(age, 1) for age in range(10)]
    assert reached(ages(rows), 1.0, "l") == 2.5
    assert reached(ages(rows, suppression=0.2), 1.0, "l") == 4


@pytest.mark.parametrize(
    ("settings", "privacy"),
    [
        (settings, privacy)
        for settings in ({"units": True}, {"consistent": True})
        for privacy in "kl"
    ],
    ids=str,
)
def test_people_with_several_records_and_consistency_are_scanned_for(settings, privacy):
    problem = skewed(1, **settings)
    former = reached(problem, 0.3, privacy, method="ac")
    found = found_by(problem, 0.3, privacy)
    assert found.facts[privacy] > former
    assert problem.satisfied_by(problem.outcome(found.recoding).classes).all()
    assert "scans with" in found.why
    assert "AC along" not in found.why


@pytest.mark.parametrize("privacy", ["k", "l"])
def test_loss_that_buys_no_privacy_is_taken_back(privacy):
    rows = [(age, age % 3) for age in range(60)] + [(age, age % 3) for age in (98, 99, 100)]
    problem = ages(rows)
    best, former = (found_by(problem, 0.3, privacy, method=m) for m in ("best", "ac"))
    assert best.facts[privacy] == former.facts[privacy] == 3
    loss = [Gcp().of(problem.outcome(found.recoding)) for found in (best, former)]
    assert loss[0] <= loss[1]
    assert loss[0] < 0.03
    sizes = problem.outcome(best.recoding).classes.people
    assert sizes.max() < 6


@settings(max_examples=40)
@given(data=st.data())
def test_no_more_is_claimed_than_every_partition_shows(data):
    table = data.draw(tables(max_records=6, max_columns=2))
    privacy, bound = data.draw(st.sampled_from("kl")), data.draw(st.sampled_from(BOUNDS))
    spare = data.draw(st.integers(0, 2))
    problem = problem_of(table, [], Gcp())
    number = problem.tally.records
    problem = replace(problem, suppression=spare / number)
    records = records_of(problem, order_of(problem, "kd-tree"), 0)
    assume(privacy == "k" or records.values > 1)
    assume(spare < number)
    flat, lines = boxes_of(problem), records.cells[records.row]

    def cost(group):
        return box_cost(flat, lines[group].min(axis=0), lines[group].max(axis=0))

    values = records.value.tolist()
    by_value = privacy == "l"
    best = naive.accuracy.best_leaving_out(values, bound + 1e-9, cost, spare, by_value=by_value)
    found = found_by(problem, bound, privacy)
    assert found is None or best is not None
    if found is None:
        return
    outcome = problem.outcome(found.recoding)
    assert ncp_of_classes(outcome).max() <= bound + 1e-9
    assert outcome.suppressed <= spare
    assert found.facts[privacy] <= best + Fraction(1, 10**9)
    assert found.facts.get("at_most", np.inf) >= best - Fraction(1, 10**9)
    if "the highest possible" in found.why:
        assert found.facts[privacy] == pytest.approx(float(best))


@settings(max_examples=60)
@given(tables(max_records=12, max_columns=2), st.sampled_from(BOUNDS))
def test_the_company_of_records_is_what_lists_say(table, bound):
    problem = problem_of(table, [], Gcp())
    records, flat = records_of(problem, order_of(problem, "kd-tree"), 0), boxes_of(problem)
    lines = records.cells[records.row]

    def cost(group):
        return box_cost(flat, lines[group].min(axis=0), lines[group].max(axis=0))

    number = len(records.row)
    first = accuracy.longest_run_starts(records.items, flat, code_starts(problem), bound)
    slow = naive.accuracy.longest_runs(number, bound, cost)
    assert accuracy_limits.longest_run_lengths(first).tolist() == slow
    tally = problem.tally
    rows = np.arange(tally.rows, dtype=np.int32)
    columns = records.cells, tally.counts, tally.sensitive[0], flat, rows, bound
    people, distinct = accuracy_limits.count_possible_company(*columns)
    for row in rows.tolist():
        mine = np.flatnonzero(records.row == row)[0]
        near = [i for i in range(number) if cost([mine, i]) <= bound]
        assert people[row] == len(near)
        assert distinct[row] == len({int(records.value[i]) for i in near})


@pytest.mark.parametrize("privacy", ["k", "l"])
@pytest.mark.parametrize("suppression", [pytest.param(0.0, marks=THOROUGH), 0.1])
def test_the_curve_rises_and_a_release_is_no_worse_than_its_point(privacy, suppression):
    problem = skewed(1, records=60, suppression=suppression)
    curve = frontier(problem, Accuracy(privacy=privacy), Watch(), (0.2, 0.35, 0.5, 0.8))
    assert len(curve.points) > 1
    for point in curve.points:
        assert reached(problem, point.max_loss, privacy) >= getattr(point, privacy) - 1e-9


def test_a_curve_makes_each_release_once(monkeypatch):
    asked = []
    run = Diversify.run
    monkeypatch.setattr(
        Diversify,
        "run",
        lambda self, problem, watch: (
            asked.append((self, problem.models)),
            run(self, problem, watch),
        )[1],
    )
    frontier(skewed(1, records=60), Accuracy(privacy="l"), Watch(), (0.2, 0.35, 0.5, 0.8))
    assert len(asked) == len(set(asked)) > 0


def test_a_smaller_bound_never_is_more_private_along_the_grid():
    problem = skewed(2, records=40)
    for privacy in "kl":
        got = [reached(problem, bound, privacy) for bound in (0.25, 0.3, 0.35, 0.4, 0.45, 0.5)]
        assert got == sorted(got)


def test_it_says_what_was_tried_and_what_is_not_possible():
    why = found_by(skewed(0), 0.3, "k").why
    assert "tried AC along kd-tree" in why
    assert "scans with mondrian, tree, crowd" in why
    assert "other searches were not tried" in why
    assert "is not possible" in why or "the highest possible" in why


def test_two_runs_agree():
    one, two = (found_by(skewed(0, records=60, suppression=0.1), 0.4, "l") for _ in range(2))
    assert one.facts == two.facts
    assert (one.recoding.pieces.class_of == two.recoding.pieces.class_of).all()


def test_floors_hold():
    problem = replace(
        skewed(1, records=60), models=(KAnonymity(5), LDiversity("s0", 2)), suppression=0.1
    )
    for privacy in "kl":
        found = found_by(problem, 0.5, privacy)
        assert problem.satisfied_by(problem.outcome(found.recoding).classes).all()
