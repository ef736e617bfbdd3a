"""Cells as text: equal cells have equal texts, missing cells are null."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from incrowd.table.cells import readable, text_of, typed

NOON = datetime(2020, 1, 1, 12)  # noqa: DTZ001  tables hold times without a zone


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (pl.Series([1, None]), ["1", None]),
        (pl.Series([1.5, 2.0]), ["1.5", "2.0"]),
        (pl.Series([True, False]), ["true", "false"]),
        (pl.Series([b"\x00\xff"]), ["00ff"]),
        (pl.Series([NOON]), ["2020-01-01 12:00:00"]),
        (pl.Series([NOON.replace(tzinfo=UTC)]), ["2020-01-01 12:00:00"]),
        (pl.Series([timedelta(seconds=1.5)]), ["1.5"]),
        (pl.Series([[1, 2], None]), ["[1, 2]", None]),
        (pl.Series(["a", None], dtype=pl.Categorical), ["a", None]),
    ],
)
def test_cells_of_every_type_have_a_text(column, texts):
    assert text_of(column).to_list() == texts


def test_every_way_to_be_missing_becomes_null():
    rows = pl.DataFrame({"t": ["a", "NA", " ", "", None], "f": [1.0, float("nan"), None, 2.0, 3.0]})
    plain = readable(rows, ("NA", ""), text=False)
    assert plain["t"].to_list() == ["a", None, " ", None, None]
    assert plain["f"].to_list() == [1.0, None, None, 2.0, 3.0]
    assert readable(rows, (), text=True)["t"].to_list() == ["a", "NA", None, None, None]


def test_rows_of_a_text_file_get_their_types_back():
    like = pl.DataFrame({"n": [1.5], "d": [NOON], "s": ["x"], "b": [True]})
    text = pl.DataFrame({"n": ["2.5"], "d": ["2020-01-01T12:00:00.000000"], "s": ["y"], "b": ["x"]})
    found = typed(text, like)
    assert found.row(0) == (2.5, NOON, "y", "x")
