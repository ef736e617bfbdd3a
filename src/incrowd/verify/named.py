"""Whether sets name only what many people hold, counted in the table as it was read.

Part of the verification: it shares nothing with the search.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from incrowd.arrays import Counts
from incrowd.errors import NotMetError, counted
from incrowd.hierarchy.decoding import Decoded
from incrowd.hierarchy.labels import named_in, read_members
from incrowd.table.counted import CountedRows
from incrowd.verify.crowds import Cells, weighted


class _Decoder(Protocol):
    def decode_all(
        self, labels: Sequence[str | None], named: frozenset[str] | None = None
    ) -> Decoded: ...


def people_by_code(rows: CountedRows, name: str, size: int) -> Counts:
    """How many people hold each of so many codes; whoever has several values counts for each."""
    rows = rows.one_by_one()
    codes = rows.codes[name].astype(np.int64)
    if rows.unit is None:
        return weighted(codes, rows.records, size)
    alone = rows.unit == 0
    pairs = np.unique(rows.unit[~alone].astype(np.int64) * size + codes[~alone]) % size
    found: Counts = np.bincount(codes[alone], minlength=size) + np.bincount(pairs, minlength=size)
    return found


def named_by_crowds(decoder: _Decoder, name: str, cells: Cells, people: Counts, k: int) -> None:
    """Every value or node that a set names is held by at least k people.

    `people` says how many hold each leaf. A label that is no set names what its whole class has.
    """
    labels = [label for label in cells.labels.to_list() if read_members(label) is not None]
    names = sorted(named_in(labels))
    shown = decoder.decode_all(names, frozenset(names))
    few = sum(int(people[shown[i]].sum()) < k for i in range(len(names)))
    if few:
        verb = "is" if few == 1 else "are"
        raise NotMetError(
            f"{counted(few, 'name')} in sets of {name!r} {verb} held by fewer than {k:,} people; "
            "nothing was released"
        )
