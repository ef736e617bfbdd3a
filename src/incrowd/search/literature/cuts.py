"""Cuts: every column in buckets by itself (Lodha-Thomas Sections 3.1 and 4).

The number of classes that the population fills is shared out among the columns; each is then cut
into its number of buckets, ordered ones by quantiles or a dynamic program, the others through their
tree. Equal values always show the same, so one look at a column tells what was done to it.

Departure: the paper takes all combinations of buckets to be equally likely. Real ones are not, so
what the models say of the real classes decides. If some fail and are too many to be left out, there
are fewer buckets, and afterwards more again in the columns where that loses less and still holds.

A class of k people needs a bucket of k records in every column. So the search begins with the best
buckets that hold k: for one column they are the answer (Section 4.1). Where columns are crossed
they may be too uneven, and buckets of about the same size are tried as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass as plain
from dataclasses import field
from itertools import permutations
from math import ceil, prod
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes, Counts, Flags
from incrowd.errors import IncrowdError, InfeasibleError, LimitError, PolicyError, count_of
from incrowd.partition.classes import Classes, classes_of, number_columns
from incrowd.population.budget import budget
from incrowd.population.one_dimensional import Method
from incrowd.problem import Problem
from incrowd.recoding import ColumnBuckets, Pieces
from incrowd.search.lattice.full_domain import allowed_levels, flag_satisfied_crowds, number_kept
from incrowd.search.layout import may_show_whole
from incrowd.search.literature.cut_columns import ColumnCuts
from incrowd.search.literature.datafly import largest_k
from incrowd.search.refusals import nothing_found, raise_if_infeasible, raise_if_out_of_time
from incrowd.search.search import Found, Recodes, Search, column_places
from incrowd.table.column import Missing
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

Numbers: TypeAlias = tuple[int, ...]
"""Of buckets, one per column."""

_STEPS = (8.0, 2.0, 1.2, 1.0)
"""By what a number of buckets is raised to see whether more will do; at least by one."""
_EXCHANGES = (2.0, 1.0)
"""The same where another column has fewer instead."""
_FEW, _MANY = 50, 500
"""How many numbers of buckets near the first that will do are tried: in large and small tables."""
_WORK = 2**23
"""Rows times these numbers in between."""
_SLACK = 1e-12
_LARGEST = 10**300
"""More classes than this are not counted."""


@plain(frozen=True, eq=False)
class BucketCandidate:
    """Numbers of buckets, and the recoding that they give if it may be released."""

    numbers: tuple[int, ...]
    recoding: ColumnBuckets | None
    failing: int
    """Records in classes that fail a model."""
    loss: float
    """Infinite if it may not be released."""


@plain(frozen=True, eq=False)
class BucketCandidates:
    """All numbers of buckets up to those of `most`, judged when they are asked for."""

    problem: Problem
    cuts: tuple[ColumnCuts, ...]
    most: tuple[int, ...]
    """The largest number of buckets of each column."""
    allowed: int
    """The largest product of numbers."""
    _judged: dict[tuple[int, ...], BucketCandidate] = field(default_factory=dict, repr=False)
    _buckets: dict[tuple[int, int], Codes] = field(default_factory=dict, repr=False)

    @property
    def judged(self) -> int:
        """How many candidates were judged."""
        return len(self._judged)

    def halve_classes(self, times: int) -> BucketCandidate:
        """The candidate for the most classes, halved `times` times and shared out by `budget`."""
        weights = [column.weight for column in self.problem.columns]
        return self.judge(budget(self.most, max(self.classes >> times, 1), weights))

    @property
    def classes(self) -> int:
        """How many classes there may be at most."""
        return min(prod(self.most), self.allowed, _LARGEST)

    def judge(self, numbers: tuple[int, ...]) -> BucketCandidate:
        """The recoding and loss of these numbers of buckets, judged once."""
        if numbers not in self._judged:
            found = [self._cut(j, number) for j, number in enumerate(numbers)]
            self._judged[numbers] = _judge(self.problem, numbers, found)
        return self._judged[numbers]

    def _cut(self, j: int, number: int) -> Codes:
        """The bucket of each code of column j if there are so many, computed once."""
        if (j, number) not in self._buckets:
            self._buckets[j, number] = self.cuts[j].buckets(number)
        return self._buckets[j, number]


def records_per_code(problem: Problem, j: int) -> Counts:
    """Records per code of a column."""
    size = len(problem.columns[j].hierarchy.leaves) + 1
    counts = np.bincount(problem.tally.quasi[j], problem.tally.counts, minlength=size)
    return counts.astype(np.int64)


def _judge(problem: Problem, numbers: tuple[int, ...], buckets: Sequence[Codes]) -> BucketCandidate:
    """The candidate of these buckets, without a recoding if all fail or too many to be left out."""
    quasi = problem.tally.quasi
    shown = np.array([of[codes] for of, codes in zip(buckets, quasi, strict=True)], dtype=np.int32)
    class_of, number = number_columns(shown)
    classes = classes_of(problem.tally, class_of, number, problem.sensitive)
    kept = _flag_keepable(problem, shown, class_of, classes)
    failing = int(classes.records[~kept].sum())
    if not kept.any() or failing > problem.suppressible:
        return BucketCandidate(numbers, None, failing, float("inf"))
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    pieces = Pieces(rows, problem.tally.counts, number_kept(kept)[class_of])
    recoding = ColumnBuckets(tuple(buckets), pieces)
    return BucketCandidate(numbers, recoding, failing, problem.loss.of(problem.outcome(recoding)))


def _flag_keepable(problem: Problem, shown: Codes, class_of: Codes, classes: Classes) -> Flags:
    """Flags of the classes that may leave; crowds are judged if missing values match anything."""
    if problem.missing is not Missing.MATCHES_ANYTHING:
        return problem.satisfied_by(classes)
    nodes = np.empty((len(shown), len(classes)), dtype=np.int32)
    nodes[:, class_of] = shown
    return flag_satisfied_crowds(problem, nodes, class_of)


@dataclass(frozen=True, config=STRICT)
class Cuts(Search):
    """Global recoding: buckets of neighbouring values, the same for every record.

    With the model `probabilistic` there are at most as many classes as the population fills, shared
    out by the columns' weights; `buckets` says it for some columns. Otherwise the search begins
    with the best buckets of k records each. It takes fewer until every class satisfies every model.

    >>> Cuts(buckets={"age": 10}, methods={"income": "k-median"}).name
    'cuts'
    """

    buckets: Mapping[str, Annotated[int, Field(ge=1)]] = field(default_factory=dict)
    """The largest number of buckets of these columns."""
    method: Method = "quantile"
    """By what the buckets of ordered columns are best: the ranks of their values (`quantile`), or
    distances (`k-median`, `k-centre`, `cellular`)."""
    methods: Mapping[str, Method] = field(default_factory=dict)
    """The method of these columns, if it is another one."""
    name: Literal["cuts"] = field(default="cuts", kw_only=True)
    recoding: ClassVar[Recodes] = "cuts"

    @property
    def named_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that its settings name."""
        return {"buckets": tuple(self.buckets), "methods": tuple(self.methods)}

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Share out the classes and cut; if that fails, take fewer, then more where it pays."""
        self._check(problem)
        raise_if_infeasible(problem)
        for column in problem.columns:
            allowed_levels(column)
        finest = self._candidates(problem, largest_k(problem))
        if _all_need_k(problem) and finest.halve_classes(0).recoding is not None:
            return self._result(finest, finest.halve_classes(0), finished=True)
        return self._search_buckets((finest, self._candidates(problem)), watch)

    def _search_buckets(self, ways: Sequence[BucketCandidates], watch: Watch) -> Found:
        """The candidate of least loss of all `ways` as a result; the first's error if none has."""
        found: list[tuple[BucketCandidates, BucketCandidate, bool]] = []
        refused: IncrowdError | None = None
        for way in ways:
            try:
                found.append((way, *_best_buckets(way, watch)))
            except (InfeasibleError, LimitError) as error:
                refused = refused or error
        if not found:
            assert refused is not None  # noqa: S101  each way finds something or says why not
            raise refused
        way, best, _ = min(found, key=lambda one: one[1].loss)
        finished = len(found) == len(ways) and all(done for *_, done in found)
        return self._result(way, best, finished=finished)

    def _check(self, problem: Problem) -> None:
        """Raise `PolicyError` if a setting names an unknown column, or a method's has no order."""
        column_places(problem, (*self.buckets, *self.methods), self.name)
        for column in problem.columns:
            if column.name in self.methods and not column.hierarchy.ordered:
                raise PolicyError(
                    f"{self.name} has a method for ordered columns set for {column.name!r}, "
                    "which has no order",
                    remedy=(
                        "remove the setting: columns without an order are cut along their hierarchy"
                    ),
                )

    def _candidates(self, problem: Problem, least: int | None = None) -> BucketCandidates:
        """Numbers of buckets of at least `least` records each or, without it, of about one size."""
        cuts = tuple(
            ColumnCuts(
                column,
                records_per_code(problem, j),
                problem.loss,
                self.methods.get(column.name, self.method),
                least,
            )
            for j, column in enumerate(problem.columns)
        )
        names = [column.name for column in problem.columns]
        finest = [max(cut.finest, 1) for cut in cuts]
        most = [min(self.buckets.get(n, f), f) for n, f in zip(names, finest, strict=True)]
        given = prod(m for n, m in zip(names, most, strict=True) if n in self.buckets)
        allowed = prod(most) if (filled := _classes_filled(problem)) is None else max(filled, given)
        return BucketCandidates(problem, cuts, tuple(most), allowed)

    def _result(
        self, candidates: BucketCandidates, best: BucketCandidate, *, finished: bool
    ) -> Found:
        """The best numbers of buckets as a result; `finished` if all near them were tried."""
        problem, recoding = candidates.problem, best.recoding
        assert recoding is not None  # noqa: S101  what is the best may be released
        shown = recoding.class_buckets(problem.tally)
        numbers = [int(buckets.max()) + 1 for buckets in shown]
        columns = [column.name for column in problem.columns]
        parts = ", ".join(f"{n} into {d:,}" for n, d in zip(columns, numbers, strict=True))
        why = f"cut {parts} buckets: {shown.shape[1]:,} classes"
        facts = {f"buckets of {n}": float(d) for n, d in zip(columns, numbers, strict=True)}
        facts |= {"classes": float(shown.shape[1]), "cuts tried": float(candidates.judged)}
        why += "" if finished else "; the time limit ended before all neighbouring cuts were tried"
        return Found(recoding, self.name, why=why, facts=facts)


