"""A table as a stream of batches: uniform samples of its records, or of pairs of its records.

Which records are drawn depends only on the seed and on the number of each record, so the same seed
gives the same sample whatever the batches are. Memory is that of the sample and of one batch.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from incrowd.arrays import Counts, Floats
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, PolicyError, boundary
from incrowd.identify.records import Records
from incrowd.table.cells import select_columns
from incrowd.table.column import CodedColumn
from incrowd.table.encode import to_polars
from incrowd.watch import Watch

Hashes = NDArray[np.uint64]

_BLOCK = 1024
"""Draws that are computed at a time."""
UNSURE = 1e-9
"""Highest probability that there are more distinct rows than `most_distinct_rows` says."""
_FAR = 2**50
"""More records than any table has."""
_LIGHTEST = -34.0
"""The least logarithm of a weight; with less, skips would be longer than any table."""
_PIECES = 64
"""Parts of batches that are held before they are put together."""
_STEP, _MIX, _MIX_AGAIN = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


@dataclass(frozen=True, eq=False)
class StreamSample:
    """Records drawn from a stream. In a sample of pairs, rows 2i and 2i + 1 are pair i."""

    frame: pl.DataFrame
    seen: int
    """Records of the stream; of distinct rows the most that it may have."""

    @property
    def whole(self) -> bool:
        """Whether the sample holds every record, or distinct row, of the stream; not for pairs."""
        return self.frame.height == self.seen

    def select(self, names: Sequence[str]) -> "StreamSample":
        """The sample with only these columns, in this order."""
        return StreamSample(select_columns(self.frame, names), self.seen)

    def records(self, *, text: bool = False) -> Records:
        """The sample as codes; `text` says that it comes from a text file."""
        return records_of(MemoryEngine(self.frame, text=text).codes(self.frame.columns))

    def __repr__(self) -> str:
        """The numbers of records drawn and seen, without any value."""
        return f"StreamSample({self.frame.height} of {self.seen} records)"


def records_of(columns: Mapping[str, CodedColumn]) -> Records:
    """Coded columns as one table of codes; a row is a record and counts once."""
    rows = max((len(column.codes) for column in columns.values()), default=0)
    codes = np.empty((len(columns), rows), dtype=np.int32)
    for line, column in zip(codes, columns.values(), strict=True):
        line[:] = column.codes
    return Records(tuple(columns), codes, np.ones(rows, dtype=np.int64))


class Reservoir(Protocol):
    """Decides which records of a stream go to which slot of the sample."""

    @property
    def slots(self) -> int:
        """Number of slots."""

    def draw(self, start: int, stop: int) -> tuple[Counts, Counts]:
        """The records drawn from number `start` to before `stop`, and the slot of each.

        Records are numbered from 0. A slot occurs once. Calls go on in order, without gaps.
        """

    def slots_filled(self, seen: int) -> int:
        """Number of slots that are filled once so many records were seen."""


class RecordReservoir:
    """A uniform sample of records without replacement (Li's algorithm L, 1994).

    The first `size` records fill the slots. Then the number of the next record to draw is computed
    directly, all between are skipped, and it takes a random slot.
    """

    def __init__(self, size: int, seed: int | None = None) -> None:
        if size < 1:
            raise PolicyError("a sample needs at least one record", remedy="give 1 or more")
        self._size = size
        self._rng = _seeded_generator(seed, 0)
        self._log_weight = 0.0
        self._last = size - 1
        self._places = np.zeros(0, dtype=np.int64)
        self._slots = np.zeros(0, dtype=np.int64)

    @property
    def slots(self) -> int:
        """Number of slots."""
        return self._size

    def slots_filled(self, seen: int) -> int:
        """Number of slots that are filled once so many records were seen."""
        return min(self._size, seen)

    def draw(self, start: int, stop: int) -> tuple[Counts, Counts]:
        """The drawn records from number `start` to before `stop`, and the slot of each."""
        while self._last < stop:
            self._extend()
        cut = int(np.searchsorted(self._places, stop))
        first = np.arange(start, min(stop, self._size), dtype=np.int64)
        places = np.concatenate([first, self._places[:cut]])
        slots = np.concatenate([first, self._slots[:cut]])
        self._places, self._slots = self._places[cut:], self._slots[cut:]
        taken, last = np.unique(slots[::-1], return_index=True)  # the last record of each slot
        return places[::-1][last], taken

    def _extend(self) -> None:
        """Compute the next `_BLOCK` draws: the record and the slot of each."""
        uniforms = 1.0 - self._rng.random((3, _BLOCK))
        logs = self._log_weight + np.cumsum(np.log(uniforms[0])) / self._size
        places = self._last + np.cumsum(_skip_lengths(uniforms[1], logs) + 1)
        slots = np.minimum((1.0 - uniforms[2]) * self._size, self._size - 1).astype(np.int64)
        self._log_weight, self._last = float(logs[-1]), int(places[-1])
        self._places = np.concatenate([self._places, places])
        self._slots = np.concatenate([self._slots, slots])


@dataclass(frozen=True)
class DistinctRowSample:
    """A uniform sample of the distinct rows of a table, however often each occurs.

    Rows are numbered by a hash that depends on the seed; those with the smallest numbers are kept
    (bottom-k sampling, Cohen and Kaplan 2007). A repeated row has the same number, so it counts
    once. Rows are compared as they are written.
    """

    size: int
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.size < 1:
            raise PolicyError("a sample needs at least one record", remedy="give 1 or more")


class PairReservoir:
    """Uniform pairs of two different records, drawn independently of each other.

    Each pair is a reservoir of two records, filled by the first two and then by algorithm L: after
    n records it is any of the n(n - 1)/2 pairs with equal probability (Motwani-Xu Section 2.3).
    Pair i takes its randomness from its own places of one fixed sequence (SplitMix64), so batches
    do not matter.
    """

    def __init__(self, size: int, seed: int | None = None) -> None:
        if size < 1:
            raise PolicyError("a sample needs at least one pair", remedy="give 1 or more")
        self._size = size
        self._key = np.uint64(_seeded_generator(seed, 1).integers(2**64, dtype=np.uint64))
        self._step = np.zeros(size, dtype=np.uint64)
        self._log_weight = np.zeros(size)
        self._next = np.ones(size, dtype=np.int64)
        self._advance(np.arange(size))

    @property
    def slots(self) -> int:
        """Number of slots: two for each pair."""
        return 2 * self._size

    def slots_filled(self, seen: int) -> int:
        """Number of slots that are filled: none before two records were seen, then all."""
        return 2 * self._size if seen > 1 else 0

    def draw(self, start: int, stop: int) -> tuple[Counts, Counts]:
        """The drawn records from number `start` to before `stop`, and the slot of each."""
        held = np.full(2 * self._size, -1, dtype=np.int64)
        for first in range(start, min(stop, 2)):
            held[first::2] = first
        due = np.flatnonzero(self._next < stop)
        while len(due):
            side = (self._uniforms(due, 2) < 0.5).astype(np.int64)
            held[2 * due + side] = self._next[due]
            self._advance(due)
            due = due[self._next[due] < stop]
        slots = np.flatnonzero(held >= 0)
        return held[slots], slots

    def _advance(self, pairs: Counts) -> None:
        """Compute the record that each of these pairs draws next."""
        self._step[pairs] += np.uint64(1)
        self._log_weight[pairs] += np.log(self._uniforms(pairs, 0)) / 2
        skips = _skip_lengths(self._uniforms(pairs, 1), self._log_weight[pairs])
        self._next[pairs] += skips + 1

    def _uniforms(self, pairs: Counts, which: int) -> Floats:
        """Random number `which` (0, 1 or 2), in (0, 1], of the current draw of these pairs."""
        place = self._step[pairs] * np.uint64(self._size) + pairs.astype(np.uint64)
        mixed = _mix(self._key + _STEP * (np.uint64(3) * place + np.uint64(which)))
        return ((mixed >> np.uint64(11)).astype(np.float64) + 1.0) * 2.0**-53


def draw(
    batches: Iterable[Any],
    reservoirs: Sequence[Reservoir | DistinctRowSample],
    watch: Watch | None = None,
    *,
    columns: Sequence[str] | None = None,
) -> list[StreamSample]:
    """A sample per reservoir, in one pass; `InputError` if no batch comes, or one lacks columns.

    Samples have these `columns`, by default those of the first batch.
    """
    keepers = [
        _DistinctKeeper(one) if isinstance(one, DistinctRowSample) else _SlotKeeper(one)
        for one in reservoirs
    ]
    seen, names = 0, None if columns is None else list(columns)
    for number, batch in enumerate(batches, start=1):
        frame = _as_polars(batch)
        names = frame.columns if names is None else names
        for keeper in keepers:
            keeper.add_batch(columns_of_batch(frame, names, number), seen)
        seen += frame.height
        if watch is not None:
            watch.tell(f"reading: {seen:,} records so far", 0.0)
    if names is None or not keepers[0].has_batch:
        raise InputError(
            "the stream has no batch",
            remedy="give at least one batch, even an empty one with its columns",
        )
    return [keeper.sample(seen) for keeper in keepers]


def columns_of_batch(frame: pl.DataFrame, names: Sequence[str], number: int) -> pl.DataFrame:
    """These columns of a batch; `InputError`, with its number, if it lacks one."""
    if not set(names) <= set(frame.columns):
        raise InputError(
            f"batch {number:,} lacks columns that the first batch has",
            remedy="give batches of one table",
        )
    return select_columns(frame, names)


class _Keeper:
    """Records that are kept of a stream: parts of its batches."""

    def __init__(self) -> None:
        self._pieces: list[pl.DataFrame] = []

    @property
    def has_batch(self) -> bool:
        """Whether a batch was seen."""
        return bool(self._pieces)

    def _keep(self, frame: pl.DataFrame, rows: Counts) -> None:
        """Keep these rows of a batch; of the first one at least a frame with its columns."""
        if len(rows) or not self._pieces:
            self._pieces.append(frame[rows])


class _SlotKeeper(_Keeper):
    """The drawn records, and where in the parts the record of each slot is."""

    def __init__(self, plan: Reservoir) -> None:
        super().__init__()
        self._plan = plan
        self._height = 0
        self._place = np.full(plan.slots, -1, dtype=np.int64)

    def add_batch(self, frame: pl.DataFrame, start: int) -> None:
        """Draw from a batch whose first record has number `start`, and keep what was drawn."""
        records, slots = self._plan.draw(start, start + frame.height)
        rows, row_of = np.unique(records - start, return_inverse=True)
        self._place[slots] = self._height + row_of
        self._keep(frame, rows)
        self._height += len(rows)
        if self._height > 2 * self._plan.slots or len(self._pieces) > _PIECES:
            self._drop_unneeded()

    def sample(self, seen: int) -> StreamSample:
        """The sample of the records in the slots, in the order of slots; `seen` records went by."""
        filled = self._plan.slots_filled(seen)
        return StreamSample(_stack(self._pieces)[self._place[:filled]], seen)

    def _drop_unneeded(self) -> None:
        """Drop the records that no slot holds any more."""
        taken = self._place >= 0
        rows, row_of = np.unique(self._place[taken], return_inverse=True)
        self._pieces = [_stack(self._pieces)[rows]]
        self._place[taken] = row_of
        self._height = len(rows)


class _DistinctKeeper(_Keeper):
    """The distinct rows with the smallest numbers so far."""

    def __init__(self, plan: DistinctRowSample) -> None:
        super().__init__()
        self._size = plan.size
        self._seed = int(_seeded_generator(plan.seed, 2).integers(2**63))
        self._numbers = np.zeros(0, dtype=np.uint64)
        self._limit = np.uint64(2**64 - 1)
        """No row with a larger number is among the smallest."""

    def add_batch(self, frame: pl.DataFrame, start: int) -> None:  # noqa: ARG002  where rows stand does not matter
        """Keep the rows of a batch that may be among those with the smallest numbers."""
        numbers = self._hash_rows(frame)
        rows = np.flatnonzero(numbers <= self._limit)
        self._keep(frame, rows)
        self._numbers = np.concatenate([self._numbers, numbers[rows]])
        if len(self._numbers) > 2 * self._size or len(self._pieces) > _PIECES:
            self._drop_unneeded()

    def sample(self, seen: int) -> StreamSample:
        """The distinct rows drawn; its `seen` is the most there may be, exact if all were drawn."""
        self._drop_unneeded()
        if len(self._numbers) < self._size:
            return StreamSample(self._pieces[0], len(self._numbers))
        return StreamSample(
            self._pieces[0], min(seen, most_distinct_rows(self._size, int(self._limit)))
        )

    def _hash_rows(self, frame: pl.DataFrame) -> Hashes:
        """A random-looking number for each row, the same for equal rows."""
        categories = pl.col(pl.Categorical, pl.Enum)
        with boundary(InputError("the records cannot be compared", remedy="keep duplicates")):
            hashes = frame.with_columns(categories.cast(pl.String)).hash_rows(seed=self._seed)
        return _mix(hashes.to_numpy())

    def _drop_unneeded(self) -> None:
        """Drop rows that repeat others, and all but those with the smallest numbers."""
        numbers, first = np.unique(self._numbers, return_index=True)
        kept = first[: self._size]
        self._pieces = [_stack(self._pieces)[kept]]
        self._numbers = numbers[: self._size]
        if len(kept) == self._size:
            self._limit = self._numbers[-1]


def most_distinct_rows(size: int, limit: int) -> int:
    """The most distinct rows that there may be if only `size` of their hashes are up to `limit`.

    Hashes are random numbers of 64 bits. With more rows than returned, so few hashes up to the
    limit have a probability of at most `UNSURE` (Chernoff's bound for the lower tail).
    """
    share = (limit + 1) / 2.0**64
    extra = -math.log(UNSURE)
    mean = size + extra + math.sqrt(extra * extra + 2 * size * extra)
    return math.ceil(mean / share)


def _mix(numbers: Hashes) -> Hashes:
    """Each number scrambled by SplitMix64, so that the order of hashes looks random."""
    mixed = numbers + _STEP
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX_AGAIN
    return mixed ^ (mixed >> np.uint64(31))


def _skip_lengths(uniforms: Floats, log_weight: Floats) -> Counts:
    """How many records algorithm L skips before each draw, by uniforms in (0, 1] and log(W)."""
    weight = np.exp(np.maximum(log_weight, _LIGHTEST))
    with np.errstate(divide="ignore"):
        misses = np.where(weight < 0.5, np.log1p(-weight), np.log(1.0 - weight))
        skips = np.log(uniforms) / misses
    return np.floor(np.minimum(skips, _FAR)).astype(np.int64)


def _seeded_generator(seed: int | None, stream: int) -> np.random.Generator:
    """A generator for a seed, one per `stream`; unpredictable if None, `PolicyError` if below 0."""
    if seed is not None and seed < 0:
        raise PolicyError("the seed must be 0 or more", remedy="give a whole number")
    return np.random.default_rng(None if seed is None else [seed, stream])


def _as_polars(batch: Any) -> pl.DataFrame:
    """A batch as a frame of Polars; `InputError` if it is no frame of pandas, Polars or PyArrow."""
    if isinstance(batch, pl.DataFrame):
        return batch
    with boundary(
        InputError("incrowd cannot read a batch", remedy="give pandas, Polars or PyArrow frames")
    ):
        narrow = nw.from_native(batch, eager_only=True)
        return pl.DataFrame([to_polars(narrow[name]).alias(name) for name in narrow.columns])


def _stack(pieces: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Frames below each other, in a wider type or as text if types differ; else `InputError`."""
    with boundary(
        InputError("the batches have different schemas", remedy="give all batches the same schema")
    ):
        try:
            return pl.concat(pieces, how="vertical_relaxed", rechunk=True)
        except pl.exceptions.PolarsError:
            names = pieces[0].columns
            return pl.DataFrame(
                [_join_columns([piece[name] for piece in pieces]) for name in names]
            )


def _join_columns(parts: Sequence[pl.Series]) -> pl.Series:
    """One column of these parts, below each other; as text if no other type holds them all."""
    try:
        whole = pl.concat([part.to_frame() for part in parts], how="vertical_relaxed")
    except pl.exceptions.PolarsError:
        whole = pl.concat([part.cast(pl.String).to_frame() for part in parts])
    return whole.to_series()
