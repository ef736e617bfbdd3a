"""Prove a release: the only place that queries engines for evidence, which `verify` judges."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.engines.base import RowPlan, Staged, Written
from incrowd.linkage.world import people_by_leaf
from incrowd.models.model import Model
from incrowd.policy.ends import people_per_cell, world_people_per_cell
from incrowd.recoding.column_cells import ByValue
from incrowd.release.kept import kept_columns, measure_alone_by_policy
from incrowd.release.load import LoadedTable, world_of_labels
from incrowd.release.released import ReleasedRows, compared_columns
from incrowd.release.rows import leaving_names, pseudonymous_columns, unchanged_columns
from incrowd.table.column import Missing
from incrowd.table.counted import CountedRows
from incrowd.table.encode import columns_without_codes
from incrowd.verify.alone import Alone
from incrowd.verify.shown import (
    ShownColumn,
    cell_judge,
    crowds_by_number,
    demand_coarse,
    demand_consistent,
    demand_named_by_crowds,
    demand_numbered_classes,
    demand_permuted,
    demand_steady,
    demand_within,
    people_by_code,
)
from incrowd.verify.verdict import Verdict
from incrowd.verify.verify import (
    Reference,
    SeenRelease,
    demand_accounted,
    demand_complete,
    demand_no_missing,
    demand_once,
    demand_pseudonyms,
    demand_same_rows,
    demand_unchanged,
    require_units,
    see_release,
    verify,
    weakest_verdicts,
)


@dataclass(frozen=True, eq=False)
class Proof:
    """What the written rows show, and the verdict of every model."""

    sizes: Counts
    """Records per class."""
    labels: Mapping[str, int]
    """By quasi-identifying column: how many different labels it shows."""
    verdicts: tuple[Verdict, ...]
    spread: Mapping[str, Reference] = field(default_factory=dict)
    """By column whose classes are compared with the release: how the release spreads it."""
    alone: Alone | None = None
    """Whom columns that leave as they are single out; None if there is none."""

    @property
    def classes(self) -> int:
        """How many classes the release has."""
        return len(self.sizes)


@dataclass(frozen=True, eq=False)
class ReleaseEvidence:
    """Evidence of an engine about a release, read by the policy."""

    table: LoadedTable
    staged: Staged
    written: Written

    @cached_property
    def rows(self) -> ReleasedRows:
        """The written rows."""
        return ReleasedRows.of_table(self.table, self.written)

    @cached_property
    def reference(self) -> dict[str, Reference]:
        """By column that models judge: its positions, and the people that classes compare with."""
        return {**self.table.reference, **self.release_spreads}

    @cached_property
    def release_spreads(self) -> dict[str, Reference]:
        """By column whose classes are compared with the release: how the release spreads it."""
        return {name: self._own_spread(name) for name in compared_columns(self.table.policy)}

    def _own_spread(self, name: str) -> Reference:
        """Count how the release spreads a column over its people."""
        by_unit = self.table.unit is not None
        rows = self.count_by_person((name,)) if by_unit else self.rows.counts((name,))
        return self.table.reference[name].count_among(rows, name)

    def count_by_person(self, columns: tuple[str, ...]) -> CountedRows:
        """Count shown cells by person, from the staged rows: the unit is not released."""
        return self.rows.clear(self.staged.counts(self.rows.stored_names(columns), unit=True))

    def blocks(self, columns: tuple[str, ...]) -> Iterator[CountedRows]:
        """Yield the written rows in blocks; `columns` begin with the quasi-identifying ones."""
        stored, key = map(self.rows.stored_names, (columns, self.table.policy.quasi))
        for block in self.written.blocks(stored, len(key), self.rows.clear_missing):
            yield self.rows.clear(block)

    def count_shown_and_held(self, columns: tuple[str, ...], *held: str) -> CountedRows:
        """Count what staged rows show of `columns`, each with the codes that it held in `held`."""
        codes = [self.table.quasi[name][0] for name in held]
        return self.rows.clear(self.staged.counts(self.rows.stored_names(columns), codes))

    def count_by_class(self, columns: tuple[str, ...]) -> CountedRows:
        """Count what the staged rows show of these columns, by class."""
        return self.rows.clear(self.staged.counts(columns, classes=True))

    def count_holders(self, column: str) -> tuple[Counts, int]:
        """Count people per leaf of a column, and the fewest who must hold a name in a set.

        Where a world decides what labels may name, a leaf counts its people in the table or in the
        world, whichever are more, and the fewest are those that the world asks for.
        """
        table, models = self.table, self.table.compiled.problem.models
        codes, hierarchy = table.quasi[column]
        rows = table.engine.counts((), [codes], table.unit)
        people = people_by_code(rows, column, len(hierarchy.leaves) + 1)
        world = world_of_labels(table.policy, table.against)
        if world is None or column not in world.columns:
            return people, people_per_cell(models)
        there = people_by_leaf(world, column, hierarchy.leaves)
        return np.maximum(people, there), world_people_per_cell(models)


def prove(table: LoadedTable, plan: RowPlan, staged: Staged, written: Written) -> Proof:
    """Prove a written release: `NotMetError` for wrong rows or cells, not for models that fail."""
    evidence = ReleaseEvidence(table, staged, written)
    proof = _proof_of(evidence, plan)
    return replace(proof, spread=evidence.release_spreads, alone=_count_alone(evidence))


def _proof_of(evidence: ReleaseEvidence, plan: RowPlan) -> Proof:
    """Demand that every row and cell is what it must be, then judge by the models."""
    table, policy = evidence.table, evidence.table.policy
    _demand_rows(evidence)
    for name in pseudonymous_columns(policy):
        pairs = evidence.rows.clear(evidence.staged.cell_pairs(name))
        demand_pseudonyms(name, pairs, _expected_pseudonyms(plan, name))
    if policy.shown.exact:
        return _prove_by_class(evidence)
    for name in policy.quasi:
        _demand_cells(evidence, name, steadily=plan.steady)
    if policy.consistent:
        demand_consistent(evidence.count_shown_and_held(policy.quasi, *policy.quasi))
    columns = tuple(dict.fromkeys((*policy.quasi, *policy.judged)))
    if can_judge_in_blocks(table):
        return _prove_in_blocks(evidence, columns)
    if table.unit is None:
        rows = evidence.rows.counts(columns)
    else:
        rows = require_units(evidence.count_by_person(columns))
    seen = see_release(rows, policy)
    world = None if table.against is None else table.against.public_table
    verdicts = verify(seen, policy, evidence.reference, world, table.people)
    return _join_proofs([seen], [verdicts], policy.models)


def _count_alone(evidence: ReleaseEvidence) -> Alone | None:
    """Count the people whom kept columns single out in the written rows; None if none is kept."""
    table, policy = evidence.table, evidence.table.policy
    columns = (*policy.quasi, *kept_columns(policy))

    def blocks() -> Iterable[CountedRows]:
        if can_judge_in_blocks(table):
            return evidence.blocks(columns)
        if table.unit is None:
            return [evidence.rows.counts(columns)]
        return [require_units(evidence.count_by_person(columns))]

    return measure_alone_by_policy(blocks, policy, columns_without_codes(table.engine.sealed))


def can_judge_in_blocks(table: LoadedTable) -> bool:
    """Whether classes can be judged block by block: not with units, a world or matching classes."""
    anything = table.policy.missing is Missing.MATCHES_ANYTHING
    return table.unit is None and table.against is None and not anything


def _prove_in_blocks(evidence: ReleaseEvidence, columns: tuple[str, ...]) -> Proof:
    """Judge the written rows block by block: all rows of a class are in one block."""
    table, policy = evidence.table, evidence.table.policy
    every: list[SeenRelease] = []
    verdicts: list[tuple[Verdict, ...]] = []
    for rows in evidence.blocks(columns):
        if len(rows.records):  # a block may be empty, the first one too
            seen = see_release(rows, policy)
            verdicts.append(verify(seen, policy, evidence.reference, drawn=table.people))
            every.append(replace(seen, rows=seen.rows.clear()))
    if not every:
        see_release(rows, policy)  # says that no record is left
    return _join_proofs(every, verdicts, policy.models)


def _join_proofs(
    seen: Sequence[SeenRelease], verdicts: Sequence[tuple[Verdict, ...]], models: Sequence[Model]
) -> Proof:
    """Make the proof of rows that were judged at once, or in blocks one after the other."""
    labels = {
        name: pl.concat([one.quasi[name].labels for one in seen]).n_unique()
        for name in seen[0].quasi
    }
    sizes = np.concatenate([one.crowds.sizes for one in seen])
    weakest = verdicts[0] if len(verdicts) == 1 else weakest_verdicts(verdicts, models)
    return Proof(sizes, labels, weakest)


def _prove_by_class(evidence: ReleaseEvidence) -> Proof:
    """Prove rows whose sensitive cells were permuted; the caller has checked the other columns."""
    policy = evidence.table.policy
    sensitive = policy.sensitive
    held = evidence.rows.clear(evidence.staged.count_originals(sensitive))
    demand_permuted(held, evidence.count_by_class(sensitive))
    if policy.class_column is not None:
        demand_numbered_classes(
            policy.class_column, evidence.count_by_class((policy.class_column,))
        )
    rows = evidence.count_by_class(tuple(dict.fromkeys((*policy.quasi, *policy.judged))))
    seen = see_release(rows, policy)
    seen = replace(seen, crowds=crowds_by_number(rows.classes, rows.records))
    return _join_proofs([seen], [verify(seen, policy, evidence.reference)], policy.models)


def _demand_rows(evidence: ReleaseEvidence) -> None:
    """Demand the right columns, each record at most once, kept cells unchanged, few left out."""
    table, staged, written = evidence.table, evidence.staged, evidence.written
    policy, engine = table.policy, table.engine
    wanted = leaving_names(policy, engine.names, evidence.rows.split)
    demand_complete(written.names, written.records, wanted, staged.records)
    demand_same_rows(written.count_differences(staged, policy.missing_values, blank=engine.text))
    demand_once(staged.repeated_records)
    demand_unchanged(staged.count_altered(), unchanged_columns(policy))
    if policy.missing is not Missing.SUPPRESS:
        demand_accounted(staged.records, engine.records, policy.suppression)
        return
    held = [table.quasi[name][0] for name in policy.quasi]
    for column in held:
        demand_no_missing(staged.counts((), [column]))
    whole = int(engine.counts((), held[:1], None, held).records.sum())
    demand_accounted(staged.records, whole, policy.suppression)


def _expected_pseudonyms(plan: RowPlan, name: str) -> dict[str, str]:
    """The pseudonym of each value of an identifier, by the value's text."""
    cell = plan.cells[name]
    assert isinstance(cell, ByValue)  # noqa: S101  pseudonyms are shown by value
    return dict(zip(cell.column.domain.labels.tolist(), cell.labels[1:].tolist(), strict=True))


def _demand_cells(evidence: ReleaseEvidence, name: str, *, steadily: bool) -> None:
    """Demand that a column shows what it may; `steadily` asks that equal values show the same."""
    policy = evidence.table.policy
    hierarchy = evidence.table.quasi[name][1]
    judge = cell_judge(policy.show)
    together = policy.quasi if judge.together and not steadily else (name,)
    column = ShownColumn.of(name, evidence.count_shown_and_held(together, name))
    if steadily:
        demand_steady(column)
    judge.demand(hierarchy, column)
    demand_coarse(hierarchy, name, column.cells, policy.columns[name].lowest)
    demand_within(hierarchy, name, column.cells, policy.columns[name])
    if policy.shown.sets and policy.ends == "aligned":
        people, crowd = evidence.count_holders(name)
        demand_named_by_crowds(hierarchy, name, column.cells, people, crowd)
