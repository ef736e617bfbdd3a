"""A hierarchy as verification sees it: its labels, and which leaves they may stand for."""

from collections.abc import Sequence
from typing import Protocol

from incrowd.arrays import Codes, Texts
from incrowd.hierarchy.decoding import Decoded
from incrowd.table.column import Domain


class LabelTree(Protocol):
    """What a hierarchy knows of labels."""

    @property
    def labels(self) -> Sequence[Texts]:
        """Per level: the labels of its nodes."""

    @property
    def maps(self) -> Codes:
        """`maps[level, leaf]` is the node over a leaf."""

    @property
    def leaves(self) -> Domain:
        """The values that it knows."""

    @property
    def ordered(self) -> bool:
        """Whether its nodes are spans of an order."""

    def decode_all(
        self, labels: Sequence[str | None], named: frozenset[str] | None = None
    ) -> Decoded:
        """The leaves of each label, of `*others*` all but `named`; `InputError` if one has none."""
