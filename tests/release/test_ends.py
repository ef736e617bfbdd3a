"""What labels tell about who is in a class: ends, sets, and what they cost."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
import naive.cells as naive
from incrowd.errors import PolicyError
from incrowd.hierarchy import Flat, Intervals, Tree
from incrowd.hierarchy.labels import reach_of, read_bounds
from incrowd.hierarchy.pools import pools_of
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy
from incrowd.table.column import Domain, Kind

WHOLE = Domain(Kind.NUMBER, np.arange(2))


def policy(k=5, *, columns, **more):
    return Policy(columns=columns, models=(KAnonymity(k),), **more)


def quasi(*names, **details):
    return {name: Column(role="quasi", **details) for name in names}


def shown(frame, asked, name):
    return incrowd.anonymize(frame, asked, seed=1).frame[name].cast(pl.String).unique().to_list()


def skewed(rows, seed):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "income": np.round(np.exp(rng.normal(9, 1, rows))).astype(np.int64),
            "sex": rng.integers(0, 2, rows).astype(str),
        }
    )


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9), st.sampled_from(["crowd", "mondrian", "hilbert"]))
def test_every_end_is_that_of_a_round_interval_with_a_crowd(seed, k, search):
    frame = skewed(120, seed)
    asked = policy(k, columns=quasi("income", "sex"), search=search)
    ends = naive.round_ends(frame["income"].to_list(), k)
    for label in shown(frame, asked, "income"):
        bounds = read_bounds(label)
        said = [label] if bounds is None else [bounds.low, bounds.high]
        assert label == "*" or {int(end) for end in said if end is not None} <= ends


@pytest.mark.slow
@pytest.mark.parametrize("search", ["auto", "crowd", "mondrian", "tree", "hilbert", "cuts"])
def test_an_outlier_shows_nowhere(search):
    frame = skewed(400, 3).with_columns(
        born=pl.date(1950, 1, 1) + pl.duration(days=7 * pl.int_range(400))
    )
    frame = frame.vstack(
        pl.DataFrame(
            {"income": [9_999_999], "sex": ["1"], "born": [dt.date(1871, 3, 4)]},
            schema=frame.schema,
        )
    )
    asked = policy(columns=quasi("income", "sex", "born"), search=search)
    released = incrowd.anonymize(frame, asked, seed=1).frame.cast(pl.String)
    assert not [label for label in released["income"] if "9999999" in label]
    assert not [label for label in released["born"] if "1871" in label]


def test_exact_ends_are_there_on_request_and_the_certificate_says_what_they_give_away():
    frame = skewed(200, 5)
    asked = policy(columns=quasi("income", "sex"), ends="exact", search="crowd")
    found = incrowd.anonymize(frame, asked, seed=1)
    values = {str(value) for value in frame["income"].to_list()}
    ends = [read_bounds(label) for label in found.frame["income"].cast(pl.String).to_list()]
    assert all({b.low, b.high} <= values for b in ends if b is not None)
    assert any("only one person has such a value" in line for line in found.certificate.assumptions)
    aligned = incrowd.anonymize(frame, asked.model_copy(update={"ends": "aligned"}), seed=1)
    assert not any("exact values" in line for line in aligned.certificate.assumptions)


@pytest.mark.slow
def test_a_declared_grid_gives_few_labels():
    rng = np.random.default_rng(7)
    frame = pl.DataFrame({"age": rng.integers(17, 91, 2_000), "zip": rng.integers(0, 40, 2_000)})
    many = shown(frame, policy(columns=quasi("age", "zip")), "age")
    asked = policy(columns={**quasi("age", grid=10), **quasi("zip")})
    few = shown(frame, asked, "age")
    assert len(few) < len(many) / 3
    for label in few:
        ends = [end for end in reach_of(label, WHOLE) or () if np.isfinite(end)]
        assert all(end % 10 in {0, 9} for end in ends)


def test_grids_that_would_change_nothing_are_refused():
    frame = pl.DataFrame({"town": ["a", "b"] * 20, "age": [*range(40)]})
    for columns, more in (
        ({**quasi("town", grid=5), **quasi("age")}, {}),
        ({**quasi("town"), **quasi("age", grid="month")}, {}),
        ({**quasi("town"), **quasi("age", grid=5)}, {"ends": "exact"}),
    ):
        with pytest.raises(PolicyError, match="grid"):
            incrowd.anonymize(frame, policy(columns=columns, **more))


def test_a_label_is_charged_for_what_it_says():
    values = [*range(0, 83_000, 1_000), 83_333]
    spec = Intervals(width=2_000)
    frame = pl.DataFrame({"x": values * 5})
    asked = policy(columns={"x": Column(role="quasi", hierarchy=spec, lowest=1)}, search="lattice")
    found = incrowd.anonymize(frame, asked, seed=1)
    assert found.levels == {"x": 1}
    whole = 83_333
    last = (83_333 - 82_000) / whole
    expected = (82 * 1_999 / whole + 2 * last) / 84
    assert found.loss["gcp"] == pytest.approx(expected)
    wide = {"x": Column(role="quasi", hierarchy=Intervals(widths=(2_000,)), lowest=1)}
    apart = pl.DataFrame({"x": [*range(0, 100_000, 5_000)] * 5})
    single = incrowd.anonymize(apart, policy(columns=wide, search="lattice"), seed=1)
    assert single.loss["gcp"] == pytest.approx((19 * 1_999 + 1_000) / 20 / 95_000)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_ends_leave_as_two_columns_that_check_reads(tmp_path, monkeypatch, suffix):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(9)
    frame = pl.DataFrame(
        {
            "age": [*rng.integers(17, 91, 199).tolist(), None],
            "born": [
                dt.date(1950, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 9_999, 200)
            ],
            "ratio": rng.normal(0, 1, 200),
            "sex": rng.integers(0, 2, 200).astype(str),
        }
    )
    frame.write_parquet("t.parquet")
    asked = policy(columns=quasi(*frame.columns), split_ends=True)
    found = incrowd.anonymize("t.parquet", asked, f"r.{suffix}", seed=1)
    read = pl.read_csv("r.csv") if suffix == "csv" else pl.read_parquet("r.parquet")
    ends = [f"{name}_{end}" for name in ("age", "born", "ratio") for end in ("low", "high")]
    assert read.columns == ["sex", *ends]
    assert found.frame["age_low"].dtype == pl.Int64
    groups = read.group_by(read.columns).len()
    assert groups["len"].min() >= 5
    assert incrowd.check(f"r.{suffix}", asked, f"r.{suffix}.certificate.json").ok
    assert incrowd.check(f"r.{suffix}", asked).ok
    whole = incrowd.check(f"r.{suffix}", None, f"r.{suffix}.certificate.json", original="t.parquet")
    assert whole.ok
    assert "gcp" in whole.losses
    more = {**asked.columns, "age_low": Column(role="keep")}
    asked = asked.model_copy(update={"columns": more})
    with pytest.raises(PolicyError, match="age_low"):
        incrowd.anonymize(frame.with_columns(age_low=pl.lit(1)), asked)


def test_extents_are_those_of_labels_for_every_recoding():
    frame = skewed(150, 8)
    for search in ("crowd", "lattice", "cuts", "lattice+local"):
        found = incrowd.anonymize(
            frame, policy(columns=quasi("income", "sex"), search=search), seed=1
        )
        income = frame["income"]
        low, high = income.min(), income.max()
        paid = []
        for label, sex in found.frame.cast(pl.String).rows():
            said = reach_of(label, WHOLE) or (low, high)
            share = (min(said[1], high) - max(said[0], low)) / (high - low)
            paid.append((1.0 if label == "*" else share) / 2 + (sex == "*") / 2)
        assert found.loss[Gcp().name] == pytest.approx(sum(paid) / len(paid), abs=1e-12)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["crowd", "mondrian", "hilbert"]))
def test_cells_cover_values_of_people_who_count_for_another(seed, search):
    """Whoever has several records counts for one value; cells cover the others, too."""
    rng = np.random.default_rng(seed)
    sizes = "ABCDEFGHIJ"
    frame = pl.DataFrame(
        {
            "size": rng.choice(list(sizes), 30),
            "age": rng.choice([1, 2, 3, 40, 41, 77, 90, 91], 30),
            "who": rng.integers(0, 12, 30),
        }
    )
    ordered = {"name": "ordered", "values": tuple(sizes)}
    columns = quasi("size", hierarchy=ordered) | quasi("age") | {"who": Column(role="unit")}
    asked = policy(4, columns=columns, search=search)
    assert incrowd.anonymize(frame, asked, seed=1).k >= 4


def test_a_value_of_somebody_who_counts_for_another_is_pooled():
    towns = Flat().build(Domain(Kind.TEXT, np.array(["a", "b", "z"], dtype=object)), "town")
    people, present = np.array([0, 5, 6, 0]), np.array([0, 5, 6, 1])
    pools = pools_of(towns, people, 3, present)
    assert pools.labels.tolist() == [None, "b", None]
    assert pools.of.tolist() == [0, 2, 1, 2]


def recounted(frame, asked):
    """A check of an honest release against its original."""
    release = incrowd.anonymize(frame, asked, seed=1)
    return incrowd.check(release.frame, asked, release.certificate, original=frame)


def test_steps_between_whole_numbers_are_charged_for_the_whole_numbers_inside():
    frame = pl.DataFrame({"age": [i // 3 for i in range(60)]})
    found = recounted(frame, policy(2, columns=quasi("age", grid=0.7)))
    assert found.ok
    assert found.losses["gcp"][0] == found.losses["gcp"][1] == 0


def test_quarters_are_charged_and_split_as_whole_quarters():
    days = [dt.date(2020, 1, 4) + dt.timedelta(i * 11) for i in range(60)]
    frame = pl.DataFrame({"day": days})
    columns = quasi("day", hierarchy={"name": "dates", "steps": ("quarter",)}, lowest=1)
    found = recounted(frame, policy(5, columns=columns))
    assert found.ok
    assert found.losses["gcp"][0] == pytest.approx(found.losses["gcp"][1])
    split = incrowd.anonymize(frame, policy(5, columns=columns, split_ends=True), seed=1).frame
    assert set(split["day_low"].dt.day()) == {1}


def test_moments_are_split_where_days_end():
    start = dt.datetime(2020, 1, 1)  # noqa: DTZ001  as tables hold them
    frame = pl.DataFrame({"at": [start + dt.timedelta(hours=7 * i) for i in range(60)]})
    columns = quasi("at", hierarchy={"name": "dates", "steps": ("day",)}, lowest=1)
    assert recounted(frame, policy(5, columns=columns, split_ends=True)).ok


def test_the_level_of_a_label_is_that_of_all_it_may_stand_for():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"a": rng.integers(0, 348, 240), "b": rng.integers(0, 5, 240)})
    columns = quasi("a", grid=20.0) | quasi("b")
    found = recounted(frame, policy(2, columns=columns, search="hilbert"))
    assert found.ok
    assert found.losses["precision"][0] == pytest.approx(found.losses["precision"][1])


@pytest.mark.parametrize("split", [True, False])
def test_losses_are_not_recounted_where_a_cell_has_two_readings(split):
    """An empty cell of two columns of ends, or a literal `*`, may be suppressed or not."""
    rng = np.random.default_rng(1)
    ages = [None if i % 4 == 0 else int(a) for i, a in enumerate(rng.integers(0, 90, 80))]
    town = rng.choice(["a", "b", "*" if not split else "c"], 80)
    frame = pl.DataFrame({"age": ages, "town": town})
    columns = quasi("age") | quasi("town", hierarchy="flat")
    found = recounted(frame, policy(20, columns=columns, split_ends=split))
    assert found.ok
    assert "loss.gcp" in found.claimed


def test_fractions_beyond_whole_floats_end_on_round_numbers():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"mass": rng.normal(1, 0.5, 80) * 1e17})
    labels = shown(frame, policy(5, columns=quasi("mass")), "mass")
    assert max(len(label) for label in labels) < 24


@pytest.mark.parametrize("steps", [("year", "10 years"), ("month", "quarter", "year"), ("day",)])
@pytest.mark.parametrize("hours", [24, 7])
def test_moments_at_midnight_and_the_ends_of_years_are_covered(steps, hours):
    start = dt.datetime(2020, 1, 1)  # noqa: DTZ001  as tables hold them
    rng = np.random.default_rng(1)
    when = [start + dt.timedelta(hours=hours * int(i)) for i in rng.integers(0, 900, 400)]
    columns = quasi("at", hierarchy={"name": "dates", "steps": steps})
    for k in (2, 5):
        assert recounted(pl.DataFrame({"at": when}), policy(k, columns=columns)).ok


def test_attacks_read_ends_that_stand_in_two_columns():
    frame = skewed(300, 4)
    asked = policy(columns=quasi("income", "sex"), order="keep")
    whole = incrowd.anonymize(frame, asked, seed=1)
    split = incrowd.anonymize(frame, asked.model_copy(update={"split_ends": True}), seed=1)
    found = [incrowd.attack(one.frame, original=frame, max_size=2) for one in (whole, split)]
    one, two = ({(a.kind, frozenset(a.knows)): a.success for a in f.attacks} for f in found)
    assert one.keys() == two.keys()
    assert {"income", "sex"} in [knows for _, knows in two]
    assert all(two[key] == pytest.approx(rate) for key, rate in one.items())


def test_classes_that_show_nothing_of_a_column_are_one_whatever_they_hold():
    """One class lacks some values, another holds all of the only cell: both show '*'."""
    frame = pl.DataFrame({"x": [1, 2, 3, None, None, 4] * 4, "y": ["a", "b"] * 12})
    asked = policy(12, columns=quasi("x", "y"), search="mondrian")
    found = incrowd.anonymize(frame, asked, seed=1)
    shown = found.frame.cast(pl.String).n_unique()
    assert found.certificate.classes == shown
    checked = incrowd.check(found.frame, asked, found.certificate, original=frame)
    assert checked.ok, checked.notes


@pytest.mark.parametrize(
    ("search", "split"),
    [("mondrian", False), ("mondrian", True), ("crowd", False), ("lattice", False)],
)
def test_a_cell_that_holds_all_shows_the_top_by_its_own_word(search, split):
    tree = Tree(rows=(("1", "low", "all"), ("2", "low", "all"), ("3", "high", "all")))
    table = pl.DataFrame({"level": [1, 1, 1, 2, 2, 3, 3]})
    asked = policy(columns=quasi("level", hierarchy=tree), search=search, split_ends=split)
    release = incrowd.anonymize(table, asked)
    name, nothing = ("level_low", None) if split else ("level", "all")
    assert release.frame[name].unique().to_list() == [nothing]
    assert release.loss["gcp"] == 1.0
    assert incrowd.check(release.frame, asked, release.certificate).ok
