import datetime as dt
import math
import traceback
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.encode import align, encode

CANARY = "kanarienvogel"
DAY = [dt.datetime.fromisoformat("2020-01-02"), None]


def coded(values, dtype=None, **options):
    return encode(pl.Series(values, dtype=dtype, strict=False), "c", **options)


def shape(column):
    return column.codes.tolist(), column.domain.kind, column.domain.labels.tolist()


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)))
def test_integers_are_coded_by_value(values):
    column = coded(values, pl.Int64)

    order = sorted({v for v in values if v is not None})
    assert column.codes.tolist() == [0 if v is None else order.index(v) + 1 for v in values]
    assert column.domain.values.tolist() == order
    assert column.codes.dtype == np.int32


@given(st.lists(st.none() | st.floats(allow_infinity=False) | st.sampled_from([0.0, -0.0, 2.0])))
def test_floats_are_coded_by_value(values):
    column = coded(values, pl.Float64)

    order = sorted({v + 0.0 for v in values if v is not None and not math.isnan(v)})
    expected = [0 if v is None or math.isnan(v) else order.index(v) + 1 for v in values]
    assert column.codes.tolist() == expected
    assert column.domain.values.tolist() == order


@given(st.lists(st.none() | st.text(max_size=3)))
def test_texts_are_coded_by_code_point(values):
    column = coded(values, pl.String)

    order = sorted({v for v in values if v is not None})
    assert column.codes.tolist() == [0 if v is None else order.index(v) + 1 for v in values]
    assert column.domain.labels.tolist() == order


@given(st.lists(st.none() | st.datetimes()))
def test_dates_are_coded_by_time(values):
    column = coded(values, pl.Datetime("us"))

    order = sorted({v for v in values if v is not None})
    assert column.codes.tolist() == [0 if v is None else order.index(v) + 1 for v in values]
    assert column.domain.kind is Kind.DATE


@given(st.lists(st.floats(allow_infinity=False, allow_nan=False) | st.integers(-99, 99)))
def test_numbers_survive_as_text(values):
    column = coded([repr(v) for v in values], pl.String, infer=True)

    if values:
        assert column.domain.kind is Kind.NUMBER
        found = column.domain.values[column.codes - 1]
        assert found.tolist() == values


@pytest.mark.parametrize(
    ("values", "codes", "kind", "labels"),
    [
        (["10", "9", ""], [2, 1, 0], Kind.NUMBER, ["9", "10"]),
        (["02139", "9"], [1, 2], Kind.TEXT, ["02139", "9"]),
        (["0", "0.5", "-1"], [2, 3, 1], Kind.NUMBER, ["-1", "0", "0.5"]),
        (["+49", "1"], [1, 2], Kind.TEXT, ["+49", "1"]),
        (["1.50", "1.5", " "], [1, 1, 0], Kind.NUMBER, ["1.5"]),
        (["1", "x"], [1, 2], Kind.TEXT, ["1", "x"]),
        (["1e999", "1"], [2, 1], Kind.TEXT, ["1", "1e999"]),
        (["nan", "1"], [2, 1], Kind.TEXT, ["1", "nan"]),
        (["12345678901234567890", "1"], [2, 1], Kind.TEXT, ["1", "12345678901234567890"]),
        (["2020-01-02", "1999-12-31"], [2, 1], Kind.DATE, ["1999-12-31", "2020-01-02"]),
        (["2020-01-02T10:00", ""], [1, 0], Kind.DATE, ["2020-01-02 10:00:00"]),
        (["31.12.1999", "01.01.2000"], [1, 2], Kind.DATE, ["1999-12-31", "2000-01-01"]),
        (["2020-02-30", "2020-01-01"], [2, 1], Kind.TEXT, ["2020-01-01", "2020-02-30"]),
        (["0000-01-01", "2020-01-01"], [1, 2], Kind.TEXT, ["0000-01-01", "2020-01-01"]),
        (["", None], [0, 0], Kind.TEXT, []),
        ([], [], Kind.TEXT, []),
    ],
)
def test_kinds_are_found_in_text(values, codes, kind, labels):
    assert shape(coded(values, pl.String, infer=True)) == (codes, kind, labels)


