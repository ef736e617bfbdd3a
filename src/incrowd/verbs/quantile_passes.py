"""Quantiles of tables read in batches: a pass for a sample, one to look up cells, one to recount.

Memory is that of the sample and of a few batches. Buckets are counted as cells are looked up.

- Plain text files are rewritten byte for byte: only the columns that are divided are read, once if
  they fit into memory, else once for a sample and once to look their cells up. The codes of the
  buckets are stored on disk, so all is counted and decided before the first record is written.
- Other rows that leave in a new order are stored as the codes of their buckets, so what they show
  is decided when all are counted. Rows that keep their order are written at once, and written again
  only if a bucket had to be joined.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from incrowd.arrays import Codes
from incrowd.engines.stream import RecordReservoir, StreamSample, draw
from incrowd.errors import IncrowdError, InputError, boundary, other_rows_error
from incrowd.io.atomic import replace_at_end
from incrowd.io.csv_chunks import PlainText, as_plain_text
from incrowd.io.csv_rewrite import (
    OtherRecordsError,
    Rewriting,
    open_new_file,
    rewrite,
    shuffled_text,
)
from incrowd.io.passes import Frames, RereadableTable, open_rereadable, shuffle, written_rows
from incrowd.io.reading import AnyPath, Reading
from incrowd.io.scratch import ScratchFrames, scratch_file, scratch_frames
from incrowd.io.tables import Form, form_of
from incrowd.io.target import Write, refuse_unwritable, write_in_pieces
from incrowd.population.buckets import (
    Bucketing,
    BucketRecount,
    QuantileOptions,
    ShownBuckets,
    enforce_k,
    show_all_buckets,
)
from incrowd.population.quantiles import Bucketed
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

OpenTarget: TypeAlias = Callable[[], AbstractContextManager[Write]]
"""Opens a place for the rows that leave, empty each time."""
Decode: TypeAlias = Callable[[pl.DataFrame], pl.DataFrame]
"""Replaces the codes of buckets in a frame by the cells that they show."""


@dataclass(frozen=True, eq=False)
class _Run:
    """A table whose sample was drawn, and how it divides the columns."""

    table: RereadableTable
    options: QuantileOptions
    watch: Watch
    records: int
    sample: int
    columns: tuple[Bucketing, ...]

    @property
    def leaving_columns(self) -> tuple[str, ...]:
        """The columns of the table that leave, in its order."""
        return self.options.leaving_columns(self.table.names)

    def code_rows(self, frames: Frames, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield rows with codes of buckets, counting them; `OtherRecordsError` if not `records`."""
        start = 0
        for frame in frames(names):
            tasks = [partial(column.look_up, frame[column.name], start) for column in self.columns]
            codes = zip(self.columns, in_threads(tasks), strict=True)
            yield frame.with_columns(*(pl.Series(column.name, found) for column, found in codes))
            start += frame.height
            self.watch.tell("putting cells into buckets", min(1.0, start / self.records))
        if start != self.records:
            raise OtherRecordsError

    def join_buckets(self) -> list[ShownBuckets]:
        """The buckets to show, joined so that all hold k records."""
        return [enforce_k(column, self.options.least) for column in self.columns]

    def cells(self, shown: Sequence[ShownBuckets]) -> list[pl.Series]:
        """For each divided column, the cells that its codes show, by code."""
        both = zip(self.columns, shown, strict=True)
        return [column.cells(one, self.options.show) for column, one in both]


