"""Several external tables as one world: the universal relation (Bettini Section 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts
from incrowd.errors import InputError
from incrowd.linkage.world import World
from incrowd.table.column import CodedColumn, Domain, Kind

Table = tuple[Mapping[str, CodedColumn], CodedColumn]
"""The public columns of a table, and its id column."""


def united(tables: Sequence[Table]) -> World:
    """Everything that several tables tell about the same individuals.

    Tables are joined by the values of their ids. Whoever is in two of them has every combination
    of the rows that they have there; where two tables tell different values of one column, both.
    What no table tells about an individual is missing. A row without an id joins with nothing.
    """
    if not tables:
        raise InputError("no tables make no world", remedy="give at least one")
    domain, codes = _one_numbering([ids for _, ids in tables])
    world = _Part(dict(tables[0][0]), codes[0])
    for (columns, _), ids in zip(tables[1:], codes[1:], strict=True):
        world = _joined(world, _Part(dict(columns), ids), len(domain) + 1)
    return World(world.columns, world.ids)


@dataclass(frozen=True, eq=False, repr=False)
class _Part:
    columns: dict[str, CodedColumn]
    ids: Codes


def _one_numbering(columns: Sequence[CodedColumn]) -> tuple[Domain, list[Codes]]:
    """The same columns in codes of one domain."""
    if all(column.domain is columns[0].domain for column in columns):
        return columns[0].domain, [column.codes for column in columns]
    kinds = {column.domain.kind for column in columns}
    kind = kinds.pop() if len(kinds) == 1 else Kind.TEXT
    values = [
        column.domain.values if column.domain.kind is kind else column.domain.labels
        for column in columns
    ]
    every, place = np.unique(np.concatenate(values), return_inverse=True)
    cuts = np.cumsum([len(part) for part in values])[:-1]
    lookups = [np.concatenate([[MISSING], part + 1]) for part in np.split(place.ravel(), cuts)]
    codes = [
        lookup[column.codes].astype(np.int32)
        for lookup, column in zip(lookups, columns, strict=True)
    ]
    return Domain(kind, every), codes


def _joined(left: _Part, right: _Part, people: int) -> _Part:
    """Two tables as one: pairs of rows of those in both, and the rows of those in one."""
    shared = [name for name in left.columns if name in right.columns]
    for name in shared:
        both = [left.columns[name], right.columns[name]]
        domain, (mine, theirs) = _one_numbering(both)
        left.columns[name] = CodedColumn(both[0].name, mine, domain)
        right.columns[name] = CodedColumn(both[1].name, theirs, domain)
    here, there = _pairs(left.ids, right.ids, people)
    differ = np.zeros(len(here), dtype=np.bool_)
    for name in shared:
        differ |= _at(left.columns[name].codes, here) != _at(right.columns[name].codes, there)
    again = np.flatnonzero(differ & (here >= 0) & (there >= 0))
    from_left = np.concatenate([here, here[again]])
    from_right = np.concatenate([there, there[again]])
    second = np.arange(len(from_left)) >= len(here)
    columns = {}
    for name in dict.fromkeys([*left.columns, *right.columns]):
        mine = _taken(left.columns.get(name), from_left)
        theirs = _taken(right.columns.get(name), from_right)
        use_theirs = (from_left < 0) | second if name in shared else name not in left.columns
        source = left.columns.get(name) or right.columns[name]
        codes = np.where(use_theirs, theirs, mine).astype(np.int32)
        columns[name] = CodedColumn(source.name, codes, source.domain)
    ids = np.where(from_left >= 0, _at(left.ids, from_left), _at(right.ids, from_right))
    return _Part(columns, ids.astype(np.int32))


def _taken(column: CodedColumn | None, rows: Counts) -> Codes:
    """The codes of these rows; missing for row -1 and for a column that is not there."""
    if column is None:
        return np.zeros(len(rows), dtype=np.int32)
    return _at(column.codes, rows)


def _at(codes: Codes, rows: Counts) -> Codes:
    found: Codes = np.append(codes, np.int32(MISSING))[rows]
    return found


def _pairs(left: Codes, right: Codes, people: int) -> tuple[Counts, Counts]:
    """All pairs of rows with one id, and each row that has no partner with -1."""
    order = np.argsort(right, kind="stable")
    sizes = np.bincount(right, minlength=people)
    first = np.cumsum(sizes) - sizes
    partners = np.where(left == MISSING, 0, sizes[left])
    times = np.maximum(partners, 1)
    here = np.repeat(np.arange(len(left)), times)
    step = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    spot = np.minimum(first[left][here] + step, max(len(right) - 1, 0))
    there = np.where(partners[here] > 0, order[spot] if len(right) else -1, -1)
    known = np.zeros(people, dtype=np.bool_)
    known[left] = True
    known[MISSING] = False
    rest = np.flatnonzero(~known[right])
    return (
        np.concatenate([here, np.full(len(rest), -1)]),
        np.concatenate([there, rest]),
    )
