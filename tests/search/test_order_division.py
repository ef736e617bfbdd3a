"""The division of an order is the best of all divisions into runs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.orders
from incrowd.kernels.boxes import box_cost
from incrowd.loss import Gcp, Granularity, IlInf, Precision
from incrowd.models import KAnonymity
from incrowd.search.layout import boxes_of
from incrowd.search.orders import division as curve_partition
from incrowd.search.orders.division import partition_in_order
from incrowd.search.repair import merge_failing_classes
from strategies import hierarchies, problem_of, tables


@st.composite
def ordered(draw, max_records=9, units=False, loss=None):
    """A small problem, and an order of its rows with equal ones side by side."""
    table = draw(tables(max_records=max_records, max_columns=2, units=units))
    lowest = draw(st.lists(st.integers(0, 1), max_size=2))
    k = draw(st.integers(2, 4))
    loss = loss or draw(st.sampled_from([Gcp(), Granularity(), Precision()]))
    problem = problem_of(table, [KAnonymity(k)], loss, lowest=lowest)
    quasi = [tuple(codes) for codes in problem.tally.quasi.T.tolist()]
    mixed = draw(st.permutations(sorted(set(quasi))))
    order = sorted(range(len(quasi)), key=lambda row: (mixed.index(quasi[row]), row))
    return problem, np.array(order, dtype=np.int32)


def units_of(problem, order):
    """The items of a line: (rows, records, people), each a run of equal boxes."""
    tally = problem.tally
    quasi = [tuple(codes) for codes in tally.quasi.T.tolist()]
    if not problem.consistent and not tally.has_units:
        return [([row], 1, 1) for row in order for _ in range(tally.counts[row])]
    people = tally.people + np.bincount(tally.shared_row, minlength=tally.rows)
    items = []
    for row in order:
        if problem.consistent and items and quasi[items[-1][0][0]] == quasi[row]:
            rows, records, heads = items[-1]
            items[-1] = (
                [*rows, row],
                records + tally.counts[row],
                heads + (tally.people[row] if not tally.has_units else people[row]),
            )
        else:
            heads = people[row] if tally.has_units else tally.counts[row]
            items.append(([row], tally.counts[row], heads))
    return items


def least(problem, order, *, largest=False):
    """The least cost of all divisions into runs of enough people."""
    flat = boxes_of(problem)
    items = units_of(problem, order)
    k = problem.models[0].k

    def cost(run):
        rows = [row for item in items[slice(*run)] for row in item[0]]
        codes = problem.tally.quasi[:, rows]
        price = box_cost(flat, codes.min(axis=1), codes.max(axis=1))
        return price if largest else price * sum(item[1] for item in items[slice(*run)])

    def allowed(run):
        return sum(item[2] for item in items[slice(*run)]) >= k

    return naive.orders.best(naive.orders.divisions(len(items)), allowed, cost, largest=largest)


def costs(problem, pieces):
    """What a record of each class costs, and the records of each class."""
    flat = boxes_of(problem)
    number = int(pieces.class_of.max()) + 1
    prices = []
    for c in range(number):
        codes = problem.tally.quasi[:, pieces.row[pieces.class_of == c]]
        prices.append(box_cost(flat, codes.min(axis=1), codes.max(axis=1)))
    return np.array(prices), np.bincount(pieces.class_of, pieces.count)


def check_pieces(problem, pieces):
    """Every record once, rows in their order, rows whole where they must be."""
    assert (np.bincount(pieces.row, pieces.count) == problem.tally.counts).all()
    assert (np.diff(pieces.row) >= 0).all()
    assert (pieces.count > 0).all()
    if problem.consistent or problem.tally.has_units:
        assert (pieces.row == np.arange(problem.tally.rows)).all()
    if problem.consistent:
        shown = {}
        for codes, c in zip(problem.tally.quasi.T.tolist(), pieces.class_of, strict=True):
            assert shown.setdefault(tuple(codes), c) == c


@pytest.mark.parametrize("long", [1, 2**14], ids=["both-ends", "one-end"])
@settings(max_examples=150)
@given(data=st.data())
def test_no_division_into_runs_costs_less(long, data):
    problem, order = data.draw(ordered(units=data.draw(st.booleans())))
    problem = replace(problem, consistent=data.draw(st.booleans()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curve_partition, "_LONG", long)
        pieces = partition_in_order(problem, order)
    check_pieces(problem, pieces)
    wanted = least(problem, order)
    if wanted is not None:
        prices, records = costs(problem, pieces)
        assert prices @ records == pytest.approx(wanted)


@pytest.mark.parametrize("long", [1, 2**14], ids=["both-ends", "one-end"])
@settings(max_examples=100)
@given(data=st.data())
def test_no_division_into_runs_has_a_smaller_largest_extent(long, data):
    problem, order = data.draw(ordered(loss=IlInf()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curve_partition, "_LONG", long)
        pieces = partition_in_order(problem, order)
    wanted = least(problem, order, largest=True)
    if wanted is not None:
        assert costs(problem, pieces)[0].max() == pytest.approx(wanted)


@settings(max_examples=60)
@given(st.data())
def test_among_the_smallest_largest_extents_the_least_gcp_is_taken(data):
    problem, order = data.draw(ordered(loss=IlInf(), max_records=8))
    wanted = least(problem, order, largest=True)
    if wanted is None:
        return
    flat, items, k = boxes_of(problem), units_of(problem, order), problem.models[0].k

    def price(run):
        codes = problem.tally.quasi[:, [item[0][0] for item in items[slice(*run)]]]
        return box_cost(flat, codes.min(axis=1), codes.max(axis=1))

    best = naive.orders.best(
        naive.orders.divisions(len(items)),
        lambda run: run[1] - run[0] >= k and price(run) <= wanted + 1e-12,
        lambda run: price(run) * (run[1] - run[0]),
    )
    prices, records = costs(problem, partition_in_order(problem, order))
    assert prices @ records == pytest.approx(best)


@settings(max_examples=150)
@given(st.data())
def test_by_keys_no_division_into_runs_costs_less(data):
    problem, order = data.draw(ordered())
    problem = replace(problem, consistent=data.draw(st.booleans()))
    tally = problem.tally
    fresh = [True, *(tally.quasi[:, order[1:]] != tally.quasi[:, order[:-1]]).any(axis=0)]
    steps = st.floats(0, 5, allow_nan=False) if data.draw(st.booleans()) else st.integers(0, 2)
    gaps = [data.draw(steps) if new else 0.0 for new in fresh]
    keys = np.cumsum(np.array(gaps, dtype=np.float64))
    at = dict(zip(order.tolist(), keys.tolist(), strict=True))
    items, k = units_of(problem, order), problem.models[0].k

    def cost(run):
        here = items[slice(*run)]
        return (at[here[-1][0][-1]] - at[here[0][0][0]]) * sum(item[1] for item in here)

    def allowed(run):
        return sum(item[2] for item in items[slice(*run)]) >= k

    wanted = naive.orders.best(naive.orders.divisions(len(items)), allowed, cost)
    pieces = partition_in_order(problem, order, keys)
    check_pieces(problem, pieces)
    if wanted is not None:
        total = 0.0
        for c in range(int(pieces.class_of.max()) + 1):
            here = pieces.class_of == c
            places = [at[row] for row in pieces.row[here].tolist()]
            total += (max(places) - min(places)) * pieces.count[here].sum()
        assert total == pytest.approx(wanted)
        assert np.bincount(pieces.class_of, pieces.count).min() >= k


def column(codes, counts, tree=None):
    from worked import tree as made

    top = max(codes)
    tree = tree or made([(i, "*") for i in range(1, top + 1)], ordered=True)
    quasi = [c for c, n in zip(codes, counts, strict=True) for _ in range(n)]
    return [tree], [quasi], [[1] * len(quasi)], None


@pytest.mark.parametrize("counts", [(500,), (1, 500, 1), (1, 37, 2, 90, 1), (41, 1, 1, 29, 1)])
def test_rows_of_many_records_are_cut_as_if_they_were_not_shortened(counts):
    table = column(range(1, len(counts) + 1), counts)
    problem = problem_of(table, [KAnonymity(5)], Gcp())
    order = np.arange(len(counts), dtype=np.int32)
    short = partition_in_order(problem, order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curve_partition, "_cut_out_midst", lambda counts, _: counts)
        full = partition_in_order(problem, order)
    check_pieces(problem, short)
    found, wanted = (np.dot(*costs(problem, pieces)) for pieces in (short, full))
    assert found == pytest.approx(wanted)
    assert np.bincount(short.class_of, short.count).min() >= 5
    assert len(curve_partition.line_of(problem, order).of) <= 25 * len(counts)


def test_one_class_of_equal_rows_shows_them_exactly():
    problem = problem_of(column([1], [1000]), [KAnonymity(5)], Gcp())
    pieces = partition_in_order(problem, np.zeros(1, dtype=np.int32))
    spans = merge_failing_classes(problem, pieces)
    assert spans.pieces.count.tolist() == [1000]
    assert Gcp().of(problem.outcome(spans)) == 0


def test_a_table_with_fewer_than_k_people_is_one_class():
    problem = problem_of(column([1, 2], [1, 1]), [KAnonymity(5)], Gcp())
    pieces = partition_in_order(problem, np.arange(2, dtype=np.int32))
    assert pieces.class_of.tolist() == [0, 0]


@pytest.mark.slow
@given(st.integers(2, 60), st.integers(2, 5), hierarchies(), st.randoms(use_true_random=False))
def test_where_steps_are_too_many_classes_end_at_every_second_item(number, k, tree, random):
    codes = sorted(random.randint(1, len(tree.leaves)) for _ in range(number))
    table = [tree], [codes], [[1] * number], None
    problem = problem_of(table, [KAnonymity(k)], Gcp())
    order = np.arange(problem.tally.rows, dtype=np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curve_partition, "_LARGEST_WORK", 20)
        pieces = partition_in_order(problem, order)
    check_pieces(problem, pieces)
    exact = partition_in_order(problem, order)
    coarse, best = (np.dot(*costs(problem, p)) for p in (pieces, exact))
    assert coarse >= best - 1e-9
    if number >= k:
        assert np.bincount(pieces.class_of, pieces.count).min() >= k
