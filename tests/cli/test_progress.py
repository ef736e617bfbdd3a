"""Progress appears only to people who have waited."""

import io
import time
from contextlib import redirect_stderr

import pytest

from incrowd.cli import output as progress
from incrowd.cli.output import Output, ProgressBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_it_appears_after_a_while(terminal):
    with redirect_stderr(terminal), ProgressBar() as bar:
        bar.tell("searching", 0.5)
        until = time.monotonic() + 10
        while "searching" not in terminal.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
        bar.tell("writing", 0.9)
    assert "searching" in terminal.getvalue()


def test_it_stays_away_from_quick_work(terminal, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    with redirect_stderr(terminal), ProgressBar() as bar:
        bar.tell("searching", 0.5)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("quiet", [True, False])
def test_it_is_for_terminals_only(terminal, monkeypatch, quiet):
    if not quiet:
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    with redirect_stderr(terminal), ProgressBar(quiet=quiet):
        time.sleep(0.1)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(("quiet", "shown"), [(True, False), (False, True)])
def test_compiling_is_said_when_it_happens(quiet, shown, capsys):
    import numba

    with progress.waiting(Output(quiet=quiet)):
        assert numba.njit(lambda x: x + 1)(1) == 2
    assert (progress.COMPILING in capsys.readouterr().err) is shown


def test_a_remark_stands_above_the_bar(terminal):
    with redirect_stderr(terminal), ProgressBar() as bar:
        until = time.monotonic() + 10
        while not terminal.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
        bar.say(Output(), "by the way")
    assert "by the way" in terminal.getvalue()
