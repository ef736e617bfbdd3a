"""Records that few columns make unique, and how many such sets each has.

A *minimal sample unique* of a record is a set of columns by which it is unique, and by no part of
the set (Elliot, Manning, Mayes, Gurd and Bane 2005; Manning, Haglin and Keane 2008). A
record with small ones, or many, is a *special unique*: it is likelier to be unique in the
population than one that is unique by all columns together only.

Sets are gone through depth first, columns that come last first, so that every part of a set is seen
before the set. Rows that are unique already are not looked at again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Floats
from incrowd.errors import LimitError, PolicyError
from incrowd.kernels import refinement as kernels
from incrowd.models.model import TOLERANCE
from incrowd.partition.classes import number_columns
from incrowd.table.fold import fold
from incrowd.watch import Watch

_MOST_COLUMNS = 62


@dataclass(frozen=True)
class UniquesOfSize:
    """Minimal sample uniques of one size."""

    size: int
    sets: int
    """How many there are, over all records."""
    records: int
    """Records whose smallest one has this size."""


@dataclass(frozen=True)
class UniquesOfColumn:
    """What one column contributes to minimal sample uniques."""

    column: str
    sets: int
    """Minimal sample uniques that hold it."""
    share: float
    """Their share of the sum of all scores: shares of several columns overlap."""
    records_without: int
    """Records that would still have one if the column were left out."""


@dataclass(frozen=True)
class SpecialUniques:
    """The minimal sample uniques of a table, in figures."""

    max_size: int
    """Larger sets were not searched."""
    records: int
    """Records that have one."""
    sets: int
    """How many there are, over all records."""
    sizes: tuple[UniquesOfSize, ...]
    columns: tuple[UniquesOfColumn, ...]
    """Highest share first."""
    highest: float
    """The highest SUDA score of a record."""
    average: float
    """Mean SUDA score of the records that have one."""
    dis_highest: float | None
    """The highest DIS-SUDA score; None if the share drawn is unknown, or nobody is unique."""
    dis_above_threshold: float | None
    """Share of the records whose DIS-SUDA score exceeds the threshold."""


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """All minimal sample uniques: entry i says that `columns[i]` (bits) makes `row[i]` unique."""

    names: tuple[str, ...]
    max_size: int
    row: Codes
    columns: Counts
    records: Counts
    """Records per row."""
    pairs: int
    """Records of rows that exactly two records, or people, share."""
    uniques: int
    """Records unique by all columns."""

    @property
    def sizes(self) -> Counts:
        """How many columns each has."""
        return np.bitwise_count(self.columns).astype(np.int64)

    @property
    def scores(self) -> Floats:
        """The SUDA score of each row: 0 if no set up to the size makes it unique."""
        weights = suda_weights(len(self.names), self.max_size)[self.sizes]
        scores = np.zeros(len(self.records))
        np.add.at(scores, self.row, weights)
        return scores


def suda_weights(columns: int, max_size: int) -> Floats:
    """Per size, what a minimal sample unique of this size adds to the score of its record.

    The product of columns - i over i from its size to the largest size looked for (Elliot and
    others 2005), which leaves out the factor 0 of the set of all columns; as in
    sdcMicro's `suda2` with `original_scores`.

    >>> suda_weights(4, 3).tolist()
    [0.0, 6.0, 2.0, 1.0]
    """
    last = min(max_size, columns - 1)
    found = [
        float(prod(columns - i for i in range(size, last + 1))) for size in range(max_size + 1)
    ]
    return np.array([0.0, *found[1:]])


def dis_scores(scores: Floats, records: Counts, chance: tuple[float, int], columns: int) -> Floats:
    """The chance that a match of each row is right, given its SUDA score (DIS-SUDA).

    `chance` is the probability that a match of a unique record is right (data intrusion
    simulation) and the number of unique records: the scores share it out (Elliot and Manning 2003,
    as in sdcMicro's `suda2`). Rows without a score have 0.
    """
    right, uniques = chance
    chances = np.zeros(len(scores))
    scored = scores > 0
    power = scores[scored] ** (1 + (8 - columns) / 20)
    if right > 0:
        scale = (records[scored] / power).sum()
        chances[scored] = 1 / (1 + uniques * (1 / right - 1) / (power * scale))
    return chances


def minimal_uniques(  # noqa: PLR0913  the table, and how far to look
    names: Sequence[str],
    quasi: Sequence[Codes],
    unit: Codes | None = None,
    max_size: int = 4,
    watch: Watch | None = None,
    *,
    records: Counts | None = None,
) -> MinimalUniques:
    """Find all minimal sample uniques of records with these columns of codes, up to a size.

    Records of one `unit` are one person, and do not hide each other. A missing value is a value.
    With `records` a line of codes stands for so many of them, all of one unit if there are units.
    `PolicyError` if `max_size` is below 1; `LimitError` if there are more than 62 columns.
    """
    if max_size < 1:
        raise PolicyError("a set of columns that makes records unique has at least 1 column")
    if len(quasi) > _MOST_COLUMNS:
        raise LimitError(
            f"special uniques work with at most {_MOST_COLUMNS} columns, not {len(quasi)}",
            remedy="name fewer columns",
        )
    size = min(max_size, len(quasi))
    table = _rows_of_people(quasi, unit, records)
    search = _SetSearch(table, size, watch or Watch())
    rows = np.arange(len(table.person), dtype=np.int32)
    search.visit(rows, np.array([0, len(rows)], dtype=np.int64), (0, 0, -1))
    row = kernels.rows_of_notes(search.last, search.before, search.used)
    columns = search.sets[: search.used]
    return MinimalUniques(
        tuple(names), size, row, columns, table.records, table.pairs, table.uniques
    )


def special_uniques(
    minimal: MinimalUniques, fraction: float | None, threshold: float
) -> SpecialUniques:
    """Sum up minimal sample uniques; `fraction` is the share of the population drawn, if known."""
    scores, sizes = minimal.scores, minimal.sizes
    scored = scores > 0
    total = max(int(minimal.records[scored].sum()), 1)
    everyone = max(int(minimal.records.sum()), 1)
    dis = _dis_scores_if_known(minimal, scores, fraction)
    return SpecialUniques(
        max_size=minimal.max_size,
        records=int(minimal.records[scored].sum()),
        sets=int(minimal.records[minimal.row].sum()),
        sizes=tuple(_uniques_by_size(minimal, sizes)),
        columns=_uniques_by_column(minimal, sizes),
        highest=float(scores.max(initial=0.0)),
        average=float((scores * minimal.records).sum()) / total,
        dis_highest=None if dis is None else float(dis.max(initial=0.0)),
        dis_above_threshold=None
        if dis is None
        else int(minimal.records[dis > threshold + TOLERANCE].sum()) / everyone,
    )


def _dis_scores_if_known(
    minimal: MinimalUniques, scores: Floats, fraction: float | None
) -> Floats | None:
    """The DIS-SUDA score of each row; None if no fraction is known or nobody is unique."""
    if fraction is None or not minimal.uniques:
        return None
    chance = correct_match_chance(minimal.uniques, minimal.pairs, fraction)
    return dis_scores(scores, minimal.records, (chance, minimal.uniques), len(minimal.names))


def correct_match_chance(uniques: int, pairs: int, fraction: float) -> float:
    """The chance that a match of a unique record is right (data intrusion simulation).

    Skinner and Elliot 2002: u p / (u p + d (1 - p)) for u unique records, d records in pairs and
    the sampling fraction p, which estimates the uniques of the sample over all people of the
    population who share their values.
    """
    right = uniques * fraction
    return right / (right + pairs * (1 - fraction)) if right else 0.0


def _uniques_by_size(minimal: MinimalUniques, sizes: Counts) -> Iterator[UniquesOfSize]:
    """Yield, for each size, the minimal sample uniques and records whose smallest has it."""
    smallest = np.full(len(minimal.records), minimal.max_size + 1, dtype=np.int64)
    np.minimum.at(smallest, minimal.row, sizes)
    for size in range(1, minimal.max_size + 1):
        sets = int(minimal.records[minimal.row[sizes == size]].sum())
        yield UniquesOfSize(size, sets, int(minimal.records[smallest == size].sum()))


def _uniques_by_column(minimal: MinimalUniques, sizes: Counts) -> tuple[UniquesOfColumn, ...]:
    """What each column contributes to the scores, the highest share first."""
    records = minimal.records[minimal.row]
    scores = suda_weights(len(minimal.names), minimal.max_size)[sizes] * records
    whole = max(float(scores.sum()), 1.0)
    columns = []
    for j, name in enumerate(minimal.names):
        holds = minimal.columns >> j & 1 == 1
        share = float(scores[holds].sum()) / whole
        left = np.zeros(len(minimal.records), dtype=np.bool_)
        left[minimal.row[~holds]] = True
        sets, without = int(records[holds].sum()), int(minimal.records[left].sum())
        columns.append(UniquesOfColumn(name, sets, share, without))
    return tuple(sorted(columns, key=lambda one: -one.share))


@dataclass(frozen=True, eq=False)
class _PersonRows:
    """Distinct rows of distinct people; without units, a row of several records is listed twice."""

    codes: Codes
    person: Codes
    records: Counts
    pairs: int
    """This and `uniques` as in `MinimalUniques`."""
    uniques: int


def _rows_of_people(
    quasi: Sequence[Codes], unit: Codes | None, records: Counts | None = None
) -> _PersonRows:
    """Fold records into a row per person and distinct codes.

    Without units each record is a person, and two rows stand for all equal ones: more add nothing.
    """
    if unit is not None and records is not None:  # each record without a unit is a person
        line = np.repeat(np.arange(len(records)), np.where(unit == MISSING, records, 1))
        records = np.where(unit == MISSING, 1, records)[line]
        quasi, unit = [codes[line] for codes in quasi], unit[line]
    people = () if unit is None else (_fill_missing_units(unit),)
    tally = fold(quasi, people, records=records)
    if unit is None:
        shared = np.flatnonzero(tally.counts > 1)
        take = np.concatenate([np.arange(tally.rows), shared])
        codes, person = (
            np.ascontiguousarray(tally.quasi[:, take]),
            np.arange(len(take), dtype=np.int32),
        )
        counts = np.concatenate([tally.counts, np.zeros(len(shared), dtype=np.int64)])
        pairs, uniques = (people * int((tally.counts == people).sum()) for people in (2, 1))
        return _PersonRows(codes, person, counts, pairs, uniques)
    class_of, number = number_columns(tally.quasi)
    size = np.bincount(class_of, minlength=number)[class_of]
    pairs, uniques = (int(tally.counts[size == people].sum()) for people in (2, 1))
    return _PersonRows(tally.quasi, tally.sensitive[0], tally.counts, pairs, uniques)


def _fill_missing_units(unit: Codes) -> Codes:
    """The unit of each record, with a new unit of its own for one that has none."""
    units = unit.astype(np.int32)
    unknown = np.flatnonzero(unit == MISSING)
    units[unknown] = int(unit.max(initial=0)) + 1 + np.arange(len(unknown), dtype=np.int32)
    return units


class _SetSearch:
    """A depth-first search of sets that make rows unique; its lists are for `note_minimal_sets`."""

    def __init__(self, table: _PersonRows, max_size: int, watch: Watch) -> None:
        self._table = table
        self._max_size = max_size
        self._watch = watch
        self._every = sum(comb(len(table.codes), size) for size in range(1, max_size + 1))
        self._seen = 0
        self._domains = [int(line.max(initial=0)) + 1 for line in table.codes]
        self.last = np.full(len(table.person), -1, dtype=np.int64)
        self.before = np.empty(len(table.person), dtype=np.int64)
        self.sets = np.empty(len(table.person), dtype=np.int64)
        self.used = 0

    def visit(self, rows: Codes, start: Counts, chosen: tuple[int, int, int]) -> None:
        """Look at sets that add later columns to `chosen` (bits, number, last).

        Its group g is `rows` from `start[g]` to before `start[g + 1]`.
        """
        bits, size, latest = chosen
        for column in range(len(self._domains) - 1, latest, -1):
            codes, domain = self._table.codes[column], self._domains[column]
            left, bounds, fresh = kernels.split_groups(
                rows, start, codes, domain, self._table.person
            )
            with_column = bits | 1 << column
            self._note(fresh, with_column)
            self._seen += 1
            self._watch.tell("sets that make records unique", self._seen / self._every)
            if size + 1 < self._max_size and len(left):
                self.visit(left, bounds, (with_column, size + 1, column))

    def _note(self, fresh: Codes, columns: int) -> None:
        """Note that these columns (bits) make these rows unique, unless a part of them does."""
        while self.used + len(fresh) > len(self.sets):
            self.before, self.sets = (
                np.resize(a, 2 * len(a) + 1) for a in (self.before, self.sets)
            )
        self.used = kernels.note_minimal_sets(
            fresh, columns, self.last, self.before, self.sets, self.used
        )
