"""Losses counted by hand from labels, with weights, missing cells and records left out."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd.hierarchy.labels import node_reach, reach_of
from incrowd.table.column import Domain, Kind
from incrowd.verify.crowds import number_cells
from incrowd.verify.losses import LossColumn, ends_of_label, losses_of_labels, losses_of_sizes
from incrowd.verify.shown import crowds_by_number
from incrowd.verify.spellings import join_ends, split_columns

AGES = Domain(Kind.NUMBER, np.arange(20, 40))


def ages(*labels, weight=1.0):
    """Whole numbers from 20 to 39; the table holds 20, 30 and a missing one."""
    tree = incrowd.Intervals(widths=(10.0,), origin=20.0).build(AGES, "age")
    held = np.array([1, 11, 0, 11], dtype=np.int32)
    return LossColumn(tree, number_cells(pl.Series(labels, dtype=pl.String)), held, weight)


def by_class(*numbers, records=None):
    """The classes of rows, which stand for one record each unless said otherwise."""
    times = np.ones(len(numbers), dtype=np.int64) if records is None else np.array(records)
    return crowds_by_number(np.array(numbers), times)


def test_losses_of_sizes():
    """3 and 1 of 6 records leave: 9 + 1 + two times 6, and two per class."""
    found = losses_of_sizes(np.array([3, 1]), 6)
    assert found == {"discernibility": 22.0, "average_class": 2.0}


def test_losses_of_one_column_by_hand():
    """Of the ten years that the table spans `[20, 30)` leaves nine open, `25` none, `*` all."""
    column = ages("[20, 30)", "25", "*", None)
    found = losses_of_labels([column], by_class(0, 1, 2, 3), 5)
    assert found["gcp"] == pytest.approx((0.9 + 0 + 1 + 0 + 1) / 5)
    assert found["granularity"] == pytest.approx((9 / 19 + 0 + 1 + 0 + 1) / 5)
    assert found["precision"] == pytest.approx(1 - (0.5 + 0 + 1 + 0 + 1) / 5)
    assert found["il1"] == pytest.approx(1.9 / 4)
    assert found["ilinf"] == 1
    assert found["weighted_max_ncp"] == pytest.approx(1 / 5)
    assert found["volume"] == pytest.approx((0.9 + 1 / 20 + 1 + 1 / 20 + 1) / 5)


def test_weights_are_shares_of_all_weights():
    """What a column costs counts three times what another costs."""
    light, heavy = ages("25", "25"), ages("[20, 30)", "[20, 30)", weight=3.0)
    found = losses_of_labels([light, heavy], by_class(0, 0), 2)
    assert found["gcp"] == pytest.approx(0.75 * 0.9)
    assert found["il1"] == found["ilinf"] == pytest.approx(0.75 * 0.9)
    assert found["weighted_max_ncp"] == pytest.approx(0.75 * 0.9)
    assert found["volume"] == pytest.approx(1 / 20 * 0.9**3)
    assert found["discernibility"] == 4


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        ("25", (25, 25)),
        ("[20, 30)", (20, 29)),
        ("[20, 30]", (20, 30)),
        ("(20, 30)", (21, 29)),
        ("[20.5, 29.5]", (21, 29)),
        ("[20.5, 29.5)", (21, 29)),
        ("(20.5, 29.5)", (21, 29)),
        ("≥ 30", (30, math.inf)),
        ("> 30", (31, math.inf)),
        ("≤ 30", (-math.inf, 30)),
        ("< 30", (-math.inf, 29)),
    ],
)
def test_ends_of_labels_of_whole_numbers(label, ends):
    assert reach_of(label, AGES) == ends
    if label != "[20.5, 29.5)" and not label.startswith("(20.5"):
        assert ends_of_label(AGES, label) == ends


@pytest.mark.parametrize(
    ("label", "ends"), [("[20, 30)", (20, 30)), ("< 30", (-math.inf, 30)), ("2.5", (2.5, 2.5))]
)
def test_ends_of_labels_of_fractions(label, ends):
    fractions = Domain(Kind.NUMBER, np.array([20.0, 20.5, 30.0]))
    assert reach_of(label, fractions) == ends_of_label(fractions, label) == ends


def test_labels_that_reach_nowhere():
    assert reach_of("x", AGES) is ends_of_label(AGES, "x") is None
    assert reach_of("[30, 20]", AGES) is None
    assert reach_of("[20, 21)", AGES) == (20, 20)
    texts = Domain(Kind.TEXT, np.array(["20", "30"], dtype=object))
    assert (
        reach_of("20", texts) is node_reach("1965-Q1", texts) is ends_of_label(texts, "20") is None
    )
    assert node_reach("1965-Q1", AGES) is None


def test_two_columns_become_one_column_of_labels():
    rows = pl.DataFrame(
        {
            "s": list("pqrst"),
            "age_low": [None, 20, None, 30, 7],
            "age_high": [None, 29, 40, None, 7],
        }
    )
    found = join_ends(rows, {"age": "*"})
    assert found.columns == ["s", "age"]
    assert found["age"].to_list() == ["*", "[20, 29]", "≤ 40", "≥ 30", "7"]


def test_a_column_stands_as_two_if_both_are_there_and_it_is_not():
    assert split_columns(["a", "b"], ["a_low", "a_high", "b_low"]) == ("a",)
    assert split_columns(["a"], ["a", "a_low", "a_high"]) == ()
    assert split_columns(["a"], ["a_high"]) == ()


def test_dates_and_moments_end_where_they_say():
    days = Domain(Kind.DATE, np.array(["1965-03-01", "1967-12-24"], dtype="datetime64[D]"))
    moments = Domain(Kind.DATE, days.values.astype("datetime64[us]"))

    def at(day):
        return float(np.datetime64(day, "us").astype(np.int64))

    label = "[1965-01-01, 1965-01-03)"
    assert reach_of(label, days) == (at("1965-01-01"), at("1965-01-02"))
    assert reach_of(label, moments) == (at("1965-01-01"), at("1965-01-03"))
    assert reach_of("< 1966", days) == (-math.inf, at("1965-12-31"))
    assert reach_of("≥ 1966", days) == (at("1966-01-01"), math.inf)
    for strange in ("x", "[1965, x]", "[x, 1965]", "[1966, 1965]"):
        assert reach_of(strange, days) is None


def test_sets_cost_what_lies_between_their_ends():
    """`{20, 22}` lies in one node of ten, `{20, 31}` in the top only."""
    found = losses_of_labels([ages("{20, 22}", "{20, 31}")], by_class(0, 1), 2)
    assert found["gcp"] == pytest.approx((0.2 + 1) / 2)
    assert found["granularity"] == pytest.approx((1 / 19 + 1 / 19) / 2)
    assert found["precision"] == pytest.approx(1 - (0.5 + 1) / 2)


def test_a_column_of_one_value_has_nothing_to_lose():
    column = ages("[20, 30)", "*")
    for held in ([5, 5, 0], [0, 0, 0]):
        one = replace(column, held=np.array(held, dtype=np.int32))
        assert losses_of_labels([one], by_class(0, 1), 2)["gcp"] == 0.5


def test_groups_without_an_order_cost_their_share_of_the_values():
    leaves = Domain(Kind.TEXT, np.array(["10", "11", "20", "21", "22"], dtype=object))
    tree = incrowd.Prefix().build(leaves, "zip")
    labels = number_cells(pl.Series(["1*", "2*", "10", "*"]))
    column = LossColumn(tree, labels, np.array([1, 2, 3, 4], dtype=np.int32))
    found = losses_of_labels([column], by_class(0, 1, 2, 3), 4)
    assert not tree.ordered
    assert found["gcp"] == pytest.approx((2 / 5 + 3 / 5 + 0 + 1) / 4)
    assert found["granularity"] == pytest.approx((1 / 4 + 2 / 4 + 0 + 1) / 4)
