"""Promises about every world, held against the world that is given."""

import numpy as np

from incrowd.arrays import MISSING, Counts
from incrowd.attacks.words import columns
from incrowd.errors import InputError
from incrowd.linkage.constraints import AtLeast
from incrowd.linkage.world import World
from incrowd.table.fold import fold
from incrowd.verbs.attack_tables import Tables


def refuse_broken(tables: Tables) -> None:
    """Refuse promises that the world itself breaks: nothing follows from what is false.

    A promise about more columns than the world has is held against those that it has: whoever
    shares the values of many columns shares those of some.
    """
    for promise in tables.asked.promises if tables.worlds else ():
        there = tuple(name for name in promise.columns if tables.in_world(name))
        if there:
            _refuse(promise, crowds(tables.holdings.world(there)), there)


def _refuse(promise: AtLeast, sizes: Counts, there: tuple[str, ...]) -> None:
    few = sizes[sizes < promise.people]
    if len(few):
        raise InputError(
            f"the world breaks the promise of {promise.people:,} people: {len(few):,} of "
            f"{len(sizes):,} combinations of {columns(there)} have fewer, the smallest "
            f"{int(few.min()):,}",
            remedy="promise no more than the smallest has, or leave the promise out",
        )


def crowds(world: World) -> Counts:
    """How many individuals share each combination of values; one that lacks a value is none."""
    lines = [column.codes for column in world.columns.values()]
    whole = np.logical_and.reduce([line != MISSING for line in lines])
    pairs = fold([*(line[whole] for line in lines), world.person[whole]], ()).quasi
    return fold(list(pairs[:-1]), ()).counts
