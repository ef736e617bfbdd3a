"""From classes back to cells: the only place that does it."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from incrowd.arrays import Codes, Counts, Texts

_TEXTS = (nw.String, nw.Object)


def decode(
    column: "nw.Series[Any]", labels: Texts, classes: Codes, take: Counts, *, exact: bool | Counts
) -> "nw.Series[Any]":
    """The cells that the records `take` show: those of their classes, in a series of its kind.

    `labels[c]` is what class c shows, None if missing; `classes[r]` is the class of record r. If
    every class shows an original value (`exact`), that of its own records or of the record
    `exact[c]`, the column keeps its type; otherwise it is text, null where missing.
    """
    if exact is not False:
        return _original_cells(column, labels, classes, take, None if exact is True else exact)
    texts: nw.Series[Any] = nw.new_series(
        column.name, labels.tolist(), nw.String(), backend=column.implementation
    )
    return texts[classes[take]]


def _original_cells(
    column: "nw.Series[Any]",
    labels: Texts,
    classes: Codes,
    take: Counts,
    source: Counts | None = None,
) -> "nw.Series[Any]":
    """Original cells for the records `take`, one and the same for all that show one label.

    A value may be written in several ways (1.5 and 1.50, 0.0 and -0.0): as they were, they would
    tell the records of a class apart. For the same reason a text that means missing becomes null. A
    label's cell is that of its first record, or of record `source[c]` of its first class c.
    """
    number = {label: i for i, label in enumerate(dict.fromkeys(labels.tolist()))}
    place = np.array([number[label] for label in labels.tolist()], dtype=np.int64)
    first = np.zeros(len(number), dtype=np.int64)
    shown = place[classes[take]]
    if source is None:
        first[shown[::-1]] = take[::-1]
    else:
        first[place[::-1]] = source[::-1]
    cells = column[first]
    if None in number and cells.dtype in _TEXTS:
        values = cells.to_list()
        values[number[None]] = None
        cells = nw.new_series(column.name, values, cells.dtype, backend=column.implementation)
    return cells[shown]
