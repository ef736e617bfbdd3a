"""MinGen: the preferred one of the least distorting generalizations (Sweeney Figure 5)."""

from dataclasses import field
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.problem import Problem
from incrowd.search.lattice.full_domain import recode
from incrowd.search.literature.mingen.minimal_generalizations import LARGEST, late, tagged
from incrowd.search.literature.mingen.preferred import Node, Preferred
from incrowd.search.refusals import no_levels, nothing_found
from incrowd.search.search import Found, Recodes, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.search.literature.mingen.tagging import Tagged


@dataclass(frozen=True, config=STRICT)
class MinGen(Search):
    """All minimal generalizations; of those with the least loss the one that is preferred.

    Sweeney Figure 5 at the attribute level. The loss is the policy's; the paper's is Prec, with
    weights per column. It compares all nodes that can be released, as step 2.3 does: where a higher
    node suppresses fewer records it may lose less than any minimal one.

    Where we depart: any models and a suppression limit; nodes are not listed one by one but ruled
    out by those that were counted.

    >>> MinGen(prefer=Preferred(order=("zip",))).name
    'mingen'
    """

    prefer: Preferred = field(default_factory=Preferred)
    """The rules that choose one of several nodes of least loss."""
    limit: Annotated[int, Field(ge=1)] = LARGEST
    """The largest lattice that it takes on."""
    name: Literal["mingen"] = field(default="mingen", kw_only=True)
    recoding: ClassVar[Recodes] = "levels"

    @property
    def named_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that its settings name."""
        return {"prefer": self.prefer.named}

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Find all minimal generalizations and take the preferred one of least loss."""
        self.prefer.check(problem.columns)
        lattice = tagged(problem, self.limit)
        finished = lattice.climb(watch) and lattice.compare(watch)
        least = lattice.distortions
        if not least:
            raise no_levels(problem) if finished else late(lattice)
        node, rule = least[0], "the time was up before all were known"
        if finished:
            node, rule = self.prefer.choose(problem.columns, least)
        recoding = recode(problem, node)
        if recoding is None:
            raise nothing_found(problem)
        counts, why = _told(lattice, f"of least {problem.loss.name}: {rule}")
        return Found(recoding, self.name, finished, why, counts, lattice.explored(node))


def _told(lattice: "Tagged", rule: str) -> tuple[dict[str, float], str]:
    """What was found in figures, and in words."""
    minimal, least = lattice.minimal, lattice.distortions
    counts = {
        "nodes": float(lattice.size),
        "examined": float(lattice.examined),
        "pruned": float(lattice.size - lattice.examined),
        "minimal": float(len(minimal)),
        "least": float(len(least)),
    }
    many = f"{_many(minimal, 'minimal generalization')}, {_many(least, 'level vector')}"
    looked = f"{lattice.examined:,} of {lattice.size:,} level vectors were counted"
    return counts, f"{many} {rule}; {looked}"


def _many(nodes: tuple[Node, ...], what: str) -> str:
    return f"{len(nodes):,} {what}{'' if len(nodes) == 1 else 's'}"
