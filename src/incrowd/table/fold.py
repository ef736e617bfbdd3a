"""Records to distinct coded rows with their counts."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import MISSING, Codes, Counts, Floats
from incrowd.errors import LimitError
from incrowd.kernels import fold as kernels
from incrowd.kernels import histogram
from incrowd.table.tally import Tally

Keys = NDArray[np.uint64]
Result = TypeVar("Result")

_KEY_LIMIT = 2**63
_DENSE = 2**20
_PART = 2**15
_MOST_PARTS = 2**10
_SMALL = 2**16
_INSIDE = threading.local()


def fold(
    quasi: Sequence[Codes],
    sensitive: Sequence[Codes],
    unit: Codes | None = None,
    weights: Floats | None = None,
    *,
    records: Counts | None = None,
) -> Tally:
    """The distinct rows of a table given by its columns of codes, with their counts.

    Rows are in lexicographic order of their codes, first column first, so that the order of the
    records does not matter. A record whose unit is missing is a person of its own. With `records`
    a line stands for that many records, counted already, all of one unit if there are units;
    `weights` are then their sums, and no record can be told (`row_of` is None).
    """
    if records is not None:
        return _fold_counted([*quasi], [*sensitive], unit, weights, records)
    columns = [np.ascontiguousarray(codes, dtype=np.int32) for codes in (*quasi, *sensitive)]
    rows, row_of = _distinct_rows(columns, _count_records(columns, unit, weights))
    counts = np.bincount(row_of, minlength=rows.shape[1]).astype(np.int64)
    people, shared = _people_of_rows(counts, row_of, unit)
    return Tally(
        quasi=np.ascontiguousarray(rows[: len(quasi)]),
        sensitive=np.ascontiguousarray(rows[len(quasi) :]),
        counts=counts,
        people=people,
        shared_row=np.ascontiguousarray(shared[0]),
        shared_unit=np.ascontiguousarray(shared[1]),
        weights=_sum_weights(row_of, weights, len(counts)),
        row_of=row_of,
    )


def _fold_counted(
    quasi: list[Codes],
    sensitive: list[Codes],
    unit: Codes | None,
    weights: Floats | None,
    records: Counts,
) -> Tally:
    """The tally of lines that stand for several records each, as `fold` with `records`."""
    if unit is not None:  # each record without a unit is a person: a line for each of them
        line = np.repeat(np.arange(len(records)), np.where(unit == MISSING, records, 1))
        whole = fold([codes[line] for codes in quasi], [c[line] for c in sensitive], unit[line])
        _, row_of = _distinct_rows([*quasi, *sensitive], len(records))
    elif (there := _tally_if_distinct(quasi, sensitive, records)) is not None:
        return replace(there, weights=weights)
    else:
        whole = fold(quasi, sensitive)
        assert whole.row_of is not None  # noqa: S101  it was folded from lines
        row_of = whole.row_of
    counts = np.bincount(row_of, weights=records, minlength=whole.rows).astype(np.int64)
    return replace(
        whole,
        counts=counts,
        people=counts if unit is None else whole.people,
        weights=_sum_weights(row_of, weights, len(counts)),
        row_of=None,
    )


def _tally_if_distinct(quasi: list[Codes], sensitive: list[Codes], records: Counts) -> Tally | None:
    """The tally of lines without units that ascend, each once; else, or without `quasi`, None."""
    if not quasi or not len(records):
        return None
    rows = np.stack([*quasi, *sensitive]).astype(np.int32, copy=False)
    in_order, run = histogram.equal_runs(rows)
    if not in_order or run[-1] + 1 < len(records):
        return None
    nobody = np.empty(0, dtype=np.int32)
    split = np.ascontiguousarray(rows[: len(quasi)]), np.ascontiguousarray(rows[len(quasi) :])
    counts = records.astype(np.int64, copy=False)
    return Tally(*split, counts, counts, nobody, nobody)


def find_distinct(keys: Keys | NDArray[np.uint32], bound: int) -> tuple[Keys, Codes]:
    """The distinct keys in ascending order, and the place of each key among them.

    `bound` is above every key; keys below 2^32 may be uint32. The place is what `numpy.unique`
    calls the inverse.
    """
    if bound <= max(_DENSE, min(len(keys), 2**26)):
        return _distinct_dense(keys, bound)
    return _distinct_by_hash(keys.astype(np.uint64, copy=False))


def first_occurrences(place: Codes, number: int) -> Counts:
    """Where each of the places 0, 1, …, number - 1 occurs first; each must occur."""
    first = np.zeros(number, dtype=np.int64)
    kernels.first_places(place, first)
    return first


def _sum_weights(row_of: Codes, weights: Floats | None, rows: int) -> Floats | None:
    """The sum of the weights of the records in each row; None without weights."""
    if weights is None:
        return None
    return np.bincount(row_of, weights=weights, minlength=rows).astype(np.float64)


def _count_records(columns: Sequence[Codes], unit: Codes | None, weights: Floats | None) -> int:
    """The length of all arrays; `ValueError` if it differs, `LimitError` from 2^31 records on."""
    lengths = {len(array) for array in (*columns, unit, weights) if array is not None}
    if len(lengths) > 1:
        raise ValueError("columns differ in length")
    records = lengths.pop() if lengths else 0
    if records >= 2**31:
        raise LimitError("a table of more than 2,147,483,647 records does not fit")
    return records


def _distinct_rows(columns: Sequence[Codes], records: int) -> tuple[Codes, Codes]:
    """Distinct rows as a matrix, one line per column, and the row of each record.

    As many columns as fit are digits of one key; then the rows found so far, whose numbers keep
    their order, become the first digit of the next.
    """
    rows: Codes = np.zeros((0, min(records, 1)), dtype=np.int32)
    row_of: Codes = np.zeros(records, dtype=np.int32)
    radices = [int(column.max(initial=0)) + 1 for column in columns]
    done = 0
    while done < len(columns):
        bound = first = max(rows.shape[1], 1)
        last = done
        while last < len(columns) and bound * radices[last] <= _KEY_LIMIT:
            bound *= radices[last]
            last += 1
        keys = _pack([row_of, *columns[done:last]], [first, *radices[done:last]])
        found, row_of = find_distinct(keys, bound)
        digits = _unpack(found, [first, *radices[done:last]])
        rows = np.concatenate([rows[:, digits[0]], digits[1:]])
        done = last
    return rows, row_of


def _pack(columns: Sequence[Codes], radices: Sequence[int]) -> Keys:
    """Keys whose digits are the columns, the first as the highest; packed in threads."""
    keys = np.zeros(len(columns[0]), dtype=np.uint64)

    def pack_chunk(chunk: slice) -> None:
        for column, radix in zip(columns, radices, strict=True):
            if radix > 1:
                kernels.append_digits(keys[chunk], column[chunk], np.uint64(radix))

    in_threads([partial(pack_chunk, chunk) for chunk in _chunks(len(keys))])
    return keys


def _unpack(keys: Keys, radices: Sequence[int]) -> Codes:
    """The digits of keys as `_pack` makes them: a line for each column."""
    digits = np.empty((len(radices), len(keys)), dtype=np.int32)
    bases = np.array(radices, dtype=np.uint64)
    split = kernels.split_digits
    in_threads([partial(split, keys[r], bases, digits[:, r]) for r in _chunks(len(keys))])
    return digits


def _distinct_dense(keys: Keys | NDArray[np.uint32], bound: int) -> tuple[Keys, Codes]:
    """The result of `find_distinct`, by a table of all numbers below the bound."""
    mark: Any = kernels.mark_dense
    look_up: Any = kernels.place_dense
    chunks = _chunks(len(keys))
    seen = np.zeros(bound, dtype=np.bool_)
    in_threads([partial(mark, keys[r], seen) for r in chunks])
    found = np.flatnonzero(seen)
    rank = np.zeros(bound, dtype=np.int32)
    rank[found] = np.arange(len(found), dtype=np.int32)
    place = np.empty(len(keys), dtype=np.int32)
    in_threads([partial(look_up, keys[r], rank, place[r]) for r in chunks])
    return found.astype(np.uint64), place


def _distinct_by_hash(keys: Keys) -> tuple[Keys, Codes]:
    """As `find_distinct`: keys move to parts that fit a cache, are numbered there, and sorted."""
    moved, origin, start = _move_to_parts(keys)
    local = np.empty(len(keys), dtype=np.int32)
    found = np.zeros(len(start) - 1, dtype=np.int64)
    shares = _runs_of_parts(start)
    number = kernels.number_parts
    in_threads([partial(number, moved, start[s], local, found[b]) for s, b in shares])
    offset = np.concatenate([[0], np.cumsum(found)])
    values = np.empty(offset[-1], dtype=np.uint64)
    kernels.gather_distinct(moved, start, offset, values)
    order = _ascending_order(values)
    rank = np.empty(len(values), dtype=np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    place = np.empty(len(keys), dtype=np.int32)
    tell = kernels.place_parts
    in_threads([partial(tell, start[s], offset[s], local, origin, rank, place) for s, _ in shares])
    return values[order], place


def _ascending_order(values: Keys) -> NDArray[np.intp]:
    """The order that sorts the values, by packing places into their low bits if there is room."""
    bits = len(values).bit_length()
    if int(values.max(initial=0)).bit_length() + bits > 64:
        return np.argsort(values)
    places = np.arange(len(values), dtype=np.uint64)
    both = np.sort((values << np.uint64(bits)) | places)
    return (both & np.uint64(2**bits - 1)).astype(np.intp)


def _move_to_parts(keys: Keys) -> tuple[Keys, Codes, Counts]:
    """The keys moved so that equal ones are in one part, where each was, and where parts start."""
    bits = max(1, min(_MOST_PARTS, len(keys) // _PART)).bit_length()
    shift = np.uint64(64 - bits)
    chunks = _chunks(len(keys))
    sizes = np.zeros((len(chunks), 2**bits), dtype=np.int64)
    count, move = kernels.count_parts, kernels.scatter_keys
    in_threads([partial(count, keys[r], shift, c) for c, r in zip(sizes, chunks, strict=True)])
    ends = np.cumsum(sizes.T.ravel())
    free = np.ascontiguousarray((ends - sizes.T.ravel()).reshape(2**bits, len(chunks)).T)
    start = np.concatenate([free[0], ends[-1:]])
    moved, origin = np.empty(len(keys), dtype=np.uint64), np.empty(len(keys), dtype=np.int32)
    parts = zip(free, chunks, strict=True)
    in_threads([partial(move, keys[r], r.start, shift, f, moved, origin) for f, r in parts])
    return moved, origin, start


def _people_of_rows(
    counts: Counts, row_of: Codes, unit: Codes | None
) -> tuple[Counts, tuple[Codes, Codes]]:
    """For each row the people in no other row, and the pairs (row, unit) of those in several.

    A record without a unit is a person of its own; without units all records are.
    """
    if unit is None:
        nobody = np.empty(0, dtype=np.int32)
        return counts, (nobody, nobody)
    named = unit != MISSING
    width = max(len(counts), 1)
    units, rows = unit[named], row_of[named]
    radix = int(units.max(initial=0)) + 1
    pairs, _ = find_distinct(_pack([units, rows], [radix, width]), radix * width)
    of_unit, of_row = _unpack(pairs, [radix, width])
    alone = np.bincount(of_unit, minlength=1)[of_unit] == 1
    people = np.bincount(np.concatenate([row_of[~named], of_row[alone]]), minlength=len(counts))
    return people.astype(np.int64), (of_row[~alone], of_unit[~alone])


@cache
def threads() -> int:
    """How many threads work on one table; no result depends on it."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(8, usable or 1))


