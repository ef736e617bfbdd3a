"""Classes of a table by their size and by how thinly they were drawn."""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Counts, Flags, Floats

_WIDTH = 0.1
"""Classes whose drawn shares differ by less than this factor are taken together."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of classes: all arrays have one entry a kind."""

    sizes: Floats
    """People of the table in each class."""
    drawn: Floats
    """The share of the people of the population that was drawn, above 0 and at most 1."""
    classes: Floats
    """How many classes there are; crowds that overlap count for the part that is their own."""
    records: Floats
    """Records in all of them."""

    @staticmethod
    def of(records: Counts, own: Counts, people: Counts, drawn: Floats) -> "Kinds":
        """Of classes with so many records and people of their own, `people` in their crowd.

        `drawn` is the share of the population that was drawn, for each class.
        """
        if not len(people):
            nothing = np.zeros(0)
            return Kinds(nothing, nothing, nothing, nothing)
        thin = np.round(np.log(np.maximum(drawn, 1e-300)) / _WIDTH).astype(np.int64)
        keys = people * (int(thin.max() - thin.min()) + 1) + thin - thin.min()
        _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
        return Kinds(
            people[first].astype(np.float64),
            np.bincount(kind, drawn) / np.bincount(kind),
            np.bincount(kind, own / np.maximum(people, 1)).astype(np.float64),
            np.bincount(kind, records).astype(np.float64),
        )

    def take(self, which: Flags) -> "Kinds":
        """These kinds alone."""
        found = (self.sizes, self.drawn, self.classes, self.records)
        return Kinds(*(values[which] for values in found))

    @property
    def shares(self) -> Floats:
        """The share of the records that each kind holds."""
        found: Floats = self.records / max(self.records.sum(), 1.0)
        return found
