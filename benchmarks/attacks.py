"""Attacks against one Polars group-by of the same columns, in one run.

Run with `python -m benchmarks.attacks`. Eight columns are known, so that there are 255 sets; the
table is its own release, which is the most that there can be to find out.

- *folds*: few values per column; many records are equal in all of them;
- *hardly*: many values per column; almost every record is unique by all of them.

`sets` is singling out and linkability by every set; `+ a secret` adds inference, homogeneity and
background knowledge about a sensitive column. `spans` is a release whose labels overlap, held
against its original by sets of at most `--size` columns. `world` is linkage of a release with a
list of `--world` people, two rows for some of them, by all columns and by all sets of six.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl

from benchmarks.world import SIZES, by_levels, by_spans, people, world_of
from incrowd.arrays import Codes
from incrowd.attacks.play import Attackers, Played, play, play_world
from incrowd.linkage.attack_data import AttackData, SharedColumn
from incrowd.linkage.world_linkage import WorldLinkage
from incrowd.table.column import CodedColumn, Domain, Kind

WIDTHS = {"folds": (12, 2, 8, 4, 5, 3, 6, 9), "hardly": (90, 2, 2_000, 6, 16, 365, 50, 40)}
SECRETS = 10


def columns(rows: int, widths: Sequence[int], seed: int = 1) -> list[CodedColumn]:
    """Skewed columns of codes, and a sensitive one at the end."""
    rng = np.random.default_rng(seed)
    lines = [(1 + width * rng.random(rows) ** 1.5).astype(np.int32) for width in widths]
    lines.append(rng.integers(1, SECRETS + 1, rows).astype(np.int32))
    return [
        CodedColumn(f"c{j}", line, Domain(Kind.NUMBER, np.arange(1, line.max() + 1)))
        for j, line in enumerate(lines)
    ]


def best(work: Callable[[], Any], times: int = 3) -> tuple[float, Any]:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        found.append((time.perf_counter() - start, result))
    return min(found, key=lambda pair: pair[0])


def grouped(lines: Sequence[Codes]) -> float:
    """Seconds of one group-by."""
    frame = pl.DataFrame({f"c{j}": line for j, line in enumerate(lines)})
    return best(lambda: frame.group_by(frame.columns).len())[0]


def report(what: str, seconds: float, reference: float, found: Played) -> None:
    print(
        f"{what:>28}: {seconds:7.2f} s, {seconds / reference:6.1f} x group-by"
        f" ({reference:.3f} s) | {len(found.attacks):,} attacks",
        flush=True,
    )


def sets(rows: int, kind: str, *, secret: bool) -> None:
    """Every attack of a release on itself by all 255 sets."""
    own = [SharedColumn.of_release(column) for column in columns(rows, WIDTHS[kind])]
    reference = grouped([column.label for column in own[:-1]])
    secrets = own[-1:] if secret else []
    seconds, found = best(lambda: play(AttackData.of(own[:-1], secrets), Attackers(8)), 1)
    report(f"{rows:,} {kind}{' + a secret' if secret else ''}", seconds, reference, found)


def spans(rows: int, size: int) -> None:
    """A release whose labels overlap, held against its original."""
    codes = people(rows)
    release = by_spans({name: line[: rows // 10] for name, line in codes.items()})
    release = {
        name: CodedColumn(name, np.repeat(column.codes, 10), column.domain)
        for name, column in release.items()
    }
    world = world_of(codes, None)
    shared = [SharedColumn.of(release[name], world.columns[name]).merged for name in SIZES]
    seconds, found = best(lambda: play(AttackData.of(shared), Attackers(size)), 1)
    report(f"{rows:,} spans, sets of {size}", seconds, grouped(list(codes.values())), found)


def world(rows: int) -> None:
    """Linkage with a large world."""
    codes = people(rows)
    reference = grouped(list(codes.values()))
    ids = np.arange(1, rows + 1, dtype=np.int32)
    ids[: rows // 10] = ids[rows // 10 : 2 * (rows // 10)]
    release = by_levels({name: line[: rows // 10] for name, line in codes.items()})
    for size in (0, 6):
        linked_world = WorldLinkage(release, world_of(codes, ids), tuple(SIZES))
        seconds, found = best(
            lambda linked_world=linked_world, size=size: play_world(linked_world, Attackers(size)),
            1,
        )
        report(f"world of {rows:,}, sets of {size}", seconds, reference, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--overlapping", type=int, default=200_000)
    parser.add_argument("--size", type=int, default=2)
    parser.add_argument("--world", type=int, default=5_000_000)
    asked, _ = parser.parse_known_args()
    sets(100, "folds", secret=True)  # compiles
    for kind in WIDTHS:
        for secret in (False, True):
            sets(asked.rows, kind, secret=secret)
        sets(asked.many, kind, secret=False)
    spans(asked.overlapping, asked.size)
    world(asked.world)


if __name__ == "__main__":
    main()
