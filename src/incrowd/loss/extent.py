"""Extents of classes: average and largest (Ghinita Equations 3 and 4), and by records (7.2)."""

from dataclasses import field
from typing import ClassVar, Literal

import numpy as np

from incrowd.arrays import Floats
from incrowd.loss.loss import Loss
from incrowd.loss.ncp import ncp_of_classes
from incrowd.recoding import Outcome
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class Il1(Loss):
    """The average extent of the released classes, on the normalized scale of NCP.

    Each class counts once, those that are left out not at all.
    It is not superadditive: to split a class can raise it.

    >>> Il1().name
    'il1'
    """

    name: Literal["il1"] = field(default="il1", kw_only=True)

    def of(self, outcome: Outcome) -> float:
        """The mean over classes of NCP; 1 if there is none."""
        return float(ncp_of_classes(outcome).mean()) if len(outcome.classes) else 1.0

    def bound(self, outcome: Outcome, smallest: int = 1, spare: int | None = None) -> float:
        """A lower bound: the mean if one class has the extent `IlInf.bound`, the others the least.

        n classes above contain n different ones of the node, so their mean is at least that of the
        n - 1 smallest extents and the one that must be reached.
        """
        if len(outcome.classes) == 0:
            return 0.0
        extents = ncp_of_classes(outcome)
        reached = _largest_extent(extents, outcome, spare)
        sizes = outcome.classes.records
        large = sizes >= smallest
        most = int(large.sum()) + int(sizes[~large].sum()) // max(smallest, 1)
        others = np.sort(extents)[: max(most, 1) - 1]
        means = (np.cumsum([0.0, *others]) + reached) / np.arange(1, len(others) + 2)
        return float(means.min())


@dataclass(frozen=True, config=STRICT)
class IlInf(Loss):
    """The largest extent of the released classes, on the normalized scale of NCP.

    >>> IlInf().name
    'ilinf'
    """

    name: Literal["ilinf"] = field(default="ilinf", kw_only=True)
    worst_class: ClassVar[bool] = True

    def of(self, outcome: Outcome) -> float:
        """The largest NCP of a class; 1 if there is none."""
        return float(ncp_of_classes(outcome).max()) if len(outcome.classes) else 1.0

    def bound(self, outcome: Outcome, smallest: int = 1, spare: int | None = None) -> float:
        """A lower bound: the largest extent after the widest classes are left out."""
        del smallest
        if len(outcome.classes) == 0:
            return 0.0
        return _largest_extent(ncp_of_classes(outcome), outcome, spare)


@dataclass(frozen=True, config=STRICT)
class WeightedMaxNcp(Loss):
    """The largest NCP of a class times its share of the records (Ghinita Section 7.2, Figure 29).

    A maximum over classes as `IlInf`, weighted by records as GCP; the paper does not divide by the
    records of the table. Records that are left out are one class that shows nothing.

    >>> WeightedMaxNcp().name
    'weighted_max_ncp'
    """

    name: Literal["weighted_max_ncp"] = field(default="weighted_max_ncp", kw_only=True)
    rises: ClassVar[bool] = True
    """A class above contains one of the node, with no less extent and no fewer records; if it is
    left out, its records lose all they have."""

    def of(self, outcome: Outcome) -> float:
        """The largest loss of a class, or of all left-out records, over the loss of everything."""
        if outcome.records == 0:
            return 0.0
        lost = ncp_of_classes(outcome) * outcome.classes.records
        return max(float(lost.max(initial=0.0)), float(outcome.suppressed)) / outcome.records


def _largest_extent(extents: Floats, outcome: Outcome, spare: int | None) -> float:
    """The largest extent that stays if the widest classes, up to `spare` records, are left out.

    The smallest of all if any number may be (None), or if all are. Higher classes reach no less.
    """
    if spare is None:
        return float(extents.min())
    order = np.argsort(-extents, kind="stable")
    left = np.cumsum(outcome.classes.records[order]) > spare
    return float(extents[order[np.argmax(left)]]) if left.any() else float(extents.min())
