"""One worker process: it holds the table, does one job at a time, and can be cancelled or lost."""

import asyncio
import multiprocessing
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from incrowd.web.events import Cancelled, Ending, Event, Failed, Progress
from incrowd.web.jobs import Job
from incrowd.web.process import answer_jobs

GRACE = 1.0
"""Seconds that a cancelled job gets to end by itself; then its process is ended."""
LOST = Failed(
    "the worker ended unexpectedly; perhaps it ran out of memory",
    "try again: the table is opened anew; if it happens again, use a smaller table or more memory",
    5,
)
REPLACED = Cancelled("a newer question took its place")
CANCELLED = Cancelled("cancelled")


class Ticket:
    """A job that was handed in: its number at this worker, its events, and how it ended."""

    def __init__(self, number: int, job: Job[Any]) -> None:
        self.number, self.job = number, job
        self.ending: Ending | None = None
        self._events: asyncio.Queue[Event] = asyncio.Queue()

    def put(self, event: Event) -> None:
        """Add an event; the first ending counts, and nothing comes after it."""
        if self.ending is not None:
            return
        if not isinstance(event, Progress):
            self.ending = event
        self._events.put_nowait(event)

    async def __aiter__(self) -> AsyncIterator[Event]:
        """The events, up to the ending; each is handed out once, so only one loop can take them."""
        while True:
            event = await self._events.get()
            yield event
            if not isinstance(event, Progress):
                return

    async def wait_for_end(self, tell: Callable[[Progress], Any] | None = None) -> Ending:
        """Wait until the job has ended and return how; `tell` is called with its progress."""
        async for event in self:
            if not isinstance(event, Progress):
                return event
            if tell is not None:
                tell(event)
        return CANCELLED


class Worker:
    """Hands jobs to a process of its own, one at a time, and starts another if that one is lost."""

    def __init__(self) -> None:
        self._waiting: deque[Ticket] = deque()
        self._running: Ticket | None = None
        self._process: _Process | None = None
        self._numbers = 0
        self._ended: Cancelled | None = None
        """Why the running job is being stopped by us; None if it is not."""

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits."""
        return self._running is not None or bool(self._waiting)

    @property
    def awaited(self) -> bool:
        """Whether a job waits, or one runs that does not give way."""
        running = self._running
        return bool(self._waiting) or (running is not None and not running.job.gives_way)

    @property
    def pid(self) -> int | None:
        """The number of the process; None if there is none."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process unless there is one, so that it is ready when the first job comes."""
        if self._process is None:
            self._process = _Process(asyncio.get_running_loop(), self._take_event, self._recover)

    def submit(self, job: Job[Any]) -> Ticket:
        """Hand in a job; end waiting jobs that it replaces, and a running one that gives way."""
        self._numbers += 1
        ticket = Ticket(self._numbers, job)
        if job.replaces:
            for other in [one for one in self._waiting if type(one.job) is type(job)]:
                self._waiting.remove(other)
                other.put(REPLACED)
        self._waiting.append(ticket)
        self.give_way()
        self._start_next()
        return ticket

    def give_way(self) -> None:
        """End the running job if it is one that gives way."""
        if self._running is not None and self._running.job.gives_way:
            self._stop(self._running, REPLACED)

    def cancel(self) -> None:
        """Cancel the running job and all that wait."""
        while self._waiting:
            self._waiting.popleft().put(CANCELLED)
        if self._running is not None:
            self._stop(self._running, CANCELLED)

    def close(self) -> None:
        """Cancel all jobs and end the process."""
        self.cancel()
        if self._running is not None:
            self._running.put(CANCELLED)
        if self._process is not None:
            self._process.end()
        self._process = self._running = None

    def _start_next(self) -> None:
        """Send the job that has waited longest to the process, unless another one runs."""
        if self._running is not None or not self._waiting:
            return
        self.start()
        assert self._process is not None  # noqa: S101  it was started
        self._running, self._ended = self._waiting.popleft(), None
        self._process.send(self._running.number, self._running.job)

    def _stop(self, ticket: Ticket, why: Cancelled) -> None:
        """Ask the process, once, to stop its job for `why`; end it if it has not in `GRACE`."""
        if self._process is None or self._ended is not None:
            return
        self._ended = why
        self._process.stop()
        asyncio.get_running_loop().call_later(GRACE, self._end_if_running, ticket, self._process)

    def _end_if_running(self, ticket: Ticket, process: "_Process") -> None:
        """End this process if it is still at the job of this ticket."""
        if self._running is ticket and self._process is process:
            process.end()

    def _take_event(self, process: "_Process", number: int, event: Event) -> None:
        """Pass an event on to the running job's ticket, unless it is of a former job or process."""
        ticket = self._running
        if process is not self._process or ticket is None or ticket.number != number:
            return
        if isinstance(event, Cancelled) and self._ended is not None:
            event = self._ended
        if not isinstance(event, Progress):
            self._running = None
        ticket.put(event)
        self._start_next()

    def _recover(self, process: "_Process") -> None:
        """End the job of a process that is gone; start another if it ever answered or one waits."""
        if process is not self._process:
            return
        self._process, ticket, self._running = None, self._running, None
        if ticket is not None:
            ticket.put(self._ended or LOST)
        if process.answered:  # one that never did would only be lost again
            self.start()
        self._start_next()


class _Process:
    """A process that does jobs, and the thread that listens to it.

    `heard` is called in `loop` with this process, the number of a job and each of its events, and
    `lost` with this process once it is gone.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        heard: Callable[["_Process", int, Event], None],
        lost: Callable[["_Process"], None],
    ) -> None:
        # A new interpreter: a forked one would inherit the server's threads, sockets and token.
        context = multiprocessing.get_context("spawn")
        self._wire, far = context.Pipe()
        self._stop = context.Event()
        self._child = context.Process(target=answer_jobs, args=(far, self._stop), daemon=True)
        self._child.start()
        far.close()
        self._loop, self._heard, self._lost = loop, heard, lost
        self.answered = False
        """Whether it ever sent anything."""
        threading.Thread(target=self._listen, args=(self._wire,), daemon=True).start()

    @property
    def pid(self) -> int | None:
        return self._child.pid

    def send(self, number: int, job: Job[Any]) -> None:
        """Hand a job over; if the process is gone, only the listening thread says so."""
        self._stop.clear()
        with suppress(OSError):
            self._wire.send((number, job))

    def stop(self) -> None:
        """Ask the job to stop at its next sign of progress."""
        self._stop.set()

    def end(self) -> None:
        """End the process: politely, then by force after `GRACE`, without waiting here."""
        self._child.terminate()
        threading.Thread(target=self._reap, daemon=True).start()

    def _reap(self) -> None:
        """Wait until the process is gone, by force after `GRACE`."""
        self._child.join(GRACE)
        self._child.kill()
        self._child.join()

    def _listen(self, wire: Connection) -> None:
        """Call `heard` with what the process sends until it is gone, then `lost`."""
        with suppress(EOFError, OSError):
            while True:
                number, event = wire.recv()
                self.answered = True
                self._call_in_loop(self._heard, number, event)
        self._reap()
        self._call_in_loop(self._lost)

    def _call_in_loop(self, function: Callable[..., None], *given: object) -> None:
        """Call a function in the server's loop, with this process as its first argument."""
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(function, self, *given)