@pytest.mark.parametrize(
    ("values", "dtype", "codes", "kind", "labels"),
    [
        ([True, None, False], pl.Boolean, [2, 0, 1], Kind.TEXT, ["false", "true"]),
        ([Decimal("1.10"), None], pl.Decimal(9, 2), [1, 0], Kind.NUMBER, ["1.1"]),
        ([2**64 - 1, 5], pl.UInt64, [1, 2], Kind.TEXT, ["18446744073709551615", "5"]),
        (["b", "a"], pl.Enum(["b", "a", "c"]), [2, 1], Kind.TEXT, ["a", "b"]),
        (["b", None, "a"], pl.Categorical, [2, 0, 1], Kind.TEXT, ["a", "b"]),
        ([dt.timedelta(days=1), None], pl.Duration, [1, 0], Kind.NUMBER, ["86400"]),
        ([b"\xff", None], pl.Binary, [1, 0], Kind.TEXT, ["ff"]),
        ([dt.time(3)], pl.Time, [1], Kind.TEXT, ["03:00:00"]),
        ([0.1, 0.2], pl.Float32, [1, 2], Kind.NUMBER, ["0.1", "0.2"]),
        ([None, None], pl.Null, [0, 0], Kind.TEXT, []),
        (["", "a"], pl.String, [1, 2], Kind.TEXT, ["", "a"]),
        (DAY, pl.Datetime, [1, 0], Kind.DATE, ["2020-01-02"]),
    ],
)
def test_every_type_has_a_kind(values, dtype, codes, kind, labels):
    assert shape(coded(values, dtype)) == (codes, kind, labels)


def test_long_decimals_are_told_apart():
    values = [Decimal("1.00000000000000000001"), Decimal("1.00000000000000000002")]

    assert coded(values, pl.Decimal(38, 20)).codes.tolist() == [1, 2]


def test_moments_that_microseconds_do_not_part_are_told_apart():
    moments = [1_700_000_000_000_000_001, 1_700_000_000_000_000_002, None]

    assert coded(moments, pl.Datetime("ns")).codes.tolist() == [1, 2, 0]
    assert coded([1_000, None], pl.Datetime("ns")).domain.kind is Kind.DATE


def test_a_categorical_with_strangers_in_its_dictionary_is_coded_alone():
    other = pl.Series(["x", "y", "z"], dtype=pl.Categorical)
    column = coded(["z", "q"], pl.Categorical)

    assert shape(column) == ([2, 1], Kind.TEXT, ["q", "z"])
    assert len(other) == 3


def test_missing_values_are_read_as_missing():
    column = coded(["NA", "3", "?"], infer=True, missing_values=["NA", "?"])

    assert shape(column) == ([0, 1, 0], Kind.NUMBER, ["3"])


def test_a_kind_can_be_asked_for():
    assert shape(coded([10, 9], kind=Kind.TEXT)) == ([1, 2], Kind.TEXT, ["10", "9"])
    assert shape(coded(["010", "9"], kind=Kind.NUMBER)) == ([2, 1], Kind.NUMBER, ["9", "10"])
    found = shape(coded(["2020/01/31"], kind=Kind.DATE, infer=True))
    assert found == ([1], Kind.DATE, ["2020-01-31"])


@pytest.mark.parametrize(
    ("values", "dtype", "options", "words"),
    [
        (["1", CANARY, CANARY], pl.String, {"kind": Kind.NUMBER}, "2 values .*first at row 2"),
        ([CANARY], pl.String, {"kind": Kind.DATE}, "no date"),
        ([1.0, math.inf, -math.inf], pl.Float64, {}, "2 infinite values .*first at row 2"),
        ([[CANARY]], pl.List(pl.String), {}, "lists"),
        ([{"a": CANARY}], pl.Struct({"a": pl.String}), {}, "structures"),
        ([1, 2**40], pl.Int64, {"date": True}, "1 date outside .*first at row 2"),
        (["9" * 20, "9" * 19 + "8"], pl.String, {"kind": Kind.NUMBER}, "too many digits"),
    ],
)
def test_what_cannot_be_coded_is_refused_without_its_values(values, dtype, options, words):
    series = pl.Series(values, dtype=dtype)
    if options.pop("date", False):
        series = (series * 10**6).cast(pl.Datetime("us"))

    with pytest.raises(InputError, match=words) as caught:
        encode(series, "c", **options)

    assert CANARY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.thorough
