"""Kernels compiled before they are called: all of them, or by helpers those of a verb.

On the first run on a machine other processes compile the kernels that a verb needs last, while the
run itself compiles those that it needs first; they meet in the middle. Helpers write to the same
folder (`store.py`), in which a kernel appears whole or not at all. If a helper dies, the run
compiles what is missing; when the run ends, however it ends, so do its helpers.

    python -m incrowd.kernels.warm VERB

is such a helper; it ends when its standard input does.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from incrowd.kernels import compile as compiling
from incrowd.kernels import signatures, store
from incrowd.kernels.signatures import Signature

MOST_HELPERS = 3
EVERYTHING = "all"
_MODESTY = 5


@dataclass(frozen=True)
class Warmed:
    """What was compiled ahead, and where it is kept."""

    kernels: int
    """Kernels, each with the types that incrowd calls it with; 0 if numba is unknown to us."""
    compiled: int
    """Of these, how many were not compiled before."""
    folder: Path | None
    """Where compiled kernels are kept, None if nowhere: then every process compiles anew."""


def known_signatures(verb: str = EVERYTHING) -> tuple[Signature, ...]:
    """Return the signatures that a verb needs, or all; none if this numba is not a known one."""
    return signatures.load_signatures().get(verb, ()) if compiling.WHOLE else ()


def missing_signatures(verb: str = EVERYTHING) -> tuple[Signature, ...]:
    """Return the known signatures that are not compiled yet."""
    return tuple(one for one in known_signatures(verb) if not _is_compiled(one))


def _is_compiled(one: Signature) -> bool:
    """Whether the kernel of a signature is compiled already."""
    name, takes = one
    return bool(signatures.load_kernel(name).is_compiled(signatures.parse_types(takes)))


def compile_all(wanted: Sequence[Signature]) -> Iterator[Signature]:
    """Compile each kernel that is not compiled yet, and yield each signature once it is."""
    for name, takes in wanted:
        if not _is_compiled((name, takes)):
            signatures.load_kernel(name).compile(signatures.parse_types(takes))
        yield name, takes


@contextmanager
def run_helpers(verb: str, *, if_cold: bool = True) -> Iterator[None]:
    """Run helper processes within the block, which compile what a verb needs.

    There are none if there is one core, if numba is unknown to us, if kernels cannot be kept or
    locked, or, `if_cold`, if any kernel is kept or carried already. They are killed when the block
    ends.
    """
    wanted = compiling.WHOLE and compiling.CACHE is not None and store.LOCKS
    wanted = wanted and (not if_cold or compiling.first_call_compiles())
    number = min(_usable_cores() - 1, MOST_HELPERS) if wanted else 0
    started = [one for one in (_start_helper(verb) for _ in range(number)) if one is not None]
    try:
        yield
    finally:
        for one in started:
            one.kill()
            one.communicate()


def _usable_cores() -> int:
    """Return how many cores this process may run on; those of the machine if it cannot tell."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _start_helper(verb: str) -> subprocess.Popen[bytes] | None:
    """Start a helper process, which imports nothing of the current folder; None if that fails."""
    if not sys.executable:
        return None
    command = [sys.executable, "-P", "-m", __name__, verb]
    with suppress(OSError):
        return subprocess.Popen(  # noqa: S603  our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    return None


def _exit_with_input() -> None:
    """Wait until standard input is closed, by the end of the starting process; end this one then.

    The pipe itself is read: a thread that waits in `sys.stdin` makes Python abort on its way out.
    """
    while os.read(0, 1):
        pass
    os._exit(0)


def _compile_last_first(verb: str) -> None:
    """Compile what a verb needs, the last first; leave out what other processes compile."""
    with suppress(AttributeError, OSError):
        os.nice(_MODESTY)
    with store.raise_if_busy():
        for one in reversed(signatures.load_signatures().get(verb, ())):
            with suppress(store.Busy):
                list(compile_all([one]))


if __name__ == "__main__":
    threading.Thread(target=_exit_with_input, daemon=True).start()
    _compile_last_first(sys.argv[1])
