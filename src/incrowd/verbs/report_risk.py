"""The risk sections of a report: classes before and after, what they hold, who is exposed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.documents.report.facts import (
    ContributionFact,
    DiversityFacts,
    ExposureFacts,
    RiskCurve,
    RiskFacts,
    SizeFacts,
)
from incrowd.errors import NotMetError, PolicyError
from incrowd.exposure.explained import (
    MOST_SWEPT,
    measure_all_sets,
    rows_at_risk,
    shapley_parts,
    share_of,
)
from incrowd.exposure.measure import measure, without_sensitive
from incrowd.exposure.pairs import unique_by_pairs
from incrowd.exposure.risk import Figures
from incrowd.exposure.spread import records_by_step, risk_steps, size_steps, step_names, value_steps
from incrowd.models import LDiversity, TCloseness
from incrowd.models.model import Model
from incrowd.partition.classes import Classes, SensitiveColumn, classes_of, number_columns
from incrowd.policy.policy import Policy
from incrowd.release.load import LoadedTable
from incrowd.release.released import ReleasedRows
from incrowd.table.column import Kind
from incrowd.table.counted import CountedRows
from incrowd.table.fold import fold
from incrowd.table.tally import Tally
from incrowd.verify.crowds import number_cells as numbered_cells
from incrowd.verify.spellings import kind_of_labels, own_reference
from incrowd.verify.verify import Reference
from incrowd.watch import Watch
from incrowd.withholding import LEAST, public_count, public_counts, public_share

THRESHOLD = 0.2
"""A record is exposed if the risk to be found is above this: one in five."""
_MOST_DRAWN = 16
"""Columns of the heat map at most."""
_MOST_CELLS = 20_000_000
"""Most rows times sets for which every set of columns is counted."""
_MOST_WITHOUT = 400_000_000
"""Most rows times columns squared for which risk is counted without each column."""
_WORST = 3


@dataclass(frozen=True, eq=False)
class ClassedTable:
    """A table by its quasi-identifiers: its distinct rows and the classes that they form."""

    names: tuple[str, ...]
    tally: Tally
    sensitive: tuple[SensitiveColumn, ...]

    def __repr__(self) -> str:
        """Without values."""
        return f"ClassedTable({self.tally.records} records, {len(self.names)} columns)"

    @classmethod
    def of_original(cls, table: LoadedTable) -> "ClassedTable":
        """The original by its quasi-identifiers, coded by their hierarchies."""
        problem = table.compiled.problem
        return cls(table.policy.quasi, problem.tally, problem.sensitive)

    @classmethod
    def of_release(
        cls, rows: ReleasedRows, policy: Policy, table: LoadedTable | None
    ) -> "ClassedTable":
        """The release by its labels, with sensitive values unless quasi-identifiers are exact."""
        names = () if policy.shown.exact else policy.sensitive
        lines = rows.counts((*policy.quasi, *names))
        cells = [numbered_cells(lines.cells[name]) for name in policy.quasi]
        equal = [np.zeros(len(lines.records), dtype=np.int32)]
        quasi = [numbered.codes.astype(np.int32) for numbered in cells] or equal
        described = [_sensitive_codes(lines, name, policy, table) for name in names]
        tally = fold(quasi, [codes for codes, _ in described], records=lines.records)
        return cls(policy.quasi, tally, tuple(column for _, column in described))

    @cached_property
    def classes(self) -> Classes:
        """The classes of equal rows."""
        class_of, number = number_columns(self.tally.quasi)
        return classes_of(self.tally, class_of, number, self.sensitive)

    @cached_property
    def plain(self) -> Tally:
        """The distinct rows without sensitive values."""
        if self.tally.has_units:
            return without_sensitive(self.tally)
        return fold(list(self.tally.quasi), (), records=self.tally.counts)

    def measure_risk(self, policy: Policy) -> Figures:
        """Measure the risk by the policy's reading of missing values."""
        return measure(self.plain, (), THRESHOLD, policy.missing)


def _sensitive_codes(
    lines: CountedRows, name: str, policy: Policy, table: LoadedTable | None
) -> tuple[Codes, SensitiveColumn]:
    """Code and describe a column by the original's values, or the release's if those lack one."""
    cells = numbered_cells(lines.cells[name])
    kind = policy.columns[name].kind or kind_of_labels(cells.labels)
    reference = own_reference(lines.cells[name], kind, lines.records)
    labels = cells.labels.to_list()
    places = reference.places(labels)
    if table is not None and (found := _original_places(table, name, labels)) is not None:
        reference, places = found
        kind = table.kinds.get(name, kind)
    codes = np.concatenate([[0], places]).astype(np.int32)[cells.codes]
    ordered = kind is not Kind.TEXT
    return codes, SensitiveColumn(name, reference.people, ordered, reference.maps)


