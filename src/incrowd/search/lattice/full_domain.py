"""Full-domain generalization: what one level per column does to a table.

A *node* of the lattice is a vector of levels, one per column (Sweeney Section 3.1). Its classes are
the records that show the same nodes of the hierarchies; classes that fail a model are suppressed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

import numpy as np

from incrowd.arrays import MISSING, SUPPRESSED, Codes, Counts, Flags, Floats
from incrowd.errors import InfeasibleError
from incrowd.partition.classes import Classes, classes_of, join_crowds
from incrowd.problem import Problem
from incrowd.recoding import Levels, Pieces, QuasiColumn
from incrowd.recoding.recoding import first_rows
from incrowd.table.column import Missing
from incrowd.table.fold import find_distinct

EPSILON = 1e-12
"""Losses that differ by less are equal; the node with fewer and then smaller levels is taken."""

_LARGEST_KEY = 2**62


@dataclass(frozen=True, eq=False)
class JudgedNode:
    """A node with its classes, and which of them may leave."""

    levels: tuple[int, ...]
    class_of: Codes
    classes: Classes
    kept: Flags

    @property
    def smallest_class(self) -> int:
        """People in the smallest class before anything is suppressed."""
        return int(self.classes.people.min())

    @property
    def failing(self) -> int:
        """Records in classes that may not leave."""
        return int(self.classes.records[~self.kept].sum())


def allowed_levels(column: QuasiColumn) -> range:
    """Return the levels that may be shown: from `lowest` to `top`, with no class beyond `widest`.

    A level shows its nodes in every class, so one node that holds records and is wider forbids it.
    Nodes only grow with the level. `InfeasibleError` if no level is left.
    """
    narrow = [level for level in range(column.top + 1) if not _is_too_wide(column, level)]
    allowed = [level for level in narrow if level >= column.lowest]
    if allowed:
        return range(allowed[0], allowed[-1] + 1)
    where = f"column {column.name!r} may show no level below {column.lowest}"
    if column.top < column.lowest:
        remedy = f"raise highest to {column.lowest}, or lower lowest to {column.top}"
        raise InfeasibleError(f"{where} and none above {column.top}", remedy=remedy, proved=False)
    raise InfeasibleError(
        f"{where}, and from there on its labels are wider than `widest` allows",
        remedy=f"lower lowest to {max(narrow, default=0)}, or raise widest",
        proved=False,
    )


def _is_too_wide(column: QuasiColumn, level: int) -> bool:
    """Whether a node of this level that holds records (missing ones count) is too wide to show."""
    if not column.hierarchy.ordered or not np.isfinite(column.widest):
        return False
    extents = node_extents(column, level)[column.frequency > 0]
    return not bool((extents <= column.widest).all())


def node_extents(column: QuasiColumn, level: int) -> Floats:
    """Return how far the node of each code reaches at a level, on an ordered column's scale."""
    place = np.concatenate([[0.0], column.hierarchy.leaves.positions])
    low, high = (ends[column.hierarchy.maps[level]] for ends in column.hierarchy.bounds[level])
    with np.errstate(invalid="ignore", over="ignore"):
        reach: Floats = place[high] - place[low]
    return reach


def node_classes(problem: Problem, levels: Sequence[int]) -> tuple[Codes, int]:
    """Return each row's class at these levels, numbered by what it shows; and how many classes."""
    key = np.zeros(problem.tally.rows, dtype=np.int64)
    size = 1
    for codes, column, level in zip(problem.tally.quasi, problem.columns, levels, strict=True):
        nodes = column.hierarchy.maps[level]
        domain = int(nodes.max()) + 1
        if size > _LARGEST_KEY // domain:
            key, size = _number_keys(key, size)
        key *= domain
        key += nodes[codes]
        size *= domain
    class_of, number = _number_keys(key, size)
    return class_of.astype(np.int32, copy=False), number


