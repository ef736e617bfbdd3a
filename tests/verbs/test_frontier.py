"""The curve of privacy against the bound: monotone, nothing attainable hidden, figures true."""

import itertools

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd import Column, InfeasibleError, KAnonymity, LDiversity, Policy
from incrowd.errors import LimitError, PolicyError
from incrowd.loss import Gcp
from incrowd.search import Accuracy
from incrowd.search.literature.accuracy.frontier import FrontierPoint
from incrowd.search.literature.accuracy.frontier import frontier as frontier_of
from incrowd.search.literature.accuracy.frontier import rising_points as rising_of
from incrowd.search_names import BOUNDS
from incrowd.watch import Watch
from strategies import problem_of, tables

FEW = (0.0, 0.2, 0.5, 1.0)


@pytest.fixture
def people():
    ages = [20 + 7 * i % 40 for i in range(36)]
    return pl.DataFrame(
        {
            "age": ages,
            "sex": ["FM"[i % 2] for i in range(36)],
            "illness": [f"illness {(i * i + age) % 5}" for i, age in enumerate(ages)],
        }
    )


def policy_of(*models, **settings):
    roles = {"age": "quasi", "sex": "quasi", "illness": "sensitive"}
    columns = {name: Column(role=role) for name, role in roles.items()}
    return Policy(columns=columns, models=models or (KAnonymity(2),), **settings)


def privacy(curve, point):
    return getattr(point, curve.privacy)


def rising(curve):
    """Whether each point has more privacy than the one before it, for a larger bound."""
    return all(
        one.max_loss < other.max_loss and privacy(curve, one) < privacy(curve, other)
        for one, other in itertools.pairwise(curve.points)
    )


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["k", "l"])
def test_a_release_is_no_worse_than_its_point(people, wanted):
    policy = policy_of(search=Accuracy(privacy=wanted))
    curve = incrowd.frontier(people, policy, bounds=FEW)
    assert curve.complete
    assert curve.privacy == wanted
    assert len(curve.points) > 1
    assert rising(curve)
    for point in curve.points:
        asked = Accuracy(max_loss=point.max_loss, privacy=wanted)
        release = incrowd.anonymize(people, policy_of(search=asked))
        assert release.bound_met
        assert release.privacy[wanted] >= getattr(point, wanted) - 1e-9
        assert release.max_class_ncp <= point.max_loss + 1e-9


def test_privacy_means_l_where_a_column_is_sensitive(people):
    assert incrowd.frontier(people, policy_of(), bounds=[1.0]).privacy == "l"
    columns = {"age": Column(role="quasi"), "sex": Column(role="quasi")}
    policy = Policy(columns=columns, models=(KAnonymity(2),))
    curve = incrowd.frontier(people.drop("illness"), policy, bounds=[1.0])
    assert (curve.privacy, curve.column) == ("k", None)
    assert curve.points[-1].l is None


@pytest.mark.slow
def test_a_file_gives_the_same(people, tmp_path):
    people.write_csv(tmp_path / "people.csv")
    of_file = incrowd.frontier(tmp_path / "people.csv", policy_of(), bounds=FEW)
    assert of_file == incrowd.frontier(people, policy_of(), bounds=FEW)


@pytest.mark.slow
def test_bounds_that_nothing_meets_are_told(people):
    curve = incrowd.frontier(people, policy_of(KAnonymity(9)), bounds=FEW)
    assert 0.0 in curve.out_of_reach
    assert not {point.max_loss for point in curve.points} & set(curve.out_of_reach)


def test_what_no_release_satisfies_is_refused(people):
    with pytest.raises(InfeasibleError, match="is impossible"):
        incrowd.frontier(people, policy_of(LDiversity("illness", 30)))


def test_without_time_there_is_no_curve(people):
    with pytest.raises(LimitError):
        incrowd.frontier(people, policy_of(), watch=Watch(limit=0.0))


@pytest.mark.parametrize("bounds", [(), (-0.1, 0.5), (0.5, 1.1)])
def test_bounds_are_shares(people, bounds):
    with pytest.raises(PolicyError, match="between 0 and 1"):
        incrowd.frontier(people, policy_of(), bounds=bounds)


def test_permuted_releases_have_no_loss_to_weigh(people):
    policy = policy_of(LDiversity("illness", 2), show="permutation")
    with pytest.raises(PolicyError, match="permutation"):
        incrowd.frontier(people, policy)


class Clock(Watch):
    """A watch that goes on by hand: its time is up when the search turns to one bound too many."""

    def __init__(self, bounds):
        super().__init__(limit=1e9)
        self.left = bounds

    def tell(self, what, share):
        super().tell(what, share)
        self.left -= 1

    @property
    def elapsed(self):
        return 0.0 if self.left >= 0 else 1e9


LOOKED_AT = (1.0, 0.0, 0.2, 0.5)
"""The bounds `FEW` in the order in which they are looked at."""


@pytest.mark.slow
@settings(max_examples=25)
@given(tables(max_records=12, max_columns=2), st.integers(1, 4))
def test_when_time_runs_short_what_was_seen_is_shown(table, looks):
    problem = problem_of(table, [], Gcp())
    whole = frontier_of(problem, Accuracy(), Clock(len(FEW)), FEW)
    curve = frontier_of(problem, Accuracy(), Clock(looks), FEW)
    assert whole.complete
    assert rising(curve)
    assert {point.max_loss for point in curve.points} <= {*LOOKED_AT[:looks]}
    # Between two bounds with the same privacy nobody looks.
    settled = curve.points[-1].max_loss < 1.0
    assert curve.unseen == (() if settled else tuple(sorted(LOOKED_AT[looks:])))
    if curve.complete:
        assert curve == whole


points = st.builds(
    FrontierPoint,
    max_loss=st.sampled_from(BOUNDS),
    k=st.integers(1, 6).map(float),
    l=st.integers(1, 4).map(float),
    loss=st.integers(0, 6).map(float),
    classes=st.just(1),
    max_class_ncp=st.just(0.0),
)


@settings(max_examples=200)
@given(st.lists(points, max_size=8, unique_by=lambda point: point.max_loss), st.sampled_from("kl"))
def test_what_a_bound_reaches_is_on_the_curve(every, wanted):

    def reaches(point):
        return getattr(point, wanted)

    curve = rising_of(every, wanted)
    assert set(curve) <= set(every)
    for bound in BOUNDS:
        within = [point for point in every if point.max_loss <= bound]
        shown = [point for point in curve if point.max_loss <= bound]
        most = max(map(reaches, within), default=None)
        assert max(map(reaches, shown), default=None) == most
    steps = list(map(reaches, curve))
    assert steps == sorted(set(steps))


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["k", "l"])
def test_no_bound_reaches_more_than_the_curve_shows_for_it(people, wanted):
    curve = incrowd.frontier(people, policy_of(search=Accuracy(privacy=wanted)), bounds=BOUNDS)
    for bound in BOUNDS[::3]:
        asked = Accuracy(max_loss=bound, privacy=wanted)
        try:
            release = incrowd.anonymize(people, policy_of(search=asked))
        except InfeasibleError:
            continue
        shown = [privacy(curve, point) for point in curve.points if point.max_loss <= bound]
        assert max(shown) >= release.privacy[wanted] - 1e-9
