"""Hierarchies that are written down: one row per leaf, from the value to the top."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass as plain
from itertools import pairwise
from operator import itemgetter
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes, Values
from incrowd.errors import InputError, PolicyError, count_of
from incrowd.hierarchy.hierarchy import Builder, Hierarchy, Level, as_values, runs, stack, texts
from incrowd.hierarchy.labels import TOP, number_text, parse_number
from incrowd.table.column import Domain, Kind
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT, kw_only=True, repr=False)
class Flat(Builder):
    """Only suppression above the values.

    Numbers and dates keep their order, so that a search that shows spans can still use it.

    >>> Flat(values=("f", "m", "x")).build(Domain(Kind.TEXT, texts(["f", "m"])), "sex")
    Hierarchy(2 levels, 3 leaves)
    """

    values: tuple[str, ...] = ()
    """A public list of the values that the column can have, whoever is in the table; if it is not
    given, those of the table. `*others*` in a set stands for all that no label names of them."""
    name: Literal["flat"] = "flat"

    def __post_init__(self) -> None:
        """Refuse a list that contradicts itself."""
        if len(set(self.values)) < len(self.values):
            raise ValueError("a value is listed twice; list each value once")

    def __repr__(self) -> str:
        """Without values."""
        return f"Flat({len(self.values)} values)" if self.values else "Flat()"

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The values, and `*`; those that the list lacks are found when the column is encoded."""
        leaves = _listed_domain(self.values, domain.kind, column) if self.values else domain
        return stack(leaves, [], column=column, ordered=domain.kind is not Kind.TEXT)


def _listed_domain(labels: Sequence[str], kind: Kind, column: str) -> Domain:
    """The values of a list: texts as they come, numbers and dates in their order."""
    if kind is Kind.TEXT:
        return Domain(kind, texts(labels))
    values = as_values(list(labels), kind, strict=False)
    if values is None:
        what = "dates" if kind is Kind.DATE else "numbers"
        raise InputError(
            f"the list of values of {column!r} has entries that are no {what}, as those of the "
            "column are",
            remedy='list values of its kind, or set kind = "text"',
        )
    return Domain(kind, np.unique(values))


OTHER = "*other*"
"""The node of values that are none of those that a list knows."""

Row = Annotated[tuple[str, ...], Field(min_length=1)]


Path = tuple[str, ...]


