"""Which sets of columns tell the records of a table apart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from incrowd.engines.memory import MemoryEngine
from incrowd.engines.stream import UNSURE, DistinctRows, Pairs, Plan, Tuples, coded, draw
from incrowd.errors import InputError, PolicyError, counted
from incrowd.identify.answer import Answer, Asked, measure_of
from incrowd.identify.distinct_values import DistinctValueTest, Source, assess, observed
from incrowd.identify.distinct_values import population as people_of
from incrowd.identify.exact import exact_answer
from incrowd.identify.measures import Partition, best, folded
from incrowd.identify.outcome import Discovery, Found, Smallest
from incrowd.identify.ratios import Measure, Ratios
from incrowd.identify.records import Records
from incrowd.identify.sampled import sampled_answer, size_for
from incrowd.identify.sampling import (
    differences_of,
    once,
    sampled_pairs,
    sampled_rows,
    separation_pairs,
)
from incrowd.table.names import listed
from incrowd.verbs.explained import explained
from incrowd.verbs.reading import Reading
from incrowd.verbs.source import Held, Passing, chosen, enough_memory, opened
from incrowd.watch import Watch, Within

SAMPLE = 100_000
"""Records kept of a table that goes by, unless told otherwise."""
TIME_LIMIT = 60.0
"""Seconds that a search may take, unless told otherwise."""
_PAIRS_EPSILON = 0.001
_LISTED = 1_000
_A_PART = 0.1
_LOOKED_AT = 10**8
_STOPPED = "reading was stopped: the answer is about the records that went by until then"
_SOURCES = ("declared", "estimated", "observed")


@dataclass(frozen=True)
class Population:
    """A population that sets are judged for, and how their numbers of values are found."""

    people: int
    alpha: float
    source: Source | None
    domains: Mapping[str, float]

    def test(self, rows: Records, columns: Sequence[int]) -> DistinctValueTest:
        """What the number of values of a set says."""
        how: dict[str, Any] = {"source": self.source, "domains": self.domains}
        return assess(rows, columns, self.people, alpha=self.alpha, **how)

    def notes(self, rows: Records) -> Iterator[str]:
        """Where declared numbers are smaller than what the table holds."""
        for name, size in self.domains.items():
            held = observed(rows, rows.places([name])) if name in rows.names else 0
            if held > size:
                yield (
                    f"{name} holds {held:,} different values and {size:,.0f} are declared: the "
                    "test is only as good as that number"
                )


@dataclass(frozen=True)
class _Extras:
    """What is to be told beside the sets."""

    population: Population | None
    explain: tuple[str, ...]
    drop_duplicates: bool
    time_limit: float | None
    named: tuple[str, ...] = ()
    """Columns that were asked for by name."""


def discover(  # noqa: PLR0913  the table, what is asked, and what comes from outside
    data: Any,
    columns: Sequence[str] | None = None,
    *,
    measure: Measure | Literal["distinct", "separation", "unique"] = Measure.DISTINCT,
    ratio: float | None = None,
    max_size: int | None = None,
    exact: bool | None = None,
    epsilon: float | None = None,
    delta: float = 0.01,
    sample: int | None = None,
    population: float | str | None = None,
    domains: Mapping[str, float] | None = None,
    alpha: float | None = None,
    source: Source | Literal["declared", "estimated", "observed"] | None = None,
    explain: Sequence[str] = (),
    drop_duplicates: bool = False,
    seed: int | None = None,
    time_limit: float | None = TIME_LIMIT,
    reading: Reading | None = None,
    watch: Watch | None = None,
) -> Discovery:
    """The minimal sets of columns whose ratio is at least `ratio` (0.9), and a smallest one.

    The table is a frame, a path, "-" for standard input, or an iterator of frames. A table in
    memory is looked at exactly; with `epsilon`, and if the table goes by once (standard input,
    iterators, large files), the answer comes from a sample and says what it promises with
    probability 1 - `delta`. With `epsilon` and no `ratio`, keys are asked for. `max_size` limits
    the sets that are searched, `time_limit` the seconds. `population` (a number or a name such as
    "usa") adds what the number of possible values says: whether a set can tell a share `alpha`
    (0.5) of so many people apart. The number is the product of `domains` (possible values by
    column), an estimate, or what was observed. `explain` says why columns identify.
    """
    watch = watch or Watch()
    columns, explain = None if columns is None else listed(columns), listed(explain)
    if exact and not (epsilon is None and sample is None):
        raise PolicyError(
            "an exact answer has no epsilon and no sample", remedy="ask for one or the other"
        )
    if sample is not None and sample < 1:
        raise PolicyError("a sample must hold at least one record")
    if time_limit is not None and not time_limit >= 0:
        raise PolicyError("the time limit must be a number of seconds from 0 on")
    for name in explain:
        if columns and name not in columns:
            raise PolicyError(
                f"{name!r} is to be explained and is not among the columns to look at",
                remedy="name it with --columns, too",
            )
    if ratio is None:
        ratio = 0.9 if epsilon is None else 1.0
    asked = Asked(measure_of(measure), ratio, max_size, epsilon, delta, seed)
    named = (*(columns or ()), *explain)
    judged = _population(population, domains, alpha, source)
    extras = _Extras(judged, explain, drop_duplicates, time_limit, named)
    with enough_memory(), opened(data, columns, reading, whole=bool(exact)) as table:
        chosen(table.names, extras.explain or None)
        chosen(table.names, tuple(domains or ()) or None)
        if isinstance(table, Passing):
            return _passing(table, asked, extras, sample or SAMPLE, watch)
        seen = table.without_sealed(named)
        records = _records(seen, extras)
        if epsilon is None and exact is not False and sample is None:
            answer = exact_answer(folded(records), asked, Within(watch, time_limit))
        else:
            answer = _drawn(records, asked, sample, Within(watch, time_limit))
        return _discovery(seen, records, asked, extras, answer, watch)


def _population(
    people: float | str | None,
    domains: Mapping[str, float] | None,
    alpha: float | None,
    source: str | None,
) -> Population | None:
    """The population, checked before anything is read."""
    given = {"domains": domains, "alpha": alpha, "source": source}
    if people is None:
        if unused := [name for name, value in given.items() if value]:
            raise PolicyError(
                f"{unused[0]} is about a population, and none is given",
                remedy="give the number of people: population 3e8, say",
            )
        return None
    if alpha is not None and not 0 < alpha <= 1:
        raise PolicyError("alpha must be above 0 and at most 1")
    if not all(size >= 1 for size in (domains or {}).values()):
        raise PolicyError("a column has at least one possible value")
    if source is not None and source not in _SOURCES:
        raise PolicyError("there is no such source", remedy=f"known are {', '.join(_SOURCES)}")
    how = None if source is None else Source(source)
    return Population(people_of(people), 0.5 if alpha is None else alpha, how, domains or {})


def _records(table: Held, extras: _Extras) -> Records:
    records = table.records()
    if not records.total:
        raise InputError("the table has no records", remedy="give at least one")
    return once(folded(records)) if extras.drop_duplicates else records


def _drawn(records: Records, asked: Asked, sample: int | None, watch: Watch) -> Answer:
    """The answer from records of a table in memory, drawn here."""
    epsilon = asked.epsilon or (1 - asked.ratio if asked.ratio < 1 else _PAIRS_EPSILON)
    size = sample or size_for(records.width, records.total, asked, epsilon)
    if size >= records.total:
        return exact_answer(folded(records), asked, watch)
    rng = np.random.default_rng(asked.seed)
    rows, pairs = sampled_rows(records, size, rng), None
    if asked.keys_by_pairs and best(rows).classes < rows.total:
        wanted = separation_pairs(records.width, epsilon, asked.delta)
        pairs = partial(sampled_pairs, records, wanted, rng)
    return sampled_answer(rows, records.total, asked, watch, pairs)


def _passing(table: Passing, asked: Asked, extras: _Extras, size: int, watch: Watch) -> Discovery:
    """The answer from a table that goes by: exact if all of it fits the sample.

    Without duplicates it is a sample of different rows, and what is promised is about these.
    """
    plans: list[Plan | DistinctRows] = [Tuples(size, asked.seed)]
    if extras.drop_duplicates:
        plans = [DistinctRows(size, asked.seed)]
        asked = replace(asked, delta=asked.delta - min(UNSURE, asked.delta / 2))
    elif asked.keys_by_pairs:
        wanted = separation_pairs(len(table.names), asked.epsilon or _PAIRS_EPSILON, asked.delta)
        plans.append(Pairs(min(wanted, size), asked.seed))
    drawn, *rest = draw(_until_stopped(table, watch), plans, watch, columns=table.names)
    notes = (*table.notes, _STOPPED) if watch.expired else tuple(table.notes)
    held = Held(MemoryEngine(drawn.frame, text=table.text), table.names, notes)
    held = held.without_sealed(extras.named)
    limited = Within(watch, extras.time_limit)
    if drawn.whole:
        records = _records(held, extras)
        answer = exact_answer(folded(records), asked, limited)
        return _discovery(held, records, asked, extras, answer, watch)
    records = _records(held, replace(extras, drop_duplicates=False))
    if extras.drop_duplicates:
        held = replace(held, notes=(*held.notes, _different(drawn.seen)))
    pairs = None
    if rest:
        engine = MemoryEngine(rest[0].frame, text=table.text)
        pairs = partial(differences_of, coded(engine, held.names))
    answer = sampled_answer(records, drawn.seen, asked, limited, pairs)
    return _discovery(held, records, asked, extras, answer, watch, seen=drawn.seen)


def _different(rows: int) -> str:
    return (
        f"records that are written alike count once: at most {rows:,} of them are different, and "
        "the answer is about these"
    )


def _until_stopped(table: Passing, watch: Watch) -> Iterator[Any]:
    for frame in table.frames:
        yield frame
        if watch.expired:
            return


def _discovery(  # noqa: PLR0913, PLR0917  all that an answer is made of
    table: Held,
    records: Records,
    asked: Asked,
    extras: _Extras,
    answer: Answer,
    watch: Watch,
    seen: int | None = None,
) -> Discovery:
    """The answer with figures, tests, explanations and notes.

    `seen` is the number of records of the table if only a sample of them is at hand.
    """
    rows = folded(records)
    listed = _listed(answer, rows)
    sets = tuple(_found(rows, listed))
    minimum = None
    if answer.minimum is not None:
        (found,) = _found(rows, [answer.minimum])
        minimum = Smallest(found.columns, found.ratios, answer.minimum_guarantee)
    people = extras.population
    whole = best(rows)
    limit = _for_explanations(watch, extras.time_limit)
    return Discovery(
        records=seen or records.total,
        measure=asked.measure,
        ratio=asked.ratio,
        sets=sets,
        found=len(answer.sets),
        minimum=minimum,
        best=Found(records.names, whole),
        guarantee=answer.guarantee,
        promise=answer.promise,
        sampled=seen is not None,
        basis=answer.basis,
        reaches=answer.reaches,
        tests=() if people is None else tuple(people.test(rows, one) for one in listed),
        explanations=tuple(
            explained(table, rows, name, asked, (sets, minimum), limit) for name in extras.explain
        ),
        notes=(
            *table.notes,
            *(() if people is None else people.notes(rows)),
            *_notes(rows, whole, asked, sampled=seen is not None),
            *answer.notes,
        ),
        partial=answer.partial or watch.expired,
        bounded=seen is not None and extras.drop_duplicates,
        seconds=watch.elapsed,
    )


def _for_explanations(watch: Watch, limit: float | None) -> Watch:
    """What is left of the time, or a tenth of all of it if the search took longer."""
    if limit is None:
        return watch
    return Within(watch, max(limit - watch.elapsed, limit * _A_PART))


def _listed(answer: Answer, rows: Records) -> list[tuple[int, ...]]:
    """As many of the sets, the smallest first, as can be measured in little time."""
    most = min(_LISTED, max(100, _LOOKED_AT // max(1, rows.rows)))
    return sorted(answer.sets, key=lambda one: (len(one), one))[:most]


def _found(rows: Records, sets: Sequence[tuple[int, ...]]) -> Iterator[Found]:
    """The sets with their figures; what neighbours share is split once."""
    path: list[tuple[int, Partition]] = []
    for columns in sets:
        shared = 0
        while shared < min(len(path), len(columns)) and path[shared][0] == columns[shared]:
            shared += 1
        del path[shared:]
        for j in columns[shared:]:
            before = path[-1][1] if path else Partition.whole(rows)
            path.append((j, before.refined(rows, j)))
        figures = path[-1][1].ratios if path else Partition.whole(rows).ratios
        yield Found(tuple(rows.names[j] for j in columns), figures)


def _notes(rows: Records, whole: Ratios, asked: Asked, *, sampled: bool) -> Iterator[str]:
    constant = [
        name for name, line in zip(rows.names, rows.codes, strict=True) if (line == line[0]).all()
    ]
    where = "of the sample " if sampled else ""
    if constant:
        yield f"columns with one value in all records {where}are of no help: {', '.join(constant)}"
    equal = whole.records - whole.unique
    if equal:
        yield f"{counted(equal, 'record')} {where}equal another in all columns"
    reached = whole.ratio(asked.measure)
    if reached < asked.ratio:
        yield (
            f"all columns together reach a {asked.measure} ratio of {reached:.6g}"
            f"{' in the sample' if sampled else ''}: ask for no more than that, or drop the "
            "duplicates"
        )
