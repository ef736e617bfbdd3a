"""Columns that leave as they are and tell records apart.

A bill of 48820.13 is as good as a name to whoever wrote it. No model of quasi-identifiers sees it,
so that the release and its certificate name such columns.
"""

from collections.abc import Callable, Collection, Iterator, Mapping

from incrowd.policy.policy import Policy
from incrowd.table.counted import CountedRows

MOST = 0.5
"""From this share of distinct values on a column tells most records apart."""
_RECORDS = 20
"""In fewer records every column tells most of them apart."""


def distinct_shares(
    counts: Callable[[str], CountedRows], policy: Policy, sealed: Collection[str]
) -> dict[str, float]:
    """Of each column whose values leave as they are: distinct values over cells with a value.

    `counts` tells the distinct cells of a column, missing ones null; those of `sealed` columns
    (lists and structures) are not compared.
    """
    names = (*policy.sensitive, *policy.kept, *filter(None, [policy.weight]))
    able = [name for name in policy.columns if name in names and name not in sealed]
    return {name: round(_share(counts(name), name), 4) for name in able}


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


def _share(rows: CountedRows, name: str) -> float:
    there = rows.cells[name].is_not_null().to_numpy()
    cells = int(rows.records[there].sum())
    return rows.cells[name].drop_nulls().n_unique() / cells if cells else 0.0
