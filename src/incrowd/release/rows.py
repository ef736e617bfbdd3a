"""Plan the rows of a release from what a search found."""

import hashlib
import hmac
from collections.abc import Iterable, Sequence

import numpy as np

from incrowd.arrays import Texts
from incrowd.engines.base import Can, RowPlan
from incrowd.errors import PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import node_reach
from incrowd.policy.compile import Quasi
from incrowd.policy.policy import Policy
from incrowd.recoding import Outcome
from incrowd.recoding.column_cells import ByClass, ByValue, Cell, ClassNumber, Keep
from incrowd.release.load import LoadedTable, RunContext
from incrowd.search.search import Found
from incrowd.table.column import Domain, Kind, Missing
from incrowd.verify.spellings import end_names

SHORTEST_KEY = 16
"""Shortest key, in bytes."""
DIGITS = 32
"""Hexadecimal digits of a pseudonym: 128 bits."""


def check_key(key: bytes | None) -> bytes:
    """Return the key; `PolicyError` if it is missing, not bytes or shorter than `SHORTEST_KEY`."""
    if key is None:
        raise PolicyError(
            "pseudonyms need a secret key",
            remedy="give a key file, or set the environment variable INCROWD_KEY",
        )
    if not isinstance(key, bytes):
        raise PolicyError("the key for pseudonyms must be bytes", remedy="encode it")
    if len(key) < SHORTEST_KEY:
        raise PolicyError(
            f"the key for pseudonyms is too short: {len(key)} bytes",
            remedy=f"use at least {SHORTEST_KEY} random bytes",
        )
    return key


def make_pseudonyms(column: str, texts: Iterable[str | None], key: bytes) -> list[str | None]:
    """Make keyed pseudonyms of the cells of a column; a missing cell stays missing.

    >>> make_pseudonyms("name", ["Ann", None], b"0123456789abcdef")
    ['dd8b687d3c6178df60e63e0ffd37306a', None]
    """
    domain = hmac.new(check_key(key), digestmod=hashlib.sha256)
    name = column.encode()
    domain.update(len(name).to_bytes(8, "big") + name)

    def pseudonym(text: str) -> str:
        code = domain.copy()
        code.update(text.encode())
        return code.hexdigest()[:DIGITS]

    return [None if text is None else pseudonym(text) for text in texts]


def columns_to_split(quasi: Quasi, names: Iterable[str]) -> tuple[str, ...]:
    """The ordered columns of numbers or dates, to leave as two; `PolicyError` for a taken name."""
    found = tuple(
        name
        for name, (_, hierarchy) in quasi.items()
        if hierarchy.ordered and hierarchy.leaves.kind is not Kind.TEXT
    )
    taken = {end for name in found for end in end_names(name)} & set(names)
    if taken:
        raise PolicyError(
            f"split_ends cannot add the column {min(taken)!r}: the table has one of that name",
            remedy="rename it, or remove split_ends",
        )
    return found


def end_values(hierarchy: Hierarchy, labels: Texts) -> tuple[Texts, Texts]:
    """Return the smallest and the largest value of each label; None where it has no such end."""
    known = {label: _end_values_of_label(hierarchy, label) for label in set(labels.tolist())}
    ends = np.empty((2, len(labels)), dtype=object)
    for i, label in enumerate(labels.tolist()):
        ends[:, i] = known[label]
    return ends[0], ends[1]


def _end_values_of_label(hierarchy: Hierarchy, label: str | None) -> Sequence[object]:
    """The smallest and largest value of a label: None if open, twice None if it shows nothing."""
    if label is None or label == hierarchy.labels[-1][0]:
        return None, None
    reach = node_reach(label, hierarchy.leaves)
    if reach is None:
        codes = hierarchy.decode(label)
        place = hierarchy.leaves.positions[codes[codes > 0] - 1]
        reach = float(place[0]), float(place[-1])
    return [_value_at(place, hierarchy.leaves) for place in reach]


def _value_at(place: float, domain: Domain) -> object:
    """The value at a position of a column's scale; None if it is infinite."""
    if not np.isfinite(place):
        return None
    if domain.kind is Kind.DATE:
        daily = domain.values.dtype == np.dtype("datetime64[D]")
        moment = np.datetime64(int(place), "us")
        return (moment.astype("datetime64[D]") if daily else moment).item()
    return int(place) if domain.values.dtype.kind == "i" else place


