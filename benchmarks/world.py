"""k against a world against one Polars group-by of the world, in one run.

Run with `python -m benchmarks.world --rows 5000000 --released 500000`. The world has six public
columns and an id; the release is a part of its people, generalized in three ways:

- *levels*: one level per column (full-domain), so that labels of a column do not overlap;
- *cells*: levels that differ from row to row (some cells suppressed);
- *spans*: local recoding, so that labels overlap; as many distinct tuples as `--tuples`.

Tables are coded for us as for Polars, which groups integers; the line `with coding` starts from
columns of values on our side and Polars groups the same values.
"""

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from incrowd.arrays import Codes
from incrowd.linkage.links import Linked, link
from incrowd.linkage.world import World
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.encode import encode

SIZES = {"age": 90, "sex": 2, "zip": 2_000, "race": 6, "education": 16, "birth": 365}
STEPS = {"age": 10, "sex": 1, "zip": 100, "race": 1, "education": 4, "birth": 91}


def people(rows: int, seed: int = 1) -> dict[str, Codes]:
    """Skewed columns of codes."""
    rng = np.random.default_rng(seed)
    return {n: (1 + size * rng.random(rows) ** 1.5).astype(np.int32) for n, size in SIZES.items()}


def world_of(codes: dict[str, Codes], ids: Codes | None) -> World:
    columns = {
        name: CodedColumn(name, line, Domain(Kind.NUMBER, np.arange(1, SIZES[name] + 1)))
        for name, line in codes.items()
    }
    return World(columns, ids)


def spans(name: str, low: Codes, high: Codes) -> CodedColumn:
    """A released column that shows spans; `*` where one is the whole column."""
    size = SIZES[name]
    low, high = np.maximum(low, 1), np.minimum(high, size)
    pairs, place = np.unique(low.astype(np.int64) * (size + 1) + high, return_inverse=True)
    ends = np.divmod(pairs, size + 1)
    labels = [f"[{a}, {b}]" if (a, b) != (1, size) else "*" for a, b in zip(*ends, strict=True)]
    domain = Domain(Kind.TEXT, np.array(labels, dtype=object))
    return CodedColumn(name, place.astype(np.int32) + np.int32(1), domain)


def by_levels(codes: dict[str, Codes]) -> dict[str, CodedColumn]:
    release = {}
    for name, line in codes.items():
        low = (line - 1) // STEPS[name] * STEPS[name] + 1
        release[name] = spans(name, low, low + STEPS[name] - 1)
    return release


def by_cells(codes: dict[str, Codes]) -> dict[str, CodedColumn]:
    rng = np.random.default_rng(2)
    release = {}
    for name, line in codes.items():
        step = np.where(rng.random(len(line)) < 0.2, SIZES[name], STEPS[name])
        low = (line - 1) // step * step + 1
        release[name] = spans(name, low.astype(np.int32), (low + step - 1).astype(np.int32))
    return release


def by_spans(codes: dict[str, Codes]) -> dict[str, CodedColumn]:
    """Boxes of their own around each record, as wide as those of local recoding."""
    rng = np.random.default_rng(3)
    release = {}
    for name, line in codes.items():
        half = max(STEPS[name] // 2, SIZES[name] // 8)
        left, right = rng.integers(0, half + 1, (2, len(line))).astype(np.int32)
        release[name] = spans(name, line - left, line + right)
    return release


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def best(work: Callable[[], Any], times: int = 2) -> tuple[float, Any]:
    return min((timed(work) for _ in range(times)), key=lambda pair: pair[0])


def report(what: str, seconds: float, reference: float, found: Linked) -> None:
    tuples = found._index.tuples.shape[1]  # type: ignore[attr-defined]  # noqa: SLF001  told, not used
    print(
        f"{what:>34}: {seconds:7.2f} s, {seconds / reference:5.2f} x group-by"
        f" | {tuples:>9,} tuples, k = {found.k}, {found.inconsistent:,} inconsistent"
    )


def checked(found: Linked, release: dict[str, CodedColumn], world: World, rows: int = 20) -> None:
    """Some rows counted by hand."""
    for row in np.random.default_rng(4).integers(0, len(found.candidates), rows):
        inside = np.ones(world.rows, dtype=np.bool_)
        for name, column in release.items():
            label = column.domain.values[column.codes[row] - 1]
            if label != "*":
                low, high = (int(end) for end in label[1:-1].split(", "))
                codes = world.columns[name].codes
                inside &= (codes >= low) & (codes <= high)
        assert found.candidates[row] == len(np.unique(world.person[inside]))


def compare(rows: int, released: int, tuples: int) -> None:
    codes = people(rows)
    frame = pl.DataFrame(codes)
    reference, _ = best(lambda: frame.group_by(list(SIZES)).len())
    print(f"{rows:,} rows of the world; one Polars group-by of 6 columns: {reference:.2f} s")
    part = {name: line[:released] for name, line in codes.items()}
    world = world_of(codes, None)
    release = by_levels(part)
    seconds, found = best(lambda: link(release, world))
    checked(found, release, world)
    report("levels, an id per row", seconds, reference, found)
    ids = np.random.default_rng(5).integers(1, rows // 2, rows).astype(np.int32)
    several = world_of(codes, ids)
    seconds, found = best(lambda: link(release, several))
    checked(found, release, several)
    report("levels, two rows per individual", seconds, reference, found)
    seconds, found = timed(lambda: link(release, World(encoded(frame))))
    report("levels, with coding of the world", seconds, reference, found)
    release = by_cells(part)
    seconds, found = timed(lambda: link(release, world))
    checked(found, release, world)
    report("cells", seconds, reference, found)
    release = by_spans({name: line[:tuples] for name, line in part.items()})
    seconds, found = timed(lambda: link(release, world))
    checked(found, release, world)
    report("spans that overlap", seconds, reference, found)
    seconds, found = timed(lambda: link(release, several))
    checked(found, release, several)
    report("spans, two rows per individual", seconds, reference, found)
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


def encoded(frame: pl.DataFrame) -> dict[str, CodedColumn]:
    return {name: encode(frame[name], name) for name in frame.columns}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--released", type=int, default=500_000)
    parser.add_argument("--tuples", type=int, default=100_000)
    arguments, _ = parser.parse_known_args()
    compare(2_000, 200, 100)
    compare(arguments.rows, arguments.released, arguments.tuples)


if __name__ == "__main__":
    main()
