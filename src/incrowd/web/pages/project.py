"""What all tabs share: the session, its worker, and jobs that outlive the page that started them.

A page can be left, refreshed or opened twice: it finds the jobs here as they are.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from nicegui import background_tasks

from incrowd.documents.verdict import AttackOutcome, Findings, ReleaseVerdict, release_verdict
from incrowd.errors import IncrowdError
from incrowd.web import edits, facts, jobs
from incrowd.web.events import Cancelled, Done, Ending, Failed, Progress
from incrowd.web.jobs import Job
from incrowd.web.pages.checking import Checking
from incrowd.web.pages.steps import Step
from incrowd.web.session import PageSession
from incrowd.web.wording import named_shortly, sentence
from incrowd.web.worker import REPLACED, Ticket, Worker

SEARCHED = 2_000_000
"""Records of a table up to which a search begins by itself."""
_KEPT = 64
"""Answers about policies that are kept, so that a page that comes back has them at once."""


SearchState: TypeAlias = Literal["running", "waiting", "ended", "unasked"]
"""Under way; about to begin; ended without an answer; too large to begin unasked."""


class FailedJobError(IncrowdError):
    """The worker could not do it: what the library said."""


@dataclass(eq=False)
class JobRun:
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

    def start(self, job: Job, about: object) -> "JobRun":
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

    def __init__(self, session: PageSession) -> None:
        self.session = session
        worker = session.worker
        self.dark: bool | None = None
        """Dark or light; None follows the system."""
        self.raw_cells = False
        """Whether the user turned cells on: for this session only."""
        self.passed: set[Step] = set()
        """Steps that somebody changed something in, or went on from."""
        self.reviewed: set[str] = set()
        """Columns whose role and marks of missing values somebody confirmed or changed."""
        self.column: str | None = None
        """The column whose hierarchy was looked at last."""
        self._choices = JobRun(worker)
        self.looked, self.drafted, self.found = JobRun(worker), JobRun(worker), JobRun(worker)
        self.explored, self.released = JobRun(worker), JobRun(worker)
        self.searched = JobRun(session.behind)
        """The policy's own search, behind the quick answer."""
        self._sought: tuple[object, ...] = ()
        """What was searched for last."""
        self.longer = JobRun(session.behind)
        """The full search for a point whose own was stopped."""
        self.longer_answers: dict[str, facts.WhatIf] = {}
        """What such searches found, by policy."""
        self._longer_sought = ""
        self.attacked, self.compared, self.checked = JobRun(worker), JobRun(worker), JobRun(worker)
        self.checking = Checking(session)
        self._answers: dict[tuple[object, ...], facts.WhatIf | facts.Unanswered] = {}
        self._asked: dict[tuple[object, ...], asyncio.Future[Ending]] = {}

    @property
    def state(self) -> tuple[object, ...]:
        """What a page is drawn from; it differs when another tab has changed something."""
        session = self.session
        reviewed = frozenset(self.reviewed)
        return (session.table, session.policy, session.world, self.raw_cells, reviewed)

    # What somebody has reviewed

    @property
    def unreviewed(self) -> tuple[str, ...]:
        """Columns of the draft that need an eye and that nobody has confirmed or changed."""
        drafted = self.drafted.value
        needs = drafted.needs_eye if isinstance(drafted, facts.DraftFacts) else ()
        return tuple(name for name in needs if name not in self.reviewed)

    def review(self, names: Iterable[str]) -> None:
        """Somebody has confirmed or changed these columns."""
        self.reviewed |= set(names)

    # The release, and what it belongs to

    @property
    def release_is_old(self) -> bool:
        """Whether a release is there that another table, policy or world has made."""
        job = self.released.about
        if self.released.value is None or not isinstance(job, jobs.MakeRelease):
            return False
        return (job.table, job.policy, job.world) != self.question

    @property
    def check_is_old(self) -> bool:
        """Whether other files are chosen now than those that were checked."""
        return self.checked.value is not None and self.checked.about != self.checking.job()

    def verdict(self) -> ReleaseVerdict | None:
        """The verdict on the release: promises, attacks and warnings; None without a release."""
        made = self.released.value
        if not isinstance(made, facts.ReleaseFacts):
            return None
        return release_verdict(
            Findings(
                promises=(),
                kept=all(one.ok for one in made.verdicts),
                models_met=all(one.ok for one in made.verdicts),
                attacks=self._worst_attack(made),
                warnings=(*self._review_warning(), *map(sentence, made.warnings)),
                notes=tuple(map(sentence, made.notes)),
            )
        )

    def _worst_attack(self, made: facts.ReleaseFacts) -> AttackOutcome | None:
        """What attacks came to: those of the report, or those that somebody asked for."""
        found = self.attacked.value
        asked = found.outcome if isinstance(found, facts.AttackText) else None
        played = [one for one in (asked, made.attacks) if one is not None]
        return max(played, key=lambda one: one.broken, default=None)

    def _review_warning(self) -> tuple[str, ...]:
        """Columns of the draft that nobody has looked at."""
        names = self.unreviewed
        if not names:
            return ()
        count = "1 column was" if len(names) == 1 else f"{len(names):,} columns were"
        return (f"{count} drafted and never reviewed: {named_shortly(names)}. See Roles.",)

    @property
    def table(self) -> jobs.TableFile:
        """The table that is open."""
        return self.session.now()

    async def look(self) -> facts.OpenedTable:
        """What the table holds."""
        looked = self.looked.start(jobs.OpenTable(self.table), self.table)
        found: facts.OpenedTable = await looked.answer()
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
        work = self.drafted.start(jobs.DraftPolicy(self.table), self.table)
        drafted: facts.DraftFacts = await work.answer()
        if not self._fits_table():
            self.session.forget_policy()
            self.session.changed(drafted.policy)
        return drafted

    def _fits_table(self) -> bool:
        """Whether there is a policy, and its columns are those of the table as it is read now."""
        known, policy = self.looked.value, self.session.policy
        return bool(policy) and set(edits.columns(policy)) == {one.name for one in known.columns}

    @property
    def question(self) -> tuple[jobs.TableFile, str, jobs.WorldFiles]:
        """What answers are about: the table, the policy and the world as they are now."""
        return self.table, self.session.policy, self.session.world

    def search_behind(self, *, asked: bool = False) -> facts.WhatIf | None:
        """What the policy's own search finds, if it is there; else start it if nobody else waits.

        It gives way to every other question, and begins again afterwards. A table of millions of
        records is searched only if somebody asked: its process holds the table once more.
        """
        key, work = self.question, self.searched
        if work.about == key and work.value is not None:
            self._keep(key, work.value)
            return work.value  # type: ignore[no-any-return]
        again = asked or ((key != self._sought or work.failed is REPLACED) and self.small)
        if again and not work.running and not self.session.busy:
            self._sought = key
            table, policy, world = key
            work.start(jobs.SearchPolicy(table, policy, world), key)
        return None

    def search_state(self) -> SearchState:
        """How the search behind the answer to the policy as it is now stands."""
        work = self.searched
        if work.running:
            return "running"
        if self._sought == self.question and work.failed is not None:
            return "waiting" if work.failed is REPLACED else "ended"
        return "waiting" if self.small else "unasked"

    @property
    def small(self) -> bool:
        """Whether the table is searched without being asked."""
        known = self.looked.value
        return isinstance(known, facts.OpenedTable) and known.records <= SEARCHED

    def search_longer(self, point: facts.TriedRelease) -> bool:
        """Search on for a point whose search was stopped; whether there is news of any point."""
        work, known = self.longer, self.longer_answers
        if isinstance(work.about, str) and work.about not in known and work.value is not None:
            known[work.about] = work.value
            return True
        bound = point.answer is not None and point.answer.quick and point.policy not in known
        again = point.policy != self._longer_sought or work.failed is REPLACED
        if bound and again and not work.running and not self.session.busy:
            self._longer_sought = point.policy
            work.start(
                jobs.SearchPolicy(self.table, point.policy, self.session.world), point.policy
            )
        return False

    async def what_if(self) -> facts.WhatIf | facts.Unanswered | Failed | None:
        """What the policy would mean; None if it was changed or cancelled meanwhile."""
        key = table, policy, world = self.question
        while key not in self._answers:
            match await self._question(key, jobs.AskWhatIf(table, policy, world=world)):
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

    async def change(
        self, edit: Callable[[str], str], world: jobs.WorldFiles | None = None
    ) -> bool:
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

    def _keep(self, key: tuple[object, ...], answer: facts.WhatIf | facts.Unanswered) -> None:
        while len(self._answers) >= _KEPT:
            self._answers.pop(next(iter(self._answers)))
        self._answers[key] = answer

    async def ask(self, job: Job) -> Any:
        """The answer to a small question."""
        return await JobRun(self.session.worker).start(job, job).answer()

    def close(self) -> None:
        """Forget the table and all that is known about it."""
        self.session.close_table()
        self._begin_anew()

    def read_as(self, choice: jobs.ReadingChoice) -> None:
        """Read the table in another way; what was known about it is forgotten."""
        self.session.cancel()
        self.session.read_as(**asdict(choice))
        self._begin_anew()

    def open(self, path: str | Path) -> None:
        """Take another table; what was known about the former is forgotten."""
        self.session.cancel()
        self.session.open(path)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.passed.clear()
        self.reviewed.clear()
        self.longer_answers.clear()
        for work in vars(self).values():
            if isinstance(work, JobRun):
                work.forget()