def _all_need_k(problem: Problem) -> bool:
    """Whether a bucket needs as many records as a class: none is left out or matches others."""
    return not problem.suppressible and problem.missing is not Missing.MATCHES_ANYTHING


def _best_buckets(candidates: BucketCandidates, watch: Watch) -> tuple[BucketCandidate, bool]:
    """The best numbers found, whether all near were tried; `InfeasibleError` or `LimitError`."""
    first = candidates.halve_classes(0)
    if first.recoding is not None:
        return first, True
    return _climb(candidates, _first_feasible(candidates, watch), watch)


def _classes_filled(problem: Problem) -> int | None:
    """How many classes the population fills by the models; None if no model says."""
    for model in problem.models:
        if (allowed := model.classes_allowed()) is not None:
            return allowed
    return None


def _first_feasible(candidates: BucketCandidates, watch: Watch) -> BucketCandidate:
    """The numbers of buckets after the fewest halvings of the classes that may be released.

    Halvings are bisected if larger classes never fail what smaller ones satisfy.
    `InfeasibleError` if no halving will do, `LimitError` if the time is up.
    """
    last = candidates.classes.bit_length() - 1
    found = candidates.halve_classes(0)
    problem = candidates.problem
    if found.recoding is None and problem.absorbing and not _unsuppressible_columns(problem):
        found, last = _bisect_halvings(candidates, last, watch), 0
    for times in range(1, last + 1):
        if found.recoding is None:
            _tell_in_time(watch, times / (last + 1))
            found = candidates.halve_classes(times)
    if found.recoding is None:
        raise _none_feasible_error(candidates, found)
    return found


