"""What all tabs share: the session, its worker, and jobs that outlive the page that began them."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast

from nicegui import background_tasks

from incrowd.documents.verdict import AttackOutcome, Findings, ReleaseVerdict, release_verdict
from incrowd.errors import IncrowdError
from incrowd.requests.reading import ReadingOptions
from incrowd.verify.verdict import Check
from incrowd.web import edits, facts, jobs
from incrowd.web.events import Cancelled, Done, Ending, Failed, Progress
from incrowd.web.jobs import Job
from incrowd.web.pages.checking import Checking
from incrowd.web.pages.steps import Step
from incrowd.web.session import PageSession
from incrowd.web.wording import list_names_shortly, page_sentence
from incrowd.web.worker import CANCELLED, REPLACED, Ticket, Worker

SEARCHED = 2_000_000
"""Records of a table up to which a search begins by itself."""
_KEPT = 64
"""Answers about policies that are kept, so that a page that comes back has them at once."""


Answer = TypeVar("Answer")
SearchState: TypeAlias = Literal["running", "waiting", "ended", "unasked"]
"""Under way; about to begin; ended without an answer; too large to begin unasked."""


class FailedJobError(IncrowdError):
    """A job that failed: its words are those of the library."""


@dataclass(eq=False)
class JobRun(Generic[Answer]):
    """One job: how far it is, and what came out."""

    worker: Worker
    job: Job[Answer] | None = None
    """What runs or is done; None if nothing is, or if it failed."""
    progress: Progress | None = None
    parts: list[Any] = field(default_factory=list)
    """What the job handed out on its way."""
    value: Answer | None = None
    failed: Failed | Cancelled | None = None
    _ticket: Ticket | None = None
    _task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether the job is still under way."""
        return self._task is not None and not self._task.done()

    @property
    def news(self) -> tuple[object, ...]:
        """Values to compare with earlier ones: they differ once there is something to draw."""
        return (self.running, id(self.parts), len(self.parts), id(self.value), self.failed)

    def start(self, job: Job[Answer]) -> "JobRun[Answer]":
        """Start the job, unless the same one runs or is done."""
        if job == self.job and (self.running or self.value is not None):
            return self
        self.forget()
        self.job = job
        self._ticket = self.worker.submit(job)
        self._task = background_tasks.create(self._listen(self._ticket))
        return self

    async def _listen(self, ticket: Ticket) -> None:
        """Take the events of a job until it ends; none from when the run forgot the job."""
        async for event in ticket:
            if ticket is self._ticket:
                self._take_event(event)

    def _take_event(self, event: object) -> None:
        """Take progress, an answer or a failure; a job that failed can be started again."""
        match event:
            case Done(value):
                self.value = value
            case Progress(value=part):
                self.progress = event
                self.parts += [] if part is None else [part]
            case Failed() | Cancelled():
                self.failed, self.job = event, None

    async def wait_for_end(self) -> None:
        """Wait until the job has ended, in whatever way; at once if there is none."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def wait_for_answer(self) -> Answer:
        """Wait for the answer; `FailedJobError` if the job failed, was cancelled or forgotten."""
        ticket = self._ticket
        await self.wait_for_end()
        if ticket is not self._ticket:
            raise FailedJobError(CANCELLED.message)
        if self.error is not None:
            raise self.error
        return cast("Answer", self.value)

    @property
    def error(self) -> FailedJobError | None:
        """The error that ended the job; None if it did not fail and was not cancelled."""
        if self.failed is None:
            return None
        remedy = self.failed.remedy if isinstance(self.failed, Failed) else ""
        return FailedJobError(self.failed.message, remedy=remedy)

    def forget(self) -> None:
        """Forget the job, its answer and all its later events; the worker goes on."""
        self.job, self.value, self.failed = None, None, None
        self.progress, self.parts = None, []
        self._ticket = self._task = None


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
        self.table_run = JobRun[facts.OpenedTable](worker)
        self.draft_run = JobRun[facts.DraftFacts](worker)
        self.sets_run = JobRun[facts.FoundSets](worker)
        self.points_run = JobRun[tuple[facts.TriedRelease, ...]](worker)
        self.release_run = JobRun[facts.ReleaseFacts](worker)
        self.attack_run = JobRun[facts.TextFacts](worker)
        self.compare_run = JobRun[facts.TextFacts](worker)
        self.check_run = JobRun[Check](worker)
        self._choices_run = JobRun[facts.Choices](worker)
        self.search_run = JobRun[facts.WhatIf](session.behind)
        """The policy's own search, in the background."""
        self._searched_for: Job[facts.WhatIf] | None = None
        self._longer_run = JobRun[facts.WhatIf](session.behind)
        """The full search for a point whose own was stopped."""
        self._longer_for: Job[facts.WhatIf] | None = None
        self.longer_answers: dict[str, facts.WhatIf] = {}
        self.checking = Checking(session)
        self._answers: dict[Job[Any], facts.WhatIf | facts.Unanswered] = {}
        self._asked: dict[Job[Any], asyncio.Future[Ending]] = {}
        self._openings = 0
        """How often a table was opened or closed: what was asked before is about another one."""

    @property
    def state(self) -> tuple[object, ...]:
        """Values that differ from earlier ones once a page must be drawn anew."""
        session = self.session
        reviewed = frozenset(self.reviewed)
        return (session.table, session.policy, session.world, self.raw_cells, reviewed)

    # What somebody has reviewed

    @property
    def unreviewed(self) -> tuple[str, ...]:
        """Columns of the draft that need an eye and that nobody has confirmed or changed."""
        draft = self.draft_run.value
        names = () if draft is None else draft.needs_eye
        return tuple(name for name in names if name not in self.reviewed)

    def review(self, names: Iterable[str]) -> None:
        """Note that somebody has confirmed or changed these columns."""
        self.reviewed |= set(names)

    # The release, and what it belongs to

    @property
    def release_is_old(self) -> bool:
        """Whether the release was made for another table, policy or world than now."""
        job = self.release_run.job
        if self.release_run.value is None or not isinstance(job, jobs.MakeRelease):
            return False
        return jobs.AskWhatIf(job.table, job.policy, job.world) != self._present_question

    @property
    def check_is_old(self) -> bool:
        """Whether other files are chosen now than those that were checked."""
        return self.check_run.value is not None and self.check_run.job != self.checking.check_job()

    def verdict(self) -> ReleaseVerdict | None:
        """The verdict on the release: promises, attacks and warnings; None without a release."""
        made = self.release_run.value
        if made is None:
            return None
        return release_verdict(
            Findings(
                promises=(),
                kept=all(one.ok for one in made.verdicts),
                models_met=all(one.ok for one in made.verdicts),
                attacks=self._worst_attack(made),
                warnings=(*self._review_warning(), *map(page_sentence, made.warnings)),
                notes=tuple(map(page_sentence, made.notes)),
            )
        )

    def _worst_attack(self, made: facts.ReleaseFacts) -> AttackOutcome | None:
        """The worst outcome of the report's attacks and of those asked for; None without any."""
        asked = self.attack_run.value
        outcomes = (None if asked is None else asked.attacks, made.attacks)
        played = [outcome for outcome in outcomes if outcome is not None]
        return max(played, key=lambda outcome: outcome.broken, default=None)

    def _review_warning(self) -> tuple[str, ...]:
        """A sentence on drafted columns that nobody has reviewed; none if there are none."""
        names = self.unreviewed
        if not names:
            return ()
        count = "1 column was" if len(names) == 1 else f"{len(names):,} columns were"
        return (f"{count} drafted and never reviewed: {list_names_shortly(names)}. See Roles.",)

    @property
    def table(self) -> jobs.TableFile:
        """The table that is open, and how to read it; `PolicyError` without one."""
        return self.session.require_table()

    async def look_at_table(self) -> facts.OpenedTable:
        """Return what the table holds; the worker is asked once."""
        return await self.table_run.start(jobs.OpenTable(self.table)).wait_for_answer()

    async def list_choices(self) -> facts.Choices:
        """Return which searches and presets there are; the worker is asked once."""
        return await self._choices_run.start(jobs.ListChoices()).wait_for_answer()

    async def kind_of(self, column: str) -> str:
        """The kind of a column: `number`, `date` or `text`; `text` if there is no such column."""
        table = await self.look_at_table()
        return next((one.kind for one in table.columns if one.name == column), "text")

    async def draft(self) -> facts.DraftFacts:
        """Draft a policy; it becomes the session's unless that has one for these columns."""
        table = await self.look_at_table()
        draft = await self.draft_run.start(jobs.DraftPolicy(self.table)).wait_for_answer()
        policy = self.session.policy
        if not policy or set(edits.columns(policy)) != {column.name for column in table.columns}:
            self.session.forget_policy()
            self.session.change(draft.policy)
        return draft

    @property
    def _present_question(self) -> jobs.AskWhatIf:
        """The question what the policy means, for table, policy and world as they are now."""
        return jobs.AskWhatIf(self.table, self.session.policy, self.session.world)

    def search_in_background(self, *, asked: bool = False) -> facts.WhatIf | None:
        """Return what the policy's own search found; else start it, and return None.

        It starts only if nobody else waits, gives way to every other question, and begins again
        afterwards. A table of millions of records is searched only if somebody asked.
        """
        job, run = self._search_job(self.session.policy), self.search_run
        if run.job == job and run.value is not None:
            self._keep_answer(self._present_question, run.value)
            return run.value
        again = asked or ((job != self._searched_for or run.failed is REPLACED) and self.is_small)
        if again and not run.running and not self.session.worker.busy:
            self._searched_for = job
            run.start(job)
        return None

    def _search_job(self, policy: str) -> jobs.SearchPolicy:
        return jobs.SearchPolicy(self.table, policy, self.session.world)

    def search_state(self) -> SearchState:
        """How the full search for the present policy stands; see `SearchState`."""
        run = self.search_run
        if run.running:
            return "running"
        if run.failed is not None and self._searched_for == self._search_job(self.session.policy):
            return "waiting" if run.failed is REPLACED else "ended"
        return "waiting" if self.is_small else "unasked"

    @property
    def is_small(self) -> bool:
        """Whether the table was opened and has few enough records to be searched unasked."""
        table = self.table_run.value
        return table is not None and table.records <= SEARCHED

    def search_longer(self, point: facts.TriedRelease) -> None:
        """Start a full search for a point whose own was stopped, if the session's worker is idle.

        Keep in `longer_answers` what the former full search found.
        """
        run, answers = self._longer_run, self.longer_answers
        if isinstance(run.job, jobs.SearchPolicy) and run.value is not None:
            answers[run.job.policy] = run.value
        bound = point.answer is not None and point.answer.quick and point.policy not in answers
        job = self._search_job(point.policy)
        again = job != self._longer_for or run.failed is REPLACED
        if bound and again and not run.running and not self.session.worker.busy:
            self._longer_for = job
            run.start(job)

    async def ask_what_if(self) -> facts.WhatIf | facts.Unanswered | Failed | None:
        """Ask what the policy means; None if it or the table changed, or the job was cancelled."""
        job, openings = self._present_question, self._openings
        while job not in self._answers:
            match await self._wait_for_end_of(job):
                case Done(value) if openings == self._openings:
                    self._keep_answer(job, value)
                case Failed() as failed:
                    return failed
                case ended:
                    if ended is not REPLACED or job != self._present_question:
                        return None
        return self._answers[job]

    async def _wait_for_end_of(self, job: Job[Any]) -> Ending:
        """Wait for the end of a question; tabs that ask the same share it."""
        if job not in self._asked:
            self._asked[job] = asyncio.ensure_future(self.session.ask(job).wait_for_end())
        try:
            return await asyncio.shield(self._asked[job])
        finally:
            if job in self._asked and self._asked[job].done():
                del self._asked[job]

    async def change(
        self, edit: Callable[[str], str], world: jobs.WorldFiles | None = None
    ) -> bool:
        """Change the policy, and the world if one is given, once the worker accepts the policy.

        Return False if the check was cancelled, or a newer change or table took its place;
        `FailedJobError` if the worker refuses the policy.
        """
        text, openings = edit(self.session.policy), self._openings
        match await self.session.ask(jobs.CheckPolicy(self.table, text)).wait_for_end():
            case Failed(message, remedy):
                raise FailedJobError(message, remedy=remedy)
            case Done() if openings == self._openings:
                self.session.change(text, world)
                return True
            case _:
                return False

    def _keep_answer(self, job: Job[Any], answer: facts.WhatIf | facts.Unanswered) -> None:
        """Keep the answer to a question; of too many, the oldest go."""
        while len(self._answers) >= _KEPT:
            self._answers.pop(next(iter(self._answers)))
        self._answers[job] = answer

    async def ask(self, job: Job[Answer]) -> Answer:
        """Run a small job and return its answer; `FailedJobError` if it fails or is cancelled."""
        return await self.start(job).wait_for_answer()

    def start(self, job: Job[Answer]) -> JobRun[Answer]:
        """Start a small job in a run of its own and return that run; `ask` waits for the answer."""
        return JobRun[Answer](self.session.worker).start(job)

    def open(self, path: str | Path | None, reading: ReadingOptions | None = None) -> None:
        """Take another table or reading, or no table; forget all jobs, answers and reviews."""
        self.session.cancel()
        self.session.open(path, reading)
        self._openings += 1
        for known in (self.passed, self.reviewed, self.longer_answers, self._answers, self._asked):
            known.clear()
        self._searched_for = self._longer_for = None
        for run in vars(self).values():
            if isinstance(run, JobRun):
                run.forget()
