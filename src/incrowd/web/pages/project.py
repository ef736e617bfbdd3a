"""What all tabs share: the session, its worker, and jobs that outlive the page that started them.

A page can be left, refreshed or opened twice: it finds the jobs here as they are.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nicegui import background_tasks

from incrowd.errors import IncrowdError
from incrowd.web import facts, jobs
from incrowd.web.events import Cancelled, Done, Ending, Failed, Progress
from incrowd.web.jobs import Job
from incrowd.web.pages import steps
from incrowd.web.pages.checking import Checking
from incrowd.web.pages.steps import State, Step
from incrowd.web.session import Session
from incrowd.web.worker import REPLACED, Ticket, Worker

_SEARCHED = 2_000_000
"""Records of a table up to which a search begins by itself."""
_KEPT = 64
"""Answers about policies that are kept, so that a page that comes back has them at once."""


class FailedJobError(IncrowdError):
    """The worker could not do it: what the library said."""


@dataclass(eq=False)
class Work:
    """One job: how far it is, and what came out."""

    worker: Worker
    progress: Progress | None = None
    parts: list[Any] = field(default_factory=list)
    """What the job handed out on its way."""
    value: Any = None
    failed: Failed | Cancelled | None = None
    revision: int = 0
    """Counts all changes, so that a page knows when to look."""
    about: object = None
    """What the value is about."""
    _ticket: Ticket | None = None
    _task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether the job is still under way."""
        return self._task is not None and not self._task.done()

    def start(self, job: Job, about: object) -> "Work":
        """Start the job, unless the same one runs or is done."""
        if about == self.about and (self.running or self.value is not None):
            return self
        self.parts, self.value, self.failed, self.progress = [], None, None, None
        self.about = about
        self._ticket = self.worker.submit(job)
        self._task = background_tasks.create(self._run(self._ticket))
        self.revision += 1
        return self

    async def _run(self, ticket: Ticket) -> None:
        async for event in ticket:
            if ticket is self._ticket:
                self._take(event)

    def _take(self, event: object) -> None:
        match event:
            case Done(value):
                self.value = value
            case Progress(value=part):
                self.progress = event
                self.parts += [] if part is None else [part]
            case Failed() | Cancelled():
                self.failed, self.about = event, None
        self.revision += 1

    async def answer(self) -> Any:
        """What came out, or the library's own error."""
        if self._task is not None:
            await asyncio.shield(self._task)
        if self.failed is not None:
            remedy = self.failed.remedy if isinstance(self.failed, Failed) else ""
            raise FailedJobError(self.failed.message, remedy=remedy)
        return self.value

    def forget(self) -> None:
        """Start afresh the next time."""
        self.about, self.value, self.failed, self.parts = None, None, None, []
        self.revision += 1


