"""What all tabs share: answers of forgotten jobs and of former tables are nobody's."""

import asyncio

import pytest
from nicegui import core

from incrowd.web import facts
from incrowd.web.events import Done, Progress
from incrowd.web.jobs import AskWhatIf, CheckPolicy, Job, OpenTable, TableFile
from incrowd.web.pages.project import FailedJobError, JobRun, Project
from incrowd.web.session import PageSession
from incrowd.web.worker import CANCELLED, Ticket

OLD, NEW = OpenTable(TableFile("old.csv")), OpenTable(TableFile("new.csv"))
SMALL = facts.OpenedTable(records=9, columns=(), notes=())


class Hand:
    """A worker whose jobs end when the test says so."""

    def __init__(self):
        self.tickets, self.busy = [], False

    def submit(self, job: Job):
        self.tickets.append(Ticket(len(self.tickets), job))
        return self.tickets[-1]

    def cancel(self):
        """Only ask: a job may still end in another way."""

    def give_way(self):
        """Nothing runs in the background."""


@pytest.fixture
def play(monkeypatch):
    """Run a coroutine in the loop that the pages use."""

    async def in_its_loop(work):
        monkeypatch.setattr(core, "loop", asyncio.get_running_loop())
        await work

    return lambda work: asyncio.run(in_its_loop(work))


async def settle():
    """Let all that can go on go on; nothing waits for time here."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("event", [Done("late"), CANCELLED, Progress("half", 0.5, "part")])
def test_events_of_a_forgotten_job_are_nobodys(play, event):
    async def work():
        hand = Hand()
        run = JobRun(hand).start(OLD)
        await settle()
        run.forget()
        hand.tickets[0].put(event)
        await settle()
        assert (run.value, run.failed, run.progress, run.parts) == (None, None, None, [])
        assert not run.running

    play(work())


def test_who_waits_for_a_forgotten_job_is_told(play):
    async def work():
        hand = Hand()
        run = JobRun(hand)
        waiting = asyncio.ensure_future(run.start(OLD).wait_for_answer())
        await settle()
        run.start(NEW)
        hand.tickets[0].put(Done("old"))
        await settle()
        assert isinstance(waiting.exception(), FailedJobError)
        assert run.running
        hand.tickets[1].put(Done("new"))
        assert await run.wait_for_answer() == "new"

    play(work())


def project_of(tmp_path):
    """A project with an open table and a policy, and the hand that ends its jobs."""
    hand = Hand()
    session = PageSession(tmp_path, worker=hand)
    session.behind = Hand()
    project = Project(session)
    open_again(project)
    return project, hand


def open_again(project):
    project.open(None)
    project.open("table.csv")
    project.session.change("a policy")


async def answer(project, hand, value):
    asked = asyncio.ensure_future(project.ask_what_if())
    await settle()
    hand.tickets[-1].put(Done(value))
    return await asked


def test_a_file_that_is_opened_again_is_asked_about_again(play, tmp_path):
    async def work():
        project, hand = project_of(tmp_path)
        assert await answer(project, hand, "before") == "before"
        assert await project.ask_what_if() == "before"
        open_again(project)
        assert await answer(project, hand, "after") == "after"

    play(work())


def test_a_late_answer_is_not_kept_for_the_file_that_is_opened_again(play, tmp_path):
    async def work():
        project, hand = project_of(tmp_path)
        old = asyncio.ensure_future(project.ask_what_if())
        await settle()
        open_again(project)
        new = asyncio.ensure_future(project.ask_what_if())
        await settle()
        late, now = (one for one in hand.tickets if isinstance(one.job, AskWhatIf))
        late.put(Done("before"))
        now.put(Done("after"))
        assert await new == "after"
        assert await old is None
        assert await project.ask_what_if() == "after"

    play(work())


def test_a_file_that_is_opened_again_is_searched_again(play, tmp_path):
    async def work():
        project, _ = project_of(tmp_path)
        behind = project.session.behind
        for number in (1, 2):
            project.table_run.value = SMALL
            project.search_in_background()
            assert len(behind.tickets) == number
            open_again(project)

    play(work())


def test_a_policy_checked_for_a_former_table_is_not_taken(play, tmp_path):
    async def work():
        project, hand = project_of(tmp_path)
        changing = asyncio.ensure_future(project.change(lambda _: "edited"))
        await settle()
        project.open("other.csv")
        (checked,) = (one for one in hand.tickets if isinstance(one.job, CheckPolicy))
        checked.put(Done(None))
        assert not await changing
        assert project.session.policy == ""

    play(work())
