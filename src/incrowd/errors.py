"""Every error of incrowd, what to say of any other, and the boundary that hides their messages.

    IncrowdError            70  something is wrong with incrowd itself
    ├── NotMetError          1  the release does not satisfy its policy; nothing was written
    ├── PolicyError          2  the request is wrong: a flag, a policy key, a parameter
    ├── InputError           3  a table or hierarchy cannot be read or used
    ├── InfeasibleError      4  no release that satisfies the policy was found on this table
    └── LimitError           5  out of time or memory

Messages say what, where, how many and what to do. They never repeat a cell value.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")

_PACKAGE = Path(__file__).parent


class IncrowdError(Exception):
    """The root of all errors; `remedy` says what to do."""

    exit_code = 70

    def __init__(self, message: str, *, remedy: str = "") -> None:
        message, remedy = hide_credentials(message), hide_credentials(remedy)
        super().__init__(f"{message}; {remedy}" if remedy else message)
        self.message = message
        self.remedy = remedy


EXAMPLE_ADDRESS = "postgresql://user@host/database?table=schema.name"
"""What the address of a table looks like; the one address that messages may show."""
_ADDRESS = re.compile(
    r"\b(?P<scheme>postgres(?:ql)?):/{1,2}(?:[^\n]*@)?[^\s'\"]*"
    r"|\b(?P<other>[a-z][a-z0-9+.-]*):/{1,2}[^\n]*@[^\s'\"]*",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"(?P<name>\b\w*(?:password|passwd|pwd|passphrase|secret|token)\w*\s*=\s*)"
    r"(?!\s|…)(?:'[^']*'?|\"[^\"]*\"?|[^\s&;,'\"]+)",
    re.IGNORECASE,
)


def hide_credentials(text: str) -> str:
    """A text without the addresses of databases, and without any password.

    Of an address that holds a user or a password, whatever its scheme, only the scheme is left; of
    a parameter that is called a password, only its name. `EXAMPLE_ADDRESS` stays.

    >>> hide_credentials("no such file: 'MySQL://me:secret@host/db?table=t'")
    "no such file: 'mysql://…'"
    >>> hide_credentials("cannot open host=there password='two words' user=me")
    'cannot open host=there password=… user=me'
    >>> hide_credentials(f"write {EXAMPLE_ADDRESS}")
    'write postgresql://user@host/database?table=schema.name'
    """
    if ":/" not in text and "=" not in text:
        return text
    parts = text.split(EXAMPLE_ADDRESS)
    return EXAMPLE_ADDRESS.join(
        _SECRET.sub(r"\g<name>…", _ADDRESS.sub(_hide_address, p)) for p in parts
    )


def _hide_address(found: "re.Match[str]") -> str:
    """What replaces an address: its scheme and `…`."""
    return f"{(found['other'] or 'postgresql').lower()}://…"


class NotMetError(IncrowdError):
    """The release does not satisfy its policy; nothing was written.

    `verdicts` say what each model asks for and what the rows reach, if that was counted. `refused`
    has the figures of a result that a search found and verification refused: what it loses, and
    how many records fail.
    """

    exit_code = 1

    def __init__(
        self, message: str, *, remedy: str = "", verdicts: Sequence[Any] = (), refused: Any = None
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.verdicts = tuple(verdicts)
        self.refused = refused


class PolicyError(IncrowdError):
    """The request is wrong: a flag, a policy key, a parameter."""

    exit_code = 2


class InputError(IncrowdError):
    """A table or a hierarchy cannot be read or used."""

    exit_code = 3


class InfeasibleError(IncrowdError):
    """No release that satisfies the policy was found.

    `proved` is True if there is none, False if a search found none (another search, or more time,
    might find one), and None if nothing was searched.
    """

    exit_code = 4

    def __init__(self, message: str, *, remedy: str = "", proved: bool | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.proved = proved


class LimitError(IncrowdError):
    """Out of time or memory."""

    exit_code = 5


def count_of(count: int, one: str, many: str = "") -> str:
    """A count with its noun.

    >>> count_of(1, "record"), count_of(12345, "record"), count_of(0, "person", "people")
    ('1 record', '12,345 records', '0 people')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def sentence(text: str) -> str:
    """The text as a sentence: with a capital letter and a full stop.

    >>> sentence("all columns are kept")
    'All columns are kept.'
    """
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def join_words(names: Sequence[str], word: str = "and") -> str:
    """The names as a list for a sentence, with `word` before the last of them.

    >>> join_words(["birth_date", "zip", "sex"]), join_words(["zip"]), join_words(["a", "b"], "or")
    ('birth_date, zip and sex', 'zip', 'a or b')
    """
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def whole_percent(share: float) -> str:
    """A share in whole percent, as text; only 1 is 100 %, and only 0 is 0 %.

    >>> whole_percent(0.254), whole_percent(1.0), whole_percent(0.9996), whole_percent(0.001)
    ('25 %', '100 %', 'over 99 %', 'under 1 %')
    """
    whole = round(100 * share)
    if whole == 100 and share < 1:
        return "over 99 %"
    return "under 1 %" if whole == 0 and share > 0 else f"{whole} %"


