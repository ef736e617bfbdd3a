"""A release held against a world by its labels alone: whom each row may be about.

Part of the verification: it shares nothing with the search. What a label stands for is read by the
hierarchy that made it, or as it is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import Counts
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.release.certificate import Digest, Opposed
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.roles import Missing
from incrowd.verify.verify import Seen
from incrowd.world.linkage import Linked, link
from incrowd.world.world import World


@dataclass(frozen=True, eq=False)
class Against:
    """The world that somebody may hold, and what its files or frames were."""

    world: World
    digests: tuple[Digest, ...]
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """What labels stand for, by column; those of other columns are read as they are written."""
    joined: tuple[str, ...] = ()
    """What is taken for granted where several tables are one world, in words."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is taken for granted about who is who, in words."""
        return (*self.world.notes, *self.joined)

    @property
    def opposed(self) -> Opposed:
        """What a certificate says of the world: no value of it."""
        return Opposed(
            digests=self.digests,
            columns=self.world.names,
            rows=self.world.rows,
            people=self.world.people,
        )

    def counts(self, seen: Seen, missing: Missing) -> Counts:
        """Per class of the rows that leave: the individuals that it may be about."""
        counts = np.zeros(seen.crowds.number, dtype=np.int64)
        counts[seen.crowds.class_of] = self._linked(seen, missing).candidates
        return counts

    def presence(self, seen: Seen, missing: Missing) -> float:
        """How sure it is at most that an individual is among the rows that leave.

        Every row is as likely about each individual that it may be about; an individual who fits
        several classes may be in any of them, so what they say is added up.
        """
        crowds = seen.crowds
        _, first = np.unique(crowds.class_of, return_index=True)
        start, person = self._linked(seen, missing).candidates_of(first)
        people = crowds.of_class[crowds.class_of[first]]
        sizes = np.diff(start)
        sums = np.bincount(person, np.repeat(people / np.maximum(sizes, 1), sizes))
        return float(sums.max(initial=0.0))

    def _linked(self, seen: Seen, missing: Missing) -> Linked:
        reading = Missing.OWN_VALUE if missing is Missing.SUPPRESS else missing
        shown = {
            name: CodedColumn(
                name,
                cells.codes.astype(np.int32),
                Domain(Kind.TEXT, cells.labels.to_numpy().astype(object)),
            )
            for name, cells in seen.quasi.items()
        }
        return link(shown, self.world, self.hierarchies, missing=reading)

    def __repr__(self) -> str:
        """Without values."""
        return f"Against({self.world!r})"
