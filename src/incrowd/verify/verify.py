"""Verification of what leaves, by code that shares nothing with the search.

It is given evidence: distinct released rows with the number of records that show each, what those
records held before, and how many rows differ where none may. It groups the cells as text and
counts; it imports no kernel, class, recoding, loss, model, engine or search. What it cannot verify
it refuses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import polars as pl

from incrowd.arrays import MISSING, Codes, Counts
from incrowd.errors import NotMetError, count_of
from incrowd.table.column import Missing
from incrowd.table.counted import CountedRows
from incrowd.verify.candidates import CandidateCounts, PublicTable
from incrowd.verify.crowds import (
    Crowds,
    NumberedCells,
    crowds_of,
    number_cells,
    number_units,
    people_by_value,
)
from incrowd.verify.judges import Evidence, Values, judge, meant_fraction
from incrowd.verify.verdict import Verdict


@dataclass(frozen=True, eq=False)
class Reference:
    """How a sensitive column is spread over the people that classes are compared with.

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
        cls, rows: CountedRows, name: str, values: int, maps: Codes | None = None
    ) -> "Reference":
        """The reference of a column of so many values, from its distinct cells, codes and units."""
        rows = rows.split_records()
        cells, codes = number_cells(rows.cells[name]), rows.codes[name].astype(np.int64)
        first = np.zeros(len(cells.labels) + 1, dtype=np.int64)
        first[cells.codes[::-1]] = np.arange(len(codes), dtype=np.int64)[::-1]
        place = dict(zip(cells.labels.to_list(), codes[first[1:]].tolist(), strict=True))
        people = people_by_value(codes, values + 1, number_units(rows.unit), rows.records)
        return cls(place, people, maps)

    def count_among(self, rows: CountedRows, name: str) -> "Reference":
        """Count the people of these rows alone, at the same positions."""
        rows = rows.split_records()
        cells = number_cells(rows.cells[name])
        codes = self.codes_of(cells)
        people = people_by_value(codes, len(self.people), number_units(rows.unit), rows.records)
        return replace(self, people=people)

    def compact(self) -> "Reference":
        """Keep positions and nodes that people hold, numbered anew: of others nothing is told."""
        held = np.flatnonzero(np.append(True, self.people[1:] > 0))
        rank = np.cumsum(np.append(0, self.people[1:] > 0))
        place = {text: int(rank[at]) for text, at in self.place.items() if self.people[at]}
        maps = (
            None if self.maps is None else np.stack([_renumber_nodes(n[held]) for n in self.maps])
        )
        return Reference(place, self.people[held], maps)

    def codes_of(self, cells: NumberedCells) -> Counts:
        """The position of each cell, 0 for missing."""
        return np.concatenate([[0], self.places(cells.labels.to_list())])[cells.codes]

    def places(self, labels: Sequence[str]) -> Counts:
        """The positions of these labels; `NotMetError` if one is not in the reference."""
        strange = sum(label not in self.place for label in labels)
        if strange:
            raise NotMetError(
                f"{count_of(strange, 'sensitive value')} of the release "
                f"{'is' if strange == 1 else 'are'} not in the original table"
            )
        return np.array([self.place[label] for label in labels], dtype=np.int64)


class _JudgedPolicy(Protocol):
    @property
    def quasi(self) -> tuple[str, ...]: ...
    @property
    def models(self) -> Sequence[Any]: ...
    @property
    def missing(self) -> Missing: ...


@dataclass(frozen=True, eq=False)
class SeenRelease:
    """A release as somebody sees it who holds it: distinct rows, and how many records show each."""

    rows: pl.DataFrame
    """With every missing cell null."""
    quasi: Mapping[str, NumberedCells]
    """The cells of the quasi-identifying columns."""
    crowds: Crowds

    def __repr__(self) -> str:
        """Without values."""
        return f"SeenRelease({self.records} records, {self.crowds.number} classes)"

    @property
    def records(self) -> int:
        """Records of the release."""
        return int(self.crowds.records.sum())


