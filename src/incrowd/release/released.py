"""The rows of a release, read by its policy: counted, never fetched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from incrowd.engines.base import Countable
from incrowd.hierarchy.labels import TOP
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate, Distribution
from incrowd.release.load import LoadedTable
from incrowd.table.cells import clear_own_marks
from incrowd.table.counted import CountedRows
from incrowd.table.marks import MissingMarks
from incrowd.verify.crowds import number_cells, records_per_code
from incrowd.verify.spellings import end_names, join_ends, split_columns
from incrowd.verify.verify import Reference


@dataclass(frozen=True, eq=False)
class ReleasedRows:
    """The rows of a release to count: one label in place of two ends, every missing cell null."""

    rows: Countable
    split: Mapping[str, str]
    """By column that leaves as two, where cells begin and end: the label of a suppressed cell."""
    marks: MissingMarks
    blank: bool
    """Whether blank texts mean missing, as in text files."""

    @classmethod
    def of(
        cls, rows: Countable, policy: Policy, certificate: Certificate | None, *, text: bool
    ) -> "ReleasedRows":
        """Read rows by policy and certificate, without the table; `text` if from a text file."""
        split = split_columns(policy.quasi, rows.names) if policy.split_ends else ()
        blank = text or (certificate is not None and certificate.blank)
        return cls(rows, dict.fromkeys(split, TOP), policy.marks, blank)

    @classmethod
    def of_table(cls, table: LoadedTable, rows: Countable) -> "ReleasedRows":
        """Read the rows of a release of this table."""
        split = split_columns(table.policy.quasi, rows.names)
        tops = {name: str(table.quasi[name][1].labels[-1][0]) for name in split}
        return cls(rows, tops, table.policy.marks, table.engine.text)

    def __repr__(self) -> str:
        """Without values."""
        return f"ReleasedRows({self.records} records)"

    @property
    def records(self) -> int:
        """Number of records."""
        return self.rows.records

    @property
    def names(self) -> tuple[str, ...]:
        """The columns; each that leaves as two comes once, after the others."""
        ends = {end for name in self.split for end in end_names(name)}
        return (*(name for name in self.rows.names if name not in ends), *self.split)

    def counts(self, columns: Sequence[str]) -> CountedRows:
        """Count the distinct rows of these columns."""
        return self.clear(self.rows.counts(self.stored_names(columns)))

    def stored_names(self, columns: Sequence[str]) -> list[str]:
        """The names of columns as they are stored: two in place of each that is split."""
        return [
            stored
            for name in columns
            for stored in (end_names(name) if name in self.split else (name,))
        ]

    def clear(self, rows: CountedRows) -> CountedRows:
        """Read counted rows by the policy: two ends become a label, missing marks become null."""
        there = set(rows.cells.columns)
        tops = {name: top for name, top in self.split.items() if {*end_names(name)} <= there}
        own = {name: marks for name, marks in self.marks.own.items() if name in tops}
        return rows.with_cells(
            clear_own_marks(join_ends(self.clear_missing(rows.cells), tops), own)
        )

    def clear_missing(self, cells: pl.DataFrame) -> pl.DataFrame:
        """Make every cell null that means missing in its column; others stay as they are stored."""
        return self.marks.clear_marks(cells, text=self.blank)


def compared_columns(policy: Policy) -> tuple[str, ...]:
    """The columns of models that compare each class with the whole, such as t-closeness."""
    models = (model for model in policy.models if "reference" in model.requires)
    return tuple(dict.fromkeys(name for model in models for name in model.columns))


def reference_of(spread: Distribution, labels: list[str]) -> Reference:
    """Make the reference of a distribution, by the release's labels in code-point order."""
    maps = None if spread.maps is None else np.array(spread.maps, dtype=np.int32)
    place = dict(zip(labels, spread.places, strict=True))
    return Reference(place, np.array(spread.people, dtype=np.int64), maps)


def fits_distribution(
    certificate: Certificate, name: str, rows: CountedRows, policy: Policy
) -> bool:
    """Whether a column, given by its distinct cells, fits its distribution in the certificate."""
    spread, cells = certificate.spread[name], number_cells(rows.cells[name])
    places, people = np.array([0, *spread.places]), len(spread.people)
    if len(places) != len(cells.labels) + 1 or ((places < 0) | (places >= people)).any():
        return False
    if not sum(spread.people) or min(spread.people) < 0 or not _is_hierarchy(spread):
        return False
    held = records_per_code(places[cells.codes], rows.records, people)
    said = np.array(spread.people)
    if spread.of == "release" and policy.unit is None:
        return bool((held == said).all())
    if spread.of == "release":
        return bool(((said <= held) & ((said > 0) == (held > 0))).all())
    whole = sum(spread.people) == certificate.records_in and bool((held <= said).all())
    return whole or policy.unit is not None


def _is_hierarchy(spread: Distribution) -> bool:
    """Whether the maps of a distribution, if any, lead from the values to one node."""
    if spread.maps is None:
        return True
    values = len(spread.people)
    if len(spread.maps) < 2 or any(len(level) != values for level in spread.maps):
        return False
    nested = all(
        len(set(zip(lower, upper, strict=True))) == len(set(lower))
        for lower, upper in pairwise(spread.maps)
    )
    return nested and spread.maps[0] == tuple(range(values)) and set(spread.maps[-1]) == {1}
