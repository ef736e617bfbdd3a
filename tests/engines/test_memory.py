import datetime as dt
import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from incrowd.engines.base import Engine
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, PolicyError
from incrowd.recoding.column_cells import ByClass, ByValue, Keep
from incrowd.table.column import Kind

CANARY = "kanarienvogel"
PEOPLE = {
    "age": [30, 31, 30, 40],
    "name": ["a", "b", "c", "d"],
    "sex": ["m", "f", None, "m"],
    "born": [dt.date(2020, 1, 1), None, dt.date(1990, 5, 6), dt.date(2020, 1, 1)],
    "cost": [1.5, 2.5, 3.5, None],
}


def pandas(columns):
    frame = pd.DataFrame(columns, index=range(5, 5 + len(next(iter(columns.values())))))
    frame.attrs["origin"] = CANARY
    return frame


def arrow(columns):
    return pa.table(columns).replace_schema_metadata({"origin": CANARY})


KINDS = {
    "pandas": (pandas, pd.DataFrame),
    "polars": (pl.DataFrame, pl.DataFrame),
    "arrow": (arrow, pa.Table),
}


@pytest.fixture(params=sorted(KINDS))
def kind(request):
    return KINDS[request.param]


def cells(frame):
    if isinstance(frame, pd.DataFrame):
        plain = frame.astype(object)
        return plain.where(plain.notna(), None).to_dict("list")
    return frame.to_pydict() if isinstance(frame, pa.Table) else frame.to_dict(as_series=False)


def texts(*labels):
    return np.array(labels, dtype=object)


def classes(*numbers):
    return np.array(numbers, dtype=np.int32)


def test_it_is_an_engine(kind):
    make, *_ = kind
    engine: Engine = MemoryEngine(make(PEOPLE))

    assert engine.names == tuple(PEOPLE)
    assert engine.records == 4
    assert "m" not in repr(engine).replace("MemoryEngine", "").replace("columns", "")


def test_every_library_gives_the_same_codes(kind):
    make, *_ = kind
    coded = MemoryEngine(make(PEOPLE)).codes(tuple(PEOPLE))

    assert {name: column.codes.tolist() for name, column in coded.items()} == {
        "age": [1, 2, 1, 3],
        "name": [1, 2, 3, 4],
        "sex": [2, 1, 0, 2],
        "born": [2, 0, 1, 2],
        "cost": [1, 2, 3, 0],
    }
    assert coded["born"].domain.labels.tolist() == ["1990-05-06", "2020-01-01"]


def test_kinds_can_be_asked_for():
    coded = MemoryEngine(pl.DataFrame(PEOPLE)).codes(["age", "sex"], {"age": Kind.TEXT}, ["f"])

    assert coded["age"].domain.kind is Kind.TEXT
    assert coded["sex"].codes.tolist() == [1, 0, 0, 1]


def kept(frame, *records):
    engine = MemoryEngine(frame)
    return engine.show(dict.fromkeys(engine.names, Keep()), np.array(records, dtype=np.int64))


def test_only_what_is_shown_changes(kind):
    make, library = kind
    frame = make(PEOPLE)
    before = cells(frame)
    engine = MemoryEngine(frame)
    released = engine.show(
        {
            "age": ByClass(texts("30", "31", "40"), original=True),
            "name": ByValue(engine.texts("name"), texts(None, "p", "q", "r", "s")),
            "sex": ByClass(texts("*", None, "m")),
            "cost": Keep(),
        },
        np.array([3, 0, 1]),
        classes(0, 1, -1, 2),
    )

    assert isinstance(released, library)
    assert cells(released) == {
        "age": [40, 30, 31],
        "name": ["s", "p", "q"],
        "sex": ["m", "*", None],
        "cost": [None, 1.5, 2.5],
    }
    assert cells(frame) == before


def test_types_are_kept_when_nothing_is_shown(kind):
    make, *_ = kind
    frame = make(PEOPLE)
    released = kept(frame, 0, 1, 2, 3)

    assert cells(released) == cells(frame)
    if isinstance(frame, pd.DataFrame):
        assert (released.dtypes == frame.dtypes).all()
    elif isinstance(frame, pa.Table):
        assert released.schema.types == frame.schema.types
    else:
        assert released.schema == frame.schema


