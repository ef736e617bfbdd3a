"""Full-domain answers and their refinement on Adult and Cup: GCP and seconds.

The reference of the same run is the plain `lattice` search with nothing suppressed. ARX's figures
are constants, measured elsewhere (ARX 3.9.2, local recoding, warm, two cores): by the procedure of
its user interface, and with finer steps. ARX was measured on Adult only.
"""

import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import _made_tables as made_tables
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.problem import Problem
from incrowd.recoding import CellLevels, Pieces
from incrowd.search import Lattice, LatticeLocal
from incrowd.search.refine.cover import cover
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arx_tables

ARX_GCP = {5: (0.0672, 0.0594), 10: (0.0923, 0.0872), 50: (0.1684, 0.1630)}
ARX_SECONDS = {5: (4, 42), 10: (6, 27), 50: (16, 48)}
SHARES = (0.02, 0.005, 0.0005)


def timed(search: Lattice | LatticeLocal, problem: Problem) -> tuple[float, float]:
    """Seconds of the best of three runs, and loss."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        found = search.run(problem, Watch())
        best = min(best, time.perf_counter() - start)
    return best, problem.loss.of(problem.outcome(found.recoding))


def covered(problem: Problem, share: float) -> str:
    """Loss and seconds of the cover alone."""
    start = time.perf_counter()
    class_of, levels = cover(problem, Watch(), share)
    seconds = time.perf_counter() - start
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    cells = CellLevels(levels, Pieces(rows, problem.tally.counts, class_of))
    return f"{share:.2%} {problem.loss.of(problem.outcome(cells)):.4f} in {seconds:.2f} s"


def report(title: str, k: int, problem: Problem) -> None:
    slow, before = timed(Lattice(), problem)
    seconds, after = timed(LatticeLocal(), problem)
    line = f"{title:6} k = {k:2}  lattice GCP {before:.4f} in {slow:.2f} s"
    line += f"  lattice+local {after:.4f} in {seconds:.2f} s  ratio {before / after:.1f}"
    print(line)
    print("         cover by steps of at least", ", ".join(covered(problem, s) for s in SHARES))
    if title == "adult9":
        (plain, fine), (least, most) = ARX_GCP[k], ARX_SECONDS[k]
        print(f"         ARX (constants) {plain} in {least} s, finer steps {fine} in {most} s")


def main() -> None:
    if not arx_tables.FOLDER.exists():
        print("the folder ../shared/data/arx is absent: a made-up table instead of Adult and Cup")
        for k in ARX_GCP:
            report("made", k, made_tables.problem(30_000, (78, 2, 9, 16, 41, 14), k))
        return
    for table, title in (("adult", "adult9"), ("cup", "cup8")):
        for k in ARX_GCP:
            report(title, k, arx_tables.problem(table, [KAnonymity(k)], Gcp()))


if __name__ == "__main__":
    main()
