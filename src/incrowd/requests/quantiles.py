"""What can be asked of `quantiles`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from incrowd.requests.kinds import COLUMNS, HOLD, IN_COLUMNS, PART, SEARCHING, Flags, OptionKind
from incrowd.requests.request import Request
from incrowd.requests.shared import (
    HowToReadInMemory,
    Keep,
    KeepOrder,
    Seed,
    Source,
    Target,
    Watching,
)


@dataclass(frozen=True, kw_only=True)
class QuantilesRequest(Request):
    """Which columns show quantiles, and how coarse they are."""

    source: Source = field(kw_only=False)
    target: Target = field(default=None, kw_only=False)
    """Write the rows to this file."""
    columns: Annotated[str | Sequence[str], COLUMNS, IN_COLUMNS, Flags("--columns", "-c")]
    """Columns of numbers or dates to replace by quantiles."""
    keep: Keep = ()
    k: Annotated[int | None, OptionKind("K", int), HOLD, Flags("-k")] = None
    """At least K records show the same value."""
    buckets: Annotated[int | None, OptionKind("B", int), HOLD] = None
    """The number of buckets, instead of -k."""
    show: Annotated[Literal["median", "range"], OptionKind("WHAT"), HOLD] = "median"
    """What a bucket shows: median or range."""
    epsilon: Annotated[float | None, PART, SEARCHING] = None
    """Use a sample in which ranks are off by at most this share of the records. Default: 0.005 for
    standard input and large files, all records otherwise."""
    delta: Annotated[float | None, PART, SEARCHING] = None
    """The probability that a rank is off by more. Default: 0.01."""
    seed: Seed = None
    keep_order: KeepOrder = False
    reading: HowToReadInMemory = None
    watch: Watching = None
