"""Extents of classes: the average and the largest (Ghinita Section 2.1, Equations 3 and 4)."""

from dataclasses import field
from typing import Literal

from pydantic.dataclasses import dataclass

from incrowd.arrays import Floats
from incrowd.loss.ncp import ncp_of_classes
from incrowd.recoding import Outcome, QuasiColumn
from incrowd.values import STRICT


class _Extent:
    """What both extents share: they look at released classes only, each counting once."""

    @property
    def columns(self) -> tuple[str, ...]:
        """No sensitive column."""
        return ()

    def figure(self, loss: float) -> float:
        """The loss itself."""
        return loss

    def cell_costs(self, column: QuasiColumn) -> Floats | None:  # noqa: ARG002  not a mean of cells
        """It is not a mean over cells."""
        return None

    def bound(self, outcome: Outcome) -> float:
        """The smallest extent of the node's classes.

        Every class above contains a class of the node and reaches at least as far, whichever of
        them are suppressed.
        """
        return float(ncp_of_classes(outcome).min()) if len(outcome.classes) else 0.0


@dataclass(frozen=True, config=STRICT)
class Il1(_Extent):
    """The average extent of the released classes, on the normalized scale of NCP.

    It is not superadditive: to split a class can raise it.

    >>> Il1().name
    'il1'
    """

    name: Literal["il1"] = field(default="il1", kw_only=True)

    def of(self, outcome: Outcome) -> float:
        """The mean over classes of NCP; 1 if there is none."""
        return float(ncp_of_classes(outcome).mean()) if len(outcome.classes) else 1.0


@dataclass(frozen=True, config=STRICT)
class IlInf(_Extent):
    """The largest extent of the released classes, on the normalized scale of NCP.

    >>> IlInf().name
    'ilinf'
    """

    name: Literal["ilinf"] = field(default="ilinf", kw_only=True)

    def of(self, outcome: Outcome) -> float:
        """The largest NCP of a class; 1 if there is none."""
        return float(ncp_of_classes(outcome).max()) if len(outcome.classes) else 1.0
