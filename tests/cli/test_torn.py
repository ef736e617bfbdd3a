"""Runs that are killed or interrupted while a release is placed: what is there is true."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from incrowd.cli.main import perform
from patients import patients

CHILD = """
import os, signal, sys
from pathlib import Path
from incrowd.cli.main import main

honest, calls = Path.replace, []

def aimed(self, target):
    done = honest(self, target)
    calls.append(target)
    if len(calls) == 2:  # the intent, then the release
        os.kill(os.getpid(), signal.SIGKILL)
    return done

Path.replace = aimed
main(sys.argv[1:])
"""
RELEASE, PAPER = "release.csv", "release.csv.certificate.json"
QUICK = ["anonymize", "patients.csv", "-q", "age,zip,sex", "-s", "diagnosis", "--method", "lattice"]
ANONYMIZE = [*QUICK, "-k", "5", "-o", RELEASE, "--quiet"]
CHECK = ["check", RELEASE, "--certificate", PAPER, "--json"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("patients.csv").write_text(patients())
    assert perform(ANONYMIZE) == 0


def killed():
    arguments = [sys.executable, "-c", CHILD, *ANONYMIZE]
    return subprocess.run(arguments, capture_output=True, check=False)


def check(capfd):
    capfd.readouterr()
    code = perform(CHECK)
    return code, json.loads(capfd.readouterr().out)


def left():
    return [path.name for path in Path().glob(".incrowd-*")]


@pytest.mark.slow
def test_a_pair_that_a_kill_tore_is_named_and_healed(capfd):
    before = Path(RELEASE).read_bytes(), Path(PAPER).read_bytes()
    assert killed().returncode == -signal.SIGKILL
    assert Path(RELEASE).read_bytes() != before[0]
    assert Path(PAPER).read_bytes() == before[1]
    code, found = check(capfd)
    assert (code, found["digest_ok"]) == (1, False)
    assert any("was killed" in note for note in found["notes"])
    assert left()
    # The next run heals even if it makes no release itself.
    assert perform([*QUICK, "-k", "10000", "-o", RELEASE]) != 0
    assert left() == []
    assert check(capfd)[0] == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", [1, 2, 3])
def test_a_request_to_stop_while_files_are_placed_says_what_was_written(
    monkeypatch, capfd, number, moment
):
    before, honest, calls = Path(RELEASE).read_bytes(), Path.replace, []

    def aimed(self, target):
        done = honest(self, target)
        calls.append(target)
        if len(calls) == moment:
            os.kill(os.getpid(), number)
        return done

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", aimed)
        capfd.readouterr()
        assert perform(ANONYMIZE) == 130
    assert "after the release and its certificate were written" in capfd.readouterr().err
    assert Path(RELEASE).read_bytes() != before
    assert check(capfd)[0] == 0
    assert left() == []


def test_an_interrupt_before_the_files_are_placed_says_that_nothing_was_written(monkeypatch, capfd):
    from incrowd import pipeline as releases

    before = Path(RELEASE).read_bytes()

    def interrupted(*_):
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(releases, "prove", interrupted)
    capfd.readouterr()
    assert perform(ANONYMIZE) == 130
    assert capfd.readouterr().err == "error: interrupted; nothing was written\n"
    assert Path(RELEASE).read_bytes() == before


def test_an_interrupt_of_the_report_says_that_the_release_is_there(monkeypatch, capfd):
    from incrowd.documents import release as texts

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(texts, "release_text", interrupted)
    capfd.readouterr()
    assert perform([word for word in ANONYMIZE if word != "--quiet"]) == 130
    assert "were written and verified" in capfd.readouterr().err
    assert perform([*QUICK, "-k", "5", "--dry-run"]) == 130
    assert "nothing was written" in capfd.readouterr().err
