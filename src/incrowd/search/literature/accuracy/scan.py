"""The scan: a search for the least loss is asked for more or less privacy, until it just fits.

Ghinita's IPCSD (Figure 3), with any search. It assumes that loss rises with privacy, which a
heuristic does not promise. What a search makes of a privacy does not depend on the bound, so
releases are kept and serve every bound.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

from incrowd.errors import InfeasibleError, LimitError
from incrowd.loss.extent import IlInf
from incrowd.problem import Problem
from incrowd.recoding import Spans
from incrowd.search.literature.accuracy.answers import (
    SLACK,
    BoundedAnswer,
    BoundedProblem,
    better_of,
    judge_answer,
)
from incrowd.search.literature.accuracy.loners import most_possible_privacy
from incrowd.search.search import Search
from incrowd.watch import Watch


@dataclass(frozen=True)
class Way:
    """A search that is asked again and again."""

    title: str
    search: Search
    step: Fraction = Fraction(1)
    """How near it comes to the largest privacy; 1 asks for whole numbers only."""
    evenly: bool = False
    """Whether it makes the largest loss of a class small, not that of all."""


@dataclass(eq=False)
class Scans:
    """Releases of searches by what they were asked for, each made once."""

    problem: Problem
    sensitive: int | None
    _made: dict[tuple[str, Fraction], Spans | None] = field(default_factory=dict)

    def release_of(
        self, quest: BoundedProblem, way: Way, privacy: Fraction, watch: Watch
    ) -> Spans | None:
        """The release for a privacy (1: any); None if nothing is found, `LimitError` if late."""
        key = way.title, privacy
        if key not in self._made:
            models = self.problem.models
            if privacy > 1:
                models = (*models, quest.model(float(privacy)))
            asked = replace(self.problem, models=models)
            asked = replace(asked, loss=IlInf()) if way.evenly else asked
            self._made[key] = spans_of_search(asked, way.search, watch)
        return self._made[key]

    def answer(
        self, quest: BoundedProblem, way: Way, privacy: Fraction, watch: Watch
    ) -> BoundedAnswer | None:
        """The answer of a search asked for a privacy; None if it is none, or there was no time."""
        try:
            found = self.release_of(quest, way, privacy, watch)
        except LimitError:
            return None
        return None if found is None else judge_answer(quest, found)


def spans_of_search(problem: Problem, search: Search, watch: Watch) -> Spans | None:
    """What a search finds, as spans; None if that is nothing, `LimitError` if the time is up."""
    try:
        found = search.run(problem, watch).recoding
    except InfeasibleError:
        return None
    return Spans(found.with_divisible_classes().pieces)


def bisect_privacy(
    quest: BoundedProblem,
    way: Way,
    scans: Scans,
    watch: Watch,
    known: tuple[float, float] = (0.0, float("inf")),
) -> BoundedAnswer | None:
    """Bisect the privacy asked of a search: the most private answer found, None if there is none.

    `known` is a privacy that another search has reached and one that no release exceeds. What is
    asked up to the first counts as found, beyond the second as not found, without a search.
    """
    reached, limit = known
    best = scans.answer(quest, way, Fraction(1), watch)
    low, high = Fraction(1), most_possible_privacy(quest)
    while high - low >= way.step and not watch.expired:
        middle = _middle(low, high, way.step)
        fits = middle <= max(reached, best.privacy if best else 0.0) + SLACK
        if not fits and middle <= limit + SLACK:
            answer = scans.answer(quest, way, middle, watch)
            fits, best = answer is not None, better_of(best, answer)
        if fits:
            low = middle
        else:
            high = middle - 1 if way.step == 1 else middle
    return best


def next_privacy(way: Way, reached: float) -> Fraction:
    """The privacy to ask for next, a little more than is reached."""
    if way.step == 1:
        return Fraction(int(reached + SLACK) + 1)
    return Fraction(reached) + way.step


def _middle(low: Fraction, high: Fraction, step: Fraction) -> Fraction:
    """The middle of two privacies, rounded up to a whole number if the step is 1."""
    middle = (low + high) / 2
    return Fraction(ceil(middle)) if step == 1 else middle
