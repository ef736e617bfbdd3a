"""Quantiles of tables that go by: one pass for a sample, one to look cells up, one to count again.

Memory is that of the sample and of a few batches. Buckets are counted as the cells are looked up.
Rows that leave in a new order are put aside as the numbers of their buckets, so that what is shown
is decided when all are counted; rows that keep their order are written at once, and written again
only if a bucket had to be joined.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from incrowd.discovery.bucketing import (
    Bucketing,
    Recount,
    Settled,
    as_found,
    other_rows,
    settle,
)
from incrowd.discovery.order import shuffled
from incrowd.discovery.quantile_cells import faces
from incrowd.discovery.quantile_wish import QuantileWish, notes_of
from incrowd.discovery.twice import Frames, Twice, twice
from incrowd.engines.stream import Sample, Tuples, draw
from incrowd.errors import IncrowdError, InputError, boundary
from incrowd.io.atomic import replacing
from incrowd.io.batches import Layout, batches
from incrowd.io.columns import columns_of, is_plain
from incrowd.io.pieces import Write, pieces, refuse_unwritable
from incrowd.io.spool import spool
from incrowd.io.tables import Form, form_of
from incrowd.probabilistic.bucketed import Bucketed
from incrowd.run import AnyPath
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

Opened: TypeAlias = Callable[[], AbstractContextManager[Write]]
"""A place for the rows that leave, empty each time it is opened."""


def stream(  # noqa: PLR0913  the table, the wish, and what comes from outside
    source: AnyPath | Iterable[Any],
    target: AnyPath | None,
    wish: QuantileWish,
    layout: Layout,
    watch: Watch,
    *,
    whole: bool = False,
) -> Bucketed:
    """The quantiles of a table that goes by, written to the target; without one only counted.

    With `whole` the columns that are divided fit into memory, and are divided exactly.
    """
    with ExitStack() as stack:
        place = None if target is None else stack.enter_context(replacing(target))
        folder = None if target is None else Path(os.path.realpath(target)).parent
        table = stack.enter_context(twice(source, wish.leaving, layout, folder))
        form = table.form if target is None else form_of(target, table.form)
        refuse_unwritable(form)
        for run in _drawn(table, wish, watch, whole=whole):
            counted = _Counted(run)
            opened = counted.opened if place is None else partial(pieces, place, form)
            settled = _write(run, opened, folder)
            if settled is None:
                continue
            if place is None:
                counted.recount.demand(settled, run.records, wish.least)
            else:
                _verify(run, settled, place, form, layout)
            return _outcome(run, settled, None)
        raise other_rows()


def gather(frames: Iterable[Any], wish: QuantileWish, watch: Watch) -> Bucketed:
    """The quantiles of frames that come one after the other, in one frame."""
    with twice(frames, wish.leaving, Layout(), None) as table:
        (run,) = _drawn(table, wish, watch)
        counted = _Counted(run, keep=True)
        settled = _write(run, counted.opened, None)
        if settled is None:
            raise other_rows()
        counted.recount.demand(settled, run.records, wish.least)
        return _outcome(run, settled, _stacked(counted.frames))


def _stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    with boundary(InputError("the batches do not fit together", remedy="give them one schema")):
        return pl.concat(frames, how="vertical_relaxed")


@dataclass(frozen=True, eq=False)
class _Run:
    """A table whose sample was drawn."""

    table: Twice
    wish: QuantileWish
    watch: Watch
    records: int
    sample: int
    columns: tuple[Bucketing, ...]

    @property
    def leaving(self) -> tuple[str, ...]:
        """The columns that leave."""
        return self.wish.leaving(self.table.names)


def _drawn(
    table: Twice, wish: QuantileWish, watch: Watch, *, whole: bool = False
) -> Iterator[_Run]:
    """The first pass: a sample of the records, and how it divides each column.

    A quick look may see other records than there are (blank lines are none), or not see what is
    wrong with a file. Where it fails, and if the second pass counts other records, the next run is
    that of a thorough look.
    """
    if table.quick is not None:
        quick = None
        with suppress(IncrowdError):
            quick = _looked_at(table, table.quick, wish, watch, whole=whole)
        if quick is not None:
            yield quick
    yield _looked_at(table, table.frames, wish, watch, whole=whole)


def _looked_at(
    table: Twice, frames: Frames, wish: QuantileWish, watch: Watch, *, whole: bool
) -> _Run:
    drawn = _sample(frames(wish.columns), wish, watch, whole=whole)
    wish.refuse(drawn.seen)
    columns = _divided(drawn, wish)
    return _Run(table, wish, watch, drawn.seen, drawn.frame.height, columns)


def _sample(
    frames: Iterable[pl.DataFrame], wish: QuantileWish, watch: Watch, *, whole: bool
) -> Sample:
    if whole and wish.epsilon is None:
        found = list(frames)
        if not found:
            raise InputError("the table has no records", remedy="give at least one")
        return Sample(_stacked(found), sum(frame.height for frame in found))
    plan = Tuples(wish.sample, wish.seed)
    return draw(frames, [plan], watch, columns=wish.columns)[0]


def _divided(drawn: Sample, wish: QuantileWish) -> tuple[Bucketing, ...]:
    """The buckets of each column by the records of a sample."""
    least = wish.drawn_per_bucket(drawn.seen, drawn.frame.height)
    tasks = [
        partial(Bucketing.by_sample, drawn.frame[name], wish.buckets, least)
        for name in wish.columns
    ]
    return tuple(in_threads(tasks))


def _write(run: _Run, opened: Opened, folder: Path | None) -> list[Settled] | None:
    """The second pass: the rows that leave; what was settled about their columns.

    None if they are more or fewer than the first pass saw.
    """
    try:
        if run.wish.keep_order:
            return _write_in_order(run, opened)
        return _write_in_new_order(run, opened, folder)
    except _OtherRecordsError:
        return None


class _OtherRecordsError(Exception):
    """The second pass found another number of records than the first."""


def _write_in_new_order(run: _Run, opened: Opened, folder: Path | None) -> list[Settled]:
    settled: list[Settled] = []
    cells = run.records * len(run.leaving)
    with spool(folder) as aside, opened() as write:
        show: Callable[[pl.DataFrame], pl.DataFrame] | None = None
        for frame in shuffled(_coded(run), cells, run.wish.seed, aside):
            if show is None:  # all rows have gone by, and none has left
                settled = [settle(column, run.wish.least) for column in run.columns]
                show = _shown(run, settled)
            write(show(frame))
    return settled


def _write_in_order(run: _Run, opened: Opened) -> list[Settled]:
    with opened() as write:
        show = _shown(run, [as_found(column) for column in run.columns])
        for frame in _coded(run):
            write(show(frame))
    settled = [settle(column, run.wish.least) for column in run.columns]
    if any(one.changed for one in settled):
        again = replace(run, columns=tuple(replace(column) for column in run.columns))
        with opened() as write:
            show = _shown(run, settled)
            for frame in _coded(again):
                write(show(frame))
    return settled


def _coded(run: _Run) -> Iterator[pl.DataFrame]:
    """The rows that leave, with the number of its bucket in each cell that is to show one."""
    start = 0
    for frame in run.table.frames(run.leaving):
        tasks = [partial(column.see, frame[column.name], start) for column in run.columns]
        codes = zip(run.columns, in_threads(tasks), strict=True)
        yield frame.with_columns(*(pl.Series(column.name, found) for column, found in codes))
        start += frame.height
        run.watch.tell("putting cells into buckets", min(1.0, start / run.records))
    if start != run.records:
        raise _OtherRecordsError


def _shown(run: _Run, settled: Sequence[Settled]) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """What rows show that hold the numbers of buckets."""
    looks = [look(column, one, run.wish) for column, one in zip(run.columns, settled, strict=True)]

    def show(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(*(cells.gather(frame[cells.name]) for cells in looks))

    return show


def look(column: Bucketing, settled: Settled, wish: QuantileWish) -> pl.Series:
    """What each code of a column shows."""
    cells = faces(settled.division, column.kind, wish.show, column.some)
    return cells.gather(pl.Series(settled.code_of))


class _Counted:
    """A place for rows that are counted, and kept if that is asked for."""

    def __init__(self, run: _Run, *, keep: bool = False) -> None:
        self._names = run.wish.columns
        self._keep = keep
        self.frames: list[pl.DataFrame] = []
        self.recount = Recount(self._names)

    @contextmanager
    def opened(self) -> Iterator[Write]:
        """The place, empty."""
        self.frames.clear()
        self.recount = Recount(self._names)
        yield self._write

    def _write(self, frame: pl.DataFrame) -> None:
        self.recount.add(frame)
        if self._keep:
            self.frames.append(frame)


def _verify(run: _Run, settled: Sequence[Settled], place: Path, form: Form, layout: Layout) -> None:
    """Read what was written, and count it."""
    run.watch.tell("counting the rows that leave", 0.0)
    recount = Recount(run.wish.columns)
    if is_plain(place, form, run.leaving):
        for frame in columns_of(place, form, run.wish.columns):
            recount.add(frame)
    else:
        read = replace(layout, delimiter=form.delimiter, encoding="utf-8", header=True)
        with batches(place, read) as found:
            if found.names != run.leaving:
                raise other_rows()
            for frame in found:
                recount.add(frame)
    recount.demand(settled, run.records, run.wish.least)


def _outcome(run: _Run, settled: Sequence[Settled], frame: Any) -> Bucketed:
    return outcome(
        run.wish,
        run.table.names,
        (run.records, run.sample),
        settled,
        frame,
        run.watch,
        run.table.notes,
    )


def outcome(  # noqa: PLR0913, PLR0917  all that an answer is made of
    wish: QuantileWish,
    names: Sequence[str],
    sizes: tuple[int, int],
    settled: Sequence[Settled],
    frame: Any,
    watch: Watch,
    notes: Sequence[str] = (),
) -> Bucketed:
    """The answer, once the rows that leave were counted; `sizes` are records and sample."""
    leaving = wish.leaving(names)
    cuts = sum(max(0, one.column.buckets + one.column.merged - 1) for one in settled)
    found = Bucketed(
        frame=frame,
        columns=tuple(one.column for one in settled),
        kept=tuple(name for name in leaving if name not in wish.columns),
        withheld=tuple(name for name in names if name not in leaving),
        records=sizes[0],
        k=wish.least,
        show=wish.show,
        promise=wish.promise(*sizes, cuts),
        notes=tuple(notes),
        seconds=watch.elapsed,
    )
    return replace(found, notes=(*notes, *notes_of(wish, found)))
