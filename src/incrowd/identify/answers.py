"""What was asked of a table's columns, and an answer before it is dressed."""

from dataclasses import dataclass

from incrowd.errors import PolicyError
from incrowd.identify.outcome import Basis, Guarantee
from incrowd.identify.ratios import Measure


def measure_of(name: str) -> Measure:
    """The measure of this name."""
    if name not in set(Measure):
        raise PolicyError(f"there is no measure {name!r}", remedy=f"known are {', '.join(Measure)}")
    return Measure(name)


@dataclass(frozen=True)
class Asked:
    """Which sets of columns are asked for, and with what certainty."""

    measure: Measure
    ratio: float
    max_size: int | None
    epsilon: float | None
    delta: float
    seed: int | None

    def __post_init__(self) -> None:
        if not 0 < self.ratio <= 1:
            raise PolicyError("the ratio must be above 0 and at most 1")
        if self.max_size is not None and self.max_size < 1:
            raise PolicyError("sets have at least one column", remedy="ask for a size of 1 or more")
        for name, share in (("epsilon", self.epsilon), ("delta", self.delta)):
            if share is not None and not 0 < share < 1:
                raise PolicyError(f"{name} must lie between 0 and 1")
        if self.seed is not None and self.seed < 0:
            raise PolicyError("a seed must be a whole number from 0")

    @property
    def keys_by_pairs(self) -> bool:
        """Whether keys by separation are asked for, which drawn pairs of records tell."""
        return self.measure is Measure.SEPARATION and self.ratio == 1

    def largest(self, width: int) -> int | None:
        """The size up to which sets are searched in a table of so many columns."""
        if self.max_size is not None or width <= 18:
            return self.max_size
        return 4 if width <= 32 else 3


@dataclass(frozen=True)
class Answer:
    """Sets of columns by their places."""

    sets: tuple[tuple[int, ...], ...]
    minimum: tuple[int, ...] | None
    minimum_guarantee: Guarantee
    guarantee: Guarantee
    promise: str
    partial: bool
    notes: tuple[str, ...] = ()
    basis: Basis = Basis.COUNTED
    """What is shown of the sets."""
    reaches: float | None = None
    """The ratio that each set has at least, in all records, but for delta; None if none is shown.
    None for counted answers, too: there it is the ratio asked for."""
