"""A table with only those columns that do not tell its records apart (Motwani-Xu Section 4).

Values leave as they are: this is not anonymization. What is promised is counted again, by Polars
alone, on the rows that leave.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.discovery.answer import measure_of
from incrowd.discovery.discover import TIME_LIMIT
from incrowd.discovery.source import chosen, enough_memory
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.stream import coded
from incrowd.errors import InfeasibleError, InputError, NotMetError, PolicyError
from incrowd.io import files, tables
from incrowd.io.atomic import replacing
from incrowd.quasi.masking import Masking, Method
from incrowd.quasi.masking import mask as masked
from incrowd.quasi.outcome import Masked
from incrowd.quasi.ratios import Measure, Ratios
from incrowd.run import AnyPath, Reading
from incrowd.table.encode import to_polars
from incrowd.watch import Watch, Within

NOT_ANONYMOUS = (
    "the published columns keep their exact values: this is not anonymization, and single records "
    "may still be unique"
)


@dataclass(frozen=True)
class Wish:
    """What is to be published."""

    measure: Measure
    ratio: float
    keep: tuple[str, ...]
    drop: tuple[str, ...]
    weights: Mapping[str, float]
    method: Method
    sample: int | None
    delta: float
    seed: int | None
    keep_order: bool
    time_limit: float | None

    def __post_init__(self) -> None:
        if not 0 < self.ratio <= 1:
            raise PolicyError("the ratio must be above 0 and at most 1")
        if self.method not in {"greedy", "sampled", "exact"}:
            raise PolicyError(
                f"there is no method {self.method!r}", remedy="known are greedy, sampled and exact"
            )
        if self.sample is not None and (self.sample < 1 or self.method != "sampled"):
            raise PolicyError("a sample is drawn, of 1 or more, by the method sampled only")
        if not 0 < self.delta < 1:
            raise PolicyError("delta must lie between 0 and 1")
        if any(not (weight > 0 and math.isfinite(weight)) for weight in self.weights.values()):
            raise PolicyError("weights must be above 0")


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
    wish = Wish(
        measure_of(measure),
        ratio,
        tuple(keep),
        tuple(drop),
        dict(weights or {}),
        method,
        sample,
        delta,
        seed,
        keep_order,
        time_limit,
    )
    watch = watch or Watch()
    with enough_memory():
        if isinstance(data, str | os.PathLike):
            data = (reading or Reading()).read(data).frame
        draft = _drafted(data, wish, watch)
        return draft.proved(_polars(draft.frame), wish, watch)


def mask_file(
    source: AnyPath, target: AnyPath, *, reading: Reading | None = None, **options: Any
) -> Masked:
    """The table of a file, with columns whose ratio is not above a limit, in another file.

    The rows are written beside the target, read again and counted; only then does the target take
    its place. The options are those of `mask`.
    """
    if str(target) == "-":
        raise PolicyError("a table goes to a file, not to standard output", remedy="name a file")
    if str(source) != "-" and files.same_file(source, target):
        raise PolicyError(
            "the published table would overwrite the table it is made of",
            remedy="name another target",
        )
    read = (reading or Reading()).read(source)
    found = mask(read.frame, **options)
    with replacing(target) as place:
        tables.write(found.frame, place, like=read)
        rows = tables.read(place, _delimiter(place, read), "utf-8", header=True).frame
        _demand(rows, found.published, len(found.frame), (found.measure, found.limit))
    return found


@dataclass(frozen=True, eq=False)
class _Draft:
    """What is to leave, not yet counted."""

    frame: Any
    names: tuple[str, ...]
    masking: Masking
    records: int

    def proved(self, rows: pl.DataFrame, wish: Wish, watch: Watch) -> Masked:
        """The outcome, if the rows keep the ratio."""
        published = tuple(self.names[j] for j in self.masking.published)
        ratios = _demand(rows, published, self.records, (wish.measure, wish.ratio))
        order = ["the order of the records is kept: it may tell who is who"]
        return Masked(
            self.frame,
            published,
            tuple(self.names[j] for j in self.masking.withheld),
            wish.measure,
            wish.ratio,
            ratios,
            self.masking.utility,
            self.masking.guarantee,
            (NOT_ANONYMOUS, *(order if wish.keep_order else ())),
            watch.elapsed,
        )


def _drafted(frame: Any, wish: Wish, watch: Watch) -> _Draft:
    """The columns to publish, in a frame of their own.

    Cells of text files are compared as the texts they are: that is how they will be seen.
    """
    engine = MemoryEngine(frame)
    names = engine.names
    for asked in (wish.keep, wish.drop, tuple(wish.weights)):
        if asked:
            chosen(names, asked)
    if not engine.records:
        raise InputError("the table has no records", remedy="give at least one")
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
    if not found.published:
        raise InfeasibleError(
            f"no column may be published: each alone has a {wish.measure} ratio above "
            f"{wish.ratio:g}, or is to be withheld",
            remedy="ask for a higher ratio, or generalize values with incrowd anonymize",
        )
    withheld = [names[j] for j in found.withheld]
    everyone = np.zeros(engine.records, dtype=np.int32)
    rows = engine.release({}, everyone, _order(engine.records, wish), withheld)
    return _Draft(rows, names, found, engine.records)


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
    measure, ratio = limit
    found = recounted(rows)
    if found.ratio(measure) > ratio:
        raise NotMetError(
            f"the published columns have a {measure} ratio of {found.ratio(measure):.6g}, above "
            f"{ratio:g}",
            remedy="ask for a lower ratio, or for the method greedy",
        )
    return found


def recounted(rows: pl.DataFrame) -> Ratios:
    """The classes of equal rows in figures, by group and count."""
    unused = "#" * (1 + max(map(len, rows.columns)))
    sizes = rows.group_by(rows.columns).agg(pl.len().alias(unused))[unused].to_list()
    records = sum(sizes)
    return Ratios(
        records=records,
        classes=len(sizes),
        apart=(records * records - sum(size * size for size in sizes)) // 2,
        unique=sizes.count(1),
        smallest=min(sizes),
    )


def _polars(frame: Any) -> pl.DataFrame:
    if isinstance(frame, pl.DataFrame):
        return frame
    import narwhals.stable.v2 as nw  # noqa: PLC0415  seldom needed

    narrow = nw.from_native(frame, eager_only=True)
    return pl.DataFrame([to_polars(narrow[name]).alias(name) for name in narrow.columns])


def _delimiter(place: Path, read: tables.Source) -> str:
    if ".tsv" in [end.lower() for end in place.suffixes[-2:]]:
        return "\t"
    return read.delimiter if read.format == "csv" else ","
