"""Cells as text: equal cells have equal texts, missing cells are null."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.table.cells import (
    as_enum,
    clear_marks,
    restore_types,
    rows_digest,
    text_of,
    with_enums,
    with_nulls,
)
from incrowd.verify.crowds import number_cells
from naive import digest as naive

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
    plain = with_nulls(rows, ("NA", ""), text=False)
    assert plain["t"].to_list() == ["a", None, " ", None, None]
    assert plain["f"].to_list() == [1.0, None, None, 2.0, 3.0]
    assert with_nulls(rows, (), text=True)["t"].to_list() == ["a", "NA", None, None, None]


def test_rows_of_a_text_file_get_their_types_back():
    like = pl.DataFrame({"n": [1.5], "d": [NOON], "s": ["x"], "b": [True]})
    text = pl.DataFrame({"n": ["2.5"], "d": ["2020-01-01T12:00:00.000000"], "s": ["y"], "b": ["x"]})
    found = restore_types(text, like)
    assert found.row(0) == (2.5, NOON, "y", "x")


TEXTS = st.sampled_from([None, "", " ", "NA", "a", "b", "1", "1.0", "01", "1e3", "-0", "9" * 17])
CELLS = {
    "text": (pl.String, TEXTS),
    "whole": (pl.Int64, st.sampled_from([None, 0, 1, -7, 2**40])),
    "narrow": (pl.Int8, st.sampled_from([None, -128, 127, 1])),
    "fraction": (pl.Float64, st.sampled_from([None, 0.0, -0.0, 1.5, float("nan"), 1e300])),
    "moment": (pl.Datetime("us"), st.sampled_from([None, NOON, NOON.replace(hour=0)])),
    "truth": (pl.Boolean, st.sampled_from([None, True, False])),
}


@st.composite
def tables(draw):
    size = draw(st.integers(0, 14))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=3))
    return pl.DataFrame(
        [
            pl.Series(
                f"{kind}{j}",
                draw(st.lists(CELLS[kind][1], min_size=size, max_size=size)),
                dtype=CELLS[kind][0],
            )
            for j, kind in enumerate(kinds)
        ]
    )


@settings(max_examples=300, deadline=None)
@given(tables(), st.sampled_from([(), ("NA",), ("1", "-7")]))
def test_the_digest_of_rows_is_that_of_their_cells_one_by_one(rows, missing):
    wanted = naive.rows_digest(rows, missing)
    assert rows_digest(rows, missing) == wanted
    assert rows_digest(with_enums(rows), missing) == wanted


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, max_size=14), st.booleans(), st.sampled_from([(), ("NA", "a")]))
def test_a_dictionary_says_what_its_texts_say(cells, text, missing):
    plain = pl.DataFrame({"t": pl.Series(cells, dtype=pl.String)})
    listed = plain.with_columns(plain["t"].cast(pl.Enum([*plain["t"].drop_nulls().unique(), "z"])))
    assert as_enum(plain["t"]).cast(pl.String).to_list() == cells
    one, other = with_nulls(plain, missing, text=text), clear_marks(listed, missing, text=text)
    assert other["t"].cast(pl.String).to_list() == one["t"].to_list()
    found, wanted = number_cells(other["t"]), number_cells(one["t"])
    assert found.codes.tolist() == wanted.codes.tolist()
    assert found.labels.to_list() == wanted.labels.to_list()


def test_texts_that_hardly_repeat_get_no_dictionary():
    assert as_enum(pl.Series([str(i) for i in range(100)])).dtype == pl.String
    assert as_enum(pl.Series(["a", "b"] * 50)).dtype == pl.Enum


def test_names_of_columns_are_no_patterns():
    rows = pl.DataFrame({"^.*$": ["a", "b"] * 50, "b": ["c", "d"] * 50, "n": range(100)})
    found = with_enums(rows)
    assert found.columns == rows.columns
    assert found.rows() == clear_marks(found, (), text=True).rows() == rows.rows()
    assert clear_marks(found, ("c",), text=True).row(0) == ("a", None, 0)
    assert found.dtypes[:2] == [pl.Enum(["a", "b"]), pl.Enum(["c", "d"])]
