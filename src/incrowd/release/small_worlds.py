"""Small worlds: what somebody concludes who knows how a release was searched.

k-map and delta-presence count by containment: whom a label may stand for. Which labels a search
chooses depends on the table, so that somebody who runs it on every table that could have been drawn
from the world can rule tables out. In a world of `ENOUGH` people nothing was found that way. In a
smaller one incrowd does the same: it searches all tables of the same size, keeps those that give
the same released rows, and takes each of them to be equally likely.

- *Presence* of a person is the share of these tables that hold the person.
- *Belonging* of a person to a record is the chance, over these tables and over the records that
  show the same, that the record is the person's.

The largest presence must not exceed delta, the largest belonging must not exceed 1 / k.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod
from typing import TypeAlias

import numpy as np

from incrowd.arrays import Counts, Flags
from incrowd.errors import InfeasibleError, LimitError, NotMetError, count_of
from incrowd.linkage.links import link
from incrowd.linkage.world import World
from incrowd.models.model import counts_world_people, fraction
from incrowd.policy.policy import Policy
from incrowd.release.load import LoadedTable
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.verify.crowds import NumberedCells
from incrowd.verify.verify import SeenRelease
from incrowd.watch import Watch

ENOUGH = 40
"""In a world of so many people nothing was found that containment does not count."""
MOST_TABLES = 10_000
"""Tables that are searched at most."""

Shown: TypeAlias = tuple[str, ...] | None
"""What a record shows in the release; None if it is left out."""
Searcher: TypeAlias = Callable[[Counts], Sequence[Shown] | None]
"""Searches the table of these rows of the world: what each record shows; None without a release."""


@dataclass(frozen=True)
class Posterior:
    """What the tables that give one release say about the people of the world."""

    tables: int
    """Tables that could have been drawn."""
    alike: int
    """Those of them that give this release."""
    presence: Fraction
    """The largest share of these that hold one person."""
    belonging: Fraction
    """The largest chance that a record is one person's."""

    @property
    def says(self) -> str:
        """The figures in words."""
        return (
            f"of all {count_of(self.tables, 'table')} that could have been drawn from the world, "
            f"{self.alike:,} give this release; the surest presence of a person is "
            f"{float(self.presence):.4g}, the surest owner of a record {float(self.belonging):.4g}"
        )


def relies_on_small_world(policy: Policy, world: World | None) -> bool:
    """Whether the policy has a model of a world, and the world has fewer than `ENOUGH` people."""
    return (
        world is not None and world.people < ENOUGH and any(map(counts_world_people, policy.models))
    )


@dataclass(frozen=True, eq=False)
class DrawnTable:
    """A small world as distinct rows, and the table as how many people of each row it holds."""

    people: Counts
    """People of the world with each distinct row."""
    first: Counts
    """For each distinct row, the first row of the world that equals it."""
    held: Counts
    """People of the table with each distinct row."""
    kind_of: Counts
    """The distinct row of each row of the world."""

    @property
    def tables(self) -> int:
        """How many tables of this size could be drawn from the world."""
        return comb(int(self.people.sum()), int(self.held.sum()))

    def possible_tables(self) -> Iterator[Counts]:
        """Yield each way in which a table of this size can hold people of the distinct rows."""
        yield from map(np.array, _ways_to_take(self.people.tolist(), int(self.held.sum())))

    def count_drawings(self, held: Counts) -> int:
        """Count the tables that hold so many people of each distinct row."""
        return prod(comb(m, c) for m, c in zip(self.people.tolist(), held.tolist(), strict=True))


def _ways_to_take(people: Sequence[int], number: int) -> Iterator[list[int]]:
    """Yield every way to take `number` people from groups of so many people."""
    if not people:
        if not number:
            yield []
        return
    rest = sum(people[1:])
    for some in range(max(0, number - rest), min(people[0], number) + 1):
        for others in _ways_to_take(people[1:], number - some):
            yield [some, *others]


