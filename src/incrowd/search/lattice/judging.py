"""What the lattice search finds out about one node.

Tables of classes: a node is counted from a finer node's classes, not from the rows.

What two rows show at a node follows from what they show at any node below it, so the classes of a
node are unions of those of every node below (the roll-up property of full-domain generalization).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.kernels import histogram
from incrowd.kernels.lattice import nodes as kernels
from incrowd.models.model import Model
from incrowd.partition.classes import Classes, SensitiveColumn, classes_of
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.table.fold import in_threads, threads
from incrowd.table.tally import Tally

_MEMORY = 128 * 2**20
"""Bytes of class tables that are kept."""


Node = tuple[int, ...]
"""One level per column."""

_LARGEST_KEY = 2**62
_DENSE = 4
"""Keys are numbered by a dense array if their span is at most this times the rows."""
_SMALL = 256
"""Tables of fewer rows are not worth folding further."""
_WORTH = 14
"""A table is kept with at most 1/2 of the finer one's rows; 1/(2 + this) if memory is full."""
_LARGE = 2**17
"""Tables of so many rows are counted in two halves side by side, if there are two threads."""


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The table folded to what a node shows: a row per class and set of sensitive values."""

    node: Node
    tally: Tally
    finer: "ClassTable | None" = None
    """The table it was folded from, None for the problem's own rows."""
    part_of: Codes | None = None
    """The row of this table for each row of the finer one."""

    @cached_property
    def row_of(self) -> Codes:
        """The row of this table for each row of the problem's tally."""
        if self.finer is None or self.part_of is None:
            return np.arange(self.tally.rows, dtype=np.int32)
        return self.part_of[self.finer.row_of]


