"""Releases beside their original: what each keeps, and how easily people are found in it."""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from incrowd.arrays import MISSING
from incrowd.engines.base import Engine
from incrowd.engines.fetch import fetch_into_memory
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, PolicyError, count_of
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import TOP
from incrowd.io.hierarchies import builders_of, resolve
from incrowd.io.reading import enough_memory, file_of, open_table, tuple_of
from incrowd.policy.coding import code_columns
from incrowd.requests.compare import CompareRequest
from incrowd.requests.request import verb
from incrowd.table.column import CodedColumn, Kind, Missing
from incrowd.table.marks import MissingMarks
from incrowd.table.names import name_remedy
from incrowd.utility import models
from incrowd.utility.column import OriginalColumn
from incrowd.utility.comparison import Comparison
from incrowd.utility.formula import Formula, parse_formula, require_columns
from incrowd.utility.measure import (
    ComparisonQuestion,
    OriginalTable,
    ReleaseTable,
    original_risk,
    release_utility,
)
from incrowd.utility.pairs import MOST_PAIRS
from incrowd.utility.released import ReleasedColumn, read_column
from incrowd.verbs.policies import with_policy
from incrowd.verify.spellings import end_names, join_ends, split_columns
from incrowd.watch import Watch

MOST = 8
_SPREAD = (
    "Labels are read as sets of values, and each record is spread evenly over its set: along the "
    "scale of numbers and dates, over the values of categories."
)
_LEARNED = (
    "The model of the original does not learn from the tested records; the release was made of "
    "all records, tested ones too."
)


@dataclass(frozen=True, eq=False)
class Side:
    """A table of a comparison: its name in the answer, and its rows."""

    name: str
    engine: Engine
    notes: tuple[str, ...] = ()
    """What was noted when it was read."""


@verb(CompareRequest, several="releases")
def compare(asked: CompareRequest) -> Comparison:
    """What releases keep of their original, and how easily people are found in each.

    Every table is a frame, the path of a file or a table elsewhere, which is brought into memory;
    releases may come from any tool. `quasi` are the columns that people are found by: by default
    those of the `policy`, or those that some release makes coarser. `sensitive` columns, by default
    the policy's, are counted in queries; they and the `target` columns are what models learn to
    predict (scikit-learn, extra `utility`).
    """
    asked = with_policy(asked)
    releases = tuple_of(asked.releases)
    refuse_number_of_releases(len(releases))
    with enough_memory(), ExitStack() as stack:
        sides = []
        for place, source in enumerate((asked.original, *releases)):
            there = stack.enter_context(open_table(source, asked.reading, _expected_columns(asked)))
            unnamed = f"release {place}" if place else "original"
            name = unnamed if (file := file_of(source)) is None else Path(file).name
            sides.append(Side(name, there.engine, tuple(map(str, there.origin.notes))))
        return compare_tables(sides[0], _name_sides(sides[1:], asked.names), asked)


def _expected_columns(asked: CompareRequest) -> tuple[str, ...]:
    """The columns that the request and its policy name: tables should have some of them."""
    policy = () if asked.policy is None else tuple(asked.policy.columns)
    formula = _analysis_formula(asked)
    of_formula = () if formula is None else formula.columns
    return (*policy, *asked.quasi, *asked.sensitive, *asked.target, *of_formula)


def _analysis_formula(asked: CompareRequest) -> Formula | None:
    """The formula of the analysis that the request asks for; None if it asks for none."""
    return None if asked.formula is None else parse_formula(asked.formula)


def refuse_number_of_releases(releases: int) -> None:
    """Raise `PolicyError` unless 1 to `MOST` releases are to be compared."""
    if not releases:
        raise PolicyError(
            "there is no release to compare", remedy="name the original, then 1 to 8 releases"
        )
    if releases > MOST:
        raise PolicyError(
            f"{releases} releases are more than the {MOST} that can be compared at once",
            remedy="compare fewer of them",
        )


def _name_sides(sides: Sequence[Side], given: Sequence[str]) -> list[Side]:
    """Name the first releases as `given`, the others by `Side.name`; number those named alike."""
    names = [*given[: len(sides)], *(side.name for side in sides[len(given) :])]
    used, named = set(names), list[Side]()
    for place, (side, name) in enumerate(zip(sides, names, strict=True), start=1):
        new = _numbered_name(name, place, used) if names.count(name) > 1 else name
        used.add(new)
        named.append(replace(side, name=new))
    return named


