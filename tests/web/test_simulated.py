"""Pages without a browser: drawn from a session whose worker answers at once."""

import asyncio

import pytest

from incrowd.web import facts, jobs
from incrowd.web.events import Done, Failed
from incrowd.web.session import PageSession
from incrowd.web.worker import Ticket

pytest.importorskip("nicegui.testing")

POLICY = """\
version = 1
suppression = 0.0

[[models]]
name = "k-anonymity"
k = 5

[columns.age]
role = "quasi"

[columns.ward]
role = "keep"
"""
AGE = facts.ColumnFacts(name="age", kind="number", distinct=60, distinct_share=0.3, missing=None)
WARD = facts.ColumnFacts(name="ward", kind="text", distinct=4, distinct_share=0.02, missing=0)
CLASSES = facts.ClassFacts(k=1, classes=60, highest=1.0, average=0.3, uniques=None)
ANSWER = facts.WhatIf(
    before=CLASSES,
    after=facts.ClassFacts(k=7, classes=20, highest=1 / 7, average=0.1, uniques=0),
    suppressed=0,
    why_refused=None,
    loss_name="gcp",
    loss=0.2,
    by_column={"age": 0.2},
    quick=True,
    how="quick classes",
    seconds=0.1,
)
ANSWERS = {
    jobs.OpenTable: facts.OpenedTable(
        records=200, columns=(AGE, WARD), notes=("2 lines are empty.",)
    ),
    jobs.DraftPolicy: facts.DraftFacts(
        policy=POLICY, reasons={"age": "ages are widely known"}, hierarchies={}, review=("ward",)
    ),
    jobs.AskWhatIf: ANSWER,
    jobs.SearchPolicy: ANSWER,
    jobs.FindSets: facts.FoundSets(sets=(), ratio=0.9, promise="", sampled=False),
    jobs.ListChoices: facts.Choices(searches={"crowd": "local recoding"}),
    jobs.CheckPolicy: None,
}


class Answering:
    """A worker that has its answers ready, and remembers what it was asked."""

    busy = False

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def submit(self, job):
        self.asked.append(job)
        ticket = Ticket(len(self.asked), job)
        answer = self.answers[type(job)]
        ticket.put(answer if isinstance(answer, Failed) else Done(answer))
        return ticket

    def cancel(self):
        """Nothing is under way."""

    def close(self):
        """Nothing is open."""


@pytest.fixture
def session(tmp_path):
    made = PageSession(tmp_path, worker=Answering(dict(ANSWERS)))
    yield made
    made.close()


def simulated(session, look):
    """Look at the pages of a session as a user."""
    from nicegui.testing import user_simulation

    from incrowd.web import pages

    async def run():
        async with user_simulation() as user:
            pages.attach(session)
            await look(user)

    asyncio.run(run())


@pytest.mark.slow
def test_the_table_is_shown_without_cells(session, tmp_path):
    async def look(user):
        await user.open("/")
        for words in ("200 records, 2 columns", "2 lines are empty.", "fewer than 5", "30 %"):
            await user.should_see(words)
        await user.should_not_see("private copy")

    session.open(tmp_path / "people.csv")
    simulated(session, look)
    assert not [job for job in session.worker.asked if isinstance(job, jobs.ShowRows)]


@pytest.mark.slow
def test_a_copy_is_called_a_copy(session):
    async def look(user):
        await user.open("/")
        await user.should_see("This is a private copy.")
        await user.should_see("The release goes into the folder")
        user.find("Another table").click()
        await user.should_see("A table from elsewhere")

    place = session.uploads.make_place("people.csv")
    place.write_text("age\n1\n")
    session.open(place)
    simulated(session, look)
    assert not place.exists()


@pytest.mark.slow
def test_a_file_that_was_handed_over_is_opened(session):
    async def look(user):
        from incrowd.web.pages.file_drop import FileDrop

        await user.open("/")
        await user.should_see("A table from elsewhere")
        place = session.uploads.make_place("people.csv")
        place.write_text("age\n1\n")
        session.uploads.put("table", place)
        user.find(FileDrop).trigger("sent")
        await user.should_see("200 records, 2 columns")
        assert session.source == str(place)

    simulated(session, look)


@pytest.mark.slow
def test_what_is_wrong_with_a_table_is_told(session, tmp_path):
    async def look(user):
        await user.open("/")
        await user.should_see("The file is empty.")
        await user.should_see("Choose another one.")

    session.worker.answers[jobs.OpenTable] = Failed("the file is empty", "choose another one", 3)
    session.open(tmp_path / "people.csv")
    simulated(session, look)


@pytest.mark.slow
def test_roles_are_drafted_with_their_reasons(session, tmp_path):
    async def look(user):
        await user.open("/roles")
        await user.should_see("ages are widely known")
        await user.should_see("review")
        assert session.policy == POLICY

    session.open(tmp_path / "people.csv")
    simulated(session, look)


@pytest.mark.slow
def test_the_promise_shows_what_the_policy_does(session, tmp_path):
    async def look(user):
        await user.open("/promise")
        await user.should_see("finds 5 people or more")
        await user.should_see("people share each line at least")
        await user.should_see("7")
        await user.should_see("14 %")

    session.open(tmp_path / "people.csv")
    simulated(session, look)


@pytest.mark.slow
def test_pages_without_a_table_lead_to_one(session):
    async def look(user):
        for path in ("/roles", "/promise", "/release"):
            await user.open(path)
            await user.should_see("There is no table yet.")

    simulated(session, look)
