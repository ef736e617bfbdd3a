"""Discovering and masking as a whole: frames, files and streams in, figures with promises out."""

import gzip
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd.api import mask
from incrowd.engines.recount import count_ratios
from incrowd.errors import InfeasibleError, InputError, NotMetError, PolicyError
from incrowd.verbs.discover import discover
from incrowd.watch import Watch

ADULT = Path(__file__).parents[2] / "../shared/data/adult/adult.data.gz"
MEASURES = ("distinct", "separation", "unique")

PEOPLE = pl.DataFrame(
    {
        "age": [20, 30, 40, 20, 40],
        "sex": ["Female", "Female", "Female", "Male", "Male"],
        "state": ["CA", "CA", "TX", "NY", "CA"],
    }
)
"""Motwani-Xu Table 1."""

TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.tuples(*[st.integers(0, 3) for _ in range(width)]), min_size=1, max_size=30
    )
)


def named(rows):
    return pl.DataFrame(rows, schema=[f"c{j}" for j in range(len(rows[0]))], orient="row")


def figures(rows, columns):
    """Distinct, separation and unique ratio, counted by hand."""
    cells = [tuple(row[j] for j in columns) for row in rows]
    n = len(cells)
    apart = sum(one != other for one, other in combinations(cells, 2))
    pairs = n * (n - 1) // 2
    return {
        "distinct": len(set(cells)) / n,
        "separation": apart / pairs if pairs else 1.0,
        "unique": sum(cells.count(cell) == 1 for cell in cells) / n,
    }


def minimal(rows, measure, ratio, most):
    width = len(rows[0])
    found = []
    for size in range(1, most + 1):
        for columns in combinations(range(width), size):
            if any(set(one) <= set(columns) for one in found):
                continue
            if figures(rows, columns)[measure] >= ratio:
                found.append(columns)
    return {tuple(f"c{j}" for j in columns) for columns in found}


def batches(frame, size):
    return (frame[start : start + size] for start in range(0, frame.height, size))


@settings(max_examples=60, deadline=None)
@given(
    rows=TABLES,
    measure=st.sampled_from(MEASURES),
    ratio=st.sampled_from([0.3, 0.5, 0.9, 1.0]),
)
def test_all_minimal_sets_with_their_figures(rows, measure, ratio):
    found = discover(named(rows), measure=measure, ratio=ratio)
    assert {one.columns for one in found.sets} == minimal(rows, measure, ratio, len(rows[0]))
    for one in found.sets:
        wanted = figures(rows, [int(name[1:]) for name in one.columns])
        assert (one.distinct, one.separation, one.unique) == pytest.approx(tuple(wanted.values()))
    sizes = [len(one.columns) for one in found.sets]
    assert (found.minimum is None) == (not sizes)
    if found.minimum is not None:
        assert len(found.minimum.columns) == min(sizes)
    assert found.guarantee.exact
    assert not found.sampled
    assert not found.partial


@settings(max_examples=30, deadline=None)
@given(rows=TABLES, measure=st.sampled_from(MEASURES), ratio=st.sampled_from([0.5, 1.0]))
def test_a_stream_that_fits_the_sample_is_exact(rows, measure, ratio):
    frame = named(rows)
    stream = discover(batches(frame, 4), measure=measure, ratio=ratio, seed=1)
    whole = discover(frame, measure=measure, ratio=ratio)
    assert [(one.columns, one.ratios) for one in stream.sets] == [
        (one.columns, one.ratios) for one in whole.sets
    ]
    assert stream.guarantee == whole.guarantee


def test_the_papers_example():
    found = discover(PEOPLE, ratio=1.0)
    assert {one.columns for one in found.sets} == {("age", "sex"), ("age", "state")}
    assert found.best.columns == ("age", "sex", "state")
    assert mask(PEOPLE, ratio=0.8, method="exact").published == ("sex", "state")
    assert len(mask(PEOPLE, ratio=0.8, measure="separation", method="exact").published) == 1


