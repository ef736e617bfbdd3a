"""Quantiles of tables that go by: one pass for a sample, one to look cells up, one to count again.

Memory is that of the sample and of a few batches. Buckets are counted as the cells are looked up.
Rows that leave in a new order are put aside as the numbers of their buckets, so that what is shown
is decided when all are counted; rows that keep their order are written at once, and written again
only if a bucket had to be joined. Plain texts are rewritten more quickly (see `quantile_text`).
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from incrowd.errors import IncrowdError
from incrowd.io.atomic import replacing
from incrowd.io.batches import Layout
from incrowd.io.pieces import Write, pieces, refuse_unwritable
from incrowd.io.spool import spool
from incrowd.io.tables import form_of
from incrowd.population.bucketed import Bucketed
from incrowd.population.bucketing import Recount, Settled, as_found, other_rows, settle
from incrowd.table.fold import in_threads
from incrowd.verbs.order import shuffled
from incrowd.verbs.quantile_run import (
    OtherRecordsError,
    Run,
    answered,
    divided,
    look,
    sampled,
    stacked,
    verify,
)
from incrowd.verbs.quantile_text import is_rewritable, rewrite
from incrowd.verbs.quantile_wish import QuantileWish
from incrowd.verbs.reading import AnyPath
from incrowd.verbs.twice import Frames, Twice, twice
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
        rewritable = place is not None and is_rewritable(table, form)
        if place is not None and rewritable:
            done = rewrite(table, place, wish, watch, whole=whole)
            table.demand_same()
            if done is not None:
                verify(*done, place, form, layout)
                return answered(*done, None)
        for run in _drawn(table, wish, watch, whole=whole, quick=not rewritable):
            counted = _Counted(run)
            opened = counted.opened if place is None else partial(pieces, place, form)
            settled = _write(run, opened, folder)
            if settled is None:
                continue
            if place is None:
                counted.recount.demand(settled, run.records, wish.least)
            else:
                verify(run, settled, place, form, layout)
            return answered(run, settled, None)
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
        return answered(run, settled, stacked(counted.frames))


def _drawn(
    table: Twice, wish: QuantileWish, watch: Watch, *, whole: bool = False, quick: bool = True
) -> Iterator[Run]:
    """The first pass: a sample of the records, and how it divides each column.

    A quick look may see other records than there are (blank lines are none), or not see what is
    wrong with a file. Where it fails, and if the second pass counts other records, the next run is
    that of a thorough look.
    """
    if quick and table.text is not None:
        found = None
        with suppress(IncrowdError):
            found = _looked_at(table, table.text.columns, wish, watch, whole=whole)
        if found is not None:
            yield found
    yield _looked_at(table, table.frames, wish, watch, whole=whole)


def _looked_at(
    table: Twice, frames: Frames, wish: QuantileWish, watch: Watch, *, whole: bool
) -> Run:
    drawn = sampled(frames(wish.columns), wish, watch, whole=whole)
    wish.refuse(drawn.seen)
    columns = divided(drawn, wish)
    return Run(table, wish, watch, drawn.seen, drawn.frame.height, columns)


def _write(run: Run, opened: Opened, folder: Path | None) -> list[Settled] | None:
    """The second pass: the rows that leave; what was settled about their columns.

    None if they are more or fewer than the first pass saw.
    """
    try:
        if run.wish.keep_order:
            return _write_in_order(run, opened)
        return _write_in_new_order(run, opened, folder)
    except OtherRecordsError:
        return None


def _write_in_new_order(run: Run, opened: Opened, folder: Path | None) -> list[Settled]:
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


def _write_in_order(run: Run, opened: Opened) -> list[Settled]:
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


def _coded(run: Run) -> Iterator[pl.DataFrame]:
    """The rows that leave, with the number of its bucket in each cell that is to show one."""
    start = 0
    for frame in run.table.frames(run.leaving):
        tasks = [partial(column.see, frame[column.name], start) for column in run.columns]
        codes = zip(run.columns, in_threads(tasks), strict=True)
        yield frame.with_columns(*(pl.Series(column.name, found) for column, found in codes))
        start += frame.height
        run.watch.tell("putting cells into buckets", min(1.0, start / run.records))
    if start != run.records:
        raise OtherRecordsError


def _shown(run: Run, settled: Sequence[Settled]) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """What rows show that hold the numbers of buckets."""
    looks = [look(column, one, run.wish) for column, one in zip(run.columns, settled, strict=True)]

    def show(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(*(cells.gather(frame[cells.name]) for cells in looks))

    return show


class _Counted:
    """A place for rows that are counted, and kept if that is asked for."""

    def __init__(self, run: Run, *, keep: bool = False) -> None:
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
