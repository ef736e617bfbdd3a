"""Representatives: one value per class, as in microaggregation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.recoding.column_cells import ByClass, Cell
from incrowd.recoding.outcome import Outcome
from incrowd.recoding.show.transformation import Transformation
from incrowd.table.column import CodedColumn, Missing
from incrowd.values import Fault


@dataclass(frozen=True)
class ShowRepresentatives(Transformation):
    """A class shows one value for all its records: their median, or the most frequent value."""

    name: ClassVar[str] = "representatives"
    coarsens: ClassVar[bool] = False
    tells_loss: ClassVar[bool] = False
    spans: ClassVar[bool] = False
    names_values: ClassVar[bool] = True
    note: ClassVar[str] = (
        "cells show one value for their whole class: "
        "no cell need be what its record held, so the release is not truthful record by record"
    )
    cells_assumption: ClassVar[str] = (
        "Cells show one value for their whole class, its median or most frequent value: "
        "they are not what each record held."
    )
    ends_assumption: ClassVar[str] = (
        "A value that is shown was held by somebody of the class: whoever knows that only one "
        "person has it learns that this person is in the table."
    )

    def cells(
        self, outcome: Outcome, columns: Mapping[str, CodedColumn], sensitive: Sequence[str]
    ) -> dict[str, Cell]:
        """What the classes show of each quasi-identifying column, by its name."""
        del sensitive
        return {**choose_representatives(outcome, columns)}

    def missing(self, reading: Missing) -> Missing:
        """How missing values are read: as own values where the policy lets them match anything.

        Classes must satisfy the models without the records that only missing values would match.
        """
        return Missing.OWN_VALUE if reading is Missing.MATCHES_ANYTHING else reading

    def faults(self, policy: Any) -> Iterator[Fault]:
        """Yield policy settings that single values contradict."""
        for number, model in enumerate(policy.models):
            if "world" in model.requires:
                yield Fault(
                    ("models", number),
                    f"{model.name} needs labels that cover values, but representatives are "
                    "single values",
                    'remove show = "representatives"',
                )
        for name, column in policy.columns.items():
            for key in ("highest", "widest"):
                if getattr(column, key) is not None:
                    yield Fault(
                        ("columns", name, key),
                        f"column '{name}' limits what a cell spans, but cells show single values",
                        f'remove {key}, or remove show = "representatives"',
                    )


def choose_representatives(
    outcome: Outcome, columns: Mapping[str, CodedColumn]
) -> dict[str, ByClass]:
    """What the classes show, by column: the median of an ordered one, else the most frequent value.

    Both are of the class, or of its bucket in the column where every class shows its buckets.
    The lower median, so that somebody of the class has it; of equally frequent values the first in
    leaf order; missing if most records of the class lack the value. A column with a lowest level
    shows the node of that value on this level. `columns` are those of the table.
    """
    tally, class_of = outcome.tally, outcome.class_of
    assert tally is not None  # noqa: S101  an outcome of a search has its rows
    assert class_of is not None  # noqa: S101  the same
    kept = class_of >= 0
    found: dict[str, ByClass] = {}
    for j, column in enumerate(outcome.columns):
        pick = _class_medians if column.hierarchy.ordered else _class_modes
        bucket = None if outcome.buckets is None else outcome.buckets[j]
        group = class_of[kept] if bucket is None else bucket[class_of[kept]]
        chosen = pick(group, tally.quasi[j, kept], tally.counts[kept])
        chosen = chosen if bucket is None else chosen[bucket]
        level = np.full(len(chosen), column.lowest, dtype=np.int32)
        labels = column.hierarchy.show(chosen, chosen, level, False)
        value = None if column.lowest else (columns[column.name], chosen)
        found[column.name] = ByClass(labels, value=value)
    return found


def _class_medians(class_of: Codes, codes: Codes, counts: Counts) -> Codes:
    """The lower median code of each class, of records that have the value; 0 if most lack it."""
    order, first, last = _sort_by_class(class_of, codes)
    upto = np.cumsum(counts[order])
    before = np.concatenate([[0], upto])[first]
    total = upto[last] - before
    lacking = _count_lacking(class_of, codes, counts)
    known = total - lacking
    half = np.where(lacking > known, 1, lacking + (known + 1) // 2)
    medians: Codes = codes[order][np.searchsorted(upto, before + half)]
    return medians


def _class_modes(class_of: Codes, codes: Codes, counts: Counts) -> Codes:
    """The most frequent code of each class, of records that have the value; 0 if most lack it."""
    width = int(codes.max(initial=0)) + 1
    pairs, place = np.unique(class_of.astype(np.int64) * width + codes, return_inverse=True)
    total = np.bincount(place, weights=counts).astype(np.int64)
    lacking = _count_lacking(class_of, codes, counts)
    most = 2 * lacking > np.bincount(class_of, weights=counts)
    total[(pairs % width > 0) == most[pairs // width]] = 0
    order = np.lexsort((pairs, -total, pairs // width))
    _, first = np.unique(pairs[order] // width, return_index=True)
    modes: Codes = (pairs[order][first] % width).astype(np.int32)
    return modes


def _count_lacking(class_of: Codes, codes: Codes, counts: Counts) -> Counts:
    """The records of each class that lack the value."""
    missing: Flags = codes == 0
    number = int(class_of.max(initial=-1)) + 1
    found = np.bincount(class_of[missing], weights=counts[missing], minlength=number)
    return found.astype(np.int64)


def _sort_by_class(class_of: Codes, codes: Codes) -> tuple[Counts, Counts, Counts]:
    """The order by class and code, and the place in it of each class's first and last row."""
    order = np.lexsort((codes, class_of))
    classes = class_of[order]
    every = np.arange(int(classes[-1]) + 1)
    first, last = np.searchsorted(classes, every), np.searchsorted(classes, every, side="right")
    return order, first, last - 1
