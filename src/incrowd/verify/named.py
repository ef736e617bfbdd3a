"""Whether sets name only what many people hold, counted in the table as it was read.

Part of the verification: it shares nothing with the search.
"""

import numpy as np

from incrowd.arrays import Counts
from incrowd.errors import NotMetError, count_of
from incrowd.hierarchy.labels import named_in, read_members
from incrowd.table.counted import CountedRows
from incrowd.verify.crowds import NumberedCells, own_units, people_by_value
from incrowd.verify.label_tree import LabelTree


def people_by_code(rows: CountedRows, name: str, size: int) -> Counts:
    """Count the people who hold each of so many codes; whoever has several counts for each."""
    rows = rows.one_by_one()
    codes = rows.codes[name].astype(np.int64)
    return people_by_value(codes, size, own_units(rows.unit), rows.records)


def demand_named_by_crowds(
    tree: LabelTree, name: str, cells: NumberedCells, people: Counts, k: int
) -> None:
    """Demand that k people hold every value or node that a set names.

    `people` says how many hold each leaf. A label that is no set names what its whole class has.
    """
    labels = [label for label in cells.labels.to_list() if read_members(label) is not None]
    names = sorted(named_in(labels))
    shown = tree.decode_all(names, frozenset(names))
    if few := sum(int(people[shown[i]].sum()) < k for i in range(len(names))):
        verb = "is" if few == 1 else "are"
        raise NotMetError(
            f"{count_of(few, 'name')} in sets of {name!r} {verb} held by fewer than {k:,} people; "
            "nothing was released"
        )
