"""Small random tables for the search for quasi-identifiers, and Adult if its folder is there."""

import csv
import gzip
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from incrowd.identify.records import Records

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult" / "adult.data.gz"
FIGURE_3 = Path(__file__).resolve().parents[2] / "shared" / "vectors" / "adult-figure3.csv"
ABSENT = "the folder ../shared is absent"
ADULT_COLUMNS = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
    *("native-country", "income"),
]


def records_of(columns, counts=None, names=None):
    """Records of columns given as lists of codes."""
    counts = [1] * len(columns[0]) if counts is None else counts
    names = tuple(names or (f"c{j}" for j in range(len(columns))))
    codes = np.array(columns, dtype=np.int32).reshape(len(columns), len(counts))
    return Records(names, codes, np.array(counts, dtype=np.int64))


def coded(rows, names):
    """Records of rows of texts."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    places = [{value: i + 1 for i, value in enumerate(sorted(set(one)))} for one in columns]
    return records_of(
        [[place[value] for value in one] for place, one in zip(places, columns, strict=True)],
        names=names,
    )


@st.composite
def column_tables(draw, max_rows=10, max_columns=5, min_rows=1):
    """Columns and counts: constants, duplicates and one row or column among them."""
    n = draw(st.integers(min_rows, max_rows))
    width = draw(st.integers(1, max_columns))
    tops = draw(st.lists(st.sampled_from([0, 1, 2, 5]), min_size=width, max_size=width))
    columns = [draw(st.lists(st.integers(0, top), min_size=n, max_size=n)) for top in tops]
    most = draw(st.sampled_from([1, 3]))
    return columns, draw(st.lists(st.integers(1, most), min_size=n, max_size=n))


@cache
def adult(*, fnlwgt=False):
    """Adult as Motwani and Xu use it, 14 columns, or with the 15th; cells are never printed."""
    with gzip.open(ADULT, "rt", encoding="ascii") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    table = coded(rows, ADULT_COLUMNS)
    return table if fnlwgt else table.select([name for name in table.names if name != "fnlwgt"])
