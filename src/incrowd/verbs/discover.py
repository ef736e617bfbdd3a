"""Which sets of columns tell the records of a table apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from incrowd.engines.memory import MemoryEngine
from incrowd.engines.stream import (
    UNSURE,
    DistinctRowSample,
    PairReservoir,
    RecordReservoir,
    Reservoir,
    draw,
)
from incrowd.errors import InputError, count_of
from incrowd.hierarchy import suggestion
from incrowd.identify.answers import (
    DiscoverOptions,
    SetAnswer,
    exact_answer,
    measure_sets,
    sets_to_list,
    weighted_sample_error,
)
from incrowd.identify.counted_sets import CountedSets
from incrowd.identify.explain import coarsen_column, find_partners, measure_addition
from incrowd.identify.measures import fold_records, ratios_of_all
from incrowd.identify.outcome import (
    Basis,
    Coarser,
    ColumnSet,
    Discovery,
    Explanation,
    Guarantee,
    SmallestSet,
)
from incrowd.identify.records import Ratios, Records
from incrowd.identify.sampled_answers import sampled_answer, size_for
from incrowd.identify.sampling import count_rows_once, differences_of, sample_pairs, sample_rows
from incrowd.io import files
from incrowd.io.reading import enough_memory
from incrowd.requests.discover import DiscoverRequest
from incrowd.requests.request import verb
from incrowd.table.encode import align
from incrowd.table.names import choose_columns
from incrowd.verbs.tables import (
    IN_BATCHES,
    PassingTable,
    TableElsewhere,
    TableInMemory,
    columns_to_look_at,
    open_to_count,
)
from incrowd.watch import NestedWatch, Watch

SAMPLE = 100_000
"""Default number of records in a sample."""
_PAIRS_EPSILON = 0.001
_MOST_PAIRS = 2**21
"""The most pairs of records that are drawn; what fewer of them promise is said."""
_PARTNERS = 3
_EXPLAINING = 0.1
"""Share of the time limit that explanations get if the search used all of it."""
_COUNTED = 20
"""The most sets of a sample that are counted on all records of a table elsewhere."""
_COUNTING = 60.0
"""Seconds that counting on all records gets, whatever the search used."""
_COUNTED_PROMISE = (
    "each set reaches the ratio on all records, and no smaller set within it does; the sample may "
    "not show all such sets"
)
_STOPPED = "reading was stopped: the answer is about the records read until then"


@verb(DiscoverRequest)
def discover(asked: DiscoverRequest) -> Discovery:
    """Find the minimal sets of columns whose ratio is at least `ratio` (0.9), and a smallest one.

    The table is a frame, a path, "-" for standard input, an iterator of frames or a table elsewhere
    (see `incrowd.api`): sets are looked for in a sample of a large one, and each that is reported
    is counted on all its records. A table in memory is searched exactly. With `epsilon`, and for a
    table that passes once (standard input, iterators, large files), the answer comes from a sample
    and says what it promises with probability 1 - `delta`. With `epsilon` and no `ratio`, it looks
    for keys. A `population` adds what the number of possible values means: whether a set can tell
    a share `alpha` of so many people apart; `source` says where that number comes from: the product
    of `domains`, an estimate, or what was observed. By a `policy`, or its file, columns are read as
    it says, and those that leave are looked at if none are named.
    """
    policy = None if asked.policy is None else files.policy_of(asked.policy)
    asked = replace(asked, columns=columns_to_look_at(asked.columns, policy))
    options, watch = asked.convert_to(DiscoverOptions), asked.watch or Watch()
    watch.tell("coding the columns", 0.0)
    whole = bool(options.exact)
    with (
        enough_memory(IN_BATCHES),
        open_to_count(
            asked.data, options.columns, asked.reading, whole=whole, policy=policy
        ) as table,
    ):
        for named in (options.explain, options.domains, options.weights):
            choose_columns(table.names, tuple(named) or None)
        if isinstance(table, PassingTable):
            return _discover_in_passing(table, options, watch)
        if isinstance(table, TableElsewhere):
            return _discover_elsewhere(table.without_nested(options.named_columns), options, watch)
        seen = table.without_nested(options.named_columns)
        records = _records_to_search(seen, options)
        within = NestedWatch(watch, options.time_limit)
        if options.epsilon is None and options.exact is not False and options.sample is None:
            answer = exact_answer(fold_records(records), options, within)
        elif options.weights:
            raise weighted_sample_error()
        else:
            answer = _search_sample(records, options, within)
        return _make_discovery(seen, records, options, answer, watch)


def _records_to_search(table: TableInMemory, options: DiscoverOptions) -> Records:
    """Code the records, equal ones once if that is asked for; `InputError` if there are none."""
    records = table.code_records()
    if not records.total:
        raise InputError("the table has no records", remedy="give at least one")
    return count_rows_once(fold_records(records)) if options.drop_duplicates else records


def _search_sample(records: Records, options: DiscoverOptions, watch: Watch) -> SetAnswer:
    """Search a sample of the records of a table in memory, or all if the sample would have all."""
    ratio = options.least_ratio
    epsilon = options.epsilon or (1 - ratio if ratio < 1 else _PAIRS_EPSILON)
    size = options.sample or size_for(records.width, records.total, options, epsilon)
    if size >= records.total:
        return exact_answer(fold_records(records), options, watch)
    rng = np.random.default_rng(options.seed)
    rows, pairs = sample_rows(records, size, rng), None
    if options.measured_by_pairs:
        wanted = min(options.pairs_for(records.width, epsilon), _MOST_PAIRS)
        pairs = partial(sample_pairs, records, wanted, rng)
    return sampled_answer(rows, records.total, options, watch, pairs)


def _discover_in_passing(table: PassingTable, options: DiscoverOptions, watch: Watch) -> Discovery:
    """Discover sets in a table that passes once, exactly if all its records fit into the sample.

    If duplicates are dropped, the sample is one of the distinct rows, and the promise is about
    these. `PolicyError` if there are weights and only a sample is at hand.
    """
    size = options.sample or SAMPLE
    reservoirs: list[Reservoir | DistinctRowSample] = [RecordReservoir(size, options.seed)]
    if options.drop_duplicates:
        reservoirs = [DistinctRowSample(size, options.seed)]
        options = replace(options, delta=options.delta - min(UNSURE, options.delta / 2))
    elif options.measured_by_pairs:
        wanted = options.pairs_for(len(table.names), options.epsilon or _PAIRS_EPSILON)
        reservoirs.append(PairReservoir(min(wanted, size), options.seed))
    drawn, *rest = draw(_frames_until_stopped(table, watch), reservoirs, watch, columns=table.names)
    notes = (*table.notes, _STOPPED) if watch.expired else tuple(table.notes)
    engine = MemoryEngine(drawn.frame, text=table.text)
    loaded = TableInMemory(engine, table.names, notes, table.policy)
    loaded = loaded.without_nested(options.named_columns)
    within = NestedWatch(watch, options.time_limit)
    if drawn.whole:
        records = _records_to_search(loaded, options)
        answer = exact_answer(fold_records(records), options, within)
        return _make_discovery(loaded, records, options, answer, watch)
    if options.weights:
        raise weighted_sample_error()
    records = _records_to_search(loaded, replace(options, drop_duplicates=False))
    if options.drop_duplicates:
        note = (
            f"records that are written alike count once: at most {drawn.seen:,} are different, "
            "and the answer is about these"
        )
        loaded = replace(loaded, notes=(*loaded.notes, note))
    pairs = None
    if rest:
        engine = MemoryEngine(rest[0].frame, text=table.text)
        pairs = partial(differences_of, replace(loaded, engine=engine).code_records())
    answer = sampled_answer(records, drawn.seen, options, within, pairs)
    return _make_discovery(loaded, records, options, answer, watch, seen=drawn.seen)


def _discover_elsewhere(table: TableElsewhere, options: DiscoverOptions, watch: Watch) -> Discovery:
    """Find sets in a sample, and have the engine count them on all records.

    The table passes once instead if duplicates are dropped, all records fit into the sample, or
    sets are measured by pairs and may miss the ratio by `epsilon`. `PolicyError` for weights.
    """
    engine, size = table.engine, options.sample or SAMPLE
    nearly = options.measured_by_pairs and options.epsilon is not None
    if options.drop_duplicates or nearly or size >= engine.records:
        return _discover_in_passing(table.as_passing(), options, watch)
    if options.weights:
        raise weighted_sample_error()
    drawn = MemoryEngine(engine.sample(table.names, size), text=engine.text)
    loaded = TableInMemory(drawn, table.names, table.notes, table.policy)
    records = _records_to_search(loaded, options)
    answer = sampled_answer(
        records, engine.records, options, NestedWatch(watch, options.time_limit)
    )
    found = _make_discovery(loaded, records, options, answer, watch, seen=engine.records)
    return _count_anew(found, table, records, options, watch)


def _count_anew(
    found: Discovery, table: TableElsewhere, sample: Records, options: DiscoverOptions, watch: Watch
) -> Discovery:
    """Count the sets of a sample (`found`) on all records; explanations stay the sample's."""
    limit = options.time_limit
    within = NestedWatch(watch, None if limit is None else max(limit - watch.elapsed, _COUNTING))
    widest = np.argsort(-sample.domains, kind="stable")
    counted_sets = CountedSets(
        lambda columns: Ratios.of_sizes(*table.sizes(columns)),
        tuple(sample.names[j] for j in widest),
        options.measure,
        options.least_ratio,
        within,
    )
    candidates = [one.columns for one in found.sets]
    sets = counted_sets.find_minimal(candidates, _COUNTED)
    people = options.population_test
    guarantee = Guarantee(
        exact=False,
        sample=sample.total,
        searched=f"sets that a sample of {sample.total:,} records shows, counted on all records",
        not_searched="sets that the sample does not show",
    )
    return replace(
        found,
        sets=tuple(sets),
        found=len(sets),
        minimum=SmallestSet(sets[0].columns, sets[0].ratios, guarantee) if sets else None,
        best=ColumnSet(sample.names, counted_sets.ratios(sample.names)),
        guarantee=guarantee,
        promise=_COUNTED_PROMISE if sets else "no set of columns reaches the ratio",
        sampled=False,
        basis=Basis.COUNTED,
        reaches=None,
        tests=()
        if people is None
        else tuple(people.test(sample, sample.places(one.columns)) for one in sets),
        notes=(*found.notes, *_counting_notes(found, sample, options)),
        partial=found.partial or within.expired,
        seconds=watch.elapsed,
    )


