"""Columns that identify in company: what a draft says of its quasi-identifying columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from incrowd.identify.measures import all_ratios
from incrowd.identify.records import Records
from incrowd.identify.sampling import sampled_rows
from incrowd.policy.draft import Draft
from incrowd.table.column import CodedColumn
from incrowd.watch import Watch

_COLUMNS = 20
_ROWS = 20_000
_SIZE = 3
_SECONDS = 2.0
_MANY = 0.5
_SOME = 0.05

Shares = Mapping[frozenset[str], float]
"""The share of records that each set of columns leaves alone in their class."""


def in_company(draft: Draft, columns: Sequence[CodedColumn]) -> Draft:
    """The draft with, for each quasi-identifying column, the company in which it identifies.

    Sets of at most three columns are looked at, for two seconds, in a sample of a large table.
    """
    known = [column for column in columns if column.name in draft.policy.quasi][:_COLUMNS]
    if not known or not len(known[0].codes):
        return draft
    records = Records(
        tuple(column.name for column in known),
        np.stack([column.codes for column in known]),
        np.ones(len(known[0].codes), dtype=np.int64),
    )
    drawn = sampled_rows(records, _ROWS, np.random.default_rng(0))
    shares = {
        frozenset(records.names[j] for j in places): found.unique_ratio
        for places, found in all_ratios(drawn, _SIZE, Watch(_SECONDS))
    }
    of = f" of {drawn.total:,} drawn" if drawn.total < records.total else ""
    said = {name: sentence(name, shares, of) for name in records.names}
    reasons = {
        name: f"{reason}; {said[name]}" if said.get(name) else reason
        for name, reason in draft.reasons.items()
    }
    return replace(draft, reasons=reasons)


def sentence(name: str, shares: Shares, of: str = "") -> str:
    """The smallest company in which a column tells many records apart; nothing if few.

    >>> pair = frozenset({"age", "zip"})
    >>> sentence("age", {frozenset({"age"}): 0.01, frozenset({"zip"}): 0.1, pair: 0.87})
    'with zip it tells 0.87 of the records apart'
    """
    adding = {
        one: share
        for one, share in shares.items()
        if name in one and share >= shares.get(one - {name}, 0.0) + _SOME
    }
    if not adding:
        return ""
    many = [one for one, share in adding.items() if share >= _MANY]
    fewest = min(map(len, many), default=0)
    able = [one for one in many if len(one) == fewest] or list(adding)
    chosen = max(able, key=lambda one: (adding[one], sorted(one)))
    others = " and ".join(sorted(chosen - {name}))
    company = f"with {others}" if others else "alone"
    return f"{company} it tells {adding[chosen]:.2f} of the records{of} apart"
