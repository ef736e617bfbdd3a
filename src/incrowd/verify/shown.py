"""What the cells of a release may show, and name, judged by the leaves that they stand for.

Everything is judged on distinct pairs of what records show and what they held. Part of the
verification: it shares nothing with the search.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Flags
from incrowd.errors import InputError, NotMetError, count_of
from incrowd.hierarchy.labels import (
    names_in_labels,
    node_reach,
    reach_of,
    read_bounds,
    read_members,
)
from incrowd.table.cells import text_of
from incrowd.table.counted import CountedRows
from incrowd.verify.crowds import (
    Crowds,
    NumberedCells,
    number_cells,
    number_units,
    pack,
    people_by_value,
)
from incrowd.verify.label_tree import LabelTree


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """What a column of the release shows, and what the same records held: distinct pairs."""

    name: str
    cells: NumberedCells
    codes: Codes
    """The original values, pair by pair; 0 for missing."""
    records: Counts
    """Records per pair."""
    together: Counts
    """Pair by pair: a number that records share if they show the same in all counted columns."""

    @classmethod
    def of(cls, name: str, rows: CountedRows) -> "ShownColumn":
        """The column of this name in counted rows, which know its codes."""
        every = {column.name: number_cells(column) for column in rows.cells.iter_columns()}
        together = number_rows([cells.codes for cells in every.values()])
        return cls(name, every[name], rows.codes[name], rows.records, together)

    def __repr__(self) -> str:
        """Without values."""
        return f"ShownColumn({self.name!r}, {self.cells!r})"


def demand_covering(tree: LabelTree, column: ShownColumn) -> None:
    """Demand that every released cell stands for values with the original among them.

    The sets are those of the hierarchy's own decoding (Bettini's Dec). A label that is a value of
    the column stands for other values only as the name of a node over it.
    """
    cells = column.cells
    texts: list[str | None] = [None, *cells.labels.to_list()]
    try:
        each = tree.decode_all(texts)
        outside = ~replace(each, of=each.of[cells.codes]).covers(column.codes)
        outside |= _flag_other_values(tree, column)
        lost = int(column.records[outside].sum())
    except InputError:
        lost = int(column.records.sum())
    if lost:
        raise NotMetError(
            f"{count_of(lost, 'cell')} of {column.name!r} {'does' if lost == 1 else 'do'} not "
            "cover the original value"
        )


def _flag_other_values(tree: LabelTree, column: ShownColumn) -> Flags:
    """Flag pairs whose label is another value (no set) and names no node over their own value."""
    values = enumerate(tree.labels[0].tolist(), start=1)
    code = {label: code for code, label in values if read_members(label) is None}
    texts = column.cells.labels.to_list()
    value = np.array([0, *(code.get(text, 0) for text in texts)])[column.cells.codes]
    wrong: Flags = (value > 0) & (value != column.codes)
    for number in np.unique(column.cells.codes[wrong]).tolist():
        here = np.flatnonzero(wrong & (column.cells.codes == number))
        text = texts[number - 1]
        wrong[here] = ~_flag_codes_with_name(tree, text, code[text])[column.codes[here]]
    return wrong


def _flag_codes_with_name(tree: LabelTree, text: str, value: int) -> Flags:
    """Flag the codes a value may be shown for: its own, and those below nodes with its name."""
    found: Flags = np.arange(tree.maps.shape[1]) == value
    for nodes, labels in zip(tree.maps[1:], tree.labels[1:], strict=True):
        if labels[nodes[value] - 1] == text:
            found |= nodes == nodes[value]
    return found


def demand_coarse(tree: LabelTree, name: str, cells: NumberedCells, lowest: int) -> None:
    """Demand that no released cell is finer than the lowest level that may be shown.

    A cell must show a label of that level or a higher one, or begin and end where such labels do,
    by name or by value. An open end is never too fine.
    """
    if not lowest:
        return
    allowed = {label for labels in tree.labels[lowest:] for label in labels.tolist()}
    every = (node_reach(label, tree.leaves) for label in allowed)
    reach = [found for found in every if found is not None]
    firsts, lasts = {-inf, *(low for low, _ in reach)}, {inf, *(high for _, high in reach)}
    finer = 0
    for label in set(cells.labels.to_list()) - allowed:
        ends, said = read_bounds(label), reach_of(label, tree.leaves)
        named = ends is not None and ends.low in allowed and ends.high in allowed
        finer += not named and (said is None or said[0] not in firsts or said[1] not in lasts)
    if finer:
        verb = "is" if finer == 1 else "are"
        raise NotMetError(
            f"{count_of(finer, 'label')} of {name!r} {verb} finer than its lowest level allows"
        )


def demand_steady(column: ShownColumn) -> None:
    """Demand that equal values of a column show the same in every row."""
    cells, codes = column.cells, column.codes
    shown = np.unique(codes.astype(np.int64) * (len(cells.labels) + 1) + cells.codes)
    torn = len(shown) - len(np.unique(codes))
    _refuse_torn(torn, f"values of {column.name!r}")


def demand_represented(tree: LabelTree, column: ShownColumn) -> None:
    """Demand that cells show a value, or its node, of a record that shows the same `together`."""
    cells, crowd = column.cells, column.together
    each = tree.decode_all([None, *cells.labels.to_list()])
    domain = len(tree.leaves) + 1
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
            f"{count_of(strange, 'cell')} of {column.name!r} {verb} a value that no record of "
            "the class has"
        )


class _ShownLimits(Protocol):
    @property
    def highest(self) -> int | None:
        """The highest level that may be shown; None for no limit."""

    @property
    def widest(self) -> float | None:
        """The widest span in the column's own unit, days for dates; None for no limit."""


