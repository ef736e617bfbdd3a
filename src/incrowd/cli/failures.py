"""What is said when something fails: one sentence, what would help, and the exit code.

Only our own errors and the command-line parser's are quoted. Messages of other libraries may hold
cell values, so an unforeseen error is told by its type and by the place in our own code.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from typing import Any

from incrowd.cli.interrupt import Late
from incrowd.errors import IncrowdError, InputError, LimitError, PolicyError

INTERRUPTED = 130
_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Failure:
    """Why a command ended without a result."""

    error: str
    remedy: str
    exit_code: int
    verdicts: tuple[Any, ...] = ()
    """What each model asked for and what the rows reach, if that is why."""
    proved: bool | None = None
    """Whether there is no release (True), or a search found none (False); None if it is neither."""


INTERRUPTION = Failure("interrupted; nothing was written", "", INTERRUPTED)
LATE = Failure(
    "interrupted after the release and its certificate were written and verified", "", INTERRUPTED
)


def failure_of(error: BaseException) -> Failure:
    """What to say about this error, without any message that may quote a cell."""
    match error:
        case IncrowdError():
            verdicts = getattr(error, "verdicts", ())
            proved = getattr(error, "proved", None)
            return Failure(error.message, error.remedy, error.exit_code, verdicts, proved)
        case Late() | KeyboardInterrupt():
            return LATE if isinstance(error, Late) else INTERRUPTION
        case MemoryError():
            return _OUT_OF_MEMORY
        case OSError(errno=int(number)):
            remedy = "check that files and folders exist, may be used and have room"
            return Failure(f"the system says: {os.strerror(number)}", remedy, InputError.exit_code)
    if hasattr(error, "format_message"):
        return _usage(error)
    return _led_to(error)


def _led_to(error: BaseException) -> Failure:
    """What to say of an error of another library, by what led to it."""
    if any(isinstance(one, KeyboardInterrupt) for one in behind(error)):
        return INTERRUPTION  # libraries turn an interrupt into errors of their own, as numba does
    return _OUT_OF_MEMORY if _is_starved(error) else _unforeseen(error)


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
_STARVED = re.compile(r"failed to map segment|allocate memory|can't start new thread|out of memory")


def _is_starved(error: BaseException) -> bool:
    """Whether memory ran out behind an error: a library that could not load says so in words."""
    return any(
        isinstance(one, MemoryError)
        or (isinstance(one, ImportError | OSError | RuntimeError) and _STARVED.search(str(one)))
        for one in behind(error)
    )


def frames(error: BaseException) -> Iterator[str]:
    """The places in our own code that the error passed, outermost first."""
    for frame, line in walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(_PACKAGE):
            yield f"incrowd/{path.relative_to(_PACKAGE).as_posix()}:{line}"


def _usage(error: Any) -> Failure:
    """What the parser of the command line says, with its suggestions as the remedy."""
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
    return Failure(text[:1].lower() + text[1:].rstrip("."), remedy, PolicyError.exit_code)


_KIND = re.compile(r"Input should be a valid (integer|number)\b.*")


def _kind(found: "re.Match[str]") -> str:
    return "it must be a whole number" if found[1] == "integer" else "it must be a number"


def _unforeseen(error: BaseException) -> Failure:
    place = list(frames(error))[-1:] or ["an unknown place"]
    return Failure(
        f"incrowd itself failed ({type(error).__name__} at {place[0]})",
        "please report this line; INCROWD_DEBUG=1 shows more of the way there",
        IncrowdError.exit_code,
    )
