"""Columns that show quantiles instead of their values (Lodha-Thomas Sections 4.1.2 and 4.1.3).

Each column is divided into buckets of at least k records, equal values in one bucket, and every
cell shows its bucket. That k records share whatever a column shows is counted again on the rows
that leave.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl

from incrowd.arrays import Codes, Counts
from incrowd.engines import elsewhere
from incrowd.engines.base import Engine
from incrowd.engines.fetch import fetch_into_memory
from incrowd.engines.memory import MemoryEngine, native_frame
from incrowd.engines.stream import RecordReservoir
from incrowd.errors import InputError, boundary
from incrowd.io.reading import AnyPath, Reading, compute_frame, enough_memory, is_path, rows_of
from incrowd.population.buckets import Bucketing, BucketRecount, QuantileOptions, enforce_k
from incrowd.population.quantiles import Bucketed
from incrowd.requests.quantiles import QuantilesRequest
from incrowd.requests.request import verb
from incrowd.table.encode import to_polars
from incrowd.table.fold import in_threads
from incrowd.verbs.mask import check_target, draw_order
from incrowd.verbs.quantile_passes import make_outcome, write_quantiles
from incrowd.verbs.tables import IN_BATCHES, is_batches, passes_once
from incrowd.watch import Watch


@verb(QuantilesRequest)
def quantiles(asked: QuantilesRequest) -> Bucketed:
    """Show quantiles of at least `k` records, or so many `buckets`, in place of values.

    The table is a frame, a path, "-" for standard input, a table elsewhere (see `incrowd.api`),
    whose columns that leave are brought into memory, or frames that come one after the other (an
    iterator or a list). A cell shows the median of its bucket in the type of the column or, with
    `show="range"`, a text such as "[20, 30)". Records leave in a new order unless `keep_order`.

    Frames, and files of up to 256 MB, are divided exactly unless `epsilon` asks for a sample; the
    outcome says what the sample promises with probability 1 - `delta`. Without a `target` a frame
    gives a frame of its kind, and frames give one of Polars. Files are never held in memory: their
    rows are written beside the target, read again and counted before they take its place, and the
    outcome has no frame.
    """
    options = asked.convert_to(QuantileOptions)
    source, target, watch = asked.source, asked.target, asked.watch or Watch()
    check_target(source, target)
    reading = (asked.reading or Reading()).with_expected((*options.columns, *options.keep))
    reading = replace(reading, only=tuple(options.columns))
    with enough_memory(IN_BATCHES):
        if is_path(source):
            whole = not passes_once(source)
            return write_quantiles(source, target, options, reading, watch, whole=whole)
        if is_batches(source):
            if target is None:
                return write_quantiles(source, None, options, Reading(), watch, gather=True)
            return write_quantiles(source, target, options, reading, watch)
        if (engine := elsewhere.engine_of(source)) is not None:
            with closing(engine):
                return _divide_elsewhere(source, engine, options, target, watch)
        frame = compute_frame(source)
        if target is None:
            return _divide_frame(frame, options, watch)
        return write_quantiles([frame], target, options, Reading(), watch, whole=True)


def _divide_elsewhere(
    source: Any, engine: Engine, options: QuantileOptions, target: AnyPath | None, watch: Watch
) -> Bucketed:
    """Show quantiles of a table elsewhere; columns that leave are brought into memory."""
    leaving = options.leaving_columns(engine.names)
    rows = fetch_into_memory(engine, leaving).rows
    if target is None:
        found = _divide_frame(rows, options, watch)
        found = replace(found, frame=elsewhere.convert_like(source, found.frame))
    else:
        found = write_quantiles([rows], target, options, Reading(), watch, whole=True)
    return replace(found, withheld=tuple(name for name in engine.names if name not in leaving))


def _divide_frame(frame: Any, options: QuantileOptions, watch: Watch) -> Bucketed:
    """Show quantiles of a table in memory, in a frame of its kind.

    `InputError` if it cannot be read, `InfeasibleError` for fewer than k records.
    """
    engine = MemoryEngine(frame)
    leaving = options.leaving_columns(engine.names)
    with boundary(InputError("the frame cannot be read")):
        narrow = nw.from_native(frame, eager_only=True)
        rows = pl.DataFrame([to_polars(narrow[name]).alias(name) for name in options.columns])
    options.refuse_small(rows.height)
    places = _sampled_records(rows.height, options)
    sample = rows.height if places is None else len(places)
    given = (places, options.buckets, options.least_per_bucket(rows.height, sample))
    tasks = [partial(Bucketing.of_whole, rows[name], *given) for name in options.columns]
    columns, codes = zip(*in_threads(tasks), strict=True)
    shown = [enforce_k(column, options.least) for column in columns]
    cells = [one.cells(found, options.show) for one, found in zip(columns, shown, strict=True)]
    coded = {one.name: (one, found) for one, found in zip(cells, codes, strict=True)}
    order = draw_order(rows.height, options.seed, keep=options.keep_order)
    with boundary(InputError("the rows that leave cannot be built from this frame")):
        made = _rows_that_leave(frame, leaving, coded, order)
    recount = BucketRecount(options.columns)
    recount.add(rows_of(made))
    recount.check(shown, rows.height, options.least)
    sizes = (rows.height, sample)
    return make_outcome(options, engine.names, sizes, shown, made, watch)


def _sampled_records(records: int, options: QuantileOptions) -> Counts | None:
    """The indices of the records of a sample; None if no sample is asked for, or it has all."""
    if options.epsilon is None or options.sample >= records:
        return None
    return RecordReservoir(options.sample, options.seed).draw(0, records)[0]


def _rows_that_leave(
    frame: Any,
    leaving: Sequence[str],
    coded: dict[str, tuple[pl.Series, Codes]],
    order: Counts | None,
) -> Any:
    """The rows that leave, in this order (None keeps it), in a frame of the kind that came in.

    `coded` has for each divided column the cells that its codes show, and the code of each record.
    """
    narrow = nw.from_native(frame, eager_only=True)
    made: list[nw.Series[Any]] = []
    for name in leaving:
        column = narrow[name]
        if name not in coded:
            made.append(column if order is None else column[order])
            continue
        cells, codes = coded[name]
        found = _to_native(cells, column)
        made.append(found[codes if order is None else codes[order]])
    return native_frame(narrow, made)


def _to_native(cells: pl.Series, column: "nw.Series[Any]") -> "nw.Series[Any]":
    """`cells` as a series of the column's library and, unless they are texts, of its type.

    A missing first cell becomes a copy of the second where the column, not of Polars, has none.
    """
    if column.implementation is nw.Implementation.POLARS:
        return nw.from_native(cells, series_only=True)
    dtype = nw.String() if isinstance(cells.dtype, pl.String) else column.dtype
    values = cells.to_list()
    if len(values) > 1 and column.null_count() == 0 and values[0] is None:
        values[0] = values[1]  # a type without missing values; no record has this code
    made: nw.Series[Any] = nw.new_series(column.name, values, dtype, backend=column.implementation)
    return made
