"""What was compiled ahead, as people read it."""

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from incrowd.kernels.warm import Warmed


def warm_text(made: "Warmed") -> Text:
    """Say how many kernels there are, and how many of them had to be compiled."""
    if not made.kernels:
        return Text("incrowd does not know this release of numba: kernels compile on first use")
    if made.folder is None:
        return Text(f"{made.compiled:,} kernels compiled, but none of them can be kept")
    return Text(f"{made.kernels:,} kernels are ready, {made.compiled:,} of them compiled now")
