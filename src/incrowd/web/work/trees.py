"""The values of a column with their labels at every level, for an editor of trees.

Values of fewer than 5 records are counted and never spelled out, unless the user's own policy or
file names them: then they keep their rows.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from incrowd.arrays import Counts
from incrowd.hierarchy import AnyHierarchy, Tree
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import number_text, parse_number
from incrowd.table.column import Kind
from incrowd.web import facts, jobs
from incrowd.web.work.columns import open_column, path_of_leaf, public_records, records_by_node
from incrowd.web.work.state import Tell, WorkerState
from incrowd.withholding import LEAST

SHOWN = 200
"""Values of a grid at most."""
LISTED = 1000
"""Values at most that a tree takes over from another hierarchy."""
OTHER = ("other", "other values", "all other values")
"""Names for values without a row; the first that no label has."""


def list_tree_rows(state: WorkerState, job: jobs.ShowTree, tell: Tell) -> facts.TreeFacts:
    """List the rows of a column's hierarchy, with the records of each label."""
    tell("building the hierarchy", 0.0)
    column = open_column(state, job.table, job.policy, job.column)
    builder = column.builder
    if isinstance(builder, Tree) and builder.other is None:
        builder = replace(builder, other=OTHER[0])
    built, records = column.build(builder)
    counts = records_by_node(built, records, 0)
    frequent = frequent_leaves(counts)
    named = _leaves_of_tree(built, builder, column.coded.domain.kind)
    listed = sorted(named | set(frequent[:LISTED]))
    rows = tuple(path_of_leaf(built, leaf) for leaf in listed)
    few = np.flatnonzero((counts[1:] > 0) & (counts[1:] < LEAST)) + 1
    return facts.TreeFacts(
        rows=rows,
        other=_other_label(builder, rows),
        values=_value_bins(built, counts, frequent[:SHOWN]),
        nodes=_records_above(built, records, frequent[:SHOWN]),
        few=len(few),
        placed=len(named.intersection(few.tolist())),
        more=len(set(frequent[SHOWN:]).intersection(listed)),
        rest=len(set(frequent).difference(listed)),
        by_hand=isinstance(builder, Tree),
    )


def frequent_leaves(counts: Counts) -> list[int]:
    """Codes of leaves of 5 records or more, most frequent first; `counts[0]`: missing values."""
    order = np.argsort(-counts[1:], kind="stable") + 1
    found: list[int] = order[counts[order] >= LEAST].tolist()
    return found


def _leaves_of_tree(built: Hierarchy, builder: AnyHierarchy, kind: Kind) -> set[int]:
    """The codes of the leaves that the user's own tree lists; none for other hierarchies."""
    if not isinstance(builder, Tree):
        return set()
    own = {_canonical_label(row[0], kind) for row in builder.rows}
    return {code for code, leaf in enumerate(built.leaves.labels.tolist(), start=1) if leaf in own}


def _canonical_label(leaf: str, kind: Kind) -> str:
    """The text of a leaf in the hierarchy: a number in its usual spelling, else as it stands."""
    number = parse_number(leaf) if kind is Kind.NUMBER else None
    return leaf if number is None else number_text(number)


def _other_label(builder: AnyHierarchy, rows: tuple[tuple[str, ...], ...]) -> str:
    """The label of values without a row: the tree's own, or the first usual name that is free."""
    if isinstance(builder, Tree) and builder.other is not None:
        return builder.other
    used = {label for row in rows for label in row}
    return next((name for name in OTHER if name not in used), OTHER[-1])


def _value_bins(built: Hierarchy, counts: Counts, leaves: list[int]) -> tuple[facts.Bin, ...]:
    """A bin for each of these leaves, which must have records; a count of None is withheld."""
    told = public_records(counts)
    labels = built.labels[0].tolist()
    return tuple(facts.Bin(label=str(labels[leaf - 1]), records=told[leaf]) for leaf in leaves)


def _records_above(
    built: Hierarchy, records: Counts, leaves: list[int]
) -> tuple[Mapping[str, int | None], ...]:
    """By level, the records of labels above these leaves, None if withheld; {} at level 0."""
    found: list[Mapping[str, int | None]] = [{}]
    for level in range(1, built.levels):
        told = public_records(records_by_node(built, records, level))
        nodes = dict.fromkeys(built.maps[level, leaves].tolist())
        found.append({str(built.labels[level][node - 1]): told[node] for node in nodes})
    return tuple(found)
