"""What the labels of a column stand for, in the coarsest codes that tell them apart.

Values of the world that the same labels may stand for are one *atom*; values that no label may
stand for are atom 0. Labels that stand for the same atoms are one *set*.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.linkage.matching import Matching

MOST_LAYERS = 8
"""Sets of a column that need more layers are not looked up but searched for in a tree."""


@dataclass(frozen=True, eq=False, repr=False)
class Sets:
    """The sets of one column: set s has the atoms `low[start[s]:start[s + 1]]` to `high[…]`."""

    atom: Codes
    """The atom of each code of the world."""
    atoms: int
    """The largest atom."""
    of: Codes
    """The set of each label."""
    start: Counts
    low: Codes
    high: Codes

    def __len__(self) -> int:
        """Number of sets."""
        return len(self.start) - 1

    @property
    def empty(self) -> Flags:
        """Per set: whether it stands for no value of the world."""
        empty: Flags = np.diff(self.start) == 0
        return empty

    def sums(self, per_code: Counts) -> Counts:
        """Per set: the sum of a figure per code of the world over all that it stands for."""
        per_atom = np.bincount(self.atom, weights=per_code, minlength=self.atoms + 1)
        upto = np.concatenate([[0], np.cumsum(per_atom)]).astype(np.int64)
        per_run = np.concatenate([[0], np.cumsum(upto[self.high + 1] - upto[self.low])])
        sums: Counts = per_run[self.start[1:]] - per_run[self.start[:-1]]
        return sums

    @cached_property
    def layers(self) -> tuple[Codes, ...] | None:
        """Sets that do not overlap, layer by layer: the set of each atom plus 1, or 0.

        None if there are more than `MOST_LAYERS`. Large sets are placed first, so that the levels
        of a hierarchy become layers.
        """
        lengths = np.concatenate([[0], np.cumsum(self.high - self.low + 1)])
        if lengths[-1] == self.atoms:
            return (self._one_layer,)
        sizes = lengths[self.start[1:]] - lengths[self.start[:-1]]
        layers: list[Codes] = []
        for s in np.argsort(-sizes, kind="stable").tolist():
            atoms = self._atoms_of(s)
            free = next((layer for layer in layers if not layer[atoms].any()), None)
            if free is None:
                if len(layers) == MOST_LAYERS:
                    return None
                free = np.zeros(self.atoms + 1, dtype=np.int32)
                layers.append(free)
            free[atoms] = s + 1
        return tuple(layers)

    @property
    def _one_layer(self) -> Codes:
        """The only set of each atom plus 1."""
        layer = np.zeros(self.atoms + 1, dtype=np.int32)
        set_of = np.repeat(np.arange(1, len(self) + 1, dtype=np.int32), np.diff(self.start))
        order = np.argsort(self.low)
        layer[1:] = np.repeat(set_of[order], (self.high - self.low + 1)[order])
        return layer

    def layer_of(self, layers: tuple[Codes, ...]) -> Codes:
        """The layer of each set; 0 for empty ones."""
        of = np.zeros(len(self), dtype=np.int32)
        for i, layer in enumerate(layers):
            of[layer[layer > 0] - 1] = i
        return of

    def _atoms_of(self, s: int) -> Counts:
        runs = range(int(self.start[s]), int(self.start[s + 1]))
        parts = [np.arange(self.low[r], self.high[r] + 1) for r in runs]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def sets_of(matching: Matching) -> Sets:
    """The sets of the labels of one column."""
    size = len(matching.place)
    edges = np.zeros(size + 1, dtype=np.int64)
    np.add.at(edges, matching.low, 1)
    np.add.at(edges, matching.high.astype(np.int64) + 1, -1)
    covered = np.cumsum(edges[:-1]) > 0
    cut = np.zeros(size + 1, dtype=np.bool_)
    cut[matching.low] = True
    cut[matching.high.astype(np.int64) + 1] = True
    atom = np.where(covered, np.cumsum(cut[:-1] & covered), 0).astype(np.int32)
    low, high = atom[matching.low], atom[matching.high]
    number: dict[tuple[bytes, bytes], int] = {}
    of = np.empty(len(matching), dtype=np.int32)
    first: list[int] = []
    for label in range(len(matching)):
        here = slice(int(matching.start[label]), int(matching.start[label + 1]))
        key = (low[here].tobytes(), high[here].tobytes())
        if key not in number:
            number[key] = len(number)
            first.append(label)
        of[label] = number[key]
    return _kept(matching, atom, of, (np.array(first, dtype=np.int64), low, high))


def _kept(matching: Matching, atom: Codes, of: Codes, found: tuple[Counts, Codes, Codes]) -> Sets:
    """The sets of the first label of each kind."""
    first, low, high = found
    lengths = matching.start[first + 1] - matching.start[first]
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    runs = np.repeat(matching.start[first] - start[:-1], lengths) + np.arange(start[-1])
    return Sets(
        atom=atom[matching.place],
        atoms=int(atom.max(initial=0)),
        of=of,
        start=start,
        low=low[runs],
        high=high[runs],
    )
