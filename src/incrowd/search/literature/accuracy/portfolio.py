"""The best of all ways to the most privacy: AC along every mapping, and scans.

Each wins on other tables. Where people have several records, or equal records must show the same,
AC cannot be used and the scans alone look. Of answers that are equally private the one with the
least loss is taken, and loss that buys no privacy is taken back.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor, inf
from typing import get_args

from incrowd.errors import InfeasibleError
from incrowd.kernels.boxes import BoxCosts
from incrowd.loss.ncp import Gcp
from incrowd.problem import Problem
from incrowd.recoding import Pieces, Spans
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.layout import boxes_of
from incrowd.search.literature.accuracy import cheaper, methods
from incrowd.search.literature.accuracy.answers import (
    SLACK,
    BoundedAnswer,
    BoundedProblem,
    better_of,
    judge_answer,
)
from incrowd.search.literature.accuracy.loners import (
    RecordLine,
    most_possible_privacy,
    privacy_ceiling,
)
from incrowd.search.literature.accuracy.scan import Scans, Way, bisect_privacy, next_privacy
from incrowd.search.literature.diversify.diversify import Diversify, MappingName, order_of
from incrowd.search.literature.diversify.groups import records_of
from incrowd.search.mondrian import Mondrian
from incrowd.search.orders.tree import TreeSearch
from incrowd.search.repair import merge_failing_classes
from incrowd.search_names import BOUNDS
from incrowd.watch import Watch

MAPPINGS: tuple[MappingName, ...] = get_args(MappingName)
_SMALLER = 2
"""How many smaller bounds of the grid AC is tried with: it may find more within less."""
_CUT = 16
"""How many classes of each point of a curve are divided again to lose less."""
_NUDGES = 4
"""How often crowd may be asked for a little more while the curve of a large table is drawn."""
_SMALL = 2**12
"""Up to so many records every point of a curve is looked for as if it were the only one."""
_NEAR, _COARSE = Fraction(1, 100), Fraction(1, 4)
"""How near scans come to the largest l: with quick searches, as in Ghinita Figure 3, and others."""


@dataclass(eq=False)
class Workshop:
    """What serves every bound of one problem: lines of records, costs, releases of scans."""

    problem: Problem
    sensitive: int | None
    scans: Scans = field(init=False)
    boxes: BoxCosts = field(init=False)
    _lines: dict[MappingName, RecordLine] = field(default_factory=dict)
    _adjusted: dict[tuple[MappingName, float], BoundedAnswer | None] = field(default_factory=dict)
    _ceilings: dict[float, float] = field(default_factory=dict)
    _nudges: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.scans = Scans(self.problem, self.sensitive)
        self.boxes = boxes_of(replace(self.problem, loss=Gcp()))

    def line(self, mapping: MappingName) -> RecordLine:
        """The records in the order of a mapping."""
        if mapping not in self._lines:
            order = order_of(self.problem, mapping)
            records = records_of(self.problem, order, self.sensitive)
            self._lines[mapping] = RecordLine(self.boxes, records)
        return self._lines[mapping]

    def adjust_line(self, quest: BoundedProblem, watch: Watch) -> BoundedAnswer | None:
        """The best answer of AC along the mapping of a quest, made once; None if it finds none."""
        key = quest.mapping, quest.most
        if key not in self._adjusted:
            found = adjust_line(quest, self, watch)
            if watch.expired:
                return found
            self._adjusted[key] = found
        return self._adjusted[key]

    def privacy_ceiling(self, quest: BoundedProblem) -> float:
        """A privacy that no release within the bound exceeds."""
        if quest.most not in self._ceilings:
            self._ceilings[quest.most] = privacy_ceiling(quest, self.line("kd-tree"))
        return self._ceilings[quest.most]

    def may_nudge(self, way: Way) -> bool:
        """Whether a search may be asked for a little more once again; counts how often it was."""
        self._nudges[way.title] += 1
        return self._nudges[way.title] <= _NUDGES


@dataclass(frozen=True, eq=False)
class Best:
    """The best answer, what was tried, and what no release exceeds."""

    answer: BoundedAnswer | None
    mappings: tuple[tuple[str, float | None], ...] = ()
    """The privacy that AC reached along each mapping, None if it found nothing."""
    scanned: tuple[str, ...] = ()
    """The searches that were scanned for more."""
    limit: float = inf
    """A privacy that no release within the bound exceeds; infinite if it was not asked for."""


def best_of_all(quest: BoundedProblem, shop: Workshop, watch: Watch) -> Best:
    """The most private answer of all ways, with the least loss of those as private."""
    limit = shop.privacy_ceiling(quest)
    best, tried = _best_adjusted(quest, shop, watch)
    ways = ways_of(quest)
    scanned: list[str] = []
    for way in ways:
        if watch.expired and best is not None:
            break
        answer = bisect_privacy(quest, way, shop.scans, watch, _known_privacy(best, limit))
        best = better_of(best, answer)
        scanned.append(way.title)
    if best is not None:
        best = _lower_loss(quest, shop, best, ways, watch)
    return Best(best, tried, tuple(scanned), limit)


def best_in_passing(quest: BoundedProblem, shop: Workshop, watch: Watch) -> Best:
    """The best answer for one of many bounds; in a large table crowd is asked a few times only."""
    if quest.problem.tally.records <= _SMALL:
        return best_of_all(quest, shop, watch)
    limit = shop.privacy_ceiling(quest)
    best, tried = _best_adjusted(quest, shop, watch)
    *quick, slow = ways_of(quest)
    for way in quick:
        known = _known_privacy(best, limit)
        best = better_of(best, bisect_privacy(quest, way, shop.scans, watch, known))
    best = better_of(best, _nudge(quest, shop, slow, _known_privacy(best, limit), watch))
    if best is not None:
        best = cheaper.recut_dearest_classes(quest, best, watch, _CUT)
    return Best(best, tried, tuple(way.title for way in (*quick, slow)), limit)


def _nudge(
    quest: BoundedProblem, shop: Workshop, way: Way, known: tuple[float, float], watch: Watch
) -> BoundedAnswer | None:
    """The answer for a little more than `known` (see `bisect_privacy`), then for more; or None."""
    reached, limit = known
    more = next_privacy(way, reached)
    if watch.expired or more > limit + SLACK or not shop.may_nudge(way):
        return None
    answer = shop.scans.answer(quest, way, more, watch)
    if answer is None or answer.privacy <= reached + SLACK:
        return answer
    further = bisect_privacy(quest, way, shop.scans, watch, _known_privacy(answer, limit))
    return better_of(answer, further)


def _known_privacy(best: BoundedAnswer | None, limit: float) -> tuple[float, float]:
    """The privacy that is reached already (0 if none), and the one that nothing exceeds."""
    return (best.privacy if best else 0.0, limit)


def _best_adjusted(
    quest: BoundedProblem, shop: Workshop, watch: Watch
) -> tuple[BoundedAnswer | None, tuple[tuple[str, float | None], ...]]:
    """The best answer of AC along all mappings, and the privacy along each; None where none is."""
    tried: dict[str, float | None] = {}
    best: BoundedAnswer | None = None
    if quest.whole_rows:
        return best, ()
    for mapping in MAPPINGS:
        along: BoundedAnswer | None = None
        for bound in _tried_bounds(quest):
            asked = replace(quest, mapping=mapping, most=bound)
            if along is None or shop.privacy_ceiling(asked) >= along.privacy - SLACK:
                along = better_of(along, shop.adjust_line(asked, watch))
        tried[mapping] = along.privacy if along else None
        best = better_of(best, along)
    return best, tuple(tried.items())


def _tried_bounds(quest: BoundedProblem) -> tuple[float, ...]:
    """The bound of a quest, and the next smaller ones of the grid that are tried for it as well."""
    smaller = [bound + SLACK for bound in BOUNDS if bound + 2 * SLACK < quest.most]
    return (quest.most, *smaller[-_SMALLER:])


def finds_answer(quest: BoundedProblem, shop: Workshop, watch: Watch) -> bool:
    """Whether AC, or any search without being asked for more privacy, comes to an answer."""
    if _best_adjusted(quest, shop, watch)[0] is not None:
        return True
    first = (shop.scans.answer(quest, way, Fraction(1), watch) for way in ways_of(quest))
    return any(answer is not None for answer in first)


def adjust_line(quest: BoundedProblem, shop: Workshop, watch: Watch) -> BoundedAnswer | None:
    """The best answer of AC along the quest's mapping, or of the direct heuristic; None if none."""
    found = methods.divide_by_adjusting(quest, shop.line(quest.mapping), watch)
    best = best_judged(quest, [pieces for _, pieces in found])
    if quest.sensitive is None:
        return best
    return better_of(best, _raise_l(quest, shop, floor(found[0][0]) + 1, watch))


