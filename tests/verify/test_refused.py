"""What verification refuses before it counts, whom it counts, and what it says when it refuses."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from evidence import altered, counted, each, reference
from incrowd.errors import LimitError, NotMetError
from incrowd.hierarchy import Dates, Intervals
from incrowd.models import MODELS
from incrowd.models.model import Model
from incrowd.policy.policy import Column
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.table.encode import encode
from incrowd.verify import crowds
from incrowd.verify.candidates import CandidateCounts, PublicTable
from incrowd.verify.crowds import crowds_of, number_cells, pack
from incrowd.verify.shown import demand_coarse, demand_numbered_classes, demand_within
from incrowd.verify.spellings import split_columns
from incrowd.verify.verdict import Verdict
from incrowd.verify.verify import (
    demand_complete,
    demand_models_met,
    demand_once,
    demand_same_rows,
    demand_unchanged,
    require_units,
    see_release,
    verify,
)


def policy_of(*models, missing=Missing.OWN_VALUE):
    return SimpleNamespace(quasi=("a",), models=models, missing=missing)


def model(name, column=None, **parameters):
    columns = () if column is None else (column,)
    asked = next(iter(parameters.values()))
    known = MODELS.get(name, Model)
    return SimpleNamespace(
        name=name,
        column=column,
        columns=columns,
        threshold=asked,
        requires=known.requires,
        higher_is_safer=known.higher_is_safer,
        **parameters,
    )


def test_an_empty_release_is_refused():
    with pytest.raises(NotMetError, match="no record is left"):
        see_release(counted(pl.DataFrame({"a": pl.Series([], dtype=pl.String)})), policy_of())


@pytest.mark.parametrize("people", [[1], [1, 2, 3]])
def test_people_are_told_row_by_row_or_not_at_all(people):
    rows = each(pl.DataFrame({"a": ["x", "y"]}), np.array(people, dtype=np.int32))
    with pytest.raises(NotMetError, match="which rows"):
        see_release(rows, policy_of())


def test_rows_that_should_say_whose_they_are_do():
    rows = pl.DataFrame({"a": ["x", "y"]})
    assert require_units(counted(rows, np.array([1, 1]))).unit.tolist() == [1, 1]
    with pytest.raises(NotMetError, match="does not show which"):
        require_units(counted(rows))


def spread(*values):
    column = pl.Series("s", values, dtype=pl.String)
    return reference(column, encode(column, "s"))


@pytest.mark.parametrize(("shown", "strange"), [("p", 0), ("z", 1), ("zy", 2), ("pz", 1)])
def test_values_that_the_table_did_not_hold_are_counted(shown, strange):
    known = spread("p", "q", None)
    if strange:
        with pytest.raises(
            NotMetError, match=f"^{strange} sensitive value{'s' if strange > 1 else ''} "
        ):
            known.places(list(shown))
    else:
        assert known.places(list(shown)).tolist() == [1]


def test_two_texts_of_one_number_stand_at_one_place():
    """The first record with a text says where it stands; the missing stand apart."""
    codes = np.array([2, 1, 0, 2, 1], dtype=np.int32)
    coded = CodedColumn("s", codes, Domain(Kind.NUMBER, np.array([1.0, 2.0])))
    known = reference(pl.Series("s", ["2", "1", None, "2.0", "1.0"]), coded)
    assert dict(known.place) == {"1": 1, "1.0": 1, "2": 2, "2.0": 2}
    assert known.people.tolist() == [1, 2, 2]


@pytest.mark.parametrize(("rows", "said"), [(1, "^1 row of"), (1_200, "^1,200 rows of")])
def test_rows_that_differ_from_what_was_staged_are_counted(rows, said):
    demand_same_rows(0)
    with pytest.raises(NotMetError, match=said):
        demand_same_rows(rows)


def test_records_that_would_leave_twice_are_counted():
    demand_once(0)
    with pytest.raises(NotMetError, match=r"^2 records would leave more than once"):
        demand_once(2)


def test_the_first_model_that_is_not_met_is_named():
    good = Verdict("k-anonymity", None, 2.0, 3.0, ok=True)
    bad = Verdict("l-diversity", "illness", 3.0, 1.0, ok=False)
    worse = Verdict("k-map", None, 5.0, 4.0, ok=False)
    demand_models_met((good,))
    demand_models_met(())
    with pytest.raises(
        NotMetError,
        match=r"1 of 2 models: l-diversity of 'illness' achieves 1, the policy asks for 3",
    ):
        demand_models_met((good, bad))
    with pytest.raises(
        NotMetError, match="2 of 3 models: k-map achieves 4, the policy asks for 5;"
    ) as told:
        demand_models_met((worse, good, bad), remedy="ask for less")
    assert told.value.remedy == "ask for less"


def world_of(values, individual=None):
    who = None if individual is None else np.array(individual, dtype=np.int32)
    return PublicTable({"a": encode(pl.Series("a", values), "a")}, who)


def test_presence_is_asked_of_the_world_where_a_model_asks_for_it():
    """Both classes fit `y`, the only one: a third and a half are added up."""
    rows = pl.DataFrame({"a": ["{x, y, z}", "{y, w}"]})
    world = world_of(["x", "y", "z", "w"])
    asked = policy_of(model("delta-presence", delta=0.9), model("k-map", k=2))
    sure, crowd = verify(see_release(counted(rows), asked), asked, None, world)
    assert (sure.reached, sure.ok) == (pytest.approx(1 / 3 + 1 / 2), True)
    assert (crowd.reached, crowd.ok) == (2, True)
    closer = policy_of(model("delta-presence", delta=0.8))
    assert not verify(see_release(counted(rows), closer), closer, None, world)[0].ok


@pytest.mark.parametrize(
    ("individual", "count"),
    [
        (None, 6),
        ([1, 2, 0, 0, 0, 0], 6),
        ([0, 0, 0, 0, 0, 0], 6),
        ([3, 3, 0, 2, 2, 0], 4),
        ([1, 1, 1, 1, 1, 1], 1),
        ([0, 4, 4, 4, 0, 5], 4),
    ],
)
def test_individuals_without_a_name_are_somebody_else_each(individual, count):
    shown = see_release(each(pl.DataFrame({"a": ["*", "x"]})), policy_of())
    world = world_of(["x"] * 6, individual)
    found = CandidateCounts(shown.quasi, shown.crowds, world, Missing.OWN_VALUE)
    assert found.counts.tolist() == [count, count]
    assert found.presence(np.array([1, 1])) == pytest.approx(2 / count)


@pytest.mark.parametrize("number", [1, 63, 64, 65, 128, 130])
def test_every_row_of_a_world_has_its_bit(number):
    shown = see_release(each(pl.DataFrame({"a": ["x", "{x, y}"]})), policy_of())
    found = CandidateCounts(
        shown.quasi, shown.crowds, world_of(["x"] * number + ["y"]), Missing.SUPPRESS
    )
    assert found.counts[shown.crowds.class_of].tolist() == [number, number + 1]
    assert found.presence(np.array([1, 1])) == pytest.approx(1 / number + 1 / (number + 1))


def test_classes_that_match_too_many_are_refused(monkeypatch):
    """Three classes of which one shows nothing: seven pairs."""
    cells = [np.array([0, 1, 2])]
    for most, fits in ((7, True), (6, False)):
        monkeypatch.setattr(crowds, "_MOST_PAIRS", most)
        if fits:
            assert crowds_of(cells, None, anything=True).people.tolist() == [3, 2, 2]
        else:
            with pytest.raises(LimitError, match="too many classes"):
                crowds_of(cells, None, anything=True)


@pytest.mark.parametrize("largest", [1, 2, 3, 5, 6, 7, 20, 2**62])
def test_packed_rows_keep_their_order_however_small_numbers_are(largest, monkeypatch):
    monkeypatch.setattr(crowds, "_LARGEST", largest)
    rng = np.random.default_rng(largest % 97)
    columns = [rng.integers(0, size, 40) for size in (2, 3, 1, 4)]
    keys = pack(columns)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    by_key = sorted(range(40), key=lambda i: (keys[i], i))
    assert by_key == sorted(range(40), key=lambda i: (rows[i], i))
    assert len(set(keys.tolist())) == len(set(rows))


def test_kept_columns_may_change_their_type_but_not_their_cells():
    """A release that was read as text shows the same numbers, and the same cells are missing."""
    before = pl.DataFrame({"s": [1, None, 3]})
    demand_unchanged(altered(before, pl.DataFrame({"s": ["3", None]}), [2, 1]), ["s"])
    demand_unchanged(altered(before, pl.DataFrame({"s": [3, None]}), [2, 1]), ["s"])
    for wrong in (["3", "1"], ["3", ""], [None, "3"]):
        with pytest.raises(NotMetError, match="keeps the column"):
            demand_unchanged(altered(before, pl.DataFrame({"s": wrong}), [2, 1]), ["s"])


def test_a_verdict_names_the_column_that_a_model_is_about():
    rows = pl.DataFrame({"a": ["x", "x"], "s": ["p", "q"]})
    asked = policy_of(model("k-anonymity", k=2), model("l-diversity", "s", l=2, kind="distinct"))
    assert [verdict.column for verdict in verify(see_release(counted(rows), asked), asked)] == [
        None,
        "s",
    ]


def test_packed_rows_of_many_values_are_not_mistaken_for_each_other():
    """Three columns of 2^40 values do not fit one number side by side."""
    last = 2**40 - 1
    columns = [np.array([0, 1, last]), np.array([0, 0, last]), np.array([0, 0, last])]
    keys = pack(columns)
    assert keys[0] < keys[1] < keys[2]


def test_every_class_has_a_number():
    """One class without a number could still be told from the others."""
    classes = np.array([0, 0, 1])
    good, bad = (pl.DataFrame({"class": ["1", "1", last]}) for last in ("2", None))
    demand_numbered_classes("class", counted(good, classes=classes))
    with pytest.raises(NotMetError, match="'class'"):
        demand_numbered_classes("class", counted(bad, classes=classes))
    with pytest.raises(NotMetError, match="'class'"):
        demand_numbered_classes("class", counted(good))


def test_packed_rows_of_many_columns_are_not_mistaken_for_each_other():
    """Seventy columns of two values: rows that differ in the first alone differ."""
    columns = [np.array([0, 1, 1]), *(np.array([0, 0, 1]) for _ in range(69))]
    assert len(np.unique(pack(columns))) == 3


def test_two_columns_of_ends_are_one_column_wherever_they_stand():
    assert split_columns(["a"], ["a_low", "a_high"]) == ("a",)
    assert split_columns(["a"], ["a_low", "a_high", "b"]) == ("a",)
    assert split_columns(["a"], ["a", "a_low", "a_high"]) == ()
    assert split_columns(["a"], ["a_low"]) == ()


@pytest.mark.parametrize(
    ("label", "fine"),
    [("[20, 30)", True), ("[21, 30)", False), ("[20, 29)", False), ("≥ 20", True), ("≥ 21", False)],
)
def test_labels_begin_and_end_where_nodes_of_the_lowest_level_do(label, fine):
    tree = Intervals(width=5).build(Domain(Kind.NUMBER, np.arange(20, 40)), "age")
    cells = number_cells(pl.Series("age", [label]))
    if fine:
        demand_coarse(tree, "age", cells, 1)
    else:
        with pytest.raises(NotMetError, match="finer"):
            demand_coarse(tree, "age", cells, 1)


@pytest.mark.parametrize(("days", "fine"), [(30, True), (29, False)])
def test_the_widest_span_of_dates_is_counted_in_days(days, fine):
    first = np.datetime64("2020-01-01")
    tree = Dates().build(Domain(Kind.DATE, first + np.arange(60)), "day")
    cells = number_cells(pl.Series("day", ["[2020-01-01, 2020-01-31]"]))
    limits = Column(role="quasi", widest=days)
    if fine:
        demand_within(tree, "day", cells, limits)
    else:
        with pytest.raises(NotMetError, match="coarser"):
            demand_within(tree, "day", cells, limits)


@pytest.mark.parametrize("records", [9, 11])
def test_a_release_of_fewer_or_more_rows_than_may_leave_is_refused(records):
    demand_complete(("age",), 10, ("age",), 10)
    with pytest.raises(NotMetError, match="10 records may leave"):
        demand_complete(("age",), records, ("age",), 10)
