"""A table with only those columns that do not tell its records apart (Motwani-Xu Section 4).

Values leave as they are: this is not anonymization. What is promised is counted again, by Polars
alone, on the rows that leave.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.stream import coded
from incrowd.errors import InputError, NotMetError, PolicyError
from incrowd.identify.masking import Method
from incrowd.identify.masking import mask as masked
from incrowd.identify.outcome import Masked
from incrowd.identify.ratios import Measure, Ratios
from incrowd.io import files, tables
from incrowd.io.atomic import replacing
from incrowd.table.encode import to_polars
from incrowd.verbs.discover import TIME_LIMIT
from incrowd.verbs.passing_mask import mask_passing
from incrowd.verbs.reading import AnyPath, Reading
from incrowd.verbs.recount import demand, recounted
from incrowd.verbs.source import chosen, enough_memory, goes_by
from incrowd.verbs.wish import Decision, Wish, refuse_nothing, wish_of
from incrowd.watch import Watch, Within


def mask(  # noqa: PLR0913  the table, the wish, and what comes from outside
    data: Any,
    *,
    ratio: float,
    measure: Measure | Literal["distinct", "separation", "unique"] = Measure.DISTINCT,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    method: Method = "greedy",
    sample: int | None = None,
    delta: float = 0.01,
    seed: int | None = None,
    keep_order: bool = False,
    time_limit: float | None = TIME_LIMIT,
    reading: Reading | None = None,
    watch: Watch | None = None,
) -> Masked:
    """The table of a frame or a file with columns whose ratio is not above `ratio`.

    `keep` are columns that must be published, `drop` such that must not, `weights` what columns
    are worth (1 unless given). Records leave in a new order unless `keep_order`. The ratio is
    counted anew on the rows that leave.
    """
    wish = wish_of(
        ratio=ratio,
        measure=measure,
        keep=keep,
        drop=drop,
        weights=weights,
        method=method,
        sample=sample,
        delta=delta,
        seed=seed,
        keep_order=keep_order,
        time_limit=time_limit,
    )
    watch = watch or Watch()
    with enough_memory():
        if isinstance(data, str | os.PathLike):
            data = (reading or Reading()).read(data).frame
        return _masked_frame(data, wish, watch)


def mask_file(
    source: AnyPath, target: AnyPath | None, *, reading: Reading | None = None, **options: Any
) -> Masked:
    """The table of a file, with columns whose ratio is not above a limit, in another file.

    The rows are written beside the target, read again and counted; only then does the target take
    its place. Without a target all but that is done. The options are those of `mask`. With the
    method sampled, standard input and large files go by and are not held in memory: the outcome
    then has no frame.
    """
    check_target(source, target)
    reading = reading or Reading()
    watch = options.pop("watch", None) or Watch()
    wish = wish_of(**options)
    reading = reading.expecting((*wish.keep, *wish.drop, *wish.weights))
    with enough_memory():
        if passes(source, wish.method, reading):
            return mask_passing(source, target, wish, reading.layout, watch)
        read = reading.read(source)
        found = _masked_frame(read.frame, wish, watch)
        if target is not None:
            _write(found, target, read)
        return found


def passes(source: AnyPath, method: str, reading: Reading) -> bool:
    """Whether `mask_file` lets the table go by instead of holding it in memory."""
    return method == "sampled" and goes_by(source, reading)


def check_target(source: AnyPath, target: AnyPath | None) -> None:
    """Refuse a target that cannot be written, or that is the source itself."""
    if target is None:
        return
    tables.refuse_foreign(target)
    if str(target) == "-":
        raise PolicyError("a table goes to a file, not to standard output", remedy="name a file")
    files.refuse_nowhere(target, "the table")
    if str(source) != "-" and files.same_file(source, target):
        raise PolicyError(
            "the published table would overwrite the table it is made of",
            remedy="name another target",
        )


def _write(found: Masked, target: AnyPath, read: tables.Source) -> None:
    """The rows that leave, written, read again and counted before they take the target's place."""
    tables.refuse_nested(read.frame, found.published, target, read)
    with replacing(target) as place:
        tables.write(found.frame, place, like=read)
        delimiter = tables.form_of(place, read).delimiter
        rows = tables.read(place, delimiter, "utf-8", header=True).frame
        _demand(rows, found.published, len(found.frame), (found.measure, found.limit))


def _masked_frame(frame: Any, wish: Wish, watch: Watch) -> Masked:
    """The columns to publish, in a frame of their own, and counted there.

    Cells of text files are compared as the texts they are: that is how they will be seen.
    """
    engine = MemoryEngine(frame)
    decision = _decided(engine, wish, watch)
    everyone = np.zeros(engine.records, dtype=np.int32)
    rows = engine.release({}, everyone, _order(engine.records, wish), decision.withheld)
    limit = (wish.measure, wish.ratio)
    ratios = _demand(_polars(rows), decision.published, decision.records, limit)
    return decision.masked(wish, rows, ratios, watch.elapsed)


def _decided(engine: MemoryEngine, wish: Wish, watch: Watch) -> Decision:
    names = engine.names
    for asked in (wish.keep, wish.drop, tuple(wish.weights)):
        if asked:
            chosen(names, asked)
    if not engine.records:
        raise InputError("the table has no records", remedy="give at least one")
    wish = wish.over(names, engine.uncoded)
    sealed = tuple(name for name in engine.uncoded if name not in wish.keep)
    names = tuple(name for name in names if name not in sealed)
    found = masked(
        coded(engine, names),
        wish.measure,
        wish.ratio,
        weights=wish.weights,
        keep=wish.keep,
        drop=wish.drop,
        method=wish.method,
        sample=wish.sample,
        delta=wish.delta,
        rng=np.random.default_rng(wish.seed),
        watch=Within(watch, wish.time_limit),
    )
    refuse_nothing(found, wish)
    return Decision(names, found, engine.records, sealed)


def _order(records: int, wish: Wish) -> Counts | None:
    if wish.keep_order:
        return None
    seed = None if wish.seed is None else [wish.seed, 1]
    return np.random.default_rng(seed).permutation(records)


def _demand(
    rows: pl.DataFrame, published: Sequence[str], records: int, limit: tuple[Measure, float]
) -> Ratios:
    """The figures of the rows that leave, counted by Polars alone; the ratio must be kept."""
    if tuple(rows.columns) != tuple(published) or rows.height != records:
        raise NotMetError("the rows that were written are not those that were to leave")
    return demand(recounted(rows), *limit)


def _polars(frame: Any) -> pl.DataFrame:
    if isinstance(frame, pl.DataFrame):
        return frame
    import narwhals.stable.v2 as nw  # noqa: PLC0415  seldom needed

    narrow = nw.from_native(frame, eager_only=True)
    return pl.DataFrame([to_polars(narrow[name]).alias(name) for name in narrow.columns])
