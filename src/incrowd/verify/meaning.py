"""What the labels of a release stand for in one column of a world (Bettini's Dec).

The hierarchy says it for the values that are its leaves. Other values of the world, and labels that
the hierarchy does not know, are read as they are written. Part of the verification: it shares no
line with the code that a search counts people of a world with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Texts
from incrowd.errors import InputError
from incrowd.hierarchy.decoding import Decoded, WrittenLabels
from incrowd.hierarchy.labels import TOP
from incrowd.table.column import Domain, Kind
from incrowd.table.parse import parse

_FEW = 4
"""So many runs are compared one by one; more are looked up."""
_NO_LEAF = 2**31 - 1


class Tree(Protocol):
    """What a hierarchy knows of labels."""

    @property
    def labels(self) -> Sequence[Texts]:
        """Per level: the labels of its nodes."""
        ...

    @property
    def leaves(self) -> Domain:
        """The values that it knows."""
        ...

    def decode_all(self, labels: Sequence[str | None]) -> Decoded:
        """The leaves of each label; `InputError` if one stands for none."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Meaning:
    """The values of the world that each label may stand for.

    Values stand at places 1, 2, … in the order of the hierarchy's leaves, so that most labels are
    one run of places; values that are no leaf come last, missing is place 0.
    """

    place: Codes
    """The place of each code of the world."""
    runs: tuple[Counts, ...]
    """Per label: the first and last place of each of its runs, shape (runs, 2)."""

    def fits(self, label: int, places: Codes) -> Flags:
        """Whether a label may stand for the values at these places, elementwise."""
        runs = self.runs[label]
        if len(runs) > _FEW:
            held: Flags = np.zeros(len(self.place), dtype=np.bool_)
            for low, high in runs.tolist():
                held[low : high + 1] = True
            return held[places]
        fits: Flags = np.zeros(len(places), dtype=np.bool_)
        for low, high in runs.tolist():
            fits |= (places >= low) & (places <= high)
        return fits


def meaning_of(
    labels: Sequence[str | None], domain: Domain, tree: Tree | None, *, anything: bool
) -> Meaning:
    """What these labels may stand for among the values of a world; None is a missing cell.

    A missing cell stands for a missing value, the label of the top for everything, missing too.
    With `anything` a missing value matches anything, in the release as in the world.
    """
    reader = _Reader(domain, tree)
    runs = [reader.runs(label) for label in labels]
    if anything:
        everything = np.array([[MISSING, len(domain)]], dtype=np.int64)
        nothing = np.array([[MISSING, MISSING]], dtype=np.int64)
        runs = [
            everything if label is None else np.concatenate([nothing, found])
            for label, found in zip(labels, runs, strict=True)
        ]
    return Meaning(reader.place, tuple(runs))


class _Reader:
    """Reads labels as places of one column of a world."""

    def __init__(self, domain: Domain, tree: Tree | None) -> None:
        leaf = np.full(len(domain), _NO_LEAF, dtype=np.int64)
        if tree is not None:
            leaf = _leaves(domain, tree.leaves)
        order = np.argsort(leaf, kind="stable")
        self.place: Codes = np.zeros(len(domain) + 1, dtype=np.int32)
        self.place[order + 1] = np.arange(1, len(domain) + 1, dtype=np.int32)
        self._tree = tree
        self._leaf = leaf[order][leaf[order] < _NO_LEAF]
        self._written = WrittenLabels(domain)
        rest = order[len(self._leaf) :]
        self._rest = WrittenLabels(Domain(domain.kind, domain.values[rest]))
        self._tops = {TOP} if tree is None else {TOP, tree.labels[-1][0]}

    def runs(self, label: str | None) -> Counts:
        """The runs of places that a label may stand for."""
        if label is None:
            return _pairs([(MISSING, MISSING)])
        if label in self._tops:
            return _pairs([(MISSING, len(self.place) - 1)])
        leaves = self._leaves_of(label)
        if self._tree is None:
            return _pairs(self._written.runs(label))
        if leaves is None:
            codes = [np.arange(low, high + 1) for low, high in self._written.runs(label)]
            return _together(np.sort(self.place[np.concatenate([_NONE, *codes])]))
        known = len(self._leaf)
        rest = _pairs(self._rest.runs(label) if known + 1 < len(self.place) else []) + known
        return np.concatenate([leaves, rest])

    def _leaves_of(self, label: str) -> Counts | None:
        """The places of the leaves of a label; None if the hierarchy does not know it."""
        if self._tree is None:
            return None
        try:
            decoded = self._tree.decode_all([label])
        except InputError:
            return None
        first = np.searchsorted(self._leaf, decoded.low, side="left") + 1
        last = np.searchsorted(self._leaf, decoded.high, side="right")
        runs = np.stack([first, last], axis=1).astype(np.int64)
        return runs[runs[:, 0] <= runs[:, 1]]


_NONE: Counts = np.zeros(0, dtype=np.int64)


def _pairs(runs: Sequence[tuple[int, int]]) -> Counts:
    return np.array(runs, dtype=np.int64).reshape(-1, 2)


def _together(places: Codes) -> Counts:
    """Ascending places as runs."""
    if not len(places):
        return _pairs([])
    cut = np.flatnonzero(np.diff(places) > 1)
    return np.stack([places[np.append(0, cut + 1)], places[np.append(cut, -1)]], axis=1).astype(
        np.int64
    )


def _leaves(domain: Domain, leaves: Domain) -> Counts:
    """The leaf that each value of the world is, a number above all where it is none.

    Values of one kind are equal by value; others by their text, or by the number or date that
    their text is.
    """
    kinds = {domain.kind, leaves.kind}
    if kinds in ({Kind.NUMBER}, {Kind.DATE}):
        return _looked_up(_keys(domain), _keys(leaves))
    found = _looked_up(domain.labels.tolist(), leaves.labels.tolist())
    for kind in kinds - {Kind.TEXT}:
        mine, theirs = (_parsed(side, kind) for side in (domain, leaves))
        found = np.where(found == _NO_LEAF, _looked_up(mine, theirs), found)
    return found


def _keys(domain: Domain) -> list[object]:
    """Values as Python compares them; moments and days on one scale."""
    values = domain.values
    if values.dtype.kind == "M":
        values = values.astype("datetime64[us]").astype(np.int64)
    keys: list[object] = values.tolist()
    return keys


def _parsed(domain: Domain, kind: Kind) -> list[object]:
    parsed = parse(domain.labels, kind)
    keys = _keys(Domain(kind, parsed.values))
    return [key if fits else None for key, fits in zip(keys, parsed.fits.tolist(), strict=True)]


def _looked_up(keys: Sequence[object], known: Sequence[object]) -> Counts:
    code: dict[object, int] = {}
    for number, key in enumerate(known, start=1):
        code.setdefault(key, number)
    code.pop(None, None)
    return np.array([code.get(key, _NO_LEAF) for key in keys], dtype=np.int64)
