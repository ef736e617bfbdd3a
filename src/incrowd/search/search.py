"""What every search is: how to look for the recoding with the least loss."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from incrowd.problem import Problem
from incrowd.recoding import Recoding
from incrowd.search.lattice.explored import Explored
from incrowd.watch import Watch


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found, and what it can say about it."""

    recoding: Recoding
    search: str
    """The name of the search that found it."""
    optimal: bool = False
    """Proved to have the least loss of all recodings of its kind."""
    why: str = ""
    """One sentence for people: what was looked at, why this one."""
    facts: Mapping[str, float] = field(default_factory=dict)
    """Figures for machines: nodes in the lattice, nodes examined, …"""
    explored: Explored | None = None
    """The nodes that were looked at, if the search goes through a lattice."""
    caveat: str = ""
    """What it does not promise, and what to do: said if verification refuses what was found."""


class Search(Protocol):
    """How to look. A frozen value with a literal `name`; its parameters are its own.

    A search sees codes, never labels, files or frames. It returns a recoding whose classes satisfy
    every model and which leaves out no more records than allowed; it raises `InfeasibleError` if
    it finds none (`proved` only if there is none), naming what binds, and `LimitError` if the watch
    expires before it has one. With something in hand when the watch expires it returns that, not
    proved optimal.
    """

    @property
    def name(self) -> str:
        """Its name in policy, report and certificate."""

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Look for the recoding with the least loss."""