@dataclass(frozen=True, config=STRICT, repr=False)
class Tree(Builder):
    """A hierarchy as rows: leaf, parent, …, top.

    Shorter rows repeat their last entry. If the rows do not end in one value, `*` is put on top.
    There may be more leaves than values of the table. If they are numbers (or dates, in a column of
    dates) and every node is a range of them, the hierarchy is ordered, unless `ordered` is false.

    >>> tree = Tree((("cold", "airways", "*"), ("asthma", "airways", "*"), ("flu", "virus", "*")))
    >>> tree.build(Domain(Kind.TEXT, texts(["asthma", "flu"])), "diagnosis")
    Hierarchy(3 levels, 3 leaves)
    """

    rows: Annotated[tuple[Row, ...], Field(min_length=1)]
    other: str | None = None
    """Under which node, below the top, values go that are not in the tree; None: nowhere. A value
    that is itself the name of a node goes under that node."""
    ordered: bool = True
    """Whether leaves that are numbers or dates have an order; false for codes that only look like
    numbers, as the kind "text" of a column says."""
    name: Literal["tree"] = "tree"

    def __post_init__(self) -> None:
        """Refuse nodes without a name, which a table reads as missing, and names of two things."""
        if any("" in row[1:] for row in self.rows if "" in row):
            raise ValueError("a parent has no name; give every parent a name")
        height = max(map(len, self.rows))
        if reused := reused_names([(*row, *[row[-1]] * (height - len(row))) for row in self.rows]):
            rows = count_of(len(reused), "row of a tree has", "rows of a tree have")
            raise ValueError(
                f"{rows} an entry that is the name of another node, not right above it (first row "
                f"{reused[0] + 1}); give each node a name of its own"
            )

    def __repr__(self) -> str:
        """Without values."""
        return f"Tree({len(self.rows)} rows)"

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The hierarchy of a column; values that the tree lacks are found when it is encoded."""
        paths = _equal_paths(self.rows, domain.kind, column)
        height = len(next(iter(paths.values())))
        if height == 1 or len({path[-1] for path in paths.values()}) > 1:
            paths = {leaf: (*path, TOP) for leaf, path in paths.items()}
            height += 1
        if self.other is not None:
            top = next(iter(paths.values()))[-1]
            groups = groups_by_name(path[1:-1] for path in paths.values())
            rest = (self.other,) * (height - 2)
            for label in domain.labels.tolist():
                paths.setdefault(label, (label, *groups.get(label, rest), top))
        _refuse_torn(paths, column)
        return _assemble(paths, domain.kind, column, nominal=not self.ordered)


@dataclass(frozen=True, config=STRICT)
class File(Builder):
    """A tree in a file, one line per leaf; it must be read before it can be built."""

    path: Annotated[str, Field(min_length=1)]
    other: str | None = None
    name: Literal["file"] = "file"

    def _build(self, domain: Domain, column: str) -> Hierarchy:  # noqa: ARG002  every builder gets it
        """Refused: files are read by `incrowd.io.hierarchies.resolve`."""
        raise PolicyError(
            f"the hierarchy of {column!r} is a file that was not read",
            remedy="read it with incrowd.io.hierarchies.resolve",
        )


def _equal_paths(rows: tuple[Row, ...], kind: Kind, column: str) -> dict[str, Path]:
    """The path of each leaf, all of one length."""
    height = max(map(len, rows))
    if kind is not Kind.NUMBER and min(map(len, rows)) == height:
        plain_paths = {row[0]: row for row in rows}
        if len(plain_paths) == len(rows):
            return plain_paths
    paths: dict[str, Path] = {}
    torn = []
    for i, row in enumerate(rows, start=1):
        leaf = _canonical_leaf(row[0], kind)
        path = (leaf, *row[1:], *[row[-1]] * (height - len(row)))
        if paths.setdefault(leaf, path) != path:
            torn.append(i)
    if torn:
        raise InputError(
            f"the hierarchy of {column!r} lists {count_of(len(torn), 'value')} twice with different"
            f" parents (first at row {torn[0]})",
            remedy="keep one of the rows",
        )
    return paths


def _canonical_leaf(leaf: str, kind: Kind) -> str:
    """The leaf as labels write it: numbers in one spelling, all else as it is."""
    number = parse_number(leaf) if kind is Kind.NUMBER else None
    return leaf if number is None else number_text(number)


def _refuse_torn(paths: dict[str, Path], column: str) -> None:
    """Raise `InputError` if a node of a level has several parents (Sweeney Section 3.1)."""
    levels = columns_of(list(paths.values()))
    for level in range(2, len(levels)):
        if leads_up(levels[level - 1], levels[level]):
            continue
        parent: dict[str, str] = {}
        torn: dict[str, int] = {}
        for i, path in enumerate(paths.values(), start=1):
            if parent.setdefault(path[level - 1], path[level]) != path[level]:
                torn.setdefault(path[level - 1], i)
        raise InputError(
            f"level {level - 1} of the hierarchy of {column!r} has"
            f" {count_of(len(torn), 'node')} with more than one parent"
            f" (first seen with leaf {min(torn.values())})",
            remedy="give each node one parent, or nodes of different meaning different names",
        )


def groups_by_name(paths: Iterable[Path]) -> dict[str, Path]:
    """The paths of values that are names of groups themselves: each lies in this group.

    >>> groups_by_name([("West South Central", "South")])["South"]
    ('South', 'South')
    """
    found: dict[str, Path] = {}
    for path in paths:
        for level, name in enumerate(path):
            found.setdefault(name, (name,) * level + path[level:])
    return found


def build_by_groups(
    domain: Domain, path_of: Callable[[str], Path | None], column: str, what: str, remedy: str
) -> Hierarchy:
    """The hierarchy of values by the groups over each, in the order of their groups.

    A value without a path that is itself the name of a group lies in it, any other in `*other*`;
    `InputError` if no value is `what` has a path.
    """
    paths = {label: path_of(label) for label in domain.labels.tolist()}
    if not paths:
        return stack(domain, [], column=column, ordered=False)
    known = [path for path in paths.values() if path is not None]
    if not known:
        raise InputError(f"none of the {len(paths)} values of {column!r} is {what}", remedy=remedy)
    groups, others = groups_by_name(known), (OTHER,) * len(known[0])
    rows = [(label, *(path or groups.get(label) or others), TOP) for label, path in paths.items()]
    rows.sort(key=lambda row: (row[-2] == OTHER, *reversed(row[1:]), row[0]))
    return Tree(tuple(rows), ordered=False).build(Domain(Kind.TEXT, texts([])), column)


def columns_of(rows: Sequence[Path]) -> list[list[str]]:
    """The columns of rows of one length: what stands at each place."""
    return [list(map(itemgetter(j), rows)) for j in range(len(rows[0]))]


def leads_up(nodes: Sequence[str], parents: Sequence[str]) -> bool:
    """Whether each node has one parent, wherever it is listed; both have one entry per leaf."""
    parent = dict(zip(nodes, parents, strict=True))
    return list(map(parent.__getitem__, nodes)) == list(parents)


def reused_names(rows: Sequence[Path]) -> list[int]:
    """The rows, all of one length, with a name that stands for two things, counted from 0.

    An entry may repeat below the top only as its own parent: otherwise x could be shown as y, and y
    as x.

    >>> reused_names([("x", "y", "*"), ("y", "x", "*"), ("z", "z", "*")])
    [0, 1]
    """
    levels = columns_of(rows)
    if len(set(levels[-1])) == 1:
        levels = levels[:-1]
    highest = {name: level for level, names in enumerate(levels) for name in names}
    return sorted(
        {
            i
            for level, (names, parents) in enumerate(pairwise(levels))
            for i, (name, parent) in enumerate(zip(names, parents, strict=True))
            if name != parent and highest[name] > level
        }
    )


@plain(frozen=True, eq=False, repr=False)
class _Ranks:
    """The nodes of a level, numbered as they first appear."""

    of: Values
    labels: list[str]


def _assemble(paths: dict[str, Path], kind: Kind, column: str, *, nominal: bool) -> Hierarchy:
    """The hierarchy of these paths, its values in their order if they have one."""
    columns = columns_of(list(paths.values()))
    ranks = [_rank_nodes(column) for column in columns[1:-1]]
    leaves = None if nominal else _sort_by_value(list(paths), kind, ranks)
    ordered = leaves is not None
    if leaves is None:
        leaves = _depth_first(list(paths), ranks)
    domain, order = leaves
    levels = []
    for rank in ranks:
        nodes, first = runs(rank.of[order])
        labels = texts(rank.labels)[rank.of[order][first]]
        levels.append(Level(nodes, labels))
    return stack(domain, levels, column=column, ordered=ordered, top=columns[-1][0], prune=False)


def _depth_first(leaves: list[str], ranks: list[_Ranks]) -> tuple[Domain, Codes]:
    """The leaves as texts, those of one node side by side, and their order."""
    order = np.lexsort([np.arange(len(leaves)), *(rank.of for rank in ranks)]).astype(np.int32)
    return Domain(Kind.TEXT, texts(leaves)[order]), order


def _rank_nodes(labels: Sequence[str]) -> _Ranks:
    """The labels numbered by their first appearance."""
    number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    of = np.fromiter(map(number.__getitem__, labels), dtype=np.int64, count=len(labels))
    return _Ranks(of, list(number))


def _sort_by_value(
    leaves: list[str], kind: Kind, ranks: list[_Ranks]
) -> tuple[Domain, Codes] | None:
    """The leaves as sorted numbers or dates and their order; None if a node is no range of them."""
    scale = Kind.DATE if kind is Kind.DATE else Kind.NUMBER
    values = as_values(leaves, scale, strict=kind is Kind.TEXT)
    if values is None:
        return None
    order = np.argsort(values, kind="stable").astype(np.int32)
    if len(np.unique(values)) < len(values):
        return None
    if any(len(runs(rank.of[order])[1]) > len(rank.labels) for rank in ranks):
        return None
    return Domain(scale, values[order]), order
