"""Lazy frames: computed once, kept on disk, lazy again when they leave."""

import gc
import tempfile
from pathlib import Path

import polars as pl
import pytest

import incrowd
from incrowd.datasets import hospital
from incrowd.engines import elsewhere, lazy
from incrowd.engines.base import Can
from incrowd.errors import InputError

pytest.importorskip("duckdb")

QUASI = ("birth_date", "zip", "sex")


@pytest.fixture(scope="module")
def people():
    return hospital(400, seed=2)


def policy_of(people, **more):
    return incrowd.quick(
        people.columns, quasi=QUASI, sensitive=["diagnosis"], k=4, method="lattice", **more
    )


@pytest.fixture(params=[-1, lazy.FEW_RECORDS], ids=["on disk", "in memory"])
def few(request, monkeypatch):
    monkeypatch.setattr(lazy, "FEW_RECORDS", request.param)
    return request.param


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("few")
def test_a_release_is_lazy_and_what_it_was_in_memory(people):
    mine = incrowd.anonymize(people.lazy(), policy_of(people), seed=1)
    theirs = incrowd.anonymize(people, policy_of(people), seed=1)
    assert isinstance(mine.frame, pl.LazyFrame)
    assert mine.certificate.versions.keys() >= theirs.certificate.versions.keys()
    rows = mine.frame.collect()
    assert rows.columns == theirs.frame.columns
    assert sorted(rows.rows(), key=repr) == sorted(theirs.frame.rows(), key=repr)


@pytest.mark.usefixtures("few")
def test_a_frame_is_computed_once(people):
    calls = []
    given = people.lazy().map_batches(lambda rows: calls.append(len(rows)) or rows)
    incrowd.anonymize(given, policy_of(people), seed=1)
    assert calls == [len(people)]


@pytest.mark.slow
def test_the_file_lives_as_long_as_a_frame_that_reads_it(people, folder, monkeypatch):
    monkeypatch.setattr(lazy, "FEW_RECORDS", -1)
    frame = incrowd.anonymize(people.lazy(), policy_of(people), seed=1).frame
    derived = frame.filter(pl.col("sex").is_not_null()).select("zip", "diagnosis").head(7)
    del frame
    gc.collect()
    assert derived.collect().shape == (7, 2)
    assert derived.collect(engine="streaming").shape == (7, 2)
    assert list(folder.rglob("*.parquet"))
    del derived
    gc.collect()
    assert not list(folder.rglob("*"))


def test_what_is_asked_of_a_release_is_pushed_down_to_its_file(tmp_path):
    path = tmp_path / "release.parquet"
    pl.DataFrame({"^a$": [3, 1, 2], "a": ["x", None, "y"]}).write_parquet(path)
    frame = lazy.scan_kept_file(path)
    path.unlink()
    assert frame.collect_schema().names() == ["^a$", "a"]
    assert frame.filter(pl.col("a").is_null()).collect().rows() == [(1, None)]
    assert frame.select("a").head(1).collect().rows() == [("x",)]
    assert frame.select(pl.len()).collect().item() == 3
    assert frame.collect().rows() == [(3, "x"), (1, None), (2, "y")]


@pytest.mark.usefixtures("few")
def test_the_order_can_be_kept(people):
    policy = policy_of(people, order="keep")
    mine = incrowd.anonymize(people.lazy(), policy, seed=1).frame.collect()
    assert mine.equals(incrowd.anonymize(people, policy, seed=1).frame)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow", "csv.gz"])
@pytest.mark.usefixtures("few")
def test_a_release_goes_to_a_file_of_any_format(people, suffix, tmp_path):
    target, policy = tmp_path / f"release.{suffix}", policy_of(people)
    incrowd.anonymize(people.lazy(), policy, target, seed=1)
    found = incrowd.check(target, policy, f"{target}.certificate.json", original=people.lazy())
    assert found.ok, found.notes


@pytest.mark.parametrize(
    "odd",
    [
        pl.lit("a").cast(pl.Categorical),
        pl.lit(3).cast(pl.Duration("us")),
        pl.lit(None),
        pl.concat_list("zip"),
        pl.lit(0).cast(pl.Datetime("us", "Europe/Berlin")),
    ],
    ids=["categories", "durations", "no type", "lists", "zones"],
)
def test_types_that_duckdb_has_in_another_form_stay_in_memory(people, monkeypatch, odd):
    monkeypatch.setattr(lazy, "FEW_RECORDS", -1)
    frame = people.lazy().with_columns(odd.alias("odd"))
    engine = elsewhere.engine_of(frame)
    assert engine.name == "memory"
    release = incrowd.anonymize(
        frame, policy_of(frame.collect(), keep=["odd"], max_alone=1.0), seed=1
    )
    assert isinstance(release.frame, pl.LazyFrame)
    assert release.frame.collect_schema()["odd"] == frame.collect_schema()["odd"]


def test_names_that_differ_in_case_only(monkeypatch):
    monkeypatch.setattr(lazy, "FEW_RECORDS", -1)
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "A": ["x", "x", "x", "y"]})
    mine = incrowd.risk(frame.lazy(), quasi=["a", "A"])
    assert mine == incrowd.risk(frame, quasi=["a", "A"])


def test_without_duckdb_it_is_collected(people, monkeypatch):
    monkeypatch.setattr(lazy, "FEW_RECORDS", -1)
    monkeypatch.setattr(lazy, "find_spec", lambda _: None)
    engine = elsewhere.engine_of(people.lazy())
    assert engine.name == "memory"
    assert Can.ORDER in engine.can
    assert isinstance(incrowd.anonymize(people.lazy(), policy_of(people)).frame, pl.LazyFrame)


@pytest.mark.usefixtures("few")
def test_a_frame_that_fails_says_no_cell():
    frame = pl.LazyFrame({"a": ["CANARY"]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(InputError, match="computed") as caught:
        incrowd.risk(frame, quasi="a")
    assert "CANARY" not in repr((caught.value, caught.value.__context__, caught.value.__cause__))


def test_a_file_is_linked_or_copied(tmp_path, monkeypatch):
    path = tmp_path / "release.parquet"
    path.write_bytes(b"rows")

    def refuse(*_):
        raise OSError

    monkeypatch.setattr(lazy.os, "link", refuse)
    place, held = lazy.keep_file(path)
    assert place.read_bytes() == b"rows"
    assert isinstance(held.path, Path)