def _original_places(
    table: LoadedTable, name: str, labels: list[str]
) -> tuple[Reference, Counts] | None:
    """The values of the original, and each label's place in them, from 1; None if it lacks one."""
    reference = table.reference_of(name)
    try:
        return reference, reference.places(labels)
    except NotMetError:
        return None


def risk_facts(figures: Figures) -> RiskFacts:
    """The figures of a table, small counts withheld."""
    return RiskFacts(
        records=figures.records,
        classes=figures.classes,
        k=figures.k,
        average_class=figures.average_class,
        unique=public_count(figures.unique_records),
        unique_share=public_share(figures.unique_share, figures.records),
        highest=figures.prosecutor.max,
        average=figures.prosecutor.average,
        above=public_share(figures.prosecutor.above_threshold, figures.records),
    )


def size_facts(before: ClassedTable | None, after: ClassedTable, least: int) -> SizeFacts:
    """Shares of records by size of class, before and after on one scale that marks `least`."""
    tables = [table for table in (before, after) if table is not None]
    largest = max(int(table.classes.people.max(initial=1)) for table in tables)
    steps = size_steps(least, largest)
    return SizeFacts(
        labels=step_names(steps, whole=True),
        before=None if before is None else _shares_by_size(before.classes, steps),
        after=_shares_by_size(after.classes, steps),
        least=least,
        mark=_place_of_limit(steps, least),
    )


def _place_of_limit(steps: Sequence[float], limit: float) -> int | None:
    """The index of the step that equals a limit; None if none does."""
    return steps.index(limit) if limit in steps else None


def _shares_by_size(classes: Classes, steps: Sequence[int]) -> tuple[float | None, ...]:
    """The share of the records at each step of class sizes; None for a withheld one."""
    return _public_shares(records_by_step(classes, classes.people, steps))


def _public_shares(counts: Sequence[int]) -> tuple[float | None, ...]:
    """Each count as a share of the sum of all; None for a withheld one."""
    total = max(sum(counts), 1)
    return tuple(None if count is None else count / total for count in public_counts(counts))


def risk_curve(before: ClassedTable | None, after: ClassedTable) -> RiskCurve:
    """The share of the records above every risk, before and after."""
    return RiskCurve(
        before=() if before is None else risk_steps(before.classes, LEAST),
        after=risk_steps(after.classes, LEAST),
    )


def diversity_facts(
    policy: Policy, before: ClassedTable | None, after: ClassedTable
) -> Iterator[DiversityFacts]:
    """Yield what classes reach in each sensitive column, by the policy's and by usual models."""
    for column in after.sensitive:
        for model, asked in _measures_of_column(policy, column.name):
            was = None if before is None else _values_by_class(model, before.classes)
            now = _values_by_class(model, after.classes)
            if now is not None and len(now):
                tables = (None if before is None else before.classes, after.classes)
                yield _diversity_of_model(model, asked, (was, now), tables)


def _measures_of_column(policy: Policy, column: str) -> list[tuple[Model, float | None]]:
    """The policy's models of a column, each with what it asks; then usual ones, which ask None."""
    own: list[tuple[Model, float | None]] = [
        (model, model.threshold) for model in policy.models if column in model.columns
    ]
    usual: tuple[Model, ...] = (LDiversity(column, 1), TCloseness(column, 1))
    known = {model.name for model, _ in own}
    return own + [(model, None) for model in usual if model.name not in known]


def _values_by_class(model: Model, classes: Classes) -> Floats | None:
    """What each class achieves by a model; None if the model needs what is not at hand."""
    try:
        return model.achieved_per_class(classes)
    except PolicyError:
        return None


def _diversity_of_model(
    model: Model,
    asked: float | None,
    values: tuple[Floats | None, Floats],
    tables: tuple[Classes | None, Classes],
) -> DiversityFacts:
    """Count records by what their class reaches in a model that asks for `asked`.

    `values` and `tables` are pairs, of the original (or None) and of the release.
    """
    was, now = values
    ends = [float(end) for one in values if one is not None for end in (one.min(), one.max())]
    steps = value_steps(ends, asked)
    before = None
    if was is not None and tables[0] is not None:
        before = _public_shares(records_by_step(tables[0], was, steps))
    kind = ", ".join(str(one) for one in model.variant if one is not None)
    worst = np.min if model.higher_is_safer else np.max
    return DiversityFacts(
        column=model.columns[0],
        measure=f"{model.name} ({kind})" if kind else model.name,
        labels=step_names(steps, whole=False),
        before=before,
        after=_public_shares(records_by_step(tables[1], now, steps)),
        asked=asked,
        mark=None if asked is None else _place_of_limit(steps, asked),
        worst_before=None if was is None else float(worst(was)),
        worst_after=float(worst(now)),
    )


