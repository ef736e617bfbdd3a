"""What a release guarantees and what it does not, in sentences."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

import polars as pl

from incrowd.errors import whole_percent
from incrowd.models.model import counts_world_people
from incrowd.policy.policy import Policy
from incrowd.table.cells import hash_cells, text_of
from incrowd.table.column import Missing
from incrowd.table.counted import CountedRows

_MISSING = {
    Missing.OWN_VALUE: "A missing quasi-identifying value is a value like any other: "
    "it is equal to missing values only.",
    Missing.MATCHES_ANYTHING: "A missing quasi-identifying value could be any value: "
    "a class is judged together with all classes that it could be.",
    Missing.SUPPRESS: "Records with a missing quasi-identifying value were left out.",
}
Order = Literal["system", "given", "kept"]
"""Where the order of records comes from: the system's randomness, a given seed, the table."""
_ORDERS: Mapping[Order, str] = {
    "kept": "The order of records is that of the table: "
    "it links this release to others of the same table.",
    "given": "The order of records comes from a seed that was given: whoever knows or guesses the "
    "seed can undo it.",
    "system": "The order of records was drawn at random; the draw is not written anywhere.",
}
_DRAWN = (
    "all orders being equally likely",
    "by a seed that was given: whoever knows or guesses it can undo it",
)


def assumptions(policy: Policy, order: Order, *, seeded: bool) -> Iterator[str]:
    """Yield the sentences of a certificate: what a release of this policy promises, and what not.

    `seeded` says that a seed was given, so that whoever has it can repeat what was drawn.
    """
    yield (
        "Nobody is assumed to know other columns about a person than the declared "
        f"quasi-identifiers: {', '.join(policy.quasi)}."
    )
    shown, told = policy.shown, policy.class_column is not None
    yield from shown.assumptions(policy.sensitive, _DRAWN[seeded], told=told)
    if not shown.exact or policy.missing is Missing.SUPPRESS:
        yield _MISSING[policy.missing]
    yield _class_count_sentence(policy)
    if shown.cells_assumption:
        yield shown.cells_assumption
    named = [model.name for model in policy.models if counts_world_people(model)]
    yield from _end_sentences(policy, named)
    if named:
        yield (
            f"What {' and '.join(named)} {'reach' if len(named) > 1 else 'reaches'} was counted in "
            "the world that this certificate names; whoever holds another world may find fewer "
            "people in it."
        )
    models = sorted(policy.models, key=lambda model: "reference" not in model.requires)
    yield from dict.fromkeys(said for model in models for said in model.assumptions())
    yield _ORDERS[order]
    yield from _unprotected_sentences(policy)
    yield "Other releases of the same people were not considered: together they may reveal more."


def _end_sentences(policy: Policy, named: Sequence[str]) -> Iterator[str]:
    """Yield what labels' ends and representatives reveal; `named` are the models of a world."""
    if policy.shown.ends_assumption:
        yield policy.shown.ends_assumption
    elif policy.ends == "exact" and not policy.shown.exact:
        yield (
            "Spans end on exact values of people in the class, and sets name exact values: whoever "
            "knows that only one person has such a value learns that this person is in the table. "
            'With ends = "aligned" sets name nothing that fewer people hold than a class must '
            "have, and spans end on cells with as many."
        )
        if named:
            yield (
                f"What was counted for {' and '.join(named)} takes no account of that: everybody "
                "counts whom a label may stand for, also where only one of them can be at its end."
            )


def _class_count_sentence(policy: Policy) -> str:
    """Say whether classes count records or different people."""
    if policy.unit is None:
        return "Classes count records: every record is taken to be another person."
    return (
        f"Classes count different people by the column {policy.unit}, which does not leave; "
        "people cannot be counted again from the release alone."
    )


