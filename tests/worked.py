"""Tables and hierarchies typed by hand, as the papers print them."""

import numpy as np

from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss import Precision
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.table.column import Domain, Kind
from strategies import tally_of


def tree(paths, *, ordered=False):
    """The hierarchy of these paths, leaf first and the suppressed value last.

    Paths are given so that the leaves of every node stand together. A leaf that is a number is
    one on the scale.
    """
    levels = list(zip(*paths, strict=True))
    maps = [np.arange(len(paths) + 1, dtype=np.int32)]
    labels = [np.array([str(leaf) for leaf in levels[0]], dtype=object)]
    for names in levels[1:]:
        distinct = list(dict.fromkeys(names))
        top = names is levels[-1]
        maps.append(np.array([int(top), *(distinct.index(n) + 1 for n in names)], dtype=np.int32))
        labels.append(np.array(distinct, dtype=object))
    leaves = np.array(levels[0]) if ordered else labels[0]
    kind = Kind.NUMBER if ordered else Kind.TEXT
    return Hierarchy(Domain(kind, leaves), np.array(maps), tuple(labels), ordered)


def problem(rows, trees, models=(), loss=None, suppression=0.0):
    """The problem of rows of values, one hierarchy per column, no sensitive column."""
    columns, codes = [], []
    for j, hierarchy in enumerate(trees):
        place = {label: i + 1 for i, label in enumerate(hierarchy.leaves.labels)}
        codes.append([place[str(row[j])] for row in rows])
        frequency = np.bincount(codes[j], minlength=len(place) + 1)
        columns.append(QuasiColumn(f"c{j}", hierarchy, frequency))
    tally = tally_of(codes, [])
    return Problem(tally, tuple(columns), (), tuple(models), loss or Precision(), suppression)


def shown(found, of):
    """What each record shows under a full-domain recoding; None if it is suppressed."""
    class_of = found.pieces.class_of[of.tally.row_of]
    cells = []
    for j, (column, level) in enumerate(zip(of.columns, found.levels, strict=True)):
        nodes = column.hierarchy.maps[level][of.tally.quasi[j, of.tally.row_of]]
        cells.append([column.hierarchy.labels[level][node - 1] for node in nodes])
    rows = zip(*cells, strict=True)
    return [row if c >= 0 else None for row, c in zip(rows, class_of, strict=True)]
