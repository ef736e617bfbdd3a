"""Which of several equally good generalizations is taken (Sweeney Figure 5, preferred())."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any

from pydantic import Field

from incrowd.errors import InfeasibleError, PolicyError
from incrowd.recoding import QuasiColumn
from incrowd.values import STRICT, dataclass

_SLACK = 1e-12

Node = tuple[int, ...]
"""One level per column."""


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
    def named(self) -> tuple[str, ...]:
        """The columns that the rules name."""
        return (*self.order, *self.weights, *self.at_most)

    def choose(self, columns: Sequence[QuasiColumn], nodes: Sequence[Node]) -> tuple[Node, str]:
        """One of the nodes, and the rule that decided."""
        self.check(columns)
        left, decided = self._allowed(columns, nodes), "it is the only one"
        if len(left) < len(nodes):
            decided = "the limits of levels decided"
        for rule, key in self._rules(columns):
            if len(left) == 1:
                break
            worth = [key(node) for node in left]
            least = min(worth)
            fewer = [n for n, w in zip(left, worth, strict=True) if _as_good(w, least)]
            if len(fewer) < len(left):
                left, decided = fewer, f"{rule} decided"
        return left[0], decided

    def check(self, columns: Sequence[QuasiColumn]) -> None:
        """Raise `PolicyError` if a rule names what is not a quasi-identifying column."""
        unknown = {*self.named} - {c.name for c in columns}
        if unknown:
            raise PolicyError(
                f"the preference of mingen names {min(unknown)!r}, which is not quasi-identifying",
                remedy="name columns of role quasi: " + ", ".join(repr(c.name) for c in columns),
            )

    def _allowed(self, columns: Sequence[QuasiColumn], nodes: Sequence[Node]) -> list[Node]:
        left = list(nodes)
        for j, column in enumerate(columns):
            limit = self.at_most.get(column.name)
            if limit is None:
                continue
            left = [node for node in left if node[j] <= limit]
            if not left:
                raise InfeasibleError(
                    f"no minimal distortion keeps {column.name!r} at or below level {limit}",
                    remedy=f"give the column {column.name!r} highest = {limit} to look at other "
                    "levels of the others, or let it go higher",
                    proved=False,
                )
        return left

    def _rules(self, columns: Sequence[QuasiColumn]) -> list[tuple[str, Callable[[Node], Any]]]:
        """The rules in their order: what each is called, and what it makes small."""
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


def _as_good(worth: Any, least: Any) -> bool:
    """Equal, but for rounding."""
    return bool(worth <= least + _SLACK) if isinstance(least, float) else bool(worth == least)
