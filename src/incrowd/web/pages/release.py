"""Release: make it. What came out is in `released`."""

from pathlib import Path
from typing import Any

from nicegui import ui

from incrowd.errors import IncrowdError, PolicyError
from incrowd.web import jobs
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.progress import Progress
from incrowd.web.pages.released import Outcome
from incrowd.web.replacing import Replaced, replaced_by
from incrowd.web.session import Session
from incrowd.web.wording import named_shortly

_LARGEST_SEED = 2**53


async def show(frame: Frame) -> None:
    """Draw the page."""
    if not frame.has_table():
        return
    await frame.answer(frame.project.draft(), "Drafting a policy")
    frame.settled()
    _unreviewed(frame)
    outcome = Outcome(frame)
    ReleaseForm(frame, outcome).draw()
    Progress(frame, frame.project.released)
    outcome.draw()
    frame.watch(outcome.refresh)


def _unreviewed(frame: Frame) -> None:
    """Say which columns nobody has looked at yet."""
    names = frame.project.unreviewed
    if names and frame.project.released.value is None:  # else the verdict says so
        words = "1 column still needs" if len(names) == 1 else f"{len(names):,} columns still need"
        blocks.note([f"{words} your eye: {named_shortly(names)}. See Roles."], "warn")


class ReleaseForm:
    """Where the release goes, and what comes with it: the fields show what is in force."""

    def __init__(self, frame: Frame, outcome: Outcome) -> None:
        self._frame, self._outcome = frame, outcome
        self._session = frame.project.session
        self._target: ui.input
        self._seed: ui.number
        self._report: ui.switch
        self._key: ui.input

    def draw(self) -> None:
        """The fields and the button."""
        session = self._session
        made_before = self._frame.project.released.value is not None
        with blocks.card("What to make"):
            with blocks.bar():
                self._target = ui.input("File of the release", value=Path(session.target).name)
                self._seed = ui.number("Seed", value=session.seed, format="%d")
                for one in (self._target, self._seed):
                    one.props("outlined dense")
                self._target.on("change", self._named)
                self._seed.on("change", self._seeded)
                wanted = session.report is not None or not made_before
                self._report = ui.switch("With a report to read", value=wanted)
            self._key = ui.input(
                "Private key to sign with (a file, optional)", value=session.sign or ""
            ).props("outlined dense")
            blocks.text("p", _goes(session), "quiet small")
            with blocks.bar():
                blocks.primary("Make the release", self._asked).props("icon=verified_user")

    def _named(self) -> bool:
        return self._take(self._name)

    def _seeded(self) -> bool:
        return self._take(self._sow)

    def _take(self, put: Any) -> bool:
        """Take a value, or say why not and show what is in force again."""
        try:
            put()
        except IncrowdError as error:
            self._frame.refused(error)
            self._show()
            return False
        self._frame.refresh_around()
        return True

    def _name(self) -> None:
        self._session.name_release(str(self._target.value or ""))

    def _sow(self) -> None:
        self._session.seed = whole_seed(self._seed.value)

    def _show(self) -> None:
        """The fields as the session has them."""
        self._target.set_value(Path(self._session.target).name)
        self._seed.set_value(self._session.seed)

    async def _asked(self) -> None:
        """Make the release, once somebody agrees to what it replaces."""
        if not (self._take(self._name) and self._take(self._sow)):
            return
        session = self._session
        session.report = f"{session.target}.report.html" if self._report.value else None
        session.sign = str(self._key.value or "").strip() or None
        self._frame.refresh_around()
        job = session.release_job()
        there = replaced_by(job)
        if there is None or await _agrees(there, sign=session.sign is not None):
            self._make(job)

    def _make(self, job: jobs.MakeRelease) -> None:
        project = self._frame.project
        for work in (project.released, project.attacked, project.compared):
            work.forget()
        project.released.start(job, job)
        self._outcome.refresh()  # what was made before is gone at once


async def _agrees(there: Replaced, *, sign: bool) -> bool:
    """Ask whether files that are there may be replaced."""
    with ui.dialog() as dialog, ui.card():
        blocks.text("h2", "Replace what is there?")
        for words in there.sentences(sign=sign):
            blocks.text("p", words)
        with blocks.bar("end"):
            blocks.other("Keep it", lambda: dialog.submit(False))
            blocks.primary("Replace it", lambda: dialog.submit(True))
    try:
        return bool(await dialog)
    finally:
        dialog.delete()


def whole_seed(value: float | None) -> int:
    """A seed as a field has it.

    >>> whole_seed(7.0)
    7
    """
    if value is None or not 0 <= value < _LARGEST_SEED or value != int(value):
        raise PolicyError(
            "the seed is a whole number that is not below zero",
            remedy="give another one, or leave the one that is there",
        )
    return int(value)


def _goes(session: Session) -> str:
    where = f"Everything goes into the folder {session.folder.name or '/'}."
    stays = " It stays there; the copy of the table is deleted when incrowd ui ends."
    return where + (stays if session.passing else "")
