import gzip
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd
import naive.minimal
from incrowd.errors import InfeasibleError, PolicyError
from incrowd.identify import border, branch, hitting_sets, labelled, oracles
from incrowd.identify.levelwise import join_failing
from incrowd.identify.measures import fold_records
from incrowd.identify.minimal import MinimalSetSearch, minimal_sets
from incrowd.identify.oracles import MinimalSetQuery
from incrowd.identify.records import Measure, Records
from incrowd.identify.sampling import count_rows_once
from incrowd.watch import Watch

METHODS = ["auto", "levelwise", "subtable", "iterative", "hitting-sets", "depth-first"]


def records_of(rows, counts=None, width=None):
    width = len(rows[0]) if width is None else width
    codes = np.array(rows, dtype=np.int32).reshape(len(rows), width).T
    counts = np.ones(len(rows), dtype=np.int64) if counts is None else np.array(counts)
    names = tuple(f"c{j}" for j in range(width))
    return Records(names, np.ascontiguousarray(codes), counts.astype(np.int64))


@st.composite
def tables(draw, max_columns=6, max_rows=24):
    width = draw(st.integers(1, max_columns))
    row = st.tuples(*[st.integers(0, draw(st.integers(0, 3))) for _ in range(width)])
    return draw(st.lists(row, min_size=1, max_size=max_rows))


@st.composite
def tallies(draw):
    rows = draw(tables())
    counts = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    return rows, counts


def answer(records, measure, ratio, **options):
    """The sets, or None where none is attainable."""
    try:
        return minimal_sets(records, measure, ratio, **options)
    except InfeasibleError:
        return None


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=60, deadline=None)
@given(rows=tables(), limit=st.one_of(st.none(), st.integers(1, 4)))
def test_all_minimal_keys_are_those_of_brute_force(method, rows, limit):
    rows = sorted(set(rows))
    found = minimal_sets(records_of(rows), Measure.DISTINCT, 1.0, method=method, max_size=limit)
    wide = naive.minimal.minimal(rows, [1] * len(rows), len(rows[0]), "distinct", 1.0)
    assert found.sets == tuple(c for c in wide if limit is None or len(c) <= limit)
    assert not found.complete or found.sets == wide
    assert found.complete == (found.guarantee.not_searched == "")
    assert found.guarantee.exact


@pytest.mark.parametrize("method", ["auto", "levelwise", "hitting-sets", "depth-first"])
@pytest.mark.parametrize("measure", list(Measure))
@settings(max_examples=40, deadline=None)
@given(
    table=tallies(),
    ratio=st.one_of(st.sampled_from([0.25, 0.5, 0.6, 0.8, 0.9, 1.0]), st.floats(0.01, 1.0)),
    limit=st.one_of(st.none(), st.integers(1, 4)),
)
def test_minimal_sets_of_any_ratio_are_those_of_brute_force(method, measure, table, ratio, limit):
    rows, counts = table
    found = answer(records_of(rows, counts), measure, ratio, method=method, max_size=limit)
    width = len(rows[0])
    best = naive.minimal.ratio(rows, counts, range(width), measure)
    assert (found is None) == (best < ratio)
    if found is not None:
        wide = naive.minimal.minimal(rows, counts, width, measure, ratio)
        assert found.sets == tuple(c for c in wide if limit is None or len(c) <= limit)
        assert limit is not None or found.complete


@pytest.mark.parametrize("method", ["hitting-sets", "depth-first"])
@pytest.mark.parametrize("measure", list(Measure))
@settings(max_examples=40, deadline=None)
@given(table=tallies(), ratio=st.floats(0.3, 0.99), cells=st.sampled_from([4, 20, 2**62]))
def test_guesses_and_classes_left_out_change_nothing(method, measure, table, ratio, cells):
    rows, counts = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(branch, "_SPARE", 1)
        patch.setattr(oracles, "_SPARE", 1)
        patch.setattr(oracles, "_FEW", 3)
        patch.setattr(oracles, "_PAIRS", 2)
        patch.setattr(oracles, "_SMALL", 8)
        patch.setattr(oracles, "_RUN", 2)
        patch.setattr(border, "_FIRST", 3)
        patch.setattr(labelled, "_LARGEST", cells)
        found = answer(records_of(rows, counts), measure, ratio, method=method)
    if found is not None:
        wide = naive.minimal.minimal(rows, counts, len(rows[0]), measure, ratio)
        assert found.sets == wide


