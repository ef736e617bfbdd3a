"""The people of a world on the leaves of hierarchies that cover their values too."""

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Values
from incrowd.linkage.matching import leaves_of
from incrowd.linkage.world import World
from incrowd.table.column import Domain

_EXACT = 2**53
"""Whole numbers up to here are exact as floats."""


def joined(mine: Domain, theirs: Domain) -> Domain:
    """The values of a column in the table and in the world together.

    Only the table's if the two are of different kinds, or share no exact number format: labels are
    then compared with the world as they are written.
    """
    if mine.kind is not theirs.kind:
        return mine
    there = _as_written(theirs.values, mine.values)
    whole = [line for line in (mine.values, there) if line.dtype.kind == "i"]
    if len(whole) == 1 and np.abs(whole[0]).max(initial=0) >= _EXACT:
        return mine
    return Domain(mine.kind, np.unique(np.concatenate([mine.values, there])))


def _as_written(values: Values, like: Values) -> Values:
    """Finite values only, in the type of the others if that is exact: whole days as days."""
    if values.dtype.kind == "f":
        values = values[np.isfinite(values)]
    if values.dtype.kind in "fM":
        with np.errstate(invalid="ignore", over="ignore"):
            same = values.astype(like.dtype)
        if (same == values).all():
            return same
    return values


def leaf_codes(world: World, name: str, leaves: Domain) -> Codes:
    """The leaf of each row of the world; missing where there is none."""
    column = world.columns[name]
    found: Codes = np.append(np.int32(MISSING), leaves_of(column.domain, leaves))[column.codes]
    return found


def known_rows(world: World, name: str, leaves: Domain) -> Flags:
    """Which rows of the world have a leaf, or a missing value."""
    known: Flags = leaf_codes(world, name, leaves) != MISSING
    known |= world.columns[name].codes == MISSING
    return known


def people_of(world: World, name: str, leaves: Domain) -> Counts:
    """Individuals of the world per leaf; somebody with several rows counts for the first.

    Entry 0 counts those without a leaf.
    """
    codes = leaf_codes(world, name, leaves)
    if not world.everybody_once:
        codes = codes[np.unique(world.person, return_index=True)[1]]
    return np.bincount(codes, minlength=len(leaves) + 1).astype(np.int64)
