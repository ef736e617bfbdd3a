import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.cells as naive
from incrowd.hierarchy import Flat, Intervals, Ordered, Tree
from incrowd.hierarchy.aligned import CellConditions, choose_cells
from incrowd.hierarchy.cells import best_parts
from incrowd.hierarchy.labels import reach_of
from incrowd.hierarchy.rounding import DateStep
from incrowd.table.column import Domain, Kind


def column(values, spec=None, **domain):
    """A hierarchy over the values, and the people of each code."""
    values = np.asarray(values)
    kinds = {"M": Kind.DATE, "O": Kind.TEXT}
    found, counts = np.unique(values, return_counts=True)
    kind = kinds.get(found.dtype.kind, Kind.NUMBER)
    tree = (spec or Flat()).build(Domain(kind, found, **domain), "x", counts)
    people = np.zeros(len(tree.leaves) + 1, dtype=np.int64)
    labels = tree.leaves.labels.tolist()
    for label, count in zip(Domain(kind, found).labels.tolist(), counts.tolist(), strict=True):
        people[labels.index(label) + 1] = count
    return tree, people


def labels(values, k, spec=None, **ask):
    tree, people = column(values, spec)
    return choose_cells(tree, people, CellConditions(k, **ask)).labels.tolist()


numbers = st.lists(st.integers(-300, 300), min_size=1, max_size=40)


@settings(max_examples=150, deadline=None)
@given(numbers, st.integers(1, 8))
def test_every_cell_has_a_crowd_and_every_end_is_that_of_a_round_interval_with_one(values, k):
    tree, people = column(values)
    grid = choose_cells(tree, people, CellConditions(k))
    held = np.bincount(grid.of, people, minlength=len(grid) + 1)[1:]
    assert len(grid) == 1 or held.min() >= k
    ends = naive.round_ends(values, k)
    for cell, bounds in enumerate(grid.bounds):
        label = grid.labels[cell]
        single = bounds.low is not None and bounds.low == bounds.high
        for end in (bounds.low, bounds.high):
            assert end is None or int(end) in ends
        assert not single or values.count(int(label)) >= min(k, len(values))


@settings(max_examples=150, deadline=None)
@given(numbers, st.integers(1, 8))
def test_what_cells_show_stands_for_their_leaves_and_reaches_as_far_as_they_say(values, k):
    tree, people = column(values)
    grid = choose_cells(tree, people, CellConditions(k))
    codes = np.arange(1, len(people), dtype=np.int32)
    for low in codes.tolist():
        for high in range(low, len(people)):
            one, other = np.array([low], dtype=np.int32), np.array([high], dtype=np.int32)
            (label,) = grid.show(one, other, "*")
            found = tree.decode(label)
            inside = found[found > 0]
            first, last = grid.first[grid.of[low]], grid.last[grid.of[high]]
            assert (inside[0], inside[-1]) == (first, last)
            assert first <= low <= high <= last
            reach = (-np.inf, np.inf) if label == "*" else reach_of(label, tree.leaves)
            assert max(reach[0], min(values)) == grid.low[grid.of[low]]
            assert min(reach[1], max(values)) == grid.high[grid.of[high]]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(1, 9), st.integers(0, 3)), max_size=8),
    st.integers(1, 12),
)
def test_the_best_parts_are_those_of_the_twin(steps, k):
    people = np.cumsum([0, *(count for count, _, _ in steps), 3])
    low = np.cumsum([0, *(width for _, width, _ in steps), 5]).astype(float)
    high = low - np.array([0, *(gap * 0.3 for _, _, gap in steps), 0])
    begins = best_parts(people, low, high, k)
    cost = naive.cost_of(people, low, high, begins)
    assert cost == pytest.approx(naive.best_cost(people.tolist(), low, high, k))


def test_the_outermost_cells_are_open_and_single_values_stay():
    ages = [*[17] * 9, *[18] * 9, *range(20, 60), 61, 70, 88, 103]
    found = labels(ages, 5)
    assert found[:2] == ["17", "18"]
    assert found[-1].startswith("≥ ")
    assert not any("103" in label or "88" in label for label in found)


def test_an_outlier_does_not_show():
    incomes = [*range(20_000, 60_000, 7), 9_999_999]
    shown = labels(incomes, 10)
    assert not any("9999999" in label for label in shown)
    assert shown[-1].startswith("≥ ")


def test_heaps_far_apart_do_not_spoil_each_other():
    found = labels([*list(range(100)) * 6, 50_000, *range(100_000, 100_600)], 5)
    assert {"0", "50", "98"} <= set(found)
    assert sum("50000" in label for label in found) == 0


def test_a_continuum_shows_no_value_but_those_that_many_share():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(50, 10, 300), np.zeros(40)])
    tree, people = column(values)
    grid = choose_cells(tree, people, CellConditions(5))
    assert "0" in grid.labels.tolist()
    shown = " ".join(grid.labels.tolist())
    assert not any(repr(value) in shown for value in values.tolist() if value)


def test_decimals_that_many_share_are_shown():
    assert labels([*[1.5] * 6, *[2.5] * 6, *[2.6] * 6], 5) == ["1.5", "2.5", "2.6"]


def days(first, number, step=1):
    return np.datetime64(first) + np.arange(0, number * step, step)