def test_nothing_but_cells_leaves():
    frame = pandas(PEOPLE)
    frame["group"] = pd.Categorical(["u", CANARY, "w", None])
    released = kept(frame, 0, 2, 3)

    assert released.attrs == {}
    assert isinstance(released.index, pd.RangeIndex)
    assert released.index.start == 0
    assert list(released["group"].cat.categories) == ["u", "w"]
    assert frame.attrs == {"origin": CANARY}
    assert frame["group"].cat.categories.size == 3


def test_no_metadata_and_no_stranger_leave_an_arrow_table():
    frame = arrow({"group": pa.array(["u", CANARY, None]).dictionary_encode(), "n": [1, 2, 3]})
    released = kept(frame, 0, 2)

    assert released.schema.metadata is None
    assert released.schema.field("group").type == frame.schema.field("group").type
    assert CANARY not in str(released["group"].chunks)


def test_one_value_is_written_in_one_way():
    frame = pl.DataFrame({"cost": ["1.50", "1.5", "2", "NA", ""]})
    engine = MemoryEngine(frame, text=True)
    coded = engine.code("cost", missing_values=["NA"])
    assert coded.codes.tolist() == [1, 1, 2, 0, 0]

    cell = ByValue(coded, texts(None, "1.5", "2"), original=True)
    released = engine.show({"cost": cell}, np.arange(5))

    assert released["cost"].to_list() == ["1.50", "1.50", "2", None, None]


def test_nothing_may_be_left():
    released = kept(pl.DataFrame(PEOPLE))

    assert released.shape == (0, 5)


def test_lazy_frames_are_collected():
    assert MemoryEngine(pl.LazyFrame(PEOPLE)).records == 4


def test_pandas_columns_of_objects_are_coded_as_text():
    frame = pd.DataFrame({"mixed": ["x", None, 3], "large": [2**70, 1, None]}, dtype=object)
    coded = MemoryEngine(frame).codes(["mixed", "large"])

    assert coded["mixed"].domain.labels.tolist() == ["3", "x"]
    assert coded["large"].codes.tolist() == [2, 1, 0]


def test_pandas_missing_values_are_missing():
    frame = pd.DataFrame(
        {
            "n": pd.array([1, pd.NA], dtype="Int64"),
            "b": pd.array([True, pd.NA], dtype="boolean"),
            "s": pd.array(["x", pd.NA], dtype="string"),
            "d": pd.to_datetime(["2020-01-01", None]),
            "o": pd.Series(["x", float("nan")], dtype=object),
            "p": pd.PeriodIndex(["2020-01", None], freq="M"),
        }
    )

    coded = MemoryEngine(frame).codes(list(frame.columns))
    assert {name: column.codes.tolist() for name, column in coded.items()} == {
        name: [1, 0] for name in frame.columns
    }


def test_weights_are_read_as_numbers():
    frame = pl.DataFrame({"w": ["1", "2.5"]})

    assert MemoryEngine(frame, text=True).weights("w").tolist() == [1.0, 2.5]


@pytest.mark.parametrize("wrong", [[1.0, None], [1.0, -2.0], [1.0, float("nan")]])
def test_weights_must_be_there_and_not_negative(wrong):
    with pytest.raises(InputError, match=r"1 value that is missing or negative .*row 2"):
        MemoryEngine(pl.DataFrame({"w": wrong})).weights("w")


def test_units_are_told_apart_by_their_text():
    frame = pl.DataFrame({"u": ["01", "1", "", "01"]})

    assert MemoryEngine(frame, text=True).units("u").tolist() == [1, 2, 0, 1]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (3, "a int is not a table.*pandas or Polars"),
        ({"a": [1]}, "a dict is not"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "1 column name occurs more than once: 'a'"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "more than once"),
        (pd.DataFrame([[1, 2]]), "must be text"),
        (pl.LazyFrame({"a": [CANARY]}).select(pl.col("a").cast(pl.Int64)), "cannot be read"),
    ],
)
def test_other_frames_are_refused(frame, words):
    with pytest.raises(InputError, match=words) as caught:
        MemoryEngine(frame)

    assert caught.value.__context__ is None
    assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_unknown_columns_are_met_with_a_guess():
    with pytest.raises(PolicyError, match="no column 'agee'; did you mean 'age'"):
        MemoryEngine(pl.DataFrame(PEOPLE)).code("agee")
