"""Publish only columns that do not tell records apart, and withhold the others.

Motwani-Xu Section 4. Values leave as they are: this is not anonymization. The ratio is counted
again, by Polars alone, on the rows that leave.

A table larger than memory passes twice: once for the sample that decides, once for the rows that
leave. These are written beside the target, read again and counted. Memory is that of the sample, of
one batch and of the classes that are counted at a time.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.engines import elsewhere
from incrowd.engines.fetch import fetch_into_memory
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.recount import Frames, count_ratios, count_ratios_in_passes, refuse_above
from incrowd.engines.stream import (
    PairReservoir,
    RecordReservoir,
    Reservoir,
    StreamSample,
    draw,
    records_of,
)
from incrowd.errors import InfeasibleError, InputError, PolicyError, other_rows_error
from incrowd.identify.outcome import Masked
from incrowd.identify.records import Ratios
from incrowd.identify.sampling import differences_of, pruning_ratio
from incrowd.identify.withholding import (
    ColumnChoice,
    PairGauge,
    RecordGauge,
    Withholding,
    WithholdRequest,
    withhold,
    withhold_by_gauge,
)
from incrowd.io import files, tables
from incrowd.io.atomic import replace_at_end
from incrowd.io.layout import stored_text
from incrowd.io.passes import RereadableTable, open_rereadable, shuffle, written_rows
from incrowd.io.reading import AnyPath, Reading, enough_memory, is_path, rows_of
from incrowd.io.scratch import scratch_frames
from incrowd.io.target import refuse_unwritable, write_in_pieces
from incrowd.recoding.column_cells import Keep
from incrowd.requests.mask import MaskRequest
from incrowd.requests.request import verb
from incrowd.table.names import choose_columns
from incrowd.verbs.tables import IN_BATCHES, all_nested_error, passes_once
from incrowd.watch import NestedWatch, Watch


@verb(MaskRequest)
def mask(asked: MaskRequest) -> Masked:
    """Publish columns of a table whose ratio is at most `ratio`; withhold the others.

    The table is a frame, a path or a table elsewhere (see `incrowd.api`), which is brought into
    memory, as all its rows leave.

    Records leave in a new order unless `keep_order`. The ratio is counted again on the rows that
    leave. With a `target`, rows are written beside it, read again and counted before they take its
    place. With the method sampled, standard input and large files pass batch by batch if a file is
    written, and the outcome then has no frame.
    """
    request = asked.convert_to(WithholdRequest)
    source, target, watch = asked.source, asked.target, asked.watch or Watch()
    check_target(source, target)
    watch.tell("choosing the columns to withhold", 0.0)
    reading = (asked.reading or Reading()).with_expected(request.named_columns).with_kept(None)
    with enough_memory(IN_BATCHES):
        if not is_path(source):
            read = tables.Source(pl.DataFrame(), text=False)
            found = _mask_table(source, request, watch, like=target is None)
        elif passes_in_batches(source, request.method):
            return _mask_in_passes(source, target, request, reading, watch)
        else:
            read = reading.read(source)
            watch.note(map(str, read.notes))
            found = _mask_frame(read.frame, request, watch)
        if target is not None:
            _write_verified(found, target, read)
        return found


def _mask_table(source: Any, request: WithholdRequest, watch: Watch, *, like: bool) -> Masked:
    """Mask a frame or a table elsewhere; with `like`, the rows come back as a table of its kind."""
    engine = elsewhere.engine_of(source)
    if engine is None:
        return _mask_frame(source, request, watch)
    with closing(engine):
        rows = fetch_into_memory(engine).rows
    found = _mask_frame(rows, request, watch)
    return replace(found, frame=elsewhere.convert_like(source, found.frame)) if like else found


def passes_in_batches(source: AnyPath, method: str) -> bool:
    """Whether `mask` lets the table pass batch by batch instead of loading it."""
    return method == "sampled" and passes_once(source)


def check_target(source: Any, target: AnyPath | None) -> None:
    """Refuse a target that cannot be written, or that is the source itself; None is fine."""
    if target is None:
        return
    tables.refuse_foreign(target)
    if str(target) == "-":
        raise PolicyError("a table goes to a file, not to standard output", remedy="name a file")
    files.refuse_missing_folder(target, "the table")
    if is_path(source) and str(source) != "-" and files.same_file(source, target):
        raise PolicyError(
            "the published table would overwrite the source table", remedy="name another target"
        )


@dataclass(frozen=True)
class _Decision:
    """Which columns of a table are published."""

    request: WithholdRequest
    names: tuple[str, ...]
    """The columns that were looked at."""
    withholding: Withholding
    records: int
    """Records of the table; all of them leave."""
    nested: tuple[str, ...] = ()
    """Columns of lists and structures, withheld without a look."""

    @property
    def published(self) -> tuple[str, ...]:
        """The columns that leave."""
        return tuple(self.names[j] for j in self.withholding.published)

    @property
    def withheld(self) -> tuple[str, ...]:
        """All other columns, nested ones last."""
        return (*(self.names[j] for j in self.withholding.withheld), *self.nested)

    def make_masked(
        self, frame: object, ratios: Ratios, seconds: float, notes: Sequence[str] = ()
    ) -> Masked:
        """Make the outcome of `mask` from the rows that leave and their recounted ratios."""
        if self.nested:
            names = ", ".join(self.nested)
            notes = (*notes, f"columns of lists or structures are withheld: {names}")
        return Masked(
            frame,
            self.published,
            self.withheld,
            self.request.measure,
            self.request.ratio,
            ratios,
            self.withholding.utility,
            self.withholding.guarantee,
            (*notes, *filter(None, [self.withholding.advice]), *self.request.notes),
            seconds,
        )


def _decide_columns(
    request: WithholdRequest,
    names: Sequence[str],
    nested: Sequence[str],
    records: int,
    decide: Callable[[tuple[str, ...], WithholdRequest], Withholding],
) -> _Decision:
    """Let `decide` choose among columns; `nested` ones are withheld unless they must leave.

    `InputError` if all are nested, `InfeasibleError` if none can be published.
    """
    nested = tuple(name for name in nested if name not in request.keep)
    plain = tuple(name for name in names if name not in nested)
    if not plain:
        raise all_nested_error()
    found = decide(plain, request.without_columns(nested))
    if not found.published:
        raise _nothing_to_publish_error(found, request)
    return _Decision(request, plain, found, records, nested)


def _nothing_to_publish_error(found: Withholding, request: WithholdRequest) -> InfeasibleError:
    """The error, to be raised by the caller, if no column can be published."""
    ratio = f"a {request.measure} ratio above {request.ratio:g}"
    if found.guarantee.exact:
        return InfeasibleError(
            f"no column can be published: each alone has {ratio}, or must be withheld",
            remedy="allow a higher ratio, or generalize values with incrowd anonymize",
        )
    return InfeasibleError(
        f"no column can be published: by a sample of {found.guarantee.sample:,}, each alone may "
        f"have {ratio}, or must be withheld",
        remedy="allow a higher ratio, or draw a larger sample",
    )


def _refuse_unknown_columns(names: Sequence[str], request: WithholdRequest) -> None:
    """Raise `PolicyError` if the request keeps, drops or weighs a column not among `names`."""
    for named in (request.keep, request.drop, tuple(request.weights)):
        if named:
            choose_columns(names, named)


def _mask_frame(frame: Any, request: WithholdRequest, watch: Watch) -> Masked:
    """Mask a table in memory: the columns to publish, in a frame of its kind.

    Cells of text files are compared as texts, for so they will be seen. `InputError` without
    records.
    """
    engine = MemoryEngine(frame)
    _refuse_unknown_columns(engine.names, request)
    if not engine.records:
        raise InputError("the table has no records", remedy="give at least one")

    def decide(names: tuple[str, ...], plain: WithholdRequest) -> Withholding:
        within = NestedWatch(watch, request.time_limit)
        return withhold(records_of(engine.codes(names)), plain, watch=within)

    decision = _decide_columns(
        request, engine.names, engine.uncodable_columns, engine.records, decide
    )
    order = draw_order(engine.records, request.seed, keep=request.keep_order)
    cells = {name: Keep() for name in decision.published}
    rows = engine.build_frame(cells, np.arange(engine.records) if order is None else order)
    ratios = _recount(rows_of(rows), decision.published, decision.records)
    refuse_above(ratios, request.measure, request.ratio)
    return decision.make_masked(rows, ratios, watch.elapsed)


def draw_order(records: int, seed: int | None, *, keep: bool) -> Counts | None:
    """Draw the new order of the rows that leave: their indices; None if they keep their order."""
    if keep:
        return None
    seeds = None if seed is None else [seed, 1]
    return np.random.default_rng(seeds).permutation(records)


def _write_verified(found: Masked, target: AnyPath, like: tables.Source) -> None:
    """Write rows, recount them, then replace the target; `NotMetError` leaves the target alone."""
    tables.refuse_nested(rows_of(found.frame), found.published, target, like)
    tables.refuse_large(target, like, len(found.frame), len(found.published))
    with replace_at_end(target) as place:
        tables.write(found.frame, place, like=like)
        delimiter = tables.form_of(place, like).delimiter
        rows = tables.read(place, stored_text(delimiter)).frame
        ratios = _recount(rows, found.published, len(found.frame))
        refuse_above(ratios, found.measure, found.limit)


def _recount(rows: pl.DataFrame, published: Sequence[str], records: int) -> Ratios:
    """Count ratios again, by Polars alone; `NotMetError` for other columns or another length."""
    if tuple(rows.columns) != tuple(published) or rows.height != records:
        raise other_rows_error()
    return count_ratios(rows)


def _mask_in_passes(
    source: AnyPath,
    target: AnyPath | None,
    request: WithholdRequest,
    reading: Reading,
    watch: Watch,
) -> Masked:
    """Mask a table batch by batch into the target; without one choose and count, write nothing."""
    with ExitStack() as stack:
        place = None if target is None else stack.enter_context(replace_at_end(target))
        folder = None if target is None else Path(os.path.realpath(target)).parent
        table = stack.enter_context(open_rereadable(source, tuple, reading, folder))
        form = table.form if target is None else tables.form_of(target, table.form)
        refuse_unwritable(form)
        decision = _decide_by_sample(table, request, watch)
        names = decision.published
        leaving: Frames = partial(table.frames, names)
        if place is not None:
            _write_in_passes(table, place, form, decision)
            leaving = partial(written_rows, place, form, names, reading.piece)
        ratios = _recount_in_passes(leaving, decision, watch)
        refuse_above(ratios, request.measure, request.ratio)
        return decision.make_masked(None, ratios, watch.elapsed, table.notes)


def _decide_by_sample(table: RereadableTable, request: WithholdRequest, watch: Watch) -> _Decision:
    """Decide about columns by a sample, or by all records if the sample has room for them."""
    _refuse_unknown_columns(table.names, request)
    size, pairs = request.size, request.measured_by_pairs
    whole = (1 + isqrt(1 + 8 * size)) // 2 if pairs else size
    reservoirs: list[Reservoir] = [RecordReservoir(whole, request.seed)]
    if pairs:
        reservoirs.append(PairReservoir(size, request.seed))
    free = len({*table.names} - {*request.keep, *request.drop})

    def check() -> None:
        pruning_ratio(free, request.ratio, size, request.delta)

    frames = _check_size_in_passing(table.frames(table.names), whole, check)
    records, *drawn = draw(frames, reservoirs, watch, columns=table.names)

    def decide(names: tuple[str, ...], plain: WithholdRequest) -> Withholding:
        return _withhold_by_sample(
            records.select(names), [one.select(names) for one in drawn], plain
        )

    nested = MemoryEngine(records.frame).uncodable_columns
    return _decide_columns(request, table.names, nested, records.seen, decide)


def _check_size_in_passing(
    frames: Iterable[pl.DataFrame], whole: int, check: Callable[[], None]
) -> Iterator[pl.DataFrame]:
    """Yield frames; call `check` when over `whole` records have come; `InputError` for none."""
    seen = 0
    for frame in frames:
        if seen <= whole < seen + frame.height:
            check()
        seen += frame.height
        yield frame
    if not seen:
        raise InputError("the table has no records", remedy="give at least one")


def _withhold_by_sample(
    records: StreamSample, pairs: Sequence[StreamSample], request: WithholdRequest
) -> Withholding:
    """Decide by a sample, of `pairs` if there are any; exactly if `records` are the whole table."""
    if records.whole:
        return withhold(records.records(), replace(request, method="greedy", sample=None))
    drawn = (pairs[0] if pairs else records).records()
    gauge = PairGauge(differences_of(drawn)) if pairs else RecordGauge(drawn, request.measure)
    choice = ColumnChoice.of(drawn, request)
    return withhold_by_gauge(gauge, drawn.names, choice, request)


def _write_in_passes(
    table: RereadableTable, place: Path, form: tables.Form, decision: _Decision
) -> None:
    """Write the published columns, their rows in a new order unless it is to be kept."""
    request, frames = decision.request, table.frames(decision.published)
    with scratch_frames(place.parent) as scratch, write_in_pieces(place, form) as write:
        if not request.keep_order:
            cells = decision.records * len(decision.published)
            frames = shuffle(frames, cells, request.seed, scratch)
        for frame in frames:
            write(frame)


def _recount_in_passes(frames: Frames, decision: _Decision, watch: Watch) -> Ratios:
    """Count the ratios of the rows that leave; `NotMetError` for another number of records."""
    found = count_ratios_in_passes(frames, decision.published, watch=watch)
    if found.records != decision.records:
        raise other_rows_error()
    return found
