"""Whether what a search found may leave: the search's own look at it, before verification.

If people have several records, two classes that satisfy a model may fail it together, as a missing
value that matches anything makes of them. A search that judges classes one by one does not see it.
"""

import numpy as np

from incrowd.arrays import Codes, Flags
from incrowd.loss.cells import Cells as Shown
from incrowd.loss.cells import cells_of
from incrowd.partition.classes import Classes, crowds, numbered
from incrowd.problem import Problem
from incrowd.recoding import Outcome
from incrowd.table.roles import Missing


def safe(problem: Problem, outcome: Outcome) -> bool:
    """Whether all classes satisfy the models, and their crowds if missing matches anything."""
    return bool(safe_classes(problem, outcome).all())


def safe_classes(problem: Problem, outcome: Outcome) -> Flags:
    """Which classes satisfy the models, by themselves and with whoever they match."""
    fine = problem.satisfied(outcome.classes)
    anything = problem.missing is Missing.MATCHES_ANYTHING and problem.world is None
    if not anything or problem.monotone:
        return fine
    return fine & problem.satisfied(_crowds(outcome))


def safe_crowds(problem: Problem, outcome: Outcome) -> bool:
    """Whether the crowd of every class satisfies the models, as verification judges them."""
    if problem.missing is not Missing.MATCHES_ANYTHING:
        return safe(problem, outcome)
    return bool(problem.satisfied(_crowds(outcome)).all())


def _crowds(outcome: Outcome) -> Classes:
    """The crowd of each class: all classes that it could be if missing matches anything."""
    each = cells_of(outcome)
    missing = np.array([cells.missing for cells in each])
    nodes = np.array([_shown(cells) for cells in each], dtype=np.int32)
    return crowds(nodes, missing, outcome.classes, outcome.tally, outcome.class_of)


def _shown(cells: Shown) -> Codes:
    """A number for what each class shows in a column."""
    hidden = cells.suppressed
    if cells.sets is None:
        ends = [np.where(hidden, 0, end + 1) for end in (cells.low, cells.high)]
        return numbered(np.array(ends, dtype=np.int32))[0]
    values = np.split(cells.sets.code, cells.sets.start[1:-1])
    number: dict[bytes, int] = {}
    texts = (b"" if h else held.tobytes() for h, held in zip(hidden, values, strict=True))
    return np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int32)