def test_max_size_limits_the_sets_and_is_said():
    frame = named([(i % 2, i // 2 % 2, i // 4 % 2) for i in range(8)])
    found = discover(frame, ratio=1.0, max_size=2)
    assert found.sets == ()
    assert found.minimum.columns == ("c0", "c1", "c2")
    assert found.guarantee.not_searched
    assert discover(frame, ratio=1.0).guarantee.not_searched == ""


def people(n):
    return pl.DataFrame(
        {
            "id": range(n),
            "zip": [i * 7919 % 211 for i in range(n)],
            "age": [i * 104_729 % 83 for i in range(n)],
            "sex": [i % 2 for i in range(n)],
        }
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_a_stream_larger_than_the_sample_says_what_it_promises(measure):
    frame = people(3_000)
    found = discover(batches(frame, 250), measure=measure, sample=600, seed=5)
    assert found.records == 3_000
    assert found.sampled
    assert not found.guarantee.exact
    assert found.guarantee.sample == 600
    assert 0 < found.guarantee.epsilon <= 1
    assert "probability 0.99" in found.promise
    assert ("id",) in {one.columns for one in found.sets}
    whole = discover(frame, measure=measure, ratio=0.01)
    assert whole.records == 3_000


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("ratio", [0.9, 1.0])
def test_batches_do_not_change_the_answer(measure, ratio):
    frame = people(2_000)
    answers = []
    for size in (33, 700, 2_000):
        found = discover(batches(frame, size), measure=measure, ratio=ratio, sample=300, seed=2)
        answers.append((found.sets, found.minimum, found.guarantee, found.promise, found.notes))
    assert answers[0] == answers[1] == answers[2]


def test_a_small_sample_names_the_size_that_would_do():
    found = discover(batches(people(3_000), 500), ratio=0.9, sample=100, seed=1)
    assert any("too small" in note and "are enough" in note for note in found.notes)


def test_a_sample_with_equal_records_promises_only_a_border():
    frame = pl.concat([people(2_000).drop("id")] * 2)
    found = discover(batches(frame, 500), ratio=0.5, sample=3_000, seed=1)
    assert found.guarantee.epsilon is None
    assert "contains one of these" in found.promise
    small = discover(batches(frame, 500), ratio=0.5, sample=20, seed=3)
    assert small.guarantee.epsilon is None or small.notes


def test_epsilon_draws_from_a_table_in_memory_and_counts_on_all_of_it():
    frame = people(30_000)
    found = discover(frame, measure="separation", epsilon=0.01, seed=1)
    assert found.ratio == 1.0
    assert not found.guarantee.exact
    assert found.guarantee.sample < 30_000
    assert not found.sampled
    for one in found.sets:
        assert one.ratios.records == 30_000
        assert one.separation >= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "epsilon"), [("distinct", 0.1), ("separation", 0.05)])
def test_promises_are_kept_over_many_seeds(measure, epsilon):
    frame = people(4_000).with_columns(pl.col("id") // 2)
    broken = 0
    for seed in range(60):
        found = discover(frame, measure=measure, epsilon=epsilon, delta=0.1, seed=seed)
        broken += any(getattr(one, measure) < 1 - epsilon for one in found.sets)
    assert broken <= 12


def test_populations_test_the_number_of_values():
    found = discover(PEOPLE, ratio=1.0, population="usa")
    assert len(found.tests) == len(found.sets)
    assert all(test.population > 3e8 for test in found.tests)
    assert all(test.possible and test.key for test in found.tests)
    assert all(test.possible for test in discover(PEOPLE, ratio=1.0, population=2).tests)


def test_a_column_like_an_ssn_may_identify_people_of_any_population():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"ssn": rng.choice(10**7, 5_000, replace=False)}).with_columns(
        sex=pl.Series(rng.integers(0, 2, 5_000))
    )
    for options in ({}, {"source": "observed"}, {"domains": {"ssn": 1e9}}, {"alpha": 0.9}):
        found = discover(frame, population="usa", **options)
        assert [one.columns for one in found.sets] == [("ssn",)]
        assert found.tests[0].possible
        assert found.tests[0].verdict.startswith("possibly")
    declared = discover(frame, population="usa", domains={"ssn": 1e9}).tests[0]
    assert (declared.source, declared.distinct) == ("declared", 1e9)
    assert declared.share == pytest.approx(math.exp(-0.34))


def test_few_possible_values_are_no_quasi_identifier():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"age": rng.integers(0, 90, 500), "ward": rng.integers(0, 8, 500)})
    found = discover(frame, ratio=0.1, population="usa")
    assert not any(test.possible for test in found.tests)
    assert {test.source for test in found.tests} == {"estimated"}
    assert all(test.distinct < 10**5 for test in found.tests)