def test_a_million_distinct_texts_are_coded():
    column = encode(pl.int_range(1_000_000, eager=True).cast(pl.String) + "x", "c", infer=True)

    assert len(column.domain) == 1_000_000
    assert column.codes.max() == 1_000_000


def leaves(kind, *values):
    dtype = object if kind is Kind.TEXT else None
    return Domain(kind, np.array(values, dtype=dtype))


@pytest.mark.parametrize(
    ("values", "domain", "codes"),
    [
        ([39, 1, None], leaves(Kind.NUMBER, 1.0, 5.0, 39.0), [3, 1, 0]),
        ([39, 1], leaves(Kind.TEXT, "39", "1"), [1, 2]),
        ([39.0, 1.5], leaves(Kind.TEXT, "39", "1.50"), [1, 2]),
        (["39", "1"], leaves(Kind.NUMBER, 1, 39), [2, 1]),
        (["b", "a"], leaves(Kind.TEXT, "b", "c", "a"), [1, 3]),
        (
            [dt.date(2020, 1, 31)],
            leaves(Kind.DATE, np.datetime64("2020-01-31", "us"), np.datetime64("2021-01-31")),
            [1],
        ),
        ([dt.date(2020, 1, 31)], leaves(Kind.TEXT, "31.01.2020"), [1]),
        ([], leaves(Kind.TEXT, "a"), []),
    ],
)
def test_columns_are_aligned_by_value_or_label(values, domain, codes):
    column = align(coded(values), domain)

    assert column.codes.tolist() == codes
    assert column.codes.dtype == np.int32
    assert column.domain is domain


def test_values_that_a_hierarchy_lacks_are_counted_not_shown():
    column = coded(["a", CANARY, CANARY, None, CANARY + "2"])

    with pytest.raises(InputError, match=r"of 'c' lacks 2 of its values \(first at row 2\)") as e:
        align(column, leaves(Kind.TEXT, "a"))

    assert CANARY not in "".join(traceback.format_exception(e.value))


def test_values_that_no_record_holds_may_be_lacking():
    column = CodedColumn("c", np.array([1], dtype=np.int32), leaves(Kind.TEXT, "a", "b"))

    assert align(column, leaves(Kind.TEXT, "a")).codes.tolist() == [1]


def test_a_missing_pyarrow_is_named_with_its_extra():
    class Series:
        def to_polars(self):
            raise ModuleNotFoundError

    with pytest.raises(InputError, match=r"pyarrow is missing; install incrowd\[pandas\]"):
        encode(Series(), "c")


@pytest.mark.parametrize("mark", ["N", "?", "NA", "."])
def test_marks_of_missing_values_among_numbers_are_missing(mark):
    column = encode(pl.Series(["31", mark, "40", "5", mark]), "age", infer=True)
    assert column.domain.kind is Kind.NUMBER
    assert column.codes.tolist() == [2, 0, 3, 1, 0]


@pytest.mark.parametrize("cells", [["1", "2", "N"], ["red", "blue", "green", "N"]])
def test_marks_are_values_where_codes_or_words_stand(cells):
    column = encode(pl.Series(cells), "code", infer=True)
    assert column.domain.kind is Kind.TEXT
    assert len(column.domain) == len(cells)


@given(
    st.lists(
        st.one_of(
            st.integers(-30, 30).map(str),
            st.integers(-(2**63) - 3, 2**63 + 3).map(str),
            st.sampled_from(["", " ", "?", "NA", "7", "07", "+7", "-0", " 7", "7.0", "x"]),
        ),
        max_size=12,
    ),
    st.sampled_from([(), ("7",), ("x", "NA")]),
    st.sampled_from([None, Kind.NUMBER]),
)
@settings(max_examples=100)
def test_whole_numbers_read_at_once_are_those_found_among_the_texts(cells, missing, kind):
    def found(*, slowly):
        try:
            with pytest.MonkeyPatch.context() as patch:
                if slowly:
                    patch.setattr(
                        "incrowd.table.encode._read_whole_numbers", lambda values, _: values
                    )
                column = coded(cells, pl.String, kind=kind, infer=True, missing_values=missing)
        except InputError as error:
            return str(error)
        return *shape(column), column.domain.values.dtype

    assert found(slowly=False) == found(slowly=True)
