"""The world that a release is held against, and what is said about it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from incrowd.errors import counted
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.counted import Counted
from incrowd.linkage.world import World
from incrowd.models.model import of_world
from incrowd.policy.policy import Policy
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

    def remarks(self, policy: Policy, world: Counted | None) -> Iterator[str]:
        """What a reader of a release should know about the world it was held against."""
        yield from self.notes
        if not any(of_world(model) for model in policy.models):
            yield (
                "no model of the policy asks about the world, so it changed nothing: "
                "ask for k-map or delta-presence"
            )
        lacking = [name for name in policy.quasi if name not in self.world.names]
        if lacking:
            yield (
                f"the world does not know {', '.join(lacking)}: whoever holds another one may, and "
                "models of the world do not look at it"
            )
        for name, outside in (world.outside if world is not None else {}).items():
            yield (
                f"the hierarchy of {name!r} lacks {counted(outside, 'value')} of the world; labels "
                "are held against them as they are written"
            )

    def __repr__(self) -> str:
        """Without values."""
        return f"Against({self.world!r})"