class Project:
    """One table, its policy, and what is known about them."""

    def __init__(self, session: Session) -> None:
        self.session = session
        worker = session.worker
        self.dark: bool | None = None
        """Dark or light; None follows the system."""
        self.raw_cells = False
        """Whether the user turned cells on: for this session only."""
        self.visited: set[Step] = set()
        self.column: str | None = None
        """The column whose hierarchy was looked at last."""
        self._choices = Work(worker)
        self.looked, self.drafted, self.found = Work(worker), Work(worker), Work(worker)
        self.explored, self.released = Work(worker), Work(worker)
        self.searched = Work(session.behind)
        """The policy's own search, behind the quick answer."""
        self._sought: tuple[object, ...] = ()
        """What was searched for last."""
        self.attacked, self.compared, self.checked = Work(worker), Work(worker), Work(worker)
        self.checking = Checking(session)
        self._answers: dict[tuple[object, ...], facts.WhatIf] = {}
        self._asked: dict[tuple[object, ...], asyncio.Future[Ending]] = {}

    @property
    def state(self) -> tuple[object, ...]:
        """What a page is drawn from; it differs when another tab has changed something."""
        session = self.session
        return (session.source, session.policy, session.world, self.raw_cells)

    def state_of(self, step: Step) -> State:
        """Whether a step is done, open, or needs a look."""
        if step is steps.CHECK and self.checked.value is not None:
            return "done" if self.checked.value.ok else "attention"
        if self.session.source is None:
            return "open"
        if step is steps.RELEASE:
            failed: State = "attention" if self.released.failed else "open"
            return "done" if self.released.value is not None else failed
        if step is steps.TABLE:
            return "attention" if self.looked.failed else "done"
        if step is steps.ROLES and step not in self.visited:
            return "attention"
        return "done" if step in self.visited else "open"

    @property
    def table(self) -> jobs.Table:
        """The table that is open."""
        return self.session.now()

    async def look(self) -> facts.TableFacts:
        """What the table holds."""
        looked = self.looked.start(jobs.Look(self.table), self.table)
        found: facts.TableFacts = await looked.answer()
        return found

    async def choices(self) -> facts.Choices:
        """Which models and searches there are to choose from."""
        found: facts.Choices = await self._choices.start(jobs.ListChoices(), "choices").answer()
        return found

    async def kind_of(self, column: str) -> str:
        """Number, date or text."""
        known = await self.look()
        return next((one.kind for one in known.columns if one.name == column), "text")

    async def draft(self) -> facts.DraftFacts:
        """The drafted policy; it becomes the session's if that has none."""
        await self.look()
        work = self.drafted.start(jobs.Draft(self.table), self.table)
        drafted: facts.DraftFacts = await work.answer()
        if not self.session.policy:
            self.session.changed(drafted.policy)
        return drafted

    @property
    def question(self) -> tuple[jobs.Table, str, jobs.World]:
        """What answers are about: the table, the policy and the world as they are now."""
        return self.table, self.session.policy, self.session.world

    def search_behind(self) -> facts.WhatIf | None:
        """What the policy's own search finds, if it is there; else start it if nobody else waits.

        It gives way to every other question, and begins again afterwards. A table of millions of
        records is not searched unasked: its process holds the table once more.
        """
        key, work = self.question, self.searched
        if work.about == key and work.value is not None:
            self._keep(key, work.value)
            return self._answers[key]
        again = key != self._sought or work.failed is REPLACED
        if again and not work.running and not self.session.busy and self._small:
            self._sought = key
            table, policy, world = key
            work.start(jobs.Search(table, policy, world), key)
        return None

    @property
    def _small(self) -> bool:
        known = self.looked.value
        return isinstance(known, facts.TableFacts) and known.records <= _SEARCHED

    async def what_if(self) -> facts.WhatIf | Failed | None:
        """What the policy would mean; None if it was changed or cancelled meanwhile."""
        key = table, policy, world = self.question
        while key not in self._answers:
            match await self._question(key, jobs.WhatIf(table, policy, world=world)):
                case Done(value):
                    self._keep(key, value)
                case Failed() as failed:
                    return failed
                case ended:
                    if ended is not REPLACED or key != self.question:
                        return None
        return self._answers[key]

    async def _question(self, key: tuple[object, ...], job: Job) -> Ending:
        """How a question ends; tabs that ask the same share it."""
        if key not in self._asked:
            self._asked[key] = asyncio.ensure_future(self.session.ask(job).end())
        try:
            return await asyncio.shield(self._asked[key])
        finally:
            if key in self._asked and self._asked[key].done():
                del self._asked[key]

    async def change(self, edit: Callable[[str], str], world: jobs.World | None = None) -> bool:
        """Change the policy once the worker accepts it; False if a newer change took its place.

        With a world, that changes, too.
        """
        text = edit(self.session.policy)
        match await self.session.ask(jobs.CheckPolicy(self.table, text)).end():
            case Failed(message, remedy):
                raise FailedJobError(message, remedy=remedy)
            case Done():
                self.session.changed(text, world)
                return True
            case _:
                return False

    def _keep(self, key: tuple[object, ...], answer: facts.WhatIf) -> None:
        while len(self._answers) >= _KEPT:
            self._answers.pop(next(iter(self._answers)))
        self._answers[key] = answer

    async def ask(self, job: Job) -> Any:
        """The answer to a small question."""
        return await Work(self.session.worker).start(job, job).answer()

    def close(self) -> None:
        """Forget the table and all that is known about it."""
        self.session.close_table()
        self.visited.clear()
        for work in vars(self).values():
            if isinstance(work, Work):
                work.forget()
