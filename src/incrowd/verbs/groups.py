"""Which columns of a table name small groups of people: its k-quasi-identifiers (Bettini)."""

import time
from collections.abc import Sequence
from typing import Any

from incrowd.errors import InputError, PolicyError
from incrowd.identify.outcome import Group, Groups
from incrowd.linkage.identify import minimal_k_qis
from incrowd.linkage.world import World
from incrowd.verbs.reading import Reading, enough_memory
from incrowd.verbs.source import Held, opened
from incrowd.watch import Watch, Within


def groups(  # noqa: PLR0913  the table, its columns, and limits
    data: Any,
    k: int,
    columns: Sequence[str] | None = None,
    *,
    id: str | None = None,  # noqa: A002  what the column is called everywhere
    max_size: int | None = None,
    time_limit: float = 60.0,
    reading: Reading | None = None,
    watch: Watch | None = None,
) -> Groups:
    """The minimal sets of columns whose values name groups of at most `k` people.

    They are the k-quasi-identifiers of a world (Bettini Definition 5) in which there is no other.
    The table is a frame or a path; `id` is its column that tells individuals apart, each row is one
    if not given.
    """
    begun = time.monotonic()
    if max_size is not None and max_size < 1:
        raise PolicyError("a set has at least one column", remedy="give 1 or more")
    with enough_memory(), opened(data, columns, reading, whole=True) as table:
        if not isinstance(table, Held):
            raise PolicyError("batches go by once", remedy="put them together in one frame")
        seen = table.without_sealed((*(columns or ()), *([] if id is None else [id])))
        world = _world(seen, id)
        found = minimal_k_qis(
            world, k, max_size=max_size, watch=Within(watch or Watch(), time_limit)
        )
    return Groups(
        k=k,
        people=world.people,
        sets=tuple(map(Group, found.sets, found.smallest)),
        partial=not found.complete,
        notes=(*seen.notes, *world.notes),
        seconds=time.monotonic() - begun,
    )


def _world(table: Held, id: str | None) -> World:  # noqa: A002  as above
    names = [name for name in table.names if name != id]
    if not names or not table.engine.records:
        raise InputError(
            "the table has no records" if names else "the table has no column but the id",
            remedy="give at least one",
        )
    ids = None if id is None else table.engine.units(id)
    return World(table.engine.codes(names), ids)
