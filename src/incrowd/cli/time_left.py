"""The end of a progress bar: how long the work still takes, or how long it has taken."""

from collections.abc import Callable

from rich.progress import ProgressColumn, Task, TimeRemainingColumn
from rich.text import Text


class TimeLeft(ProgressColumn):
    """Time left where the share of the work that is done tells it; else the time so far."""

    max_refresh = 0.5
    """Seconds between two estimates, so that the figure does not flicker."""

    def __init__(self, elapsed: Callable[[], float]) -> None:
        super().__init__()
        self._elapsed = elapsed
        self._left = TimeRemainingColumn(compact=True)

    def render(self, task: Task) -> Text:
        """Write `00:12 left`, or `8 s` while nothing tells how much is left."""
        if task.total is None or task.time_remaining is None:
            return Text(f"{self._elapsed():.0f} s", style="progress.elapsed")
        return Text.assemble(self._left.render(task), " left")
