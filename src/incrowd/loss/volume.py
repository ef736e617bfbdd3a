"""Volumes of classes: the product of what their cells leave open (Ghinita Section 7.2)."""

from dataclasses import field
from typing import ClassVar, Literal

import numpy as np

from incrowd.arrays import Floats
from incrowd.loss.cells import cells_of
from incrowd.loss.loss import Loss
from incrowd.loss.ncp import ncp
from incrowd.recoding import Outcome
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class Volume(Loss):
    """The mean over records of the volume of their class, the product of its cells' extents.

    A cell that shows one value has the extent 1 / values of its column, so that no product is 0. A
    record that is left out counts 1. Column weights are exponents, as they are: a column of weight
    2 counts like two, and weights of 1 give the plain product of the paper.

    >>> Volume().name
    'volume'
    """

    name: Literal["volume"] = field(default="volume", kw_only=True)
    rises: ClassVar[bool] = True
    """Extents only grow, and no volume is above 1."""

    def of(self, outcome: Outcome) -> float:
        """The volumes, weighted by the records of each class."""
        if outcome.records == 0:
            return 0.0
        paid = float(outcome.classes.records @ volume_of_classes(outcome))
        return (paid + outcome.suppressed) / outcome.records


def volume_of_classes(outcome: Outcome) -> Floats:
    """The volume of each class, 0..1."""
    volume = np.ones(len(outcome.classes), dtype=np.float64)
    for cells in cells_of(outcome):
        least = 1 / max(len(cells.column.hierarchy.leaves), 1)
        volume *= np.maximum(ncp(cells), least) ** cells.column.weight
    return volume
