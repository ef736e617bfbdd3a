"""Records rewritten byte by byte, against the csv module."""

import csv
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.io.bodies import Body
from incrowd.io.rewrite import Rewriting, joined, records_in

CELL = st.text(st.sampled_from('a,"\n é'), max_size=4)
LOOKS = [
    pl.Series("p", [None, "1", "[2, 3)"], dtype=pl.String),
    pl.Series("q", [None, "x"], dtype=pl.String),
]
NAMES = ["p", "k", "q", "l"]


def body(text):
    data = text.encode()
    return Body(data, 1, data.count(b"\n"))


def written(records, end="\n"):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end).writerows(records)
    return text.getvalue()


def read(rows):
    return list(csv.reader(io.StringIO(bytes(rows.text).decode(), newline="")))


@given(
    st.lists(st.tuples(CELL, CELL, CELL, CELL), min_size=1, max_size=5),
    st.sampled_from([NAMES, ["p", "q"], ["k", "l", "q"], ["l", "p"]]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.data(),
)
@settings(max_examples=100)
def test_cells_are_copied_shown_or_left_out(records, leaving, end, last, data):
    shown = [cells for cells in LOOKS if cells.name in leaving]
    how = Rewriting.of(NAMES, leaving, shown, ",")
    codes = np.array(
        [[data.draw(st.integers(0, len(c) - 1)) for _ in records] for c in shown], dtype=np.int32
    )
    text = body(written(records, end) if last else written(records, end).removesuffix(end))
    assert records_in(text, ",") == len(records)
    rows = how.rows(text, codes)
    place = {cells.name: j for j, cells in enumerate(shown)}
    expected = [
        [
            (shown[place[n]][int(codes[place[n], i])] or "") if n in place else cell
            for n, cell in zip(NAMES, record, strict=True)
            if n in leaving
        ]
        for i, record in enumerate(records)
    ]
    assert read(rows) == expected


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n",
        "1,2,3,4,5\n",
        "\n1,2,3,4\n",
        '1,a"b,3,4\n',
        '1,"a"b,3,4\n',
        '1,"ab,3,4\n',
        "1,a\rb,3,4\n",
        "1,2,3,4\n1,2,3,4\n",
    ],
)
def test_odd_texts_are_left_to_others(text):
    how = Rewriting.of(NAMES, NAMES, LOOKS, ",")
    assert how.rows(body(text), np.zeros((2, 1), dtype=np.int32)) is None


def test_an_empty_cell_of_a_table_of_one_column_is_quoted():
    how = Rewriting.of(NAMES, ["q"], LOOKS[1:], ",")
    rows = how.rows(body("1,2,3,4\n5,6,7,8\n"), np.array([[0, 1]], dtype=np.int32))
    assert bytes(rows.text) == b'""\nx\n'


@given(st.lists(st.text("ab", max_size=5), min_size=1, max_size=200), st.randoms())
@settings(max_examples=50)
def test_records_in_another_order(cells, random):
    how = Rewriting.of(["k", "l"], ["k", "l"], [pl.Series("z", [], dtype=pl.String)], ",")
    half = len(cells) // 2
    parts = [
        how.rows(body("".join(f"{c},1\n" for c in some)), np.zeros((1, len(some)), np.int32))
        for some in (cells[:half], cells[half:])
        if some
    ]
    order = list(range(len(cells)))
    random.shuffle(order)
    rows = joined(parts).ordered(np.array(order))
    assert read(rows) == [[cells[i], "1"] for i in order]
    assert read(rows.part(0, 1)) == [[cells[order[0]], "1"]]