def _unprotected_sentences(policy: Policy) -> Iterator[str]:
    """Yield sentences on pseudonyms, kept columns and columns that no model judges."""
    pseudonyms = [name for name in policy.identifiers if policy.columns[name].action != "drop"]
    if pseudonyms:
        yield (
            f"Pseudonyms ({', '.join(pseudonyms)}) link all releases made with the same key; "
            "whoever has the key can find a person by name."
        )
    kept = policy.kept + ((policy.weight,) if policy.weight else ())
    if kept:
        yield f"Columns that leave as they are were taken to identify nobody: {', '.join(kept)}."
    if bare := [name for name in policy.sensitive if name not in policy.judged]:
        yield f"No model limits what a class reveals about {', '.join(bare)}."


MOST = 0.5
"""From this share of distinct values on a column tells most records apart."""
_RECORDS = 20
"""In fewer records every column tells most of them apart."""


def distinct_shares(
    values: Callable[[str], Iterable[CountedRows]],
    policy: Policy,
    sealed: Collection[str],
    *,
    spelled: bool = False,
) -> dict[str, float]:
    """By column whose values leave as they are: distinct values over cells with a value, rounded.

    `values` yields the distinct cells of a column in batches, each cell in one of them, missing
    ones null; those of `sealed` columns (lists and structures) are not compared. `spelled` tells
    two spellings of one number apart, as certificates of earlier versions do.
    """
    names = (*policy.sensitive, *policy.kept_or_weight)
    able = [name for name in policy.columns if name in names and name not in sealed]
    share = _spelled_share if spelled else _distinct_share
    return {name: round(share(values(name), name), 4) for name in able}


def mostly_distinct_columns(shares: Mapping[str, float], records: int) -> tuple[str, ...]:
    """The columns with a share of distinct values of `MOST` or more; none below 20 records."""
    if records < _RECORDS:
        return ()
    return tuple(name for name, share in shares.items() if share >= MOST)


def cautions(shares: Mapping[str, float], records: int) -> Iterator[str]:
    """Yield a sentence of a certificate on each column whose values are mostly distinct."""
    for name in mostly_distinct_columns(shares, records):
        yield (
            f"Nobody is assumed to know a value of {name} of a person: "
            f"{distinct_phrase(shares[name])}, and whoever knows one finds the record."
        )


def telling_notes(shares: Mapping[str, float], records: int) -> Iterator[str]:
    """Yield a note on each column whose values are mostly distinct, and what to do about it.

    >>> list(telling_notes({"bill": 0.98, "ward": 0.01}, 1000))[0][:68]
    "'bill' leaves unchanged and 98 % of its values are distinct: whoever"
    """
    for name in mostly_distinct_columns(shares, records):
        yield (
            f"'{name}' leaves unchanged and {distinct_phrase(shares[name])}: "
            "whoever knows one from elsewhere finds the record; make it quasi-identifying, "
            "round it, or drop it"
        )


def distinct_phrase(share: float) -> str:
    """A phrase that says how many of a column's values are distinct.

    >>> distinct_phrase(1.0), distinct_phrase(0.9996)
    ('all of its values are distinct', 'over 99 % of its values are distinct')
    """
    many = "all" if share == 1 else whole_percent(share)
    return f"{many} of its values are distinct"


def _distinct_share(batches: Iterable[CountedRows], name: str) -> float:
    """Distinct values over cells with a value, `1` and `1.0` counted as one; 0 without values."""
    keys: list[pl.Series] = []
    cells = 0
    for rows in batches:
        said = hash_cells(rows.cells[name])
        cells += int(rows.records[said.is_not_null().to_numpy()].sum())
        keys.append(said.drop_nulls().unique())
    return pl.concat(keys).n_unique() / cells if cells else 0.0


def _spelled_share(batches: Iterable[CountedRows], name: str) -> float:
    """Distinct values over cells with a value, `1` and `1.0` counted as two; 0 without values."""
    distinct = cells = 0
    for rows in batches:
        held = rows.cells[name]
        cells += int(rows.records[held.is_not_null().to_numpy()].sum())
        values = held.drop_nulls()
        distinct += (text_of(values) if values.dtype.is_float() else values).n_unique()
    return distinct / cells if cells else 0.0
