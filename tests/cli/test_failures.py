"""How commands end when something goes wrong."""

import errno
import subprocess
import sys
import time

import pytest
import typer

from incrowd.cli import main as entry
from incrowd.cli.failures import failure_of
from incrowd.errors import IncrowdError, InfeasibleError, InputError, LimitError, NotMetError

SECRET = "secret cell"


@pytest.fixture
def failing(monkeypatch, incrowd):
    """The command line with one command that raises."""

    def run(error, *flags):
        app = typer.Typer(rich_markup_mode=None)

        @app.command()
        def fail(*, json: bool = False):  # noqa: ARG001  the flag is what counts
            raise error

        @app.command()
        def other():
            pass

        monkeypatch.setattr(entry, "app", app)
        return incrowd("fail", *flags)

    return run


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotMetError("no"), 1),
        (InputError("no"), 3),
        (InfeasibleError("no"), 4),
        (LimitError("no"), 5),
        (IncrowdError("no"), 70),
    ],
)
def test_our_errors_are_said_as_they_are(failing, error, code):
    said = failing(error)
    assert (said.code, said.out, said.err) == (code, "", "error: no\n")


def test_a_remedy_is_said_apart(failing):
    said = failing(InputError("no column", remedy="add\none"))
    assert said.err == "error: no column\nhelp: add\none\n"


def test_unforeseen_errors_are_told_by_type_and_place(failing):
    said = failing(ValueError(SECRET))
    assert said.code == 70
    assert "ValueError at incrowd/cli/main.py:" in said.err
    assert SECRET not in said.err


def test_debugging_shows_places_and_no_messages(failing, monkeypatch):
    monkeypatch.setenv("INCROWD_DEBUG", "1")
    said = failing(ValueError(SECRET))
    assert "  incrowd/cli/main.py:" in said.err
    assert SECRET not in said.err


def test_memory_and_interruption_have_their_codes(failing):
    assert failing(MemoryError(SECRET)).code == 5
    inside = SystemError(SECRET)
    inside.__context__ = KeyboardInterrupt()
    for error in (KeyboardInterrupt(), inside):
        said = failing(error)
        assert said.code == 130
        assert said.err == "error: interrupted; nothing was written\n"
    assert failing(SystemError(SECRET)).code == 70


def test_the_system_is_quoted_by_number_only(failing):
    said = failing(OSError(errno.ENOSPC, SECRET, SECRET))
    assert said.code == 3
    assert "No space left on device" in said.err
    assert SECRET not in said.err


def test_an_error_is_one_document_for_machines(failing):
    said = failing(InputError("no", remedy="so"), "--json")
    assert said.document == {
        "schema": "incrowd.error/1",
        "error": "no",
        "remedy": "so",
        "exit_code": 3,
    }


@pytest.mark.parametrize("proved", [True, False])
def test_a_refusal_says_whether_it_is_proved(failing, proved):
    assert failing(InfeasibleError("no", proved=proved), "--json").document["proved"] is proved
    assert "proved" not in failing(InfeasibleError("no"), "--json").document


def test_letters_that_steer_a_terminal_are_escaped(failing):
    assert "\x1b" not in failing(InputError("column 'a\x1b[2J'")).err


def test_a_wrong_option_is_met_with_the_right_one(incrowd):
    said = incrowd("risk", "x.csv", "--quas", "age")
    assert said.code == 2
    assert "help: did you mean --quasi?" in said.err


def test_a_wrong_command_is_met_with_the_right_one(incrowd):
    said = incrowd("anonymise", "x.csv")
    assert said.code == 2
    assert "help: did you mean 'anonymize'?" in said.err


def test_no_arguments_ask_for_help(incrowd):
    said = incrowd()
    assert said.code == 0
    assert "anonymize" in said.out


def test_the_version_is_told(incrowd):
    assert incrowd("--version").out.startswith("incrowd ")


def test_every_error_has_a_failure():
    assert failure_of(RecursionError()).exit_code == 70
    assert failure_of(OSError("without a number")).exit_code == 70


def test_nobody_listening_is_no_error():
    command = f"{sys.executable} -m incrowd.cli.main --version | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


LOST = """
import signal, sys, time, weakref
import incrowd.cli.warm
from incrowd.cli.main import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has none

class Thing:
    pass

def losing(_):
    signal.raise_signal(signal.SIGINT)
    time.sleep(0)

def command():
    thing = Thing()
    mark = weakref.ref(thing, losing)
    del thing
    time.sleep(600)

sys.modules["incrowd.cli.warm"].warm = command
main(["warm"])
"""


@pytest.mark.slow
def test_an_interrupt_is_heard_where_python_ignores_exceptions():
    """It fell into a callback of a weak reference, as kernels use while they are compiled."""
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, check=False)
    assert time.monotonic() - begun < 600, "it slept on"
    assert done.returncode == 130
    assert done.stderr == "error: interrupted; nothing was written\n"
