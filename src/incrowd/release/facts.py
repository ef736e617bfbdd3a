"""What a proved release knows, computed once: certificate, texts, documents and page read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incrowd.engines.base import Staged, Written
from incrowd.exposure import Risk, measure, measure_blocks
from incrowd.loss import figures
from incrowd.loss.ncp import ncp_of_classes
from incrowd.models.l_diversity import LDiversity
from incrowd.policy.policy import Policy
from incrowd.recoding import Levels, Outcome, Recoding
from incrowd.release.assumptions import Order
from incrowd.release.certificate import LeftOut
from incrowd.release.load import LoadedTable, RunContext
from incrowd.release.proof import Proof, can_judge_in_blocks
from incrowd.release.released import ReleasedRows
from incrowd.search.lattice.frontier import Explored
from incrowd.search.search import Found
from incrowd.table.counted import CountedRows
from incrowd.table.fold import fold
from incrowd.table.tally import Tally
from incrowd.verify.alone import Alone
from incrowd.verify.crowds import number_cells
from incrowd.verify.losses import losses_of_sizes
from incrowd.verify.verdict import Verdict

ROUNDING = 1e-9
"""Tolerance of a sum of shares above its bound."""


@dataclass(frozen=True, eq=False)
class Proved:
    """A proved release: its table, the search's result, the written rows and what they show."""

    table: LoadedTable
    found: Found
    outcome: Outcome
    staged: Staged
    written: Written
    proof: Proof
    context: RunContext

    @property
    def rows(self) -> ReleasedRows:
        """The written rows, as the policy reads them."""
        return ReleasedRows.of_table(self.table, self.written)

    @property
    def order(self) -> Order:
        """Where the order of records comes from."""
        if self.table.policy.order == "keep":
            return "kept"
        return "system" if self.context.seed is None else "given"

    @property
    def seeded(self) -> bool:
        """Whether what was drawn comes from a seed that was given."""
        return self.context.seed is not None


@dataclass(frozen=True, eq=False, kw_only=True)
class ProvedFacts:
    """Everything that is known of a release but its rows, with all digits."""

    policy: Policy
    recoding: Recoding
    models: tuple[Verdict, ...]
    records: int
    """Number of records that leave."""
    people: int
    """People in the release; records if the policy has no unit column."""
    classes: int
    left_out: LeftOut
    risk: Risk
    alone: Alone | None = None
    """Whom columns that leave unchanged single out; None if there is none."""
    levels: Mapping[str, int] | None
    """The level of each quasi-identifying column, if one level holds for a whole column."""
    labels: Mapping[str, int] = field(default_factory=dict)
    """How many different labels each quasi-identifying column shows."""
    privacy: Mapping[str, Any] = field(default_factory=dict)
    """What the rows reach: `k`, people in the smallest class, and `l`, people of a class over those
    with its commonest sensitive value, of the least diverse class. l is None without a sensitive
    column, and by column if there are several."""
    why: str = ""
    """What was looked at, and why this recoding."""
    loss: Mapping[str, float] = field(default_factory=dict)
    """All loss figures by name, with all digits; what leaves may have fewer: see `withholding`."""
    max_class_ncp: float = 0.0
    """The largest share (NCP) that a class loses, 0..1."""
    bound_met: bool | None = None
    """Whether no class loses more than the policy allows; None if it sets no bound."""
    explored: Explored | None = field(default=None, repr=False)
    """What the search looked at, if it went through a lattice."""


def facts_of(proved: Proved) -> ProvedFacts:
    """Collect everything that is known of a proved release but its rows."""
    policy, found, proof = proved.table.policy, proved.found, proved.proof
    risk, records = _risk_of(proved), proved.staged.records
    levels = found.recoding.levels if isinstance(found.recoding, Levels) else None
    largest = float(ncp_of_classes(proved.outcome).max(initial=0.0))
    by_sizes = losses_of_sizes(proof.sizes, proved.table.compiled.records)
    missing = proved.table.compiled.left_out_missing
    return ProvedFacts(
        policy=policy,
        recoding=found.recoding,
        models=tuple(proof.verdicts),
        records=records,
        people=_count_people(proved),
        classes=proof.classes,
        left_out=LeftOut.of(proved.table.engine.records, records, missing),
        risk=risk,
        alone=proof.alone,
        levels=None if levels is None else dict(zip(policy.quasi, levels, strict=True)),
        labels=dict(proof.labels),
        privacy={"k": int(risk.k), "l": _least_l(proved, risk)},
        why=found.why,
        loss=figures(proved.outcome, policy.loss) | by_sizes,
        max_class_ncp=largest,
        bound_met=_keeps_bound(policy, largest),
        explored=found.explored,
    )


def _risk_of(proved: Proved) -> Risk:
    """Measure the risk of released rows; after a permutation only that of re-identification."""
    table, policy = proved.table, proved.table.policy
    names = () if policy.shown.exact else policy.sensitive
    held = [table.counted[name][0] for name in names]
    sensitive = [column for column in table.compiled.problem.sensitive if column.name in names]
    if can_judge_in_blocks(table) and policy.weight is None:
        rows = ReleasedRows.of_table(table, proved.staged)
        blocks = proved.staged.blocks(rows.stored_names(policy.quasi), held, rows.clear_missing)
        tallies = (_tally_shown(rows, block, policy.quasi, names) for block in blocks)
        found = measure_blocks(tallies, sensitive, missing=policy.missing)
        if found is not None:
            return found
    rows = proved.rows
    lines = proved.staged.counts(
        rows.stored_names(policy.quasi), held, unit=table.unit is not None, weight=policy.weight
    )
    tally = _tally_shown(rows, lines, policy.quasi, names)
    return measure(tally, sensitive, missing=policy.missing)


def _tally_shown(
    rows: ReleasedRows, lines: CountedRows, quasi: Sequence[str], sensitive: Sequence[str]
) -> Tally:
    """Tally counted rows (`lines`) of a release: labels numbered by text, sensitive codes held."""
    cells = rows.clear(lines).cells
    shown = [number_cells(cells[name]).codes.astype(np.int32) for name in quasi]
    held = [lines.codes[name] for name in sensitive]
    return fold(shown, held, lines.unit, lines.weights, records=lines.records)


def _least_l(proved: Proved, risk: Risk) -> Any:
    """The l of the least diverse class; by column if there are several, None without one."""
    policy, classes = proved.table.policy, proved.outcome.classes
    reached: dict[str, float | None]
    if policy.shown.exact:
        reached = {name: LDiversity(name, 1).achieved_by(classes) for name in policy.sensitive}
    else:
        reached = {name: risk.sensitive[name].l["frequency"] for name in policy.sensitive}
    return reached if len(reached) > 1 else next(iter(reached.values()), None)


def _keeps_bound(policy: Policy, largest_ncp: float) -> bool | None:
    """Whether no class loses more than the search allows; None without any limit."""
    most = policy.search.largest_class_loss
    limited = any(c.highest is not None or c.widest is not None for c in policy.columns.values())
    if most is None and not limited:
        return None
    return most is None or largest_ncp <= most + ROUNDING  # limits of columns hold in every release


def _count_people(proved: Proved) -> int:
    """Count the people in the release; a record without a unit is one person."""
    if proved.table.unit is None:
        return proved.staged.records
    rows = proved.staged.counts((), unit=True)
    assert rows.unit is not None  # noqa: S101  it was asked for
    return int(rows.records[rows.unit == 0].sum()) + int((rows.unit > 0).sum())
