"""Tables and releases in several Parquet files."""

import hashlib
import json
import os
import subprocess
import sys

import polars as pl
import pytest

import incrowd
from incrowd.datasets import hospital
from incrowd.engines.folders import names_several_files, parquet_files, sha256
from incrowd.errors import InputError
from incrowd.io import atomic, files
from incrowd.io.atomic import finish_killed_runs, is_pending, replace_both_at_end
from incrowd.io.tables import read


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "table.parquet"
    made.mkdir()
    for number in (1, 0, 2):
        pl.DataFrame({"a": [number, number + 10]}).write_parquet(made / f"part-{number}.parquet")
    return made


def test_a_folder_and_a_pattern_are_read_file_by_file(folder):
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").write_bytes(b"x")
    rows = [0, 10, 1, 11, 2, 12]
    assert read(folder).frame["a"].to_list() == rows
    assert read(folder).format == "parquet"
    assert read(f"{folder}/*.parquet").frame["a"].to_list() == rows
    assert read(f"{folder}/part-[01]*").frame["a"].to_list() == rows[:4]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path):
    path = tmp_path / "a[1].parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    assert not names_several_files(path)
    assert read(path).frame["a"].to_list() == [1]


def test_other_things_in_a_folder_are_refused(folder, tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no Parquet file"):
        read(tmp_path / "none")
    (folder / "notes.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match="other things"):
        read(folder)
    with pytest.raises(InputError, match="other things"):
        sha256(folder)
    (folder / "notes.csv").rename(folder / "notes.parquet")
    with pytest.raises(InputError, match="other things"):
        read(folder)
    pl.DataFrame({"b": [1]}).write_parquet(folder / "notes.parquet")
    with pytest.raises(InputError, match="different columns"):
        read(folder)
    (folder / "inner.parquet").mkdir()
    with pytest.raises(InputError, match="other things"):
        parquet_files(folder)


def test_the_digest_is_that_of_the_sorted_digests(folder):
    each = sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir())
    said = hashlib.sha256("".join(f"{line}\n" for line in each).encode()).hexdigest()
    assert sha256(folder) == files.sha256(folder) == said
    (folder / "part-0.parquet").rename(folder / "part-9.parquet")
    assert sha256(folder) == said
    (folder / "part-9.parquet").unlink()
    assert sha256(folder) != said
    file = folder / "part-1.parquet"
    assert sha256(file) == hashlib.sha256(file.read_bytes()).hexdigest()


def fill(place):
    pl.DataFrame({"a": [1]}).write_parquet(place / "part-0.parquet")


def test_a_folder_takes_its_place_with_its_certificate(tmp_path):
    target, paper = tmp_path / "release", tmp_path / "release.json"
    with replace_both_at_end(target, paper, parts=True) as (place, certificate):
        assert place.is_dir()
        assert place.stat().st_mode & 0o077 == 0
        fill(place)
        certificate.write_text("{}")
    usual = os.umask(0)
    os.umask(usual)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release", "release.json"]
    assert target.stat().st_mode & 0o777 == 0o777 & ~usual
    assert (target / "part-0.parquet").stat().st_mode & 0o777 == 0o666 & ~usual
    with (
        pytest.raises(InputError, match="exists already"),
        replace_both_at_end(target, paper, parts=True),
    ):
        pass


def test_a_folder_that_is_not_proved_goes(tmp_path):
    def fail():
        with replace_both_at_end(tmp_path / "release", tmp_path / "p", parts=True) as (place, _):
            fill(place)
            raise InputError("wrong")

    with pytest.raises(InputError, match="wrong"):
        fail()
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, sys
from pathlib import Path
from importlib import import_module
import polars as pl
atomic = import_module("incrowd.io.atomic")
folder, when = Path(sys.argv[1]), sys.argv[2]
sync = atomic.sync
def killed(path):
    sync(path)
    if when == "placed" and (folder / "release").exists():
        os._exit(9)
atomic.sync = killed
with atomic.replace_both_at_end(folder / "release", folder / "paper", parts=True) as (new, paper):
    pl.DataFrame({"a": [1]}).write_parquet(new / "part-0.parquet")
    paper.write_text("{}")
    if when == "written":
        os._exit(9)
"""


@pytest.mark.slow
@pytest.mark.parametrize("when", ["written", "placed"])
def test_what_a_killed_run_left_is_completed_or_taken_back(tmp_path, when):
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path, when], check=False)
    assert done.returncode == 9
    assert len(list(tmp_path.iterdir())) > 1
    assert is_pending(tmp_path / "release") == (when == "placed")
    finish_killed_runs(tmp_path / "release", tmp_path / "paper")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ([] if when == "written" else ["paper", "release"])


def test_a_living_run_keeps_its_folder(tmp_path):
    with replace_both_at_end(tmp_path / "release", tmp_path / "paper", parts=True) as (
        place,
        paper,
    ):
        atomic.remove_leftovers(tmp_path / "release")
        assert place.is_dir()
        fill(place)
        paper.write_text("{}")
    assert (tmp_path / "release").is_dir()


@pytest.mark.slow
def test_a_folder_is_checked_like_a_file(tmp_path):
    table = hospital(300, seed=1)
    policy = incrowd.quick(table.columns, quasi=["sex", "zip"], sensitive=["diagnosis"], k=3)
    whole = tmp_path / "whole.parquet"
    incrowd.anonymize(table, policy, whole, seed=1)
    folder = tmp_path / "release"
    folder.mkdir()
    rows = pl.read_parquet(whole)
    rows.head(100).write_parquet(folder / "part-0.parquet")
    rows.tail(-100).write_parquet(folder / "part-1.parquet")
    paper = tmp_path / "paper.json"
    said = json.loads((tmp_path / "whole.parquet.certificate.json").read_text())
    said["digest"]["sha256"] = sha256(folder)
    paper.write_text(json.dumps(said))
    found = incrowd.check(folder, policy, paper)
    assert found.digest_ok
    assert found.ok, found.notes
    command = "import sys; from incrowd.cli.main import main; main(sys.argv[1:])"
    given = [sys.executable, "-c", command, "check", folder, "--certificate", paper]
    assert subprocess.run(given, check=False, capture_output=True).returncode == 0
    rows.head(99).write_parquet(folder / "part-0.parquet")
    assert not incrowd.check(folder, policy, paper).ok
