"""A release and its certificate take their places together, whenever a process is killed."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from incrowd.errors import InputError
from incrowd.io import atomic as pair
from incrowd.io.atomic import beside, heal, is_pending, replacing, replacing_both

CHILD = """
import os, signal, sys
from incrowd.io.atomic import replacing_both

when, left = sys.argv[1], int(sys.argv[2])

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

with replacing_both("release.csv", "papers/release.json") as (release, paper):
    release.write_text("new")
    paper.write_text("new")
    for name in ("replace", "rename", "unlink", "link", "fsync", "chmod"):
        aimed(name)
"""


def child(*arguments):
    return subprocess.run([sys.executable, "-c", CHILD, *map(str, arguments)], check=False)


def write(text="old"):
    Path("papers").mkdir(exist_ok=True)
    for path in ("release.csv", "papers/release.json"):
        Path(path).write_text(text)


def replace(text="new", failure=None, paper="papers/release.json"):
    with replacing_both("release.csv", paper) as made:
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
@pytest.mark.parametrize("when", ["before", "after"])
def test_after_a_kill_at_any_moment_the_next_run_makes_the_pair_whole(when):
    ends = set()
    for moment in range(1, 40):
        write()
        code = child(when, moment).returncode
        torn = held() not in {("old", "old"), ("new", "new")}
        assert not torn or is_pending("release.csv")
        heal("release.csv", "papers/release.json")
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

    honest = Path.replace

    def refusing(self, target):
        if Path(target).name == "release.json":
            raise PermissionError(13, "no")
        return honest(self, target)

    monkeypatch.setattr(Path, "replace", refusing)
    with pytest.raises(InputError):
        replace()
    assert held() == ("old", "old")
    assert left() == []


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
    with beside(Path("release.csv").resolve()) as made:
        heal("release.csv", "papers/release.json")
        with replacing("release.csv") as other:
            other.write_text("other")
        assert made.exists()
    assert left() == []


def test_what_dead_processes_left_beside_another_target_is_left_alone():
    stale = [Path(f"{pair.prefix_of(Path(name))}dead.csv") for name in ("release.csv", "b.csv")]
    for path in stale:
        path.touch()
    with replacing("release.csv") as made:
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
    heal(folder / "release.csv", folder / "release.json")
    assert not intent.exists()
    assert (tmp_path / "victim").read_text() == "kept"
