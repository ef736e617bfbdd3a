"""What is to be published of a table, checked before anything is read."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.identify.answers import measure_of
from incrowd.identify.outcome import Guarantee, Masked
from incrowd.identify.ratios import Measure, Ratios
from incrowd.identify.withholding import Method, Withholding
from incrowd.verbs.discover import TIME_LIMIT

NOT_ANONYMOUS = (
    "the published columns keep their exact values: this is not anonymization, and single records "
    "may still be unique"
)
_ORDER = "the order of the records is kept: it may tell who is who"


@dataclass(frozen=True)
class Wish:
    """What is to be published."""

    measure: Measure
    ratio: float
    keep: tuple[str, ...]
    drop: tuple[str, ...]
    weights: Mapping[str, float]
    method: Method
    sample: int | None
    delta: float
    seed: int | None
    keep_order: bool
    time_limit: float | None

    def __post_init__(self) -> None:
        if not 0 < self.ratio <= 1:
            raise PolicyError("the ratio must be above 0 and at most 1")
        if self.method not in {"greedy", "sampled", "exact"}:
            raise PolicyError(
                f"there is no method {self.method!r}", remedy="known are greedy, sampled and exact"
            )
        if self.sample is not None and (self.sample < 1 or self.method != "sampled"):
            raise PolicyError("a sample is drawn, of 1 or more, by the method sampled only")
        if not 0 < self.delta < 1:
            raise PolicyError("delta must lie between 0 and 1")
        if any(not (weight > 0 and math.isfinite(weight)) for weight in self.weights.values()):
            raise PolicyError("weights must be above 0")
        if self.seed is not None and self.seed < 0:
            raise PolicyError("a seed must be a whole number from 0")

    def over(self, names: Sequence[str], uncoded: Sequence[str]) -> "Wish":
        """The wish for a table whose columns of lists and structures are withheld.

        Those that must be published stay in it, and are refused when they are coded.
        """
        gone = {*uncoded} - {*self.keep}
        if gone and gone == {*names}:
            raise InputError(
                "every column holds lists or structures", remedy="unnest them into plain columns"
            )
        return replace(
            self,
            drop=tuple(name for name in self.drop if name not in gone),
            weights={name: worth for name, worth in self.weights.items() if name not in gone},
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What everybody should know who publishes columns as they are."""
        return (NOT_ANONYMOUS, _ORDER) if self.keep_order else (NOT_ANONYMOUS,)


def wish_of(  # noqa: PLR0913  all but the ratio are options
    *,
    ratio: float,
    measure: str = Measure.DISTINCT,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    method: Method = "greedy",
    sample: int | None = None,
    delta: float = 0.01,
    seed: int | None = None,
    keep_order: bool = False,
    time_limit: float | None = TIME_LIMIT,
) -> Wish:
    """The wish that these options are."""
    return Wish(
        measure_of(measure),
        ratio,
        tuple(keep),
        tuple(drop),
        dict(weights or {}),
        method,
        sample,
        delta,
        seed,
        keep_order,
        time_limit,
    )


@dataclass(frozen=True)
class Decision:
    """Which columns of a table are published."""

    names: tuple[str, ...]
    """The columns of the table that were looked at."""
    masking: Withholding
    records: int
    """Records of the table, all of which leave."""
    sealed: tuple[str, ...] = ()
    """Columns of lists and structures, which stay behind unseen."""

    @property
    def published(self) -> tuple[str, ...]:
        """The columns that leave."""
        return tuple(self.names[j] for j in self.masking.published)

    @property
    def withheld(self) -> tuple[str, ...]:
        """The columns that stay behind."""
        return (*(self.names[j] for j in self.masking.withheld), *self.sealed)

    def masked(
        self, wish: Wish, frame: object, ratios: Ratios, seconds: float, notes: Sequence[str] = ()
    ) -> Masked:
        """The outcome, once the rows that leave were counted."""
        if self.sealed:
            held = ", ".join(self.sealed)
            notes = (*notes, f"withheld unseen, as they hold lists or structures: {held}")
        return Masked(
            frame,
            self.published,
            self.withheld,
            wish.measure,
            wish.ratio,
            ratios,
            self.masking.utility,
            self.masking.guarantee,
            (*notes, *wish.notes),
            seconds,
        )


def refuse_nothing(found: Withholding, wish: Wish) -> None:
    """Refuse a masking that publishes no column."""
    if found.published:
        return
    raise InfeasibleError(
        f"no column may be published: {_why(found.guarantee, wish)}, or is to be withheld",
        remedy="ask for a higher ratio, or generalize values with incrowd anonymize"
        if found.guarantee.exact
        else "ask for a higher ratio, or draw a larger sample",
    )


def _why(guarantee: Guarantee, wish: Wish) -> str:
    if guarantee.exact:
        return f"each alone has a {wish.measure} ratio above {wish.ratio:g}"
    return (
        f"by a sample of {guarantee.sample:,}, each alone may have a {wish.measure} ratio above "
        f"{wish.ratio:g}"
    )