def see_release(rows: CountedRows, policy: _JudgedPolicy) -> SeenRelease:
    """See which records show the same in the policy's quasi-identifying columns.

    If the rows say whose they are, people are counted in place of records. `NotMetError` if there
    are no rows, or only some say whose they are.
    """
    if not len(rows.records):
        raise NotMetError(
            "no record is left in the release, and incrowd does not publish empty tables",
            remedy="lower the thresholds of the models",
        )
    if rows.unit is not None and len(rows.unit) != len(rows.records):
        raise NotMetError("the release does not show which rows belong to one person")
    rows = rows.split_records()
    quasi = {name: number_cells(rows.cells[name]) for name in policy.quasi}
    nothing = np.zeros(len(rows.records), dtype=np.int64)
    columns = [cells.codes for cells in quasi.values()] or [nothing]
    anything = policy.missing is Missing.MATCHES_ANYTHING
    crowds = crowds_of(columns, number_units(rows.unit), anything=anything, records=rows.records)
    return SeenRelease(rows.cells, quasi, crowds)


def require_units(rows: CountedRows) -> CountedRows:
    """Return rows that say whose they are; `NotMetError` if they do not."""
    if rows.unit is None:
        raise NotMetError("the release does not show which records belong to one person")
    return rows


def verify(
    seen: SeenRelease,
    policy: _JudgedPolicy,
    reference: Mapping[str, Reference] | None = None,
    world: PublicTable | None = None,
    drawn: int | None = None,
) -> tuple[Verdict, ...]:
    """Judge by every model of a policy the rows that leave; `NotMetError` if one cannot be judged.

    `reference` has the sensitive columns; without it the release's own spread is taken. `world`
    tells whom rows may be about, if models ask for it. `drawn` is the number of people in the
    table as it was read, those of the release if not given.
    """
    names = dict.fromkeys(model.column for model in policy.models if model.columns)
    known = reference or {}
    sensitive = {
        name: _judged_values(seen.rows[name], seen.crowds, known.get(name)) for name in names
    }
    whom = _candidates_and_presence(seen, policy, world)
    evidence = Evidence(seen.crowds, sensitive, *whom, columns=len(seen.quasi), drawn=drawn)
    return tuple(_judge_model(model, evidence) for model in policy.models)


def weakest_verdicts(
    verdicts: Sequence[tuple[Verdict, ...]], models: Sequence[Any]
) -> tuple[Verdict, ...]:
    """Join the verdicts of blocks, each class in one of them: the weakest block decides."""
    found = []
    for model, blocks in zip(models, zip(*verdicts, strict=True), strict=True):
        worst = min if model.higher_is_safer else max
        reached = worst(verdict.reached for verdict in blocks)
        found.append(replace(blocks[0], reached=reached, ok=all(one.ok for one in blocks)))
    return tuple(found)


def _candidates_and_presence(
    seen: SeenRelease, policy: _JudgedPolicy, world: PublicTable | None
) -> tuple[Counts | None, float | None]:
    """Count candidates per crowd, and find the highest chance that an individual is in the table.

    Both are None without a world or a model that asks for it; the chance is None, too, if every
    such model is the safer the higher its value.
    """
    asked = [model for model in policy.models if "world" in model.requires]
    if world is None or not asked:
        return None, None
    shares = any(not model.higher_is_safer for model in asked)
    found = CandidateCounts(seen.quasi, seen.crowds, world, policy.missing)
    sure = found.presence(seen.crowds.people_of_class) if shares else None
    return found.counts, sure


def demand_models_met(
    verdicts: Sequence[Verdict], remedy: str = "", refused: Callable[[], object] | None = None
) -> None:
    """Demand that every model is met; `refused` makes the figures that the error carries."""
    failed = [verdict for verdict in verdicts if not verdict.ok]
    if not failed:
        return
    worst = failed[0]
    where = f" of {worst.column!r}" if worst.column else ""
    raise NotMetError(
        f"the rows do not meet {len(failed)} of {len(verdicts)} models: {worst.name}{where} "
        f"achieves {worst.reached:g}, the policy asks for {worst.asked:g}; nothing was released",
        remedy=remedy,
        verdicts=verdicts,
        refused=None if refused is None else refused(),
    )


