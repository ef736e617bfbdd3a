"""A table whose columns are to show quantiles: what both ways to rewrite it have in common."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from incrowd.engines.stream import Sample, Tuples, draw
from incrowd.errors import InputError, boundary
from incrowd.io.batches import Layout, batches
from incrowd.io.columns import plain_text
from incrowd.io.tables import Form
from incrowd.population.bucketed import Bucketed
from incrowd.population.bucketing import Bucketing, Recount, Settled, other_rows
from incrowd.population.quantile_cells import faces
from incrowd.table.fold import in_threads
from incrowd.verbs.quantile_wish import QuantileWish, notes_of
from incrowd.verbs.twice import Twice
from incrowd.watch import Watch


@dataclass(frozen=True, eq=False)
class Run:
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


class OtherRecordsError(Exception):
    """The second pass found another number of records than the first."""


def sampled(
    frames: Iterable[pl.DataFrame], wish: QuantileWish, watch: Watch, *, whole: bool
) -> Sample:
    """The records by which columns are divided: all of them if the `whole` fits into memory."""
    if whole and wish.epsilon is None:
        found = list(frames)
        if not found:
            raise InputError("the table has no records", remedy="give at least one")
        return Sample(stacked(found), sum(frame.height for frame in found))
    plan = Tuples(wish.sample, wish.seed)
    return draw(frames, [plan], watch, columns=wish.columns)[0]


def divided(drawn: Sample, wish: QuantileWish) -> tuple[Bucketing, ...]:
    """The buckets of each column by the records of a sample."""
    least = wish.drawn_per_bucket(drawn.seen, drawn.frame.height)
    tasks = [
        partial(Bucketing.by_sample, drawn.frame[name], wish.buckets, least)
        for name in wish.columns
    ]
    return tuple(in_threads(tasks))


def stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The frames below each other."""
    with boundary(InputError("the batches do not fit together", remedy="give them one schema")):
        return pl.concat(frames, how="vertical_relaxed")


def look(column: Bucketing, settled: Settled, wish: QuantileWish) -> pl.Series:
    """What each code of a column shows."""
    cells = faces(settled.division, column.kind, wish.show, column.some)
    return cells.gather(pl.Series(settled.code_of))


def verify(run: Run, settled: Sequence[Settled], place: Path, form: Form, layout: Layout) -> None:
    """Read what was written, and count it."""
    run.watch.tell("counting the rows that leave", 0.0)
    recount = Recount(run.wish.columns)
    plain = plain_text(place, form, run.leaving)
    if plain is not None:
        for name in run.wish.columns:
            recount.add_counts(name, plain.counts(name))
    else:
        read = replace(layout, delimiter=form.delimiter, encoding="utf-8", header=True)
        with batches(place, read) as found:
            if found.names != run.leaving:
                raise other_rows()
            for frame in found:
                recount.add(frame)
    recount.demand(settled, run.records, run.wish.least)


def answered(run: Run, settled: Sequence[Settled], frame: Any) -> Bucketed:
    """The answer about a table that went by."""
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