class Grouping:
    """Which rows look alike at a node."""

    def __init__(self, columns: Sequence[QuasiColumn]) -> None:
        maps = [column.hierarchy.maps for column in columns]
        starts = np.cumsum([0, *(len(map_) * map_.shape[1] for map_ in maps)])
        self._maps = np.concatenate([map_.ravel() for map_ in maps])
        self._offset = [
            [int(start) + level * map_.shape[1] for level in range(len(map_))]
            for start, map_ in zip(starts[:-1], maps, strict=True)
        ]
        self._domain = [[int(nodes.max()) + 1 for nodes in map_] for map_ in maps]
        self._top = [len(map_) - 1 for map_ in maps]

    def count(self, tally: Tally, node: Node) -> tuple[Codes, Codes, Counts]:
        """Return the class of each row of a tally, and the first row and records of each class."""
        keys, offset, stride, span = self._key_steps(tally.quasi, node)
        rows = tally.rows
        if keys is None and span <= _DENSE * rows + 1024:
            return self._count_dense(tally.quasi, tally.counts, (offset, stride, span))
        keys = np.zeros(rows, dtype=np.int64) if keys is None else keys
        add_keys(tally.quasi, self._maps, offset, stride, keys)
        return kernels.count_hashed(keys, tally.counts)

    def _count_dense(
        self, codes: Codes, counts: Counts, steps: tuple[Counts, Counts, int]
    ) -> tuple[Codes, Codes, Counts]:
        """Do what `count` does by an array of all keys; `steps` are offset, stride and span."""
        count, parts = kernels.count_dense, row_halves(len(counts))
        class_of = np.empty(len(counts), dtype=np.int32)
        done = in_threads(
            [partial(count, codes, counts, part, self._maps, steps, class_of) for part in parts]
        )
        if len(done) == 1:
            return class_of, *done[0]
        first, records = (np.concatenate(both) for both in zip(*done, strict=True))
        joined = np.empty(len(first), dtype=np.int32)
        sub = np.ascontiguousarray(codes[:, first])
        which, sizes = count(sub, records, (0, len(first)), self._maps, steps, joined)
        begin, end = parts[1]
        work = [(begin, (begin + end) // 2), ((begin + end) // 2, end)]
        late = joined[len(done[0][0]) :]
        in_threads([partial(kernels.renumber, class_of[a:b], late) for a, b in work])
        return class_of, first[which], sizes

    def _key_steps(self, codes: Codes, node: Node) -> tuple[Counts | None, Counts, Counts, int]:
        """Return keys to add to or None, where columns' maps begin, their strides, and a bound.

        There are keys if the first columns had to be numbered anew: longer keys do not fit a word.
        """
        offset = np.array([self._offset[j][h] for j, h in enumerate(node)], dtype=np.int64)
        stride = np.zeros(len(node), dtype=np.int64)
        keys: Counts | None = None
        span = 1
        for j, level in enumerate(node):
            if level == self._top[j]:
                continue
            domain = self._domain[j][level]
            if span > _LARGEST_KEY // domain:
                keys = np.zeros(codes.shape[1], dtype=np.int64) if keys is None else keys
                add_keys(codes, self._maps, offset, stride, keys)
                numbers, first, _ = kernels.count_hashed(keys, np.ones_like(keys))
                keys, span = numbers.astype(np.int64), len(first)
                stride[:] = 0
            stride[j] = span
            span *= domain
        return keys, offset, stride, span


def add_keys(codes: Codes, maps: Codes, offset: Counts, stride: Counts, keys: Counts) -> None:
    """Add to each row's key, in place, its nodes (in `maps` from `offset` on) times the strides."""
    work = [
        partial(kernels.add_node_keys, codes, begin, maps, offset, stride, keys[begin:end])
        for begin, end in row_halves(len(keys))
    ]
    in_threads(work)


def row_halves(rows: int) -> list[tuple[int, int]]:
    """Return where the halves of a large table begin and end; the whole if small or one thread."""
    if rows < _LARGE or threads() == 1:
        return [(0, rows)]
    return [(0, rows // 2), (rows // 2, rows)]


def root_table(problem: Problem, sensitive: Sequence[int]) -> ClassTable:
    """Return the problem's tally as a class table, with these sensitive columns only."""
    tally = problem.tally
    chosen = np.ascontiguousarray(tally.sensitive[list(sensitive)])
    folded = Tally(
        tally.quasi, chosen, tally.counts, tally.people, tally.shared_row, tally.shared_unit
    )
    return ClassTable((0,) * len(problem.columns), folded)


def fold_table(table: ClassTable, node: Node, class_of: Codes, first: Codes) -> ClassTable:
    """Return the table folded to `node`; `class_of` is by its rows, `first` has a row per class."""
    tally = table.tally
    for codes in tally.sensitive:
        domain = int(codes.max(initial=0)) + 1
        keys = kernels.pair_keys(class_of, codes, domain)
        class_of, first, _ = kernels.count_hashed(keys, tally.counts)
    counts = histogram.sum_by_class(class_of, tally.counts, len(first))
    people = (
        histogram.sum_by_class(class_of, tally.people, len(first)) if tally.has_units else counts
    )
    folded = Tally(
        np.ascontiguousarray(tally.quasi[:, first]),
        np.ascontiguousarray(tally.sensitive[:, first]),
        counts,
        people,
        class_of[tally.shared_row],
        tally.shared_unit,
    )
    return ClassTable(node, folded, table, class_of)


class ClassTables:
    """The class tables at hand, as many as the memory limit lets."""

    def __init__(self, root: ClassTable, limit: int) -> None:
        self._tables = [root]
        self._nodes = np.array([root.node], dtype=np.int16)
        self._rows = np.array([root.tally.rows])
        self._limit = self._room = limit

    def smallest_table(self, node: Node) -> ClassTable:
        """Return the table with the fewest rows among those of nodes at or below this one."""
        below = (self._nodes <= np.array(node, dtype=np.int16)).all(axis=1)
        return self._tables[int(np.where(below, self._rows, np.iinfo(np.int64).max).argmin())]

    def keep_if_small(self, table: ClassTable, node: Node, class_of: Codes, first: Codes) -> None:
        """Keep a node's classes as a table if far fewer than `table`'s rows and there is room."""
        rows = table.tally.rows
        size = 4 * (rows + self._tables[0].tally.rows) + (4 * len(node) + 16) * len(first)
        worth = 2 + _WORTH * (1 - self._room / max(self._limit, 1))
        if rows < _SMALL or worth * len(first) > rows or size > self._room:
            return
        self._room -= size
        new = fold_table(table, node, class_of, first)
        self._tables.append(new)
        self._nodes = np.vstack([self._nodes, np.array([node], dtype=np.int16)])
        self._rows = np.append(self._rows, new.tally.rows)


@dataclass(frozen=True, eq=False)
class NodeClasses:
    """The classes of a node, by their sizes."""

    node: Node
    table: ClassTable
    class_of: Codes
    """Class of each row of `table`."""
    first: Codes
    """A row of `table` of each class."""
    sizes: Classes
    """Without histograms."""


@dataclass(frozen=True, eq=False)
class NodeVerdict:
    """Which classes of a node may leave."""

    kept: Flags
    doomed: Flags
    """Classes whose records fail at every node below, too."""
    lost: int = 0
    """Records of the other classes that must be left out at this and every node below, at least."""


class NodeJudge:
    """Counts the classes of nodes and asks the models about them.

    A monotone model is *lasting* if it is absorbing, as records that fail it do at all nodes below,
    or if nothing may be left out, as nodes below one that fails it fail, too.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        names = {name for model in problem.models for name in model.columns}
        names.update(problem.loss.columns)
        used = [i for i, column in enumerate(problem.sensitive) if column.name in names]
        self.sensitive: tuple[SensitiveColumn, ...] = tuple(problem.sensitive[i] for i in used)
        self.root = root_table(problem, used)
        self._grouping = Grouping(problem.columns)
        self._tables = ClassTables(self.root, _MEMORY)
        self.total = problem.tally.records
        self._lasting = [self._is_lasting(model) for model in problem.models]
        self._shrinking = [
            model for model in problem.models if model.columns and not len(problem.tally.shared_row)
        ]
        self.sizes_decide = all(not model.columns for model in problem.models)
        """Whether no model reads values."""

    @cached_property
    def least_class_size(self) -> int:
        """Records that every released class holds at least, as far as is known; 1 or more.

        Only absorbing models that read no values are asked.
        """
        sure = [model for model in self._problem.models if not model.columns and model.absorbing]
        low, high = 1, max(self.total, 1)
        while low < high:
            size = np.array([(low + high) // 2], dtype=np.int64)
            if all(model.satisfied_by(Classes(size, size, {})).all() for model in sure):
                high = int(size[0])
            else:
                low = int(size[0]) + 1
        return low

    def _is_lasting(self, model: Model) -> bool:
        """Whether a model is lasting; one of values is not if people have several rows."""
        if model.columns and len(self._problem.tally.shared_row):
            return False
        return model.monotone and (model.absorbing or not self._problem.suppressible)

    @property
    def prunes(self) -> bool:
        """Whether a node can rule out those below it."""
        return any(self._lasting)

    def count(self, node: Node) -> NodeClasses:
        """Count the classes of a node, from the smallest table at hand."""
        table = self._tables.smallest_table(node)
        class_of, first, records = self._grouping.count(table.tally, node)
        self._tables.keep_if_small(table, node, class_of, first)
        return NodeClasses(
            node, table, class_of, first, _class_sizes(table.tally, class_of, records)
        )

    def judge_by_size(self, counted: NodeClasses) -> NodeVerdict:
        """Return the verdict of the models that look at sizes only."""
        return self._ask_models(counted.sizes, columns=False)

    def judge_by_value(self, counted: NodeClasses) -> NodeVerdict:
        """Return the verdict of all models, with the fewest records left out here and below."""
        classes = self.classes(counted)
        verdict = self._ask_models(classes, columns=True)
        if not self._shrinking:
            return verdict
        return replace(verdict, lost=self._least_records_lost(classes, verdict))

    def _least_records_lost(self, classes: Classes, verdict: NodeVerdict) -> int:
        """Return how many records of classes not doomed must be left out here and below, at least.

        What is saved of a class must be enough for the models that look at sizes.
        """
        failing = np.flatnonzero(~verdict.kept & ~verdict.doomed).astype(np.int32)
        torn = classes.take(failing)
        stay = torn.people
        for model in self._shrinking:
            stay = np.minimum(stay, model.most_kept(torn))
        few = self._ask_models(Classes(stay, stay, {}), columns=False).doomed
        stay = np.where(few, 0, stay)
        return int((torn.people - stay).sum())

    def classes(self, counted: NodeClasses) -> Classes:
        """Return the classes of a node with the histograms that models and loss read."""
        if not self.sensitive:
            return counted.sizes
        tally = counted.table.tally
        return classes_of(tally, counted.class_of, len(counted.sizes), self.sensitive)

    def _ask_models(self, classes: Classes, *, columns: bool) -> NodeVerdict:
        """Ask all models about classes, or without `columns` only those that read no values."""
        kept = np.ones(len(classes), dtype=np.bool_)
        lasting = np.ones(len(classes), dtype=np.bool_)
        for model, lasts in zip(self._problem.models, self._lasting, strict=True):
            if model.columns and not columns:
                continue
            flags = model.satisfied_by(classes)
            kept &= flags
            if lasts:
                lasting &= flags
        return NodeVerdict(kept, ~lasting)

    def is_hopeless(self, counted: NodeClasses, verdict: NodeVerdict) -> bool:
        """Whether too much, or everything, must be left out at this and every node below."""
        return self.leaves_out_too_much(counted, verdict.doomed, verdict.lost)

    def leaves_out_too_much(self, counted: NodeClasses, failing: Flags, lost: int = 0) -> bool:
        """Whether leaving out the failing classes, and `lost` more, is too much, or everything."""
        return not self.may_leave_out(lost + self.count_records(counted, failing))

    def count_records(self, counted: NodeClasses, classes: Flags) -> int:
        """Return how many records these classes of a node have."""
        return int(counted.sizes.records[classes].sum())

    def may_leave_out(self, suppressed: int) -> bool:
        """Whether a release may leave out so many records, and others stay in it."""
        return suppressed <= self._problem.suppressible and suppressed < self.total


def _class_sizes(tally: Tally, class_of: Codes, records: Counts) -> Classes:
    """Return classes without histograms: their records, and people counted once in each class."""
    if len(tally.shared_row):
        bare = replace(tally, sensitive=np.empty((0, tally.rows), dtype=np.int32))
        return classes_of(bare, class_of, len(records), ())
    people = records
    if tally.has_units:
        people = histogram.sum_by_class(class_of, tally.people, len(records))
    return Classes(records, people, {})