def plan_rows(table: LoadedTable, found: Found, outcome: Outcome, context: RunContext) -> RowPlan:
    """Plan what each record shows if the found recoding is released.

    `PolicyError` if the engine has no order to keep, the key is missing or too short, or the table
    has a column that is to be added.
    """
    policy = table.policy
    if policy.order == "keep" and Can.ORDER not in table.engine.can:
        raise PolicyError(
            f"the rows of a table in {table.engine.name} have no order to keep",
            remedy='set order = "shuffle", or read the table into memory',
        )
    columns = {name: column for name, (column, _) in table.quasi.items()}
    changed = policy.shown.cells(outcome, columns, policy.sensitive)
    changed |= _pseudonym_cells(table, context)
    names = [name for name in table.engine.names if name not in dropped_columns(policy)]
    cells: dict[str, Cell] = {name: changed.get(name, Keep()) for name in names}
    if policy.class_column is not None:
        cells[policy.class_column] = ClassNumber()
    if policy.split_ends:
        cells = _split_ends(table, cells)
    return RowPlan(
        coded=table.coded_columns,
        quasi=len(policy.quasi),
        tally=table.compiled.problem.tally,
        pieces=found.recoding.pieces,
        cells=cells,
        complete=policy.missing is Missing.SUPPRESS,
        keep_order=policy.order == "keep",
        unit=table.unit,
        steady=found.recoding.kind == "cuts",
    )


def dropped_columns(policy: Policy) -> tuple[str, ...]:
    """The columns that do not leave: those dropped, identifiers without a pseudonym, the unit."""
    named = tuple(name for name in policy.identifiers if policy.columns[name].action == "drop")
    return (*policy.dropped, *named, *((policy.unit,) if policy.unit else ()))


def leaving_names(
    policy: Policy, names: Iterable[str], split: Iterable[str] = ()
) -> tuple[str, ...]:
    """The columns that leave: `names` less dropped and split ones, then class column and ends."""
    split = tuple(split)
    gone = {*dropped_columns(policy), *split}
    added = () if policy.class_column is None else (policy.class_column,)
    ends = (end for name in split for end in end_names(name))
    return (*(name for name in names if name not in gone), *added, *ends)


def pseudonymous_columns(policy: Policy) -> tuple[str, ...]:
    """The identifiers that leave as pseudonyms."""
    return tuple(name for name in policy.identifiers if policy.columns[name].action != "drop")


def unchanged_columns(policy: Policy) -> tuple[str, ...]:
    """Columns that leave as they are: kept, weight, sensitive (but quasi if `show` permutes)."""
    changing = policy.sensitive if policy.shown.exact else policy.quasi
    gone = {*dropped_columns(policy), *pseudonymous_columns(policy), *changing}
    return tuple(name for name in policy.columns if name not in gone)


def _pseudonym_cells(table: LoadedTable, context: RunContext) -> dict[str, Cell]:
    """Make the cells of identifiers that leave as pseudonyms, by column."""
    cells: dict[str, Cell] = {}
    for name in pseudonymous_columns(table.policy):
        column = table.engine.text_codes(name, table.policy.marks.marks_of_column(name))
        shown = make_pseudonyms(name, column.domain.labels.tolist(), check_key(context.key))
        cells[name] = ByValue(column, np.array([None, *shown], dtype=object))
    return cells


def _split_ends(table: LoadedTable, cells: dict[str, Cell]) -> dict[str, Cell]:
    """Replace columns of `cells` that show spans of numbers or dates by two of ends; return it."""
    spans = {
        name: pair
        for name, pair in table.quasi.items()
        if not (isinstance(cell := cells[name], ByClass) and cell.original)
    }
    for name in columns_to_split(spans, table.engine.names):
        cell = cells.pop(name)
        assert isinstance(cell, ByClass)  # noqa: S101  what is split shows a label by class
        ends = end_values(table.quasi[name][1], cell.labels)
        cells |= {
            title: ByClass(values, typed=True)
            for title, values in zip(end_names(name), ends, strict=True)
        }
    return cells
