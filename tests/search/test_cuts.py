"""Cuts: buckets that are the same for every record."""

from dataclasses import replace
from math import prod
from statistics import median_low

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arx_tables
import incrowd
import naive.one_dimensional as naive
from evidence import shown_column
from incrowd.errors import InfeasibleError, LimitError, NotMetError, PolicyError
from incrowd.hierarchy import Intervals, Prefix
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import reach_of
from incrowd.loss import Gcp
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.policy.policy import Column, Policy
from incrowd.population.bounds import classes_allowed
from incrowd.population.one_dimensional import divide, division_cost
from incrowd.population.tree_cut import CutTrees
from incrowd.recoding.show.representatives import choose_representatives
from incrowd.search import Cuts, Lattice
from incrowd.search.literature.cut_columns import ColumnCuts
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.verify.shown import demand_steady
from incrowd.watch import Watch
from strategies import problem_of, tables

FIVE = (KAnonymity(5),)
METHODS = ["quantile", "k-median", "k-centre", "cellular"]


def limited(problem, data):
    """The problem with random limits of its columns."""
    columns = []
    for column in problem.columns:
        height = column.hierarchy.height
        lowest = data.draw(st.integers(0, height - 1))
        highest = data.draw(st.none() | st.integers(lowest, height))
        wide = (
            data.draw(st.sampled_from([np.inf, 1.0, 3.0])) if column.hierarchy.ordered else np.inf
        )
        columns.append(replace(column, lowest=lowest, highest=highest, widest=wide))
    return replace(problem, columns=tuple(columns))


def cuts_of(column, method="quantile"):
    return ColumnCuts(column, column.frequency, Gcp(), method)


def runs_of(column, buckets):
    """The held codes of each bucket, missing apart."""
    held = [code for code in range(1, len(buckets)) if column.frequency[code]]
    return [[c for c in held if buckets[c] == b] for b in sorted({buckets[c] for c in held})]


@settings(deadline=None, max_examples=100)
@given(tables(max_records=20, max_columns=1), st.data(), st.integers(1, 7))
def test_buckets_keep_the_limits_of_their_column(table, data, number):
    problem = limited(problem_of(table, [KAnonymity(2)], Gcp()), data)
    (column,) = problem.columns
    hierarchy, place = column.hierarchy, [0.0, *problem.columns[0].hierarchy.leaves.positions]
    buckets = cuts_of(column, data.draw(st.sampled_from(METHODS))).buckets(number)
    if (buckets == 1).all():
        assert column.top == hierarchy.height
        assert number == 1 or not column.frequency[0]
        return
    assert buckets[0] == 0
    assert (np.diff(buckets[1:]) >= 0).all()
    for run in runs_of(column, buckets):
        if len({hierarchy.maps[column.lowest][c] for c in run}) > 1:
            assert len({hierarchy.maps[column.top][c] for c in run}) == 1
            low, high = hierarchy.bounds[column.lowest]
            nodes = hierarchy.maps[column.lowest][run]
            assert place[high[nodes].max()] - place[low[nodes].min()] <= column.widest
    nodes = hierarchy.maps[column.lowest]
    pairs = {(nodes[c], buckets[c]) for run in runs_of(column, buckets) for c in run}
    assert len(pairs) == len({node for node, _ in pairs})


@settings(deadline=None, max_examples=100)
@given(tables(max_records=20, max_columns=1), st.integers(1, 7))
def test_there_are_at_most_as_many_as_asked_for(table, number):
    (column,) = problem_of(table, [KAnonymity(2)], Gcp()).columns
    missing = int(column.frequency[0] > 0)
    cuts = cuts_of(column)
    buckets = cuts.buckets(number)
    runs = runs_of(column, buckets)
    assert len(runs) + (missing and buckets[0] == 0) <= max(number, missing)
    if number >= cuts.finest:
        assert all(len(run) == 1 for run in runs)
    elif not column.hierarchy.ordered and number > missing:
        costs = Gcp().cell_costs(column).tolist()
        maps, records = column.hierarchy.maps.tolist(), column.frequency.tolist()
        records[0] = 0
        least = naive.least_cut(maps, records, costs, number - missing)
        assert paid(column, runs, costs) == pytest.approx(least)


def paid(column, runs, costs):
    """What the records of these runs pay for the lowest nodes over them."""
    total = 0.0
    for run in runs:
        level = column.hierarchy.join_level(np.array([run[0]]), np.array([run[-1]]))[0]
        total += sum(column.frequency[c] * costs[level][c] for c in run)
    return total


