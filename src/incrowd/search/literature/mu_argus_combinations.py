"""Rare combinations of two and three columns, and the cells to blank in them (Sweeney Section 4.2).

A *sequence* is what some records show in all columns; a combination is *rare* in a sequence if
fewer than k people show what it shows in the combination's columns: Sweeney's outliers. A blank
cell shows nothing, and combinations with one are not looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import SUPPRESSED, Codes, Counts, Flags
from incrowd.partition.classes import classes_of, number_columns
from incrowd.problem import Problem
from incrowd.recoding import CellLevels, Pieces
from incrowd.search.lattice.full_domain import node_classes, shown_nodes
from incrowd.table.tally import Tally

Identifying: TypeAlias = Literal["identifying", "more", "most"]
"""How identifying a column is, most last."""
Tested: TypeAlias = Literal["paper", "actual"]
Combination: TypeAlias = tuple[int, ...]
"""The places of its columns, ascending."""

_DENSE = 1 << 16
_ALWAYS = {
    ("identifying", "more", "most"),
    ("identifying", "most", "most"),
    ("most", "most", "most"),
    ("identifying", "more"),
    ("identifying", "most"),
    ("more", "most"),
    ("most", "most"),
}
"""Sweeney Figure 12: what the program tests whatever the columns."""
_IF_SEVERAL = {("more", "more", "most"), ("more", "most", "most"), ("more", "more")}
"""Figure 12: what it tests only if more than one column is `identifying`."""


def combinations_of(kinds: Sequence[Identifying], tested: Tested) -> tuple[Combination, ...]:
    """The combinations of two and three columns that are tested, given how identifying each is.

    All of them (Figure 11, step 3), or those that the actual program looks at (Figure 12).

    >>> combinations_of(["identifying", "identifying", "most"], "actual")
    ((0, 2), (1, 2))
    """
    places = range(len(kinds))
    everything = [c for size in (2, 3) for c in combinations(places, size)]
    if tested == "paper":
        return tuple(everything)
    known = _ALWAYS | (_IF_SEVERAL if list(kinds).count("identifying") > 1 else set())
    # The three words are in alphabetical order from identifying to most.
    return tuple(c for c in everything if tuple(sorted(kinds[j] for j in c)) in known)


def people_of(tally: Tally, group_of: Codes, number: int) -> Counts:
    """How many people have a row of the tally in each group; rows of group -1 are left out."""
    return classes_of(replace(tally, sensitive=tally.sensitive[:0]), group_of, number, ()).people


@dataclass(frozen=True, eq=False)
class Sequences:
    """The distinct sequences that records show at some levels: Sweeney's freq."""

    problem: Problem
    levels: tuple[int, ...]
    class_of: Codes
    """The sequence of each row of the tally."""
    nodes: Codes
    """What each sequence shows: shape (d, sequences)."""

    @classmethod
    def at_levels(cls, problem: Problem, levels: Sequence[int]) -> "Sequences":
        """The sequences that records show at these levels, one level per column."""
        class_of, _ = node_classes(problem, levels)
        return cls(problem, tuple(levels), class_of, shown_nodes(problem, levels, class_of))

    @cached_property
    def records(self) -> Counts:
        """Records per sequence."""
        counts = self.problem.tally.counts
        return np.bincount(self.class_of, counts, self.nodes.shape[1]).astype(np.int64)

    def flag_blank_cells(self) -> Flags:
        """Flags of the cells that are blank at these levels: columns at their highest level."""
        heights = [column.hierarchy.height for column in self.problem.columns]
        top = np.array(self.levels) >= np.array(heights)
        return np.repeat(top[:, np.newaxis], self.nodes.shape[1], axis=1)

    def people(self, combination: Combination, blank: Flags) -> Counts:
        """How many people show what each sequence shows in these columns; -1 if one is blank."""
        group, number = self._groups(list(combination))
        group = np.where(blank[list(combination)].any(axis=0), SUPPRESSED, group).astype(np.int32)
        tally = self.problem.tally
        if tally.has_units:
            people = people_of(tally, group[self.class_of], number)
        else:
            held = group >= 0
            people = np.bincount(group[held], self.records[held], number).astype(np.int64)
        return np.where(group >= 0, people[group], -1)

    def find_rare(self, tested: Sequence[Combination], k: int, blank: Flags) -> "RareCombinations":
        """The tested combinations that fewer than k people show, sequence by sequence."""
        number = self.nodes.shape[1]
        flags = np.empty((len(tested), (number + 7) // 8), dtype=np.uint8)
        for c, combination in enumerate(tested):
            people = self.people(combination, blank)
            flags[c] = np.packbits((people >= 0) & (people < k))
        return RareCombinations(tuple(tested), flags, self.nodes.shape)

    def recode_with_blanks(self, blank: Flags) -> CellLevels:
        """The recoding that shows the sequences, with the cells flagged in `blank` blank."""
        problem = self.problem
        heights = [[column.hierarchy.height] for column in problem.columns]
        levels = np.where(blank, heights, np.array(self.levels)[:, np.newaxis]).astype(np.int32)
        rows = np.arange(problem.tally.rows, dtype=np.int32)
        found = CellLevels(levels, Pieces(rows, problem.tally.counts, self.class_of))
        return found.merge_alike(problem.tally, problem.columns)

    def _groups(self, columns: list[int]) -> tuple[Codes, int]:
        """The group of each sequence by what it shows in these columns, and a number above all."""
        nodes = self.nodes[columns]
        domains = nodes.max(axis=1, initial=0) + 1
        size = prod(int(domain) for domain in domains)
        if size > max(_DENSE, 4 * nodes.shape[1]):
            return number_columns(nodes)
        key = np.ravel_multi_index(tuple(nodes), tuple(domains))
        return key.astype(np.int32), size


@dataclass(frozen=True, eq=False)
class RareCombinations:
    """Which tested combinations are rare in which sequence."""

    tested: tuple[Combination, ...]
    flags: NDArray[np.uint8]
    """One line per combination, a bit per sequence."""
    shape: tuple[int, ...]
    """Columns and sequences."""

    def flag_sequences(self, place: int) -> Flags:
        """Flags of the sequences in which the combination at this place of `tested` is rare."""
        return np.unpackbits(self.flags[place], count=self.shape[1]).astype(np.bool_)

    def occurrences(self, blank: Flags) -> Counts:
        """The number of rare combinations each cell is in; those with a blank cell do not count."""
        found: Counts = np.zeros(self.shape, dtype=np.int64)
        for c, combination in enumerate(self.tested):
            columns = list(combination)
            found[columns] += self.flag_sequences(c) & ~blank[columns].any(axis=0)
        return found


def blank_cells(rare: RareCombinations, order: Sequence[int], blank: Flags) -> Flags:
    """Flags of the blank cells once each rare combination has one (Sweeney Figure 11, step 6).

    In each sequence the cell goes that is in most of its rare combinations, then the one that is in
    most of those left, and so on. Of equal ones the first in `order` goes; columns that are not in
    `order` stay as they are, and so do rare combinations of them alone.
    """
    blank, places = blank.copy(), np.array(order, dtype=np.int64)
    while len(places):
        found = rare.occurrences(blank)[places]
        worst = found.argmax(axis=0)
        hit = np.flatnonzero(found.max(axis=0) > 0)
        if not len(hit):
            break
        blank[places[worst[hit]], hit] = True
    return blank
