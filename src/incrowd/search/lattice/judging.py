"""What the lattice search finds out about one node."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.kernels.lattice import nodes as kernels
from incrowd.models.model import Model
from incrowd.partition.classes import Classes, SensitiveColumn, classes_of
from incrowd.problem import Problem
from incrowd.search.lattice.rollup import ClassTable, ClassTables, Grouping, Node, root_table
from incrowd.table.tally import Tally

_MEMORY = 128 * 2**20
"""Bytes of class tables that are kept."""


@dataclass(frozen=True, eq=False)
class Counted:
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
class Verdict:
    """Which classes of a node may leave."""

    kept: Flags
    doomed: Flags
    """Classes whose records fail at every node below, too."""
    lost: int = 0
    """Of the other classes, records that leave at this and every node below, at least."""


class Judge:
    """Counts the classes of nodes and asks the models about them.

    Models are *lasting* if what fails them at a node fails at all nodes below: absorbing ones by
    record, and with nothing to suppress monotone ones by node.
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
        self._lasting = [self._lasts(model) for model in problem.models]
        self._shrinking = [
            model for model in problem.models if model.columns and not len(problem.tally.shared_row)
        ]
        self.final = all(not model.columns for model in problem.models)
        """Whether sizes alone decide."""

    @cached_property
    def smallest(self) -> int:
        """Records that every released class holds at least, by the models that look at sizes."""
        sure = [model for model in self._problem.models if not model.columns and model.absorbing]
        low, high = 1, max(self.total, 1)
        while low < high:
            size = np.array([(low + high) // 2], dtype=np.int64)
            if all(model.satisfied(Classes(size, size, {})).all() for model in sure):
                high = int(size[0])
            else:
                low = int(size[0]) + 1
        return low

    def _lasts(self, model: Model) -> bool:
        if model.columns and len(self._problem.tally.shared_row):
            return False
        return model.monotone and (model.absorbing or not self._problem.suppressible)

    @property
    def prunes(self) -> bool:
        """Whether a node can rule out those below it."""
        return any(self._lasting)

    def count(self, node: Node) -> Counted:
        """The classes of a node."""
        table = self._tables.finest(node)
        class_of, first, records = self._grouping.count(table.tally, node)
        self._tables.offer(table, node, class_of, first)
        return Counted(node, table, class_of, first, _sizes(table.tally, class_of, records))

    def by_size(self, counted: Counted) -> Verdict:
        """What the models that look at sizes only say."""
        return self._ask(counted.sizes, columns=False)

    def by_value(self, counted: Counted) -> Verdict:
        """What all models say."""
        classes = self.classes(counted)
        verdict = self._ask(classes, columns=True)
        return replace(verdict, lost=self._lost(classes, verdict)) if self._shrinking else verdict

    def _lost(self, classes: Classes, verdict: Verdict) -> int:
        """How many records of classes that are not doomed leave here and below, at least.

        What is saved of a class must be enough for the models that look at sizes.
        """
        failing = np.flatnonzero(~verdict.kept & ~verdict.doomed).astype(np.int32)
        torn = classes.take(failing)
        stay = torn.people
        for model in self._shrinking:
            stay = np.minimum(stay, model.most_kept(torn))
        few = self._ask(Classes(stay, stay, {}), columns=False).doomed
        stay = np.where(few, 0, stay)
        return int((torn.people - stay).sum())

    def classes(self, counted: Counted) -> Classes:
        """The classes of a node with the histograms that models and loss read."""
        if not self.sensitive:
            return counted.sizes
        tally = counted.table.tally
        return classes_of(tally, counted.class_of, len(counted.sizes), self.sensitive)

    def _ask(self, classes: Classes, *, columns: bool) -> Verdict:
        kept = np.ones(len(classes), dtype=np.bool_)
        lasting = np.ones(len(classes), dtype=np.bool_)
        for model, lasts in zip(self._problem.models, self._lasting, strict=True):
            if model.columns and not columns:
                continue
            flags = model.satisfied(classes)
            kept &= flags
            if lasts:
                lasting &= flags
        return Verdict(kept, ~lasting)

    def hopeless(self, counted: Counted, verdict: Verdict) -> bool:
        """Whether too much, or everything, leaves at this and every node below."""
        return self.too_many(counted, verdict.doomed, verdict.lost)

    def too_many(self, counted: Counted, failing: Flags, lost: int = 0) -> bool:
        """Whether leaving out the failing classes leaves out too much, or everything.

        `lost` records leave anyway.
        """
        return not self.releasable(lost + self.records(counted, failing))

    def records(self, counted: Counted, classes: Flags) -> int:
        """Records in these classes of a node."""
        return int(counted.sizes.records[classes].sum())

    def releasable(self, suppressed: int) -> bool:
        """Whether so many records may be left out, and others stay."""
        return suppressed <= self._problem.suppressible and suppressed < self.total


def _sizes(tally: Tally, class_of: Codes, records: Counts) -> Classes:
    if len(tally.shared_row):
        bare = replace(tally, sensitive=np.empty((0, tally.rows), dtype=np.int32))
        return classes_of(bare, class_of, len(records), ())
    people = records
    if tally.has_units:
        people = kernels.sums(class_of, len(records), tally.people)
    return Classes(records, people, {})
