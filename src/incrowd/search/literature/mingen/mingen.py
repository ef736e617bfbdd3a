"""MinGen: the preferred one of the least distorting generalizations (Sweeney Figure 5)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import prod
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from incrowd.errors import InfeasibleError, LimitError, PolicyError, count_of
from incrowd.loss.granularity import Precision
from incrowd.loss.loss import Loss
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.search.lattice.full_domain import allowed_levels, readable_number, recode
from incrowd.search.lattice.judging import Node
from incrowd.search.literature.mingen.tagging import TaggedLattice
from incrowd.search.refusals import no_levels_error, nothing_found, raise_if_infeasible
from incrowd.search.search import Found, Recodes, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

_SLACK = 1e-12


@dataclass(frozen=True, config=STRICT)
class Preferred:
    """A user's rules to choose one node among the minimal distortions (Sweeney Section 3.4).

    The paper leaves the rules to the user and asks that they end in a single node. Ours come in
    this order, each deciding what those before left open: columns that must stay `at_most` at a
    level; the columns of `order`; `weights`. What is left after that goes to the node with the
    fewest levels in all, then to the one whose first columns are lower.

    >>> Preferred(order=("zip", "race")).order
    ('zip', 'race')
    """

    order: tuple[str, ...] = ()
    """Columns by priority: the one that should be generalized least comes first."""
    weights: Mapping[str, Annotated[float, Field(gt=0)]] = field(default_factory=dict)
    """Per column how bad a level is; the least weighted sum of level over height is taken.

    Columns that are not named weigh 1. These weights choose among nodes of equal loss; those of a
    policy's columns are part of the loss itself.
    """
    at_most: Mapping[str, Annotated[int, Field(ge=0)]] = field(default_factory=dict)
    """Columns that must stay at or below a level.

    If no minimal distortion does, that is an error: whoever wants other nodes to be looked at
    limits the column itself (`highest` in the policy).
    """

    @property
    def named_columns(self) -> tuple[str, ...]:
        """The columns that the rules name."""
        return (*self.order, *self.weights, *self.at_most)

    def choose(self, columns: Sequence[QuasiColumn], nodes: Sequence[Node]) -> tuple[Node, str]:
        """One of the nodes, and the rule that decided, in words.

        `PolicyError` if a rule names an unknown column, `InfeasibleError` if none keeps `at_most`.
        """
        self.check(columns)
        left, decided = self._nodes_within_limits(columns, nodes), "there is only one"
        if len(left) < len(nodes):
            decided = "the limits of levels decided"
        for rule, key in self._rules(columns):
            if len(left) == 1:
                break
            worth = [key(node) for node in left]
            least = min(worth)
            fewer = [n for n, w in zip(left, worth, strict=True) if _is_as_good(w, least)]
            if len(fewer) < len(left):
                left, decided = fewer, f"{rule} decided"
        return left[0], decided

    def check(self, columns: Sequence[QuasiColumn]) -> None:
        """Raise `PolicyError` if a rule names what is not a quasi-identifying column."""
        unknown = {*self.named_columns} - {c.name for c in columns}
        if unknown:
            raise PolicyError(
                f"the preference of mingen names {min(unknown)!r}, which is not a quasi-identifier",
                remedy="name columns of role quasi: " + ", ".join(repr(c.name) for c in columns),
            )

    def _nodes_within_limits(
        self, columns: Sequence[QuasiColumn], nodes: Sequence[Node]
    ) -> list[Node]:
        """The nodes at or below the levels of `at_most`; `InfeasibleError` if there is none."""
        left = list(nodes)
        for j, column in enumerate(columns):
            limit = self.at_most.get(column.name)
            if limit is None:
                continue
            left = [node for node in left if node[j] <= limit]
            if not left:
                raise InfeasibleError(
                    f"no solution of lowest loss keeps {column.name!r} at or below level {limit}",
                    remedy=(
                        f"set highest = {limit} for {column.name!r} to search other levels "
                        "of the other columns, or allow a higher level"
                    ),
                    proved=False,
                )
        return left

    def _rules(self, columns: Sequence[QuasiColumn]) -> list[tuple[str, Callable[[Node], Any]]]:
        """The rules in order: the name of each, and the figure of a node that is to be small."""
        place = {column.name: j for j, column in enumerate(columns)}
        first = [place[name] for name in self.order]
        scale = [self.weights.get(c.name, 1.0) / max(c.hierarchy.height, 1) for c in columns]
        rules: list[tuple[str, Callable[[Node], Any]]] = [
            ("the order of columns", lambda node: tuple(node[j] for j in first)),
            ("the fewest levels in all", sum),
            ("the lower first columns", tuple),
        ]
        if self.weights:
            weighted = ("the weights", lambda n: sum(s * h for s, h in zip(scale, n, strict=True)))
            rules.insert(1, weighted)
        return rules


def _is_as_good(worth: Any, least: Any) -> bool:
    """Whether two figures are equal but for rounding."""
    return bool(worth <= least + _SLACK) if isinstance(least, float) else bool(worth == least)


LARGEST = 1_000_000
"""The largest lattice that is looked at unless another limit is given."""


def minimal_generalizations(
    problem: Problem, watch: Watch, limit: int = LARGEST
) -> tuple[Node, ...]:
    """All nodes that can be released while no node below can (Sweeney Definition 4).

    A node can be released if the classes that satisfy every model hold all but as many records as
    may be left out. Nodes come with the fewest levels first. Exact for every model: a node above
    one that can be released is never minimal, whether or not it can be released itself. Errors are
    those of `climb_lattice`.
    """
    return climb_lattice(problem, watch, limit).minimal


def minimal_distortions(
    problem: Problem, watch: Watch, loss: Loss | None = None, limit: int = LARGEST
) -> tuple[Node, ...]:
    """All nodes of least loss among those that can be released (Sweeney Definition 6, Figure 5).

    The loss is Prec unless another is given. Of two nodes of equal loss, one above the other, the
    lower one counts, so without suppression and with a loss that never falls as levels rise these
    are minimal generalizations (Theorem 2). With suppression a higher node may suppress fewer
    records and lose less: then all nodes are compared, as Figure 5 does, not only minimal ones.
    Errors are those of `climb_lattice`.
    """
    lattice = climb_lattice(replace(problem, loss=loss or Precision()), watch, limit)
    if not lattice.compare(watch):
        raise time_is_up_error(lattice)
    return lattice.distortions


def untagged_lattice(problem: Problem, limit: int) -> TaggedLattice:
    """The untagged lattice; `PolicyError` beyond `limit` nodes, `InfeasibleError` if impossible."""
    levels = [allowed_levels(column) for column in problem.columns]
    size = prod(len(allowed) for allowed in levels)
    if size > limit:
        raise PolicyError(
            f"there are {readable_number(size)} level vectors, more than mingen's limit of "
            f"{limit:,}",
            remedy=(
                'use search = "lattice", which finds the lowest loss without listing all '
                "minimal generalizations"
            ),
        )
    raise_if_infeasible(problem)
    return TaggedLattice(problem, tuple(a[0] for a in levels), tuple(a[-1] for a in levels))


def climb_lattice(problem: Problem, watch: Watch, limit: int) -> TaggedLattice:
    """The lattice with all its minimal nodes known.

    `PolicyError` beyond `limit` nodes, `LimitError` out of time, `InfeasibleError` without any.
    """
    lattice = untagged_lattice(problem, limit)
    if not lattice.climb(watch):
        raise time_is_up_error(lattice)
    if not lattice.minimal:
        raise no_levels_error(problem)
    return lattice


def time_is_up_error(lattice: TaggedLattice) -> LimitError:
    """The error that the time was up before all nodes had been looked at or ruled out."""
    return LimitError(
        f"the time limit ended after {lattice.examined:,} of {lattice.size:,} level vectors",
        remedy='raise the time limit, or use search = "lattice"',
    )


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
        return {"prefer": self.prefer.named_columns}

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Find all minimal generalizations and take the preferred one of least loss."""
        self.prefer.check(problem.columns)
        lattice = untagged_lattice(problem, self.limit)
        climbed = lattice.climb(watch)
        finished = climbed and lattice.compare(watch)
        least = lattice.distortions
        if not least:
            raise no_levels_error(problem) if finished else time_is_up_error(lattice)
        node, rule = least[0], "the time limit ended before all were found"
        if finished:
            node, rule = self.prefer.choose(problem.columns, least)
        recoding = recode(problem, node)
        if recoding is None:
            raise nothing_found(problem)
        counts, why = _explain(lattice, f"of lowest {problem.loss.name} loss: {rule}")
        return Found(
            recoding, self.name, finished, why, counts, lattice.as_explored(node, climbed=climbed)
        )


def _explain(lattice: TaggedLattice, rule: str) -> tuple[dict[str, float], str]:
    """The facts of a search, and a sentence that ends in the rule by which it chose."""
    minimal, least = lattice.minimal, lattice.distortions
    counts = {
        "nodes": float(lattice.size),
        "examined": float(lattice.examined),
        "pruned": float(lattice.size - lattice.examined),
        "minimal": float(len(minimal)),
        "least": float(len(least)),
    }
    many = count_of(len(minimal), "minimal generalization")
    chosen = f"{count_of(len(least), 'level vector')} {rule}"
    looked = f"{lattice.examined:,} of {lattice.size:,} level vectors examined"
    return counts, f"{many}, {chosen}; {looked}"
