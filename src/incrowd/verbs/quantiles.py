"""Columns that show quantiles instead of their values (Lodha-Thomas Sections 4.1.2 and 4.1.3).

Each column is divided into buckets of at least k records, equal values in one bucket, and every
cell shows its bucket. A table in memory is divided exactly; what goes by (iterators of frames,
standard input, large files), or if `epsilon` is given, by a sample. What is promised, k records for
everything that a column shows, is counted again on the rows that leave.
"""

import os
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts
from incrowd.engines.bare import bare_arrow, bare_pandas, bare_polars
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.stream import Tuples
from incrowd.errors import InputError, boundary
from incrowd.population.bucketed import Bucketed, Show
from incrowd.population.bucketing import Bucketing, Recount, settle
from incrowd.table.fold import in_threads
from incrowd.verbs.mask import check_target
from incrowd.verbs.quantile_run import look, outcome
from incrowd.verbs.quantile_stream import gather, stream
from incrowd.verbs.quantile_wish import QuantileWish
from incrowd.verbs.reading import AnyPath, Reading, collected, rows_of
from incrowd.verbs.source import enough_memory, goes_by, is_stream
from incrowd.watch import Watch


def quantiles(  # noqa: PLR0913  the table, the wish, and what comes from outside
    data: Any,
    *,
    columns: Sequence[str],
    k: int | None = None,
    buckets: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    show: Show = "median",
    keep: Sequence[str] = (),
    seed: int | None = None,
    keep_order: bool = False,
    watch: Watch | None = None,
) -> Bucketed:
    """The table with columns that show quantiles of at least `k` records, or so many `buckets`.

    The table is a frame, or frames that come one after the other (an iterator or a list; what
    leaves is then a frame of Polars). Columns hold numbers or dates. A cell shows the median of its
    bucket in the type of the column or, with `show="range"`, a text such as "[20, 30)". Columns
    that are not named leave only if they are in `keep`, as they are. Records leave in a new order
    unless `keep_order`. A frame is divided exactly unless `epsilon` asks for a sample; the outcome
    says what the sample promises with probability 1 - `delta` (0.01).
    """
    watch = watch or Watch()
    wish = quantile_wish(columns, k, buckets, epsilon, delta, show, keep, seed, keep_order)
    with enough_memory():
        if is_stream(data):
            return gather(data, wish, watch)
        return _held(collected(data), wish, watch)


def quantiles_file(
    source: AnyPath | Iterable[Any],
    target: AnyPath | None,
    *,
    reading: Reading | None = None,
    **options: Any,
) -> Bucketed:
    """Quantiles of columns of a file ("-" is standard input) or of frames, in another file.

    The rows are written beside the target, read again and counted; only then does the target take
    its place. Without a target all but that is done. The options are those of `quantiles`. The
    table is not held in memory, and the outcome has no frame. Files of up to 256 MB are divided
    exactly unless `epsilon` asks for a sample; frames, standard input and large files by a sample.
    """
    reading = reading or Reading()
    watch = options.pop("watch", None) or Watch()
    wish = quantile_wish(**options)
    path = source if isinstance(source, str | os.PathLike) else None
    check_target("-" if path is None else path, target)
    whole = path is not None and not goes_by(path, reading)
    layout = reading.expecting((*wish.columns, *wish.keep)).layout
    with enough_memory():
        return stream(source, target, wish, layout, watch, whole=whole)


def quantile_wish(  # noqa: PLR0913, PLR0917  all but the columns are options
    columns: Sequence[str],
    k: int | None = None,
    buckets: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    show: Show = "median",
    keep: Sequence[str] = (),
    seed: int | None = None,
    keep_order: bool = False,
) -> QuantileWish:
    """The wish that these options are."""
    named = tuple(dict.fromkeys(columns))
    kept = tuple(dict.fromkeys(keep))
    return QuantileWish(named, k, buckets, epsilon, delta, show, kept, seed, keep_order)


def _held(frame: Any, wish: QuantileWish, watch: Watch) -> Bucketed:
    """The quantiles of a table in memory."""
    engine = MemoryEngine(frame)
    leaving = wish.leaving(engine.names)
    with boundary(InputError("the frame cannot be read")):
        rows = rows_of(
            nw.from_native(frame, eager_only=True).select(list(wish.columns)).to_native()
        )
    wish.refuse(rows.height)
    places = _drawn(rows.height, wish)
    sample = rows.height if places is None else len(places)
    given = (places, wish.buckets, wish.drawn_per_bucket(rows.height, sample))
    tasks = [partial(Bucketing.of_whole, rows[name], *given) for name in wish.columns]
    division, codes = zip(*in_threads(tasks), strict=True)
    settled = [settle(column, wish.least) for column in division]
    looks = [look(*both, wish) for both in zip(division, settled, strict=True)]
    shown = {cells.name: (cells, found) for cells, found in zip(looks, codes, strict=True)}
    with boundary(InputError("the rows that leave cannot be built from this frame")):
        made = _released(frame, leaving, shown, _order(rows.height, wish))
    recount = Recount(wish.columns)
    recount.add(rows_of(made))
    recount.demand(settled, rows.height, wish.least)
    sizes = (rows.height, sample)
    return outcome(wish, engine.names, sizes, settled, made, watch)


def _drawn(records: int, wish: QuantileWish) -> Counts | None:
    """The very records that a reservoir would hold after all went by; None if these are all."""
    if wish.epsilon is None or wish.sample >= records:
        return None
    return Tuples(wish.sample, wish.seed).drawn(0, records)[0]


def _order(records: int, wish: QuantileWish) -> Counts | None:
    if wish.keep_order:
        return None
    seed = None if wish.seed is None else [wish.seed, 1]
    return np.random.default_rng(seed).permutation(records)


def _released(
    frame: Any,
    leaving: Sequence[str],
    shown: dict[str, tuple[pl.Series, Codes]],
    order: Counts | None,
) -> Any:
    """The rows that leave, in a frame of the kind that came in."""
    narrow = nw.from_native(frame, eager_only=True)
    made: list[nw.Series[Any]] = []
    for name in leaving:
        column = narrow[name]
        if name not in shown:
            made.append(column if order is None else column[order])
            continue
        cells, codes = shown[name]
        found = _as_native(cells, column)
        made.append(found[codes if order is None else codes[order]])
    natives = [column.to_native() for column in made]
    match narrow.implementation:
        case nw.Implementation.PANDAS:
            return bare_pandas(natives)
        case nw.Implementation.PYARROW:
            return bare_arrow([(c.name, n) for c, n in zip(made, natives, strict=True)])
        case _:
            return bare_polars(natives)


def _as_native(cells: pl.Series, column: "nw.Series[Any]") -> "nw.Series[Any]":
    """What codes show, in a series of the column's library and, if it can be, of its type."""
    if column.implementation is nw.Implementation.POLARS:
        return nw.from_native(cells, series_only=True)
    dtype = nw.String() if isinstance(cells.dtype, pl.String) else column.dtype
    values = cells.to_list()
    if len(values) > 1 and column.null_count() == 0 and values[0] is None:
        values[0] = values[1]  # a type without missing values; no record has this code
    made: nw.Series[Any] = nw.new_series(column.name, values, dtype, backend=column.implementation)
    return made