@pytest.mark.parametrize("method", ["subtable", "iterative"])
@pytest.mark.parametrize("measure", list(Measure))
def test_sub_tables_lose_nothing_here(method, measure):
    rng = np.random.default_rng(3)
    rows = [tuple(row) for row in rng.integers(0, 5, (40_000, 5)).tolist()]
    records = records_of(rows)
    ratio = {"distinct": 0.01, "separation": 0.99, "unique": 0.0001}[measure]
    slow = answer(records, measure, ratio, method="levelwise")
    sampled = answer(records, measure, ratio, method=method, rng=np.random.default_rng(1))
    assert (slow and slow.sets) == (sampled and sampled.sets)
    if sampled and measure is Measure.SEPARATION:
        assert sampled.guarantee.delta == 0.01
        assert sampled.guarantee.sample
        assert not sampled.guarantee.exact


def test_a_sample_too_small_for_its_promise_names_the_size_that_would_do():
    records = records_of([(i % 7, i % 11) for i in range(5000)])
    with pytest.raises(PolicyError, match=r"draw at least \d+"):
        minimal_sets(records, Measure.SEPARATION, 0.9, method="subtable", sample=5)


def test_duplicates_leave_no_key_and_are_counted():
    records = records_of([(1, 1), (1, 1), (1, 1), (2, 1)])
    with pytest.raises(InfeasibleError, match="2 of 4 records repeat an earlier one") as raised:
        minimal_sets(records, Measure.DISTINCT, 1.0)
    assert "at most 0.5, or drop duplicates" in str(raised.value)
    distinct = count_rows_once(fold_records(records))
    assert minimal_sets(distinct, Measure.DISTINCT, 1.0).sets == ((0,),)


def test_a_row_that_stands_for_two_records_is_a_duplicate():
    with pytest.raises(InfeasibleError, match="1 of 3 records repeat"):
        minimal_sets(records_of([(1,), (2,)], [1, 2]), Measure.SEPARATION, 1.0)


def test_no_records_and_no_columns_are_refused():
    with pytest.raises(InfeasibleError, match="no records"):
        minimal_sets(records_of([], width=2), Measure.DISTINCT, 0.5)
    with pytest.raises(PolicyError, match="no columns"):
        minimal_sets(records_of([(), ()]), Measure.DISTINCT, 0.5)


@pytest.mark.parametrize("method", METHODS)
def test_one_record_is_told_apart_by_any_column(method):
    found = minimal_sets(records_of([(1, 2)]), Measure.SEPARATION, 1.0, method=method)
    assert found.sets == ((0,), (1,))


@pytest.mark.parametrize("wrong", [{"ratio": 0.0}, {"ratio": 1.1}, {"max_size": 0}, {"delta": 1.0}])
def test_questions_that_make_no_sense_are_refused(wrong):
    asked = {"ratio": 0.5} | wrong
    with pytest.raises(PolicyError):
        minimal_sets(records_of([(1,), (2,)]), Measure.DISTINCT, **asked)


def wide_table(width, rows=40, seed=5):
    rng = np.random.default_rng(seed)
    return sorted({tuple(row) for row in rng.integers(0, 3, (rows, width)).tolist()})


def test_more_than_sixty_four_columns_take_two_words():
    rows = [(0,) * 33 + row[:3] + (0,) * 33 + row[3:] for row in wide_table(6)]
    found = minimal_sets(records_of(rows), Measure.DISTINCT, 1.0)
    thin = naive.minimal.minimal(wide_table(6), [1] * len(rows), 6, "distinct", 1.0)
    place = [33, 34, 35, 69, 70, 71]
    assert found.sets == tuple(tuple(place[j] for j in columns) for columns in thin)


def test_two_words_search_all_columns():
    rows = wide_table(70, rows=12)
    records = records_of(rows)
    found = minimal_sets(records, Measure.DISTINCT, 1.0, max_size=2)
    assert found.sets == naive.minimal.minimal(rows, [1] * len(rows), 70, "distinct", 1.0, most=2)


def test_too_many_columns_are_refused_with_a_way_out():
    records = records_of(wide_table(130))
    with pytest.raises(PolicyError, match=r"130 columns vary.*128.*limit the size"):
        minimal_sets(records, Measure.DISTINCT, 1.0)
    assert minimal_sets(records, Measure.DISTINCT, 1.0, max_size=1, method="depth-first")


@pytest.mark.parametrize("method", METHODS)
def test_without_time_the_answer_is_partial_and_says_so(method):
    records = records_of(wide_table(8))
    found = minimal_sets(records, Measure.DISTINCT, 1.0, method=method, watch=Watch(0.0))
    assert not found.complete
    assert found.guarantee.not_searched == "sets of more than 0 columns"


