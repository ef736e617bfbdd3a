"""Direct l-diversity: the heuristic against plain lists, the optimum against every partition."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import census_tables
import naive.diversify
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.kernels.boxes import box_cost
from incrowd.loss import Gcp, IlInf
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.partition.classes import classes_of
from incrowd.search import Diversify, Mondrian
from incrowd.search.layout import boxes_of
from incrowd.search.literature.diversify import exact, groups
from incrowd.search.literature.diversify.diversify import order_of
from incrowd.watch import Watch
from strategies import problem_of, tables

MAPPINGS = ("kd-tree", "hilbert", "idistance")
each = pytest.mark.parametrize("mapping", MAPPINGS)


def eligible(problem, l):
    """Whether no value of the first sensitive column has more than 1/l of the records."""
    counts = np.bincount(problem.tally.sensitive[0], weights=problem.tally.counts)
    return counts.max() * l <= problem.tally.records


def everybody(problem):
    """All rows in one class."""
    return np.zeros(problem.tally.rows, dtype=np.int32)


def cost_of(problem):
    """What a class of these codes (one line per record) costs."""
    flat = boxes_of(problem)

    def cost(codes):
        held = np.array(codes, dtype=np.int32).reshape(len(codes), -1)
        return box_cost(flat, held.min(axis=0), held.max(axis=0))

    return cost


def members(spans):
    """Per class the rows of its records, one entry per record."""
    pieces = spans.pieces
    found = {}
    for row, count, number in zip(
        pieces.row.tolist(), pieces.count.tolist(), pieces.class_of.tolist(), strict=True
    ):
        found.setdefault(number, []).extend([row] * count)
    return found


@st.composite
def diverse(draw, max_records=14, max_columns=2, loss=None):
    """A table that is eligible for its l-diversity model, and the l."""
    l = draw(st.integers(2, 3))
    table = draw(tables(max_records=max_records, max_columns=max_columns))
    problem = problem_of(table, [LDiversity("s0", l)], loss or Gcp())
    assume(eligible(problem, l))
    return problem, l


@settings(max_examples=200)
@given(diverse(max_records=20))
def test_the_heuristic_is_that_of_the_paper(case):
    problem, l = case
    records = groups.records_of(problem, order_of(problem, "kd-tree"), 0)
    class_of, _ = groups.diverse_classes(records, l, boxes_of(problem))
    price = cost_of(problem)
    lines = records.cells[records.row].tolist()
    slow = naive.diversify.spread(
        records.value.tolist(), l, lambda group: price([lines[i] for i in group])
    )
    fast = [np.flatnonzero(class_of == c).tolist() for c in range(int(class_of.max()) + 1)]
    assert fast == slow


@each
@settings(max_examples=60)
@given(data=st.data())
def test_every_class_holds_l_different_values(mapping, data):
    problem, l = data.draw(diverse(max_records=24))
    found = Diversify(mapping=mapping).run(problem, Watch())
    held = members(found.recoding)
    assert sum(map(len, held.values())) == problem.tally.records
    for rows in held.values():
        values = Counter(problem.tally.sensitive[0][rows].tolist())
        assert max(values.values()) * l <= len(rows)
    assert found.why


@settings(max_examples=100)
@given(diverse(max_records=24), st.integers(1, 4))
def test_swaps_keep_values_and_lower_the_loss(case, rounds):
    problem, l = case
    boxes = boxes_of(problem)
    records = groups.records_of(problem, order_of(problem, "kd-tree"), 0)
    before, _ = groups.diverse_classes(records, l, boxes)
    after = groups.swap_records(records, before, rounds, boxes)
    price, lines = cost_of(problem), records.cells[records.row]

    def held(class_of, c):
        return Counter(records.value[class_of == c].tolist())

    def loss(class_of):
        parts = [lines[class_of == c] for c in range(int(class_of.max()) + 1)]
        return sum(len(part) * price(part) for part in parts)

    assert all(held(before, c) == held(after, c) for c in range(int(before.max()) + 1))
    assert loss(after) <= loss(before) + 1e-9


@settings(max_examples=100)
@given(diverse(max_records=24), st.integers(2, 6))
def test_k_next_to_l(case, k):
    problem, l = case
    assume(problem.tally.records >= k)
    problem = replace(problem, models=(KAnonymity(k), *problem.models))
    found = Diversify().run(problem, Watch())
    for rows in members(found.recoding).values():
        values = Counter(problem.tally.sensitive[0][rows].tolist())
        assert len(rows) >= k
        assert max(values.values()) * l <= len(rows)


@pytest.mark.parametrize(
    "model",
    [
        LDiversity("s0", 2.5),
        LDiversity("s0", 3, "distinct"),
        LDiversity("s0", 2, "entropy"),
        LDiversity("s0", 2, "recursive", c=0.8),
        AlphaK("s0", 0.5, 2),
        TCloseness("s0", 0.5),
        LDiversity("s0", 1),
    ],
    ids=repr,
)
@settings(max_examples=40)
@given(table=tables(max_records=20))
def test_other_models_are_satisfied_too(model, table):
    problem = problem_of(table, [KAnonymity(2), model], Gcp())
    try:
        found = Diversify().run(problem, Watch())
    except InfeasibleError:
        assert not problem.satisfied_by(
            classes_of(problem.tally, everybody(problem), 1, problem.sensitive)
        ).all()
        return
    assert problem.satisfied_by(problem.outcome(found.recoding).classes).all()


@settings(max_examples=60)
@given(tables(max_records=16), st.integers(2, 4))
def test_a_table_that_is_not_eligible_is_refused_with_the_largest_l(table, l):
    problem = problem_of(table, [LDiversity("s0", l)], Gcp())
    assume(not eligible(problem, l))
    with pytest.raises(InfeasibleError, match="is impossible") as caught:
        Diversify().run(problem, Watch())
    counts = np.bincount(problem.tally.sensitive[0], weights=problem.tally.counts)
    largest = int(np.floor(problem.tally.records / counts.max() * 1000)) / 1000
    assert f"allows {largest:g}" in caught.value.message
    assert (f"at most {largest:g}" in caught.value.remedy) == (largest > 1)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=8),
    st.lists(st.integers(1, 4), min_size=2, max_size=8),
    st.integers(2, 3),
)
def test_records_of_too_common_values_may_be_left_out(records, common, l):
    """Those of `common` all hold one value."""
    every = [*records, *((place, 1) for place in common)]
    table = table_of([place for place, _ in every], [value for _, value in every])
    problem = problem_of(table, [LDiversity("s0", l)], Gcp(), 0.5)
    counts = Counter(np.repeat(problem.tally.sensitive[0], problem.tally.counts).tolist())
    kept = [
        sum(min(n, c) for n in counts.values())
        for c in range(1, problem.tally.records + 1)
        if sum(min(n, c) for n in counts.values()) >= c * l
    ]
    least = problem.tally.records - max(kept, default=0)
    assume(0 < least <= problem.suppressible and kept)
    found = Diversify().run(problem, Watch())
    outcome = problem.outcome(found.recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert least <= outcome.suppressed <= problem.suppressible


def test_a_missing_sensitive_value_is_a_value_like_any_other():
    table = table_of([1, 1, 2, 2], [0, 1, 0, 1])
    problem = problem_of(table, [LDiversity("s0", 2)], Gcp())
    found = Diversify().run(problem, Watch())
    assert problem.loss.of(problem.outcome(found.recoding)) == 0


def test_one_sensitive_value_is_refused():
    problem = problem_of(table_of([1, 1, 2, 2], [3, 3, 3, 3]), [LDiversity("s0", 2)], Gcp())
    with pytest.raises(InfeasibleError, match="allows 1"):
        Diversify().run(problem, Watch())


def test_more_values_than_there_are_cannot_be_asked():
    problem = problem_of(table_of([1, 1, 2, 2], [1, 2, 3, 4]), [LDiversity("s0", 5)], Gcp())
    with pytest.raises(InfeasibleError, match="allows 4"):
        Diversify().run(problem, Watch())


@pytest.mark.parametrize("given", [{"rounds": -1}, {"mapping": "zigzag"}, {"l": 2}], ids=str)
def test_bad_settings_are_refused(given):
    with pytest.raises(PolicyError):
        Diversify(**given)


def table_of(codes, values, top=None):
    """A table with one ordered column of codes, and a sensitive one."""
    from worked import tree

    number = top or max(codes)
    column = tree([(code, "*") for code in range(1, number + 1)], ordered=True)
    return [column], [codes], [values], None


@st.composite
def one_column(draw, max_records=7):
    """A small eligible table with one column, its l and k, codes and values record by record."""
    table = draw(tables(max_records=max_records, max_columns=1))
    l = draw(st.sampled_from([Fraction(2), Fraction(3), Fraction(3, 2), Fraction(5, 2)]))
    k = draw(st.integers(1, 3))
    models = [LDiversity("s0", float(l)), *([KAnonymity(k)] if k > 1 else [])]
    problem = problem_of(table, models, IlInf())
    assume(eligible(problem, l) and problem.tally.records >= k)
    return problem, l, k, exact.column_of(problem, 0)


def listed(problem):
    """Codes and values of all records."""
    rows = np.repeat(np.arange(problem.tally.rows), problem.tally.counts)
    return problem.tally.quasi[0][rows].tolist(), problem.tally.sensitive[0][rows].tolist()


@settings(max_examples=300)
@given(one_column())
def test_the_best_direct_division_is_that_of_all_partitions(case):
    problem, l, k, column = case
    codes, values = listed(problem)
    best = naive.diversify.least_extent(codes, values, l, k, cost_of(problem))
    extent, class_of = exact.least_extent(column, l, k)
    assert extent == pytest.approx(best)
    assert exact.privacy_of(column, class_of) >= l
    assert exact.most_private_division(column, extent, k)[0] >= l
    for narrower in column.extents[column.extents < extent][-1:].tolist():
        within = exact.most_private_division(column, narrower, k)
        assert within is None or within[0] < l, "the dual allows as much privacy with less (5.2)"


@settings(max_examples=200)
@given(one_column(), st.sampled_from([0.0, 0.2, 0.4, 0.6, 1.0]))
def test_the_best_dual_division_is_that_of_all_partitions(case, most):
    problem, _, k, column = case
    codes, values = listed(problem)
    best = naive.diversify.most_private(codes, values, most, k, cost_of(problem))
    found = exact.most_private_division(column, most, k)
    assert (found is None) == (best is None)
    if found is not None:
        assert found[0] == best == exact.privacy_of(column, found[1])


@settings(max_examples=60)
@given(one_column())
def test_the_search_gives_the_best_division(case):
    problem, l, k, column = case
    found = Diversify(optimal=True).run(problem, Watch())
    assert found.optimal
    outcome = problem.outcome(found.recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert problem.loss.of(outcome) == pytest.approx(exact.least_extent(column, l, k)[0])
    other = Diversify().run(problem, Watch())
    assert problem.loss.of(problem.outcome(other.recoding)) >= problem.loss.of(outcome) - 1e-9


@pytest.mark.slow
def test_too_large_a_table_is_refused_with_an_estimate():
    rng = np.random.default_rng(7)
    codes, values = rng.integers(1, 200, 400).tolist(), rng.integers(1, 5, 400).tolist()
    problem = problem_of(table_of(codes, values, 200), [LDiversity("s0", 2.5)], IlInf())
    with pytest.raises(LimitError, match=r"400 records with 4 sensitive values give up to 10\^"):
        Diversify(optimal=True).run(problem, Watch())


def test_the_best_division_needs_one_column_and_one_model():
    two = [*table_of([1, 2], [1, 2])[0]] * 2, [[1, 2], [1, 2]], [[1, 2]], None
    with pytest.raises(PolicyError, match="one quasi-identifying column"):
        Diversify(optimal=True).run(problem_of(two, [LDiversity("s0", 2)], IlInf()), Watch())
    one = problem_of(table_of([1, 2], [1, 2]), [LDiversity("s0", 2, "distinct")], IlInf())
    with pytest.raises(PolicyError, match="kind 'frequency'"):
        Diversify(optimal=True).run(one, Watch())


def test_no_time_is_an_error():
    problem = problem_of(table_of([1, 2], [1, 2]), [LDiversity("s0", 2)], Gcp())
    with pytest.raises(LimitError):
        Diversify().run(problem, Watch(limit=0.0))


@pytest.mark.thorough
@pytest.mark.skipif(not census_tables.FOLDER.exists(), reason=census_tables.ABSENT)
@pytest.mark.parametrize("l", [2, 10])
def test_it_loses_less_than_mondrian(l):
    problem = census_tables.problem([LDiversity("salary", l)], Gcp(), 20_000, sensitive=True)
    losses = [
        problem.loss.of(problem.outcome(search.run(problem, Watch()).recoding))
        for search in (Diversify(), Diversify(rounds=0), Mondrian(relaxed=True))
    ]
    assert losses == sorted(losses)