def _numbered_name(name: str, place: int, used: Container[str]) -> str:
    """The name with the place behind, as often as it takes to differ from all `used` names."""
    while name in used:
        name += f" ({place})"
    return name


def compare_tables(original: Side, releases: Sequence[Side], asked: CompareRequest) -> Comparison:
    """Compare an original with releases that are open, as `compare` does.

    `InputError` if a table has nothing to compare, `PolicyError` if a named column is not there.
    """
    tables = _Tables(fetch_into_memory(original.engine), asked)
    watch = asked.watch or Watch()
    shown = []
    for place, side in enumerate(releases):
        watch.tell("reading", place / (2 * len(releases)))
        shown.append(tables.read_release(side))
    quasi, guessed = tables.find_quasi(shown)
    question = tables.make_question(quasi)
    found = []
    for place, one in enumerate(shown):
        watch.tell("comparing", 0.5 + place / (2 * len(releases)))
        found.append(release_utility(tables.original, one, question))
    return Comparison(
        original=original.name,
        records=tables.original.records,
        risk=original_risk(tables.original, quasi),
        releases=tuple(found),
        quasi=quasi,
        sensitive=question.sensitive,
        formula=None if question.formula is None else str(question.formula),
        seed=asked.seed,
        notes=(
            *(f"{side.name}: {note}" for side in (original, *releases) for note in side.notes),
            *tables.notes(question, guessed=guessed),
        ),
    )


