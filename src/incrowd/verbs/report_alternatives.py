"""What a search looked at, for a report."""

from collections.abc import Iterator

import numpy as np

from incrowd.documents.report.facts import Alternative
from incrowd.search.lattice.frontier import Explored, NodeState
from incrowd.withholding import public_count, public_loss

_MOST = 200
"""Nodes of a lattice that a report has, those of least loss."""


def alternatives_of(explored: Explored, least: int, left_out: int) -> Iterator[Alternative]:
    """Yield up to `_MOST` releasable nodes, those of least loss, and the taken one.

    A k below `least`, the policy's, is raised to it: smaller classes are left out. Losses have two
    digits if the release leaves out records (`left_out`).
    """
    can = np.flatnonzero(explored.state == int(NodeState.RELEASABLE))
    order = can[np.argsort(explored.loss[can], kind="stable")][:_MOST]
    for i in np.unique(np.append(order, explored.best)).tolist():
        levels = zip(explored.columns, explored.levels[i].tolist(), strict=True)
        yield Alternative(
            name=", ".join(f"{name} {level}" for name, level in levels),
            k=max(int(explored.k[i]), least),
            loss=public_loss(float(explored.loss[i]), left_out=left_out),
            left_out=public_count(max(int(explored.suppressed[i]), 0)),
            taken=i == explored.best,
        )
