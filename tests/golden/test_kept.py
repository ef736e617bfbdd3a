"""A release that an earlier incrowd wrote is still accepted, and refused once a cell is changed."""

import csv
import io
import json
import shutil

import pytest

from golden.keep import KEPT, VOTERS
from incrowd.cli.main import perform

NAMES = sorted(path.name for path in KEPT.iterdir())


@pytest.fixture(params=NAMES)
def kept(request, tmp_path, monkeypatch):
    shutil.copytree(KEPT / request.param, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _check(folder, *arguments):
    world = VOTERS if (folder / "world.csv").exists() else ()
    return perform(["check", "release.csv", *arguments, *world, "--json"])


def _change_a_cell(path):
    """Another value in the first column of the last row."""
    rows = list(csv.reader(io.StringIO(path.read_text())))
    rows[-1][0] = next(row[0] for row in rows[1:] if row[0] != rows[-1][0])
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def test_there_are_several():
    assert len(NAMES) >= 6


def test_it_is_accepted(kept, capfd):
    assert _check(kept, "--certificate", "release.csv.certificate.json") == 0
    assert json.loads(capfd.readouterr().out)["schema"].startswith("incrowd.check/")


def test_it_is_accepted_with_its_policy(kept, capfd):
    certificate = ("--certificate", "release.csv.certificate.json")
    assert _check(kept, *certificate, "-p", "policy.toml") == 0, capfd.readouterr().out


def test_it_is_refused_once_a_cell_is_changed(kept, capfd):
    _change_a_cell(kept / "release.csv")
    assert _check(kept, "--certificate", "release.csv.certificate.json") == 1, capfd.readouterr()