def is_panic(error: BaseException) -> bool:
    """Whether a library written in Rust panicked: such an error is no `Exception`."""
    return type(error).__name__ == "PanicException"


@contextmanager
def boundary(
    error: IncrowdError, known: Callable[[BaseException], IncrowdError | None] | None = None
) -> Iterator[None]:
    """While this is open, raise `error` for an error of another library, or what `known` returns.

    `known` may return None for an error that it does not know.

    Libraries quote cell values in their messages, so neither the message nor the traceback of the
    original may survive: they are gone before ours is raised. Our own errors,
    `MemoryError` and interrupts pass through.
    """
    failed = False
    try:
        yield
    except (IncrowdError, MemoryError):
        raise
    except BaseException as failure:
        if not isinstance(failure, Exception) and not is_panic(failure):
            raise
        failed = True
        error = (known(failure) if known is not None else None) or error
    if failed:
        raise_alone(error)


def other_rows_error() -> NotMetError:
    """The error for written rows that are not the rows that were made; the caller raises it."""
    return NotMetError(
        "the rows that were written are not those that should leave",
        remedy="make sure that nothing changes the table meanwhile",
    )


def raise_alone(error: IncrowdError) -> NoReturn:
    """Raise an error without a trace of the one that it replaces, which may quote cells."""
    try:
        raise error from None
    finally:
        error.__context__ = None


def guard_each(
    items: Iterable[T], guard: Callable[[], AbstractContextManager[None]]
) -> Iterator[T]:
    """Yield the items, each made inside a block of `guard`; the caller uses them outside of it."""
    rest = iter(items)
    done: Any = object()
    while True:
        with guard():
            item = next(rest, done)
        if item is done:
            return
        yield item


INTERRUPTED = 130


@dataclass(frozen=True)
class Failure:
    """Why something ended without a result."""

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
_OF_KINDS = ("verdicts", "proved", "refused")
"""What some kinds of errors hold beside their words."""


def failure_of(error: BaseException) -> Failure:
    """What to tell users of this error, without a cell value.

    Our own errors keep their words; interrupts, lack of memory and errors of the system have fixed
    ones; any other is told by its kind and place.
    """
    match error:
        case IncrowdError():
            of_kind = {name: getattr(error, name) for name in _OF_KINDS if hasattr(error, name)}
            return Failure(error.message, error.remedy, error.exit_code, **of_kind)
        case KeyboardInterrupt():
            return INTERRUPTION
        case MemoryError():
            return _OUT_OF_MEMORY
        case OSError(errno=int(number)):
            remedy = (
                "check that files and folders exist, that you may use them, and that there is space"
            )
            return Failure(
                f"the operating system reports: {os.strerror(number)}", remedy, InputError.exit_code
            )
    if any(isinstance(one, KeyboardInterrupt) for one in chain_of(error)):
        return INTERRUPTION  # libraries turn an interrupt into errors of their own, as numba does
    return _OUT_OF_MEMORY if _is_out_of_memory(error) else _failure_of_unknown(error)


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and, one after the other, the errors that led to it."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


_OUT_OF_MEMORY = Failure(
    "out of memory; nothing was written",
    "name fewer quasi-identifying columns, or use a machine with more memory",
    LimitError.exit_code,
)
_MEMORY_WORDS = re.compile(
    r"failed to map segment|allocate memory|can't start new thread|out of memory"
)


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out; a library that could not load for that says so in its message."""
    return any(
        isinstance(one, MemoryError)
        or (
            isinstance(one, ImportError | OSError | RuntimeError) and _MEMORY_WORDS.search(str(one))
        )
        for one in chain_of(error)
    )


def own_places(error: BaseException) -> Iterator[str]:
    """Yield the places in our own code that an error went through, outermost first: `file:line`."""
    for frame, line in walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(_PACKAGE):
            yield f"incrowd/{path.relative_to(_PACKAGE).as_posix()}:{line}"


def _failure_of_unknown(error: BaseException) -> Failure:
    """What to tell users of an error that nobody foresaw: its kind and its place."""
    place = list(own_places(error))[-1:] or ["an unknown place"]
    return Failure(
        f"incrowd itself failed ({type(error).__name__} at {place[0]})",
        "please report this line; INCROWD_DEBUG=1 shows more",
        IncrowdError.exit_code,
    )
