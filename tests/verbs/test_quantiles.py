"""Columns that show quantiles."""

import datetime as dt
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd.engines.stream import RecordReservoir
from incrowd.errors import InfeasibleError, InputError, NotMetError, PolicyError
from incrowd.kernels.one_dimensional import assign_buckets, fill_bucket_starts
from incrowd.population.quantile_cells import cells_of_buckets, scale_cells
from incrowd.population.quantiles import (
    BucketDivision,
    BucketErrors,
    divide_evenly,
    join_small,
    least_sample_count,
    rank_error,
    sample_size,
)
from incrowd.table.column import Kind
from naive import quantiles as naive

FEW = st.lists(st.integers(-4, 4), min_size=1, max_size=30)
MANY = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


@settings(max_examples=100)
@given(FEW | MANY, st.integers(1, 8), st.integers(1, 8))
def test_buckets_begin_where_they_should(values, number, least):
    line = np.sort(np.array(values, dtype=np.float64))
    starts = np.zeros(number, dtype=np.int64)
    found = fill_bucket_starts(line, number, least, starts)
    assert starts[:found].tolist() == naive.begins(line.tolist(), number, least)


@settings(max_examples=100)
@given(FEW | MANY, st.lists(st.floats(-10, 10), max_size=9, unique=True))
def test_values_are_looked_up(values, cuts):
    cuts = sorted(cuts)
    line = np.array([*values, np.nan], dtype=np.float64)
    number = len(cuts) + 2
    codes, sizes = np.empty(len(line), dtype=np.int32), np.zeros(number, dtype=np.int64)
    sums, squares, centres = np.zeros(number), np.zeros(number), np.arange(number) * 1.0
    assign_buckets(line, np.array(cuts), centres, codes, sizes, sums, squares)
    expected = [naive.bucket(value, cuts) for value in [*values, None]]
    assert codes.tolist() == expected
    assert sizes.tolist() == [expected.count(b) for b in range(number)]
    for b in range(1, number):
        away = [x - b for x, code in zip(values, expected, strict=False) if code == b]
        assert sums[b] == pytest.approx(sum(away))
        assert squares[b] == pytest.approx(sum(x * x for x in away))


@settings(max_examples=100)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 20))
def test_small_buckets_join_a_neighbour(sizes, k):
    groups = naive.joined(sizes, k)
    expected = [i for i, group in enumerate(groups) for _ in group]
    assert join_small(np.array(sizes), k).tolist() == expected


