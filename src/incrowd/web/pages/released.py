"""What came out of a release: one verdict, what was proved, its files, attacks and comparisons."""

from collections.abc import Callable
from pathlib import Path

from nicegui import ui

from incrowd.verify.verdict import Verdict
from incrowd.web import jobs
from incrowd.web.facts import ReleaseFacts, TextFacts
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import JobRun
from incrowd.web.wording import page_markup, page_sentence

_OLD = (
    "This release was made with another policy than the one you have now. What is said below is "
    "about that policy. Make the release again to have one of this policy."
)


class ReleaseOutcome:
    """The lower part of the page Release, in one tab."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._project = frame.project
        self._seen = self._drawn_state()

    def _drawn_state(self) -> tuple[object, ...]:
        """Values that differ from earlier ones once the outcome must be drawn anew."""
        project = self._project
        runs = (project.release_run, project.attack_run, project.compare_run)
        return (*(run.news for run in runs), project.release_is_old, project.unreviewed)

    def refresh(self) -> None:
        """Draw the outcome anew if there is news."""
        if self._drawn_state() != self._seen:
            self._seen = self._drawn_state()
            self.draw_outcome.refresh()
            self._frame.refresh_around()

    @ui.refreshable_method
    def draw_outcome(self) -> None:
        """Draw the release that was made, or why there is none."""
        run = self._project.release_run
        if run.error is not None:
            self._frame.show_error(run.error)
        elif run.value is not None:
            self._draw_release(run.value)

    def _draw_release(self, made: ReleaseFacts) -> None:
        """Draw the verdict, what was proved, the files, attacks and comparisons."""
        self._draw_verdict(made)
        with blocks.draw_card("What was proved"):
            draw_verdict_table(made.verdicts)
            first = next(iter(made.losses.items()), ("loss", 0.0))
            blocks.draw_figures(
                [
                    (blocks.count_text(made.k), "people share each line at least", ""),
                    (blocks.count_text(made.records), "records leave", ""),
                    (blocks.count_text(made.suppressed), "records left out", ""),
                    (blocks.percent(first[1]), f"information loss ({first[0]})", ""),
                ]
            )
        self._draw_files(made)
        with blocks.draw_box("stack"):
            self._draw_text_card("Attacks", "Attack it", self._project.attack_run, self._attack)
            compare = "Compare before and after"
            self._draw_text_card(compare, compare, self._project.compare_run, self._compare)
        self._frame.draw_next_button()

    def _draw_verdict(self, made: ReleaseFacts) -> None:
        """Draw the verdict on the release; say if its policy is a former one, and do not praise."""
        verdict = self._project.verdict()
        if verdict is None:
            return
        name = Path(made.release).name
        written = f"{name} is written, and was read again."
        if self._project.release_is_old:
            blocks.draw_note([_OLD], "warn")
            blocks.draw_note([*verdict.sentences, written])
        else:
            blocks.draw_note([*verdict.sentences, written], verdict.tone)

    def _draw_files(self, made: ReleaseFacts) -> None:
        """Draw a button to download each file of the release."""
        with blocks.draw_card("Files"):
            paths = made.release, made.certificate, made.report
            for label, path in zip(("Release", "Certificate", "Report"), paths, strict=True):
                if path:
                    with blocks.draw_box("between"):
                        blocks.draw_text("span", f"{label}: {Path(path).name}")
                        blocks.draw_plain_button(
                            "Download", lambda path=path: ui.download.file(path), "download"
                        )
            blocks.draw_text("p", f"SHA-256 of the release: {made.sha256}", "mono small quiet")

    @staticmethod
    def _draw_text_card(
        heading: str, words: str, run: JobRun[TextFacts], ask: Callable[[], None]
    ) -> None:
        """Draw what a run answered, or why not; before it, a button (`words`) that asks for it."""
        with blocks.draw_card(heading):
            if run.running:
                ui.spinner().props("aria-label=working")
            elif run.failed is not None:
                blocks.draw_note([page_sentence(run.failed.message)], "warn")
            elif run.value is not None:
                blocks.draw_svg(page_markup(run.value.html)).classes("document")
            if not run.running and run.value is None:
                with blocks.draw_bar():
                    blocks.draw_plain_button(words, ask, "bolt")

    def _attack(self) -> None:
        """Start the attacks on the release; not while another tab makes a new one."""
        project, job = self._project, self._project.release_run.job
        if isinstance(job, jobs.MakeRelease):  # else another tab makes a new one
            attack = jobs.AttackRelease(
                release=job.target, table=job.table, policy=job.policy, world=job.world
            )
            project.attack_run.start(attack)

    def _compare(self) -> None:
        project, job = self._project, self._project.release_run.job
        if isinstance(job, jobs.MakeRelease):
            compare = jobs.CompareReleases(
                table=job.table, policy=job.policy, releases=(job.target,)
            )
            project.compare_run.start(compare)


def draw_verdict_table(verdicts: tuple[Verdict, ...]) -> None:
    """Draw what each model asks for, and what the rows reach."""
    add = blocks.draw_table(("Promise", "Asked", "Reached", "Kept"), "Promises", numeric=(1, 2))
    for one in verdicts:
        name = f"{one.name} of {one.column}" if one.column else one.name
        kept = ("yes", "good") if one.ok else ("no", "bad")
        add(name, f"{one.asked:g}", f"{one.reached:.4g}", lambda kept=kept: blocks.draw_tag(*kept))