def write_quantiles(  # noqa: PLR0913  the table, the options, and what comes from outside
    source: AnyPath | Iterable[Any],
    target: AnyPath | None,
    options: QuantileOptions,
    reading: Reading,
    watch: Watch,
    *,
    whole: bool = False,
    gather: bool = False,
) -> Bucketed:
    """Show quantiles in a table read in batches, and write it to the target, if there is one.

    With `whole` the columns that are divided fit into memory and are divided exactly; with `gather`
    the rows that leave are in the frame of the outcome. `NotMetError` if the classes counted in
    these rows differ from the buckets shown, or have fewer than k records.
    """
    with ExitStack() as stack:
        place = None if target is None else stack.enter_context(replace_at_end(target))
        folder = None if target is None else Path(os.path.realpath(target)).parent
        table = stack.enter_context(
            open_rereadable(source, options.leaving_columns, reading, folder)
        )
        form = table.form if target is None else form_of(target, table.form)
        refuse_unwritable(form)
        rewritable = place is not None and is_rewritable(table, form)
        if place is not None and rewritable:
            done = _rewrite_text(table, place, options, watch, whole=whole)
            table.refuse_changed()
            if done is not None:
                _verify_written(*done, place, form)
                return _outcome_of(*done, None)
        for run in _first_passes(table, options, watch, whole=whole, quick=not rewritable):
            counter = _Counter(run, keep=gather)
            opened = counter.open if place is None else partial(write_in_pieces, place, form)
            shown = _second_pass(run, opened, folder)
            if shown is None:
                continue
            if place is None:
                counter.recount.check(shown, run.records, options.least)
            else:
                _verify_written(run, shown, place, form)
            return _outcome_of(run, shown, _stack_frames(counter.frames) if gather else None)
        raise other_rows_error()


def _first_passes(
    table: RereadableTable,
    options: QuantileOptions,
    watch: Watch,
    *,
    whole: bool = False,
    quick: bool = True,
) -> Iterator[_Run]:
    """Yield runs to try in turn, each after a first pass that divides the columns by a sample.

    With `quick`, the first run reads a plain text in a quick way, which may miscount records (it
    counts blank lines, too) or miss what is wrong with the file. The caller takes the next
    run, which reads it thoroughly, if the second pass counts other records.
    """
    if quick and table.text is not None:
        found = None
        with suppress(IncrowdError):
            found = _first_pass(table, table.text.read_columns, options, watch, whole=whole)
        if found is not None:
            yield found
    yield _first_pass(table, table.frames, options, watch, whole=whole)


def _first_pass(
    table: RereadableTable, frames: Frames, options: QuantileOptions, watch: Watch, *, whole: bool
) -> _Run:
    """Divide the columns by a sample or the `whole`; `InfeasibleError` for fewer than k records."""
    drawn = _draw_sample(frames(options.columns), options, watch, whole=whole)
    options.refuse_small(drawn.seen)
    columns = _divide_columns(drawn, options)
    return _Run(table, options, watch, drawn.seen, drawn.frame.height, columns)


def _draw_sample(
    frames: Iterable[pl.DataFrame], options: QuantileOptions, watch: Watch, *, whole: bool
) -> StreamSample:
    """Draw a sample of the records, by which columns are divided.

    If the `whole` fits into memory and no `epsilon` asks for a sample, these are all records.
    `InputError` without frames.
    """
    if whole and options.epsilon is None:
        found = list(frames)
        if not found:
            raise InputError("the table has no records", remedy="give at least one")
        return StreamSample(_stack_frames(found), sum(frame.height for frame in found))
    reservoir = RecordReservoir(options.sample, options.seed)
    return draw(frames, [reservoir], watch, columns=options.columns)[0]


def _divide_columns(drawn: StreamSample, options: QuantileOptions) -> tuple[Bucketing, ...]:
    """Divide every column into buckets by the records that were drawn."""
    least = options.least_per_bucket(drawn.seen, drawn.frame.height)
    tasks = [
        partial(Bucketing.by_sample, drawn.frame[name], options.buckets, least)
        for name in options.columns
    ]
    return tuple(in_threads(tasks))