def test_without_ties_all_buckets_are_the_sizes_of_definition_9():
    for n, k in ((250, 10), (57, 10), (59, 20), (7, 3), (5, 5)):
        division = divide_evenly(np.arange(n) * 1.0, None, k)
        sizes = np.diff([*division.starts.tolist(), n])
        q, r = divmod(n, k)
        assert len(sizes) == q
        assert {*sizes.tolist()} <= {k + r // q, k + math.ceil(r / q)}


CELLS = st.lists(
    st.none() | st.integers(-5, 5) | st.floats(-9, 9, width=32), min_size=1, max_size=40
)


@settings(max_examples=100)
@given(CELLS, st.integers(2, 6), st.booleans())
def test_every_cell_hides_among_k(cells, k, ordered):
    frame = pl.DataFrame({"x": cells}, schema={"x": pl.Float64})
    values = [cell for cell in cells if cell is not None]
    none = len(cells) - len(values)
    try:
        found = incrowd.quantiles(frame, columns=["x"], k=k, keep_order=True, seed=1)
    except InfeasibleError:
        small = len(values) < k and (values or len(cells) < k)
        assert small or (0 < none < k and len(divide_evenly(np.array(values) * 1.0, None, k)) < 2)
        return
    shown = found.frame["x"].to_list()
    assert naive.smallest(shown) >= k
    assert found.smallest == naive.smallest(shown)
    (column,) = found.columns
    assert column.missing == none
    assert column.buckets == len({*shown} - {None})
    assert column.error == pytest.approx(naive.error(cells, shown), abs=1e-9)
    assert all(new is None for old, new in zip(cells, shown, strict=True) if old is None)
    assert column.emptied == shown.count(None) - none
    if not 0 < none < k:
        assert column.emptied == 0
    pairs = sorted((old, new) for old, new in zip(cells, shown, strict=True) if new is not None)
    assert [new for _, new in pairs] == sorted(new for _, new in pairs)
    for old in {old for old, _ in pairs}:
        assert len({new for value, new in pairs if value == old}) == 1
    for new in {new for _, new in pairs}:
        bucket = [old for old, value in pairs if value == new]
        assert new == bucket[(len(bucket) - 1) // 2]
    again = incrowd.quantiles(frame, columns=["x"], k=k, keep_order=ordered, seed=1)
    assert Counter(again.frame["x"].to_list()) == Counter(shown)


def people(n=20_000, seed=3):
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(10, 1, n), 2)
    return pl.DataFrame(
        {
            "income": pl.Series(income).set(pl.Series(rng.random(n) < 0.1), None),
            "age": rng.integers(0, 100, n),
            "born": (np.datetime64("1930-01-01") + rng.integers(0, 30_000, n)),
            "town": [f"t{i % 50}" for i in range(n)],
        }
    )


def cut_up(frame, size):
    return (frame[i : i + size] for i in range(0, frame.height, size))


NAMES = ["income", "age", "born"]


@pytest.mark.parametrize("keep_order", [False, True])
@pytest.mark.parametrize("show", ["median", "range"])
def test_batches_change_nothing(show, keep_order):
    table = people()
    options = {"columns": NAMES, "k": 500, "keep": ["town"], "seed": 5, "epsilon": 0.02}
    options |= {"show": show, "keep_order": keep_order}
    one, other = (incrowd.quantiles(cut_up(table, n), **options) for n in (20_000, 777))
    assert one.frame.equals(other.frame)
    assert one.promise == other.promise
    assert [c.buckets for c in one.columns] == [c.buckets for c in other.columns]
    whole = incrowd.quantiles(table, **options)
    assert sorted(whole.frame.rows(), key=str) == sorted(one.frame.rows(), key=str)
    assert whole.frame.equals(one.frame) == keep_order
    assert not whole.promise.exact
    assert whole.promise.sample == sample_size(0.02, 0.01) < table.height
    for name in NAMES:
        assert naive.smallest(one.frame[name].to_list()) >= 500


def test_types_stay_and_nothing_else_leaves():
    table = people(3_000)
    found = incrowd.quantiles(table, columns=["born", "age"], k=100, keep=["town"], seed=1)
    assert found.frame.schema == table.select("age", "born", "town").schema
    assert found.kept == ("town",)
    assert found.withheld == ("income",)
    assert Counter(found.frame["town"]) == Counter(table["town"])
    assert any("incrowd plan" in note for note in found.notes)
    ranges = incrowd.quantiles(table, columns=["born"], k=1_000, show="range", keep_order=True)
    labels = sorted({*ranges.frame["born"]}, key=lambda text: text.lstrip("[("))
    assert sum(label.startswith("< 19") for label in labels) == 1
    assert sum(label.startswith("≥ ") for label in labels) == 1
    assert not any("incrowd plan" in note for note in ranges.notes)


@pytest.mark.parametrize("kind", ["pandas", "pyarrow"])
@pytest.mark.parametrize("show", ["median", "range"])
def test_frames_of_other_libraries(kind, show):
    pytest.importorskip(kind)
    table = people(2_000)
    native = table.to_pandas() if kind == "pandas" else table.to_arrow()
    options = {"columns": NAMES, "k": 150, "keep": ["town"], "show": show, "seed": 2}
    found = incrowd.quantiles(native, **options)
    same = incrowd.quantiles(table, **options)
    assert type(found.frame) is type(native)
    assert [c.buckets for c in found.columns] == [c.buckets for c in same.columns]
    back = pl.from_pandas(found.frame) if kind == "pandas" else pl.from_arrow(found.frame)
    assert back["age"].to_list() == same.frame["age"].to_list()
    assert back["income"].null_count() == same.frame["income"].null_count()


def test_texts_are_read_as_numbers_and_dates():
    texts = ["1", " 2 ", "+3", "4.5", "1e1", "", "NA", None, "  "]
    found = scale_cells(pl.Series(texts), Kind.NUMBER)
    assert found.unfit is None
    assert found.values[:5].tolist() == [1, 2, 3, 4.5, 10]
    assert np.isnan(found.values[5:]).all()
    texts = ["2024-12-31", "31.12.2024", "2024-12-31 00:00", "?", None]
    found = scale_cells(pl.Series(texts), Kind.DATE)
    assert found.unfit is None
    assert len({*found.values[:3].tolist()}) == 1
    assert np.isnan(found.values[3:]).all()
    for bad in ("inf", "-inf", "1e999", "12,5", "x"):
        assert scale_cells(pl.Series(["1", bad]), Kind.NUMBER).unfit.tolist() == [False, True]


def test_moments_and_zones():
    start = dt.datetime(2024, 5, 1, 12, 30, tzinfo=dt.UTC)
    hours = [start + dt.timedelta(hours=i) for i in range(60)]
    table = pl.DataFrame({"at": hours}).with_columns(
        pl.col("at").dt.convert_time_zone("Asia/Tokyo")
    )
    found = incrowd.quantiles(table, columns=["at"], k=20, keep_order=True)
    assert found.frame.schema == table.schema
    assert found.frame["at"].unique().sort().to_list() == [table["at"][i] for i in (9, 29, 49)]
    ranges = incrowd.quantiles(table, columns=["at"], k=30, show="range", keep_order=True)
    assert ranges.frame["at"][0] == "< 2024-05-03 03:30:00"


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt16, pl.Int64, pl.Float32, pl.Decimal(10, 2)])
def test_numbers_of_all_types(dtype):
    table = pl.DataFrame({"x": pl.Series(range(100)).cast(dtype)})
    found = incrowd.quantiles(table, columns=["x"], buckets=4, keep_order=True)
    assert found.frame.schema == table.schema
    assert [float(x) for x in found.frame["x"].unique().sort()] == [12, 37, 62, 87]
    assert found.columns[0].smallest == 25


