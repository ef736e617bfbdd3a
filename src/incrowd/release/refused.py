"""What a refused result is like: figures to compare methods with; its rows never leave."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from incrowd.loss import figures
from incrowd.release.facts import Proved
from incrowd.search.repair import flags_by_model
from incrowd.verify.verdict import Verdict


@dataclass(frozen=True)
class FailingModel:
    """How much of a result fails one model."""

    verdict: Verdict
    records: int
    """Records in classes that fail it."""
    classes: int
    """Classes that fail it."""
    measure: str = ""
    """Which of several measures of its name it is in, such as `frequency`."""


@dataclass(frozen=True)
class RefusedResult:
    """A result that does not satisfy its policy, in figures."""

    search: str
    why: str
    loss: Mapping[str, float]
    """All loss figures by name; `precision` is Prec, 1 = undamaged (Sweeney Definition 5)."""
    models: tuple[FailingModel, ...]
    """Each model with what fails it, in the order of the policy."""
    records: int
    """Records that would have left."""
    classes: int
    suppressed: int
    """Records left out."""
    failing_records: int
    """Records in classes that fail any of the models."""
    failing_classes: int


def refused_result(proved: Proved) -> RefusedResult:
    """Count what fails in a result that does not satisfy its policy, by classes of the search."""
    problem, outcome = proved.table.compiled.problem, proved.outcome
    failing = [~flags for flags in flags_by_model(problem, outcome)]
    records = outcome.classes.records
    either = np.logical_or.reduce(failing)
    return RefusedResult(
        search=proved.found.search,
        why=proved.found.why,
        loss=figures(outcome, proved.table.policy.loss),
        models=tuple(
            FailingModel(verdict, int(records[flags].sum()), int(flags.sum()), model.measure)
            for verdict, flags, model in zip(
                proved.proof.verdicts, failing, problem.models, strict=True
            )
        ),
        records=int(records.sum()),
        classes=len(records),
        suppressed=outcome.suppressed,
        failing_records=int(records[either].sum()),
        failing_classes=int(either.sum()),
    )