def _counting_notes(found: Discovery, sample: Records, options: DiscoverOptions) -> Iterator[str]:
    """Yield notes on which figures are counted on all records, and which on the sample."""
    of = f"a sample of {sample.total:,} of the {found.records:,} records"
    yield f"the sets were looked for in {of}; their figures are counted on all records"
    if len(found.sets) > _COUNTED:
        yield f"only the {_COUNTED} smallest of {found.found:,} sets of the sample were counted"
    if options.explain:
        yield f"the explanations are about {of}"
    if options.population_test is not None:
        yield f"the numbers of possible values come from {of}"


def _frames_until_stopped(table: PassingTable, watch: Watch) -> Iterator[Any]:
    """Yield the frames of a table, the first in any case, until it is stopped or time is up."""
    for frame in table.frames:
        yield frame
        if watch.expired:
            return


def _make_discovery(  # noqa: PLR0913  all that a discovery is made of
    table: TableInMemory,
    records: Records,
    options: DiscoverOptions,
    answer: SetAnswer,
    watch: Watch,
    *,
    seen: int | None = None,
) -> Discovery:
    """Make the outcome; `seen` counts all records of the table if `records` are a sample of it."""
    rows = fold_records(records)
    listed = sets_to_list(answer, rows)
    sets = tuple(measure_sets(rows, listed))
    minimum = None
    if answer.minimum is not None:
        (found,) = measure_sets(rows, [answer.minimum])
        costs = options.costs(found.columns)
        cost = None if costs is None else math.fsum(costs)
        minimum = SmallestSet(found.columns, found.ratios, answer.minimum_guarantee, cost)
    people = options.population_test
    whole = ratios_of_all(rows)
    within, limit = watch, options.time_limit
    if limit is not None:
        within = NestedWatch(watch, max(limit - watch.elapsed, limit * _EXPLAINING))
    return Discovery(
        records=seen or records.total,
        measure=options.measure,
        ratio=options.least_ratio,
        sets=sets,
        found=len(answer.sets),
        minimum=minimum,
        best=ColumnSet(records.names, whole),
        guarantee=answer.guarantee,
        promise=answer.promise,
        sampled=seen is not None,
        basis=answer.basis,
        reaches=answer.reaches,
        tests=() if people is None else tuple(people.test(rows, one) for one in listed),
        explanations=tuple(
            _explain_column(table, rows, name, options, (sets, minimum), within)
            for name in options.explain
        ),
        notes=(
            *table.notes,
            *(() if people is None else people.notes(rows)),
            *_notes_on_records(rows, whole, options, sampled=seen is not None),
            *answer.notes,
        ),
        partial=answer.partial or watch.expired,
        bounded=seen is not None and options.drop_duplicates,
        seconds=watch.elapsed,
    )


