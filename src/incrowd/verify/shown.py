"""What the cells of a release may show, judged by the leaves that they stand for.

Everything is judged on distinct pairs of what records show and what they held. Part of the
verification: it shares nothing with the search.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Flags, Texts
from incrowd.errors import InputError, NotMetError, counted
from incrowd.hierarchy.decoding import Decoded
from incrowd.hierarchy.labels import node_reach, reach_of, read_bounds, read_members
from incrowd.table.cells import text_of
from incrowd.table.column import Domain
from incrowd.table.counted import CountedRows
from incrowd.verify.crowds import Cells, Crowds, numbered


class _Decoder(Protocol):
    @property
    def labels(self) -> Sequence[Texts]: ...
    @property
    def maps(self) -> Codes: ...
    @property
    def leaves(self) -> Domain: ...
    def decode_all(self, labels: Sequence[str | None]) -> Decoded: ...


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """What a column of the release shows, and what the same records held: distinct pairs."""

    name: str
    cells: Cells
    codes: Codes
    """The original values, pair by pair; 0 for missing."""
    records: Counts
    """Records per pair."""
    together: Counts
    """The number of what the records show in all columns that were counted, pair by pair."""

    @classmethod
    def of(cls, name: str, rows: CountedRows) -> "ShownColumn":
        """The column of this name in counted rows, which know its codes."""
        every = {column.name: numbered(column) for column in rows.cells.iter_columns()}
        together = sets([cells.codes for cells in every.values()])
        return cls(name, every[name], rows.codes[name], rows.records, together)

    def __repr__(self) -> str:
        """Without values."""
        return f"ShownColumn({self.name!r}, {self.cells!r})"


def covers(decoder: _Decoder, column: ShownColumn) -> None:
    """Every released cell stands for a set of values with the original among them.

    The sets are those of the hierarchy's own decoding (Bettini's Dec). A label that is a value of
    the column stands for other values only as the name of a node over it.
    """
    cells = column.cells
    texts: list[str | None] = [None, *cells.labels.to_list()]
    try:
        each = decoder.decode_all(texts)
        outside = ~replace(each, of=each.of[cells.codes]).covers(column.codes)
        outside |= _as_another(decoder, column)
        lost = int(column.records[outside].sum())
    except InputError:
        lost = int(column.records.sum())
    if lost:
        raise NotMetError(
            f"{counted(lost, 'cell')} of {column.name!r} {'does' if lost == 1 else 'do'} not "
            "cover the original value"
        )


def _as_another(decoder: _Decoder, column: ShownColumn) -> Flags:
    """Which pairs show a value that the record does not hold, and neither a node over both.

    A value that is written as a set may stand for what the set does.
    """
    values = enumerate(decoder.labels[0].tolist(), start=1)
    code = {label: code for code, label in values if read_members(label) is None}
    texts = column.cells.labels.to_list()
    value = np.array([0, *(code.get(text, 0) for text in texts)])[column.cells.codes]
    wrong: Flags = (value > 0) & (value != column.codes)
    for number in np.unique(column.cells.codes[wrong]).tolist():
        here = np.flatnonzero(wrong & (column.cells.codes == number))
        text = texts[number - 1]
        wrong[here] = ~_with_name(decoder, text, code[text])[column.codes[here]]
    return wrong


def _with_name(decoder: _Decoder, text: str, value: int) -> Flags:
    """The codes that a value may be shown for: its own, and those of nodes over it of its name."""
    found: Flags = np.arange(decoder.maps.shape[1]) == value
    for nodes, labels in zip(decoder.maps[1:], decoder.labels[1:], strict=True):
        if labels[nodes[value] - 1] == text:
            found |= nodes == nodes[value]
    return found


def coarse(decoder: _Decoder, name: str, cells: Cells, lowest: int) -> None:
    """No released cell is finer than the lowest level that may be shown.

    It is a label of that level or a higher one, or it begins and ends where they do, by name or by
    value; one without an end is never too fine there.
    """
    if not lowest:
        return
    allowed = {label for labels in decoder.labels[lowest:] for label in labels.tolist()}
    every = (node_reach(label, decoder.leaves) for label in allowed)
    reach = [found for found in every if found is not None]
    firsts, lasts = {-inf, *(low for low, _ in reach)}, {inf, *(high for _, high in reach)}
    finer = 0
    for label in set(cells.labels.to_list()) - allowed:
        ends, said = read_bounds(label), reach_of(label, decoder.leaves)
        named = ends is not None and ends.low in allowed and ends.high in allowed
        finer += not named and (said is None or said[0] not in firsts or said[1] not in lasts)
    if finer:
        verb = "is" if finer == 1 else "are"
        raise NotMetError(
            f"{counted(finer, 'label')} of {name!r} {verb} finer than its lowest level allows"
        )


def steady(column: ShownColumn) -> None:
    """Equal values of a column show the same in every row."""
    cells, codes = column.cells, column.codes
    shown = np.unique(codes.astype(np.int64) * (len(cells.labels) + 1) + cells.codes)
    torn = len(shown) - len(np.unique(codes))
    if torn:
        labels = counted(torn, "label")
        raise NotMetError(f"{labels} too many: equal values of {column.name!r} show different ones")


def represents(decoder: _Decoder, column: ShownColumn) -> None:
    """Every released cell shows a value, or its node, of somebody in the same crowd.

    A crowd is all records that show the same in all columns that were counted together.
    """
    cells, crowd = column.cells, column.together
    each = decoder.decode_all([None, *cells.labels.to_list()])
    domain = len(decoder.leaves) + 1
    held = np.append(np.unique(crowd * domain + column.codes), np.iinfo(np.int64).max)
    pairs = np.unique(crowd * len(each) + cells.codes)
    group, label = np.divmod(pairs, len(each))
    first, last = each.start[each.of[label]], each.start[each.of[label] + 1]
    found = np.zeros(len(pairs), dtype=np.bool_)
    for r in range(int((last - first).max(initial=0))):
        run = np.minimum(first + r, last - 1)
        low, high = group * domain + each.low[run], group * domain + each.high[run]
        found |= held[np.searchsorted(held, low)] <= high
    strange = int((~found).sum())
    if strange:
        verb = "shows" if strange == 1 else "show"
        raise NotMetError(
            f"{counted(strange, 'cell')} of {column.name!r} {verb} a value that no record of "
            "the class has"
        )


class _Limits(Protocol):
    @property
    def highest(self) -> int | None: ...
    @property
    def widest(self) -> float | None: ...


def within(decoder: _Decoder, name: str, cells: Cells, limits: _Limits) -> None:
    """No released cell is coarser than the highest level, or spans more than the widest allows.

    Both are judged by the leaves that a cell stands for.
    """
    if limits.highest is None and limits.widest is None:
        return
    shown = decoder.decode_all(cells.labels.to_list())
    wide = sum(_beyond(decoder, shown[i], limits) for i in range(len(shown)))
    if wide:
        raise NotMetError(
            f"{counted(wide, 'label')} of {name!r} {'is' if wide == 1 else 'are'} coarser than the "
            "policy's limits allow",
            remedy=(
                "if the table holds a value that looks like a suppressed cell, such as '*', "
                "add it to the policy's missing_values, or replace it"
            ),
        )


def _beyond(decoder: _Decoder, codes: Codes, limits: _Limits) -> bool:
    first, last = int(codes[0]), int(codes[-1])
    if limits.highest is not None:
        nodes = decoder.maps[limits.highest]
        if nodes[first] != nodes[last]:
            return True
    if limits.widest is None or last == 0:
        return False
    place = decoder.leaves.values[[max(first, 1) - 1, last - 1]]
    extent = place[1] - place[0]
    if place.dtype.kind == "M":
        extent = extent / np.timedelta64(1, "D")
    return bool(extent > limits.widest * (1 + 1e-12))


def consistent(rows: CountedRows) -> None:
    """Records with the same quasi-identifying values show the same in all these columns."""
    before = sets(list(rows.codes.values()))
    after = sets([numbered(column).codes for column in rows.cells.iter_columns()])
    torn = len(_sets_of_both(before, after)) - len(np.unique(before))
    if torn:
        labels = counted(torn, "label")
        raise NotMetError(f"{labels} too many: equal quasi-identifying values show different ones")


def permuted(held: CountedRows, shown: CountedRows) -> None:
    """Every class shows the sensitive rows that it held, each as often, in whatever order.

    All sensitive columns of a record change places together.
    """
    if held.classes is None or shown.classes is None:
        raise NotMetError("the release does not show its classes")
    both = [
        numbered(pl.concat([text_of(held.cells[name]), text_of(shown.cells[name])])).codes
        for name in held.cells.columns
    ]
    row = sets([np.concatenate([held.classes, shown.classes]).astype(np.int64), *both])
    records = np.concatenate([held.records, -shown.records])
    if np.bincount(row, weights=records).any():
        raise NotMetError("a class does not show the sensitive values of its records")


def told_by(name: str, rows: CountedRows) -> None:
    """The added column has one number for each class, and another for each other class."""
    shown, classes = numbered(rows.cells[name]).codes, rows.classes
    if classes is None or (shown == 0).any():
        raise NotMetError(f"the column {name!r} does not number the classes correctly")
    pairs = np.unique(np.stack([shown, classes.astype(np.int64)]), axis=1)
    if not len(np.unique(shown)) == pairs.shape[1] == len(np.unique(classes)):
        raise NotMetError(f"the column {name!r} does not number the classes correctly")


def by_number(classes: Any, records: Counts) -> Crowds:
    """The crowds of rows whose class is told by a number."""
    held, class_of = np.unique(classes, return_inverse=True)
    return Crowds(class_of.astype(np.int64), len(held), records, None, None)


def sets(columns: Sequence[Any]) -> Counts:
    """The number of what each row shows in all columns together."""
    place = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        key = place * (int(column.max(initial=0)) + 1) + column
        place = np.unique(key, return_inverse=True)[1]
    return place


def _sets_of_both(one: Counts, other: Counts) -> Counts:
    both: Counts = np.unique(one * (int(other.max(initial=0)) + 1) + other)
    return both


@dataclass(frozen=True)
class CellJudge:
    """How the cells of a transformation are judged."""

    demand: Callable[[Any, ShownColumn], None]
    """Refuses cells that say what they may not, given the column's hierarchy."""
    together: bool = False
    """Whether it looks at what records show in all quasi-identifying columns together."""


CELL_JUDGES: dict[str, CellJudge] = {
    "spans": CellJudge(covers),
    "sets": CellJudge(covers),
    "representatives": CellJudge(represents, together=True),
}
"""By the transformation's name. One whose quasi-identifiers are exact has none: `unchanged` judges
it. Cells of a transformation without a judge are never released."""


def cell_judge(show: str) -> CellJudge:
    """The judge of a transformation's cells."""
    if show not in CELL_JUDGES:
        raise NotMetError(
            f'incrowd cannot verify cells of show = "{show}", so nothing was released',
            remedy=f"set show to one of {', '.join(CELL_JUDGES)}",
        )
    return CELL_JUDGES[show]
