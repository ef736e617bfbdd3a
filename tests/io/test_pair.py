"""A release and its certificate take their places together, whenever a process is killed."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from incrowd.errors import InputError
from incrowd.io import atomic as pair
from incrowd.io.atomic import (
    finish_killed_runs,
    is_pending,
    new_file_beside,
    replace_at_end,
    replace_both_at_end,
    replace_with_last_step,
)

CHILD = """
import os, signal, sys
from incrowd.io.atomic import replace_both_at_end

when, left, links = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "True"

def refuse(*_, **__):
    raise PermissionError(1, "no")


def aimed(name):
    honest = getattr(os, name)

    def call(*given, **more):
        global left
        left -= 1
        if left == 0 and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        done = honest(*given, **more)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(os, name, call)

with replace_both_at_end("release.csv", "papers/release.json") as (release, paper):
    release.write_text("new")
    paper.write_text("new")
    for name in ("replace", "rename", "unlink", "link", "fsync", "chmod"):
        aimed(name)
    if not links:
        os.link = refuse
"""


def child(*arguments):
    return subprocess.run([sys.executable, "-c", CHILD, *map(str, arguments)], check=False)


def write(text="old"):
    Path("papers").mkdir(exist_ok=True)
    for path in ("release.csv", "papers/release.json"):
        Path(path).write_text(text)


def replace(text="new", failure=None, paper="papers/release.json"):
    with replace_both_at_end("release.csv", paper) as made:
        for path in made:
            path.write_text(text)
        if failure is not None:
            raise failure


def held():
    return Path("release.csv").read_text(), Path("papers/release.json").read_text()


def left():
    return [str(path) for path in Path().rglob(".incrowd-*")]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write()


@pytest.mark.slow
@pytest.mark.parametrize(("when", "links"), [("before", True), ("after", True), ("after", False)])
def test_after_a_kill_at_any_moment_the_next_run_makes_the_pair_whole(when, links):
    ends = set()
    for moment in range(1, 40):
        write()
        code = child(when, moment, links).returncode
        torn = held() not in {("old", "old"), ("new", "new")}
        assert not torn or is_pending("release.csv")
        finish_killed_runs("release.csv", "papers/release.json")
        assert held() in {("old", "old"), ("new", "new")}
        assert left() == []
        assert not is_pending("release.csv")
        ends.add((held()[0], torn))
        if code == 0:
            break
    assert code == 0
    # The moments hit both outcomes, and the one between the two renames.
    assert ends == {("old", False), ("new", True), ("new", False)}


def test_a_pair_that_was_taken_back_leaves_what_was_there(monkeypatch):
    with pytest.raises(ValueError, match="no"):
        replace(failure=ValueError("no"), paper="c.json")
    assert held() == ("old", "old")
    assert left() == []
    assert not Path("c.json").exists()

    certificates_stay(monkeypatch)
    with pytest.raises(InputError):
        replace()
    assert held() == ("old", "old")
    assert left() == []
    Path("release.csv").unlink()
    with pytest.raises(InputError):
        replace()
    assert not Path("release.csv").exists()
    assert left() == []


def certificates_stay(monkeypatch):
    """No certificate can be replaced."""
    honest = Path.replace

    def refusing(self, target):
        if Path(target).name == "release.json":
            raise PermissionError(13, "no")
        return honest(self, target)

    monkeypatch.setattr(Path, "replace", refusing)


@pytest.fixture
def unlinked(monkeypatch):
    """A drive on which a file has one name: FAT, and many network drives."""

    def link(*_, **__):
        raise PermissionError(1, "no")

    monkeypatch.setattr(os, "link", link)


@pytest.mark.usefixtures("unlinked")
def test_where_a_file_has_one_name_the_old_one_comes_back_too(monkeypatch):
    replace("newer")
    assert held() == ("newer", "newer")
    assert left() == []
    certificates_stay(monkeypatch)
    with pytest.raises(InputError):
        replace()
    assert held() == ("newer", "newer")
    assert left() == []


@pytest.mark.usefixtures("unlinked")
@pytest.mark.parametrize("broken", ["copy", "digest"])
def test_a_file_that_cannot_be_kept_is_not_replaced(monkeypatch, broken):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*{"copy": (shutil, "copyfile"), "digest": (pair, "sha256")}[broken], full)
    with pytest.raises(InputError):
        replace()
    assert held() == ("old", "old")
    assert left() == []


def place_before(last, text="new"):
    with replace_with_last_step("papers/release.json") as (made, place):
        made.write_text(text)
        place(last)


def failing():
    raise ValueError("no")


@pytest.mark.parametrize("links", [True, False])
def test_a_last_step_that_fails_brings_the_old_file_back(links, request):
    if not links:
        request.getfixturevalue("unlinked")
    with pytest.raises(ValueError, match="no"):
        place_before(failing)
    assert held() == ("old", "old")
    assert left() == []
    Path("papers/release.json").unlink()
    with pytest.raises(ValueError, match="no"):
        place_before(failing)
    assert not Path("papers/release.json").exists()
    place_before(lambda: None)
    place_before(lambda: None, "newest")
    assert held() == ("old", "newest")
    assert left() == []


def test_a_folder_that_cannot_be_stored_brings_the_old_file_back(monkeypatch):
    honest, done = pair.sync, []

    def sync(path):
        if path.is_dir():
            raise OSError(5, "Input/output error")
        honest(path)

    monkeypatch.setattr(pair, "sync", sync)
    with pytest.raises(InputError):
        place_before(lambda: done.append("last"))
    assert held() == ("old", "old")
    assert left() == done == []


def test_no_other_run_comes_between_a_file_and_the_last_step():
    """It would remove the old file, which is kept beside the new one."""
    fcntl = pytest.importorskip("fcntl")

    def last():
        folder = os.open("papers", os.O_RDONLY)
        try:
            with pytest.raises(BlockingIOError):
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(folder)

    place_before(last)
    assert held() == ("old", "new")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", range(1, 4))
def test_a_request_to_stop_waits_until_both_are_there(monkeypatch, number, moment):
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    honest, calls = Path.replace, []

    def interrupted(self, target):
        done = honest(self, target)
        calls.append(target)
        if len(calls) == moment:
            os.kill(os.getpid(), number)
        return done

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace()
    assert held() == ("new", "new")
    assert left() == []
    assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    signal.signal(signal.SIGTERM, before)


def test_outside_the_main_thread_there_is_nothing_to_hold():
    done = []

    def work():
        with pair.delay_interrupts():
            done.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [1]


def test_what_a_living_process_writes_is_left_alone():
    with new_file_beside(Path("release.csv").resolve()) as made:
        finish_killed_runs("release.csv", "papers/release.json")
        with replace_at_end("release.csv") as other:
            other.write_text("other")
        assert made.exists()
    assert left() == []


def test_what_dead_processes_left_beside_another_target_is_left_alone():
    stale = [Path(f"{pair.prefix_of(Path(name))}dead.csv") for name in ("release.csv", "b.csv")]
    for path in stale:
        path.touch()
    with replace_at_end("release.csv") as made:
        made.write_text("new")
    assert [path.exists() for path in stale] == [False, True]


@pytest.mark.parametrize(
    "said",
    [
        "",
        "[]",
        '{"release": "x", "sha256": "", "certificate": "../victim", "place": "/victim"}',
        '{"release": "../victim", "sha256": "", "certificate": "victim", "place": "TMP/victim"}',
    ],
)
def test_an_intent_that_is_not_ours_moves_nothing(tmp_path, said):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "victim").write_text("kept")
    intent = folder / f"{pair.prefix_of(Path('release.csv'))}a.intent"
    intent.write_text(said.replace("TMP", str(tmp_path)))
    finish_killed_runs(folder / "release.csv", folder / "release.json")
    assert not intent.exists()
    assert (tmp_path / "victim").read_text() == "kept"