def recode(problem: Problem, levels: Sequence[int]) -> Levels | None:
    """Return the recoding of a node without failing classes; None if too many fail, or all do."""
    return recoding_of(problem, judge_node(problem, levels))


def judge_node(problem: Problem, levels: Sequence[int]) -> JudgedNode:
    """Return the classes of a node, with flags for those that may leave."""
    class_of, number = node_classes(problem, levels)
    classes = classes_of(problem.tally, class_of, number, problem.sensitive)
    kept = flag_satisfied_classes(problem, levels, class_of, classes)
    return JudgedNode(tuple(int(level) for level in levels), class_of, classes, kept)


def recoding_of(problem: Problem, node: JudgedNode) -> Levels | None:
    """Return the recoding of a judged node; None if it leaves out too much, or everything."""
    if not node.kept.any() or node.failing > problem.suppressible:
        return None
    return levels_recoding(problem, node.levels, node.class_of, node.kept)


def levels_recoding(
    problem: Problem, levels: Sequence[int], class_of: Codes, kept: Flags
) -> Levels:
    """Return the recoding that shows the classes flagged in `kept`, numbered anew, and no other."""
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    pieces = Pieces(rows, problem.tally.counts, number_kept(kept)[class_of])
    return Levels(tuple(int(level) for level in levels), pieces)


def shown_nodes(problem: Problem, levels: Sequence[int], class_of: Codes) -> Codes:
    """Return the nodes that classes show, (d, classes); 0 where a class shows a missing value."""
    first = first_rows(class_of)
    shown = [
        column.hierarchy.maps[level][codes[first]]
        for codes, column, level in zip(problem.tally.quasi, problem.columns, levels, strict=True)
    ]
    return np.array(shown, dtype=np.int32).reshape(len(levels), len(first))


def flag_satisfied_classes(
    problem: Problem, levels: Sequence[int], class_of: Codes, classes: Classes
) -> Flags:
    """Return flags for the classes of a node that may leave."""
    if problem.missing is not Missing.MATCHES_ANYTHING:
        return problem.satisfied_by(classes)
    return flag_satisfied_crowds(problem, shown_nodes(problem, levels, class_of), class_of)


def flag_satisfied_crowds(problem: Problem, nodes: Codes, class_of: Codes) -> Flags:
    """Return flags for classes that may leave if missing values match anything.

    `nodes` is what each class shows, 0 where that is missing: shape (d, classes). A class is judged
    by its crowd: all classes that stay and that it could be. Suppressing a class takes it from the
    crowds of others, so this is repeated until nothing changes.
    """
    kept: Flags = np.ones(nodes.shape[1], dtype=np.bool_)
    while kept.any():
        here = nodes[:, kept]
        rows = number_kept(kept)[class_of]
        rest = classes_of(problem.tally, rows, here.shape[1], problem.sensitive)
        crowd = join_crowds(here, here == MISSING, rest, problem.tally, rows)
        fine = problem.satisfied_by(crowd)
        if fine.all():
            break
        kept[kept] = fine
    return kept


def number_kept(kept: Flags) -> Codes:
    """Return the new number of each class if only those flagged stay, else `SUPPRESSED`."""
    number = np.full(len(kept), SUPPRESSED, dtype=np.int32)
    number[kept] = np.arange(int(kept.sum()), dtype=np.int32)
    return number


def readable_number(number: int) -> str:
    """A number that people can read, however large.

    >>> readable_number(1_200), readable_number(10**30 + 7), readable_number(10**6000 - 1)
    ('1,200', 'more than 10^30', 'more than 10^5999')
    """
    if number < 10**12:
        return f"{number:,}"
    power = int(log10(number))
    return f"more than 10^{power if 10**power <= number else power - 1}"


def _number_keys(key: Counts, bound: int) -> tuple[Counts, int]:
    """Return each key's place among the distinct ones (below `bound`), and how many these are."""
    found, place = find_distinct(key.view(np.uint64), bound)
    return place.astype(np.int64), len(found)
