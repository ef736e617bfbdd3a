"""The same as a policy file, a command and Python: byte for byte the same release."""

import io
import json
import os
import shlex
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from incrowd.datasets import hospital
from incrowd.policy import codec
from incrowd.policy.draft import to_toml
from incrowd.requests.reading import ReadingOptions
from incrowd.verbs.draft import draft
from incrowd.web import same_as
from incrowd.web.jobs import WriteHospital
from incrowd.web.session import PageSession
from incrowd.web.work import tables
from incrowd.web.work.releases import make_release
from incrowd.web.work.state import WorkerState


def tell(what, share, value=None):
    """Nobody listens."""


@pytest.fixture
def session(tmp_path):
    (tmp_path / "a folder").mkdir()
    source = tmp_path / "a folder" / "the patients' table.csv"
    rows = hospital(300)
    rows.write_csv(source, separator=";")
    found = PageSession(tmp_path / "a folder")
    found.open(source, ReadingOptions(delimiter=";"))
    found.change(codec.edit(to_toml(draft(rows)), {"search": "mondrian", "suppression": 0.02}))
    return found


def unpacked(session, folder):
    """The folder of a downloaded session."""
    with zipfile.ZipFile(io.BytesIO(same_as.zip_archive(session))) as packed:
        packed.extractall(folder)
    (found,) = folder.iterdir()
    return found


def taken(session):
    """What is at the target now, with its certificate, which says when it was made; both go."""
    target = Path(session.target)
    paper = Path(f"{target}.certificate.json")
    certificate = json.loads(paper.read_text())
    rows = target.read_bytes()
    target.unlink()
    paper.unlink()
    return rows, {key: certificate[key] for key in ("digest", "loss", "policy")}


@pytest.mark.slow
@pytest.mark.parametrize("search", [pytest.param("mondrian", marks=pytest.mark.thorough), "auto"])
def test_the_page_the_command_and_python_write_the_same_bytes(session, tmp_path, search):
    session.change(codec.edit(session.policy, {"search": search}))
    make_release(WorkerState(), session.release_job(), tell)
    ours = taken(session)
    folder = unpacked(session, tmp_path / "unpacked")
    found = {**os.environ, "PATH": os.pathsep.join([sys.exec_prefix + "/bin", os.environ["PATH"]])}
    for run in (["sh", "command.sh"], [sys.executable, "session.py"]):
        told = {"capture_output": True, "text": True}
        done = subprocess.run(run, check=False, cwd=folder, env=found, **told)
        assert done.returncode == 0, done.stderr
        assert taken(session) == ours


@pytest.mark.slow
def test_another_seed_gives_another_order(session):
    make_release(WorkerState(), session.release_job(), tell)
    first, _ = taken(session)
    session.seed += 1
    make_release(WorkerState(), session.release_job(), tell)
    second, _ = taken(session)
    assert first != second
    assert sorted(first.splitlines()) == sorted(second.splitlines())


def test_the_command_names_every_choice(session):
    session.seed, session.target = 7, "/tmp/out put.csv"
    session.report, session.sign, session.key_file = "r.html", "key.pem", "secret"
    reading = replace(session.reading, header=False, date_formats=("%d/%m/%Y", "b=%Y"), skip=2)
    session.open(session.source, reading)
    words = shlex.split(same_as.shell_command(session))
    assert words[:3] == ["incrowd", "anonymize", session.source]
    assert words[3:] == [
        *("--policy", "policy.toml", "-o", "/tmp/out put.csv", "--seed", "7"),
        *("--report", "r.html", "--sign", "key.pem", "--key-file", "secret"),
        *("--delimiter", ";", "--no-header", "--skip", "2"),
        *("--date-format", "%d/%m/%Y", "--date-format", "b=%Y"),
    ]


def test_python_names_every_choice(session):
    reading = replace(session.reading, date_formats=("birth=%d/%m/%Y",), header=True)
    session.open(session.source, reading)
    session.report, session.sign, session.key_file = 'r".html', "key.pem", "secret"
    text = same_as.python_program(session)
    compile(text, "session.py", "exec")
    assert 'reading=incrowd.Reading(delimiter=";", header=True, date_formats={"birth": ' in text
    assert 'key = Path("secret").read_bytes()' in text
    assert 'incrowd.report(release, "r\\".html", original=' in text
    assert f"seed={session.seed}" in text


def test_without_a_table_it_says_what_is_missing(tmp_path):
    empty = PageSession(tmp_path)
    assert same_as.policy_text(empty) == ""
    assert "FILE" in same_as.shell_command(empty)
    compile(same_as.python_program(empty), "session.py", "exec")


def test_hierarchy_files_are_named_in_full(session):
    tree = {"name": "file", "path": "zip.csv"}
    text = codec.edit(session.policy, {("columns", "zip", "hierarchy"): tree})
    session.change(text)
    assert str(session.folder / "zip.csv") in same_as.policy_text(session)
    assert session.policy == text


def test_no_cell_is_in_a_downloaded_session(session):
    cells = {cell for name in ("name", "ssn", "patient_id") for cell in hospital(500)[name]}
    for text in same_as.files_by_name(session).values():
        assert not [cell for cell in cells if cell in text]


def test_a_copy_that_does_not_stay_is_named_by_its_file_alone(tmp_path):
    passing = PageSession(tmp_path)
    try:
        place = passing.uploads.make_place("the people.csv")
        place.write_text("a\n1\n")
        passing.open(place)
        passing.change("version = 1\n")
        texts = same_as.files_by_name(passing)
        assert not [name for name, text in texts.items() if str(passing.private) in text]
        assert shlex.split(same_as.shell_command(passing))[2] == "the people.csv"
        assert "Put your own the people.csv beside policy.toml" in texts["README.txt"]
        assert str(tmp_path / "the people-release.csv") in texts["command.sh"]
        passing.open(tmp_path / "mine.csv")
        assert same_as.copy_note(passing) == ""
    finally:
        passing.close()


def test_the_made_up_hospital_can_be_written_again(tmp_path):
    demo = PageSession(tmp_path)
    try:
        path = demo.private / same_as.DEMO
        tables.write_hospital(WorkerState(), WriteHospital(str(path)), tell)
        demo.open(path)
        made = path.read_bytes()
        line = same_as.copy_note(demo).partition("Write it again: ")[2]
        words = [sys.executable, *shlex.split(line)[1:]]
        subprocess.run(words, cwd=tmp_path, check=True)
        assert (tmp_path / same_as.DEMO).read_bytes() == made
    finally:
        demo.close()
