"""Values of one column that mean missing: the same in memory and in DuckDB, and when checked."""

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.policy.policy import Column, Policy
from incrowd.table.cells import clear_own_marks
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.encode import as_missing
from incrowd.web import jobs
from incrowd.web.work import columns
from incrowd.web.work.state import WorkerState


def made(rows=400, seed=3):
    rng = np.random.default_rng(seed)
    hours = rng.integers(20, 60, rows)
    weeks = rng.integers(30, 43, rows)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "hours": np.where(rng.random(rows) < 0.2, -8, hours),
            "weeks": np.where(rng.random(rows) < 0.3, 99, weeks),
        }
    )


def asked(**own):
    roles = {"age": "quasi", "hours": "quasi", "weeks": "sensitive"}
    columns = {n: Column(role=r, missing_values=own.get(n, ())) for n, r in roles.items()}
    models = (KAnonymity(4), LDiversity("weeks", 2, kind="distinct"), TCloseness("weeks", 0.5))
    return Policy(columns=columns, models=models)


POLICY = asked(hours=("-8",), weeks=("99",))


@pytest.mark.slow
def test_they_never_merge_into_an_interval_and_leave_empty():
    frame = made()
    release = incrowd.anonymize(frame, POLICY)
    kept = release.frame
    gone = kept["hours"].null_count()
    assert gone == int((frame["hours"] == -8).sum())
    assert not kept["hours"].drop_nulls().cast(pl.String).str.contains("-8").any()
    assert set(kept["weeks"]) == set(frame["weeks"])
    assert incrowd.check(kept, POLICY, release.certificate, original=frame).ok


@pytest.mark.slow
def test_a_comparison_counts_the_losses_of_the_release():
    frame = made()
    release = incrowd.anonymize(frame, POLICY, seed=1)
    found = incrowd.compare(frame, release.frame, policy=POLICY, models=False)
    losses = found.releases[-1].losses
    assert losses["gcp"] == pytest.approx(release.loss["gcp"])
    assert losses["granularity"] == pytest.approx(release.loss["granularity"])


def test_the_page_shows_levels_without_them(tmp_path):
    made().write_csv(tmp_path / "table.csv")
    table = jobs.TableFile(str(tmp_path / "table.csv"), folder=str(tmp_path))
    job = jobs.ShowHierarchy(table, POLICY.dumps(), "hours")
    shown = columns.describe_hierarchy(WorkerState(), job, lambda *_: None)
    labels = {one.label for level in shown.levels for one in level.labels}
    assert "missing" in labels
    assert not [label for label in labels if "-" in (label or "").lstrip("[(")[:1]]


@pytest.mark.slow
def test_without_them_the_mark_is_a_number_like_any_other():
    release = incrowd.anonymize(made(), asked())
    assert release.frame["hours"].null_count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_and_databases_read_them_alike(tmp_path, suffix):
    frame = made()
    path = tmp_path / f"table{suffix}"
    frame.write_csv(path) if suffix == ".csv" else frame.write_parquet(path)
    here = incrowd.anonymize(frame, POLICY)
    there = incrowd.anonymize(path, POLICY)
    lazy = incrowd.anonymize(frame.lazy(), POLICY)
    missing = here.frame["hours"].null_count()
    for other in (there, lazy):
        table = other.frame.collect() if isinstance(other.frame, pl.LazyFrame) else other.frame
        hours = table["hours"].cast(pl.String)
        assert hours.is_null().sum() + (hours == "").sum() == missing
        assert other.k == here.k


@pytest.mark.slow
def test_the_certificate_records_them():
    record = incrowd.anonymize(made(), POLICY).certificate.policy
    assert record["columns"]["hours"]["missing_values"] == ["-8"]


@pytest.mark.parametrize(
    ("kind", "values", "listed", "left"),
    [
        (Kind.NUMBER, np.array([-8, 1, 99]), ("99", "-8.0"), [1]),
        (Kind.NUMBER, np.array([0.5, 99.0]), ("99",), [0.5]),
        (Kind.TEXT, np.array(["099", "99", "refused"], dtype=object), ("99", "refused"), ["099"]),
        (Kind.TEXT, np.array(["99.0", "9.9e1", "x"], dtype=object), ("99",), ["x"]),
        (Kind.DATE, np.array(["1900-01-01", "2020-05-05"], dtype="M8[D]"), ("1900-01-01",), None),
    ],
)
def test_codes_and_cells_agree(kind, values, listed, left):
    codes = np.arange(1, len(values) + 1, dtype=np.int32)
    found = as_missing(CodedColumn("x", codes, Domain(kind, values)), listed)
    cells = pl.DataFrame({"x": values.tolist()})
    cleared = clear_own_marks(cells, {"x": listed})["x"]
    assert cleared.is_null().to_list() == (found.codes == 0).tolist()
    if left is not None:
        assert found.domain.values.tolist() == left
