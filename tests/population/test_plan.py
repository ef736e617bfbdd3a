"""Plans: budgets made levels, inverse questions, and what a table's classes support."""

import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd.datasets import hospital
from incrowd.errors import InfeasibleError, InputError, LimitError, PolicyError
from incrowd.hierarchy import Dates, Flat, Intervals
from incrowd.models import Probabilistic
from incrowd.population import classes_allowed, k_of_shares, k_supported
from incrowd.population.actions import ladder_of_size
from incrowd.population.bounds import PopulationSample
from incrowd.population.plan import PlanQuestion, make_plan
from incrowd.verbs.plan import apply_plan, plan, plan_sizes

PEOPLE = {"population": 3e8, "k": 100, "beta": 0.1}
LOOKS = st.sampled_from(["date", "code", "number", "group"])


@pytest.fixture(scope="module")
def patients():
    return hospital(2_000, seed=7)


@pytest.fixture
def file(patients, tmp_path):
    path = tmp_path / "patients.csv"
    patients.write_csv(path)
    return path


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(1, 10**5), LOOKS, st.sampled_from([0.1, 1, 5])),
        min_size=1,
        max_size=9,
    ),
    st.integers(10**3, 10**9),
    st.integers(2, 500),
)
def test_a_plan_keeps_within_its_classes(columns, n, k):
    ladders = [ladder_of_size(f"c{i}", size, look) for i, (size, look, _) in enumerate(columns)]
    found = make_plan(PlanQuestion(n, k, 0.1), ladders, [weight for _, _, weight in columns])

    assert found.classes_allowed == classes_allowed(n, k, 0.1)
    assert found.classes <= found.classes_allowed
    assert math.prod(action.allowed for action in found.actions) <= found.classes_allowed
    assert all(a.rung.values <= a.allowed <= a.distinct for a in found.actions)
    assert found.k_expected >= k
    for action, ladder in zip(found.actions, ladders, strict=True):
        place = ladder.rungs.index(action.rung)
        finer = ladder.rungs[place - 1].values if place else math.inf
        assert found.classes // action.rung.values * finer > found.classes_allowed


def test_a_column_that_cannot_be_made_coarser_is_kept_or_left_out_by_what_it_costs():
    frame = pl.DataFrame(
        {
            "job": [f"job {'x' * (i % 30)} of many" for i in range(3000)],
            "age": [i % 100 for i in range(3000)],
        }
    )
    asked = {"population": 10**6, "beta": 0.1, "hierarchies": {"job": Flat()}}
    kept = plan(frame, ["job", "age"], k=5_000, **asked)
    left = plan(frame, ["job", "age"], k=40_000, **asked)

    assert [(a.rung.values, a.rung.says) for a in kept.actions] == [
        (30, "as it is"),
        (5, "intervals of width 20"),
    ]
    assert left.classes_allowed < 30
    assert left.actions[0].left_out
    assert "no level between" in left.actions[0].note
    assert left.actions[1].rung.values == 20


def test_the_question_with_one_thing_left_out():
    sizes = {"sex": 2, "birth_date": 21_900, "zip": 100}
    d = 2 * 21_900 * 100

    found = plan_sizes(sizes, population=3e8, beta=0.1)
    assert (found.found, found.question.k) == ("k", k_supported(3e8, d, 0.1))
    found = plan_sizes(sizes, population=3e8, k=50)
    assert found.found == "beta"
    assert found.question.beta == pytest.approx(incrowd.population.beta_needed(3e8, d, 50))
    found = plan_sizes(sizes, k=50, beta=0.1)
    assert found.found == "population"
    assert found.question.population == incrowd.population.population_needed(d, 50, 0.1)
    for one in found.actions:
        assert one.rung.says == "as it is"
    assert plan_sizes(sizes, k=50, beta=0.1, simultaneous=True).question.population > (
        found.question.population
    )


def test_more_classes_than_a_float_counts_are_empty():
    sizes = {f"c{i}": 10**9 for i in range(70)}
    for simultaneous in (False, True):
        found = plan_sizes(sizes, population=3e8, beta=0.1, simultaneous=simultaneous)
        assert found.question.k == 0
        found = plan_sizes(sizes, population=3e8, k=5, simultaneous=simultaneous)
        assert found.question.beta == 1
        with pytest.raises(LimitError, match="that many classes"):
            plan_sizes(sizes, k=5, beta=0.1, simultaneous=simultaneous)


