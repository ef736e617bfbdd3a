"""Hierarchies that are written down: one row per leaf, from the value to the top."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes, Counts
from incrowd.errors import InputError, PolicyError, count_of
from incrowd.hierarchy.hierarchy import Builder, Hierarchy, Level, number_runs, stack, texts
from incrowd.hierarchy.labels import TOP
from incrowd.hierarchy.leaf_values import as_values, spell_numbers
from incrowd.hierarchy.paths import Path, Paths
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
    """The domain of a list, sorted unless text; `InputError` if an entry is of another kind."""
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
    """Whether numbers or dates have an order; false for codes that only look like numbers."""
    name: Literal["tree"] = "tree"

    def __post_init__(self) -> None:
        """Refuse nodes without a name, which a table reads as missing, and names of two things."""
        if any("" in row[1:] for row in self.rows if "" in row):
            raise ValueError("a parent has no name; give every parent a name")
        if reused := np.flatnonzero(self._paths.flag_reused_names()).tolist():
            rows = count_of(len(reused), "row of a tree has", "rows of a tree have")
            raise ValueError(
                f"{rows} an entry that is the name of another node, not right above it (first row "
                f"{reused[0] + 1}); give each node a name of its own"
            )

    @classmethod
    def of_paths(cls, paths: Paths, other: str | None, *, ordered: bool) -> "Tree":
        """A tree of paths that were checked where they were read; it does not check them again."""
        tree = object.__new__(cls)
        vars(tree).update(_paths=paths, other=other, ordered=ordered, name=cls.name)
        return tree

    @cached_property
    def _paths(self) -> Paths:
        """The rows, numbered."""
        return Paths.of_rows(self.rows)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The rows of a tree that was made of paths, which few ask for; nothing else."""
            if name != "rows" or "_paths" not in vars(self):
                raise AttributeError(name)
            return vars(self).setdefault("rows", self._paths.rows)

    def __repr__(self) -> str:
        """Without values."""
        return f"Tree({len(self.rows)} rows)"

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The hierarchy of a column; values that the tree lacks are found when it is encoded."""
        paths = _path_of_each_leaf(self._paths, domain.kind, column)
        if len(paths.codes) == 1 or not paths.has_one_top:
            paths = paths.with_top(TOP)
        if self.other is not None:
            paths = paths.with_leaves(domain.labels.tolist(), self.other)
        _refuse_second_parents(paths, column)
        return _assemble(paths, domain.kind, column, nominal=not self.ordered)


@dataclass(frozen=True, config=STRICT)
class File(Builder):
    """A tree in a file, one line per leaf; it must be read before it can be built."""

    path: Annotated[str, Field(min_length=1)]
    other: str | None = None
    name: Literal["file"] = "file"

    def _build(self, domain: Domain, column: str) -> Hierarchy:  # noqa: ARG002  every builder gets it
        """Raise `PolicyError`: `incrowd.io.hierarchies.resolve` reads the file into a `Tree`."""
        raise PolicyError(
            f"the hierarchy of {column!r} is a file that was not read",
            remedy="read it with incrowd.io.hierarchies.resolve",
        )


def _path_of_each_leaf(paths: Paths, kind: Kind, column: str) -> Paths:
    """One path per leaf, numbers as labels write them; `InputError` if a leaf's parents differ."""
    if kind is Kind.NUMBER:
        leaf, *above = (paths.labels(level).tolist() for level in range(len(paths.codes)))
        spelled = spell_numbers(leaf)
        if spelled != leaf:
            paths = Paths.of_rows(list(zip(spelled, *above, strict=True)))
    if (torn := np.flatnonzero(paths.flag_second_parents(0, slice(1, None)))).size:
        raise InputError(
            f"the hierarchy of {column!r} lists {count_of(len(torn), 'value')} twice with different"
            f" parents (first at row {torn[0] + 1})",
            remedy="keep one of the rows",
        )
    return Paths(paths.names, paths.codes[:, paths.flag_first(0)])


