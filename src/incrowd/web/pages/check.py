"""Check: a release and its certificate from somebody else, counted anew from the file alone."""

from pathlib import Path

from nicegui import ui

from incrowd.web import files, jobs
from incrowd.web.facts import CheckFacts
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame, sentence
from incrowd.web.pages.progress import Progress
from incrowd.web.pages.release import verdicts


async def show(frame: Frame) -> None:
    """Draw the page."""
    page = CheckPage(frame)
    page.settings()
    Progress(frame, frame.project.checked)
    page.outcome()
    frame.watch(page.refresh)


class CheckPage:
    """The page in one tab."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._project = frame.project
        self._seen = self._now()

    def _now(self) -> tuple[object, ...]:
        work = self._project.checked
        return (work.running, id(work.value), work.failed)

    def refresh(self) -> None:
        """Draw the outcome anew if there is news."""
        if self._now() != self._seen:
            self._seen = self._now()
            self.outcome.refresh()
            self._frame.refresh_around()

    def settings(self) -> None:
        """Which release, and which certificate."""
        session = self._project.session
        there = [one.name for one in files.listing(session.folder, "") if not one.folder]
        mine = self._project.released.value
        proofs = [name for name in there if name.endswith(".json")]
        with blocks.card("What to check"):
            release = _chosen(there, "Release", Path(mine.release).name if mine else None)
            certificate = _chosen(
                proofs, "Certificate", Path(mine.certificate).name if mine else None
            )
            blocks.text(
                "p",
                f"Put both files into the folder {session.folder.name}. Nobody needs the original.",
            )
            counted = _world(session.world)

            def check() -> None:
                folder = Path(session.folder)
                if not release.value:
                    ui.notify("Choose a release first.", position="bottom")
                    return
                job = jobs.CheckRelease(
                    release=str(folder / str(release.value)),
                    certificate=str(folder / str(certificate.value)) if certificate.value else None,
                    world=session.world if counted is not None and counted.value else jobs.NO_WORLD,
                )
                self._project.checked.forget()
                self._project.checked.start(job, job)

            with blocks.bar():
                blocks.primary("Check it", check).props("icon=fact_check")

    @ui.refreshable_method
    def outcome(self) -> None:
        """What the check found."""
        work = self._project.checked
        if work.failed is not None:
            remedy = getattr(work.failed, "remedy", "")
            blocks.note([sentence(work.failed.message), sentence(remedy)], "bad")
        elif work.value is not None:
            _found(work.value)


def _world(world: jobs.World) -> ui.switch | None:
    """Whether to count the people of the world that was chosen for the table."""
    if not world.files:
        return None
    names = ", ".join(Path(file).name for file in world.files)
    return ui.switch(f"Count the people of the world, too: {names}", value=True)


def _chosen(there: list[str], label: str, value: str | None) -> ui.select:
    kept = value if value in there else None
    made = ui.select(there, label=label, value=kept, clearable=True, with_input=True)
    return made.props("outlined dense").style("min-width: 18rem; max-width: 34rem")


def _found(found: CheckFacts) -> None:
    if found.ok:
        blocks.note(["Every promise is kept, counted anew from the file."], "good")
    else:
        blocks.note(["Not every promise is kept. Do not publish this file."], "bad")
    with blocks.card("What was counted"):
        verdicts(found.verdicts)
        for words, answer in (
            ("The certificate belongs to this file", found.digest_ok),
            ("The signature is right", found.signature_ok),
            ("The key is trusted", found.trusted),
        ):
            if answer is not None:
                with blocks.bar():
                    blocks.text("span", words)
                    blocks.tag("yes" if answer else "no", "good" if answer else "bad")
        for sentence in found.notes:
            blocks.text("p", sentence, "quiet small")
