"""mu-Argus: blank cells until no pair or triple of columns is rare (Sweeney Section 4.2).

It looks at combinations of two and three columns and at nothing else, so what it gives may not be
k-anonymous; that is what the paper shows with it. It is here for that, and to compare with.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass as plain
from dataclasses import field, replace
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from incrowd.arrays import Flags
from incrowd.errors import PolicyError
from incrowd.problem import Problem
from incrowd.search.lattice.full_domain import allowed_levels
from incrowd.search.literature.datafly import largest_k
from incrowd.search.literature.mu_argus_combinations import (
    Combination,
    Identifying,
    RareCombinations,
    Sequences,
    Tested,
    blank_cells,
    combinations_of,
    people_of,
)
from incrowd.search.refusals import raise_if_infeasible, raise_if_out_of_time
from incrowd.search.search import Found, Recodes, Search, column_places
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

KINDS: tuple[Identifying, ...] = ("most", "more", "identifying")
"""How identifying a column can be, most first."""

_NO_PROMISE = (
    "mu-argus tests only combinations of 2 and 3 columns without blank cells, so its result "
    'may fail the models: use search = "lattice"'
)


@plain(frozen=True)
class Outlying:
    """What a data holder sees before deciding on a column to generalize (Figure 11, step 4)."""

    share: float
    """The share of the records that show a rare combination."""
    columns: Mapping[str, int]
    """In how many rare combinations, by record, a column is: only columns in one that can go up."""


Decide: TypeAlias = Callable[[Outlying], str | None]
"""A data holder's decision: the column that goes up one level, or None for no more."""