def _chunks(length: int) -> list[slice]:
    """Slices that cut this length into a part per thread; one slice if it is small."""
    number = threads() if length >= _SMALL else 1
    bounds = [length * i // number for i in range(number + 1)]
    return [slice(lo, hi) for lo, hi in pairwise(bounds)]


def _runs_of_parts(start: Counts) -> list[tuple[slice, slice]]:
    """Runs of parts with about as many keys each: slices of their bounds, and of the parts."""
    number = 4 * threads() if start[-1] >= _SMALL else 1
    wanted = start[-1] * np.arange(number + 1) // number
    cuts = np.unique(np.searchsorted(start, wanted))
    cuts[0], cuts[-1] = 0, len(start) - 1
    return [(slice(lo, hi + 1), slice(lo, hi)) for lo, hi in pairwise(cuts.tolist())]


def in_threads(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run the tasks side by side; return their results in the order of the tasks.

    A task that itself has tasks runs them one after the other: there are no more threads. When one
    fails, or on Ctrl-C, those that have not begun never do; Ctrl-C does not wait for the others.
    """
    if len(tasks) < 2 or threads() == 1 or getattr(_INSIDE, "task", False):
        return [task() for task in tasks]
    pool = ThreadPoolExecutor(threads(), initializer=_mark_thread)
    wait = False
    try:
        todo = [pool.submit(task) for task in tasks]
        results = [done.result() for done in todo]
        wait = True
    except Exception:
        wait = True
        raise
    finally:
        pool.shutdown(wait=wait, cancel_futures=True)
    return results


def _mark_thread() -> None:
    """Mark this thread as one that runs a task, so that its own tasks run in it."""
    _INSIDE.task = True
