import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import Intervals
from incrowd.hierarchy.hierarchy import texts
from incrowd.hierarchy.labels import read_bounds, write_interval
from incrowd.hierarchy.rounding import NumberGrid, nice_width
from incrowd.table.column import Domain, Kind


def numbers(*values):
    return Domain(Kind.NUMBER, np.unique(np.array(values)))


def labels(spec, *values):
    return [line.tolist() for line in spec.build(numbers(*values), "x").labels[1:]]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 2)), min_size=1, max_size=10),
    st.sampled_from([0.1, 0.25, 0.3, 1, 2.5, 7]),
    st.sampled_from([0.0, 0.05, -3, 1e5]),
)
def test_widths_agree_with_the_naive_twin(values, width, origin):
    domain = numbers(*values)
    spec = Intervals(widths=(width, 2 * width), origin=origin)
    rows = naive.hierarchy.rows_of(spec.build(domain, "x"))
    for value, row in zip(domain.values.tolist(), rows, strict=True):
        bounds = read_bounds(row[1])
        low, high = naive.hierarchy.cell(value, width, origin)
        assert (float(bounds.low), float(bounds.high)) == (float(low), float(high))
        wide = read_bounds(row[2])
        assert float(wide.low) <= float(low) < float(high) <= float(wide.high)
        assert float(wide.low) <= value < float(wide.high)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.integers(-20, 20), min_size=1, max_size=10),
    st.lists(st.integers(-20, 20), min_size=1, max_size=5, unique=True),
)
def test_cuts_agree_with_the_naive_twin(values, cuts):
    domain = numbers(*values)
    spec = Intervals(cuts=tuple(sorted(cuts)))
    rows = naive.hierarchy.rows_of(spec.build(domain, "x"))
    for value, row in zip(domain.values.tolist(), rows, strict=True):
        assert row[1] == naive.hierarchy.cut(value, cuts)


def test_widths_double_until_one_interval_would_be_left():
    assert labels(Intervals(width=5), *range(20, 40)) == [
        ["[20, 25)", "[25, 30)", "[30, 35)", "[35, 40)"],
        ["[20, 30)", "[30, 40)"],
        ["*"],
    ]


def test_growth_can_be_said():
    assert len(labels(Intervals(width=1, factor=10, levels=2), *range(1000))) == 2 + 1
    assert labels(Intervals(widths=(5, 15)), 1, 7) == [["[0, 5)", "[5, 10)"], ["[0, 15)"], ["*"]]


def test_labels_have_no_float_dust():
    assert labels(Intervals(widths=(0.1,)), 0.3, 0.7)[0] == ["[0.3, 0.4)", "[0.7, 0.8)"]
    assert labels(Intervals(widths=(0.5,)), -0.2, 1)[0] == ["[-0.5, 0)", "[1, 1.5)"]


def test_top_and_bottom_are_pooled():
    assert labels(Intervals(widths=(10,), bottom=18, top=90), 3, 17, 18, 25, 89, 90, 104)[0] == [
        "< 18",
        "[18, 20)",
        "[20, 30)",
        "[80, 90)",
        "≥ 90",
    ]
    assert labels(Intervals(top=90), 89, 90, 104) == [["89", "≥ 90"], ["*"]]
    assert labels(Intervals(cuts=(0, 50), top=90), 40, 60, 95)[0] == [
        "[0, 50)",
        "[50, 90)",
        "≥ 90",
    ]


def test_nested_cuts_are_levels():
    assert labels(Intervals(cuts=((18, 40, 65), (40,))), 10, 20, 50, 70) == [
        ["< 18", "[18, 40)", "[40, 65)", "≥ 65"],
        ["< 40", "≥ 40"],
        ["*"],
    ]


def test_quantiles_halve_and_never_split_a_value():
    found = labels(Intervals(quantiles=4), *range(1, 9))
    assert found[0] == ["< 3", "[3, 5)", "[5, 7)", "≥ 7"]
    assert found[1:] == [["< 5", "≥ 5"], ["*"]]


