"""From what a search found to what becomes of each record."""

from collections.abc import Iterable

import numpy as np

from incrowd.arrays import Texts
from incrowd.engines.base import RowPlan
from incrowd.policy.policy import Policy
from incrowd.recoding import Outcome
from incrowd.recoding.column_cells import ByClass, ByValue, Cell, ClassNumber, Keep, Within
from incrowd.release.load import LoadedTable, RunContext
from incrowd.release.pseudonym import check_key, pseudonyms
from incrowd.release.representatives import representatives
from incrowd.release.split import ends_of, splitting
from incrowd.search.search import Found
from incrowd.table.roles import Missing
from incrowd.verify.ends import end_names


def plan_rows(table: LoadedTable, found: Found, outcome: Outcome, context: RunContext) -> RowPlan:
    """What becomes of each record if what was found is released."""
    policy = table.policy
    changed = _shown(table, outcome) | _pseudonyms(table, context)
    names = [name for name in table.engine.names if name not in dropped(policy)]
    cells: dict[str, Cell] = {name: changed.get(name, Keep()) for name in names}
    if policy.class_column is not None:
        cells[policy.class_column] = ClassNumber()
    if policy.split_ends:
        cells = _split(table, cells)
    return RowPlan(
        coded=table.coded,
        quasi=len(policy.quasi),
        tally=table.compiled.problem.tally,
        pieces=found.recoding.pieces,
        cells=cells,
        complete=policy.missing is Missing.SUPPRESS,
        keep_order=policy.order == "keep",
        unit=table.unit,
        steady=found.recoding.kind == "cuts",
    )


def dropped(policy: Policy) -> tuple[str, ...]:
    """The columns that do not leave: those dropped, identifiers without a pseudonym, the unit."""
    named = tuple(name for name in policy.identifiers if policy.columns[name].action == "drop")
    return (*policy.dropped, *named, *((policy.unit,) if policy.unit else ()))


def leaving_names(
    policy: Policy, names: Iterable[str], split: Iterable[str] = ()
) -> tuple[str, ...]:
    """The columns that leave, in the order of the table, and then those that are added."""
    split = tuple(split)
    gone = {*dropped(policy), *split}
    added = () if policy.class_column is None else (policy.class_column,)
    ends = (end for name in split for end in end_names(name))
    return (*(name for name in names if name not in gone), *added, *ends)


def pseudonymous(policy: Policy) -> tuple[str, ...]:
    """The identifiers that leave as pseudonyms."""
    return tuple(name for name in policy.identifiers if policy.columns[name].action != "drop")


def unchanging(policy: Policy) -> tuple[str, ...]:
    """The columns that leave as they are."""
    changing = policy.sensitive if policy.show == "permutation" else policy.quasi
    gone = {*dropped(policy), *pseudonymous(policy), *changing}
    return tuple(name for name in policy.columns if name not in gone)


def _shown(table: LoadedTable, outcome: Outcome) -> dict[str, Cell]:
    if table.policy.show == "permutation":
        return dict.fromkeys(table.policy.sensitive, Within())
    if table.policy.show == "representatives":
        return {**representatives(outcome, {name: c for name, (c, _) in table.quasi.items()})}
    return {**shown_by_class(outcome)}


def shown_by_class(outcome: Outcome) -> dict[str, ByClass]:
    """What the classes show of each quasi-identifying column."""
    return {column.name: _cell(outcome, j) for j, column in enumerate(outcome.columns)}


def _cell(outcome: Outcome, j: int) -> ByClass:
    column = outcome.columns[j]
    hierarchy = column.hierarchy
    if (sets := outcome.sets.get(j)) is not None:
        labels = hierarchy.show_sets(sets.start, sets.code)
        return ByClass(labels, original=bool((sets.sizes == 1).all()))
    low, high, level = outcome.low[j], outcome.high[j], outcome.level[j]
    missing = (high == 0) & (level < hierarchy.height)
    labels = hierarchy.show(low, high, level, outcome.spans, lowest=column.lowest, grid=column.grid)
    # A cell of the grid may hide even a single value: it is exact only if its label says the value.
    values = np.concatenate([np.array([None], dtype=object), hierarchy.labels[0]])
    exact = ((level == 0) & (low == high) & (labels == values[low])) | missing
    return ByClass(labels, original=bool(exact.all()))


def _pseudonyms(table: LoadedTable, context: RunContext) -> dict[str, Cell]:
    policy = table.policy
    return {
        name: ByValue(column, _pseudonyms_of(column.domain.labels, name, context))
        for name in pseudonymous(policy)
        for column in [table.engine.texts(name, policy.missing_values)]
    }


def _pseudonyms_of(texts: Texts, name: str, context: RunContext) -> Texts:
    found = pseudonyms(name, texts.tolist(), check_key(context.key))
    return np.array([None, *found], dtype=object)


def _split(table: LoadedTable, cells: dict[str, Cell]) -> dict[str, Cell]:
    """The cells with two columns of ends in place of each column of labels of numbers or dates."""
    spans = {
        name: pair
        for name, pair in table.quasi.items()
        if not (isinstance(cell := cells[name], ByClass) and cell.original)
    }
    for name in splitting(spans, table.engine.names):
        cell = cells.pop(name)
        assert isinstance(cell, ByClass)  # noqa: S101  what is split shows a label by class
        ends = ends_of(table.quasi[name][1], cell.labels)
        cells |= {
            title: ByClass(values, typed=True)
            for title, values in zip(end_names(name), ends, strict=True)
        }
    return cells