class _Tables:
    """The original, coded, by which releases are read and compared."""

    def __init__(self, engine: MemoryEngine, asked: CompareRequest) -> None:
        self._asked, self._engine = asked, engine
        self._analysis = _analysis_formula(asked)
        nested = set(engine.uncodable_columns)
        self._nested = tuple(name for name in engine.names if name in nested)
        names = [name for name in engine.names if name not in nested]
        if not names:
            raise InputError("the original has no column of plain values")
        self._refuse_unknown_columns(engine.names)
        codes = code_columns(engine, asked.policy, names, asked.missing_values)
        columns = {name: OriginalColumn(column) for name, column in codes.items()}
        self.original = OriginalTable(columns, engine.records)
        self._hierarchies = self._build_hierarchies(codes)

    def _refuse_unknown_columns(self, names: Sequence[str]) -> None:
        """Raise `PolicyError` if the request names a column that is not among `names`."""
        asked = self._asked
        for name in (*asked.quasi, *asked.sensitive, *asked.target):
            if name not in names:
                raise PolicyError(
                    f"the original has no column {name!r}", remedy=name_remedy(name, names)
                )
        if self._analysis is not None:
            require_columns(self._analysis, names)

    def _build_hierarchies(self, codes: Mapping[str, CodedColumn]) -> dict[str, Hierarchy]:
        """Build the hierarchies that policy and request give to columns with values."""
        asked = self._asked
        given = {} if asked.policy is None else dict(builders_of(asked.policy, asked.folder))
        given |= {n: resolve(spec, Path()) for n, spec in (asked.hierarchies or {}).items()}
        return {
            name: spec.build(codes[name].domain, name, self._engine.frequency(codes[name])[1:])
            for name, spec in given.items()
            if name in codes and len(codes[name].domain)
        }

    def read_release(self, side: Side) -> ReleaseTable:
        """Read labels as sets of the original's values; `InputError` without a common column."""
        engine, split = _join_split_labels(fetch_into_memory(side.engine), self._engine.names)
        nested = set(engine.uncodable_columns)
        there = [n for n in self.original.columns if n in engine.names and n not in nested]
        if not there:
            raise InputError(
                f"{side.name!r} and the original have no column in common",
                remedy="compare a release with the table that it was made of",
            )
        columns = {name: self._read_column(engine, name) for name in there}
        absent = tuple(name for name in self.original.columns if name not in columns)
        known = {*self._engine.names, *(end for name in split for end in end_names(name))}
        added = [name for name in engine.names if name not in known]
        notes = [f"It adds columns that the original lacks: {', '.join(added)}."] if added else []
        return ReleaseTable(
            side.name, columns, engine.records, absent, tuple(notes), frozenset(split)
        )

    def _read_column(self, engine: MemoryEngine, name: str) -> ReleasedColumn:
        """Read a column of a release by the values and the hierarchy of the original."""
        original = self.original.columns[name]
        kind = None if original.ordered else Kind.TEXT
        marks = MissingMarks() if self._asked.policy is None else self._asked.policy.marks
        marks = marks.with_marks_everywhere(self._asked.missing_values)
        shown = marks.code_column(engine, name, kind)
        return read_column(original, shown, self._hierarchies.get(name))

    def find_quasi(self, releases: Sequence[ReleaseTable]) -> tuple[tuple[str, ...], bool]:
        """The quasi-identifiers, and whether they are guessed: as columns that releases coarsen."""
        asked = self._asked
        given = asked.quasi or (() if asked.policy is None else asked.policy.quasi)
        if given:
            return tuple(name for name in given if name in self.original.columns), False
        coarser = [
            name
            for name in self.original.columns
            if any(name in r.columns and r.columns[name].ncp.max(initial=0) > 0 for r in releases)
        ]
        return tuple(coarser), True

    def make_question(self, quasi: tuple[str, ...]) -> ComparisonQuestion:
        """Say what is compared, by which columns; columns that the original lacks are left out."""
        asked, policy, formula = self._asked, self._asked.policy, self._analysis
        sensitive = tuple(asked.sensitive) or (() if policy is None else policy.sensitive)
        sensitive = tuple(name for name in sensitive if name in self.original.columns)
        targets = (*asked.target, *(() if formula is None else (formula.target,)), *sensitive)
        weights = {} if policy is None else {n: c.weight for n, c in policy.columns.items()}
        return ComparisonQuestion(
            quasi=quasi,
            sensitive=sensitive,
            targets=tuple(dict.fromkeys(targets)),
            formula=formula,
            weights=weights,
            not_counted=self._count_left_out(),
            models=asked.models and models.has_scikit_learn(),
            seed=asked.seed,
        )

    def _count_left_out(self) -> int:
        """Count the records that the policy leaves out for a missing quasi-identifier.

        Columns that the original lacks, or holds as lists or structures, do not count.
        """
        policy = self._asked.policy
        if policy is None or policy.missing is not Missing.SUPPRESS:
            return 0
        known = [self.original.columns[n].coded for n in policy.quasi if n in self.original.columns]
        return int(np.any([column.codes == MISSING for column in known], axis=0).sum())

    def notes(self, question: ComparisonQuestion, *, guessed: bool) -> Iterator[str]:
        """Yield notes on the whole comparison."""
        yield _SPREAD
        if question.not_counted:
            yield (
                f"Losses do not count the {count_of(question.not_counted, 'record')} that the "
                "policy leaves out for a missing quasi-identifier, as in the certificate."
            )
        if guessed and question.quasi:
            yield (
                "No column is declared quasi-identifying: risk and losses are of those that a "
                f"release makes coarser ({', '.join(question.quasi)})."
            )
        elif not question.quasi:
            yield "Risk and losses are left out: no quasi-identifying column is known (-q)."
        if self._nested:
            yield f"Columns of lists or structures are left out: {', '.join(self._nested)}."
        columns = len(self.original.columns)
        every = columns * (columns - 1) // 2
        if every > MOST_PAIRS:
            yield (
                f"Of {every:,} pairs of columns, the {MOST_PAIRS} that are most associated in the "
                "original are compared."
            )
        policy = self._asked.policy
        if policy is not None and not policy.shown.coarsens:
            yield (
                "The policy shows quasi-identifiers as they are and moves sensitive values: "
                "losses and k of labels do not show what that hides."
            )
        yield from self._notes_on_models(question)

    def _notes_on_models(self, question: ComparisonQuestion) -> Iterator[str]:
        """Yield a note on how models are tested, or why not; nothing if not asked for."""
        if not self._asked.models:
            return
        if not models.has_scikit_learn():
            yield "The model test is left out: it needs scikit-learn (install incrowd[utility])."
        elif not question.targets:
            yield "The model test is left out: no column to predict is known (--target)."
        else:
            yield _LEARNED


def _join_split_labels(
    engine: MemoryEngine, names: Sequence[str]
) -> tuple[MemoryEngine, tuple[str, ...]]:
    """Join each column that a release shows as two, of lower and upper ends, to one of labels.

    Also return the names of the joined columns. `names` are the columns of the original.
    """
    split = tuple(split_columns(names, engine.names))
    if not split:
        return engine, ()
    rows = pl.DataFrame([engine.series(name).alias(name) for name in engine.names])
    labels = join_ends(rows, dict.fromkeys(split, TOP))
    return MemoryEngine(labels, text=engine.text), split