def test_quantiles_count_records():
    domain = numbers(1, 2, 3, 4)
    hierarchy = Intervals(quantiles=2).build(domain, "x", np.array([97, 1, 1, 1]))
    assert hierarchy.labels[1].tolist() == ["< 2", "≥ 2"]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=6, max_size=12), st.integers(2, 5))
def test_quantiles_hold_as_many_records_as_ties_allow(records, number):
    counts = np.array(records)
    hierarchy = Intervals(quantiles=number).build(numbers(*range(len(records))), "x", counts)
    held = np.bincount(hierarchy.maps[1, 1:], weights=counts)[1:]
    assert len(held) <= number
    assert held.max() <= counts.sum() / number + counts.max()


@pytest.mark.parametrize(
    "values",
    [(5,), (1e300,), (-1e300, 1e300), (1.0, 1.7e308), (-(2**63), 2**63 - 1), (-3, -2), (1e-320, 1)],
)
@pytest.mark.parametrize(
    "spec",
    [Intervals(), Intervals(width=5), Intervals(widths=(0.1, 0.5)), Intervals(quantiles=4)],
)
def test_extreme_numbers_work(values, spec):
    hierarchy = spec.build(numbers(*values), "x")
    for line in hierarchy.labels:
        assert all(len(hierarchy.decode(label)) for label in line)


def test_no_level_repeats_the_one_below():
    hierarchy = Intervals(width=1).build(numbers(0, 1, 2, 1000), "x")
    sizes = [len(line) for line in hierarchy.labels]
    assert sizes == sorted(set(sizes), reverse=True)


def test_nothing_but_missing_values():
    hierarchy = Intervals(width=5).build(Domain(Kind.TEXT, texts([])), "x")
    assert hierarchy.maps.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"width": 5, "quantiles": 4},
        {"width": 0},
        {"width": float("inf")},
        {"widths": (5, 12)},
        {"widths": (5, 5)},
        {"widths": (5, 10), "levels": 3},
        {"cuts": ()},
        {"cuts": ((1, 2), ())},
        {"cuts": (3, 1)},
        {"cuts": ((1, 2), (3,))},
        {"bottom": 5, "top": 5},
        {"quantiles": 1},
        {"wdith": 5},
    ],
)
def test_contradictions_are_refused(wrong):
    with pytest.raises(PolicyError):
        Intervals(**wrong)


def test_texts_and_infinities_are_refused_without_values():
    with pytest.raises(InputError, match="'x' holds texts, and intervals need numbers") as caught:
        Intervals(width=5).build(Domain(Kind.TEXT, texts(["canary"])), "x")
    assert "canary" not in str(caught.value)
    with pytest.raises(InputError, match="1 infinite values"):
        Intervals(width=5).build(numbers(1.0, np.inf), "x")


@pytest.mark.parametrize("width", [0.1, 0.3, 0.7, 1.1])
def test_values_at_and_just_below_a_bound_are_told_apart(width):
    grid = NumberGrid(0.0, width)
    bounds = np.array([float(grid.bound(cell)) for cell in range(-200, 200)])
    assert grid.cells(bounds).tolist() == list(range(-200, 200))
    below = np.nextafter(bounds, -np.inf)
    assert grid.cells(below).tolist() == list(range(-201, 199))


def test_bounds_are_exact():
    assert NumberGrid(0.0, 0.1).bound(3) == 0.3
    assert NumberGrid(0.0, 1e300).bound(10**9) == float("inf")
    assert NumberGrid(0.05, 0.1).bound(-1) == -0.05
    assert write_interval(-5, 0.5) == "[-5, 0.5)"


@pytest.mark.parametrize(
    ("values", "width"),
    [([17, 90], 5), ([0, 1], 1), ([0.0, 1.0], 0.05), ([7, 7], 1), ([0, 10**6], 50_000)],
)
def test_nice_widths(values, width):
    assert nice_width(np.array(values)) == width


@pytest.mark.parametrize("ages", [(95, 104), (95,), (30,), (30, 95)])
def test_a_pooled_level_is_there_whatever_the_values(ages):
    """`lowest = 1` must mean the same for every table: never an exact value."""
    first = labels(Intervals(width=5, top=90), *ages)[0]
    assert first == ["[30, 35)"] * (30 in ages) + ["≥ 90"] * (95 in ages)
