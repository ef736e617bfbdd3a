import csv
import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.kernels.io.lines import survey_records

CELL = st.text(st.sampled_from('a,"\n '), max_size=4)
RECORDS = st.lists(st.lists(CELL, max_size=4), max_size=6)


def line(record, end):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end).writerow(record)
    return text.getvalue().removesuffix(end)


def written(records, end):
    lines = [line(record, end) for record in records]
    return "".join(text + end for text in lines), lines


@given(RECORDS, st.sampled_from(["\n", "\r\n"]), st.integers(1, 4), st.booleans())
@settings(deadline=None)
def test_the_survey_agrees_with_the_csv_module(records, end, wanted, last):
    text, lines = written(records, end)
    text = text if last or not records or not lines[-1] else text.removesuffix(end)
    found, blank = np.zeros(5, dtype=np.int64), np.zeros(9, dtype=np.int64)

    survey_records(np.frombuffer(text.encode(), dtype=np.uint8), ord(","), wanted, blank, found)

    filled = [i for i, record in enumerate(records) if record]
    ragged = [i for i in filled if len(records[i]) != wanted]
    assert found[:3].tolist() == [len(filled), len(records) - len(filled), len(ragged)]
    above = sum(line.count("\n") + 1 for line in lines[: ragged[0]]) if ragged else -1
    assert found[3] == above + 1
    assert found[4] == 0
    gaps = [i for i in range(len(records)) if i not in filled]
    assert blank[: len(gaps)].tolist() == gaps


def test_an_open_quote_is_told_with_its_line():
    found = np.zeros(5, dtype=np.int64)
    text = b'a,b\n"x\ny",2\n3,"z\n4,5\n'

    survey_records(
        np.frombuffer(text, dtype=np.uint8), ord(","), 2, np.zeros(0, dtype=np.int64), found
    )

    assert found[4] == 4
