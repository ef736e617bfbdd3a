"""All figures of one release beside its original."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum

from incrowd.errors import count_of
from incrowd.utility import models
from incrowd.utility.classes import losses_of, risk_figures
from incrowd.utility.column import OriginalColumn
from incrowd.utility.comparison import (
    ModelTest,
    PairUtility,
    QueryUtility,
    Regression,
    ReleaseUtility,
    RiskFigures,
)
from incrowd.utility.counts import two_way_counts, two_way_counts_and_variances
from incrowd.utility.distributions import column_utility, share_within_noise, total_variation
from incrowd.utility.formula import Formula
from incrowd.utility.pairs import Feature, association, choose_pairs, measure_of
from incrowd.utility.queries import query_utility, single_cell_shares
from incrowd.utility.regression import fit_regression
from incrowd.utility.released import ReleasedColumn


@dataclass(frozen=True, eq=False)
class OriginalTable:
    """The original, coded, with what is needed for every release."""

    columns: Mapping[str, OriginalColumn]
    records: int

    @cached_property
    def features(self) -> dict[str, Feature]:
        """The feature of each column, by name, to put beside others."""
        return {name: Feature.of_original(column) for name, column in self.columns.items()}

    @cached_property
    def _measured_associations(self) -> dict[tuple[str, str], float | None]:
        """What `association` has measured, by pair of columns; None if a column is constant."""
        return {}

    def association(self, one: str, other: str) -> float | None:
        """The association of two columns, measured once for each pair; None if one is constant."""
        if (one, other) not in self._measured_associations:
            found = association(self.features[one], self.features[other])
            self._measured_associations[one, other] = found
        return self._measured_associations[one, other]

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of columns that are compared."""
        names = list(self.columns)
        return [(names[a], names[b]) for a, b in choose_pairs(list(self.columns.values()))]


@dataclass(frozen=True, eq=False)
class ReleaseTable:
    """A release, its columns read against the original's."""

    name: str
    columns: Mapping[str, ReleasedColumn]
    records: int
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    split: frozenset[str] = frozenset()
    """Columns that leave as two columns of ends, empty for missing values and suppressed ones."""

    @cached_property
    def features(self) -> dict[str, Feature]:
        """The feature of each column, by name, to put beside others."""
        return {name: Feature.of_release(column) for name, column in self.columns.items()}


@dataclass(frozen=True, kw_only=True)
class ComparisonQuestion:
    """What a comparison is about."""

    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    formula: Formula | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    """How much the loss of a column matters; 1 if not given."""
    not_counted: int = 0
    """Records that losses do not count: those left out for a missing quasi-identifier."""
    models: bool = True
    seed: int = 0


def original_risk(original: OriginalTable, quasi: tuple[str, ...]) -> RiskFigures | None:
    """Count how easily people are found in the original; None without such columns or records."""
    if not quasi or not original.records:
        return None
    return risk_figures([original.columns[name].coded.codes for name in quasi])


def release_utility(
    original: OriginalTable, release: ReleaseTable, question: ComparisonQuestion
) -> ReleaseUtility:
    """Compute every figure of one release."""
    notes = list(release.notes)
    quasi = tuple(name for name in question.quasi if name in release.columns)
    parts = _ReleaseComparison(original, release, question, quasi)
    two = parts.two_way_means() if release.records else (None, None)
    return ReleaseUtility(
        name=release.name,
        records=release.records,
        left_out=max(original.records - release.records, 0),
        columns=tuple(column_utility(column) for column in release.columns.values()),
        absent=release.absent,
        pairs=tuple(parts.pairs()),
        two_way=two[0],
        two_way_within_noise=two[1],
        queries=parts.queries(),
        models=tuple(parts.model_tests(notes)),
        regression=parts.regression(notes),
        losses=parts.losses(),
        losses_at_most=parts.has_unclear_labels(),
        risk=parts.risk(),
        notes=(*notes, *parts.notes()),
    )