def test_the_size_of_the_sample_is_the_papers():
    assert sample_size(0.1, 0.1) == math.ceil(math.log(10) / 0.01)
    assert sample_size(0.01, 0.05) == math.ceil(math.log(20) / 0.0001)
    for delta in (0.6, 0.9, 0.99):
        assert 2 * math.exp(-2 * 0.1**2 * sample_size(0.1, delta)) <= delta


def ranks_off(values, sample, share):
    """How far the rank of a quantile of a sample is from its rank among the values, as a share."""
    place = min(len(sample) - 1, int(share * len(sample)))
    value = np.sort(sample)[place]
    low, high = (values < value).mean(), (values <= value).mean()
    return max(0.0, low - share, share - high)


@pytest.mark.parametrize("shape", ["even", "skewed", "ties"])
def test_ranks_are_off_no_more_than_promised(shape):
    rng = np.random.default_rng(11)
    values = {
        "even": np.arange(20_000) * 1.0,
        "skewed": rng.lognormal(0, 3, 20_000),
        "ties": rng.integers(0, 7, 20_000) * 1.0,
    }[shape]
    epsilon, delta = 0.04, 0.2
    size = sample_size(epsilon, delta)
    shares = np.arange(1, 10) / 10
    single, all_of_them = 0, 0
    off_by = rank_error(size, delta, len(shares))
    for seed in range(100):
        places, _ = RecordReservoir(size, seed).draw(0, len(values))
        off = [ranks_off(values, values[places], share) for share in shares]
        single += off[4] > epsilon
        all_of_them += max(off) > off_by
    assert single <= 100 * delta
    assert all_of_them <= 100 * delta


def test_the_example_of_section_4_1_3():
    values = np.random.default_rng(4).permutation(100_000) * 1.0
    places, _ = RecordReservoir(100, 9).draw(0, len(values))
    fifth = np.sort(values[places])[4]
    epsilon = math.sqrt(math.log(1 / 0.1) / 100)
    assert abs((values < fifth).sum() - 5_000) <= epsilon * 100_000


def test_drawn_buckets_seldom_fall_below_k():
    rng = np.random.default_rng(0)
    least = least_sample_count(1_000, 50_000, 10_000, 0.05)
    assert least > 200
    below = 0
    for seed in range(40):
        values = rng.random(50_000)
        places, _ = RecordReservoir(10_000, seed).draw(0, 50_000)
        division = divide_evenly(values[places], None, least)
        sizes = np.bincount(np.searchsorted(division.cuts, values, side="right"))
        below += sizes.min() < 1_000
    assert below <= 40 * 0.05


