"""A command that is asked to end while its main thread is inside a library, and cannot hear it.

Python handles signals between two of its own steps. A kernel, a query or the reading of a file may
take minutes, and until then nobody would react. Here another thread hears the signal. If the main
thread makes no step for a moment, this thread removes what is half-written and ends the process.
"""

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from incrowd.cli.interrupt import Stoppable
from incrowd.engines import private_folders
from incrowd.io import atomic
from incrowd.io.uninterrupted import PLACING

GRACE = 1.0
"""Seconds that the main thread has to make a step."""
_LAST_WORDS = 1.0
"""Seconds to say how it ends; whoever reads the output may be stuck, too."""
_CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)

LastWords = Callable[[bool], int]
"""Says how the command ends, given whether files were placed, and gives its exit code."""


@contextmanager
def end_when_asked(last_words: LastWords, grace: float = GRACE) -> Iterator[None]:
    """End the process on SIGINT or SIGTERM also if the main thread hangs for `grace` seconds.

    Only on POSIX and in the main thread. A search that shows what it knows outlives one SIGINT.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)  # what the system asks of a descriptor for signals
    before = signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    listener = threading.Thread(
        target=_listen_for_signals, args=(ear, last_words, grace), daemon=True
    )
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(mouth)
        listener.join()
        os.close(ear)


def _listen_for_signals(ear: int, last_words: LastWords, grace: float) -> None:
    """Hear signals from pipe `ear` until it closes; end the process if its main thread hangs."""
    placed_before, asked = PLACING.times, False
    while numbers := os.read(ear, 64):
        patient = Stoppable.listening and not asked and signal.SIGTERM not in numbers
        asked = asked or signal.SIGINT in numbers
        ending = not patient and not {signal.SIGINT, signal.SIGTERM}.isdisjoint(numbers)
        if ending and not _main_thread_steps(grace):
            _end_process(last_words, placed_before)


_CALLS: list[object] = []
"""What the main thread was asked to call: it may do so late, so nothing is forgotten."""


def _main_thread_steps(seconds: float) -> bool:
    """Whether the main thread takes a step in so many seconds; True also if it cannot be asked."""
    stepped = threading.Event()

    def step(_: int | None) -> int:
        stepped.set()
        return 0

    _CALLS.append(call := _CALL(step))
    full = ctypes.pythonapi.Py_AddPendingCall(call, None) != 0
    return full or stepped.wait(seconds)


def _end_process(last_words: LastWords, placed_before: int) -> None:
    """Wait for files that are being placed, remove half-written ones, say how it ends, and end."""
    with PLACING.lock:
        atomic.remove_unplaced()
        private_folders.remove_private_folders()
        code = [1]

        def say() -> None:
            code[0] = last_words(PLACING.times > placed_before)

        speaker = threading.Thread(target=say, daemon=True)
        speaker.start()
        speaker.join(_LAST_WORDS)
        os._exit(code[0])
