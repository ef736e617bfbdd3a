import datetime as dt
import traceback
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.engines.base import Engine, RowPlan
from incrowd.engines.memory import MemoryEngine, _draw_places
from incrowd.engines.memory_release import MemoryStaged, MemoryWritten, _count_unequal
from incrowd.errors import InputError, PolicyError
from incrowd.loss import Gcp
from incrowd.recoding import Pieces
from incrowd.recoding.column_cells import ByClass, ByValue, ClassNumber, Keep, Within
from incrowd.recoding.recoding import _stable_order
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.fold import fold
from strategies import problem_of, tables

ONE = np.array([1])
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
    return engine.build_frame(
        dict.fromkeys(engine.names, Keep()), np.array(records, dtype=np.int64)
    )


def test_only_what_is_shown_changes(kind):
    make, library = kind
    frame = make(PEOPLE)
    before = cells(frame)
    engine = MemoryEngine(frame)
    released = engine.build_frame(
        {
            "age": ByClass(texts("30", "31", "40"), original=True),
            "name": ByValue(engine.text_codes("name"), texts(None, "p", "q", "r", "s")),
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
    released = engine.build_frame({"cost": cell}, np.arange(5))

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

    assert MemoryEngine(frame, text=True).unit_codes("u").codes.tolist() == [1, 2, 0, 1]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (3, "cannot read a table of type int.*pandas or Polars"),
        ({"a": [1]}, "of type dict"),
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


def test_a_class_shows_the_original_of_its_value(kind):
    """The first record with the code says how the value is written; code 0 is missing."""
    make, *_ = kind
    engine = MemoryEngine(make(PEOPLE))
    column = engine.code("cost")
    cell = ByClass(texts("3.5", None), value=(column, classes(3, 0)))
    released = engine.build_frame({"cost": cell}, np.array([3, 1, 0]), classes(0, 0, -1, 1))

    assert cells(released) == {"cost": [None, 3.5, 3.5]}


def test_a_representative_is_written_as_the_first_record_writes_it():
    engine = MemoryEngine(pl.DataFrame({"cost": ["1.50", "1.5", "2", ""]}), text=True)
    column = engine.code("cost")
    cell = ByClass(texts("1.5", "2", None), value=(column, classes(1, 2, 0)))
    released = engine.build_frame({"cost": cell}, np.array([3, 2, 1, 0]), classes(0, 1, 0, 2))

    assert released["cost"].to_list() == [None, "1.50", "2", "1.50"]


def plan_of(problem, pieces, **more):
    """What becomes of records that keep their cells, by what was found for the problem."""
    given = {"coded": (), "quasi": 0, "cells": {"n": Keep()}} | more
    return RowPlan(tally=problem.tally, pieces=pieces, **given)


@st.composite
def pieces(draw):
    """A table, and its rows cut into pieces of random classes."""
    problem = problem_of(draw(tables()), (), Gcp())
    cut = []
    for row, count in enumerate(problem.tally.counts.tolist()):
        first = draw(st.integers(0, count))
        parts = [(row, part, draw(st.integers(-1, 3))) for part in (first, count - first)]
        cut.extend(part for part in parts if part[1])
    cut = draw(st.permutations(cut))
    row, count, class_of = np.array(cut).T
    made = Pieces(row.astype(np.int32), count.astype(np.int64), class_of.astype(np.int32))
    return problem, made


@settings(max_examples=60, deadline=None)
@given(pieces(), st.integers(0, 5))
def test_every_piece_gets_its_records(cut, seed):
    """Every other record lacks a value: it is in no row, and does not leave."""
    problem, made = cut
    row_of = problem.tally.row_of
    size = len(row_of)
    there = CodedColumn("n", np.array([0, 1] * size, dtype=np.int32), Domain(Kind.NUMBER, ONE))
    plan = plan_of(problem, made, coded=(there,), quasi=1, complete=True)
    engine = MemoryEngine(pl.DataFrame({"n": np.arange(2 * size)}))
    staged = engine.stage(plan, np.random.default_rng(seed))
    assert (staged.classes[0::2] == -1).all()
    held = staged.classes[1::2]
    found = Counter(zip(row_of.tolist(), held.tolist(), strict=True))
    asked = Counter()
    for row, count, class_of in zip(made.row, made.count, made.class_of, strict=True):
        asked[int(row), int(class_of)] += int(count)
    assert found == asked
    assert sorted(staged.take.tolist()) == np.flatnonzero(staged.classes >= 0).tolist()
    assert staged.rows["n"].to_list() == staged.take.tolist()
    assert staged.repeated_records == 0


def test_records_keep_their_order_if_they_are_asked_to():
    everyone = np.arange(12, dtype=np.int32)
    problem = SimpleNamespace(tally=fold([everyone], []))
    made = Pieces(everyone, problem.tally.counts, everyone)
    engine = MemoryEngine(pl.DataFrame({"n": np.arange(12)}))
    drawn = np.random.default_rng(1)
    assert engine.stage(plan_of(problem, made), drawn).take.tolist() != list(range(12))
    kept = engine.stage(plan_of(problem, made, keep_order=True), drawn)
    assert kept.take.tolist() == list(range(12))


def test_all_orders_of_a_class_are_equally_likely():
    drawn = np.random.default_rng(1)
    found = Counter(
        tuple(_draw_places(classes(0, 1, 0, 0, -1, 1), drawn).tolist()) for _ in range(6_000)
    )
    assert len(found) == 12
    assert all(place[4] == 4 for place in found)
    assert min(found.values()) > 380
    assert max(found.values()) < 620


CLASSES = st.lists(st.integers(-1, 2), min_size=1, max_size=12)


@settings(max_examples=60)
@given(CLASSES, st.integers(0, 99))
def test_places_are_drawn_inside_the_class(drawn, seed):
    numbers = classes(*drawn)
    moved = _draw_places(numbers, np.random.default_rng(seed))
    assert sorted(moved.tolist()) == list(range(len(drawn)))
    assert (numbers[moved] == numbers).all()
    assert (moved[numbers < 0] == np.flatnonzero(numbers < 0)).all()


@pytest.mark.parametrize("number", [0, 1])
def test_places_are_drawn_in_the_first_class_too(number):
    numbers = np.full(9, number, dtype=np.int32)
    drawn = {tuple(_draw_places(numbers, np.random.default_rng(seed))) for seed in range(4)}
    assert len(drawn) > 1


@settings(max_examples=60)
@given(CLASSES, st.randoms(use_true_random=False))
def test_classes_are_numbered_as_they_come_up(drawn, random):
    records = [i for i, c in enumerate(drawn) if c >= 0]
    random.shuffle(records)
    engine = MemoryEngine(pl.DataFrame({"n": np.arange(len(drawn))}))
    take = np.array(records, dtype=np.int64)
    shown = engine.build_frame({"class": ClassNumber()}, take, classes(*drawn))
    order = list(dict.fromkeys(drawn[i] for i in records))
    assert shown["class"].to_list() == [order.index(drawn[i]) + 1 for i in records]


def test_cells_that_change_places_do_so_together():
    frame = pl.DataFrame({"n": range(9), "a": range(9), "b": range(9)})
    moved = np.array([1, 2, 0, 3, 5, 4, 8, 7, 6])
    cell = {"n": Keep(), "a": Within(), "b": Within()}
    shown = MemoryEngine(frame).build_frame(cell, np.array([8, 0, 3]), moved=moved)
    assert shown.to_dict(as_series=False) == {"n": [8, 0, 3], "a": [6, 1, 3], "b": [6, 1, 3]}


def staged(rows, shown, take):
    """Rows of the table, what leaves of them, and of which records."""
    names = tuple(name for name in rows.columns if name != "shown")
    plan = SimpleNamespace(kept_columns=names, unit=None)
    nobody = np.zeros(rows.height, dtype=np.int32)
    return MemoryStaged(MemoryEngine(rows), plan, shown, nobody, np.array(take, dtype=np.int64))


def test_what_was_written_is_held_against_what_was_staged():
    """Missing cells are equal however they are written, but for columns that are kept."""
    table = pl.DataFrame({"kept": ["u", "", "NA"]})
    rows = pl.DataFrame({"kept": ["u", "", "NA"], "shown": ["x", None, "y"]})
    before = staged(table, rows, [0, 1, 2])

    def differing(after, missing_values=("NA",), *, blank=True):
        return MemoryWritten(after, after).count_differences(before, missing_values, blank=blank)

    assert before.write().count_differences(before, (), blank=False) == 0
    assert differing(rows.clone()) == 0
    for spelled in ("", " ", "NA"):
        after = rows.with_columns(shown=pl.Series(["x", spelled, "y"]))
        assert differing(after) == 0
        assert differing(after, (), blank=False) == 1
        assert differing(rows.with_columns(kept=pl.Series(["u", spelled, "NA"]))) == (
            0 if spelled == "" else 1
        )
    assert differing(rows.with_columns(kept=pl.Series(["u", None, None]))) == 2
    assert differing(rows[[1, 0, 2]]) == 2
    assert differing(rows[:2]) == 3
    assert differing(rows.select("shown", "kept")) == 3
    assert differing(rows.rename({"shown": "other"})) == 3
    assert differing(rows.with_columns(more=pl.lit(1))) == 3


def test_staged_rows_say_what_their_records_held():
    table = pl.DataFrame({"a": ["p", "q", "p", "q"], "kept": [1, 2, 3, 4]})
    rows = pl.DataFrame({"a": ["x", "x", "y"], "kept": [3, 1, 2]})
    found = replace(staged(table, rows, [2, 0, 1]), classes=classes(5, 5, 6, 6))
    assert found.count_altered() == {"a": 3, "kept": 0}
    pairs = found.cell_pairs("a")
    lines = zip(*pairs.cells.to_dict(as_series=False).values(), pairs.records, strict=True)
    assert sorted(lines) == [("p", "x", 2), ("q", "y", 1)]
    held = found.count_originals(["a"])
    lines = zip(held.cells["a"], held.classes.tolist(), held.records, strict=True)
    assert sorted(lines) == [("p", 5, 1), ("p", 6, 1), ("q", 5, 1)]
    code = CodedColumn("a", classes(1, 2, 1, 2), Domain(Kind.TEXT, texts("p", "q")))
    shown = found.counts(["a"], [code])
    lines = zip(shown.cells["a"], shown.codes["a"].tolist(), shown.records, strict=True)
    assert sorted(lines) == [("x", 1, 2), ("y", 2, 1)]
    assert replace(found, take=np.array([2, 2, 2])).repeated_records == 1
    assert replace(found, take=np.array([0, 2, 1])).repeated_records == 0


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.sampled_from([None, "a", "b", "c", "d"])] * 2), min_size=1, max_size=12
    ),
    st.permutations(["a", "b", "c", "d"]),
)
def test_cells_that_differ_are_counted_whatever_their_dictionaries(pairs, listed):
    """Two columns may number the same texts in other ways, and lack some of the other's."""
    one = pl.Series([pair[0] for pair in pairs], dtype=pl.Enum(["d", "c", "b", "a"]))
    other = pl.Series([pair[1] for pair in pairs], dtype=pl.String)
    few = [text for text in listed if text in other.to_list()]
    wanted = sum(left != right for left, right in pairs)
    assert _count_unequal(one, other.cast(pl.Enum(few))) == wanted
    assert _count_unequal(other.cast(pl.Enum(few)), one) == wanted
    assert _count_unequal(one, other) == wanted


def test_equal_codes_sort_as_they_stand():
    codes = np.random.default_rng(0).integers(0, 20, 500).astype(np.int32)
    assert _stable_order(codes).tolist() == np.argsort(codes, kind="stable").tolist()
    assert _stable_order(codes[:0]).tolist() == []