def test_columns_are_explained():
    found = discover(people(500).drop("id"), ratio=0.5, explain=["zip"])
    (one,) = found.explanations
    assert one.column == "zip"
    assert one.alone.records == 500
    assert one.together.unique >= one.without.unique
    assert "zip" in one.among
    uniques = [level.ratios.unique for level in one.coarser]
    assert uniques == sorted(uniques, reverse=True)
    assert one.coarser[0].values == 211
    assert one.coarser[-1].values == 1


def test_duplicates_are_counted_and_can_be_dropped():
    frame = pl.concat([PEOPLE, PEOPLE[:2]])
    found = discover(frame, ratio=1.0)
    assert found.sets == ()
    assert found.minimum is None
    assert any("4 records equal another" in note for note in found.notes)
    assert any("0.714286" in note for note in found.notes)
    assert discover(frame, ratio=1.0, drop_duplicates=True).found == 2


def test_constant_columns_are_of_no_help():
    found = discover(PEOPLE.with_columns(pl.lit(1).alias("same")), ratio=1.0)
    assert any("same" in note for note in found.notes)
    assert all("same" not in one.columns for one in found.sets)


def test_one_column_one_record():
    assert discover(pl.DataFrame({"a": [1, 1, 2]}), ratio=0.6).sets[0].columns == ("a",)
    assert discover(pl.DataFrame({"a": [1]}), ratio=1.0).found == 1


def many_columns(n, width):
    """Columns of three values each that have little to do with each other."""
    noise = np.random.default_rng(3).integers(0, 3, (width, n))
    return pl.DataFrame({f"c{j:02}": line for j, line in enumerate(noise)})


@pytest.mark.slow
def test_many_columns_are_limited_and_said():
    found = discover(many_columns(500, 40), ratio=0.9, time_limit=5)
    assert found.sets == ()
    assert found.minimum is not None
    assert found.guarantee.not_searched
    few = discover(many_columns(500, 40), ratio=0.02, time_limit=5)
    assert few.found
    assert all(len(one.columns) <= 3 for one in few.sets)


