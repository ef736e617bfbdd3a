"""One column: a histogram of its values, and the levels of its hierarchy.

Labels of fewer than 5 records are not shown, and never one count alone is left out.
"""

import csv
import io
from dataclasses import dataclass
from math import isfinite

import numpy as np

from incrowd.arrays import Counts
from incrowd.engines.base import Engine
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy, Suggested
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.io.hierarchies import builders_of
from incrowd.policy.coding import code_columns
from incrowd.policy.policy import Column, Policy
from incrowd.release.load import code_by_hierarchy
from incrowd.table.column import CodedColumn, Kind, Role
from incrowd.web import facts, jobs
from incrowd.web.jobs import TableFile
from incrowd.web.work.state import Tell, WorkerState
from incrowd.withholding import public_count, public_counts

BINS = 24
"""Bars of a histogram at most."""
LABELS = 12
"""Labels of a level at most."""
_HIDDEN = (Role.IDENTIFIER, Role.UNIT)


def count_histogram(
    state: WorkerState, job: jobs.ShowHistogram, tell: Tell
) -> facts.HistogramFacts:
    """Count a histogram at the lowest level of the hierarchy that has at most `BINS` labels."""
    tell("counting", 0.0)
    _, tree, records = _build_column(state, job.table, job.policy, job.column)
    level = _level_with_few_nodes(tree, records)
    bins = _bins(tree, records, level)
    seen = tuple(one for one in bins if one.label is not None)[: BINS + 1]  # one is for missing
    hidden = int(records.sum()) - sum(one.records or 0 for one in seen)
    return facts.HistogramFacts(bins=seen, level=level, other=public_count(hidden))


def describe_hierarchy(
    state: WorkerState, job: jobs.ShowHierarchy, tell: Tell
) -> facts.HierarchyFacts:
    """Build a column's hierarchy and describe its levels."""
    tell("building the hierarchy", 0.0)
    column, tree, records = _build_column(state, job.table, job.policy, job.column)
    return facts.HierarchyFacts(
        levels=tuple(_level_facts(tree, records, level) for level in range(tree.levels)),
        lowest=column.lowest,
        highest=tree.height if column.highest is None else min(column.highest, tree.height),
    )


def count_missing(state: WorkerState, job: jobs.CountMissing, tell: Tell) -> dict[str, int | None]:
    """Count the records without a value, by column: empty cells and marks; None if withheld."""
    tell("counting missing values", 0.0)
    engine = state.open_engine(job.table)
    coded = code_columns(engine, Policy.loads(job.policy), job.columns)
    return {name: public_count(int(engine.frequency(coded[name])[0])) for name in job.columns}


def export_hierarchy(state: WorkerState, job: jobs.ExportHierarchy, tell: Tell) -> str:
    """The hierarchy as CSV: a line for each value, from the value to the top."""
    tell("building the hierarchy", 0.0)
    _, tree, _ = _build_column(state, job.table, job.policy, job.column)
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=";", lineterminator="\n")
    writer.writerows(path_of_leaf(tree, code) for code in range(1, len(tree.leaves) + 1))
    return lines.getvalue()


def path_of_leaf(tree: Hierarchy, leaf: int) -> tuple[str, ...]:
    """The label of the leaf with this code at each level, from the value to the top."""
    return tuple(str(tree.labels[h][tree.maps[h, leaf] - 1]) for h in range(tree.levels))


@dataclass(frozen=True, eq=False)
class OpenColumn:
    """A column as codes, with its settings in a policy and what builds its hierarchy."""

    engine: Engine
    settings: Column
    coded: CodedColumn
    builder: AnyHierarchy

    def build(self, builder: AnyHierarchy | None = None) -> tuple[Hierarchy, Counts]:
        """Build the column's hierarchy, or another builder's; count records by leaf, 0: missing."""
        aligned, tree = code_by_hierarchy(self.engine, self.coded, builder or self.builder)
        return tree, self.engine.frequency(aligned)


def open_column(state: WorkerState, table: TableFile, policy: str, name: str) -> OpenColumn:
    """Code a column for its values to be shown; `PolicyError` if they say who a person is."""
    asked = Policy.loads(policy)
    if asked.role(name) in _HIDDEN:
        raise PolicyError(
            f"{name!r} says who a person is, so its values are not shown",
            remedy="look at another column",
        )
    engine = state.open_engine(table)
    coded = code_columns(engine, asked, [name])[name]
    builder = builders_of(asked, table.folder).get(name, Suggested())
    return OpenColumn(engine, asked.columns[name], coded, builder)


def _build_column(
    state: WorkerState, table: TableFile, policy: str, name: str
) -> tuple[Column, Hierarchy, Counts]:
    """The column's settings, its hierarchy, and the records of each leaf (0: missing values)."""
    found = open_column(state, table, policy, name)
    return found.settings, *found.build()


def records_by_node(tree: Hierarchy, records: Counts, level: int) -> Counts:
    """Count the records of each node of a level; place 0 is for missing values."""
    size = len(tree.labels[level]) + 1
    counts: Counts = np.bincount(
        tree.maps[level], weights=records[: tree.maps.shape[1]], minlength=size
    ).astype(np.int64)
    return counts


def public_records(counts: Counts) -> dict[int, int | None]:
    """The records of each node that has any; None if withheld, see `public_counts`."""
    there = np.flatnonzero(counts).tolist()
    public = public_counts([int(counts[node]) for node in there])
    return dict(zip(there, public, strict=True))


def count_labels_by_level(tree: Hierarchy, records: Counts) -> tuple[int, ...]:
    """For each level, how many labels at least one record has, without missing values."""
    every = range(tree.levels)
    return tuple(int((records_by_node(tree, records, h)[1:] > 0).sum()) for h in every)


def _level_with_few_nodes(tree: Hierarchy, records: Counts) -> int:
    """The lowest level with at most `BINS` nodes that have records."""
    held = enumerate(count_labels_by_level(tree, records))
    return next((level for level, nodes in held if nodes <= BINS), tree.height)


def _bins(tree: Hierarchy, records: Counts, level: int) -> tuple[facts.Bin, ...]:
    """A bar for each node with records; label and count are None where too few records have it."""
    told = public_records(records_by_node(tree, records, level))
    labels = ["missing", *tree.labels[level].tolist()]
    lows = _interval_starts(tree, level)
    return tuple(
        facts.Bin(
            label=None if count is None else str(labels[node]),
            records=count,
            low=None if count is None else lows[node],
        )
        for node, count in told.items()
    )


def _interval_starts(tree: Hierarchy, level: int) -> list[float | None]:
    """Where the interval of each node (0 is missing) begins; None if there is no such number."""
    ends: list[float] = tree.reach[level][0].tolist()
    numeric = tree.ordered and tree.leaves.kind is Kind.NUMBER
    return [end if numeric and node and isfinite(end) else None for node, end in enumerate(ends)]


def _level_facts(tree: Hierarchy, records: Counts, level: int) -> facts.LevelFacts:
    """Describe a level: its labels, the most frequent first, and the records of the rarest."""
    bins = _bins(tree, records, level)
    seen = [one for one in bins if one.label is not None]
    seen.sort(key=lambda one: -(one.records or 0))
    rarest = None if len(seen) < len(bins) else min((one.records or 0 for one in bins), default=0)
    return facts.LevelFacts(
        level=level, nodes=len(bins), smallest=rarest, labels=tuple(seen[:LABELS])
    )
