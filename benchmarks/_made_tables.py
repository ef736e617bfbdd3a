"""Tables made up for benchmarks: skewed columns with hierarchies of fours."""

import numpy as np

from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.partition.classes import number_columns
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.table.column import Domain, Kind
from incrowd.table.tally import Tally


def problem(rows: int, sizes: tuple[int, ...], k: int, seed: int = 1) -> Problem:
    """A table of that many records; column j has `sizes[j]` values, every second is ordered."""
    rng = np.random.default_rng(seed)
    codes = np.array([(rng.beta(1.2, 3, rows) * n).astype(np.int32) + 1 for n in sizes])
    row_of, number = number_columns(codes)
    distinct = np.empty((len(sizes), number), dtype=np.int32)
    distinct[:, row_of] = codes
    counts = np.bincount(row_of).astype(np.int64)
    nobody = np.empty(0, dtype=np.int32)
    bare = np.empty((0, number), dtype=np.int32)
    columns = tuple(
        QuasiColumn(f"q{j}", _tree(n, ordered=j % 2 == 0), np.bincount(codes[j], minlength=n + 1))
        for j, n in enumerate(sizes)
    )
    tally = Tally(distinct, bare, counts, counts, nobody, nobody)
    return Problem(tally, columns, (), (KAnonymity(k),), Gcp())


def _tree(n: int, *, ordered: bool) -> Hierarchy:
    maps = [np.arange(n + 1)]
    while maps[-1].max() > 4:
        maps.append((maps[-1] + 3) // 4)
    maps.append(np.ones(n + 1, dtype=np.int64))
    labels = tuple(np.arange(nodes.max()).astype(str).astype(object) for nodes in maps)
    values = np.arange(n) if ordered else labels[0]
    kind = Kind.NUMBER if ordered else Kind.TEXT
    return Hierarchy(Domain(kind, values), np.array(maps, dtype=np.int32), labels, ordered)