def _notes_on_records(
    rows: Records, whole: Ratios, options: DiscoverOptions, *, sampled: bool
) -> Iterator[str]:
    """Yield notes on constant columns, equal records, and a ratio that all columns do not reach."""
    constant = [
        name for name, line in zip(rows.names, rows.codes, strict=True) if (line == line[0]).all()
    ]
    where = "of the sample " if sampled else ""
    if constant:
        names = ", ".join(constant)
        yield f"columns with the same value in all records {where}do not help: {names}"
    equal = whole.records - whole.unique
    if equal:
        yield f"{count_of(equal, 'record')} {where}equal another in all columns"
    reached = whole.ratio(options.measure)
    if reached < options.least_ratio:
        yield (
            f"all columns together reach a {options.measure} ratio of {reached:.6g}"
            f"{' in the sample' if sampled else ''}: ask for no more than that, or drop duplicates"
        )


def _explain_column(  # noqa: PLR0913, PLR0917  a column, and what is known so far
    table: TableInMemory,
    rows: Records,
    name: str,
    options: DiscoverOptions,
    known: tuple[tuple[ColumnSet, ...], ColumnSet | None],
    watch: Watch,
) -> Explanation:
    """Explain what a column adds; `known` are the sets found, and a smallest one or None."""
    (column,) = rows.places([name])
    alone, without, together = measure_addition(rows, column)
    most = min(_PARTNERS, (options.max_size or _PARTNERS + 1) - 1)
    partners, complete = find_partners(
        rows, column, options.measure, options.least_ratio, max_size=most, watch=watch
    )
    among = _set_to_coarsen(name, known)
    return Explanation(
        column=name,
        alone=alone,
        without=without,
        together=together,
        partners=tuple(tuple(rows.names[j] for j in one) for one in partners),
        complete=complete,
        among=among,
        coarser=_coarser_sets(table, name, among),
    )


def _set_to_coarsen(
    name: str, known: tuple[tuple[ColumnSet, ...], ColumnSet | None]
) -> tuple[str, ...]:
    """The first set that has the column; else the smallest set, if any, with the column added."""
    sets, minimum = known
    for one in sets:
        if name in one.columns:
            return one.columns
    others = () if minimum is None else minimum.columns
    return tuple(dict.fromkeys((*others, name)))


def _coarser_sets(table: TableInMemory, name: str, among: tuple[str, ...]) -> tuple[Coarser, ...]:
    """The ratios of the set `among` at each level of the hierarchy suggested for one column."""
    coded = table.codes(among)
    hierarchy = suggestion.Suggested().build(coded[name].domain, name)
    coded[name] = align(coded[name], hierarchy.leaves)
    codes = np.stack([coded[one].codes for one in among])
    records = Records(among, codes, np.ones(codes.shape[1], dtype=np.int64))
    (column,) = records.places([name])
    return coarsen_column(fold_records(records), range(len(among)), column, hierarchy.maps)
