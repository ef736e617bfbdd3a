"""The answer from all records."""

from dataclasses import replace

from incrowd.errors import InfeasibleError
from incrowd.identify.answers import Answer, Asked
from incrowd.identify.measures import best
from incrowd.identify.minimal import minimal_sets
from incrowd.identify.minimum import Minimum, exact_minimum, greedy_key
from incrowd.identify.outcome import Guarantee
from incrowd.identify.records import Records
from incrowd.watch import Watch

_EXACT = 32


def exact_answer(records: Records, asked: Asked, watch: Watch) -> Answer:
    """All minimal sets up to a size, and a smallest one, counted on all records."""
    if best(records).ratio(asked.measure) < asked.ratio:
        return _nothing()
    limit = asked.largest(records.width)
    try:
        greedy = greedy_key(records, asked.ratio, asked.measure)
        found = minimal_sets(records, asked.measure, asked.ratio, max_size=limit, watch=watch)
    except InfeasibleError:
        return _nothing()
    partial = watch.expired and not found.complete
    minimum, promise = _smallest(records, asked, watch, (greedy, found.sets, partial))
    return Answer(
        found.sets,
        minimum,
        promise,
        found.guarantee,
        "each set reaches the ratio, and no set within it does",
        partial,
    )


def _nothing() -> Answer:
    searched = Guarantee(exact=True, searched="all columns together")
    promise = "no set of columns reaches the ratio"
    return Answer((), None, searched, searched, promise, partial=False)


def _smallest(
    records: Records,
    asked: Asked,
    watch: Watch,
    known: tuple[Minimum, tuple[tuple[int, ...], ...], bool],
) -> tuple[tuple[int, ...], Guarantee]:
    """The smallest set of those found, if all of its size were; else what is found otherwise.

    Of equally small ones the first.
    """
    greedy, sets, partial = known
    if sets and not partial:
        columns = min(sets, key=len)
        return columns, Guarantee(exact=True, searched="all sets of fewer columns, on all records")
    if not partial and records.width <= _EXACT and not watch.expired:
        found = exact_minimum(records, asked.measure, asked.ratio, watch)
        return found.columns, found.guarantee
    columns = min([*sets, greedy.columns], key=len)
    return columns, replace(greedy.guarantee, not_searched="whether fewer columns would do")
