"""The request compiled against the data: all that a search gets."""

from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Flags
from incrowd.linkage.candidates import CandidateCounter
from incrowd.loss.loss import Loss
from incrowd.models.model import Model
from incrowd.partition.classes import Classes, SensitiveColumn
from incrowd.recoding import Outcome, QuasiColumn, Recoding, outcome_of
from incrowd.table.column import Missing
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class Problem:
    """The request compiled against the data.

    The tally holds the columns of `columns` and `sensitive` in their order. With
    `Missing.SUPPRESS` the records with a missing quasi-identifying value are already gone from it.
    """

    tally: Tally
    columns: tuple[QuasiColumn, ...]
    sensitive: tuple[SensitiveColumn, ...]
    models: tuple[Model, ...]
    loss: Loss
    suppression: float = 0.0
    """The largest share of the tally's records that may be left out, 0..1."""
    missing: Missing = Missing.OWN_VALUE
    seed: int = 0
    consistent: bool = False
    """Whether records with the same quasi-identifying values must show the same."""
    world: CandidateCounter | None = None
    """Whom somebody may look for in the release, if that is known."""

    @property
    def suppressible(self) -> int:
        """How many records may be left out."""
        return int(np.floor(self.suppression * self.tally.records + 1e-9))

    @property
    def monotone(self) -> bool:
        """Whether, if a node satisfies all models, all nodes above it do.

        People who stand in several rows can turn up in both of two classes that merge, so models
        that look at values then lose the property; counting people does not.
        """
        return all(
            model.monotone and (not model.columns or not len(self.tally.shared_row))
            for model in self.models
        )

    @property
    def absorbing(self) -> bool:
        """Whether records in failing classes can only become fewer when levels rise."""
        return self.monotone and all(model.absorbing for model in self.models)

    def satisfied_by(self, classes: Classes) -> Flags:
        """Flag the classes that satisfy every model."""
        flags = np.ones(len(classes), dtype=np.bool_)
        for model in self.models:
            flags &= model.satisfied_by(classes)
        return flags

    def outcome(self, recoding: Recoding) -> Outcome:
        """The outcome of a recoding; with a world, its classes also count the world's people."""
        outcome = outcome_of(recoding, self.tally, self.columns, self.sensitive)
        if self.world is None:
            return outcome
        cells = outcome.low, outcome.high, outcome.level
        counts = self.world.counts(*cells, spans=outcome.spans, sets=outcome.sets)
        return replace(outcome, classes=replace(outcome.classes, world=counts))
