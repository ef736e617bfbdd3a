"""The contract of every search: how to look for the recoding with the least loss."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import ClassVar, Literal, TypeAlias

from incrowd.errors import PolicyError
from incrowd.models.model import Requirement
from incrowd.problem import Problem
from incrowd.recoding import Recoding
from incrowd.search.lattice.frontier import Explored
from incrowd.watch import Watch

Recodes: TypeAlias = Literal["levels", "cells", "spans", "cuts", "anatomy", "any"]
"""What a search decides (see `Recoding`); `any` of a search that runs several others."""
FROM_TABLE: frozenset[Requirement] = frozenset({"population", "reference"})
"""What models learn from the table and the policy, whatever the search."""


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a search."""

    recoding: Recoding
    search: str
    """The name of the search that found it."""
    optimal: bool = False
    """Proved to have the least loss of all recodings of its kind."""
    why: str = ""
    """One sentence for people: what the search examined, and why it chose this recoding."""
    facts: Mapping[str, float] = field(default_factory=dict)
    """Figures for machines: nodes in the lattice, nodes examined, …"""
    explored: Explored | None = None
    """The nodes that a search through a lattice looked at."""
    caveat: str = ""
    """The remedy if verification refuses the result: what the search does not guarantee."""
    overtime: str = ""
    """What to say if it took longer than its time limit, and what could not be interrupted."""


class Search(ABC):
    """How to look for a recoding. A frozen value with a literal `name` and parameters of its own.

    A search sees codes, never labels, files or frames. It returns a recoding whose classes satisfy
    every model and which leaves out no more records than allowed. It raises `InfeasibleError` if it
    finds none (`proved` only if there is none), naming what binds, and `LimitError` if it must
    stop (`watch.must_stop`) before it has one. With something in hand when the watch expires it
    returns that, not proved optimal.

    A search defines `name` and `run`; the rest has safe defaults.
    """

    recoding: ClassVar[Recodes] = "spans"
    """The kind of recoding that it decides."""
    provides: ClassVar[frozenset[Requirement]] = FROM_TABLE
    """What the models it can satisfy may require."""
    offered: ClassVar[str] = ""
    """What it is called where people compare ways to release a table; empty: it is not offered."""
    draws: ClassVar[bool] = False
    """Whether it draws at random, so that its seed must stay secret."""
    separable: ClassVar[bool] = False
    """Whether it may run on parts of a table, one by one."""
    losses: ClassVar[Literal["any", "per-cell"]] = "any"
    """Whether it minimizes any loss, or GCP in place of one that is not a mean of cell costs."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the search in policy, report and certificate."""

    @abstractmethod
    def run(self, problem: Problem, watch: Watch) -> Found:
        """Look for the recoding with the least loss."""

    def run_part(self, problem: Problem, watch: Watch, whole: int) -> Found:
        """Look for a recoding, as `run`, in a part of a table of `whole` records in all."""
        del whole
        return self.run(problem, watch)

    @property
    def by_parts(self) -> "Search | None":
        """The search that runs in a large table part by part; None if there is none."""
        return self if self.separable else None

    @property
    def named_columns(self) -> Mapping[str, tuple[str, ...]]:
        """The quasi-identifying columns that each setting names, by setting."""
        return {}

    @property
    def largest_class_loss(self) -> float | None:
        """The largest loss of a class that the search guarantees; None if it guarantees none."""
        return None

    def protected_columns(self, sensitive: tuple[str, ...]) -> tuple[str, ...]:
        """The sensitive columns that the search protects even without a model."""
        del sensitive
        return ()


def column_places(problem: Problem, names: Iterable[str], search: str) -> tuple[int, ...]:
    """The places of quasi-identifying columns, each once; `PolicyError` by `search` if unknown."""
    place_of = {column.name: j for j, column in enumerate(problem.columns)}
    found: dict[int, None] = {}
    for name in names:
        if name not in place_of:
            raise _unknown_column_error(name, place_of, search)
        found[place_of[name]] = None
    return tuple(found)


def _unknown_column_error(name: str, known: Mapping[str, int], search: str) -> PolicyError:
    near = get_close_matches(name, known, n=1)
    some = ", ".join(f"'{column}'" for column in known)
    return PolicyError(
        f"{search} names '{name}', which is not a quasi-identifying column",
        remedy=f"did you mean '{near[0]}'?" if near else f"use one of {some}",
    )