def test_a_table_says_what_its_classes_support(patients):
    found = plan(patients, ["sex", "zip"], **PEOPLE)
    sizes = patients.group_by("sex", "zip").len()["len"]
    facts = found.measured

    assert [a.rung.says for a in found.actions] == ["as it is", "as it is"]
    assert (facts.people, facts.classes, facts.smallest) == (2_000, len(sizes), sizes.min())
    assert sizes.min() == 1
    assert (facts.share, facts.supports.k) == (0, 1)
    assert any("too few to say" in note for note in found.notes)


def test_what_a_table_supports_is_less_than_its_smallest_share(patients):
    found = plan(patients, ["sex", "smoker"], **PEOPLE | {"k": 10**6})
    facts, sizes = found.measured, patients.group_by("sex", "smoker").len()["len"]
    drawn = PopulationSample(2_000, 2, 0.95, "declared")
    assert facts.share == drawn.least_share(sizes.min()) < sizes.min() / 2_000
    assert facts.supports.k == k_of_shares([facts.share], 3e8, 0.1)
    both = plan(patients, ["sex", "smoker"], **PEOPLE | {"k": 10**6}, simultaneous=True).measured
    assert both.supports.k == k_of_shares([facts.share] * 6, 3e8, 0.1, simultaneous=True)
    assert both.supports.k < facts.supports.k
    surer = plan(patients, ["sex", "smoker"], **PEOPLE | {"k": 10**6}, confidence=0.999).measured
    assert surer.share < facts.share


def test_quantiles_are_made_from_the_table(patients):
    cut = {"cost": Intervals(quantiles=4)}
    asked = PEOPLE | {"k": 10**7}
    found = plan(patients, ["cost"], **asked, hierarchies=cut)
    assert found.labels == "any"
    assert found.measured.share == PopulationSample(2_000, 1, 0.95, "any").least_share(
        found.measured.smallest
    )


def test_inverse_questions_of_a_table(patients):
    k = plan(patients, ["sex"], population=3e8, beta=0.1)
    least = min((patients["sex"] == sex).sum() for sex in patients["sex"].unique())
    assert k.question.k == k_supported(3e8, 2, 0.1)
    assert k.measured.supports.k == k_of_shares([k.measured.share], 3e8, 0.1)
    assert k.measured.share < least / 2_000
    people = plan(patients, ["sex"], k=50, beta=0.1)
    assert people.measured.supports.population >= people.question.population
    beta = plan(patients, ["sex"], population=3_000, k=1_490)
    assert beta.measured.supports.beta > beta.question.beta > 0


def test_without_columns_those_are_planned_that_others_may_know(patients):
    names = [action.column for action in plan(patients, **PEOPLE).actions]
    assert {"birth_date", "sex", "zip"} <= set(names)
    assert not {"name", "ssn", "diagnosis"} & set(names)


def test_hierarchies_and_weights_are_followed(patients):
    years = {"birth_date": Dates(steps=("year",))}
    found = plan(patients, ["birth_date", "zip"], **PEOPLE | {"k": 10**6}, hierarchies=years)
    assert found.actions[0].rung.hierarchy == years["birth_date"]
    assert found.actions[0].rung.says == "to the year"
    heavy = plan(
        patients, ["birth_date", "zip"], **PEOPLE | {"k": 10**6}, weights={"birth_date": 50}
    )
    light = plan(
        patients, ["birth_date", "zip"], **PEOPLE | {"k": 10**6}, weights={"birth_date": 0.02}
    )
    assert heavy.actions[0].allowed > light.actions[0].allowed


def test_a_plan_that_is_carried_out_shows_what_it_says(file, tmp_path):
    wanted = plan(file, ["birth_date", "sex", "smoker"], population=1e6, k=4e4, beta=0.1)
    target = tmp_path / "release.csv"
    done = apply_plan(file, wanted, target, sensitive=["diagnosis"], keep=["ward"], seed=1)
    rows = pl.read_csv(target, infer_schema=False)

    assert done.raised == ()
    model = Probabilistic(10**6, 40_000, 0.1, labels="declared")
    assert done.release.policy.models == (model,)
    assert rows.columns == ["sex", "ward", "diagnosis", "smoker"]
    for action in done.plan.actions:
        if not action.left_out:
            assert rows[action.column].n_unique() == action.rung.values
    sizes = rows.group_by("sex", "smoker").len()["len"]
    reached = PopulationSample(2_000, 2, 0.95, "declared").supported_k(sizes.min(), 10**6, 0.1)
    assert done.release.models[0].reached == reached == done.plan.measured.supports.k
    assert incrowd.check(target, certificate=f"{target}.certificate.json").ok