def exposure_facts(
    table: ClassedTable, policy: Policy, figures: Figures, watch: Watch, *, original: bool
) -> ExposureFacts:
    """Measure who is exposed by each column of a table, and made unique by pairs of columns."""
    tally, names = table.plain, table.names
    exposed = (rows_at_risk(tally, tally.quasi[[j]], THRESHOLD) for j in range(len(names)))
    alone = [share_of(tally, rows) for rows in exposed]
    drawn = sorted(np.argsort([-one for one in alone], kind="stable")[:_MOST_DRAWN].tolist())
    pairs = [names[j] for j in drawn]
    chosen = tally if len(drawn) == len(names) else _with_columns(tally, drawn)
    unique = unique_by_pairs(pairs, chosen, watch) if pairs else np.zeros((0, 0))
    return ExposureFacts(
        of="original" if original else "release",
        threshold=THRESHOLD,
        risk=risk_facts(figures),
        contributions=tuple(_contribution_facts(table, alone, watch)),
        pairs=tuple(pairs),
        unique=tuple(
            tuple(_public_unique_share(cell, tally) for cell in line) for line in unique.tolist()
        ),
        worst=tuple(_worst_pairs(pairs, unique, tally)),
        most=float(np.nanmax(unique)) if unique.size and not np.isnan(unique).all() else 0.0,
        notes=tuple(_exposure_notes(table, policy)),
    )


def _with_columns(tally: Tally, columns: Sequence[int]) -> Tally:
    """The tally of these columns alone; `tally` has no sensitive ones."""
    quasi = np.ascontiguousarray(tally.quasi[list(columns)])
    if tally.has_units:
        return replace(tally, quasi=quasi)
    return fold(list(quasi), (), records=tally.counts)


def _public_unique_share(share: float, tally: Tally) -> float | None:
    """The share of the records; None if it is NaN (not known), or withheld."""
    return None if np.isnan(share) else public_share(share, tally.records)


def _contribution_facts(
    table: ClassedTable, alone: Sequence[float], watch: Watch
) -> Iterator[ContributionFact]:
    """Yield what each column adds to the risk; None for what is withheld, too slow or undefined.

    `alone` has the share of the records that each column exposes by itself.
    """
    tally, names = table.plain, table.names
    width = len(names)
    shapley: list[float] | None = None
    if width <= MOST_SWEPT and tally.rows * 2**width <= _MOST_CELLS and tally.rows:
        shapley = shapley_parts(width, measure_all_sets(names, tally, Watch(tell=watch.tell)))
    counted = width > 1 and tally.rows * width * width <= _MOST_WITHOUT
    for j, name in enumerate(names):
        without = None
        if counted:
            rest = np.ascontiguousarray(np.delete(tally.quasi, j, axis=0))
            without = public_share(
                share_of(tally, rows_at_risk(tally, rest, THRESHOLD)), tally.records
            )
        yield ContributionFact(
            column=name,
            alone=public_share(alone[j], tally.records),
            without=without,
            unique=None if shapley is None else public_share(shapley[j], tally.records),
        )


def _worst_pairs(
    names: Sequence[str], unique: Floats, tally: Tally
) -> Iterator[tuple[str, str, float]]:
    """Yield the `_WORST` pairs that make most records unique, with the share, highest first."""
    found = [
        (names[i], names[j], float(unique[i, j]))
        for i, j in combinations(range(len(names)), 2)
        if unique[i, j] > 0 and public_share(float(unique[i, j]), tally.records) is not None
    ]
    yield from sorted(found, key=lambda pair: -pair[2])[:_WORST]


def _exposure_notes(table: ClassedTable, policy: Policy) -> Iterator[str]:
    """Yield notes on columns that the heat map leaves out, and on records that are not counted."""
    if len(table.names) > _MOST_DRAWN:
        yield (
            f"The heat map has the {_MOST_DRAWN} columns that expose most records alone, of "
            f"{len(table.names)}."
        )
    if policy.missing.value == "suppress":
        yield "Records with a missing quasi-identifying value are not counted here."
