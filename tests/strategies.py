"""Small random tables, hierarchies and problems for hypothesis."""

import numpy as np
from hypothesis import strategies as st

from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.partition.classes import SensitiveColumn
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.table.column import Domain, Kind
from incrowd.table.tally import Tally


@st.composite
def hierarchies(draw, max_leaves=6):
    """A random hierarchy: every level merges neighbouring nodes of the one below."""
    n = draw(st.integers(1, max_leaves))
    maps = [np.arange(n + 1, dtype=np.int32)]
    for _ in range(draw(st.integers(0, 2))):
        below = maps[-1]
        gaps = int(below.max()) - 1
        steps = draw(st.lists(st.booleans(), min_size=gaps, max_size=gaps))
        node = np.concatenate([[0, 1], 1 + np.cumsum(steps)]).astype(np.int32)
        maps.append(node[below])
    maps.append(np.ones(n + 1, dtype=np.int32))
    labels = tuple(
        np.array([f"L{h}N{i}" for i in range(1, nodes.max() + 1)], dtype=object)
        for h, nodes in enumerate(maps[:-1])
    )
    top = np.array(["*"], dtype=object)
    ordered = draw(st.booleans())
    values = np.arange(1, n + 1) if ordered else np.array(labels[0], dtype=object)
    kind = Kind.NUMBER if ordered else Kind.TEXT
    return Hierarchy(Domain(kind, values), np.array(maps), (*labels, top), ordered)


def tally_of(quasi, sensitive, unit=None):
    """The tally of records given as lists of codes, folded the obvious way."""
    records = list(zip(*quasi, *sensitive, strict=True))
    rows = sorted(set(records))
    place = {row: i for i, row in enumerate(rows)}
    row_of = np.array([place[record] for record in records], dtype=np.int32)
    counts = np.bincount(row_of, minlength=len(rows)).astype(np.int64)
    matrix = np.array(rows, dtype=np.int32).reshape(len(rows), len(quasi) + len(sensitive)).T
    people, shared = counts, np.empty((2, 0), dtype=np.int32)
    if unit is not None:
        homes = {}
        for person, row in zip(unit, row_of.tolist(), strict=True):
            homes.setdefault(person, set()).add(row)
        people = np.zeros(len(rows), dtype=np.int64)
        pairs = []
        for person, home in homes.items():
            if len(home) == 1:
                people[min(home)] += 1
            else:
                pairs.extend((row, person) for row in sorted(home))
        shared = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    return Tally(
        quasi=np.ascontiguousarray(matrix[: len(quasi)]),
        sensitive=np.ascontiguousarray(matrix[len(quasi) :]),
        counts=counts,
        people=people,
        shared_row=np.ascontiguousarray(shared[0]),
        shared_unit=np.ascontiguousarray(shared[1]),
        row_of=row_of,
    )


@st.composite
def tables(draw, max_records=14, max_columns=3, sensitive=1, units=False):
    """Columns of codes for a random small table: (hierarchies, quasi, sensitive, unit)."""
    trees = draw(st.lists(hierarchies(), min_size=1, max_size=max_columns))
    n = draw(st.integers(1, max_records))

    def column(top):
        return draw(st.lists(st.integers(0, top), min_size=n, max_size=n))

    quasi = [column(len(tree.leaves)) for tree in trees]
    values = [column(4) for _ in range(sensitive)]
    unit = column(max(1, n // 2)) if units and draw(st.booleans()) else None
    return trees, quasi, values, unit


def problem_of(table, models, loss, suppression=0.0, lowest=()):
    """The problem of a table drawn from `tables`; `lowest` levels for its first columns."""
    trees, quasi, values, unit = table
    tally = tally_of(quasi, values, unit)
    columns = tuple(
        QuasiColumn(
            f"q{j}",
            tree,
            np.bincount(codes, minlength=len(tree.leaves) + 1),
            lowest=min(lowest[j], tree.height - 1) if j < len(lowest) else 0,
        )
        for j, (tree, codes) in enumerate(zip(trees, quasi, strict=True))
    )
    people = range(len(values[0])) if unit is None else unit
    sensitive = tuple(
        SensitiveColumn(f"s{j}", whole(codes, people), ordered=True)
        for j, codes in enumerate(values)
    )
    return Problem(tally, columns, sensitive, tuple(models), loss, suppression)


def whole(codes, people):
    """People per code: a person counts once per code."""
    return np.bincount([code for code, _ in set(zip(codes, people, strict=True))], minlength=5)