def _raise_l(quest: BoundedProblem, shop: Workshop, l: int, watch: Watch) -> BoundedAnswer | None:
    """The best answer of the direct heuristic for l, l + 1, … while it has one; None if never."""
    best: BoundedAnswer | None = None
    way = direct_way(quest.mapping)
    while l <= most_possible_privacy(quest) and not watch.expired:
        answer = shop.scans.answer(quest, way, Fraction(l), watch)
        if answer is None:
            break
        best, l = better_of(best, answer), l + 1
    return best


def direct_way(mapping: MappingName, step: Fraction = Fraction(1)) -> Way:
    """The direct heuristic along a mapping, as a search to scan with this step."""
    return Way(f"diversify along {mapping}", Diversify(mapping=mapping), step)


def best_judged(quest: BoundedProblem, found: list[Spans | Pieces]) -> BoundedAnswer | None:
    """The best answer in what was found, else in it with failing classes merged; None if none."""
    best: BoundedAnswer | None = None
    for one in found:
        best = better_of(best, judge_answer(quest, one))
    if best is not None:
        return best
    for one in _merge_failing(quest.problem, found):
        best = better_of(best, judge_answer(quest, one))
    return best


def _merge_failing(problem: Problem, found: list[Spans | Pieces]) -> Iterator[Spans]:
    """Yield what was found with classes that fail a model merged, which may lose too much."""
    for one in found:
        try:
            yield merge_failing_classes(problem, one.pieces if isinstance(one, Spans) else one)
        except InfeasibleError:
            continue


def ways_of(quest: BoundedProblem) -> tuple[Way, ...]:
    """The searches that are scanned, quick ones first."""
    by_size = quest.sensitive is None
    near, coarse = (Fraction(1), Fraction(1)) if by_size else (_NEAR, _COARSE)
    ways = [
        Way("mondrian", Mondrian(relaxed=True), near),
        Way("tree", TreeSearch(), near, evenly=True),
    ]
    if quest.whole_rows or not by_size:
        whole = coarse if quest.whole_rows else Fraction(1)
        ways += [direct_way(mapping, whole) for mapping in MAPPINGS]
    return (*ways, Way("crowd", Crowd(), coarse))


def _lower_loss(
    quest: BoundedProblem, shop: Workshop, best: BoundedAnswer, ways: Sequence[Way], watch: Watch
) -> BoundedAnswer:
    """The answer, or one that is as private and loses less, as far as these searches find it."""
    for way in ways:
        if watch.expired:
            return best
        asked = Fraction(best.privacy if quest.sensitive is None else best.privacy - SLACK)
        best = better_of(best, shop.scans.answer(quest, way, asked, watch)) or best
    return cheaper.recut_dearest_classes(quest, best, watch)