@dataclass(frozen=True, eq=False)
class _ReleaseComparison:
    """One release next to the original."""

    original: OriginalTable
    release: ReleaseTable
    question: ComparisonQuestion
    quasi: tuple[str, ...]

    @cached_property
    def _shared_pairs(self) -> list[tuple[str, str]]:
        """The original's pairs of columns of which the release has both."""
        there = self.release.columns
        return [(a, b) for a, b in self.original.pairs if a in there and b in there]

    def pairs(self) -> Iterator[PairUtility]:
        """Yield the association of each pair of columns before and after; none without records."""
        if not self.release.records:
            return
        before, after = self.original, self.release.features
        for a, b in self._shared_pairs:
            yield PairUtility(
                columns=(a, b),
                measure=measure_of(before.columns[a], before.columns[b]),
                before=before.association(a, b),
                after=association(after[a], after[b]),
            )

    def two_way_means(self) -> tuple[float | None, float | None]:
        """The means over pairs of (total variation, share within noise); None without pairs."""
        before, after = self.original.features, self.release.features
        variation, within = [], []
        for a, b in self._shared_pairs:
            true = two_way_counts(before[a].spread, before[b].spread)
            estimate, variance = two_way_counts_and_variances(after[a].spread, after[b].spread)
            variation.append(total_variation(true, estimate))
            within.append(share_within_noise(true, estimate, variance))
        if not variation:
            return None, None
        return fsum(variation) / len(variation), fsum(within) / len(within)

    def queries(self) -> QueryUtility | None:
        """Answer queries over quasi-identifying, else all columns; None if under two, or empty."""
        names = list(self.quasi or tuple(self.release.columns))
        sensitive = [n for n in self.question.sensitive if n in self.release.columns]
        names = [n for n in names if n not in sensitive[:1]]
        before, after = self.original.features, self.release.features
        third = single_cell_shares(self.original.records), single_cell_shares(self.release.records)
        if sensitive:
            third = before[sensitive[0]].spread, after[sensitive[0]].spread
        return query_utility(
            [before[n].spread for n in names],
            [after[n].spread for n in names],
            third,
            self.question.seed,
        )

    def model_tests(self, notes: list[str]) -> Iterator[ModelTest]:
        """Yield tests of targets, or add to `notes` why not; none if unasked or without records."""
        if not self.question.models or not self.release.records:
            return
        columns = {name: self.original.columns[name] for name in self.release.columns}
        for target in self.question.targets:
            if target not in columns:
                notes.append(f"The model test of {target!r} is left out: the release lacks it.")
                continue
            asked = models.make_task(target, columns, self.question.seed)
            tables = self.original.features, self.release.features
            found = None if asked is None else models.run_model_test(asked, *tables)
            if found is None:
                notes.append(
                    f"The model test of {target!r} is left out: too few records or values."
                )
            else:
                yield found

    def regression(self, notes: list[str]) -> Regression | None:
        """The formula's regression; None without one or records, or if it fails (see `notes`)."""
        formula = self.question.formula
        if formula is None or not self.release.records:
            return None
        lacking = [name for name in formula.columns if name not in self.release.columns]
        if lacking:
            notes.append(f"The analysis cannot be done: the release lacks {', '.join(lacking)}.")
            return None
        tables = self.original.features, self.release.features
        result = fit_regression(formula, self.original.columns, tables, self.question.seed)
        if result is None:
            notes.append(
                f"The coefficients are left out: a regression of {formula.target!r} needs numbers "
                "or two values, more records than terms, and an estimate that exists."
            )
        return result

    def losses(self) -> dict[str, float]:
        """The losses over the quasi-identifying columns by name; empty without these or records."""
        columns = [self.release.columns[name] for name in self.quasi]
        if not columns or not self.original.records:
            return {}
        weights = [self.question.weights.get(name, 1.0) for name in self.quasi]
        return losses_of(columns, weights, self.original.records - self.question.not_counted)

    def has_unclear_labels(self) -> bool:
        """Whether quasi cells are unreadable or, leaving as two, empty: missing or suppressed."""
        columns = [self.release.columns[name] for name in self.quasi]
        return any(column.count_cells(column.unreadable) for column in columns) or any(
            name in self.release.split and column.count_cells(column.suppressed)
            for name, column in zip(self.quasi, columns, strict=True)
        )

    def risk(self) -> RiskFigures | None:
        """The risk by the quasi-identifying columns of the release; None if there are none."""
        if not self.quasi:
            return None
        return risk_figures([self.release.columns[name].codes for name in self.quasi])

    def notes(self) -> Iterator[str]:
        """Yield notes on records and cells of the release that the original does not explain."""
        if not self.release.records:
            yield "The release holds no records."
        more = self.release.records - self.original.records
        if more > 0:
            yield f"The release holds {count_of(more, 'record')} more than the original."
        for name, column in self.release.columns.items():
            unread = column.count_cells(column.unreadable)
            if unread:
                yield (
                    f"{count_of(unread, 'cell')} of {name!r} cannot be read as values of the "
                    "original; each is spread over the whole column."
                )
