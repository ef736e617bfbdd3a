"""Progress appears only to people who have waited, and says how long they still wait."""

import io
import os
import pty
import re
import threading
from contextlib import nullcontext, redirect_stderr
from typing import ClassVar

import pytest

from incrowd.cli import output as progress
from incrowd.cli.output import Output, ProgressBar


class Hand(threading.Timer):
    """A timer that goes off by hand."""

    made: ClassVar[list] = []

    def __init__(self, seconds, call):
        super().__init__(seconds, call)
        Hand.made.append(self)

    def start(self):
        """Nothing runs by itself."""

    def cancel(self):
        self.interval = None

    @classmethod
    def pass_seconds(cls, seconds):
        for timer in cls.made:
            if timer.interval is not None and timer.interval <= seconds:
                timer.function()


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass by hand, for the bar and for Rich."""
    now = [0.0]
    monkeypatch.setattr(Hand, "made", [])
    monkeypatch.setattr(progress.threading, "Timer", Hand)
    monkeypatch.setattr("rich.console.monotonic", lambda: now[0])
    monkeypatch.setattr("incrowd.watch._clock", lambda: now[0])
    return now


class Terminal:
    """Both ends of a pseudo-terminal: what is written to `stream` can be read."""

    def __init__(self):
        self._ours, theirs = pty.openpty()
        self.stream = os.fdopen(theirs, "w", encoding="utf-8")
        os.set_blocking(self._ours, False)

    @property
    def text(self):
        self.stream.flush()
        found = b""
        try:
            while chunk := os.read(self._ours, 65536):
                found += chunk
        except BlockingIOError:
            pass
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", found.decode())

    def close(self):
        self.stream.close()
        os.close(self._ours)


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    made = Terminal()
    yield made
    made.close()


@pytest.mark.usefixtures("clock")
def test_it_appears_after_two_seconds(terminal):
    with redirect_stderr(terminal.stream), ProgressBar() as bar:
        bar.tell("searching", 0.5)
        Hand.pass_seconds(1.9)
        assert terminal.text == ""
        Hand.pass_seconds(2.0)
        assert "searching" in terminal.text
        bar.tell("writing", 0.9)
    assert "writing" in terminal.text


@pytest.mark.usefixtures("clock")
def test_it_stays_away_from_quick_work(terminal):
    with redirect_stderr(terminal.stream), ProgressBar() as bar:
        bar.tell("searching", 0.5)
    Hand.pass_seconds(60)
    assert terminal.text == ""


@pytest.fixture
def shown_at(clock, terminal):
    """What the bar shows when so many seconds have passed and this is told."""

    def shown(bar, seconds, what, share):
        clock[0] = seconds
        bar.tell(what, share)
        bar._bar.refresh()
        return terminal.text

    return shown


def test_it_says_how_much_time_is_left(terminal, clock, shown_at):
    with redirect_stderr(terminal.stream), ProgressBar() as bar:
        bar.tell("part 1 of 10", 0.1)
        clock[0] = 2.0
        Hand.pass_seconds(2.0)
        for part in range(2, 6):
            said = shown_at(bar, 2.0 * part, f"part {part} of 10", part / 10)
        assert "00:10 left" in said


def test_where_nothing_is_known_it_says_how_much_has_passed(terminal, clock, shown_at):
    with redirect_stderr(terminal.stream), ProgressBar() as bar:
        clock[0] = 2.0
        Hand.pass_seconds(2.0)
        said = shown_at(bar, 7.0, "counting classes", 0.0)
        assert "7 s" in said
        assert "left" not in said


def test_the_speed_of_other_work_is_forgotten(terminal, clock, shown_at):
    with redirect_stderr(terminal.stream), ProgressBar() as bar:
        clock[0] = 2.0
        Hand.pass_seconds(2.0)
        for part in range(1, 10):
            shown_at(bar, 2.0 + part, f"part {part} of 10", part / 10)
        for what, share in (("verifying", 0.0), ("writing", 0.4), ("part 1 of 90", 0.01)):
            assert "left" not in shown_at(bar, 20.0, what, share)


def test_a_share_that_falls_starts_again(terminal, shown_at):
    with redirect_stderr(terminal.stream), ProgressBar() as bar:
        Hand.pass_seconds(2.0)
        for part in range(1, 10):
            shown_at(bar, 2.0 + part, "trading", part / 10)
        assert "left" not in shown_at(bar, 12.0, "trading", 0.1)
        assert bar._bar.tasks[0].completed == 0.1


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("output", [Output(quiet=True), Output(as_json=True)])
def test_it_is_not_for_quiet_nor_for_documents(terminal, output, monkeypatch):
    monkeypatch.setattr(progress.warm_kernels, "run_helpers", lambda _: nullcontext())
    with redirect_stderr(terminal.stream), progress.show_progress(output, "risk") as bar:
        bar.tell("searching", 0.5)
        assert not any(timer.is_alive() for timer in Hand.made)
        assert not bar._wanted
    assert terminal.text == ""


@pytest.mark.usefixtures("clock")
def test_it_is_for_terminals_only():
    pipe = io.StringIO()
    with redirect_stderr(pipe), ProgressBar() as bar:
        bar.tell("searching", 0.5)
        assert not bar._wanted
    assert pipe.getvalue() == ""


@pytest.mark.parametrize(("quiet", "shown"), [(True, False), (False, True)])
def test_compiling_is_said_when_it_happens(quiet, shown, capsys, monkeypatch):
    from incrowd.kernels import compile as compiling

    monkeypatch.setattr(compiling, "CACHE", None)
    monkeypatch.setattr(progress.warm_kernels, "run_helpers", lambda _: nullcontext())
    with progress.show_progress(Output(quiet=quiet), "risk"):
        assert compiling.jit(lambda x: x + 1)(1) == 2
    assert (progress.COMPILING in capsys.readouterr().err) is shown


@pytest.mark.usefixtures("clock")
def test_a_remark_stands_above_the_bar(terminal):
    with redirect_stderr(terminal.stream), ProgressBar() as bar:
        Hand.pass_seconds(2.0)
        bar.say(Output(), "by the way")
    assert "by the way" in terminal.text


TOLD = {
    "init": (("init", "patients.csv"), "looking at every column"),
    "risk": (("risk", "patients.csv", "-q", "age,zip"), "counting classes"),
    "discover": (("discover", "patients.csv"), "coding the columns"),
    "safe-harbor": (("safe-harbor", "patients.csv"), "looking at every column"),
    "plan": (
        ("plan", "patients.csv", "--columns", "sex", "--population", "1e6", "-k", "5"),
        "counting values and classes",
    ),
    "mask": (("mask", "patients.csv", "--ratio", "0.5", "--dry-run"), "choosing the columns"),
    "quantiles": (
        ("quantiles", "patients.csv", "-c", "age", "-k", "5", "--dry-run"),
        "putting cells into buckets",
    ),
    "anonymize": (
        ("anonymize", "patients.csv", "-q", "age,zip", "-k", "5", "--dry-run"),
        "searching: loss ",
    ),
    "frontier": (("frontier", "patients.csv", "-q", "age,zip"), "looking for the most k"),
    "check": (("check", "patients.csv", "-q", "sex", "-k", "2"), "counting every class"),
    "attack": (("attack", "patients.csv", "--knows", "sex"), "playing attacks"),
}


@pytest.mark.slow
@pytest.mark.parametrize("verb", TOLD)
def test_every_verb_tells_what_it_does(incrowd, table, monkeypatch, verb):
    told = []
    monkeypatch.setattr(ProgressBar, "tell", lambda _, what, share: told.append((what, share)))
    table(age=[str(20 + i) for i in range(40)])
    words, expected = TOLD[verb]
    said = incrowd(*words, *(["--beta", "0.1"] if verb == "plan" else []))
    assert said.code in {0, 1}, said.err
    assert told
    assert any(what.startswith(expected) for what, _ in told), told
    assert all(0 <= share <= 1 for _, share in told)
