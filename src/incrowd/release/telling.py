"""Columns that leave as they are and tell records apart.

A bill of 48820.13 is as good as a name to whoever wrote it. No model of quasi-identifiers sees it,
so that the release and its certificate name such columns.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from incrowd.errors import InputError, boundary
from incrowd.policy.policy import Policy

MOST = 0.5
"""From this share of distinct values on a column tells most records apart."""
_RECORDS = 20
"""In fewer records every column tells most of them apart."""


def distinct_shares(rows: pl.DataFrame, policy: Policy) -> dict[str, float]:
    """Of each column whose values leave as they are: distinct values over cells with a value."""
    names = (*policy.sensitive, *policy.kept, *filter(None, [policy.weight]))
    able = [name for name in policy.columns if name in names and _comparable(rows[name].dtype)]
    with boundary(InputError("the cells that leave cannot be counted", remedy="use plain cells")):
        return {name: round(_share(rows[name].drop_nulls()), 4) for name in able}


def telling(shares: Mapping[str, float], records: int) -> tuple[str, ...]:
    """The columns that tell most of so many records apart."""
    if records < _RECORDS:
        return ()
    return tuple(name for name, share in shares.items() if share >= MOST)


def cautions(shares: Mapping[str, float], records: int) -> Iterator[str]:
    """What a certificate says of these columns."""
    for name in telling(shares, records):
        yield (
            f"Nobody is assumed to know a value of {name} of a person: {shares[name]:.4g} of its "
            "values are distinct, and whoever knows one finds the record."
        )


def sentences(shares: Mapping[str, float], records: int) -> Iterator[str]:
    """What a reader of a release should know of these columns, and what would mend it.

    >>> list(sentences({"bill": 0.98, "ward": 0.01}, 1000))[0][:64]
    "'bill' leaves unchanged and 0.98 of its values are distinct: who"
    """
    for name in telling(shares, records):
        yield (
            f"'{name}' leaves unchanged and {shares[name]:.4g} of its values are distinct: "
            "whoever knows one from elsewhere finds the record; make it quasi-identifying, "
            "round it, or drop it"
        )


def _comparable(dtype: pl.DataType) -> bool:
    return not dtype.is_nested() and dtype != pl.Object


def _share(cells: pl.Series) -> float:
    return cells.n_unique() / len(cells) if len(cells) else 0.0
