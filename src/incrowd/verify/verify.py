"""Verification of the rows that leave, by code that shares nothing with the search.

It groups the released cells as text and counts; it imports no kernel, class, recoding, loss, model
or search. What it cannot verify it refuses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import polars as pl

from incrowd.arrays import MISSING, Codes, Counts, Texts
from incrowd.errors import NotMetError
from incrowd.table.column import CodedColumn
from incrowd.table.roles import Missing
from incrowd.verify.candidates import Candidates, PublicTable
from incrowd.verify.cells import text_of
from incrowd.verify.crowds import Cells, Crowds, crowds_of, numbered
from incrowd.verify.judges import Evidence, Values, judge, written
from incrowd.verify.verdict import Verdict

_OF_A_WORLD = {"k-map", "delta-presence"}
"""Models that count the people of a world."""


@dataclass(frozen=True, eq=False)
class Reference:
    """How a sensitive column was spread over the people of the table as it was read.

    Values stand at positions 1, 2, … in the column's own order; position 0 is the missing.
    """

    place: Mapping[str, int]
    """The position of each text of the column; two texts of one number share theirs."""
    people: Counts
    """People per position."""
    maps: Codes | None = None
    """`maps[level, position]` is the node of that position, if the column has a hierarchy."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Reference({len(self.place)} values)"

    @classmethod
    def read(
        cls, column: pl.Series, coded: CodedColumn, unit: Codes | None, maps: Codes | None = None
    ) -> "Reference":
        """The reference of a column of the table: each row's value at its position, people counted.

        `unit` says whose row each is, as `look` has it.
        """
        cells = numbered(column)
        codes = coded.codes
        first = np.zeros(len(cells.labels) + 1, dtype=np.int64)
        first[cells.codes[::-1]] = np.arange(len(codes), dtype=np.int64)[::-1]
        place = dict(zip(cells.labels.to_list(), codes[first[1:]].tolist(), strict=True))
        owner = None if unit is None else _alone(unit)
        people = _spread(codes.astype(np.int64), len(coded.domain), owner)
        return cls(place, people, maps)

    def places(self, labels: Sequence[str]) -> Counts:
        """The positions of these labels; `NotMetError` if one is not of the table."""
        strange = sum(label not in self.place for label in labels)
        if strange:
            raise NotMetError(f"{strange} sensitive values of the release are not of the table")
        return np.array([self.place[label] for label in labels], dtype=np.int64)


class _Policy(Protocol):
    @property
    def quasi(self) -> tuple[str, ...]: ...
    @property
    def models(self) -> Sequence[Any]: ...
    @property
    def missing(self) -> Missing: ...


class _Limit(Protocol):
    @property
    def missing(self) -> Missing: ...
    @property
    def suppression(self) -> float: ...


@dataclass(frozen=True, eq=False)
class Seen:
    """Rows as somebody sees them who holds the release."""

    rows: pl.DataFrame
    """With every missing cell null."""
    quasi: Mapping[str, Cells]
    """The cells of the quasi-identifying columns."""
    crowds: Crowds

    def __repr__(self) -> str:
        """Without values."""
        return f"Seen({len(self.rows)} rows, {self.crowds.number} classes)"


def look(rows: pl.DataFrame, policy: _Policy, people: Codes | None = None) -> Seen:
    """Who stands with whom in these rows, by the policy's quasi-identifying columns.

    `people` says whose row each is (0: of somebody who has no other), if one person may have
    several.
    """
    if not len(rows):
        raise NotMetError(
            "no record is left in the release, and an empty table is not published",
            remedy="ask for less of the models",
        )
    if people is not None and len(people) != len(rows):
        raise NotMetError("the people of the release cannot be told apart row by row")
    quasi = {name: numbered(rows[name]) for name in policy.quasi}
    columns = [cells.codes for cells in quasi.values()] or [np.zeros(len(rows), dtype=np.int64)]
    unit = None if people is None else _alone(people)
    anything = policy.missing is Missing.MATCHES_ANYTHING
    return Seen(rows, quasi, crowds_of(columns, unit, anything=anything))


def verify(
    seen: Seen,
    policy: _Policy,
    reference: Mapping[str, Reference] | None = None,
    world: PublicTable | None = None,
    drawn: int | None = None,
) -> tuple[Verdict, ...]:
    """What every model of a policy finds in the rows that leave.

    `reference` says how the sensitive columns were spread in the table as it was read. Without it
    the release's own spread is taken. `world` tells whom rows may be about, if models ask for it.
    `drawn` is the number of people in the table as it was read, those of the release if not given.
    """
    names = dict.fromkeys(model.column for model in policy.models if model.columns)
    known = reference or {}
    sensitive = {name: _values(seen.rows[name], seen.crowds, known.get(name)) for name in names}
    whom = _whom(seen, policy, world)
    evidence = Evidence(seen.crowds, sensitive, *whom, columns=len(seen.quasi), drawn=drawn)
    return tuple(_verdict(model, evidence) for model in policy.models)


