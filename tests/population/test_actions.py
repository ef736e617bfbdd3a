"""What to do with a column: ladders of real columns and of numbers of values alone."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import PolicyError
from incrowd.hierarchy import Dates, Flat, Intervals, Prefix, Regions, Suggested, Tree
from incrowd.hierarchy.hierarchy import texts
from incrowd.population.actions import (
    AS_IT_IS,
    LEFT_OUT,
    build_hierarchy,
    ladder_of,
    ladder_of_size,
)
from incrowd.table.column import CodedColumn, Domain, Kind


def column(name, values, codes=None):
    kind = {"i": Kind.NUMBER, "f": Kind.NUMBER, "M": Kind.DATE}.get(values.dtype.kind, Kind.TEXT)
    codes = np.arange(1, len(values) + 1) if codes is None else np.array(codes)
    return CodedColumn(name, codes.astype(np.int32), Domain(kind, values))


def days(number):
    return np.datetime64("1950-01-01") + np.arange(number).astype("timedelta64[D]")


ZIPS = column("zip", texts([f"{n:05d}" for n in range(0, 100_000, 37)]))
DISEASES = Tree((("cold", "airways", "*"), ("asthma", "airways", "*"), ("flu", "virus", "*")))


def said(ladder):
    return [(rung.values, rung.says) for rung in ladder.rungs]


def test_dates_become_months_and_years():
    assert said(ladder_of(column("born", days(3650)))) == [
        (3650, AS_IT_IS),
        (120, "to the month"),
        (40, "to the quarter"),
        (10, "to the year"),
        (2, "to periods of 5 years"),
        (1, LEFT_OUT),
    ]


def test_codes_lose_digits_from_the_right():
    assert said(ladder_of(ZIPS)) == [
        (2703, AS_IT_IS),
        (1000, "first three digits"),
        (100, "first two digits"),
        (10, "first digit"),
        (1, LEFT_OUT),
    ]
    wards = column("ward", texts([f"W{i}{j}{k}" for i in range(3) for j in range(4) for k in "ab"]))
    assert "first two characters" in [says for _, says in said(ladder_of(wards, Prefix()))]


def test_numbers_get_intervals_of_round_widths():
    ages = ladder_of(column("age", np.arange(0, 100)))
    assert said(ages) == [
        (100, AS_IT_IS),
        (50, "intervals of width 2"),
        (20, "intervals of width 5"),
        (10, "intervals of width 10"),
        (5, "intervals of width 20"),
        (2, "intervals of width 50"),
        (1, LEFT_OUT),
    ]
    assert ages.rungs[2].hierarchy == Intervals(width=5)
    assert ages.rungs[ages.finest_place(19)].values == 10
    assert ages.finest_place(1) == len(ages.rungs) - 1


def test_fractions_get_intervals_too():
    heights = ladder_of(column("height", np.round(np.arange(1.5, 2.0, 0.01), 2)))
    assert "intervals of width 0.05" in [says for _, says in said(heights)]


def test_numbers_that_lie_close_together_get_buckets_of_equally_many_records():
    skewed = np.concatenate([np.arange(500), [10**7]])
    ladder = ladder_of(column("income", skewed))
    rung = ladder.rungs[ladder.finest_place(120)]

    assert (rung.values, rung.hierarchy) == (100, Intervals(quantiles=100))
    assert rung.says == "100 intervals of about equally many records"
    assert ladder.rungs[ladder.finest_place(7)].values == 7


def test_a_column_that_cannot_be_made_coarser_says_so():
    for ladder in (
        ladder_of(column("sex", texts(["f", "m"]))),
        ladder_of(column("job", texts(["a", "b", "c"])), Flat()),
    ):
        assert ladder.rigid
        assert ladder.coarsest == ladder.distinct
        assert [says for _, says in said(ladder)] == [AS_IT_IS, LEFT_OUT]
    assert not ladder_of(ZIPS).rigid
    assert ladder_of(ZIPS).coarsest == 10


def test_a_given_hierarchy_is_followed_level_by_level():
    ladder = ladder_of(column("illness", texts(["asthma", "cold", "flu"])), DISEASES)
    assert said(ladder) == [(3, AS_IT_IS), (2, "level 1 of its hierarchy"), (1, LEFT_OUT)]
    years = ladder_of(column("born", days(3650)), Dates(steps=("year", "10 years")))
    assert [says for _, says in said(years)] == [AS_IT_IS, "to the year", LEFT_OUT]
    wide = ladder_of(column("age", np.arange(100)), Intervals(widths=(5, 25), top=90))
    assert [says for _, says in said(wide)][1:3] == [
        "intervals of width 5",
        "intervals of width 25",
    ]
    lands = column("land", texts(["Chad", "France", "Kenya", "Spain"]))
    assert (2, "region of the world") in said(ladder_of(lands, Regions()))


def test_suggested_is_as_if_nothing_were_said():
    assert said(ladder_of(ZIPS, Suggested())) == said(ladder_of(ZIPS))


def test_only_values_of_the_table_count_and_missing_is_one_of_them():
    held = column("illness", texts(["asthma", "cold"]), [0, 1, 2, 2])
    assert [values for values, _ in said(ladder_of(held, DISEASES))] == [3, 2, 1]
    ages = ladder_of(column("age", np.arange(100), [0, *range(1, 101)]))
    assert [values for values, _ in said(ages)] == [101, 51, 21, 11, 6, 3, 1]


def test_a_column_of_one_value_is_as_it_is():
    assert said(ladder_of(column("x", np.array([7])))) == [(1, AS_IT_IS)]
    assert said(ladder_of(column("x", texts([]), [0, 0]))) == [(1, AS_IT_IS)]


@settings(max_examples=50)
@given(st.integers(1, 10**6), st.sampled_from(["date", "code", "number", "group"]))
def test_ladders_of_sizes_fall_to_one(size, look):
    values = [rung.values for rung in ladder_of_size("x", size, look).rungs]

    assert values[0] == size
    assert values[-1] == 1
    assert all(a > b for a, b in pairwise(values))


def test_groups_are_any_small_number():
    ladder = ladder_of_size("job", 300, "group")
    assert ladder.rungs[ladder.finest_place(37)].says == "put together into 37 groups"
    assert ladder.rungs[ladder.finest_place(199)].values == 100
    with pytest.raises(PolicyError, match="'job' must be a whole number"):
        ladder_of_size("job", 1.5, "group")


def test_every_rung_of_a_table_builds_what_it_says():
    for one in (ZIPS, column("age", np.arange(100)), column("born", days(800))):
        for rung in ladder_of(one).rungs[1:-1]:
            hierarchy, codes = build_hierarchy(one, rung.hierarchy)
            assert len(np.unique(hierarchy.maps[rung.level][codes])) == rung.values


def test_words_hold_no_value():
    canary = column("name", texts([f"CANARY{i}{j}" for i in range(9) for j in range(9)]))
    for spec in (None, Prefix(), Flat()):
        assert "CANARY" not in repr(ladder_of(canary, spec))


def test_numbers_near_the_largest_have_ladders_too():
    huge = column("huge", np.arange(20) * 7.9e306)

    assert len(ladder_of(huge).rungs) > 2