@dataclass(frozen=True, config=STRICT)
class MuArgus(Search):
    """mu-Argus (Sweeney Figure 11), as the paper has it: its result need not be k-anonymous.

    Every column is generalized until each of its values is shown by k people; combinations of two
    and three columns are tested, and columns generalized as the rules say; then, in each sequence
    of values, the cell that is in most rare combinations is blanked, until no cell is left to
    blank. Blanking takes from the counts of others, so combinations are counted again and again.

    **What it gives may fail any model**, and verification refuses the release if it does. k is the
    largest that any of the models asks for; other models are not looked at. Columns that may not be
    suppressed (`highest`, `widest`) are never blanked: rare combinations of them stay.

    >>> MuArgus(identifying={"birth": "most", "zip": "more", "race": "identifying"}).name
    'mu-argus'
    """

    identifying: Mapping[str, Identifying] = field(default_factory=dict)
    """How identifying each column is: `identifying`, `more` or `most`. If nothing is said, the
    third of the columns with the most distinct values is `most`, the next `more`."""
    combinations: Tested = "paper"
    """Which combinations are tested: all of 2 and 3 columns (`paper`), or those that the program
    tests (`actual`, Figure 12)."""
    levels: Mapping[str, Annotated[int, Field(ge=0)]] = field(default_factory=dict)
    """The level that these columns have at least."""
    rules: tuple[str, ...] = ()
    """Columns that go up one level each, in this order, while any combination is rare."""
    share: Annotated[float, Field(ge=0, le=1)] = 1.0
    """After the rules: while more than this share of the records shows a rare combination, the
    column that is in most of them goes up. With 1, the default, none does."""
    name: Literal["mu-argus"] = field(default="mu-argus", kw_only=True)
    recoding: ClassVar[Recodes] = "cells"

    @property
    def named_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that its settings name."""
        kinds, levels = tuple(self.identifying), tuple(self.levels)
        return {"identifying": kinds, "levels": levels, "rules": self.rules}

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Generalize by rule, then blank cells."""
        raise_if_infeasible(problem)
        work = self._prepare(problem, watch)
        rules = iter(self.rules)
        sequences = work.generalize(self.levels, lambda seen: self._next_by_rule(rules, seen))
        blank = work.blank_until_stable(sequences)
        recoding = sequences.recode_with_blanks(blank)
        fine = bool(problem.satisfied_by(problem.outcome(recoding).classes).all())
        cells = int(((blank & ~sequences.flag_blank_cells()) * sequences.records).sum())
        return Found(
            recoding,
            self.name,
            why=self._explain(work, cells, fine=fine),
            facts={"combinations": float(len(work.tested)), "blank": float(cells)},
            caveat=_NO_PROMISE,
        )

    def deciding(self, problem: Problem, decide: Decide, watch: Watch | None = None) -> "MuArgus":
        """This search with the rules that a data holder decides on (Figure 11, steps 4 and 5).

        `decide` is asked after this search's own rules, as long as a combination is rare. What
        comes back can be written into a policy, and gives the same again.
        """
        rules, made = iter(self.rules), list[str]()

        def ask(seen: Outlying) -> str | None:
            """The next column by rule, else the holder's, noted in `made`; None for no more."""
            name = self._next_by_rule(rules, seen) or self._ask_holder(problem, decide, seen)
            made.extend([name] if name is not None else [])
            return name

        self._prepare(problem, watch or Watch()).generalize(self.levels, ask)
        return replace(self, rules=tuple(made))

    def _ask_holder(self, problem: Problem, decide: Decide, seen: Outlying) -> str | None:
        """The column that the holder decides on, or None; `PolicyError` if it does not help."""
        name = decide(seen)
        if name is None or name in seen.columns:
            return name
        column_places(problem, [name], self.name)
        raise PolicyError(
            f"generalizing '{name}' does not help: it is in no rare combination, or at its highest "
            "level",
            remedy="choose one of the offered columns, or None",
        )

    def _prepare(self, problem: Problem, watch: Watch) -> "_MuArgusWork":
        """What the steps work with; `PolicyError` if a setting does not fit the columns."""
        for names in self.named_columns.values():
            column_places(problem, names, self.name)
        allowed = tuple(allowed_levels(column) for column in problem.columns)
        for column, levels in zip(problem.columns, allowed, strict=True):
            if self.levels.get(column.name, 0) > levels[-1]:
                raise PolicyError(
                    f"mu-argus asks for level {self.levels[column.name]} of '{column.name}'",
                    remedy=f"the highest that may be shown is {levels[-1]}",
                )
        kinds = self._kinds(problem)
        tested = combinations_of(kinds, self.combinations)
        return _MuArgusWork(problem, watch, allowed, kinds, tested)

    def _kinds(self, problem: Problem) -> tuple[Identifying, ...]:
        """How identifying each column is, set or by its values; `PolicyError` if partly set."""
        names = [column.name for column in problem.columns]
        if not self.identifying:
            return _thirds(problem)
        if lacking := [name for name in names if name not in self.identifying]:
            raise PolicyError(
                f"mu-argus does not know how identifying '{lacking[0]}' is",
                remedy="set it for every quasi-identifying column, or for none",
            )
        return tuple(self.identifying[name] for name in names)

    def _next_by_rule(self, rules: Iterator[str], seen: Outlying) -> str | None:
        """The next rule's column; then, above `share`, that in most rare combinations; or None."""
        rule = next(rules, None)
        if rule is not None or seen.share <= self.share:
            return rule
        return max(seen.columns, key=seen.columns.__getitem__, default=None)

    def _explain(self, work: "_MuArgusWork", cells: int, *, fine: bool) -> str:
        """A sentence on what was tested and blanked; `fine` if the result satisfies the models."""
        source = "" if self.identifying else ", by their numbers of distinct values"
        verdict = "satisfies" if fine else "does not satisfy"
        return (
            f"tested {len(work.tested)} combinations of 2 and 3 columns (how identifying they "
            f"are{source}: {work.describe()}) and blanked {cells:,} cells; by its own count the "
            f"result {verdict} the models, but this search does not guarantee that"
        )


