"""Quantiles of plain texts: only the columns that are divided are read, the rest is copied.

The columns are read once if they fit into memory, otherwise once for a sample and once to look
their cells up; the numbers of the buckets are put aside. So all is counted and settled before the
first record is written, each once: copied byte by byte, with what its buckets show.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from incrowd.arrays import Codes
from incrowd.errors import IncrowdError
from incrowd.io.columns import PlainText
from incrowd.io.rewrite import Cut, Rewriting, Rows, writing
from incrowd.io.shelf import shelf
from incrowd.io.spool import Spool, spool
from incrowd.io.tables import Form
from incrowd.population.bucketing import Bucketing, Settled, settle
from incrowd.table.fold import in_threads, threads
from incrowd.verbs.quantile_run import OtherRecordsError, Run, divided, look, sampled
from incrowd.verbs.quantile_wish import QuantileWish
from incrowd.verbs.text_order import shuffled_text
from incrowd.verbs.twice import Twice
from incrowd.watch import Watch

Done = TypeVar("Done")


def is_rewritable(table: Twice, form: Form) -> bool:
    """Whether records of this table can be copied into a file of this form."""
    like = (form.format, form.compression) == ("csv", None)
    return like and table.text is not None and table.text.delimiter == form.delimiter


def rewrite(
    table: Twice, place: Path, wish: QuantileWish, watch: Watch, *, whole: bool
) -> tuple[Run, list[Settled]] | None:
    """The rows that leave, written but not yet counted again.

    None if anything is odd about the text or the wish: a more thorough way will do it, or say why
    it cannot be done.
    """
    if table.text is None:
        return None
    try:
        with spool(place.parent) as aside:
            found = _looked_up(table, table.text, wish, watch, aside, whole=whole)
            settled = [settle(column, wish.least) for column in found.run.columns]
            _write(found, table.text, settled, place)
            return found.run, settled
    except (IncrowdError, OtherRecordsError):
        return None


@dataclass(frozen=True, eq=False)
class _LookedUp:
    """A table, and the bucket of each of its cells that is to show one."""

    run: Run
    codes: Iterable[Codes]
    """A line for each column, of some records at a time."""


def _looked_up(  # noqa: PLR0913  the table, the wish, and what comes from outside
    table: Twice, text: PlainText, wish: QuantileWish, watch: Watch, aside: Spool, *, whole: bool
) -> _LookedUp:
    drawn = sampled(text.columns(wish.columns), wish, watch, whole=whole)
    wish.refuse(drawn.seen)
    if drawn.whole:
        least = wish.drawn_per_bucket(drawn.seen, drawn.seen)
        given = (None, wish.buckets, least)
        tasks = [partial(Bucketing.of_whole, drawn.frame[name], *given) for name in wish.columns]
        columns, codes = zip(*in_threads(tasks), strict=True)
        run = Run(table, wish, watch, drawn.seen, drawn.seen, tuple(columns))
        return _LookedUp(run, [np.stack(codes)])
    run = Run(table, wish, watch, drawn.seen, drawn.frame.height, divided(drawn, wish))
    for frame in _coded(run, text):
        aside.put(frame)
    kept = (aside.get(number).to_numpy().T for number in range(len(aside)))
    return _LookedUp(run, kept)


def _coded(run: Run, text: PlainText) -> Iterator[pl.DataFrame]:
    """The buckets of the cells that are to show one."""
    start = 0
    for frame in text.columns(run.wish.columns):
        tasks = [partial(column.see, frame[column.name], start) for column in run.columns]
        codes = zip(run.wish.columns, in_threads(tasks), strict=True)
        yield pl.DataFrame(dict(codes))
        start += frame.height
        run.watch.tell("putting cells into buckets", min(1.0, start / run.records))
    if start != run.records:
        raise OtherRecordsError


def _write(found: _LookedUp, text: PlainText, settled: Sequence[Settled], place: Path) -> None:
    run = found.run
    looks = [look(column, one, run.wish) for column, one in zip(run.columns, settled, strict=True)]
    how = Rewriting.of(text.names, run.leaving, looks, text.delimiter)
    rows = _spliced(found, text, how)
    with ExitStack() as stack:
        put = stack.enter_context(writing(place))
        put(next(rows).text)
        texts: Iterator[Any] = (part.text for part in rows)
        if not run.wish.keep_order:
            aside = stack.enter_context(shelf(place.parent))
            most = text.size + run.records * how.longest
            texts = shuffled_text(rows, most, run.wish.seed, aside)
        for part in texts:
            put(part)


def _spliced(found: _LookedUp, text: PlainText, how: Rewriting) -> Iterator[Rows]:
    """The header, and then the records with what their codes show."""
    take = _Taken(found.codes)

    def tasks() -> Iterator[Callable[[], Rows]]:
        codes = how.header[:, np.newaxis]
        for cut in _cut(text):
            codes = np.hstack([codes, take(len(cut) - codes.shape[1])])
            yield partial(how.rows, cut, codes)
            codes = codes[:, :0]

    for number, rows in enumerate(_side_by_side(tasks())):
        if not number:
            yield rows.part(0, 1)
        yield rows.part(1, len(rows)) if not number else rows
    take.refuse_more()


def _cut(text: PlainText) -> Iterator[Cut]:
    """The text in parts of whole records."""
    width = len(text.names)
    for body in text.bodies():
        cut = Cut.of(body, text.delimiter, width)
        if cut is None:
            raise OtherRecordsError
        yield cut


class _Taken:
    """Codes that come in parts, taken in others."""

    def __init__(self, parts: Iterable[Codes]) -> None:
        self._parts = iter(parts)
        self._rest: Codes | None = None

    def __call__(self, number: int) -> Codes:
        """The codes of the next so many records."""
        held = [] if self._rest is None else [self._rest]
        while sum(part.shape[1] for part in held) < number or not held:
            part = next(self._parts, None)
            if part is None:
                raise OtherRecordsError
            held.append(part)
        rest = held[0] if len(held) == 1 else np.concatenate(held, axis=1)
        self._rest = rest[:, number:]
        return np.ascontiguousarray(rest[:, :number])

    def refuse_more(self) -> None:
        """Refuse codes that nobody took."""
        rest = [] if self._rest is None else [self._rest]
        if any(part.shape[1] for part in chain(rest, self._parts)):
            raise OtherRecordsError


def _side_by_side(tasks: Iterable[Callable[[], Done]]) -> Iterator[Done]:
    """What the tasks give, in their order, while some that come later are done."""
    waiting: list[Future[Done]] = []
    with ThreadPoolExecutor(threads()) as pool:
        for task in tasks:
            waiting.append(pool.submit(task))
            if len(waiting) > threads():
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()
