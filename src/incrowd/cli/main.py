"""The command `incrowd`: its subcommands, their help, and how they end."""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from threading import enumerate as threads_alive
from threading import main_thread
from typing import Annotated, Any, NoReturn

import typer

from incrowd.cli.commands import Commands
from incrowd.cli.failures import LATE, failure_of
from incrowd.cli.interrupt import Terminated, end_on_sigterm, resend_interrupts
from incrowd.cli.output import Output, show, write
from incrowd.cli.stuck import end_when_asked
from incrowd.documents import json
from incrowd.documents import release as releases
from incrowd.documents.words import printable_text
from incrowd.errors import (
    INTERRUPTED,
    INTERRUPTION,
    Failure,
    IncrowdError,
    InputError,
    LimitError,
    own_places,
)

LEAST_MEMORY = 2 * 10**9
"""Bytes of address space that libraries need to load; with less they end the process themselves."""

SELDOM = (100_000, 50, 100)
"""How seldom to look for cycles of objects: hundreds of modules make objects that never die."""

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")
"""How many threads numpy's matrices get, if nobody says: they are small, and on a busy machine
threads wait for each other for seconds."""

app = typer.Typer(
    name="incrowd",
    cls=Commands,
    help="Publish tables about people without giving the people away.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    """Show the version and end the command, if that is `wanted`."""
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  seldom asked for

        write(sys.stdout, f"incrowd {version('incrowd')}\n")
        raise typer.Exit


@app.callback()
def _incrowd(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Publish tables about people without giving the people away."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with the right exit code, never with a traceback."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if arguments is not None:
        sys.exit(perform(arguments))
    gc.set_threshold(*SELDOM)
    os.environ.setdefault(*ONE_THREAD)
    as_json = "--json" in sys.argv
    with end_when_asked(partial(_say_interrupted, as_json=as_json)):
        code = perform(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the work is done: the exit code is that of the work
    if code == INTERRUPTED:
        _exit_despite_threads(code)
    gc.freeze()  # the process ends: to look for cycles once more takes a fifth of a short command
    sys.exit(code)


def _exit_despite_threads(code: int) -> None:
    """End the process at once if other threads would keep it from ending; else do nothing."""
    if any(one is not main_thread() and not one.daemon for one in threads_alive()):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _say_interrupted(placed: bool, *, as_json: bool) -> int:
    """Say that a command was interrupted, with its files `placed` or not; return its exit code."""
    return _show_failure(LATE if placed else INTERRUPTION, as_json=as_json)


def perform(arguments: Sequence[str]) -> int:
    """Run the command of these arguments, show errors without a traceback; return the exit code."""
    as_json = "--json" in arguments
    before = Terminated.times
    try:
        with end_on_sigterm(), resend_interrupts():
            refuse_low_memory(arguments)
            code = _command_group(app)(
                list(arguments) or ["--help"], prog_name="incrowd", standalone_mode=False
            )
    except BaseException as error:
        if isinstance(error, SystemExit | GeneratorExit):
            raise
        _show_frames(error)
        _forget_interrupt()
        failure = failure_of(error)
        if failure.exit_code == IncrowdError.exit_code and Terminated.times > before:
            failure = INTERRUPTION  # it failed because of the signal
        return _show_failure(failure, as_json=as_json)
    if code == INTERRUPTED:
        _forget_interrupt()
        return _show_failure(INTERRUPTION, as_json=as_json)
    return int(code or 0)


@cache
def _command_group(of: typer.Typer) -> Any:
    """All commands with their options: built once, also where one process runs many."""
    return typer.main.get_command(of)


def refuse_low_memory(arguments: Sequence[str]) -> None:
    """Refuse to start with less memory than libraries need to load; help needs none.

    Later would be too late: they end the process with exit codes of their own.
    """
    if {"-h", "--help", "--version"} & {*arguments} or not arguments:
        return
    allowed = _address_space()
    if allowed is not None and allowed < LEAST_MEMORY:
        raise LimitError(
            f"this process may use {allowed / 10**6:,.0f} MB of address space, and incrowd needs "
            f"at least {LEAST_MEMORY / 10**6:,.0f} MB to start",
            remedy="raise the limit (ulimit -v unlimited)",
        )


def _address_space() -> int | None:
    """Bytes that the process may use; None if there is no limit, or none is known."""
    try:
        import resource  # noqa: PLC0415  not on all systems
    except ImportError:
        return None
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def _forget_interrupt() -> None:
    """Run an empty `exec`: Python ends by SIGINT if the last `exec` was interrupted."""
    exec("")  # noqa: S102


def _show_failure(failure: Failure, *, as_json: bool) -> int:
    """Say on standard error, and with --json in a document, why it failed; return the exit code."""
    with suppress(OSError, InputError):
        write(sys.stderr, f"error: {printable_text(failure.error)}\n")
        if failure.remedy:
            write(sys.stderr, f"help: {printable_text(failure.remedy)}\n")
    if as_json:
        why = (failure.error, failure.remedy, failure.exit_code)
        document = json.error_document(*why, failure.verdicts, failure.proved)
        with suppress(OSError, InputError):
            Output(as_json=True).write_document(document | json.refused_part(failure.refused))
    elif failure.refused is not None:
        with suppress(OSError, InputError):
            show(releases.refused_text(failure.refused))
    return failure.exit_code


def _show_frames(error: BaseException) -> None:
    """Show where in our code an error arose, if INCROWD_DEBUG asks for it."""
    if os.environ.get("INCROWD_DEBUG") == "1":
        for place in own_places(error):
            write(sys.stderr, f"  {place}\n")


if __name__ == "__main__":
    main()
