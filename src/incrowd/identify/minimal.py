"""All minimal sets of columns that tell records apart well enough (Motwani-Xu Section 3)."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from incrowd.errors import InfeasibleError, PolicyError
from incrowd.identify.border import BorderSearch, RatioOracle
from incrowd.identify.branch import Branch, CostBranch, Splitter
from incrowd.identify.hitting_sets import MOST_COLUMNS, HittingSets, KeyOracle
from incrowd.identify.labelled import Cutter
from incrowd.identify.levelwise import DepthFirst, Levelwise, sample_border, sample_sizes
from incrowd.identify.measures import fold_records, ratios_of_all
from incrowd.identify.oracles import (
    ExactOracle,
    Method,
    MinimalSetQuery,
    SampledOracle,
    SearchState,
)
from incrowd.identify.outcome import Guarantee
from incrowd.identify.records import Measure, Records, budget
from incrowd.watch import Watch

_SMALL = 3
"""Up to this size, searching depth-first is the quickest for separation ratios below 1."""
_REPEATED = 8
"""Rows are folded if equal ones cost more than 1 / `_REPEATED` of what a good set may cost."""
_ANY = 2**62

Costs: TypeAlias = tuple[int, list[int], int]
"""The cost without any column, with each column alone, and with all of them together."""


@dataclass(frozen=True)
class MinimalSets:
    """Sets of columns that reach a ratio while no set within them does."""

    sets: tuple[tuple[int, ...], ...]
    """Columns ascending; small sets first, then by their columns."""
    complete: bool
    """Whether these are all, whatever their size."""
    guarantee: Guarantee


def minimal_sets(  # noqa: PLR0913  the question, in words of its own
    records: Records,
    measure: Measure,
    ratio: float,
    *,
    max_size: int | None = None,
    method: Method = "auto",
    delta: float = 0.01,
    sample: int | None = None,
    rng: np.random.Generator | None = None,
    watch: Watch | None = None,
    otherwise: int | None = None,
) -> MinimalSets:
    """Find all minimal sets with at least this ratio; with a ratio of 1, the minimal keys.

    Every method gives the same sets, except that sub-tables at a ratio below 1 may miss some with
    probability `delta`. When the time is up the answer is partial and says so; `MinimalSetSearch`
    has what is known even when it is interrupted. Sets have at least one column. `InfeasibleError`
    if all columns together fall short; `PolicyError` if there are no columns or too many. The
    options are those of `MinimalSetQuery`.
    """
    question = MinimalSetQuery(measure, ratio, max_size, method, delta, sample, otherwise)
    search = MinimalSetSearch(records, question, watch or Watch())
    return search.run(rng or np.random.default_rng(0))


class MinimalSetSearch:
    """One search; `answer` says what is known at any time, also after an interruption."""

    def __init__(self, records: Records, question: MinimalSetQuery, watch: Watch) -> None:
        if not records.width:
            raise PolicyError("there are no columns to search", remedy="name at least one")
        if not records.total:
            raise InfeasibleError("the table has no records to tell apart")
        self._records = records
        self._question = question
        self._watch = watch
        self._found = SearchState()
        self._budget = budget(records, question.measure, question.ratio)
        self._most = min(question.max_size or records.width, records.width)
        self._sizes: tuple[int, ...] = ()
        self._repeated = 0

    @cached_property
    def _splitter(self) -> Splitter:
        """Splits classes by the columns of the table."""
        return Splitter(self._records)

    @cached_property
    def _branch(self) -> CostBranch:
        """What sets of columns cost in the table."""
        return CostBranch(self._splitter, self._budget)

    def run(self, rng: np.random.Generator) -> MinimalSets:
        """Search to the end or until time is up; see `minimal_sets` for errors."""
        columns = [
            column for column in range(self._records.width) if self._has_several_values(column)
        ]
        look = self._costs_for_key if self._question.is_for_keys else self._costs_for_ratio
        none, each, every = look(columns)
        if self._budget.left < 0 or every > self._budget.left:
            raise self._infeasible_error()
        self._repeated = every
        if none <= self._budget.left:
            self._found.sets.update((column,) for column in range(self._records.width))
            self._found.complete = True
        else:
            self._search_by_method(
                [column for _, column in sorted(zip(each, columns, strict=True))], rng
            )
        return self.answer()

    def _costs_for_key(self, columns: list[int]) -> Costs:
        """The costs for a key: rows beyond the first of each class. Keeps the branch as `_keys`."""
        branch = self._keys = Branch(self._splitter, columns)
        each = [branch.classes([column]).repeated for column in columns]
        every = branch.classes([column for _, column in sorted(zip(each, columns, strict=True))])
        return branch.classes(()).repeated, each, every.repeated

    def _costs_for_ratio(self, columns: list[int]) -> Costs:
        """The costs for a ratio; those of no column and of all are exact only up to the budget."""
        cutter, left = Cutter(self._records, self._budget), max(self._budget.left, 0)
        each = [cutter.cost(cutter.whole, (column,), _ANY) for column in columns]
        order = tuple(column for _, column in sorted(zip(each, columns, strict=True)))
        return cutter.cost(cutter.whole, (), left), each, cutter.cost(cutter.whole, order, left)

    def answer(self) -> MinimalSets:
        """The sets found so far, whether these are all, and what was not searched."""
        found, sizes = self._found, self._sizes
        sampled = bool(sizes) and not self._question.is_for_keys
        guarantee = Guarantee(
            exact=not sampled,
            delta=self._question.delta if sampled else None,
            sample=sum(sizes) if sizes else None,
            searched=f"{found.looked:,} sets of {self._records.width:,} columns, in the table",
            not_searched=self._skipped_sets(),
        )
        return MinimalSets(found.sorted, found.complete, guarantee)

    def _skipped_sets(self) -> str:
        """Which sets were not searched, in words; empty if all were."""
        found = self._found
        if found.complete:
            return ""
        if found.upto >= self._most:
            return f"sets of more than {self._most} columns"
        known = len(found.sorted) and max(map(len, found.sets)) > found.upto
        return f"sets of more than {found.upto} columns" + (" but for those found" * bool(known))

    def _has_several_values(self, column: int) -> bool:
        """Whether the rows differ in this column."""
        codes = self._records.codes[column]
        return bool((codes != codes[0]).any())

    def _infeasible_error(self) -> InfeasibleError:
        """The error that no set reaches the ratio, with what all columns together reach."""
        question, reached = self._question, ratios_of_all(self._records)
        most = math.floor(reached.ratio(question.measure) * 10**6) / 10**6
        return InfeasibleError(
            f"no set of columns reaches a {question.measure} ratio of {question.ratio:g}: "
            f"{reached.records - reached.classes:,} of {reached.records:,} records repeat an "
            "earlier one",
            remedy=f"ask for a ratio of at most {most:g}, or drop duplicates",
        )

    def _search_by_method(self, order: list[int], rng: np.random.Generator) -> None:
        """Search by the method asked for, or the quickest; `order` begins with cheap columns."""
        match self._method_to_use(len(order)):
            case "levelwise":
                self._search_upwards([(column,) for column in range(self._records.width)])
            case "subtable" | "iterative":
                self._search_by_samples(rng)
            case "depth-first":
                search = DepthFirst(self._branch, self._budget, self._found, self._watch)
                search.run(order, self._most)
            case _:
                self._search_hitting_sets(order)

    def _method_to_use(self, columns: int) -> Method:
        """The method asked for, or else the quickest one for so many columns that vary."""
        if self._question.method != "auto":
            return self._question.method
        limited = self._question.max_size is not None or self._watch.remaining is not None
        small = self._most <= _SMALL and self._question.measure is Measure.SEPARATION
        depth_first = small or (limited and columns > MOST_COLUMNS)
        return "depth-first" if depth_first and not self._question.is_for_keys else "hitting-sets"

    def _search_upwards(self, border: list[tuple[int, ...]]) -> None:
        """Search the table level by level, from these small sets to larger ones."""
        good = CostBranch(self._splitter, self._budget).keeps_to_budget
        Levelwise(self._records.width, good, self._found, self._watch).run(border, self._most)

    def _search_by_samples(self, rng: np.random.Generator) -> None:
        """Search samples for a border of small sets, and the table from there upwards."""
        self._sizes = sample_sizes(self._records, self._question)
        self._search_upwards(
            sample_border(self._records, self._question, self._sizes, rng, self._watch)
        )

    def _search_hitting_sets(self, order: list[int]) -> None:
        """Search for minimal hitting sets; refuse more columns than their masks have bits."""
        if len(order) > MOST_COLUMNS:
            raise PolicyError(
                f"{len(order)} columns vary, and at most {MOST_COLUMNS} can be searched",
                remedy=f"name at most {MOST_COLUMNS} columns, or limit the size of sets",
            )
        if self._question.is_for_keys:
            judge = KeyOracle(self._records, self._keys, order[::-1])
            search = HittingSets(judge, order[::-1], self._found)
            search.run(self._most, self._watch, self._question.otherwise, self._records.rows)
        else:
            by_ratio = self._ratio_oracle(order)
            BorderSearch(by_ratio, order[::-1], self._found, self._watch).run(self._most)

    def _ratio_oracle(self, order: list[int]) -> RatioOracle:
        """The oracle of a search for a ratio; it judges folded records if many rows are equal."""
        records, asked = self._records, self._budget
        if self._repeated * _REPEATED > asked.left:
            records = fold_records(records)
            asked = budget(records, self._question.measure, self._question.ratio)
        return RatioOracle(
            ExactOracle(records, asked, order), SampledOracle(records, asked, order[::-1])
        )