def test_an_interrupted_search_says_what_it_has(monkeypatch):
    rows = wide_table(8)
    records = records_of(rows)
    search = MinimalSetSearch(
        records, MinimalSetQuery(Measure.DISTINCT, 1.0, method="levelwise"), Watch()
    )
    keeps = search._branch.__class__.keeps_to_budget

    def interrupted(self, columns):
        if len(search._found.sets) == 3:
            raise KeyboardInterrupt
        return keeps(self, columns)

    monkeypatch.setattr(search._branch.__class__, "keeps_to_budget", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search.run(np.random.default_rng(0))
    known = search.answer()
    every = naive.minimal.minimal(rows, [1] * len(rows), 8, "distinct", 1.0)
    assert not known.complete
    assert len(known.sets) == 3
    assert set(known.sets) < set(every)
    assert known.guarantee.not_searched.endswith("but for those found")


class Ticks(Watch):
    """A watch whose time is up after so many looks at it, half of it after half of them."""

    def __init__(self, ticks):
        super().__init__()
        self.ticks = ticks

    @property
    def remaining(self):
        return 0.0

    @property
    def expired(self):
        self.ticks -= 1
        return self.ticks < 0


@pytest.mark.parametrize(("measure", "ratio"), [("distinct", 1.0), ("separation", 0.9)])
@settings(max_examples=60, deadline=None)
@given(rows=tables(), ticks=st.integers(0, 60))
def test_size_by_size_the_answer_is_whole_up_to_the_size_it_says(measure, ratio, rows, ticks):
    rows = sorted(set(rows))
    assume(len(rows) > 1)
    found = minimal_sets(records_of(rows), Measure(measure), ratio, watch=Ticks(ticks))
    every = naive.minimal.minimal(rows, [1] * len(rows), len(rows[0]), measure, ratio)
    assert set(found.sets) <= set(every)
    if found.complete:
        assert found.sets == every
    else:
        upto = int(found.guarantee.not_searched.split()[4])
        assert {c for c in every if len(c) <= upto} <= set(found.sets)


def test_an_interrupted_search_for_a_ratio_has_minimal_sets_only(monkeypatch):
    rows = wide_table(8, rows=300)
    search = MinimalSetSearch(records_of(rows), MinimalSetQuery(Measure.SEPARATION, 0.97), Watch())
    every = naive.minimal.minimal(rows, [1] * len(rows), 8, "separation", 0.97)
    judge = border.RatioOracle.judge

    def interrupted(self, sets, watch):
        if search._found.sets:
            raise KeyboardInterrupt
        return judge(self, sets, watch)

    monkeypatch.setattr(border.RatioOracle, "judge", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search.run(np.random.default_rng(0))
    known = search.answer()
    assert not known.complete
    assert known.sets
    assert set(known.sets) < set(every)
    assert known.guarantee.not_searched.startswith("sets of more than")


@pytest.mark.parametrize("measure", list(Measure))
def test_large_weights_and_many_equal_rows_are_those_of_brute_force(measure):
    rng = np.random.default_rng(4)
    rows = [tuple(row) for row in rng.integers(0, 3, (60, 5)).tolist()]
    counts = rng.choice([1, 1, 1, 2, 2**26], 60).tolist()
    for given_counts in (counts, [1] * 60):
        best = naive.minimal.ratio(rows, given_counts, range(5), measure)
        for ratio in (best, 0.9 * best, 0.5 * best):
            found = minimal_sets(records_of(rows, given_counts), measure, ratio)
            assert found.sets == naive.minimal.minimal(rows, given_counts, 5, measure, ratio)


def test_guesses_from_a_sample_lose_nothing_in_a_large_table():
    rng = np.random.default_rng(9)
    codes = (rng.beta(1, 3, (9, 30_000)) * np.array([[3, 4, 5, 6, 8, 10, 12, 15, 20]]).T).astype(
        int
    )
    records = records_of(codes.T)
    for ratio in (0.99, 0.999):
        found = minimal_sets(records, Measure.SEPARATION, ratio)
        assert (
            found.sets == minimal_sets(records, Measure.SEPARATION, ratio, method="levelwise").sets
        )
        assert found.complete


def test_the_order_of_rows_and_columns_does_not_matter():
    rng = np.random.default_rng(2)
    rows = np.array(wide_table(7, rows=200))
    records = records_of(rows)
    shuffled = records_of(rows[rng.permutation(len(rows))][:, ::-1])
    for ratio in (1.0, 0.98):
        one = minimal_sets(records, Measure.SEPARATION, ratio).sets
        other = minimal_sets(shuffled, Measure.SEPARATION, ratio).sets
        assert set(one) == {tuple(sorted(6 - j for j in columns)) for columns in other}


DATA = Path(__file__).parents[2] / "../shared/data/adult/adult.data.gz"
real = pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data beside the repository")


@pytest.fixture(scope="module")
def adult():
    with gzip.open(DATA) as file:
        lines = file.read().rstrip()
    frame = pl.read_csv(lines, has_header=False, infer_schema=False)
    codes = [frame[name].rank("dense").to_numpy().astype(np.int32) for name in frame.columns]
    names = tuple(f"c{j}" for j in range(len(codes)))
    return Records(names, np.array(codes), np.ones(frame.height, dtype=np.int64))


@real
def test_adult_has_two_minimal_keys_of_ten_columns(adult):
    found = minimal_sets(count_rows_once(fold_records(adult)), Measure.DISTINCT, 1.0)
    assert [len(columns) for columns in found.sets] == [10, 10]
    assert found.complete


@real
def test_adult_without_its_weights_has_two_minimal_keys_of_thirteen_columns(adult):
    without = adult.select([name for name in adult.names if name != "c2"])
    with pytest.raises(InfeasibleError, match="3,465 of 32,561 records repeat"):
        minimal_sets(without, Measure.DISTINCT, 1.0)
    distinct = count_rows_once(fold_records(without))
    assert distinct.rows == 29_096
    found = minimal_sets(distinct, Measure.DISTINCT, 1.0)
    assert [len(columns) for columns in found.sets] == [13, 13]


@pytest.mark.slow
@real
@pytest.mark.parametrize(
    ("measure", "ratio", "number", "smallest"),
    [
        (Measure.SEPARATION, 0.9999, 171, 1),
        (Measure.SEPARATION, 0.999, 251, 1),
        (Measure.SEPARATION, 0.99, 228, 1),
        (Measure.DISTINCT, 0.9, 56, 2),
        (Measure.DISTINCT, 0.99, 117, 4),
    ],
)
def test_adult_has_so_many_minimal_quasi_identifiers(adult, measure, ratio, number, smallest):
    found = minimal_sets(adult, measure, ratio)
    assert len(found.sets) == number
    assert len(found.sets[0]) == smallest
    assert found.complete


@pytest.mark.slow
@real
def test_adult_size_by_size_gives_the_same_sets(adult):
    whole = minimal_sets(adult, Measure.SEPARATION, 0.99)
    small = minimal_sets(adult, Measure.SEPARATION, 0.99, max_size=3)
    assert small.sets == tuple(columns for columns in whole.sets if len(columns) <= 3)
    assert small.guarantee.not_searched == "sets of more than 3 columns"


def test_sets_are_not_made_once_the_time_is_up():
    class Clock(Watch):
        """A watch that runs out after some looks at it."""

        looks = 0

        @property
        def expired(self):
            self.looks += 1
            return self.looks > 5

    failing = {(a, b): 0 for a in range(60) for b in range(a + 1, 60)}
    some = sum(1 for _ in join_failing(failing, Clock()))
    assert 0 < some < sum(1 for _ in join_failing(failing, Watch()))


def twins(digits, values):
    """Every combination of so many digits, each told by either of two columns: 2^digits keys."""
    rows = np.array(list(product(range(values), repeat=digits))).T
    frame = {f"a{i}": row for i, row in enumerate(rows)}
    frame |= {f"b{i}": (row + 1) % values for i, row in enumerate(rows)}
    frame |= {f"c{i}": row == 0 for i, row in enumerate(rows)}
    return pl.DataFrame(frame | {f"d{i}": row * 0 for i, row in enumerate(rows)})


def _digit(name):
    return name[1]


def test_keys_of_many_columns_are_found_without_a_size():
    found = incrowd.discover(twins(6, 3), ratio=1.0)
    assert len(found.best.columns) == 24
    assert found.found == len(found.sets) == 64
    assert {tuple(name[1] for name in sorted(one.columns, key=_digit)) for one in found.sets} == {
        tuple("012345")
    }
    assert not found.guarantee.not_searched


def test_where_keys_are_too_many_small_ones_are_found(monkeypatch):
    monkeypatch.setattr(hitting_sets, "_MOST_STEPS", 5)
    monkeypatch.setattr(hitting_sets, "_LEAST_STEPS", 5)
    frame = twins(6, 3)
    found = incrowd.discover(frame, ratio=1.0)
    assert found.guarantee.not_searched == "sets of more than 4 columns"
    assert found.found == 0
    assert len(found.minimum.columns) == 6
    ids = frame.with_columns(id=np.arange(len(frame)))
    assert [one.columns for one in incrowd.discover(ids, ratio=1.0).sets] == [("id",)]
