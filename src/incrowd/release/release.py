"""The verified release: its rows and everything known about them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from incrowd.errors import NotMetError
from incrowd.release.certificate import Certificate
from incrowd.release.facts import ProvedFacts
from incrowd.search.lattice.frontier import Explored, NodeState
from incrowd.showing import Shown
from incrowd.verify.verify import demand_models_met
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.search.bound import LossBound

_SEAL = object()
STAGES = ("read", "search", "release", "verify", "write")
"""The stages of `Release.seconds`."""


@dataclass
class StageTimer:
    """Seconds per stage, from the end of one stage to the end of the next."""

    watch: Watch = field(default_factory=Watch)
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    before: float = 0.0

    def end(self, stage: str) -> None:
        """Book the time since the last stage ended to this stage."""
        now = self.watch.elapsed
        self.seconds[stage] += now - self.before
        self.before = now


@dataclass(frozen=True, eq=False, kw_only=True)
class Release(ProvedFacts, Shown):
    """Verified rows, with everything known about them except their values.

    The only constructor is `Release.of_verified`, which refuses rows that do not meet every model
    of their policy.
    """

    frame: Any
    """The rows that leave, in the kind of frame that came in."""
    certificate: Certificate
    seconds: Mapping[str, float]
    notes: tuple[str, ...] = ()
    bound: "LossBound | None" = None
    """A loss that no release of the table goes below, if it was asked for and there is one."""
    _seal: object = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse a release that `of_verified` did not make."""
        if self._seal is not _SEAL:
            raise NotMetError("rows must be verified to make a release")

    @classmethod
    def of_verified(cls, facts: ProvedFacts, **made: Any) -> "Release":
        """Make a release of facts and what they lack; `NotMetError` unless all models are met."""
        if not facts.models:
            raise NotMetError("the policy has no model, so the release would protect nobody")
        demand_models_met(facts.models)
        return cls(**vars(facts), **made, _seal=_SEAL)

    @property
    def search(self) -> str:
        """The search that found the recoding."""
        return self.certificate.search

    @property
    def optimal(self) -> bool:
        """Whether no recoding of this kind loses less."""
        return self.certificate.optimal

    @property
    def k(self) -> int:
        """People in the smallest class."""
        return int(self.risk.k)

    @property
    def suppressed(self) -> int:
        """Number of records that were left out, for whatever reason."""
        return self.left_out.records

    @property
    def lattice(self) -> pl.DataFrame | None:
        """The nodes that the search counted, in their order; None if it went through no lattice.

        A line has the level of each column, `k` (people in the smallest class before anything is
        left out), `suppressed` (records of failing classes, null if not judged), `loss` (null if
        the node cannot be released), its `state` and whether it is the one that was taken. Where
        the search found all minimal generalizations (mingen, exhaustive), `minimal` marks them:
        nodes that can be released while none below can.
        """
        return None if self.explored is None else nodes_frame(self.explored)

    def __repr__(self) -> str:
        """Without values."""
        return (
            f"Release({self.records:,} records, {self.suppressed:,} left out, "
            f"{self.classes:,} classes, k={self.k}, search={self.search!r})"
        )


def nodes_frame(explored: Explored) -> pl.DataFrame:
    """Put each counted node of a lattice on a line, in search order."""
    figures = {"k", "suppressed", "loss", "state", "optimum", "minimal"}
    levels = {
        f"{name} (level)" if name in figures else name: explored.levels[:, j].astype(np.int32)
        for j, name in enumerate(explored.columns)
    }
    suppressed = pl.Series(explored.suppressed.tolist(), dtype=pl.Int64)
    return pl.DataFrame(
        {
            **levels,
            "k": explored.k,
            "suppressed": suppressed.set(pl.Series(explored.suppressed < 0), None),
            "loss": pl.Series(explored.loss).fill_nan(None),
            "state": [NodeState(int(state)).name.lower() for state in explored.state],
            "optimum": np.arange(len(explored)) == explored.best,
            **({} if explored.minimal is None else {"minimal": explored.minimal}),
        }
    )
