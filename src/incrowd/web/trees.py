"""Trees made by hand, changed as a grid is: a row for each value, a column for each level.

Level 0 is the value and the last level the top. Every change gives a tree again: each label has one
label above it, and what goes under `other` stays under it up to the top.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from incrowd.errors import PolicyError
from incrowd.hierarchy.tree import rows_with_reused_names

Row: TypeAlias = tuple[str, ...]
"""A value, its label at each level, and the top."""
_EVERYTHING = "*"


@dataclass(frozen=True, repr=False)
class TreeRows:
    """The rows of a tree, all of one length, and the label of values that have no row."""

    rows: tuple[Row, ...]
    other: str = "other"

    @property
    def top(self) -> int:
        """The number of the top level."""
        return len(self.rows[0]) - 1

    def labels(self, level: int) -> tuple[str, ...]:
        """The labels of a level, each once, with `other` on levels between values and top."""
        found = dict.fromkeys(row[level] for row in self.rows)
        if 0 < level < self.top:
            found |= {self.other: None}
        return tuple(found)

    def __repr__(self) -> str:
        """Without values."""
        return f"TreeRows({len(self.rows)} rows)"


def put_under(grid: TreeRows, level: int, chosen: Collection[str], label: str) -> TreeRows:
    """The grid with the `chosen` labels of a level, and all below, under one of the next level.

    A label that is not there yet is made. Above the highest labels a level is added first.
    `PolicyError` if nothing is chosen that can be moved, or the label cannot be made or used.

    >>> put_under(TreeRows((("a", "*"), ("b", "*"))), 0, ["a"], "first").rows
    (('a', 'first', '*'), ('b', 'b', '*'))
    >>> put_under(TreeRows((("a", "a", "a", "*"), ("b", "b", "up", "*"))), 0, ["a"], "up").rows
    (('a', 'up', 'up', '*'), ('b', 'b', 'up', '*'))
    """
    name = _valid_name(grid, label)
    taken = [row for row in grid.rows if row[level] in chosen]
    if not taken or level == grid.top or (level and grid.other in chosen):
        raise PolicyError(
            "nothing is chosen that can be put elsewhere",
            remedy=f"choose values, or labels below the top other than {grid.other!r}",
        )
    if level + 1 == grid.top:
        return put_under(with_level(grid, level), level, chosen, label)
    alone = [name if entry in chosen else entry for entry in taken[0][level + 2 :]]
    above = _path_from(grid, level + 1, name) or _path_of_new_label(grid, alone, name)
    return _change_rows(grid, lambda r: (*r[: level + 1], *above) if r[level] in chosen else r)


def rename(grid: TreeRows, level: int, old: str, new: str) -> TreeRows:
    """The grid with a label renamed; if this or a higher level has the new name, the labels join.

    `PolicyError` if the level lacks `old`, is 0 or is the top, or if the new name cannot be used.

    >>> rename(TreeRows((("a", "x", "*"), ("b", "y", "*"))), 1, "x", "y").rows
    (('a', 'y', '*'), ('b', 'y', '*'))
    """
    if not 0 < level < grid.top or old not in grid.labels(level):
        raise PolicyError(
            "one label can be renamed at a time",
            remedy="choose one label between the values and the top",
        )
    name = _valid_name(grid, new)
    if old == grid.other:
        rows = [(r[0], *(name if label == old else label for label in r[1:])) for r in grid.rows]
        return _change_rows(TreeRows(tuple(rows), name), lambda row: row)
    above = _path_from(grid, level, name)
    return _change_rows(
        grid, lambda r: (*r[:level], *(above or (name, *r[level + 1 :]))) if r[level] == old else r
    )


def with_level(grid: TreeRows, below: int) -> TreeRows:
    """The grid with a copy of the level `below` added above it; `PolicyError` for the top.

    >>> with_level(TreeRows((("a", "x", "*"),)), 1).rows
    (('a', 'x', 'x', '*'),)
    """
    if not 0 <= below < grid.top:
        raise PolicyError("nothing is above the top", remedy="choose a lower level")
    return _change_rows(grid, lambda row: (*row[: below + 1], *row[below:]))


def without_level(grid: TreeRows, level: int) -> TreeRows:
    """The grid without a level; what was below it is now under the next one.

    `PolicyError` for the level of the values and for the top.

    >>> without_level(TreeRows((("a", "x", "y", "*"),)), 1).rows
    (('a', 'y', '*'),)
    """
    if not 0 < level < grid.top:
        raise PolicyError("values and the top stay", remedy="choose a level between them")
    return _change_rows(grid, lambda row: (*row[:level], *row[level + 1 :]))


def without_groups(grid: TreeRows) -> TreeRows:
    """The grid with the values and the top only."""
    return TreeRows(tuple((row[0], row[-1]) for row in grid.rows), grid.other)


def _valid_name(grid: TreeRows, words: str) -> str:
    """The name of a label without spaces around it; `PolicyError` if empty or that of the top."""
    name = words.strip()
    if not name:
        raise PolicyError("a label needs a name", remedy="write one, or choose a label")
    if name in {_EVERYTHING, grid.rows[0][-1]}:
        raise PolicyError("this name stands for every value", remedy="choose another name")
    return name


def _path_from(grid: TreeRows, level: int, label: str) -> Row | None:
    """The labels from this level to the top above `label`, itself first; None if it is not there.

    If only a higher level has the label, it also fills the levels from this one to that. The label
    `other` is on every level up to the top.
    """
    if label == grid.other:
        return (*[label] * (grid.top - level), grid.rows[0][-1])
    for first in range(level, grid.top):
        for row in grid.rows:
            if row[first] == label:
                return (*[label] * (first - level), *row[first:])
    return None


def _path_of_new_label(grid: TreeRows, upper: Sequence[str], name: str) -> Row:
    """The labels from a new label up: `name`, then `upper`, the labels above it.

    If `other` is among these, `name` takes the place of all of them but the top.
    """
    if grid.other in upper:
        return (*[name] * len(upper), upper[-1])
    return (name, *upper)


def _change_rows(grid: TreeRows, change: Callable[[Row], Row]) -> TreeRows:
    """The grid with every row changed; `PolicyError` if a label would stand for two things."""
    rows = tuple(_keep_other_together(change(row), grid.other) for row in grid.rows)
    if rows_with_reused_names(rows):
        raise PolicyError(
            "a name would then stand for two labels, one below the other",
            remedy="rename one of them first, or choose a name that no other level has",
        )
    return TreeRows(rows, grid.other)


def _keep_other_together(row: Row, other: str) -> Row:
    """The row with `other` from the first level above 0 that has it up to below the top."""
    if other not in row[1:]:
        return row
    first = row.index(other, 1)
    return (*row[:first], *[other] * (len(row) - 1 - first), row[-1])
