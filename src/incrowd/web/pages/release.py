"""Release: make it, see what was proved, attack it, compare it, report it."""

from pathlib import Path

from nicegui import ui

from incrowd.web import jobs
from incrowd.web.facts import ReleaseFacts, TextFacts, VerdictFacts
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame, sentence
from incrowd.web.pages.progress import Progress
from incrowd.web.pages.project import Work
from incrowd.web.session import Session


async def show(frame: Frame) -> None:
    """Draw the page."""
    if not frame.has_table():
        return
    await frame.answer(frame.project.draft(), "Drafting a policy")
    frame.settled()
    page = ReleasePage(frame)
    page.settings()
    Progress(frame, frame.project.released)
    page.outcome()
    frame.watch(page.refresh)


class ReleasePage:
    """The page in one tab."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._project = frame.project
        self._seen = self._now()

    def _now(self) -> tuple[object, ...]:
        works = (self._project.released, self._project.attacked, self._project.compared)
        return tuple((work.running, id(work.value), work.failed) for work in works)

    def refresh(self) -> None:
        """Draw the outcome anew if there is news."""
        if self._now() != self._seen:
            self._seen = self._now()
            self.outcome.refresh()
            self._frame.refresh_around()

    def settings(self) -> None:
        """Where it goes, and what comes with it."""
        session = self._project.session
        with blocks.card("What to make"):
            with blocks.bar():
                target = ui.input("File of the release", value=Path(session.target).name)
                seed = ui.number("Seed", value=session.seed, min=0, format="%d")
                for one in (target, seed):
                    one.props("outlined dense")
                report = ui.switch("With a report to read", value=True)
            key = ui.input("Private key to sign with (a file, optional)").props("outlined dense")
            blocks.text("p", _goes(session), "quiet small")

            def make() -> None:
                session.target = str(Path(session.target).parent / Path(str(target.value)).name)
                session.seed = int(seed.value or 0)
                self._make(report=bool(report.value), sign=str(key.value).strip() or None)

            with blocks.bar():
                blocks.primary("Make the release", make).props("icon=verified_user")

    def _make(self, *, report: bool, sign: str | None) -> None:
        session = self._project.session
        session.report = f"{session.target}.report.html" if report else None
        session.sign = sign
        job = session.release_job()
        for work in (self._project.released, self._project.attacked, self._project.compared):
            work.forget()
        self._project.released.start(job, job)
        self.refresh()  # what was made before is gone at once

    @ui.refreshable_method
    def outcome(self) -> None:
        """How far it is, and what came out."""
        work = self._project.released
        if work.failed is not None:
            remedy = getattr(work.failed, "remedy", "")
            blocks.note([sentence(work.failed.message), sentence(remedy)], "bad")
        elif work.value is not None:
            self._released(work.value)

    def _released(self, made: ReleaseFacts) -> None:
        left = "fewer than 5" if made.suppressed is None else blocks.whole(made.suppressed)
        name = Path(made.release).name
        blocks.note([f"{name} is written, was read again, and keeps every promise."], "good")
        with blocks.card("What was proved"):
            verdicts(made.verdicts)
            first = next(iter(made.losses.items()), ("loss", 0.0))
            blocks.figures(
                [
                    (str(made.k), "people share each line at least", "good" if made.k > 1 else ""),
                    (blocks.whole(made.records), "records leave", ""),
                    (left, "records left out", ""),
                    (blocks.percent(first[1]), f"information loss ({first[0]})", ""),
                ]
            )
            for sentence in made.notes:
                blocks.text("p", sentence, "quiet small")
        self._files(made)
        with blocks.box("stack"):
            self._asked("Attack it", self._project.attacked, self._attack)
            self._asked("Compare before and after", self._project.compared, self._compare)
        self._frame.next_button()

    def _files(self, made: ReleaseFacts) -> None:
        with blocks.card("Files"):
            for label, path in (
                ("Release", made.release),
                ("Certificate", made.certificate),
                ("Report", made.report),
            ):
                if path:
                    with blocks.box("between"):
                        blocks.text("span", f"{label}: {Path(path).name}")
                        blocks.other(
                            "Download", lambda path=path: ui.download.file(path), "download"
                        )
            blocks.text("p", f"SHA-256 of the release: {made.sha256}", "mono small quiet")

    def _asked(self, words: str, work: Work, ask: object) -> None:
        with blocks.card(words):
            if work.running:
                ui.spinner().props("aria-label=working")
            elif work.failed is not None:
                blocks.note([sentence(work.failed.message)], "warn")
            elif isinstance(work.value, TextFacts):
                blocks.drawing(work.value.html).classes("document")
            if not work.running and work.value is None:
                with blocks.bar():
                    blocks.other(words, ask, "bolt")  # type: ignore[arg-type]

    def _attack(self) -> None:
        project, made = self._project, self._project.released.value
        if made is None:  # another tab makes a new one
            return
        job = jobs.AttackRelease(
            release=made.release,
            table=project.table,
            policy=project.session.policy,
            world=project.session.world,
        )
        project.attacked.start(job, job)

    def _compare(self) -> None:
        project, made = self._project, self._project.released.value
        if made is None:
            return
        job = jobs.CompareReleases(
            table=project.table, policy=project.session.policy, releases=(made.release,)
        )
        project.compared.start(job, job)


def _goes(session: Session) -> str:
    where = f"Everything goes into the folder {Path(session.target).parent.name}."
    stays = " It stays there; the copy of the table is deleted when incrowd ui ends."
    return where + (stays if session.passing else "")


def verdicts(found: tuple[VerdictFacts, ...]) -> None:
    """What each model asks for, and what the rows reach."""
    add = blocks.table(("Promise", "Asked", "Reached", "Kept"), "Promises", numeric=(1, 2))
    for one in found:
        name = f"{one.name} of {one.column}" if one.column else one.name
        kept = ("yes", "good") if one.ok else ("no", "bad")
        add(name, f"{one.asked:g}", f"{one.reached:.4g}", lambda kept=kept: blocks.tag(*kept))
