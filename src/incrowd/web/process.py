"""The worker's own process: one job after the other, and never a traceback or a cell in words."""

import signal
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event as Flag
from typing import Any, NoReturn

from incrowd.errors import chain_of, failure_of
from incrowd.web.events import Cancelled, Done, Ending, Failed, Progress
from incrowd.web.jobs import Job
from incrowd.web.uploads import without_private

_RATE = 0.1
"""Seconds between two progress messages at least."""


class StoppedError(Exception):
    """Somebody cancelled the job."""


class Replies:
    """Sends the server what happens to the job of this number."""

    def __init__(self, wire: Connection, stop: Flag, number: int) -> None:
        self._wire, self._stop, self._number = wire, stop, number
        self._lock = threading.Lock()
        self._told = 0.0

    def tell(self, what: str, share: float, value: Any = None) -> None:
        """Tell what the job does and which share of it is done, not more often than `_RATE` allows.

        A part of the answer (`value`) is always sent. `StoppedError` if the job was cancelled.
        """
        if self._stop.is_set():
            raise StoppedError
        now = time.monotonic()
        if value is not None or now - self._told >= _RATE:
            self._told = now
            self.send(Progress(what, min(max(share, 0.0), 1.0), value))

    def send(self, event: Progress | Ending) -> None:
        """Send an event about the job to the server."""
        with self._lock:
            self._wire.send((self._number, event))


def answer_jobs(wire: Connection, stop: Flag) -> None:
    """Answer requests one by one until the server is gone; `stop` is set to end the present one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit_in_order)
    state = import_module("incrowd.web.work.state").WorkerState()
    threading.Thread(target=_warm_up, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            number, job = wire.recv()
            replies = Replies(wire, stop, number)
            replies.send(do_job(state, job, replies))


def do_job(state: Any, job: Job[Any], replies: Replies) -> Ending:
    """Do a job and return how it ended: with its answer, cancelled, or failed."""
    try:
        module, _, name = job.work.partition(":")
        work = getattr(import_module(f"incrowd.web.work.{module}"), name)
        return Done(work(state, job, replies.tell))
    except Exception as error:  # noqa: BLE001  whatever it is, the page says it in our words
        # A library may have turned the cancelling into an error of its own.
        if any(isinstance(cause, StoppedError) for cause in chain_of(error)):
            return Cancelled("cancelled; nothing was written")
        failure = failure_of(error)  # without cells; paths of private folders go, too
        words = (without_private(failure.error), without_private(failure.remedy))
        return Failed(*words, failure.exit_code)


def _warm_up() -> None:
    """Load what the first questions need while somebody still looks at the page."""
    with suppress(Exception):
        import_module("incrowd.web.work.warming").warm()


def _exit_in_order(*_: object) -> NoReturn:
    """Exit by `SystemExit`, so that half a release is deleted; later signals are ignored."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.unraisablehook = lambda _: None  # it may come in the middle of an import
    raise SystemExit
