"""What can be asked of `frontier`."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from incrowd.requests.request import Request
from incrowd.requests.shared import HowToRead, PolicyFile, PolicyFolder, Source, Watching
from incrowd.search_names import BOUNDS


@dataclass(frozen=True, kw_only=True)
class FrontierRequest(Request):
    """How much privacy each loss of information buys."""

    source: Source = field(kw_only=False)
    policy: PolicyFile = field(kw_only=False)
    bounds: Sequence[float] = BOUNDS
    """Largest losses of a class to look at."""
    reading: HowToRead = None
    watch: Watching = None
    folder: PolicyFolder = "."
