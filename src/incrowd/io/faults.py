"""Errors about files, in words of ours: other libraries quote cells."""

import errno
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from incrowd.errors import IncrowdError, InputError, is_panic, raise_alone

_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def system_reason(error: BaseException) -> str:
    """What the system says about an error, by its number, without the names of files."""
    number = error_number(error)
    return os.strerror(number) if number else "the system refused it"


def error_number(error: BaseException) -> int:
    """The system's number (`errno`) of an error, also where a library only quotes it; 0 if none."""
    quoted = re.search(r"os error (\d+)", str(error))
    return getattr(error, "errno", None) or (int(quoted[1]) if quoted else 0)


def remedy_of(error: BaseException) -> str:
    """What to do about an error of the system."""
    if error_number(error) in _FULL:
        return "free some space, or name another file"
    return "check the name and your permissions"


@contextmanager
def system_boundary(path: str | os.PathLike[str], done: str = "written") -> Iterator[None]:
    """A block whose `OSError` becomes an `InputError`: which file cannot be `done`, and why."""
    try:
        yield
    except OSError as error:
        why, remedy = system_reason(error), remedy_of(error)
    else:
        return
    raise_alone(InputError(f"{str(path)!r} cannot be {done}: {why}", remedy=remedy))


@contextmanager
def file_boundary(path: str | os.PathLike[str], done: str = "read") -> Iterator[None]:
    """A block whose errors become ours: which file cannot be `done` (read or written), and why.

    Errors of incrowd keep their type, others become an `InputError`; `MemoryError` passes.
    """
    name = {"read": "standard input", "written": "standard output"}[done]
    start = f"{name if str(path) == '-' else repr(str(path))} cannot be {done}"
    found: IncrowdError
    try:
        yield
    except IncrowdError as error:
        found = type(error)(f"{start}: {error.message}", remedy=error.remedy)
    except MemoryError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        found = _refusal(start, done, error)
    else:
        return
    raise_alone(found)


def _refusal(start: str, done: str, error: BaseException) -> InputError:
    """Our error in place of one of another library or of the system, with this `start`."""
    if error_number(error) or (isinstance(error, OSError) and done == "written"):
        return InputError(f"{start}: {system_reason(error)}", remedy=remedy_of(error))
    if isinstance(error, OSError | EOFError | zlib.error):
        return InputError(f"{start}: its compression is damaged", remedy="compress it anew")
    return InputError(f"{start}: its content does not fit the format", remedy="use another format")
