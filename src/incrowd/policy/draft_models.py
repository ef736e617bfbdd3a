"""Models of a drafted policy: only those that the table can hold."""

from collections.abc import Mapping, Sequence

from incrowd.errors import whole_percent
from incrowd.models import AnyModel, KAnonymity, LDiversity
from incrowd.pii.profile import ColumnProfile

K = 5
_L = 2
_CLASS = 2 * K
"""Records of the classes that a release can afford."""
_FAILING = 0.15
"""The share of such classes that may lack a second value, of all columns together."""
_MOST = 5
"""Columns with a model: with each further one classes grow, and a release loses detail."""
FULL = "no model, because each further 2-diverse column makes classes larger"
"""Why a column gets no model though it alone could have one."""


def choose_models(
    sensitive: Sequence[ColumnProfile], harms: Mapping[str, float], people: int | None, k: int = K
) -> tuple[tuple[AnyModel, ...], dict[str, str]]:
    """Choose k-anonymity and l-diversity of sensitive columns, the most harmful first.

    Returns the models and, by column without one, the reason. A class of n records shows
    one value for all of them with a chance of p to the power of n, where p is the share of the most
    common value. Columns are taken until there are five, or classes of 10 would fail too often.
    `people` are the people of the table, if they have several records.
    """
    left, asked, unasked = _FAILING, dict[str, LDiversity](), dict[str, str]()
    for column in sorted(
        sensitive, key=lambda one: (-harms.get(one.name, 0.0), _largest_share(one))
    ):
        fails = _largest_share(column) ** _CLASS
        if fails > left or len(asked) == _MOST:
            unasked[column.name] = _reason_for_none(column)
            continue
        left -= fails
        asked[column.name] = _make_diversity(column, people)
    order = [asked[column.name] for column in sensitive if column.name in asked]
    return (KAnonymity(k), *order), unasked


def _largest_share(column: ColumnProfile) -> float:
    """The share of the most common value, missing counted as one; 1.0 without records."""
    return column.largest / column.records if column.records else 1.0


def _make_diversity(column: ColumnProfile, people: int | None) -> LDiversity:
    """Make l-diversity of a kind the table can satisfy: frequency, else distinct values."""
    whole = column.records if people is None else min(people, column.records)
    kind = "frequency" if column.largest * _L <= whole else "distinct"
    return LDiversity(column.name, _L, kind=kind)  # type: ignore[arg-type]  # two of its kinds


def _reason_for_none(column: ColumnProfile) -> str:
    """Say why a sensitive column gets no model."""
    top = _largest_share(column)
    size = round(1 / (1 - top)) if top < 1 else column.records
    share = whole_percent(top)
    if size > _CLASS:
        return (
            f"no model: {share} hold one value, so 2-diversity needs classes of {size:,} records "
            'and more; drop the column, or take role = "quasi" to hide it in its class'
        )
    return FULL
