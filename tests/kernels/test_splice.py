"""Records rewritten byte by byte, against the csv module."""

import csv
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.io.csv_chunks import CsvChunk
from incrowd.io.csv_rewrite import CsvRecords, CsvRows, Rewriting, join_rows

CELL = st.text(st.sampled_from('a,"\n é'), max_size=4)
LOOKS = [
    pl.Series("p", [None, "1", "[2, 3)"], dtype=pl.String),
    pl.Series("q", [None, "x"], dtype=pl.String),
]
NAMES = ["p", "k", "q", "l"]


def body(text):
    data = text.encode()
    return CsvChunk(data, 1, data.count(b"\n"))


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
    cut = CsvRecords.of(text, ",", len(NAMES))
    assert len(cut) == len(records)
    rows = how.rewrite_records(cut, codes)
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
        '1,a,3,""b\n',
        '1,"a""b,3,4\n',
        "1,2,3,4\n\n",
        '1,"2",3,4\n\n1,2,3,4\n',
        "1,2,3,4\r\n\r\n",
        "1,2,3,4\r\r\n",
        "1,2,3\n4,1,2,3,4\n",
        "1,2,3,4," * 99 + "\n",
    ],
)
def test_odd_texts_are_left_to_others(text):
    assert CsvRecords.of(body(text), ",", len(NAMES)) is None


@pytest.mark.parametrize("text", ["1\n\n2\n", "\n", "1\r\n\r\n", '"a"\n\n'])
def test_a_blank_line_of_a_table_of_one_column_is_no_record(text):
    assert CsvRecords.of(body(text), ",", 1) is None
    assert len(CsvRecords.of(body('1\n""\n2'), ",", 1)) == 3


def test_an_empty_cell_of_a_table_of_one_column_is_quoted():
    how = Rewriting.of(NAMES, ["q"], LOOKS[1:], ",")
    cut = CsvRecords.of(body("1,2,3,4\n5,6,7,8\n"), ",", len(NAMES))
    rows = how.rewrite_records(cut, np.array([[0, 1]], dtype=np.int32))
    assert bytes(rows.text) == b'""\nx\n'


@given(st.lists(st.text("ab", max_size=5), min_size=1, max_size=200), st.randoms())
@settings(max_examples=50)
def test_records_in_another_order(cells, random):
    how = Rewriting.of(["k", "l"], ["k", "l"], [pl.Series("z", [], dtype=pl.String)], ",")
    half = len(cells) // 2
    parts = [
        how.rewrite_records(
            CsvRecords.of(body("".join(f"{c},1\n" for c in some)), ",", 2),
            np.zeros((1, len(some)), np.int32),
        )
        for some in (cells[:half], cells[half:])
        if some
    ]
    order = list(range(len(cells)))
    random.shuffle(order)
    whole, order = join_rows(parts), np.array(order)
    rows = CsvRows(whole.text_in(order), np.cumsum(np.diff(whole.ends, prepend=0)[order]))
    assert read(rows) == [[cells[i], "1"] for i in order]
    assert read(rows.part(0, 1)) == [[cells[order[0]], "1"]]