@pytest.fixture
def careless(monkeypatch):
    """Buckets of the sample are made as if it were the table: many hold too few records."""
    monkeypatch.setattr(
        "incrowd.population.buckets.least_sample_count",
        lambda k, records, sample, delta: max(1, k * sample // records),  # noqa: ARG005  its seam
    )


@pytest.mark.usefixtures("careless")
@pytest.mark.parametrize("keep_order", [False, True])
def test_buckets_below_k_are_joined_and_the_rows_mapped_again(keep_order, tmp_path):
    table = people()
    options = {"columns": NAMES, "k": 500, "epsilon": 0.05, "seed": 1, "keep_order": keep_order}
    found = incrowd.quantiles(table, **options)
    assert all(column.merged > 0 for column in found.columns)
    assert found.smallest >= 500
    for name, column in zip(NAMES, found.columns, strict=True):
        assert naive.smallest(found.frame[name].to_list()) == column.smallest >= 500
    passed = incrowd.quantiles(cut_up(table, 999), **options)
    assert [c.merged for c in passed.columns] == [c.merged for c in found.columns]
    assert sorted(passed.frame.rows(), key=str) == sorted(found.frame.rows(), key=str)
    written = incrowd.quantiles(cut_up(table, 5_000), tmp_path / "o.parquet", **options)
    assert pl.read_parquet(tmp_path / "o.parquet").equals(passed.frame)
    for one, other in zip(written.columns, passed.columns, strict=True):
        assert one.error == pytest.approx(other.error)
        assert one.merged == other.merged


def test_too_few_missing_values_take_a_bucket_with_them():
    table = pl.DataFrame({"x": [None] * 3 + list(range(40))})
    found = incrowd.quantiles(table, columns=["x"], k=10, keep_order=True)
    shown = found.frame["x"].to_list()
    assert shown[:3] == [None] * 3
    assert shown.count(None) == 13
    assert found.columns[0].emptied == 10
    assert any("3 missing values" in note and "10 cells" in note for note in found.notes)
    with pytest.raises(InfeasibleError, match="3 missing values"):
        incrowd.quantiles(table[:20], columns=["x"], k=10)
    with pytest.raises(InfeasibleError, match="has 5 values, fewer than k = 10"):
        incrowd.quantiles(pl.DataFrame({"x": [None] * 30 + [1] * 5}), columns=["x"], k=10)
    empty = incrowd.quantiles(pl.DataFrame({"x": [None] * 30}), columns=["x"], k=10)
    assert empty.columns[0].buckets == 0
    assert any("no values" in note for note in empty.notes)


def test_a_sample_larger_than_the_table_is_exact():
    table = people(500)
    found = incrowd.quantiles(table, columns=["age"], k=50, epsilon=0.01, seed=1)
    assert found.promise.exact
    assert any("exact" in note and "46,052" in note for note in found.notes)
    exact = incrowd.quantiles(table, columns=["age"], k=50, seed=1)
    assert exact.frame.equals(found.frame)
    passed = incrowd.quantiles(cut_up(table, 100), columns=["age"], k=50, epsilon=0.01, seed=1)
    assert passed.promise.exact


def test_the_squared_error_of_even_values_is_one_over_buckets_squared():
    table = pl.DataFrame({"x": np.arange(10_000) * 1.0})
    for buckets in (1, 2, 5, 10, 50, 100):
        found = incrowd.quantiles(table, columns=["x"], buckets=buckets)
        assert found.columns[0].buckets == buckets
        assert found.columns[0].error == pytest.approx(1 / buckets**2, rel=0.01)


@settings(max_examples=50)
@given(MANY | FEW, st.integers(1, 5))
def test_errors_are_those_of_the_definition(values, least):
    line = np.array(values, dtype=np.float64)
    division = divide_evenly(line, None, least)
    spread = BucketErrors.without_records(division)
    codes = np.empty(len(line), dtype=np.int32)
    tallies = (spread.sizes, spread.sums, spread.squares)
    assign_buckets(line, division.cuts, spread.centres, codes, *tallies)
    shown = np.append(np.nan, division.medians)[codes]
    exact = naive.error(list(map(Fraction, values)), list(map(Fraction, shown.tolist())))
    assert spread.normalized_error(division.medians) == pytest.approx(
        float(exact), rel=1e-6, abs=1e-9
    )


def test_nothing_shows_values():
    division = divide_evenly(np.array([12345.0, 67890.0]), None, 1)
    found = incrowd.quantiles(pl.DataFrame({"x": [12345] * 5}), columns=["x"], k=2)
    for one in (division, BucketErrors.without_records(division), found.columns, found):
        assert "12345" not in repr(one)
    assert cells_of_buckets(division, Kind.NUMBER, "range", pl.Series("x", [1]))[1] == "< 67890"
    assert len(BucketDivision(np.zeros(0), np.zeros(0, dtype=np.int64)).medians) == 0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, PolicyError),
        ({"k": 5, "buckets": 3}, PolicyError),
        ({"k": 1}, PolicyError),
        ({"k": 0}, PolicyError),
        ({"buckets": 0}, PolicyError),
        ({"k": 5, "epsilon": 0.0}, PolicyError),
        ({"k": 5, "epsilon": 1.0}, PolicyError),
        ({"k": 5, "epsilon": float("nan")}, PolicyError),
        ({"k": 5, "delta": 0.0}, PolicyError),
        ({"k": 5, "delta": 1.5}, PolicyError),
        ({"k": 5, "show": "mean"}, PolicyError),
        ({"k": 5, "seed": -1}, PolicyError),
        ({"k": 5, "keep": ["x"]}, PolicyError),
        ({"k": 5, "keep": ["nothing"]}, PolicyError),
        ({"k": 5, "columns": ["nothing"]}, PolicyError),
        ({"k": 5, "columns": []}, PolicyError),
        ({"k": 101}, InfeasibleError),
        ({"k": 5, "columns": ["yes"]}, InputError),
        ({"k": 5, "columns": ["list"]}, InputError),
    ],
)
@pytest.mark.parametrize("passing", [False, True])
def test_bad_wishes(options, error, passing):
    table = pl.DataFrame({"x": range(100), "yes": [True] * 100, "list": [[1]] * 100})
    data = cut_up(table, 30) if passing else table
    with pytest.raises(error):
        incrowd.quantiles(data, **{"columns": ["x"], **options})