def test_dates_show_days_months_and_years():
    births = np.concatenate([np.repeat(days("1965-03-01", 3), 9), days("1990-01-01", 700, 3)])
    found = labels(births.astype("datetime64[D]"), 9)
    assert found[:3] == ["1965-03-01", "1965-03-02", "1965-03-03"]
    assert "1991-05" in found
    found = labels(days("1930-01-01", 270, 30).astype("datetime64[D]"), 9)
    assert "1940" in found
    assert found[-1].startswith("≥ ")
    assert found[0].startswith("< ")


@pytest.mark.parametrize("step", DateStep.__args__)
def test_every_step_of_dates_can_be_declared(step):
    births = days("1930-01-17", 900, 37).astype("datetime64[D]")
    tree, people = column(births)
    grid = choose_cells(tree, people, CellConditions(3, step=step))
    assert np.bincount(grid.of, people)[1:].min() >= 3
    for label in grid.labels.tolist():
        found = tree.decode(label)
        assert len(found)


def test_a_declared_step_is_the_grid():
    ages = [*range(17, 91)] * 3
    assert labels(ages, 5, step=5)[:3] == ["< 20", "[20, 25)", "[25, 30)"]
    assert labels(ages, 40, step=10) == ["< 40", "[40, 70)", "≥ 70"]


def test_nodes_of_a_given_hierarchy_are_the_grid():
    ages = [*range(20, 40), *[20, 21, 22] * 9, *range(60, 100, 10)]
    found = labels(ages, 5, Intervals(width=5), given=True)
    assert {"20", "21", "[30, 35)"} <= set(found)
    cuts = Intervals(cuts=(33, 47, 61))
    assert labels([*range(20, 33), *range(47, 61)], 13, cuts, given=True) == ["< 33", "[47, 61)"]


def test_nodes_of_the_lowest_level_are_joined():
    ages = [*range(20, 40)] * 2 + [90, 95]
    found = labels(ages, 10, Intervals(width=5), lowest=1)
    assert found == ["[20, 25)", "[25, 30)", "[30, 35)", "≥ 35"]


def test_names_are_joined_where_nodes_are_no_intervals():
    values = [*["I"] * 5, "II", *["III"] * 5, "IV", "V"]
    stages = Ordered(("I", "II", "III", "IV", "V"))
    assert labels(np.array(values, dtype=object), 3, stages) == ["I", "[II, III]", "[IV, V]"] or (
        labels(np.array(values, dtype=object), 3, stages) == ["[I, II]", "[III, V]"]
    )
    rows = tuple((str(n), "young" if n < 3 else "old", "*") for n in range(1, 5))
    tree = Tree(rows)
    assert labels([1, 1, 1, 2, 3, 4, 4], 2, tree, lowest=1) == ["young", "old"]


def test_limits_come_before_crowds():
    values = [*range(0, 100, 10)]
    tree, people = column(values)
    grid = choose_cells(tree, people, CellConditions(5, widest=20))
    assert all(grid.high[1:] - grid.low[1:] <= 20)
    tree, people = column([*range(20, 60)], Intervals(width=5))
    grid = choose_cells(tree, people, CellConditions(8, highest=1))
    for cell in range(1, len(grid) + 1):
        nodes = tree.maps[1][[grid.first[cell], grid.last[cell]]]
        assert nodes[0] == nodes[1]


def test_missing_values_and_absent_leaves():
    tree, people = column([1, 2, 3])
    assert choose_cells(tree, people * 0, CellConditions(2)) is None
    people = np.array([5, 0, 4, 4])
    grid = choose_cells(tree, people, CellConditions(2))
    assert grid.of[0] == 0
    assert grid.labels.tolist() == ["2", "3"]


def test_the_outermost_cells_stay_inside_the_highest_level():
    spec = Intervals(width=4, top=1920)
    tree, people = column([*range(1922, 1990, 2)], spec)
    grid = choose_cells(tree, people, CellConditions(5, highest=1, given=True))
    every = np.array([1], dtype=np.int32), np.array([len(tree.leaves)], dtype=np.int32)
    assert grid.show(*every, "*").tolist() == ["≥ 1920"]
    tree, people = column([*range(20, 60)], Intervals(width=20))
    grid = choose_cells(tree, people, CellConditions(5, highest=1, given=True))
    assert grid.bounds[0].low == "20"
    assert grid.bounds[-1].high == "60"


@pytest.mark.parametrize("top", ["all", "*"])
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("values", [[1, 1, 1, 2, 2, 3, 3], ["2020-01-01"] * 3 + ["2020-02-01"] * 4])
def test_an_open_cell_that_is_the_only_one_shows_the_label_of_the_top(values, given, top):
    dated = isinstance(values[0], str)
    rows = tuple((str(one), f"part {one}", top) for one in sorted(set(values)))
    held = np.array(values, dtype="M8[D]") if dated else values
    tree, people = column(held, Tree(rows=rows))
    grid = choose_cells(tree, people, CellConditions(5, given=given))
    assert grid.labels.tolist() == [top]
    assert (grid.bounds[0].low, grid.bounds[0].high) == (None, None)
    assert tree.decode(top).tolist() == list(range(len(people)))
