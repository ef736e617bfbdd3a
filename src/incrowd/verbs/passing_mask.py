"""Masking a table larger than memory: a sample decides, then the columns leave batch by batch.

The table goes by once for the sample and once for the rows that leave. Those are written beside
the target, read again and counted; memory is that of the sample, of one batch and of the classes
that are counted at a time. What can be read only once, such as standard input, is put aside on
the disk as it goes by.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from math import isqrt
from pathlib import Path

import numpy as np
import polars as pl

from incrowd.engines.memory import MemoryEngine
from incrowd.engines.stream import Pairs, Plan, Sample, Tuples, draw
from incrowd.errors import InputError, NotMetError
from incrowd.identify.masking import SAMPLE, Masking, OnPairs, OnRecords, mask, mask_sample
from incrowd.identify.masking import chosen as choice_of
from incrowd.identify.outcome import Masked
from incrowd.identify.ratios import Measure, Ratios
from incrowd.identify.records import Records
from incrowd.identify.sampling import differences, pruning_ratio
from incrowd.io.atomic import replacing
from incrowd.io.batches import Layout, batches
from incrowd.io.pieces import pieces, refuse_unwritable
from incrowd.io.spool import spool
from incrowd.io.tables import Form, form_of
from incrowd.verbs.order import shuffled
from incrowd.verbs.reading import AnyPath
from incrowd.verbs.recount import Frames, demand, recounted_in_passes
from incrowd.verbs.source import chosen
from incrowd.verbs.twice import Twice, twice
from incrowd.verbs.wish import Decision, Wish, refuse_nothing
from incrowd.watch import Watch


def mask_passing(
    source: AnyPath, target: AnyPath | None, wish: Wish, layout: Layout, watch: Watch
) -> Masked:
    """The columns to publish of a table that is sampled as it goes by, written to the target.

    Without a target everything is done but writing: the rows that would leave are counted.
    """
    with ExitStack() as stack:
        place = None if target is None else stack.enter_context(replacing(target))
        table = stack.enter_context(twice(source, tuple, layout, _folder(target)))
        form = table.form if target is None else form_of(target, table.form)
        refuse_unwritable(form)
        decision = _decided(table, wish, watch)
        names = decision.published
        if place is not None:
            _write(table, place, form, decision, wish)
            read = replace(layout, delimiter=form.delimiter, encoding="utf-8", header=True)
            ratios = _recounted(lambda: _read(place, read, names), decision, watch)
        else:
            ratios = _recounted(lambda: table.frames(names), decision, watch)
        demand(ratios, wish.measure, wish.ratio)
        return decision.masked(wish, None, ratios, watch.elapsed, table.notes)


def _folder(target: AnyPath | None) -> Path | None:
    """Where records are put aside: beside the target, where there must be room for it anyway."""
    return None if target is None else Path(os.path.realpath(target)).parent


def _decided(table: Twice, wish: Wish, watch: Watch) -> Decision:
    """The columns to publish, by a sample; by all records if they are no more than that."""
    for asked in (wish.keep, wish.drop, tuple(wish.weights)):
        if asked:
            chosen(table.names, asked)
    size = SAMPLE if wish.sample is None else wish.sample
    pairs = wish.measure is Measure.SEPARATION
    whole = (1 + isqrt(1 + 8 * size)) // 2 if pairs else size
    plans: list[Plan] = [Tuples(whole, wish.seed)]
    if pairs:
        plans.append(Pairs(size, wish.seed))
    free = len({*table.names} - {*wish.keep, *wish.drop})

    def check() -> None:
        pruning_ratio(free, wish.ratio, size, wish.delta)

    frames = _checked(table.frames(table.names), whole, check)
    records, *drawn = draw(frames, plans, watch, columns=table.names)
    uncoded = MemoryEngine(records.frame).uncoded
    wish = wish.over(table.names, uncoded)
    sealed = tuple(name for name in uncoded if name not in wish.keep)
    names = tuple(name for name in table.names if name not in sealed)
    found = _masked(records.select(names), [one.select(names) for one in drawn], wish, size)
    refuse_nothing(found, wish)
    return Decision(names, found, records.seen, sealed)


def _checked(
    frames: Iterable[pl.DataFrame], whole: int, check: Callable[[], None]
) -> Iterator[pl.DataFrame]:
    """The frames; as soon as they are more than a sample holds, it must be large enough."""
    seen = 0
    for frame in frames:
        if seen <= whole < seen + frame.height:
            check()
        seen += frame.height
        yield frame
    if not seen:
        raise InputError("the table has no records", remedy="give at least one")


def _masked(records: Sample, pairs: Sequence[Sample], wish: Wish, size: int) -> Masking:
    """Cells of text files are compared as the texts they are: that is how they will be seen."""
    if records.whole:
        return mask(
            records.records(),
            wish.measure,
            wish.ratio,
            weights=wish.weights,
            keep=wish.keep,
            drop=wish.drop,
        )
    drawn = (pairs[0] if pairs else records).records()
    ground = _on_pairs(drawn) if pairs else OnRecords(drawn, wish.measure)
    choice = choice_of(drawn, wish.weights, wish.keep, wish.drop)
    asked = (wish.ratio, size, wish.delta)
    return mask_sample(ground, drawn.names, choice, asked, pairs=bool(pairs))


def _on_pairs(drawn: Records) -> OnPairs:
    return OnPairs(differences(drawn, np.arange(drawn.total).reshape(-1, 2).T.copy()))


def _write(table: Twice, place: Path, form: Form, decision: Decision, wish: Wish) -> None:
    """The rows that leave, in their order only if that is asked for."""
    frames = table.frames(decision.published)
    with spool(place.parent) as aside, pieces(place, form) as write:
        if not wish.keep_order:
            cells = decision.records * len(decision.published)
            frames = shuffled(frames, cells, wish.seed, aside)
        for frame in frames:
            write(frame)


def _read(place: Path, layout: Layout, names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows that were written, if their columns are those that were to leave."""
    with batches(place, layout) as found:
        if found.names != tuple(names):
            raise _other_rows()
        yield from found


def _recounted(frames: Frames, decision: Decision, watch: Watch) -> Ratios:
    found = recounted_in_passes(frames, decision.published, watch=watch)
    if found.records != decision.records:
        raise _other_rows()
    return found


def _other_rows() -> NotMetError:
    return NotMetError("the rows that were written are not those that were to leave")