def _refuse_second_parents(paths: Paths, column: str) -> None:
    """Raise `InputError` if a node of a level has several parents (Sweeney Section 3.1)."""
    for level in range(1, len(paths.codes) - 1):
        if (torn := paths.flag_second_parents(level, slice(level + 1, level + 2))).any():
            nodes = len(np.unique(paths.codes[level, torn]))
            raise InputError(
                f"level {level} of the hierarchy of {column!r} has {count_of(nodes, 'node')} with"
                f" more than one parent (first seen with leaf {int(torn.argmax()) + 1})",
                remedy="give each node one parent, or nodes of different meaning different names",
            )


def build_by_groups(
    domain: Domain, path_of: Callable[[str], Path | None], column: str, what: str, remedy: str
) -> Hierarchy:
    """The hierarchy of values by the groups over each (`path_of`), in the order of their groups.

    A value without a path that is itself the name of a group lies in it, any other in `*other*`;
    `InputError`, with `what` for what is expected, if there are values and none has a path.
    """
    labels = domain.labels.tolist()
    if not labels:
        return stack(domain, [], column=column, ordered=False)
    known = [(label, *path, TOP) for label in labels if (path := path_of(label)) is not None]
    if not known:
        raise InputError(f"none of the {len(labels)} values of {column!r} is {what}", remedy=remedy)
    rows = Paths.of_rows(known).with_leaves(labels, OTHER).rows
    in_order = sorted(rows, key=lambda row: (row[-2] == OTHER, *reversed(row[1:]), row[0]))
    return Tree(tuple(in_order), ordered=False).build(Domain(Kind.TEXT, texts([])), column)


def rows_with_reused_names(rows: Sequence[Path]) -> list[int]:
    """The numbers, from 0, of rows with a name for two things (see `Paths.flag_reused_names`).

    >>> rows_with_reused_names([("x", "y", "*"), ("y", "x", "*"), ("z", "z", "*")])
    [0, 1]
    """
    found: list[int] = np.flatnonzero(Paths.of_rows(rows).flag_reused_names()).tolist()
    return found


def _assemble(paths: Paths, kind: Kind, column: str, *, nominal: bool) -> Hierarchy:
    """The hierarchy of these paths, its values in order if they have one and are not `nominal`."""
    labels, inner = paths.labels(0).tolist(), range(1, len(paths.codes) - 1)
    ranks = list(map(paths.ranks, inner))
    leaves = None if nominal else _sort_by_value(labels, kind, ranks)
    ordered = leaves is not None
    if leaves is None:
        leaves = _order_depth_first(labels, ranks)
    domain, order = leaves
    levels = [Level.of(paths.labels(level)[order]) for level in inner]
    top = str(paths.labels(-1)[0])
    return stack(domain, levels, column=column, ordered=ordered, top=top, prune=False)


def _order_depth_first(leaves: list[str], ranks: list[Counts]) -> tuple[Domain, Codes]:
    """The leaves as texts, those of one node (`ranks`, by level) side by side, and their order."""
    order = np.lexsort([np.arange(len(leaves)), *ranks]).astype(np.int32)
    return Domain(Kind.TEXT, texts(leaves)[order]), order


def _sort_by_value(
    leaves: list[str], kind: Kind, ranks: list[Counts]
) -> tuple[Domain, Codes] | None:
    """Leaves as sorted numbers or dates, and their order; None unless distinct and nodes ranges."""
    scale = Kind.DATE if kind is Kind.DATE else Kind.NUMBER
    values = as_values(leaves, scale, strict=kind is Kind.TEXT)
    if values is None:
        return None
    order = np.argsort(values, kind="stable").astype(np.int32)
    if len(np.unique(values)) < len(values):
        return None
    if any(len(number_runs(rank[order])[1]) > rank.max() + 1 for rank in ranks):
        return None
    return Domain(scale, values[order]), order