def test_levels_are_raised_until_the_real_classes_support_k(file, tmp_path):
    wanted = plan(file, ["birth_date", "sex", "zip"], population=1e5, k=150, beta=0.1)
    assert wanted.measured.supports.k < 150
    assert any("levels are raised" in note for note in wanted.notes)
    done = apply_plan(file, wanted, tmp_path / "release.csv")

    assert done.raised
    assert done.release.models[0].reached >= 150
    assert done.plan.measured.supports.k == done.release.models[0].reached
    for action in done.plan.actions:
        assert ("raised" in action.note) == (action.column in done.raised)


def test_beta_for_all_classes_together_is_verified_so(file, tmp_path):
    asked = {"population": 1e6, "k": 20_000, "beta": 0.1, "simultaneous": True}
    wanted = plan(file, ["sex", "smoker"], **asked)
    done = apply_plan(file, wanted, tmp_path / "release.csv")
    assert done.release.policy.models[0].beta == pytest.approx(0.1 / wanted.measured.classes)


def test_what_cannot_be_carried_out_is_refused(file, tmp_path):
    target = tmp_path / "release.csv"
    with pytest.raises(PolicyError, match="lacks k"):
        apply_plan(file, plan(file, ["sex"], population=1e6, beta=0.1), target)
    with pytest.raises(PolicyError, match="without a table"):
        apply_plan(file, plan_sizes({"sex": 2}, population=1e6, k=5, beta=0.1), target)
    with pytest.raises(PolicyError, match="at least 2"):
        apply_plan(file, plan(file, ["sex"], population=1e6, k=1, beta=0.1), target)
    with pytest.raises(InfeasibleError, match="leaves out every column"):
        apply_plan(file, plan(file, ["zip"], population=2_000, k=1_990, beta=0.1), target)
    wanted = plan(file, ["sex", "zip"], population=1e6, k=100, beta=0.1)
    with pytest.raises(PolicyError, match="both"):
        apply_plan(file, wanted, target, keep=["sex"])
    assert not target.exists()


def test_no_level_that_shows_anything_is_refused_with_what_would_do(tmp_path):
    path = tmp_path / "two.csv"
    pl.DataFrame({"sex": ["f"] * 99 + ["m"]}).write_csv(path)
    wanted = plan(path, ["sex"], population=1_000, k=100, beta=0.1)

    assert wanted.actions[0].rung.says == "as it is"
    with pytest.raises(InfeasibleError, match="support k = 100; the planned ones support k = 1"):
        apply_plan(path, wanted, tmp_path / "release.csv")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"population": 1_999}, "2,000 records, more than the population of 1,999"),
        ({"k": 4e8}, "k = 400,000,000"),
        ({"k": 2.5}, "k must be a whole number"),
        ({"beta": 1.0}, "beta must be"),
        ({"beta": 0.0}, "beta must be"),
        ({"weights": {"zip": 0}}, "weight of a column"),
        ({"weights": {"zpi": 2}}, "'zpi' is not among the columns"),
        ({"bound": "normal"}, "no such bound"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"confidence": 0.4}, "confidence must be"),
        ({"population": "atlantis"}, "no population of that name"),
        ({"k": None, "beta": None}, "k and beta are missing"),
    ],
)
def test_requests_that_make_no_sense(patients, options, said):
    with pytest.raises(PolicyError, match=said):
        plan(patients, ["sex", "zip"], **{**PEOPLE, **options})


def test_tables_that_cannot_be_planned(patients):
    with pytest.raises(PolicyError, match="no column 'zpi'"):
        plan(patients, ["zpi"], **PEOPLE)
    with pytest.raises(InputError, match="no records"):
        plan(patients.clear(), ["zip"], **PEOPLE)
    with pytest.raises(PolicyError, match="no column looks"):
        plan(patients.select("name"), **PEOPLE)
    with pytest.raises(PolicyError, match="no column is named"):
        plan_sizes({}, **PEOPLE)


def test_the_table_may_be_larger_than_the_population_that_k_needs(patients):
    found = plan(patients, ["sex"], k=5, beta=0.1)
    assert found.question.population < 2_000
    assert any("2,000 records" in note for note in found.notes)
