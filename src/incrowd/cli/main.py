"""The command `incrowd`: which subcommands there are, and how each of them ends."""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, NoReturn

import typer

from incrowd.cli.anonymize import anonymize
from incrowd.cli.attack import attack
from incrowd.cli.check import check
from incrowd.cli.discover import discover
from incrowd.cli.failures import INTERRUPTED, INTERRUPTION, Failure, failure_of, frames
from incrowd.cli.init import init
from incrowd.cli.interrupt import Terminated, heard, terminable
from incrowd.cli.keys import keys
from incrowd.cli.limits import refuse_cramped
from incrowd.cli.mask import mask
from incrowd.cli.output import Output, write
from incrowd.cli.plan import plan
from incrowd.cli.quantiles import quantiles
from incrowd.cli.risk import risk
from incrowd.cli.safe_harbor import safe_harbor
from incrowd.documents import json
from incrowd.documents.words import printable
from incrowd.errors import IncrowdError, InputError

app = typer.Typer(
    name="incrowd",
    help="Publish tables about people without giving the people away.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  seldom asked for

        write(sys.stdout, f"incrowd {version('incrowd')}\n")
        raise typer.Exit


@app.callback()
def _incrowd(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Publish tables about people without giving the people away."""


for _command in (
    init,
    discover,
    risk,
    plan,
    mask,
    quantiles,
    anonymize,
    check,
    attack,
    safe_harbor,
):
    app.command()(_command)
app.add_typer(keys)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with the right exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if arguments is not None:
        sys.exit(perform(arguments))
    code = perform(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # what is done is done: the exit code says so
    sys.exit(code)


def perform(arguments: Sequence[str]) -> int:
    """Run one command; its exit code."""
    as_json = "--json" in arguments
    before = Terminated.times
    try:
        with terminable(), heard():
            refuse_cramped(arguments)
            code = typer.main.get_command(app)(
                list(arguments) or ["--help"], prog_name="incrowd", standalone_mode=False
            )
    except BaseException as error:
        if isinstance(error, SystemExit | GeneratorExit):
            raise
        _debug(error)
        _forget_interrupt()
        failure = failure_of(error)
        if failure.exit_code == IncrowdError.exit_code and Terminated.times > before:
            failure = INTERRUPTION  # whatever failed then failed because of that
        return _fail(failure, as_json=as_json)
    if code == INTERRUPTED:
        _forget_interrupt()
        return _fail(INTERRUPTION, as_json=as_json)
    return int(code or 0)


def _forget_interrupt() -> None:
    """Let the process end with our exit code.

    Python remembers an interrupt that passed through an `exec` of text, as dataclasses and kernels
    use while they load, and would end by the signal; running another text makes it forget.
    """
    exec("")  # noqa: S102


def _fail(failure: Failure, *, as_json: bool) -> int:
    """Say why, on standard error; to machines as a document on standard output too."""
    with suppress(OSError, InputError):
        write(sys.stderr, f"error: {printable(failure.error)}\n")
        if failure.remedy:
            write(sys.stderr, f"help: {printable(failure.remedy)}\n")
    if as_json:
        why = (failure.error, failure.remedy, failure.exit_code)
        parts = (*why, failure.verdicts, failure.proved)
        with suppress(OSError, InputError):
            Output(as_json=True).document(json.error_document(*parts))
    return failure.exit_code


def _debug(error: BaseException) -> None:
    if os.environ.get("INCROWD_DEBUG") == "1":
        for place in frames(error):
            write(sys.stderr, f"  {place}\n")


if __name__ == "__main__":
    main()