def _stack_frames(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of all frames; `InputError` if their columns or types do not fit together."""
    with boundary(InputError("the batches do not fit together", remedy="give them one schema")):
        return pl.concat(frames, how="vertical_relaxed")


def is_rewritable(table: RereadableTable, form: Form) -> bool:
    """Whether the text of this table's records can be copied into a file of this form."""
    like = (form.format, form.compression) == ("csv", None)
    return like and table.text is not None and table.text.delimiter == form.delimiter


def _rewrite_text(
    table: RereadableTable, place: Path, options: QuantileOptions, watch: Watch, *, whole: bool
) -> tuple[_Run, list[ShownBuckets]] | None:
    """Write the rows byte for byte; return the run and what is shown, not yet counted again.

    None if text or options do not allow that: the caller then reads thoroughly, which may refuse.
    """
    if table.text is None:
        return None
    try:
        with scratch_frames(place.parent) as scratch:
            run, codes = _look_up_codes(table, table.text, options, watch, scratch, whole=whole)
            shown = run.join_buckets()
            _write_text(run, table.text, codes, shown, place)
            return run, shown
    except (IncrowdError, OtherRecordsError):
        return None


def _look_up_codes(  # noqa: PLR0913  the table, the options, and what comes from outside
    table: RereadableTable,
    text: PlainText,
    options: QuantileOptions,
    watch: Watch,
    scratch: ScratchFrames,
    *,
    whole: bool,
) -> tuple[_Run, Iterable[Codes]]:
    """The run of a text, and the codes of its buckets: arrays of shape (columns, some records).

    The codes of a text that was only sampled are read from `scratch`, which must stay open.
    """
    drawn = _draw_sample(text.read_columns(options.columns), options, watch, whole=whole)
    options.refuse_small(drawn.seen)
    if drawn.whole:
        least = options.least_per_bucket(drawn.seen, drawn.seen)
        given = (None, options.buckets, least)
        tasks = [partial(Bucketing.of_whole, drawn.frame[name], *given) for name in options.columns]
        columns, codes = zip(*in_threads(tasks), strict=True)
        run = _Run(table, options, watch, drawn.seen, drawn.seen, tuple(columns))
        return run, [np.stack(codes)]
    divided = _divide_columns(drawn, options)
    run = _Run(table, options, watch, drawn.seen, drawn.frame.height, divided)
    for frame in run.code_rows(text.read_columns, options.columns):
        scratch.put(frame)
    return run, (scratch.get(number).to_numpy().T for number in range(len(scratch)))


def _write_text(
    run: _Run, text: PlainText, codes: Iterable[Codes], shown: Sequence[ShownBuckets], place: Path
) -> None:
    """Write the text with quantiles in place of its cells, in a new order unless it is kept."""
    how = Rewriting.of(text.names, run.leaving_columns, run.cells(shown), text.delimiter)
    rows = rewrite(text, how, codes)
    with ExitStack() as stack:
        put = stack.enter_context(open_new_file(place))
        put(next(rows).text)
        texts: Iterator[Any] = (part.text for part in rows)
        if not run.options.keep_order:
            scratch = stack.enter_context(scratch_file(place.parent))
            most = text.size + run.records * how.most_growth
            texts = shuffled_text(rows, most, run.options.seed, scratch)
        for part in texts:
            put(part)


def _second_pass(run: _Run, opened: OpenTarget, folder: Path | None) -> list[ShownBuckets] | None:
    """Write the rows that leave; return what is shown, None if the first pass miscounted.

    `folder` has room for what is stored meanwhile.
    """
    try:
        if run.options.keep_order:
            return _write_in_order(run, opened)
        return _write_in_new_order(run, opened, folder)
    except OtherRecordsError:
        return None


def _write_in_new_order(run: _Run, opened: OpenTarget, folder: Path | None) -> list[ShownBuckets]:
    """Write rows in a new order; return what is shown. `OtherRecordsError` before any leaves."""
    shown: list[ShownBuckets] = []
    cells = run.records * len(run.leaving_columns)
    with scratch_frames(folder) as scratch, opened() as write:
        show: Decode | None = None
        coded = run.code_rows(run.table.frames, run.leaving_columns)
        for frame in shuffle(coded, cells, run.options.seed, scratch):
            if show is None:  # all rows have passed, and none has left
                shown = run.join_buckets()
                show = _decoder(run, shown)
            write(show(frame))
    return shown


def _write_in_order(run: _Run, opened: OpenTarget) -> list[ShownBuckets]:
    """Write the rows in their order, again if buckets had to change; return what is shown."""
    as_found = [show_all_buckets(column) for column in run.columns]
    _decode_in_order(run, opened, _decoder(run, as_found))
    shown = run.join_buckets()
    if any(one.changed for one in shown):
        again = replace(run, columns=tuple(replace(column) for column in run.columns))
        _decode_in_order(again, opened, _decoder(run, shown))
    return shown


def _decode_in_order(run: _Run, opened: OpenTarget, show: Decode) -> None:
    """Write the rows as they are read, with the cells that `show` puts for their codes."""
    with opened() as write:
        for frame in run.code_rows(run.table.frames, run.leaving_columns):
            write(show(frame))


def _decoder(run: _Run, shown: Sequence[ShownBuckets]) -> Decode:
    """Make a function that replaces the codes in a frame by the cells that they show."""
    cells = run.cells(shown)

    def show(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(*(one.gather(frame[one.name]) for one in cells))

    return show


class _Counter:
    """Stands in for a target: counts the rows, and keeps their frames if that is asked for."""

    def __init__(self, run: _Run, *, keep: bool = False) -> None:
        self._names = run.options.columns
        self._keep = keep
        self.frames: list[pl.DataFrame] = []
        self.recount = BucketRecount(self._names)

    @contextmanager
    def open(self) -> Iterator[Write]:
        """Forget all rows, and give a function that takes the rows of a frame."""
        self.frames.clear()
        self.recount = BucketRecount(self._names)
        yield self._write

    def _write(self, frame: pl.DataFrame) -> None:
        """Count the rows of a frame, and keep it if that is asked for."""
        self.recount.add(frame)
        if self._keep:
            self.frames.append(frame)


def _verify_written(run: _Run, shown: Sequence[ShownBuckets], place: Path, form: Form) -> None:
    """Count what was written; `NotMetError` if it differs from `shown`, or a class is below k."""
    run.watch.tell("counting the rows that leave", 0.0)
    recount = BucketRecount(run.options.columns)
    plain = as_plain_text(place, form, run.leaving_columns)
    if plain is not None:
        for name in run.options.columns:
            recount.add_counts(name, plain.count_cells(name))
    else:
        for frame in written_rows(place, form, run.leaving_columns):
            recount.add(frame)
    recount.check(shown, run.records, run.options.least)


def _outcome_of(run: _Run, shown: Sequence[ShownBuckets], frame: Any) -> Bucketed:
    """Make the outcome of a run; `frame` has the rows that leave, None if they are not gathered."""
    sizes, names = (run.records, run.sample), run.table.names
    return make_outcome(run.options, names, sizes, shown, frame, run.watch, run.table.notes)


def make_outcome(  # noqa: PLR0913, PLR0917  all that an outcome is made of
    options: QuantileOptions,
    names: Sequence[str],
    sizes: tuple[int, int],
    shown: Sequence[ShownBuckets],
    frame: Any,
    watch: Watch,
    notes: Sequence[str] = (),
) -> Bucketed:
    """Make the outcome; `names` are the table's columns, `sizes` its records and the sample's."""
    leaving = options.leaving_columns(names)
    cuts = sum(max(0, one.column.buckets + one.column.merged - 1) for one in shown)
    found = Bucketed(
        frame=frame,
        columns=tuple(one.column for one in shown),
        kept=tuple(name for name in leaving if name not in options.columns),
        withheld=tuple(name for name in names if name not in leaving),
        records=sizes[0],
        k=options.least,
        show=options.show,
        promise=options.rank_promise(*sizes, cuts),
        notes=tuple(notes),
        seconds=watch.elapsed,
    )
    return replace(found, notes=(*notes, *options.notes(found)))
