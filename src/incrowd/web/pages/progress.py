"""How far a job is: one line that stays in place, so that its button can be pressed at any time."""

from typing import Any

from nicegui import ui

from incrowd.web import events
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import JobRun

_STARTING = events.Progress("Starting", 0.0)


class ProgressLine:
    """A line, a bar and a button to cancel, seen while the job is under way."""

    def __init__(self, frame: Frame, run: JobRun[Any]) -> None:
        self._run = run
        with blocks.draw_box("stack") as self._place:
            with blocks.draw_box("between").props("role=status"):
                self._words = blocks.draw_text("span", "")
                blocks.draw_plain_button("Cancel", frame.project.session.cancel, "stop")
            self._bar = ui.linear_progress(0.0, show_value=False).props("aria-label=progress")
        self.refresh()
        frame.watch(self.refresh)

    def refresh(self) -> None:
        """Show how far the job is now."""
        self._place.set_visibility(self._run.running)
        if self._run.running:
            now = self._run.progress or _STARTING
            self._words.set_text(f"{now.what}: {blocks.percent(now.share)}")
            self._bar.set_value(now.share)
