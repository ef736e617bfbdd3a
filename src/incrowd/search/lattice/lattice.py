"""Full-domain generalization with the least loss of all, proved.

Best-first search with limits on the loss, as decision record 0006 derives them. It finds what
looking at every node finds (`exhaustive`), for every loss, all models and with suppression.
"""

from dataclasses import field
from typing import ClassVar, Literal

from incrowd.problem import Problem
from incrowd.search.lattice.best_first import Quest
from incrowd.search.refusals import infeasible
from incrowd.search.search import Found, Recodes, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class Lattice(Search):
    """The levels with the least loss, one per column, proved to be the best.

    >>> Lattice().name
    'lattice'
    """

    name: Literal["lattice"] = field(default="lattice", kw_only=True)
    recoding: ClassVar[Recodes] = "levels"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Look for the levels with the least loss."""
        infeasible(problem)
        quest = Quest(problem, watch)
        quest.seek()
        return quest.found()
