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
from incrowd.release.verify import Seen
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.roles import Missing
from incrowd.world.linkage import link
from incrowd.world.world import World


@dataclass(frozen=True, eq=False)
class Against:
    """The world that somebody may hold, and what its file or frame was."""

    world: World
    digest: Digest
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """What labels stand for, by column; those of other columns are read as they are written."""

    @property
    def opposed(self) -> Opposed:
        """What a certificate says of the world: no value of it."""
        return Opposed(
            digest=self.digest,
            columns=self.world.names,
            rows=self.world.rows,
            people=self.world.people,
        )

    def counts(self, seen: Seen, missing: Missing) -> Counts:
        """Per class of the rows that leave: the individuals that it may be about."""
        reading = Missing.OWN_VALUE if missing is Missing.SUPPRESS else missing
        shown = {
            name: CodedColumn(
                name,
                cells.codes.astype(np.int32),
                Domain(Kind.TEXT, cells.labels.to_numpy().astype(object)),
            )
            for name, cells in seen.quasi.items()
        }
        found = link(shown, self.world, self.hierarchies, missing=reading)
        counts = np.zeros(seen.crowds.number, dtype=np.int64)
        counts[seen.crowds.class_of] = found.candidates
        return counts

    def __repr__(self) -> str:
        """Without values."""
        return f"Against({self.world!r})"