def _bisect_halvings(candidates: BucketCandidates, last: int, watch: Watch) -> BucketCandidate:
    """The numbers of buckets after the fewest halvings that will do; after `last` if none will."""
    _tell_in_time(watch, 0.0)
    low, high = 0, last
    while candidates.halve_classes(last).recoding is not None and high - low > 1:
        _tell_in_time(watch, 1 - (high - low) / (last + 1))
        middle = (low + high) // 2
        fails = candidates.halve_classes(middle).recoding is None
        low, high = (middle, high) if fails else (low, middle)
    return candidates.halve_classes(high)


def _tell_in_time(watch: Watch, share: float) -> None:
    """Tell the `share` of the search's first half that is done; `LimitError` if the time is up."""
    raise_if_out_of_time(watch, "any buckets satisfied the models")
    watch.tell("cutting columns", share / 2)


def _climb(
    candidates: BucketCandidates, best: BucketCandidate, watch: Watch
) -> tuple[BucketCandidate, bool]:
    """Move to near numbers of buckets while less is lost; also whether all were tried."""
    rows = max(candidates.problem.tally.rows, 1)
    last = candidates.judged + min(max(_WORK // rows, _FEW), _MANY)
    better = True
    while better:
        better = False
        for numbers in _neighbours(candidates, best.numbers):
            if watch.expired or candidates.judged >= last:
                return best, False
            watch.tell("cutting columns", 0.5 + (1 - (last - candidates.judged) / last) / 2)
            found = candidates.judge(numbers)
            if found.loss < best.loss - _SLACK:
                best, better = found, True
                break
    return best, True


def _neighbours(candidates: BucketCandidates, numbers: Numbers) -> Iterator[Numbers]:
    """Yield numbers with more buckets in one column, then with fewer in another one instead."""
    columns = range(len(numbers))
    for step in _STEPS:
        for j in columns:
            yield from _add_buckets(candidates, numbers, j, step)
    for j, i in permutations(columns, 2):
        for fewer in dict.fromkeys((numbers[i] - 1, numbers[i] // 2, numbers[i] // 3)):
            if fewer >= 1:
                lowered = _replace_number(numbers, i, fewer)
                for step in _EXCHANGES:
                    yield from _add_buckets(candidates, lowered, j, step)


def _add_buckets(
    candidates: BucketCandidates, numbers: Numbers, j: int, step: float
) -> Iterator[Numbers]:
    """Yield the numbers with `step` times the buckets in column j, or what fits; or nothing."""
    here = numbers[j]
    room = candidates.allowed // (prod(numbers) // here)
    number = min(max(ceil(here * step), here + 1), candidates.most[j], room)
    if number > here:
        yield _replace_number(numbers, j, number)


def _replace_number(numbers: Numbers, j: int, number: int) -> Numbers:
    return (*numbers[:j], number, *numbers[j + 1 :])


def _none_feasible_error(
    candidates: BucketCandidates, coarsest: BucketCandidate
) -> InfeasibleError:
    """The error that says what binds where even the fewest buckets will not do."""
    problem = candidates.problem
    limited = _unsuppressible_columns(problem)
    if not limited:
        return nothing_found(problem)
    failing = count_of(coarsest.failing, "record is", "records are")
    return InfeasibleError(
        f"even with the fewest buckets that the limits of {', '.join(limited)} allow, {failing} "
        f"in classes that fail a model, but only {problem.suppressible:,} may be left out",
        remedy=(
            "raise the limits of these columns, raise suppression, or lower the thresholds "
            "of the models"
        ),
        proved=False,
    )


def _unsuppressible_columns(problem: Problem) -> list[str]:
    """The names, quoted, of the columns that may not become one bucket that shows nothing."""
    return [repr(column.name) for column in problem.columns if not may_show_whole(column)]
