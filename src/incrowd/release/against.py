"""The world that a release is held against, and what is said about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.world import World
from incrowd.release.certificate import Digest, Opposed
from incrowd.verify.candidates import PublicTable


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

    @property
    def public(self) -> PublicTable:
        """The world as verification sees it."""
        return PublicTable(self.world.columns, self.world.individual, self.hierarchies)

    def __repr__(self) -> str:
        """Without values."""
        return f"Against({self.world!r})"
