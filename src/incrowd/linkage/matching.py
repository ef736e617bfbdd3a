"""What labels of a release stand for among the values of the world (Bettini's Dec, Section 2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.errors import InputError
from incrowd.hierarchy.decoding import Run, merge_runs, runs_of
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import TOP, names_in_labels
from incrowd.hierarchy.written_labels import WrittenLabels
from incrowd.partition.csr import offsets
from incrowd.table.column import CodedColumn, Domain, Missing
from incrowd.table.encode import leaves_of

Labels = Sequence[str | None]


@dataclass(frozen=True, eq=False, repr=False)
class Matching:
    """The values of the world that each label of a column may stand for, as runs of places.

    Label i stands for the places `low[start[i]:start[i + 1]]` to `high[…]`, ascending and apart,
    or for none. Places are the codes of the world in the order of the hierarchy's leaves, so that
    what a label stands for is one run or few; those that the hierarchy lacks come last, and missing
    stays 0.
    """

    start: Counts
    low: Codes
    high: Codes
    place: Codes
    """The place of each code of the world: shape (values + 1,)."""
    outside: int = 0
    """Values of the world that the hierarchy lacks: labels are compared with them as written."""

    def __len__(self) -> int:
        """Number of labels."""
        return len(self.start) - 1

    def runs(self, label: int) -> list[Run]:
        """The runs of places that one label stands for: first and last place of each."""
        here = slice(int(self.start[label]), int(self.start[label + 1]))
        return list(zip(self.low[here].tolist(), self.high[here].tolist(), strict=True))

    def codes(self, label: int) -> Codes:
        """The codes of the world that one label may stand for, ascending."""
        stands = np.zeros(len(self.place), dtype=np.bool_)
        for low, high in self.runs(label):
            stands[low : high + 1] = True
        return np.flatnonzero(stands[self.place]).astype(np.int32)

    def keep_held(self, held: Flags) -> "Matching":
        """The matching in which labels that no row has (`held` is false) stand for nothing."""
        lengths = np.diff(self.start)
        kept: Flags = np.repeat(held, lengths)
        return Matching(
            offsets(lengths * held), self.low[kept], self.high[kept], self.place, self.outside
        )

    def open_to_missing(self, *, unknown: bool) -> "Matching":
        """The matching if a missing value matches anything; `unknown` if the world has some.

        The first label is the missing one: it then stands for everything. Every other label also
        stands for missing values of the world.
        """
        last = len(self.place) - 1
        labels = [[(MISSING, last)]]
        for label in range(1, len(self)):
            runs = self.runs(label)
            if unknown and (not runs or runs[0][0] > MISSING):
                runs = merge_runs([(MISSING, MISSING), *runs])
            labels.append(runs)
        return matching_of_runs(labels, self.place, self.outside)


def matching_of_runs(runs: list[list[Run]], place: Codes, outside: int = 0) -> Matching:
    """The matching of labels that stand for these runs of places, one list for each label."""
    start = offsets([len(found) for found in runs])
    ends = np.array([run for found in runs for run in found], dtype=np.int32).reshape(-1, 2)
    return Matching(start, ends[:, 0].copy(), ends[:, 1].copy(), place, outside)


def match(labels: Labels, domain: Domain, hierarchy: Hierarchy | None = None) -> Matching:
    """Find what each label may stand for in a column of the world; None is a missing value.

    A hierarchy decodes its own labels for the values that are its leaves. Other values and other
    labels are compared as they are written (see `hierarchy.written_labels`). The top stands for
    everything, missing values included; a missing cell stands for a missing value only.
    """
    return Matcher(domain, hierarchy).match(labels)


def match_column(
    column: CodedColumn,
    domain: Domain,
    hierarchy: Hierarchy | None,
    missing: Missing,
    *,
    unknown: bool,
) -> Matching:
    """Match the labels of a released column; those that no row has stand for nothing.

    `unknown` says whether the world has missing values in this column.
    """
    matching = match([None, *column.domain.labels.tolist()], domain, hierarchy)
    if missing is Missing.MATCHES_ANYTHING:
        matching = matching.open_to_missing(unknown=unknown)
    return matching.keep_held(np.bincount(column.codes, minlength=len(matching)) > 0)


class Matcher:
    """Matches labels with one column of the world; what it looks up is kept for further labels."""

    def __init__(self, domain: Domain, hierarchy: Hierarchy | None = None) -> None:
        leaf = np.zeros(len(domain), dtype=np.int32)
        if hierarchy is not None:
            leaf = leaves_of(domain, hierarchy.leaves)
        order = np.argsort(np.where(leaf == MISSING, np.int32(2**31 - 1), leaf), kind="stable")
        self.place = np.zeros(len(domain) + 1, dtype=np.int32)
        self.place[order + 1] = np.arange(1, len(order) + 1, dtype=np.int32)
        self.outside = 0 if hierarchy is None else int((leaf == MISSING).sum())
        self._hierarchy = hierarchy
        self._tops = {TOP} if hierarchy is None else {TOP, hierarchy.labels[-1][0]}
        self._size, self._known = len(domain), int((leaf != MISSING).sum())
        self._leaf = leaf[order]
        self._all = WrittenLabels(domain)
        self._rest = WrittenLabels(Domain(domain.kind, domain.values[order[self._known :]]))

    def match(self, labels: Labels, named: frozenset[str] | None = None) -> Matching:
        """As the function `match`; `named`: names in all labels of the column, by default these."""
        names = names_in_labels(labels) if named is None else named
        by_hierarchy = self._decode_labels([label for label in labels if label is not None], names)
        runs = [self._runs_of_label(label, by_hierarchy, names) for label in labels]
        return matching_of_runs(runs, self.place, self.outside)

    def _runs_of_label(
        self, label: str | None, by_hierarchy: dict[str, list[Run]], named: frozenset[str]
    ) -> list[Run]:
        """The runs of places of one label: by the hierarchy if it knows it, else as written."""
        if label is None:
            return [(MISSING, MISSING)]
        if label in self._tops:
            return [(MISSING, self._size)]
        if label not in by_hierarchy:
            return self._to_places(self._all.runs(label, named))
        rest = self._rest.runs(label, named) if self._known < self._size else []
        return by_hierarchy[label] + [(lo + self._known, hi + self._known) for lo, hi in rest]

    def _to_places(self, runs: list[Run]) -> list[Run]:
        """Turn runs of codes into runs of places."""
        if self._hierarchy is None:
            return runs
        return runs_of(int(self.place[c]) for lo, hi in runs for c in range(lo, hi + 1))

    def _decode_labels(self, labels: list[str], named: frozenset[str]) -> dict[str, list[Run]]:
        """By known label: the runs of places of its leaves; finds unknown labels by halving."""
        if self._hierarchy is None or not labels:
            return {}
        try:
            decoded = self._hierarchy.decode_all(labels, named)
        except InputError:
            if len(labels) == 1:
                return {}
            half = len(labels) // 2
            parts = labels[:half], labels[half:]
            left, right = (self._decode_labels(part, named) for part in parts)
            return left | right
        known = self._leaf[: self._known]
        first = np.searchsorted(known, decoded.low, side="left") + 1
        last = np.searchsorted(known, decoded.high, side="right")
        ends = list(zip(first.tolist(), last.tolist(), strict=True))
        runs_of_label = {}
        for label, d in zip(labels, decoded.of.tolist(), strict=True):
            here = ends[int(decoded.start[d]) : int(decoded.start[d + 1])]
            runs_of_label[label] = merge_runs([run for run in here if run[0] <= run[1]])
        return runs_of_label
