"""Distinct rows and their records: as a slow count finds them, whatever the cells are."""

import datetime as dt
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.table.cells import text_of
from incrowd.table.counted import CountedRows, count_rows, counted_codes
from naive import counted as naive

DAYS = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
KINDS = {
    "text": (pl.String, ["", " ", "a", "A", "0", "null"]),
    "whole": (pl.Int64, [0, 1, -1]),
    "huge": (pl.Int64, [2**63 - 1, -(2**63), 0, 2**61]),
    "unsigned": (pl.UInt64, [0, 2**64 - 1, 5]),
    "tiny": (pl.Int8, [-128, 127, 0]),
    "listed": (pl.Enum(["unused", "b", "a"]), ["a", "b"]),
    "fraction": (pl.Float64, [0.0, -0.0, 1.5, float("nan"), float("inf")]),
    "small": (pl.Float32, [0.0, -0.0, 0.5]),
    "day": (pl.Date, DAYS),
    "moment": (pl.Datetime("us"), [dt.datetime.combine(day, dt.time()) for day in DAYS]),
    "truth": (pl.Boolean, [True, False]),
    "group": (pl.Categorical, ["u", "v"]),
    "list": (pl.List(pl.Int64), [[], [1], [1, 2], [None]]),
    "struct": (pl.Struct({"p": pl.Int64}), [{"p": 1}, {"p": 2}, {"p": None}]),
    "nothing": (pl.Null, [None]),
}
NESTED = {"list", "struct"}


@st.composite
def frames(draw, least=1):
    """Columns of any kind, and beside them codes, people and classes or not."""
    size = draw(st.integers(least, 12))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), max_size=3))
    columns = []
    for j, kind in enumerate(kinds):
        dtype, values = KINDS[kind]
        cells = draw(st.lists(st.sampled_from([None, *values]), min_size=size, max_size=size))
        columns.append((f"{kind} {j}", pl.Series(f"{kind} {j}", cells, dtype=dtype)))

    def numbers(most):
        found = st.lists(st.integers(0, most), min_size=size, max_size=size)
        return np.array(draw(found), dtype=np.int32)

    codes = {f"c{j}": numbers(2) for j in range(draw(st.integers(0, 2)))}
    unit = numbers(3) if draw(st.booleans()) else None
    classes = numbers(2) if draw(st.booleans()) else None
    if not (columns or codes or unit is not None or classes is not None):
        codes = {"c0": numbers(2)}
    return pl.DataFrame(dict(columns)), codes, unit, classes


def beside_of(codes, unit, classes):
    return [*codes.values(), *(given for given in (unit, classes) if given is not None)]


def lines_of(rows):
    """The lines of counted rows as the twin writes them; nested cells are texts already."""
    columns = [
        column.to_list() if name.split()[0] in NESTED else map(naive.written, column.to_list())
        for name, column in ((c.name, c) for c in rows.cells.iter_columns())
    ]
    cells = list(zip(*columns, strict=True)) or [()] * len(rows.records)
    beside = [
        [int(number) for number in column]
        for column in beside_of(rows.codes, rows.unit, rows.classes)
    ]
    numbers = list(zip(*beside, strict=True)) or [()] * len(rows.records)
    return list(zip(cells, numbers, rows.records.tolist(), strict=True))


@settings(max_examples=300, deadline=None)
@given(frames())
def test_rows_are_counted_as_one_by_one(drawn):
    cells, codes, unit, classes = drawn
    found = count_rows(cells, codes, unit, classes)
    columns = [column.to_list() for column in cells.iter_columns()]
    wanted = naive.count_rows(columns, beside_of(codes, unit, classes))
    lines = lines_of(found)
    assert len(lines) == len({line[:2] for line in lines})
    assert {line[:2]: line[2] for line in lines} == dict(wanted)
    assert found.cells.columns == cells.columns
    plain = [name for name in cells.columns if name.split()[0] not in NESTED]
    assert found.cells.select(plain).schema == cells.select(plain).schema
    assert list(found.codes) == list(codes)
    assert (found.unit is None, found.classes is None) == (unit is None, classes is None)


@settings(max_examples=100, deadline=None)
@given(frames())
def test_whoever_has_no_other_record_gets_a_line_for_each(drawn):
    cells, codes, unit, classes = drawn
    found = count_rows(cells, codes, unit, classes)
    if unit is None:
        assert found.split_records() is found
        return
    columns = [column.to_list() for column in cells.iter_columns()]
    counted = naive.count_rows(columns, beside_of(codes, unit, classes))
    wanted = naive.one_by_one(counted, len(codes))
    each = found.split_records()
    assert Counter(lines_of(each)) == wanted
    assert each.records.sum() == cells.height or not cells.columns


@settings(max_examples=100, deadline=None)
@given(frames())
def test_with_people_lines_come_in_the_order_of_their_first_records(drawn):
    """The first line of a person is that of their first record."""
    cells, codes, unit, classes = drawn
    if unit is None:
        return
    found = count_rows(cells, codes, unit, classes)
    columns = [column.to_list() for column in cells.iter_columns()]
    wanted = naive.count_rows(columns, beside_of(codes, unit, classes))
    assert [line[:2] for line in lines_of(found)] == list(wanted)


@settings(max_examples=100, deadline=None)
@given(frames())
def test_the_order_of_records_does_not_matter(drawn):
    cells, codes, unit, classes = drawn
    turned = np.arange(cells.height if cells.columns else len(beside_of(codes, unit, classes)[0]))
    turned = turned[::-1]
    one = count_rows(cells, codes, unit, classes)
    other = count_rows(
        cells[turned] if cells.columns else cells,
        {name: column[turned] for name, column in codes.items()},
        None if unit is None else unit[turned],
        None if classes is None else classes[turned],
    )
    assert sorted(map(repr, lines_of(one))) == sorted(map(repr, lines_of(other)))


def test_cells_are_counted_as_a_reader_sees_them():
    """A grouping takes 0.0 and -0.0 for one value, a reader of the release does not."""
    found = count_rows(pl.DataFrame({"a": [0.0, -0.0, -0.0, 1.0, None]}))
    texts = text_of(found.cells["a"]).to_list()
    counted = dict(zip(texts, found.records.tolist(), strict=True))
    assert counted == {"0.0": 1, "-0.0": 2, "1.0": 1, None: 1}


@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_an_empty_table_has_no_rows(names):
    empty = pl.DataFrame(dict.fromkeys(names, pl.Series([], dtype=pl.String)))
    found = count_rows(empty, {"c": np.zeros(0, dtype=np.int32)}, np.zeros(0, dtype=np.int32))
    assert found.records.tolist() == []
    assert found.split_records().records.tolist() == []


def test_codes_may_be_counted_already():
    rows = counted_codes("a", np.array([0, 1]), np.array([3, 4]))
    assert rows.codes["a"].tolist() == [0, 1]
    assert rows.records.tolist() == [3, 4]


def test_other_cells_line_by_line():
    rows = count_rows(pl.DataFrame({"a": ["x", "y", "x"]}), unit=np.array([1, 2, 1]))
    other = rows.with_cells(rows.cells.with_columns(a=pl.lit("z")))
    assert other.cells["a"].to_list() == ["z", "z"]
    assert other.records is rows.records
    assert other.unit is rows.unit


def test_counted_rows_show_no_values():
    assert repr(count_rows(pl.DataFrame({"a": ["canary", "canary", "b"]}))) == (
        "CountedRows(2 distinct rows, 3 records)"
    )
    assert isinstance(count_rows(pl.DataFrame({"a": [1]})), CountedRows)