def drawn_table(table: LoadedTable) -> DrawnTable:
    """Describe a table as drawn from its small world.

    `InfeasibleError` if it was not, or other tables cannot be searched or are too many.
    """
    policy, world = table.policy, table.world.world
    size = f"the world has {count_of(world.people, 'person', 'people')}, fewer than {ENOUGH}"
    why = _reason_unsearchable(policy, world)
    if table.compiled.left_out_missing and not why:
        why = "records were left out for a missing value"
    if why:
        raise _uncounted_error(size, why)
    names = policy.quasi
    lines = np.stack([_world_codes(table, name) for name in names])
    rows = np.stack([world.columns[name].codes for name in names])
    kinds, first, kind_of, people = np.unique(
        rows, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    number = {tuple(kind): i for i, kind in enumerate(kinds.T.tolist())}
    held = np.zeros(len(people), dtype=np.int64)
    weights = table.compiled.problem.tally.counts
    for line, records in zip(lines.T.tolist(), weights.tolist(), strict=True):
        if tuple(line) not in number:
            raise _uncounted_error(size, "the table holds people who are not in it")
        held[number[tuple(line)]] += records
    if (held > people).any():
        raise _uncounted_error(size, "the table holds more people with the same values than it has")
    drawn = DrawnTable(people.astype(np.int64), first.astype(np.int64), held, kind_of.ravel())
    if drawn.tables > MOST_TABLES:
        raise _uncounted_error(
            size,
            f"{drawn.tables:,} tables of {int(held.sum()):,} people could be drawn from it, more "
            f"than the {MOST_TABLES:,} that are searched",
        )
    return drawn


def _reason_unsearchable(policy: Policy, world: World) -> str:
    """Say why other tables of this world cannot be searched; empty if they can."""
    lacking = [name for name in policy.quasi if name not in world.names]
    if lacking:
        return f"it lacks the quasi-identifying column {lacking[0]!r}, which the search uses"
    if used := (*policy.judged, *policy.loss.columns):
        return f"the search uses {used[0]!r}, which nobody knows of people who are not in the table"
    if policy.unit is not None or not world.everybody_once:
        return "people have several rows"
    return ""


def _uncounted_error(size: str, why: str) -> InfeasibleError:
    """The error for a small world that cannot be searched; both parameters are words of it."""
    return InfeasibleError(
        f"{size}: counted by containment alone, models of the world promise too much there, and "
        f"what somebody who knows the search concludes was not counted: {why}",
        remedy="use k-anonymity, or give the whole world that an attacker may hold",
    )


def _world_codes(table: LoadedTable, name: str) -> Counts:
    """The table's distinct rows in a column, in codes of the world; -1 where it lacks a value."""
    column, _ = table.quasi[name]
    there = table.world.world.columns[name].domain.labels.tolist()
    number = {label: code for code, label in enumerate(there, start=1)}
    place = [0, *(number.get(label, -1) for label in column.domain.labels.tolist())]
    line = table.compiled.problem.tally.quasi[table.policy.quasi.index(name)]
    found: Counts = np.array(place, dtype=np.int64)[line]
    return found


@dataclass(frozen=True, eq=False)
class FittingKinds:
    """Which people of a small world fit the rows that a release shows."""

    fits: Flags
    """By row that the release shows and by distinct row of the world: whether it fits."""
    records: Counts
    """Records that show each row."""

    @classmethod
    def of(cls, table: LoadedTable, seen: SeenRelease, drawn: DrawnTable) -> "FittingKinds":
        """Read the labels of a release of this table."""
        against, missing = table.world, table.policy.missing
        shown = {name: _code_cells(name, cells) for name, cells in seen.quasi.items()}
        plain = Missing.OWN_VALUE if missing is Missing.SUPPRESS else missing
        linked = link(shown, against.world, against.hierarchies, missing=plain)
        start, person = linked.candidates_of(np.arange(len(linked.candidates)))
        row_of = np.zeros(int(against.world.person.max()) + 1, dtype=np.int64)
        row_of[against.world.person] = np.arange(against.world.rows)
        fits = np.zeros((len(linked.candidates), len(drawn.people)), dtype=np.bool_)
        fits[np.repeat(np.arange(len(fits)), np.diff(start)), drawn.kind_of[row_of[person]]] = True
        return cls(fits, seen.crowds.records)

    def may_show(self, held: Counts) -> bool:
        """Whether `held` people per distinct row suffice for each released row and for all."""
        enough: Flags = self.fits @ held >= self.records
        return bool(enough.all() and held[self.fits.any(axis=0)].sum() >= self.records.sum())


def _code_cells(name: str, cells: NumberedCells) -> CodedColumn:
    """Code numbered cells as a column of texts."""
    labels = np.array(cells.labels.to_list(), dtype=object)
    return CodedColumn(name, cells.codes.astype(np.int32), Domain(Kind.TEXT, labels))


def posterior_of(
    drawn: DrawnTable, search: Searcher, release: tuple[Counter[Shown], FittingKinds], watch: Watch
) -> Posterior:
    """Search every table that could be drawn; add up what those that give this release say.

    `release` is how many records show each row, and which people of the world these rows fit.
    Tables whose people do not fit it cannot give it and are not searched. `InfeasibleError` if the
    search does not find this release again, `LimitError` if time is up.
    """
    shown, fitting = release
    seen = _AlikeTables(drawn, search, shown)
    seen.refuse_another_release()
    done = 0
    for held in drawn.possible_tables():
        if watch.expired:
            raise LimitError(
                f"{done:,} of {drawn.tables:,} tables that could be drawn from the world were "
                f"looked at in {watch.elapsed:.0f} seconds, and all of them must be: a world of "
                f"fewer than {ENOUGH} people is not counted by containment alone",
                remedy="give more time (time_limit), use k-anonymity, or give the whole world",
            )
        if fitting.may_show(held):
            seen.add(held)
        done += drawn.count_drawings(held)
        watch.tell("searching other tables of the world", done / drawn.tables)
    return seen.posterior


class _AlikeTables:
    """Sums over the tables that give the same release."""

    def __init__(self, drawn: DrawnTable, search: Searcher, shown: Counter[Shown]) -> None:
        self._drawn, self._search = drawn, search
        self._release = shown
        self._alike = 0
        self._present: Counter[int] = Counter()
        self._owned: dict[tuple[Shown, int], Fraction] = {}

    def refuse_another_release(self) -> None:
        """Raise `InfeasibleError` if the table itself, drawn from the world, gives another one."""
        again = self._search_counts(self._drawn.held)
        if again is None or again[0] != self._release:
            raise InfeasibleError(
                "the search gave another release when it was repeated on the world's own values, "
                f"so that a world of fewer than {ENOUGH} people cannot be counted",
                remedy="write the values of table and world alike, or use k-anonymity",
            )

    def _search_counts(
        self, held: Counts
    ) -> tuple[Counter[Shown], Counter[tuple[Shown, int]]] | None:
        """Search a table that holds so many people of each distinct row; count what records show.

        Returns records by what they show, and by what they show and the distinct row of their
        person. None if there is no release.
        """
        kind = np.repeat(np.arange(len(held)), held)
        shown = self._search(self._drawn.first[kind])
        if shown is None:
            return None
        pairs = [pair for pair in zip(shown, kind.tolist(), strict=True) if pair[0] is not None]
        return Counter(one for one, _ in pairs), Counter(pairs)

    def add(self, held: Counts) -> None:
        """Add a table that holds so many people of each row, if it gives the release."""
        found = self._search_counts(held)
        if found is None or found[0] != self._release:
            return
        weight = self._drawn.count_drawings(held)
        self._alike += weight
        for of, number in enumerate(held.tolist()):
            self._present[of] += weight * number
        for (shown, of), number in found[1].items():
            share = Fraction(weight * number, found[0][shown])
            self._owned[shown, of] = self._owned.get((shown, of), Fraction(0)) + share

    @property
    def posterior(self) -> Posterior:
        """What the tables that were added say; everybody with the same row is as likely."""
        people, alike = self._drawn.people.tolist(), self._alike
        present = [Fraction(sums, alike * people[of]) for of, sums in self._present.items()]
        owned = [sums / (alike * people[of]) for (_, of), sums in self._owned.items()]
        nobody = Fraction(0)
        return Posterior(
            self._drawn.tables, alike, max(present, default=nobody), max(owned, default=nobody)
        )


def demand_posterior(policy: Policy, found: Posterior) -> None:
    """Raise `NotMetError` if somebody who knows the search concludes too much from the release."""
    for model in policy.models:
        limits: Mapping[str, tuple[Fraction, Fraction]] = {
            "presence": (found.presence, fraction(model.largest_presence())),
            "owner": (found.belonging, Fraction(1, max(model.smallest_candidate_set(), 1))),
        }
        if counts_world_people(model) and any(
            reached > limit for reached, limit in limits.values()
        ):
            raise NotMetError(
                f"{model.name} is met by containment, but not against somebody who knows the "
                f"search: {found.says}; nothing was released",
                remedy="ask for less detail (a larger k, a smaller delta), or use k-anonymity",
            )
