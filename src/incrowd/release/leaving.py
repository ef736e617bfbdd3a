"""From a recoding to what becomes of each record."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import SUPPRESSED, Codes, Counts, Texts
from incrowd.engines.base import Shown
from incrowd.policy.compile import Compiled
from incrowd.policy.policy import Policy
from incrowd.recoding import Outcome, Pieces
from incrowd.verify.ends import end_names


@dataclass(frozen=True, eq=False)
class Leaving:
    """What leaves: which records, in which order, and what becomes of their columns."""

    classes: Codes
    """The class of each record of the table, -1 for one that is left out."""
    order: Counts | None
    """A permutation of the records that leave; None keeps their order."""
    shown: Mapping[str, Shown | Counts]
    """What the classes show of the quasi-identifying columns; of columns whose cells change places
    the record whose cell each record shows."""
    dropped: tuple[str, ...]
    pseudonyms: Mapping[str, Texts] = field(default_factory=dict)
    """The columns that show a pseudonym, one per record of the table."""
    added: Mapping[str, Counts | Texts] = field(default_factory=dict)
    """The columns that the table did not have, one value per record of the table."""
    split: tuple[str, ...] = ()
    """The columns that leave as two of these: where each cell begins and ends."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Leaving({len(self.records)} of {len(self.classes)} records)"

    @property
    def records(self) -> Counts:
        """The records that leave, in their new order."""
        kept = np.flatnonzero(self.classes >= 0)
        return kept if self.order is None else kept[self.order]


def dropped(policy: Policy) -> tuple[str, ...]:
    """The columns that do not leave: those dropped, identifiers without a pseudonym, the unit."""
    named = tuple(name for name in policy.identifiers if policy.columns[name].action == "drop")
    return (*policy.dropped, *named, *((policy.unit,) if policy.unit else ()))


def leaving_names(
    policy: Policy, names: Iterable[str], split: Iterable[str] = ()
) -> tuple[str, ...]:
    """The columns that leave, in the order of the table, and then those that are added."""
    split = tuple(split)
    gone = {*dropped(policy), *split}
    added = () if policy.class_column is None else (policy.class_column,)
    ends = (end for name in split for end in end_names(name))
    return (*(name for name in names if name not in gone), *added, *ends)


def pseudonymous(policy: Policy) -> tuple[str, ...]:
    """The identifiers that leave as pseudonyms."""
    return tuple(name for name in policy.identifiers if policy.columns[name].action != "drop")


def unchanging(policy: Policy) -> tuple[str, ...]:
    """The columns that leave as they are."""
    changing = policy.sensitive if policy.show == "permutation" else policy.quasi
    gone = {*dropped(policy), *pseudonymous(policy), *changing}
    return tuple(name for name in policy.columns if name not in gone)


def assigned(records: int, compiled: Compiled, pieces: Pieces, rng: np.random.Generator) -> Codes:
    """The class of each record of the table; those left out have class -1.

    Which of the equal records of a row go into which of its pieces is drawn.
    """
    row_of = compiled.problem.tally.row_of
    assert row_of is not None  # noqa: S101  a table in memory has its records
    drawn = rng.permutation(len(row_of))
    place = drawn[np.argsort(row_of[drawn], kind="stable")]
    order = np.argsort(pieces.row, kind="stable")
    classes = np.full(records, SUPPRESSED, dtype=np.int32)
    of_place = np.repeat(pieces.class_of[order], pieces.count[order])
    classes[compiled.tally_records[place]] = of_place
    return classes


def shown(outcome: Outcome) -> dict[str, Shown]:
    """What the classes show of each quasi-identifying column."""
    return {column.name: _shown(outcome, j) for j, column in enumerate(outcome.columns)}


def _shown(outcome: Outcome, j: int) -> Shown:
    column = outcome.columns[j]
    hierarchy = column.hierarchy
    if (sets := outcome.sets.get(j)) is not None:
        return hierarchy.show_sets(sets.start, sets.code), bool((sets.sizes == 1).all())
    low, high, level = outcome.low[j], outcome.high[j], outcome.level[j]
    missing = (high == 0) & (level < hierarchy.height)
    labels = hierarchy.show(low, high, level, outcome.spans, lowest=column.lowest, grid=column.grid)
    # A cell of the grid may hide even a single value: it is exact only if its label says the value.
    values = np.concatenate([np.array([None], dtype=object), hierarchy.labels[0]])
    exact = ((level == 0) & (low == high) & (labels == values[low])) | missing
    return labels, bool(exact.all())
