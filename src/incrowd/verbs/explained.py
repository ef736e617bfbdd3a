"""Why a column identifies, with its suggested hierarchy."""

import numpy as np

from incrowd.hierarchy import Suggested
from incrowd.identify.answers import Asked
from incrowd.identify.explain import adds, coarsened, partners
from incrowd.identify.measures import folded
from incrowd.identify.outcome import Coarser, ColumnSet, Explanation
from incrowd.identify.records import Records
from incrowd.table.encode import align
from incrowd.verbs.source import Held
from incrowd.watch import Watch

_PARTNERS = 3


def explained(  # noqa: PLR0913, PLR0917  a column, and what is known so far
    table: Held,
    rows: Records,
    name: str,
    asked: Asked,
    known: tuple[tuple[ColumnSet, ...], ColumnSet | None],
    watch: Watch,
) -> Explanation:
    """What a column adds, whom it needs to reach the ratio, what coarser values would change."""
    (column,) = rows.places([name])
    added = adds(rows, column)
    most = min(_PARTNERS, (asked.max_size or _PARTNERS + 1) - 1)
    needs = partners(rows, column, asked.measure, asked.ratio, max_size=most, watch=watch)
    among = _among(name, known)
    return Explanation(
        column=name,
        alone=added.alone,
        without=added.without,
        together=added.together,
        partners=tuple(tuple(rows.names[j] for j in one) for one in needs.sets),
        complete=needs.complete,
        among=among,
        coarser=_coarser(table, name, among),
    )


def _among(name: str, known: tuple[tuple[ColumnSet, ...], ColumnSet | None]) -> tuple[str, ...]:
    """The smallest set that the column is in; else the smallest of all, with it; else it alone."""
    sets, minimum = known
    for one in sets:
        if name in one.columns:
            return one.columns
    others = () if minimum is None else minimum.columns
    return tuple(dict.fromkeys((*others, name)))


def _coarser(table: Held, name: str, among: tuple[str, ...]) -> tuple[Coarser, ...]:
    """The set at each level of the hierarchy that would be suggested for the column."""
    coded = table.engine.codes(among)
    hierarchy = Suggested().build(coded[name].domain, name)
    coded[name] = align(coded[name], hierarchy.leaves)
    codes = np.stack([coded[one].codes for one in among])
    records = Records(among, codes, np.ones(codes.shape[1], dtype=np.int64))
    (column,) = records.places([name])
    levels = coarsened(folded(records), range(len(among)), column, hierarchy.maps)
    return tuple(Coarser(one.level, one.values, one.ratios) for one in levels)
