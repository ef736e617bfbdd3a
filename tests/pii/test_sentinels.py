"""Values that mean that there is none, by label, by word and by place; and values that do not."""

import numpy as np
import polars as pl
import pytest

from incrowd.pii.profile import ColumnProfile
from incrowd.pii.sentinels import sentinels
from incrowd.table.encode import encode

RNG = np.random.default_rng(2)
WEEKS = RNG.integers(17, 48, 2_000).tolist()
CODES = RNG.integers(1, 5, 2_000).tolist()
DAYS = pl.date_range(pl.date(1930, 1, 1), pl.date(1999, 12, 31), "30d", eager=True).to_list()
SUMS = RNG.lognormal(7, 1, 2_000).round(2).tolist()


def found(cells, **labels):
    profile = ColumnProfile.of(encode(pl.Series(cells), "x", infer=True))
    given = ColumnProfile(**{**vars(profile), "value_labels": labels}) if labels else profile
    return {one.value for one in sentinels(given)}


@pytest.mark.parametrize(
    ("cells", "marks"),
    [
        ([*WEEKS, *[99] * 300], {"99"}),
        ([*WEEKS, *[-8] * 30, -9, -9], {"-8", "-9"}),
        ([*CODES, *[9] * 20], {"9"}),
        ([*CODES, *[7] * 9, *[8] * 20, 9], {"7", "8", "9"}),
        ([*WEEKS, *[97] * 20, *[98] * 30, *[99] * 40], {"97", "98", "99"}),
        ([*range(99), *WEEKS, *[99] * 900], {"99"}),
        ([*SUMS, *[999_999] * 9], {"999999"}),
        ([*map(str, WEEKS), *["refused"] * 5], {"refused"}),
        (["yes", "no", "Don't know", "Unknown"] * 9, {"Don't know", "Unknown"}),
        (["01", "02", "03", "04", "99"] * 40, {"99"}),
        ([*DAYS, *[pl.date(9999, 12, 31)] * 0, "9999-12-31"], {"9999-12-31"}),
    ],
)
def test_marks_are_found(cells, marks):
    texts = [str(cell) for cell in cells]
    assert found(texts) == marks


@pytest.mark.parametrize(
    "cells",
    [
        list(range(18, 100)) * 5,
        [*range(1, 10)] * 9,
        [-5, -3, -12, 4, 18, 30] * 9,
        [round(x, 2) for x in SUMS],
        ["none", "some", "many"] * 9,
        [str(day) for day in DAYS],
        list(range(0, 100, 3)) * 4,
        ["Unknown"] * 20,
    ],
)
def test_ordinary_values_are_left_alone(cells):
    assert found([str(cell) for cell in cells]) == set()


def test_labels_of_values_decide():
    said = {"1": "Yes", "2": "No", "5": "Refused to answer"}
    assert found(["1", "2", "5"] * 9, **said) == {"5"}


def test_nothing_is_said_of_a_value():
    profile = ColumnProfile.of(encode(pl.Series([*map(str, WEEKS), *["99"] * 50]), "x", infer=True))
    assert all("99" not in one.why for one in sentinels(profile))
