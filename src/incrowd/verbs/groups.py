"""Which sets of columns single out small groups of people: k-quasi-identifiers (Bettini)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from incrowd.errors import InputError, PolicyError
from incrowd.identify.outcome import Group, Groups
from incrowd.io.reading import Reading, enough_memory
from incrowd.linkage.identify import minimal_k_qis
from incrowd.linkage.world import World
from incrowd.table.names import listed
from incrowd.verbs.tables import TableInMemory, opened
from incrowd.watch import NestedWatch, Watch


@dataclass(frozen=True)
class GroupOptions:
    """What `groups` looks for. Checked before anything is read."""

    k: int
    columns: tuple[str, ...] | None = None
    """The columns to look at; None for all."""
    world_id: str | None = None
    """The column that tells individuals apart; each row is one if None."""
    max_size: int | None = None
    """The most columns of a set."""
    time_limit: float | None = 60.0

    def __post_init__(self) -> None:
        columns = None if self.columns is None else listed(self.columns)
        object.__setattr__(self, "columns", columns)
        if self.max_size is not None and self.max_size < 1:
            raise PolicyError("a set has at least one column", remedy="give a size of 1 or more")

    @property
    def named(self) -> tuple[str, ...]:
        """All columns that are named."""
        return (*(self.columns or ()), *(() if self.world_id is None else (self.world_id,)))


def groups(  # noqa: PLR0913  the table, and one keyword per option
    source: Any,
    k: int,
    columns: str | Sequence[str] | None = None,
    *,
    world_id: str | None = None,
    max_size: int | None = None,
    time_limit: float | None = 60.0,
    reading: Reading | None = None,
    watch: Watch | None = None,
) -> Groups:
    """Find the minimal sets of columns whose values single out groups of at most `k` people.

    These are the k-quasi-identifiers of a world (Bettini Definition 5) that is this table alone.
    The table is a frame or a path. `world_id` is the column that tells individuals apart; without
    it each row is one.
    """
    named = None if columns is None else listed(columns)
    options = GroupOptions(k, named, world_id, max_size, time_limit)
    return groups_with(source, options, reading=reading, watch=watch)


def groups_with(
    source: Any,
    options: GroupOptions,
    *,
    reading: Reading | None = None,
    watch: Watch | None = None,
) -> Groups:
    """`groups` with all options in one value."""
    watch = watch or Watch()
    with enough_memory(), opened(source, options.columns, reading, whole=True) as table:
        if not isinstance(table, TableInMemory):
            raise PolicyError(
                "groups need all records at once, and batches pass once",
                remedy="put them together in one frame",
            )
        seen = table.without_nested(options.named)
        world = _world(seen, options.world_id)
        within = NestedWatch(watch, options.time_limit)
        found = minimal_k_qis(world, options.k, max_size=options.max_size, watch=within)
    return Groups(
        k=options.k,
        people=world.people,
        sets=tuple(map(Group, found.sets, found.smallest)),
        partial=not found.complete,
        notes=(*seen.notes, *world.notes),
        seconds=watch.elapsed,
    )


def _world(table: TableInMemory, world_id: str | None) -> World:
    names = [name for name in table.names if name != world_id]
    if not names or not table.engine.records:
        raise InputError(
            "the table has no records" if names else "the table has no column but the id",
            remedy="give at least one",
        )
    ids = None if world_id is None else table.engine.units(world_id)
    return World(table.engine.codes(names), ids)