WRONG = {
    "ratio-0": {"ratio": 0.0},
    "ratio-2": {"ratio": 2.0},
    "ratio-nan": {"ratio": float("nan")},
    "measure": {"measure": "separate"},
    "column": {"columns": ["agee"]},
    "no-columns": {"columns": []},
    "size": {"max_size": 0},
    "epsilon": {"epsilon": 1.0},
    "delta": {"delta": 0.0},
    "both": {"exact": True, "epsilon": 0.1},
    "population": {"population": "usb"},
    "people": {"population": 0.0},
    "alpha": {"population": 9, "alpha": 1.5},
    "source": {"population": 9, "source": "guessed"},
    "source without population": {"source": "observed"},
    "domain without population": {"domains": {"age": 9}},
    "domain of no column": {"population": 9, "domains": {"agee": 9}},
    "domain of nothing": {"population": 9, "domains": {"age": 0}},
    "undeclared": {"population": 9, "source": "declared", "ratio": 0.5},
    "explain": {"explain": ["agee"]},
    "seconds": {"time_limit": float("nan")},
    "seconds-below-0": {"time_limit": -1.0},
    "seed": {"seed": -1, "epsilon": 0.1},
    "sample": {"sample": 0},
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requests_are_refused(name):
    with pytest.raises(PolicyError):
        discover(PEOPLE, **WRONG[name])


def test_columns_are_named_by_any_sequence_or_alone():
    first, second = PEOPLE.columns[:2]
    both, one = [first, second], [second]
    assert incrowd.risk(PEOPLE, quasi=iter(both)) == incrowd.risk(PEOPLE, quasi=both)
    assert incrowd.risk(PEOPLE, quasi=second) == incrowd.risk(PEOPLE, quasi=one)
    assert discover(PEOPLE, columns=iter(both)).best == discover(PEOPLE, columns=both).best
    assert discover(PEOPLE, columns=second, explain=second).best.columns == (second,)
    asked = {"population": 1e6, "k": 5, "beta": 0.1}
    assert incrowd.plan(PEOPLE, second, **asked) == incrowd.plan(PEOPLE, one, **asked)


def test_what_is_to_be_explained_must_be_looked_at():
    first, second = PEOPLE.columns[:2]
    with pytest.raises(PolicyError, match="not among the columns to look at"):
        discover(PEOPLE, columns=[first], explain=[second])


def test_wrong_tables_are_refused():
    with pytest.raises(InputError, match="no records"):
        discover(PEOPLE[:0])
    with pytest.raises(InputError, match="no records"):
        discover(iter([PEOPLE[:0]]))
    with pytest.raises(InputError, match="no batch"):
        discover(iter([]))
    with pytest.raises(InputError, match="cannot read a table"):
        discover(17)
    with pytest.raises(PolicyError, match="pass once"):
        discover(iter([PEOPLE]), exact=True)
    with pytest.raises(PolicyError, match="did you mean 'age'"):
        discover(iter([PEOPLE]), ["agee"])


def test_files_of_every_kind(tmp_path, monkeypatch):
    frame = people(400).cast(pl.String)
    wanted = discover(frame, ratio=0.95)
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    for large in (2**28, 10):
        monkeypatch.setattr("incrowd.verbs.tables.LARGE", large)
        for name in ("t.csv", "t.parquet"):
            found = discover(tmp_path / name, ratio=0.95)
            assert [one.columns for one in found.sets] == [one.columns for one in wanted.sets]
            assert found.records == 400


class Stopped(Watch):
    """A watch that is up after it was looked at so many times."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    @property
    def expired(self):
        self.looks -= 1
        return self.looks < 0


def test_a_search_that_is_stopped_is_partial():
    frame = many_columns(200, 16)
    found = discover(frame, ratio=0.9, watch=Stopped(0))
    assert found.partial
    assert found.minimum is not None or found.sets == ()


def test_a_stream_that_is_stopped_tells_what_went_by():
    found = discover(batches(people(1_000), 100), watch=Stopped(3), sample=50, seed=1)
    assert found.partial
    assert 100 <= found.records < 1_000
    assert any("until then" in note for note in found.notes)


@settings(max_examples=40, deadline=None)
@given(rows=TABLES, measure=st.sampled_from(MEASURES), ratio=st.sampled_from([0.3, 0.8, 1.0]))
def test_masks_keep_their_ratio(rows, measure, ratio):
    frame = named(rows)
    try:
        found = mask(frame, measure=measure, ratio=ratio)
    except InfeasibleError:
        assert all(figures(rows, [j])[measure] > ratio for j in range(len(rows[0])))
        return
    places = [int(name[1:]) for name in found.published]
    assert found.ratio == pytest.approx(figures(rows, places)[measure])
    assert found.ratio <= ratio
    assert found.frame.columns == list(found.published)
    assert sorted(found.frame.rows()) == sorted(tuple(row[j] for j in places) for row in rows)
    assert set(found.published) | set(found.withheld) == set(frame.columns)


def test_masks_keep_and_drop_columns():
    found = mask(people(200), ratio=0.9, keep=["sex"], drop=["zip"], weights={"age": 3})
    assert "sex" in found.published
    assert {"zip", "id"} <= set(found.withheld)
    assert found.utility == 4
    assert any("not anonymization" in note for note in found.notes)


def test_rows_are_shuffled_unless_their_order_is_kept():
    frame = people(300)
    one, other, third = (mask(frame, ratio=0.9, seed=seed).frame for seed in (1, 1, 2))
    assert one.equals(other)
    assert not one.equals(third)
    kept = mask(frame, ratio=0.9, keep_order=True)
    assert kept.frame.equals(frame.select(kept.published))
    assert any("order" in note for note in kept.notes)


def test_masked_frames_are_of_the_kind_that_came():
    pandas = pytest.importorskip("pandas")
    arrow = pytest.importorskip("pyarrow")
    table = PEOPLE.to_dict(as_series=False)
    for frame in (pandas.DataFrame(table), arrow.table(table)):
        found = mask(frame, ratio=0.8, method="exact")
        assert type(found.frame) is type(frame)
        assert found.published == ("sex", "state")


def test_files_are_counted_after_they_were_written(tmp_path, monkeypatch):
    people(200).write_csv(tmp_path / "t.csv")
    target = tmp_path / "published.csv"
    found = mask(tmp_path / "t.csv", target, ratio=0.9)
    rows = pl.read_csv(target, infer_schema=False)
    assert rows.columns == list(found.published)
    assert rows.n_unique() / 200 == found.ratio
    before = target.read_bytes()
    monkeypatch.setattr("incrowd.verbs.mask.tables.write", spoiled)
    with pytest.raises(NotMetError):
        mask(tmp_path / "t.csv", target, ratio=0.9)
    assert target.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["published.csv", "t.csv"]


def spoiled(frame, path, like=None):  # noqa: ARG001  as the real one
    frame.with_columns(pl.int_range(pl.len()).alias(frame.columns[0])).write_csv(path)


def test_texts_are_compared_as_they_are_written(tmp_path):
    """1 and 1.0 are one number and two texts: whoever sees the file can tell them apart."""
    text = "a,b\n" + "1,x\n1.0,x\n01,x\n1,y\n" * 5
    (tmp_path / "t.csv").write_text(text)
    found = mask(tmp_path / "t.csv", tmp_path / "out.csv", ratio=0.1)
    assert found.published == ("b",)


def test_wrong_masks_are_refused(tmp_path):
    with pytest.raises(InfeasibleError, match="no column can be published"):
        mask(people(50).select("id"), ratio=0.5)
    with pytest.raises(InfeasibleError, match="must be published"):
        mask(people(50), ratio=0.5, keep=["id"])
    for wrong in (
        {"ratio": 0},
        {"ratio": 1.5},
        {"ratio": 0.5, "measure": "x"},
        {"ratio": 0.5, "method": "best"},
        {"ratio": 0.5, "keep": ["agee"]},
        {"ratio": 0.5, "drop": ["sex"], "keep": ["sex"]},
        {"ratio": 0.5, "weights": {"sex": 0}},
        {"ratio": 0.5, "sample": 10},
        {"ratio": 0.5, "delta": 2},
        {"ratio": 0.5, "method": "sampled", "sample": 3},
    ):
        with pytest.raises(PolicyError):
            mask(people(50), **wrong)
    with pytest.raises(InputError, match="no records"):
        mask(people(5)[:0], ratio=0.5)
    people(9).write_csv(tmp_path / "t.csv")
    with pytest.raises(PolicyError, match="overwrite"):
        mask(tmp_path / "t.csv", tmp_path / "t.csv", ratio=0.5)
    with pytest.raises(PolicyError, match="standard output"):
        mask(tmp_path / "t.csv", "-", ratio=0.5)


@given(rows=TABLES)
@settings(max_examples=30, deadline=None)
def test_recounting_agrees_with_counting_by_hand(rows):
    found = count_ratios(named(rows))
    wanted = figures(rows, range(len(rows[0])))
    assert (found.distinct_ratio, found.separation_ratio, found.unique_ratio) == pytest.approx(
        tuple(wanted.values())
    )


def test_results_show_no_values():
    frame = pl.DataFrame({"a": ["secret1", "secret2"], "b": ["secret3", "secret3"]})
    assert "secret" not in repr(discover(frame, explain=["a"], population=9))
    assert "secret" not in repr(mask(frame, ratio=0.5))


def test_drafts_tell_the_company_in_which_a_column_identifies():
    n = 400
    frame = pl.DataFrame(
        {"zip": [f"{10_000 + i % 20}" for i in range(n)], "age": [20 + i // 20 for i in range(n)]}
    )
    reasons = incrowd.draft(frame).reasons
    assert "with age it singles out 100 % of the records" in reasons["zip"]
    assert "with zip it singles out 100 % of the records" in reasons["age"]


NAMES = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours", "native-country"),
    "income",
)


@pytest.fixture(scope="module")
def adult():
    data = gzip.decompress(ADULT.read_bytes()).strip() + b"\n"
    return pl.read_csv(data, has_header=False, infer_schema=False, new_columns=NAMES)


@pytest.mark.slow
@pytest.mark.skipif(not ADULT.exists(), reason="the folder ../shared/data is not there")
def test_facts_of_adult(adult):
    fourteen = adult.drop("fnlwgt")
    found = discover(fourteen, ratio=1.0, drop_duplicates=True)
    assert found.records == 29_096
    assert [len(one.columns) for one in found.sets] == [13, 13]
    assert discover(adult, ratio=0.9).found == 56
    assert discover(adult, ratio=0.999, measure="separation").found == 251
    assert len(mask(fourteen, ratio=0.5).published) == 12
    assert set(mask(fourteen, ratio=0.8, measure="separation").published) == {
        "capital-loss",
        "capital-gain",
        "native-country",
        "race",
        "income",
    }


def crossed(seed=3):
    """Three columns of 200 values each: two of them leave together one pair in 40,000."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame({name: rng.integers(0, 200, 20_000) for name in "abc"})


def test_a_separation_key_by_pairs_is_as_small_from_memory_as_from_a_stream():
    """Motwani-Xu Section 2.3.2: all drawn pairs, not all drawn records, must be told apart."""
    frame = crossed()
    asked = {"measure": "separation", "epsilon": 0.001, "seed": 1}
    stored = discover(frame, **asked)
    passing = discover(batches(frame, 7_000), sample=19_000, **asked)

    for found in (stored, passing):
        assert len(found.minimum.columns) == 2
        assert " pairs of " in found.minimum.guarantee.searched
        reached = count_ratios(frame.select(found.minimum.columns)).separation_ratio
        assert reached >= 1 - found.minimum.guarantee.epsilon
    assert len(stored.sets) == 1


def test_theorem_8_gives_a_small_set_of_nearly_the_ratio():
    """Motwani-Xu Section 2.5, from memory and from a stream, with what it promises."""
    frame = crossed().with_columns(pl.col("c") // 20)
    pairs = math.ceil(16 / (0.95 * 0.04**2) * math.log(8 / 0.01))
    asked = {"measure": "separation", "ratio": 0.95, "delta": 0.01, "seed": 2}
    found = discover(frame, epsilon=0.04, **asked)

    promised = found.minimum.guarantee
    assert (len(found.minimum.columns), promised.sample) == (1, pairs)
    assert promised.epsilon == pytest.approx(0.04, abs=1e-5)
    assert "at least 0.912" in promised.searched
    assert "times as many columns as the smallest set that separates 0.95" in promised.searched
    found = discover(batches(frame, 7_000), sample=19_000, **asked)
    assert found.minimum.guarantee.sample == 19_000
    assert len(found.minimum.columns) == 1


def test_pairs_that_show_no_set_of_the_ratio_name_none():
    """Equal records: no set separates as many of the pairs, and none is called the smallest."""
    frame = pl.DataFrame({"a": [1] * 900 + [2] * 100, "b": [1] * 1_000})
    found = discover(iter([frame]), measure="separation", ratio=0.5, sample=999, seed=1)
    assert (found.found, found.minimum) == (0, None)


@pytest.mark.parametrize("ratio", [0.01, 0.2, 1.0])
@pytest.mark.parametrize("rows", [1, 5])
def test_the_cheapest_set_has_a_column(ratio, rows):
    """Also where no column is needed to reach the ratio."""
    frame = PEOPLE.head(rows)
    for weights in ({"age": 5}, None):
        for measure in MEASURES:
            found = discover(frame, measure=measure, ratio=ratio, weights=weights)
            assert found.minimum is not None
            assert found.minimum.columns
    found = discover(frame, ratio=0.01, weights={"age": 5, "sex": 3, "state": 2})
    assert (found.minimum.columns, found.minimum.cost) == (("state",), 2.0)


def test_the_smallest_set_by_pairs_has_a_column_where_all_records_are_equal():
    frame = pl.DataFrame({"a": [1] * 500, "b": [2] * 500})
    found = discover(iter([frame]), measure="separation", ratio=1.0, sample=100, seed=1)
    assert found.minimum.columns == ("a",)
