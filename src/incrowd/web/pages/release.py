"""Release: make it. What came out is in `released`."""

from pathlib import Path

from nicegui import ui

from incrowd.errors import PolicyError
from incrowd.web import jobs
from incrowd.web.facts import Replaced
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.progress import ProgressLine
from incrowd.web.pages.released import ReleaseOutcome
from incrowd.web.session import PageSession
from incrowd.web.wording import list_names_shortly

_LARGEST_SEED = 2**53


async def show(frame: Frame) -> None:
    """Draw the page."""
    if await frame.draft() is None:
        return
    _say_unreviewed(frame)
    outcome = ReleaseOutcome(frame)
    ReleaseForm(frame, outcome)
    ProgressLine(frame, frame.project.release_run)
    outcome.draw_outcome()
    frame.watch(outcome.refresh)


def _say_unreviewed(frame: Frame) -> None:
    """Warn about columns that nobody has reviewed, unless a verdict says it already."""
    names = frame.project.unreviewed
    if names and frame.project.release_run.value is None:  # else the verdict says so
        words = "1 column still needs" if len(names) == 1 else f"{len(names):,} columns still need"
        blocks.draw_note([f"{words} your eye: {list_names_shortly(names)}. See Roles."], "warn")


class ReleaseForm:
    """Where the release goes, and what comes with it: the fields show what is in force."""

    def __init__(self, frame: Frame, outcome: ReleaseOutcome) -> None:
        self._frame, self._outcome = frame, outcome
        self._session = session = frame.project.session
        made_before = self._frame.project.release_run.value is not None
        with blocks.draw_card("What to make"):
            with blocks.draw_bar():
                self._target = ui.input("File of the release", value=Path(session.target).name)
                self._seed = ui.number("Seed", value=session.seed, format="%d")
                for one in (self._target, self._seed):
                    one.props("outlined dense")
                wanted = session.report is not None or not made_before
                self._report = ui.switch("With a report to read", value=wanted)
            self._key = ui.input(
                "Private key to sign with (a file, optional)", value=session.sign or ""
            ).props("outlined dense")
            blocks.draw_text("p", _folder_words(session), "quiet small")
            with blocks.draw_bar():
                blocks.draw_primary_button("Make the release", self._confirm_and_start).props(
                    "icon=verified_user"
                )

    def _take_fields(self) -> bool:
        """Take name and seed, and return whether both are accepted.

        If one is refused, say why and show what is in force again.
        """
        with self._frame.saying_refusals():
            self._session.name_release(str(self._target.value or ""))
            self._session.seed = whole_seed(self._seed.value)
            return True
        self._target.set_value(Path(self._session.target).name)
        self._seed.set_value(self._session.seed)
        return False

    async def _confirm_and_start(self) -> None:
        """Start the release, once somebody agrees to the files that it replaces."""
        if not self._take_fields():
            return
        session = self._session
        session.report = f"{session.target}.report.html" if self._report.value else None
        session.sign = str(self._key.value or "").strip() or None
        self._frame.refresh_around()
        job = session.release_job()
        there: Replaced = await self._frame.project.ask(jobs.FindReplaced(job))
        if not there.names or await _ask_to_replace(there, sign=job.sign is not None):
            self._start(job)

    def _start(self, job: jobs.MakeRelease) -> None:
        project = self._frame.project
        for work in (project.release_run, project.attack_run, project.compare_run):
            work.forget()
        project.release_run.start(job)
        self._outcome.refresh()  # what was made before is gone at once


async def _ask_to_replace(there: Replaced, *, sign: bool) -> bool:
    """Ask whether files may be replaced: True only if somebody says so."""
    with ui.dialog() as dialog, ui.card():
        blocks.draw_text("h2", "Replace what is there?")
        for words in replaced_words(there, sign=sign):
            blocks.draw_text("p", words)
        with blocks.draw_bar("end"):
            blocks.draw_plain_button("Keep it", lambda: dialog.submit(False))
            blocks.draw_primary_button("Replace it", lambda: dialog.submit(True))
    try:
        return bool(await dialog)
    finally:
        dialog.delete()


def replaced_words(there: Replaced, *, sign: bool) -> tuple[str, ...]:
    """Sentences on files that would be replaced; `sign` says whether the new one is signed.

    >>> replaced_words(Replaced(names=("a.csv",), signed=False), sign=False)
    ('a.csv is there already and would be replaced.',)
    """
    verb = "is there already and" if len(there.names) == 1 else "are there already, and all"
    replaced = f"{', '.join(there.names)} {verb} would be replaced."
    if not there.signed:
        return (replaced,)
    anew = "The certificate is signed, and the new one would be signed anew."
    unsigned = "The certificate is signed. The new one would NOT be: no key is given."
    return (anew if sign else unsigned, replaced)


def whole_seed(value: float | None) -> int:
    """The seed in a field as a whole number; `PolicyError` unless it is from 0 to below 2**53.

    >>> whole_seed(7.0)
    7
    """
    if value is None or not 0 <= value < _LARGEST_SEED or value != int(value):
        raise PolicyError(
            "the seed is a whole number that is not below zero",
            remedy="give another one, or leave the one that is there",
        )
    return int(value)


def _folder_words(session: PageSession) -> str:
    where = f"Everything goes into the folder {session.folder.name or '/'}."
    stays = " It stays there; the copy of the table is deleted when incrowd ui ends."
    return where + (stays if session.is_copy else "")