@pytest.mark.parametrize("passing", [False, True])
def test_wrong_cells_are_counted_and_not_shown(passing):
    cells = [str(i) for i in range(100)]
    cells[41], cells[70] = "secret", "hidden"
    for values, said in (
        (cells, "2 values that are not a number (first in row 42)"),
        ([*map(float, range(99)), math.inf], "1 infinite value (first in row 100)"),
    ):
        table = pl.DataFrame({"x": values})
        data = cut_up(table, 30) if passing else table
        with pytest.raises(InputError) as caught:
            incrowd.quantiles(data, columns=["x"], k=5)
        assert said in str(caught.value)
        assert "secret" not in str(caught.value)
        assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("frames", [[], [pl.DataFrame({"x": []})]])
def test_empty_streams(frames, tmp_path):
    with pytest.raises(InputError, match=r"no (batches|records)"):
        incrowd.quantiles(iter(frames), columns=["x"], k=5)
    with pytest.raises(InputError, match=r"no (batches|records)"):
        incrowd.quantiles(iter(frames), tmp_path / "o.csv", columns=["x"], k=5)
    assert not list(tmp_path.iterdir())


def test_batches_of_other_columns_are_refused():
    frames = iter([pl.DataFrame({"x": [1]}), pl.DataFrame({"y": [1]})])
    with pytest.raises(InputError, match="batch 2"):
        incrowd.quantiles(frames, columns=["x"], k=2)


def test_a_wrong_division_is_found_out(monkeypatch):
    """What a settlement says is not believed: the rows are counted."""
    from incrowd.population import buckets

    honest = buckets.join_small
    monkeypatch.setattr(buckets, "join_small", lambda sizes, k: honest(sizes, 0 * k))
    monkeypatch.setattr("incrowd.population.buckets.least_sample_count", lambda *_: 1)
    with pytest.raises(NotMetError, match="fewer than 50"):
        incrowd.quantiles(people(500), columns=["age"], k=50)