@settings(deadline=None, max_examples=40)
@given(tables(max_records=16, max_columns=1), st.integers(2, 5), st.sampled_from(METHODS))
def test_ordered_columns_are_cut_as_the_naive_twin_would(table, number, method):
    (column,) = problem_of(table, [KAnonymity(2)], Gcp()).columns
    values = [c for c in range(1, len(column.frequency)) for _ in range(column.frequency[c])]
    known = max(number - int(column.frequency[0] > 0), 1)
    if not column.hierarchy.ordered or not values or known >= len(set(values)):
        return
    least = len(values) // (known + 1) + 1
    buckets = cuts_of(column, method).buckets(number)
    runs = [[c for c in values if buckets[c] == b] for b in sorted({buckets[c] for c in values})]
    costs = [naive.bucket_cost(run, method) for run in runs]
    found = max(costs) if method == "k-centre" else sum(costs)
    assert found == naive.least_cost(values, least, method, split=False)


@settings(deadline=None, max_examples=40)
@given(
    tables(max_records=16, max_columns=1),
    st.integers(1, 5),
    st.sampled_from(METHODS),
    st.integers(1, 4),
)
def test_buckets_of_k_records_are_the_best_of_their_size(table, number, method, k):
    (column,) = problem_of(table, [KAnonymity(2)], Gcp()).columns
    values = [c for c in range(1, len(column.frequency)) for _ in range(column.frequency[c])]
    if not column.hierarchy.ordered or len(values) < k:
        return
    cuts = ColumnCuts(column, column.frequency, Gcp(), method, k)
    missing = int(column.frequency[0] > 0)
    for asked in (number + missing, cuts.finest):
        buckets = cuts.buckets(asked)
        if not buckets[0] and missing:
            continue
        runs = [[c for c in values if buckets[c] == b] for b in sorted({*buckets[values]})]
        costs = [naive.bucket_cost(run, method) for run in runs]
        found = max(costs) if method == "k-centre" else sum(costs)
        least = min(map(len, runs))
        assert least >= k
        assert len(runs) + missing <= max(asked, 1 + missing)
        assert found == naive.least_cost(values, least, method, split=False)
        if asked == cuts.finest:
            assert found == naive.least_cost(values, k, method, split=False)
        else:
            even = max(len(values) // (number + 1) + 1, k)
            if even <= len(values):
                assert found <= naive.least_cost(values, even, method, split=False)


@settings(deadline=None, max_examples=60)
@given(tables(max_records=20, max_columns=1), st.integers(1, 7), st.integers(2, 4))
def test_cuts_through_trees_whose_nodes_hold_k_are_the_best(table, number, k):
    (column,) = problem_of(table, [KAnonymity(2)], Gcp()).columns
    maps, records = column.hierarchy.maps, column.frequency.copy()
    records[0] = 0
    held = [len({n for n, r in zip(nodes[1:], records[1:], strict=True) if r}) for nodes in maps]
    if held[0] == held[-1]:  # there is nothing to choose
        return
    costs = Gcp().cell_costs(column)
    cut = CutTrees.of(maps, records, costs, number, k).cut(number)
    assert cut.nodes <= number
    least = naive.least_cut(maps.tolist(), records.tolist(), costs.tolist(), number, k)
    assert cut.cost == pytest.approx(least)


@pytest.mark.parametrize("method", METHODS)
def test_one_column_is_cut_as_well_as_can_be(method):
    """Ages as in a census: the old are few, so that even buckets are far too wide elsewhere."""
    rng = np.random.default_rng(11)
    ages = np.clip(np.round(rng.normal(38, 14, 6000)), 17, 90).astype(int)
    frame = pl.DataFrame({"age": ages})
    asked = Policy(
        columns={"age": Column(role="quasi", hierarchy=Intervals(widths=(5, 10, 20)))},
        models=(KAnonymity(100),),
        search=Cuts(method=method),
        show="representatives",
        ends="exact",
        order="keep",
    )
    shown = incrowd.anonymize(frame, asked).frame["age"].to_numpy()
    best = divide(ages, 100, method)
    _, of = np.unique(shown, return_inverse=True)
    assert np.bincount(of).min() >= 100
    assert division_cost(ages, best, method) == pytest.approx(cost_of(ages, of, method))


def cost_of(values, of, method):
    """What buckets of values cost, in the twin's words."""
    runs = [sorted(values[of == b].tolist()) for b in np.unique(of)]
    if method == "quantile":
        each = [len(run) ** 2 // 4 for run in runs]
    elif method == "k-median":
        each = [sum(abs(v - run[(len(run) - 1) // 2]) for v in run) for run in runs]
    else:
        each = [naive.bucket_cost(run, method) for run in runs]
    return max(each) if method == "k-centre" else sum(each)


@settings(deadline=None, max_examples=60)
@given(tables(max_records=20, units=True), st.data(), st.sampled_from([0.0, 0.3]))
def test_equal_values_show_the_same_and_cells_span_who_leaves(table, data, suppression):
    problem = limited(problem_of(table, [KAnonymity(2)], Gcp(), suppression), data)
    try:
        found = Cuts().run(problem, Watch())
    except InfeasibleError:
        return
    outcome = problem.outcome(found.recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert outcome.suppressed <= problem.suppressible
    class_of = found.recoding.pieces.class_of
    for j, column in enumerate(problem.columns):
        cells = {}
        for row in np.flatnonzero(class_of >= 0):
            c = class_of[row]
            shown = outcome.low[j, c], outcome.high[j, c], outcome.level[j, c]
            assert cells.setdefault(problem.tally.quasi[j, row], shown) == shown
        for (low, high, level), code in zip(cells.values(), cells, strict=True):
            covered = low <= code <= high
            assert covered or (code == 0 and level == column.hierarchy.height)
            assert level >= column.lowest
        spans = {shown[:2] for code, shown in cells.items() if code}
        assert all(a == b or a[1] < b[0] or b[1] < a[0] for a in spans for b in spans)


def people(n=400, seed=3):
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(10, 1, n), 0).tolist()
    return pl.DataFrame(
        {
            "age": rng.integers(17, 91, n),
            "income": [None if i % 20 == 0 else v for i, v in enumerate(income)],
            "zip": [f"{z:05d}" for z in rng.choice([*range(2100, 2130), 9000, 9001], n)],
            "diagnosis": rng.choice(list("abcde"), n),
        }
    )


def policy(models=FIVE, search=None, age=None, zip=None, **more):  # noqa: A002  a column
    return Policy(
        columns={
            "age": Column(role="quasi", hierarchy=Intervals(widths=(5, 10, 20)), **(age or {})),
            "income": Column(role="quasi", weight=2.0),
            "zip": Column(role="quasi", hierarchy=Prefix(), **(zip or {})),
            "diagnosis": Column(role="sensitive"),
        },
        models=models,
        search=search or Cuts(),
        **more,
    )


def shown_by_value(frame, release, name):
    """What each value of a column shows, records being in their order."""
    found = {}
    kept = zip(frame[name].to_list(), release.frame[name].to_list(), strict=True)
    for value, shown in kept:
        found.setdefault(value, set()).add(shown)
    return found


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"show": "sets"},
        {"show": "representatives"},
        {"consistent": True},
        {"age": {"lowest": 1}, "zip": {"lowest": 2}},
        {"age": {"lowest": 1}, "show": "representatives"},
        {"models": (KAnonymity(4), LDiversity("diagnosis", 2))},
        {"models": (KAnonymity(4), TCloseness("diagnosis", 0.3))},
        {"search": Cuts(buckets={"age": 3, "zip": 2}, method="k-median")},
        {"search": Cuts(methods={"age": "cellular", "income": "k-centre"})},
    ],
)
def test_releases_are_verified_and_equal_values_show_the_same(more):
    frame = people()
    found = incrowd.anonymize(frame, policy(order="keep", **more))
    assert found.search == "cuts"
    assert found.recoding.kind == "cuts"
    for name in ("age", "income", "zip"):
        assert all(len(shown) == 1 for shown in shown_by_value(frame, found, name).values())


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["own-value", "matches-anything", "suppress"])
def test_records_may_be_left_out(missing):
    found = incrowd.anonymize(people(), policy(missing=missing, suppression=0.1))
    gone = found.certificate.suppressed
    assert gone.records - gone.for_missing <= 40
    assert found.certificate.models[0].reached >= 5


def test_people_with_several_records():
    frame = people().with_columns(person=pl.Series([i % 150 for i in range(400)]))
    asked = policy()
    asked = asked.model_copy(update={"columns": {**asked.columns, "person": Column(role="unit")}})
    found = incrowd.anonymize(frame, asked)
    assert found.certificate.models[0].reached >= 5


@pytest.mark.slow
def test_limits_are_kept_or_said_to_bind():
    frame = people()
    found = incrowd.anonymize(frame, policy(age={"widest": 25}, order="keep"))
    for value, (shown,) in shown_by_value(frame, found, "age").items():
        low, high = reach_of(shown, Domain(Kind.NUMBER, np.arange(2)))
        assert low <= value <= high
        assert min(high, max(frame["age"])) - max(low, min(frame["age"])) <= 25
    with pytest.raises(InfeasibleError, match="limits of 'age', 'zip' allow") as caught:
        incrowd.anonymize(frame, policy(age={"highest": 0}, zip={"highest": 1}))
    assert "raise the limits" in caught.value.remedy


def test_a_representative_is_the_median_of_its_bucket():
    frame = people()
    found = incrowd.anonymize(frame, policy(show="representatives", order="keep"))
    ages = frame["age"].to_list()
    shown = found.frame["age"].to_list()
    assert found.frame["age"].dtype == frame["age"].dtype
    for value in set(shown):
        assert value == median_low([a for a, s in zip(ages, shown, strict=True) if s == value])


@settings(deadline=None, max_examples=40)
@given(tables(max_records=14))
def test_representatives_are_those_of_buckets(table):
    problem = problem_of(table, [KAnonymity(2)], Gcp(), 0.3)
    try:
        recoding = Cuts().run(problem, Watch()).recoding
    except InfeasibleError:
        return
    outcome = problem.outcome(recoding)
    names = [column.name for column in problem.columns]
    held = {
        column.name: CodedColumn(
            column.name, np.array(line, dtype=np.int32), column.hierarchy.leaves
        )
        for column, line in zip(problem.columns, table[1], strict=True)
    }
    found = choose_representatives(outcome, held)
    for j, name in enumerate(names):
        labels = found[name].labels
        pairs = set(zip(outcome.buckets[j].tolist(), labels.tolist(), strict=True))
        assert len(pairs) == len(set(outcome.buckets[j].tolist()))


def test_a_column_that_shows_equal_values_differently_is_refused():
    codes = np.array([1, 1, 2], dtype=np.int32)
    demand_steady(shown_column("age", pl.Series(["a", "a", "b"]), codes))
    with pytest.raises(NotMetError, match="1 label too many: equal values of 'age'"):
        demand_steady(shown_column("age", pl.Series(["a", "b", "b"]), codes))


def test_buckets_are_a_largest_number():
    found = incrowd.anonymize(people(), policy(search=Cuts(buckets={"age": 2, "income": 3})))
    assert found.frame["age"].n_unique() <= 2
    assert found.frame["income"].n_unique() <= 3


def test_the_population_says_how_many_classes_there_may_be():
    probabilistic = pytest.importorskip("incrowd.models.probabilistic").Probabilistic
    problem = random_problem()
    for population in (2_000, 50_000):
        asked = replace(problem, models=(probabilistic(population, 20, 0.1),))
        found = Cuts().run(asked, Watch())
        allowed = classes_allowed(population, 20, 0.1)
        numbers = [n for name, n in found.facts.items() if name.startswith("buckets of")]
        assert prod(numbers) <= allowed
        assert asked.satisfied_by(asked.outcome(found.recoding).classes).all()


def random_problem():
    rng = np.random.default_rng(3)
    table = [rng.integers(1, 9, 2000).tolist() for _ in range(3)]
    trees = [tree(ordered=j != 1) for j in range(3)]
    return problem_of((trees, table, [[0] * 2000], None), [KAnonymity(2)], Gcp())


def tree(*, ordered):
    """Eight leaves, by twos, fours and all."""
    codes = np.arange(9)
    maps = np.array([codes, (codes + 1) // 2, (codes + 3) // 4, codes * 0 + 1], dtype=np.int32)
    labels = tuple(
        np.array([f"{level}.{node}" for node in range(nodes.max())], dtype=object)
        for level, nodes in enumerate(maps)
    )
    leaves = Domain(Kind.NUMBER, codes[1:]) if ordered else Domain(Kind.TEXT, labels[0])
    return Hierarchy(leaves, maps, labels, ordered)


def test_more_weight_keeps_more_buckets():
    problem = random_problem()
    heavy = replace(problem, models=(KAnonymity(60),))
    columns = (replace(heavy.columns[0], weight=20.0), *heavy.columns[1:])
    plain, weighted = (Cuts().run(p, Watch()) for p in (heavy, replace(heavy, columns=columns)))
    assert weighted.facts["buckets of q0"] > plain.facts["buckets of q0"]


def test_what_it_names_must_be_there():
    problem = random_problem()
    with pytest.raises(PolicyError, match="did you mean 'q0'"):
        Cuts(buckets={"q00": 3}).run(problem, Watch())
    with pytest.raises(PolicyError, match="along their hierarchy"):
        Cuts(methods={"q1": "k-median"}).run(problem, Watch())
    with pytest.raises(PolicyError):
        policy(search=Cuts(buckets={"diagnosis": 3}))


def test_time_that_is_up():
    problem = replace(random_problem(), models=(KAnonymity(100),))
    with pytest.raises(LimitError):
        Cuts().run(problem, Watch(0.0))


@pytest.mark.thorough
@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason="the shared data folder is absent")
def test_it_loses_less_than_the_best_levels():
    problem = arx_tables.problem("adult", [KAnonymity(50)], Gcp())
    losses = [
        problem.loss.of(problem.outcome(search.run(problem, Watch()).recoding))
        for search in (Cuts(method="cellular"), Lattice())
    ]
    assert losses[0] < losses[1]
