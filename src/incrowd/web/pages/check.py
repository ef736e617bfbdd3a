"""Check: a release and its certificate from somebody else, counted anew from the file alone."""

from functools import partial
from pathlib import Path

from nicegui import ui

from incrowd.verify.verdict import Check
from incrowd.web import jobs
from incrowd.web.pages import blocks
from incrowd.web.pages.checking import PURPOSES
from incrowd.web.pages.file_drop import FileDrop
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.progress import ProgressLine
from incrowd.web.pages.released import verdicts
from incrowd.web.wording import sentence

_MORE = {
    "key": ("Choose a key", "With it, a certificate that this key has not signed does not pass."),
    "original": ("Choose a table", "With it and the policy file, losses are recounted, too."),
    "policy": ("Choose a policy", "Without it the certificate's own policy is used."),
}
"""What may be at hand: the words of its button, and what it is good for."""
_BY_FILE = "A check counts promises. Whether attacks on the file succeed, it does not say."


async def show(frame: Frame) -> None:
    """Draw the page."""
    page = CheckPage(frame)
    page.settings()
    ProgressLine(frame, frame.project.checked)
    page.outcome()
    frame.watch(page.refresh)


class CheckPage:
    """The page in one tab."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._project = frame.project
        self._checking = frame.project.checking
        self._checking.made = frame.project.released.value
        self._seen = self._now()
        self._selects: dict[str, ui.select] = {}
        self._shown: dict[str, str | None] = {}

    def _now(self) -> tuple[object, ...]:
        work = self._project.checked
        return (work.running, id(work.value), work.failed, self._project.check_is_old)

    def refresh(self) -> None:
        """Draw the outcome anew if there is news, and show what other tabs chose."""
        if self._shown != self._chosen():
            self._show_chosen()
        if self._now() != self._seen:
            self._seen = self._now()
            self.outcome.refresh()
            self._frame.refresh_around()

    # What to check

    def settings(self) -> None:
        """Which release, with which certificate, and what else is at hand."""
        with blocks.card("What to check"):
            FileDrop("release", "Choose a release and its certificate", self._sent, multiple=True)
            with blocks.box("slot"):
                self._select("release")
                self._select("certificate")
            blocks.text("p", self._where(), "quiet small")
            with ui.expansion("Key, original and policy, if you have them").props("dense"):
                for purpose in _MORE:
                    self._slot(purpose)
            self._world()
            with blocks.bar():
                blocks.primary("Check it", self._check).props("icon=fact_check")
        self._shown = self._chosen()

    def _world(self) -> None:
        """Whether to count the people of the world that was chosen for the table."""
        files = self._project.session.world.files
        if files:
            names = ", ".join(Path(file).name for file in files)
            words = f"Count the people of the world, too: {names}"
            ui.switch(words).bind_value(self._checking, "against_world")

    def _where(self) -> str:
        folder = self._project.session.folder.name or "/"
        return (
            f"Drop files from anywhere, or choose them in the folder {folder}. Nobody needs the "
            "original. Copies that you hand over are deleted when incrowd ui ends."
        )

    def _slot(self, purpose: str) -> None:
        button, words = _MORE[purpose]
        with blocks.box("slot"):
            with blocks.box("stack"):
                self._select(purpose)
                blocks.text("p", words, "quiet small")
            FileDrop(purpose, button, self._sent)

    def _select(self, purpose: str) -> None:
        made = ui.select(
            self._checking.options(purpose),
            label=PURPOSES[purpose],
            value=self._checking.path(purpose),
            clearable=True,
            with_input=True,
            on_change=partial(self._picked, purpose),
        )
        self._selects[purpose] = made.props("outlined dense")

    def _picked(self, purpose: str, event: object) -> None:
        value = getattr(event, "value", None)
        if value != self._checking.path(purpose):
            self._checking.choose(purpose, value)
            self._show_chosen()

    def _sent(self) -> None:
        self._checking.notice()
        self._show_chosen()

    def _chosen(self) -> dict[str, str | None]:
        return {purpose: self._checking.path(purpose) for purpose in PURPOSES}

    def _show_chosen(self) -> None:
        self._shown = self._chosen()
        for purpose, select in self._selects.items():
            select.set_options(self._checking.options(purpose), value=self._shown[purpose])

    def _check(self) -> None:
        job = self._checking.job()
        if job is None:
            ui.notify("Choose a release first.", position="bottom")
            return
        self._project.checked.forget()
        self._project.checked.start(job, job)
        self.refresh()  # what was found before is gone at once

    # What came out

    @ui.refreshable_method
    def outcome(self) -> None:
        """What the check found."""
        work = self._project.checked
        if work.failed is not None:
            remedy = getattr(work.failed, "remedy", "")
            blocks.note([sentence(work.failed.message), sentence(remedy)], "bad")
        elif work.value is not None:
            self._found(work.value)

    def _found(self, found: Check) -> None:
        job = self._project.checked.about
        if isinstance(job, jobs.CheckRelease) and self._project.check_is_old:
            name = Path(job.release).name
            blocks.note(
                [f"Other files are chosen now. What is said below is about {name}."], "warn"
            )
        _check_facts(found, old=self._project.check_is_old)


def _check_facts(found: Check, *, old: bool) -> None:
    if found.ok:
        words = "Every promise is kept, counted anew from the file."
        blocks.note([words, _BY_FILE], "" if old else "good")
    else:
        blocks.note(["The check does not pass. Do not rely on this file."], "bad")
    with blocks.card("What was counted"):
        verdicts(found.models)
        for words in found.notes:
            blocks.text("p", sentence(words))
    with blocks.card("Whose file it is"):
        _answer("The certificate belongs to this file", found.digest_ok, "no certificate")
        signature = found.signature
        if signature is None:
            _answer("The certificate is signed", None, "no signature")
        else:
            _answer("The signature is right", signature.valid, "could not be computed")
            _answer("You trust the key that signed", signature.trusted, "no key given")
            blocks.text("p", f"Fingerprint of the key: {signature.fingerprint}", "mono small quiet")
        blocks.text("p", f"SHA-256 of the file: {found.digest}", "mono small quiet")
    _claims(found)


def _answer(words: str, answer: bool | None, without: str) -> None:
    with blocks.bar():
        blocks.text("span", words)
        if answer is None:
            blocks.tag(without)
        else:
            blocks.tag("yes" if answer else "no", "good" if answer else "bad")


def _claims(found: Check) -> None:
    """What the certificate says: found again, or only said."""
    if not found.recounted and not found.claimed:
        return
    with blocks.card("What the certificate says"):
        if found.recounted:
            _listed("Counted again, and true", found.recounted)
        if found.claimed:
            _listed("Not counted again: you take its word for it", found.claimed)


def _listed(words: str, places: tuple[str, ...]) -> None:
    blocks.text("h3", words)
    blocks.text("p", ", ".join(places), "mono small")