def demand_within(tree: LabelTree, name: str, cells: NumberedCells, limits: _ShownLimits) -> None:
    """Demand that, by its leaves, no cell is coarser than `highest` or spans more than `widest`."""
    if limits.highest is None and limits.widest is None:
        return
    shown = tree.decode_all(cells.labels.to_list())
    wide = sum(_exceeds_limits(tree, shown[i], limits) for i in range(len(shown)))
    if wide:
        raise NotMetError(
            f"{count_of(wide, 'label')} of {name!r} {'is' if wide == 1 else 'are'} coarser than "
            "the policy's limits allow",
            remedy=(
                "if the table holds a value that looks like a suppressed cell, such as '*', "
                "add it to the policy's missing_values, or replace it"
            ),
        )


def _exceeds_limits(tree: LabelTree, codes: Codes, limits: _ShownLimits) -> bool:
    """Whether a label of these leaves (ascending) is coarser than `highest` or over `widest`."""
    first, last = int(codes[0]), int(codes[-1])
    if limits.highest is not None:
        nodes = tree.maps[limits.highest]
        if nodes[first] != nodes[last]:
            return True
    if limits.widest is None or last == 0:
        return False
    place = tree.leaves.values[[max(first, 1) - 1, last - 1]]
    extent = place[1] - place[0]
    if place.dtype.kind == "M":
        extent = extent / np.timedelta64(1, "D")
    return bool(extent > limits.widest * (1 + 1e-12))


def demand_consistent(rows: CountedRows) -> None:
    """Demand that records with the same quasi-identifying values show the same."""
    before = number_rows(list(rows.codes.values()))
    after = number_rows([number_cells(column).codes for column in rows.cells.iter_columns()])
    torn = len(np.unique(pack((before, after)))) - len(np.unique(before))
    _refuse_torn(torn, "quasi-identifying values")


def _refuse_torn(surplus: int, equal: str) -> None:
    """Refuse a release with surplus labels; `equal` names the values that must show the same."""
    if surplus:
        labels = count_of(surplus, "label")
        raise NotMetError(f"{labels} too many: equal {equal} show different ones")


def demand_permuted(held: CountedRows, shown: CountedRows) -> None:
    """Demand that every class shows the sensitive rows it held, each as often, in any order."""
    if held.classes is None or shown.classes is None:
        raise NotMetError("the release does not show its classes")
    both = [
        number_cells(pl.concat([text_of(held.cells[name]), text_of(shown.cells[name])])).codes
        for name in held.cells.columns
    ]
    row = number_rows([np.concatenate([held.classes, shown.classes]).astype(np.int64), *both])
    records = np.concatenate([held.records, -shown.records])
    if np.bincount(row, weights=records).any():
        raise NotMetError("a class does not show the sensitive values of its records")


def people_by_code(rows: CountedRows, name: str, size: int) -> Counts:
    """Count the people who hold each code 0, 1, …, size - 1; who holds several counts for each."""
    rows = rows.split_records()
    codes = rows.codes[name].astype(np.int64)
    return people_by_value(codes, size, number_units(rows.unit), rows.records)


def demand_named_by_crowds(
    tree: LabelTree, name: str, cells: NumberedCells, people: Counts, k: int
) -> None:
    """Demand that k people (counted by leaf) hold every value or node that a set names."""
    labels = [label for label in cells.labels.to_list() if read_members(label) is not None]
    names = sorted(names_in_labels(labels))
    shown = tree.decode_all(names, frozenset(names))
    if few := sum(int(people[shown[i]].sum()) < k for i in range(len(names))):
        verb = "is" if few == 1 else "are"
        raise NotMetError(
            f"{count_of(few, 'name')} in sets of {name!r} {verb} held by fewer than {k:,} people; "
            "nothing was released"
        )


def demand_numbered_classes(name: str, rows: CountedRows) -> None:
    """Demand that the added column has one number for each class, and no number for two."""
    shown, classes = number_cells(rows.cells[name]).codes, rows.classes
    if classes is not None and shown.all():
        pairs = np.unique(np.stack([shown, classes.astype(np.int64)]), axis=1)
        if len(np.unique(shown)) == pairs.shape[1] == len(np.unique(classes)):
            return
    raise NotMetError(f"the column {name!r} does not number the classes correctly")


def crowds_by_number(classes: Any, records: Counts) -> Crowds:
    """Find the crowds of rows whose class is told by a number."""
    held, class_of = np.unique(classes, return_inverse=True)
    return Crowds(class_of.astype(np.int64), len(held), records, None, None)


def number_rows(columns: Sequence[Any]) -> Counts:
    """Number rows so that those that are equal in all columns share a number."""
    place: Counts = np.unique(pack(columns), return_inverse=True)[1]
    return place


@dataclass(frozen=True)
class CellJudge:
    """How the quasi-identifying cells of a transformation are judged."""

    demand: Callable[[Any, ShownColumn], None]
    """Refuses cells that say what they may not, given the column's hierarchy."""
    together: bool = False
    """Whether it looks at what records show in all quasi-identifying columns together."""


CELL_JUDGES: dict[str, CellJudge] = {
    "spans": CellJudge(demand_covering),
    "sets": CellJudge(demand_covering),
    "representatives": CellJudge(demand_represented, together=True),
}
"""By the transformation's name. One whose quasi-identifiers are exact has none: cells are compared
as `demand_unchanged` says. Cells of a transformation without a judge are never released."""


def cell_judge(show: str) -> CellJudge:
    """The judge of the cells that `show` asks for; `NotMetError` if there is none."""
    if show not in CELL_JUDGES:
        raise NotMetError(
            f'incrowd cannot verify cells of show = "{show}", so nothing was released',
            remedy=f"set show to one of {', '.join(CELL_JUDGES)}",
        )
    return CELL_JUDGES[show]
