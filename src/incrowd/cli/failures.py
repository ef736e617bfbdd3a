"""Failures of a command: one sentence, what helps, and the exit code.

Only our own messages and those of the command-line parser are shown. Messages of other libraries
may hold cell values: of an unexpected error we show its type and the place in our own code.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from typing import Any

from incrowd.cli.interrupt import Late
from incrowd.errors import (
    IncrowdError,
    InputError,
    LimitError,
    PolicyError,
    without_credentials,
)

INTERRUPTED = 130
_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Failure:
    """Why a command ended without a result."""

    error: str
    remedy: str
    exit_code: int
    verdicts: tuple[Any, ...] = ()
    """What each model asks for and what the rows reach, if that is why."""
    proved: bool | None = None
    """True: there is no release; False: a search found none; None: no search was made."""
    refused: Any = None
    """The figures of a refused result, if they are to be shown."""


INTERRUPTION = Failure("interrupted; nothing was written", "", INTERRUPTED)
LATE = Failure(
    "interrupted after the release and its certificate were written and verified", "", INTERRUPTED
)


def failure_of(error: BaseException) -> Failure:
    """What to show of this error: nothing that may hold a cell value."""
    match error:
        case IncrowdError():
            verdicts = getattr(error, "verdicts", ())
            proved = getattr(error, "proved", None)
            refused = getattr(error, "refused", None)
            words = error.message, error.remedy
            return Failure(*words, error.exit_code, verdicts, proved, refused)
        case Late() | KeyboardInterrupt():
            return LATE if isinstance(error, Late) else INTERRUPTION
        case MemoryError():
            return _OUT_OF_MEMORY
        case OSError(errno=int(number)):
            remedy = (
                "check that files and folders exist, that you may use them, and that there is space"
            )
            return Failure(
                f"the operating system reports: {os.strerror(number)}", remedy, InputError.exit_code
            )
    if hasattr(error, "format_message"):
        return _usage(error)
    return _led_to(error)


def _led_to(error: BaseException) -> Failure:
    """What to say of an error of another library, by what led to it."""
    if any(isinstance(one, KeyboardInterrupt) for one in behind(error)):
        return INTERRUPTION  # libraries turn an interrupt into errors of their own, as numba does
    return _OUT_OF_MEMORY if _out_of_memory(error) else _unexpected(error)


def behind(error: BaseException) -> Iterator[BaseException]:
    """The error and those that led to it."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


_OUT_OF_MEMORY = Failure(
    "out of memory; nothing was written",
    "name fewer quasi-identifying columns, or use a machine with more memory",
    LimitError.exit_code,
)
_MEMORY_WORDS = re.compile(
    r"failed to map segment|allocate memory|can't start new thread|out of memory"
)


def _out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out: a library that could not load says so in its message."""
    return any(
        isinstance(one, MemoryError)
        or (
            isinstance(one, ImportError | OSError | RuntimeError) and _MEMORY_WORDS.search(str(one))
        )
        for one in behind(error)
    )


def frames(error: BaseException) -> Iterator[str]:
    """The places in our own code that the error went through, outermost first."""
    for frame, line in walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(_PACKAGE):
            yield f"incrowd/{path.relative_to(_PACKAGE).as_posix()}:{line}"


def _usage(error: Any) -> Failure:
    """A message of the command-line parser, with its suggestion as the remedy."""
    possible = list(getattr(error, "possibilities", None) or ())
    text = (error.message if possible else error.format_message()).strip().rstrip(".")
    text, _, hint = _KIND.sub(_kind, text).partition(" Did you mean ")
    remedy = "see incrowd --help"
    context = getattr(error, "ctx", None)
    if context is not None:
        remedy = f"see {context.command_path} --help"
    if possible:
        hint = f"{possible[0]}?"
    if hint:
        remedy = f"did you mean {hint}"
    text = without_credentials(text[:1].lower() + text[1:].rstrip("."))
    return Failure(text, without_credentials(remedy), PolicyError.exit_code)


_KIND = re.compile(r"Input should be a valid (integer|number)\b.*")


def _kind(found: "re.Match[str]") -> str:
    return "it must be a whole number" if found[1] == "integer" else "it must be a number"


def _unexpected(error: BaseException) -> Failure:
    place = list(frames(error))[-1:] or ["an unknown place"]
    return Failure(
        f"incrowd itself failed ({type(error).__name__} at {place[0]})",
        "please report this line; INCROWD_DEBUG=1 shows more",
        IncrowdError.exit_code,
    )
