"""Private folders: what a killed run left is removed by the next, what lives stays."""

import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
import pytest

import incrowd
from incrowd.engines.private_folders import PrivateFolder, private_folder, remove_orphans
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy

pytest.importorskip("fcntl")
KILLED = """
import os, signal
from incrowd.engines.private_folders import PrivateFolder
folder = PrivateFolder()
(folder.path / "table.parquet").write_text("cells")
print(folder.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def left(scratch):
    """The folder of a run that was killed."""
    ended = subprocess.run(
        [sys.executable, "-c", KILLED],
        env={"TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
    )
    folder = Path(ended.stdout.strip())
    assert (folder / "table.parquet").exists()
    return folder


def test_the_next_folder_removes_those_of_killed_runs(left):
    living = PrivateFolder()
    assert not left.exists()
    remove_orphans()
    assert living.path.exists()
    assert living.path.stat().st_mode & 0o077 == 0
    living.remove()
    assert not living.path.exists()


def test_the_next_release_removes_them(left):
    frame = pl.DataFrame({"age": [1, 1, 2, 2]})
    asked = Policy(columns={"age": Column(role="quasi")}, models=(KAnonymity(2),))
    incrowd.anonymize(frame, asked)
    assert not left.exists()


def test_folders_of_others_stay(scratch):
    (scratch / "incrowd-kernels-7").mkdir()
    (scratch / "elsewhere").mkdir()
    remove_orphans()
    assert len(list(scratch.iterdir())) == 2


def test_a_folder_goes_with_its_block():
    with private_folder() as path:
        (path / "inner").mkdir()
        (path / "inner" / "file").write_text("x")
    assert not path.exists()