def demand_complete(
    names: Sequence[str], records: int, wanted: Sequence[str], leaving: int
) -> None:
    """Demand exactly the columns and the number of rows that the release must have."""
    if tuple(names) != tuple(wanted):
        strange = len(set(names) - set(wanted))
        raise NotMetError(
            f"the release does not have exactly the {len(wanted)} columns of the policy in "
            f"their order ({strange} other); nothing was released"
        )
    if records != leaving:
        raise NotMetError(f"the release has {records:,} rows, but {leaving:,} records may leave")


def demand_same_rows(differing: int) -> None:
    """Demand that what was written is what was staged; `differing` rows are not."""
    if differing:
        rows = count_of(differing, "row")
        raise NotMetError(f"{rows} of the written release differ from the staged rows")


def demand_once(repeated: int) -> None:
    """Demand that no record of the table leaves more than once; `repeated` do."""
    if repeated:
        raise NotMetError(
            f"{count_of(repeated, 'record')} would leave more than once; nothing was released"
        )


def demand_no_missing(released: CountedRows) -> None:
    """Demand that no released record held a missing value where the policy suppresses those."""
    if any((codes == MISSING).any() for codes in released.codes.values()):
        raise NotMetError("the release has records with a missing value that the policy leaves out")


def demand_accounted(leaving: int, whole: int, suppression: float) -> None:
    """Demand that of `whole` records that may leave at most a share `suppression` is left out."""
    gone, most = whole - leaving, meant_fraction(suppression)
    if gone < 0 or gone * most.denominator > most.numerator * whole:
        raise NotMetError(
            f"{gone:,} of {whole:,} records are left out, but the policy allows a share of "
            f"{suppression:g}; nothing was released"
        )


def demand_pseudonyms(name: str, pairs: CountedRows, pseudonym: Mapping[str, str]) -> None:
    """Demand that each of `pairs` is a value and its `pseudonym`, or missing on both sides."""
    held, shown = (number_cells(column) for column in pairs.cells.iter_columns())
    texts = np.array([None, *held.labels.to_list()], dtype=object)[held.codes]
    found = np.array([None, *shown.labels.to_list()], dtype=object)[shown.codes]
    wanted = [None if text is None else pseudonym.get(text) for text in texts.tolist()]
    if wanted != found.tolist():
        raise NotMetError(f"the identifier {name!r} does not show the expected pseudonyms")


def demand_unchanged(altered: Mapping[str, int], kept: Sequence[str]) -> None:
    """Demand that kept columns were compared and no cell of them is `altered`."""
    for name in kept:
        if name not in altered:
            raise NotMetError(
                f"the policy keeps the column {name!r} as it is, but its cells were not compared"
            )
        if cells := altered[name]:
            raise NotMetError(
                f"the policy keeps the column {name!r} as it is, but {count_of(cells, 'cell')} "
                f"{'was' if cells == 1 else 'were'} changed"
            )


def _judge_model(model: Any, evidence: Evidence) -> Verdict:
    """Judge by one model, and put what it asks and reaches into a verdict."""
    reached, ok = judge(model, evidence)
    column = model.column if model.columns else None
    sure = getattr(model, "confidence", None)
    return Verdict(model.name, column, float(model.threshold), reached, ok, sure)


def _judged_values(column: pl.Series, crowds: Crowds, reference: Reference | None) -> Values:
    """Give the values of a sensitive column positions, by a reference or by the release itself."""
    cells = number_cells(column)
    if reference is None:
        whole = people_by_value(cells.codes, len(cells.labels) + 1, crowds.unit, crowds.records)
        return Values(cells.codes, whole)
    return Values(reference.codes_of(cells), reference.people.astype(np.int64), reference.maps)


def _renumber_nodes(nodes: Codes) -> Codes:
    """Number nodes anew in their order, from 0 or 1 as before."""
    found = np.unique(nodes, return_inverse=True)[1] + (1 if nodes.min() > 0 else 0)
    return found.astype(np.int32)
