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
from incrowd.web.pages.released import draw_verdict_table
from incrowd.web.wording import page_sentence

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
    page.draw_settings()
    ProgressLine(frame, frame.project.check_run)
    page.draw_outcome()
    frame.watch(page.refresh)


class CheckPage:
    """The page in one tab."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._project = frame.project
        self._checking = frame.project.checking
        self._checking.made = frame.project.release_run.value
        self._seen = self._drawn_state()
        self._selects: dict[str, ui.select] = {}
        self._shown: dict[str, str | None] = {}

    def _drawn_state(self) -> tuple[object, ...]:
        """Values that differ from earlier ones once the outcome must be drawn anew."""
        return (self._project.check_run.news, self._project.check_is_old)

    def refresh(self) -> None:
        """Draw the outcome anew if there is news, and show what other tabs chose."""
        if self._shown != self._chosen_paths():
            self._show_chosen()
        if self._drawn_state() != self._seen:
            self._seen = self._drawn_state()
            self.draw_outcome.refresh()
            self._frame.refresh_around()

    # What to check

    def draw_settings(self) -> None:
        """Draw the card that asks which release to check, with which other files."""
        with blocks.draw_card("What to check"):
            FileDrop(
                "release", "Choose a release and its certificate", self._take_uploads, multiple=True
            )
            with blocks.draw_box("slot"):
                self._draw_select("release")
                self._draw_select("certificate")
            blocks.draw_text("p", self._folder_words(), "quiet small")
            with ui.expansion("Key, original and policy, if you have them").props("dense"):
                for purpose in _MORE:
                    self._draw_slot(purpose)
            self._draw_world_switch()
            with blocks.draw_bar():
                blocks.draw_primary_button("Check it", self._check).props("icon=fact_check")
        self._shown = self._chosen_paths()

    def _draw_world_switch(self) -> None:
        """Draw a switch that also counts the people of the world; nothing without one."""
        files = self._project.session.world.files
        if files:
            names = ", ".join(Path(file).name for file in files)
            words = f"Count the people of the world, too: {names}"
            ui.switch(words).bind_value(self._checking, "against_world")

    def _folder_words(self) -> str:
        folder = self._project.session.folder.name or "/"
        return (
            f"Drop files from anywhere, or choose them in the folder {folder}. Nobody needs the "
            "original. Copies that you hand over are deleted when incrowd ui ends."
        )

    def _draw_slot(self, purpose: str) -> None:
        """Draw the choice of a file that may be at hand, and a place to drop it on."""
        button, words = _MORE[purpose]
        with blocks.draw_box("slot"):
            with blocks.draw_box("stack"):
                self._draw_select(purpose)
                blocks.draw_text("p", words, "quiet small")
            FileDrop(purpose, button, self._take_uploads)

    def _draw_select(self, purpose: str) -> None:
        """Draw the field that chooses the file for a purpose."""
        made = ui.select(
            self._checking.options(purpose),
            label=PURPOSES[purpose],
            value=self._checking.chosen_path(purpose),
            clearable=True,
            with_input=True,
            on_change=partial(self._pick, purpose),
        )
        self._selects[purpose] = made.props("outlined dense")

    def _pick(self, purpose: str, event: object) -> None:
        """Take the file that was chosen in a field, unless it is in force already."""
        value = getattr(event, "value", None)
        if value != self._checking.chosen_path(purpose):
            self._checking.choose(purpose, value)
            self._show_chosen()

    def _take_uploads(self) -> None:
        """Choose the files that the browser has just handed over."""
        self._checking.choose_uploads()
        self._show_chosen()

    def _chosen_paths(self) -> dict[str, str | None]:
        """The chosen file for each purpose; None where none is chosen."""
        return {purpose: self._checking.chosen_path(purpose) for purpose in PURPOSES}

    def _show_chosen(self) -> None:
        self._shown = self._chosen_paths()
        for purpose, select in self._selects.items():
            select.set_options(self._checking.options(purpose), value=self._shown[purpose])

    def _check(self) -> None:
        """Start the check of the chosen files; without a release, ask for one."""
        job = self._checking.check_job()
        if job is None:
            ui.notify("Choose a release first.", position="bottom")
            return
        self._project.check_run.forget()
        self._project.check_run.start(job)
        self.refresh()  # what was found before is gone at once

    # What came out

    @ui.refreshable_method
    def draw_outcome(self) -> None:
        """Draw what the check found, or why it failed; nothing before a check."""
        run, old = self._project.check_run, self._project.check_is_old
        if run.error is not None:
            self._frame.show_error(run.error)
        if run.value is None:
            return
        if old and isinstance(run.job, jobs.CheckRelease):
            name = Path(run.job.release).name
            blocks.draw_note(
                [f"Other files are chosen now. What is said below is about {name}."], "warn"
            )
        _draw_check(run.value, old=old)


def _draw_check(check: Check, *, old: bool) -> None:
    """Draw what a check found; an `old` one, of other files, is not drawn as good."""
    if check.ok:
        words = "Every promise is kept, counted anew from the file."
        blocks.draw_note([words, _BY_FILE], "" if old else "good")
    else:
        blocks.draw_note(["The check does not pass. Do not rely on this file."], "bad")
    with blocks.draw_card("What was counted"):
        draw_verdict_table(check.models)
        for words in check.notes:
            blocks.draw_text("p", page_sentence(words))
    with blocks.draw_card("Whose file it is"):
        _draw_answer("The certificate belongs to this file", check.digest_ok, "no certificate")
        signature = check.signature
        if signature is None:
            _draw_answer("The certificate is signed", None, "no signature")
        else:
            _draw_answer("The signature is right", signature.valid, "could not be computed")
            _draw_answer("You trust the key that signed", signature.trusted, "no key given")
            blocks.draw_text(
                "p", f"Fingerprint of the key: {signature.fingerprint}", "mono small quiet"
            )
        blocks.draw_text("p", f"SHA-256 of the file: {check.digest}", "mono small quiet")
    _draw_claims(check)


def _draw_answer(words: str, answer: bool | None, without: str) -> None:
    """Draw a statement with yes or no, or with `without` if the answer is None."""
    with blocks.draw_bar():
        blocks.draw_text("span", words)
        if answer is None:
            blocks.draw_tag(without)
        else:
            blocks.draw_tag("yes" if answer else "no", "good" if answer else "bad")


def _draw_claims(check: Check) -> None:
    """Draw which entries of the certificate were recounted, and which not; nothing without any."""
    if not check.recounted and not check.claimed:
        return
    with blocks.draw_card("What the certificate says"):
        if check.recounted:
            _draw_entries("Counted again, and true", check.recounted)
        if check.claimed:
            _draw_entries("Not counted again: you take its word for it", check.claimed)


def _draw_entries(words: str, places: tuple[str, ...]) -> None:
    blocks.draw_text("h3", words)
    blocks.draw_text("p", ", ".join(places), "mono small")