def _whom(
    seen: Seen, policy: _Policy, world: PublicTable | None
) -> tuple[Counts | None, float | None]:
    """Whom classes may be about, and how sure that says that somebody is there, if it is asked."""
    asked = {model.name for model in policy.models} & _OF_A_WORLD
    if world is None or not asked:
        return None, None
    found = Candidates(seen.quasi, seen.crowds, world, policy.missing)
    sure = found.presence(seen.crowds.of_class) if "delta-presence" in asked else None
    return found.counts, sure


def demand(verdicts: Sequence[Verdict], remedy: str = "") -> None:
    """Refuse, if there is a model that the rows do not meet; `remedy` says what would help."""
    failed = [verdict for verdict in verdicts if not verdict.ok]
    if not failed:
        return
    worst = failed[0]
    where = f" of {worst.column!r}" if worst.column else ""
    raise NotMetError(
        f"the rows do not meet {len(failed)} of {len(verdicts)} models: {worst.name}{where} asks "
        f"for {worst.asked:g} and reaches {worst.reached:g}; nothing was released",
        remedy=remedy,
        verdicts=verdicts,
    )


def complete(rows: pl.DataFrame, names: Sequence[str], records: int) -> None:
    """There are these columns and so many rows, and nothing else."""
    if rows.columns != list(names):
        strange = len(set(rows.columns) - set(names))
        raise NotMetError(
            f"the release does not have the {len(names)} columns that may leave, or has "
            f"{strange} that may not; nothing was released"
        )
    if len(rows) != records:
        raise NotMetError(f"the release has {len(rows):,} rows in place of {records:,}")


def accounted(original: Sequence[Codes], records: Counts, policy: _Limit) -> None:
    """No record leaves twice, and no more were left out than the policy allows.

    `original` are the quasi-identifying values of the table, column by column. Records that lack
    one, where such records are to be suppressed, do not leave and do not count.
    """
    there = np.ones(len(original[0]), dtype=np.bool_)
    if policy.missing is Missing.SUPPRESS:
        there = np.logical_and.reduce([codes != MISSING for codes in original])
    leaving = np.bincount(records, minlength=len(there))
    if (leaving > 1).any() or (leaving[~there] > 0).any():
        raise NotMetError("the release has records that may not leave, or leave once only")
    gone, most = int((leaving[there] == 0).sum()), written(policy.suppression)
    if gone * most.denominator > most.numerator * int(there.sum()):
        raise NotMetError(
            f"{gone:,} of {int(there.sum()):,} records are left out, and the policy allows a share "
            f"of {policy.suppression:g}; nothing was released"
        )


def replaced(name: str, cells: pl.Series, pseudonyms: Texts) -> None:
    """Every cell of an identifier shows its pseudonym."""
    wanted = pl.Series(pseudonyms.tolist(), dtype=pl.String)
    if not text_of(cells).equals(wanted, null_equal=True):
        raise NotMetError(f"the identifier {name!r} does not show its pseudonyms")


def unchanged(before: pl.DataFrame, after: pl.DataFrame, order: Counts) -> None:
    """Columns that are kept hold in row i of the release what row `order[i]` of the table held."""
    for name in before.columns:
        old, new = (_known(column) for column in (before[name].gather(order), after[name]))
        same = old.dtype == new.dtype and old.equals(new, null_equal=True)
        if not same and not text_of(old).equals(text_of(new), null_equal=True):
            raise NotMetError(f"the column {name!r} should be kept as it is, but was changed")


def _known(column: pl.Series) -> pl.Series:
    """Numbers that are none are missing, as a text file would have it."""
    return column.fill_nan(None) if column.dtype.is_float() else column


def _verdict(model: Any, evidence: Evidence) -> Verdict:
    reached, ok = judge(model, evidence)
    column = model.column if model.columns else None
    sure = getattr(model, "confidence", None)
    return Verdict(model.name, column, float(model.threshold), reached, ok, sure)


def _values(column: pl.Series, crowds: Crowds, reference: Reference | None) -> Values:
    cells = numbered(column)
    if reference is None:
        return Values(cells.codes, _spread(cells.codes, len(cells.labels), crowds.unit))
    places = np.concatenate([[0], reference.places(cells.labels.to_list())])
    return Values(places[cells.codes], reference.people.astype(np.int64), reference.maps)


def _spread(codes: Counts, number: int, unit: Counts | None) -> Counts:
    """People per value: a person counts once for each."""
    if unit is not None:
        domain = number + 1
        codes = np.unique(unit * domain + codes) % domain
    return np.bincount(codes, minlength=number + 1)


def people_in(records: int, unit: Codes | None) -> int:
    """Different people among so many records; one without a unit is a person."""
    return records if unit is None else len(np.unique(_alone(unit)))


def _alone(people: Codes) -> Counts:
    """Units as numbers; whoever has no other row gets one of their own."""
    unit = people.astype(np.int64)
    nobody = np.flatnonzero(unit == 0)
    unit[nobody] = int(unit.max(initial=0)) + 1 + np.arange(len(nobody))
    return unit