@plain(frozen=True, eq=False)
class _MuArgusWork:
    """What the steps of Figure 11 work with."""

    problem: Problem
    watch: Watch
    allowed: tuple[range, ...]
    """The levels that each column may show."""
    kinds: tuple[Identifying, ...]
    tested: tuple[Combination, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """The places of the columns, the more identifying first, then the earlier."""
        return tuple(sorted(range(len(self.kinds)), key=lambda j: (KINDS.index(self.kinds[j]), j)))

    def describe(self) -> str:
        """How identifying the columns are, for people."""
        names = {kind: list[str]() for kind in KINDS}
        for column, kind in zip(self.problem.columns, self.kinds, strict=True):
            names[kind].append(column.name)
        return "; ".join(f"{kind} {', '.join(names[kind])}" for kind in KINDS if names[kind])

    def generalize(self, least: Mapping[str, int], decide: Decide) -> Sequences:
        """Steps 1 to 5: from the `least` levels up, the sequences once `decide` names no column."""
        columns = self.problem.columns
        levels = [max(self._level_alone(j), least.get(c.name, 0)) for j, c in enumerate(columns)]
        place_of = {column.name: j for j, column in enumerate(columns)}
        while True:
            sequences = Sequences.at_levels(self.problem, levels)
            seen = self._measure_outlying(sequences)
            name = decide(seen) if seen.share else None
            if name is None:
                return sequences
            j = place_of[name]
            levels[j] = min(levels[j] + 1, self.allowed[j][-1])

    def blank_until_stable(self, sequences: Sequences) -> Flags:
        """Step 6: the blank cells once nothing is rare, or only what may not be blanked."""
        heights = [column.hierarchy.height for column in self.problem.columns]
        order = [j for j in self.order if self.allowed[j][-1] == heights[j]]
        blank = sequences.flag_blank_cells()
        while True:
            more = blank_cells(self._find_rare(sequences, blank), order, blank)
            if (more == blank).all():
                return blank
            blank = more

    def _level_alone(self, j: int) -> int:
        """Step 2: the lowest level of column j that shows each value for k people; or highest."""
        column, tally, k = self.problem.columns[j], self.problem.tally, largest_k(self.problem)
        for level in self.allowed[j][:-1]:
            values, place = np.unique(
                column.hierarchy.maps[level][tally.quasi[j]], return_inverse=True
            )
            people = people_of(tally, place.astype(np.int32), len(values))
            if (people >= k).all():
                return level
        return self.allowed[j][-1]

    def _measure_outlying(self, sequences: Sequences) -> Outlying:
        """How many records show rare combinations, as a share, and in how many each column is."""
        blank = sequences.flag_blank_cells()
        found = self._find_rare(sequences, blank).occurrences(blank)
        in_each = (found * sequences.records).sum(axis=1).tolist()
        columns = self.problem.columns
        share = int(sequences.records[found.any(axis=0)].sum()) / self.problem.tally.records
        can_go = [j for j in self.order if in_each[j] and sequences.levels[j] < self.allowed[j][-1]]
        return Outlying(share, {columns[j].name: in_each[j] for j in can_go})

    def _find_rare(self, sequences: Sequences, blank: Flags) -> RareCombinations:
        """Which tested combinations are rare; `LimitError` if the time is up."""
        raise_if_out_of_time(self.watch, "mu-argus finished")
        self.watch.tell("testing combinations of 2 and 3 columns", 0.5)
        return sequences.find_rare(self.tested, largest_k(self.problem), blank)


def _thirds(problem: Problem) -> tuple[Identifying, ...]:
    """How identifying each column is: `most` for the third with most values, then `more`."""
    distinct = [len(np.unique(codes)) for codes in problem.tally.quasi]
    order = sorted(range(len(distinct)), key=lambda j: (-distinct[j], j))
    rank = {j: place * len(KINDS) // len(order) for place, j in enumerate(order)}
    return tuple(KINDS[rank[j]] for j in range(len(order)))
