"""What can be asked of `mask`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from incrowd.requests.kinds import (
    COLUMNS,
    HOLD,
    IN_COLUMNS,
    NUMBER,
    PART,
    SEARCHING,
    Flags,
    OptionKind,
)
from incrowd.requests.request import Request
from incrowd.requests.shared import (
    HowToReadInMemory,
    KeepOrder,
    Seconds,
    Seed,
    Source,
    Target,
    Watching,
)

if TYPE_CHECKING:
    from incrowd.identify.records import Measure

MEASURE = OptionKind("MEASURE")
METHOD = OptionKind("METHOD")


@dataclass(frozen=True, kw_only=True)
class MaskRequest(Request):
    """Which columns may be published."""

    source: Source = field(kw_only=False)
    target: Target = field(default=None, kw_only=False)
    """Write the published columns to this file."""
    ratio: Annotated[float, PART, HOLD]
    """The largest ratio that the published columns may reach."""
    measure: Annotated["Measure | Literal['distinct', 'separation', 'unique']", MEASURE, HOLD] = (
        "distinct"
    )
    """The ratio to use: distinct, separation or unique."""
    keep: Annotated[str | Sequence[str], COLUMNS, IN_COLUMNS] = ()
    """Columns to publish in any case."""
    drop: Annotated[str | Sequence[str], COLUMNS, IN_COLUMNS] = ()
    """Columns to withhold in any case."""
    weights: Annotated[
        Mapping[str, float] | None,
        OptionKind("COLUMN=WORTH", form="numbers"),
        IN_COLUMNS,
        Flags("--weight"),
    ] = None
    """What a column is worth, such as age=2,zip=1. Default: 1."""
    method: Annotated[Literal["greedy", "sampled", "exact"], METHOD, SEARCHING] = "greedy"
    """greedy (all records), sampled (for tables larger than memory, which are read twice) or exact
    (for few columns)."""
    sample: Annotated[int | None, NUMBER, SEARCHING] = None
    """With sampled: the number of records or pairs to draw. Default: 50,000."""
    delta: Annotated[float, PART, SEARCHING] = 0.01
    """With sampled: the probability that the ratio is larger after all."""
    time_limit: Seconds = 60.0
    seed: Seed = None
    keep_order: KeepOrder = False
    reading: HowToReadInMemory = None
    watch: Watching = None
