"""How close the bound of the loss comes to what crowd loses, and what it takes, in the same run.

Adult beside the project, or a made-up table if it is absent: the loss of crowd, the estimated and
the proved bound, their share of it, and seconds of the processor (both bounds use all threads).
"""

import sys
import time
from pathlib import Path

from benchmarks import _made_tables as made_tables
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.problem import Problem
from incrowd.search.bound import SAMPLE, lower_bound
from incrowd.search.crowd.crowd import Crowd
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arx_tables


def compare(title: str, problem: Problem) -> None:
    """Crowd, the estimate and the proof, one line each."""
    start = time.process_time()
    best = Crowd().run(problem, Watch()).recoding
    loss = problem.loss.of(problem.outcome(best))
    print(f"{title:16} crowd    GCP {loss:.5f}  {time.process_time() - start:6.1f} s", flush=True)
    lower_bound(problem, Watch(), best, 2)
    for name, sample in (("estimate", SAMPLE), ("prove", None)):
        start = time.process_time()
        bound = lower_bound(problem, Watch(), best, sample)
        seconds = time.process_time() - start
        share = f"{bound.loss / loss:.2f} of crowd" if loss else "crowd loses nothing"
        margin = f" ± {bound.margin:.5f}" if sample else ""
        print(
            f"{title:16} {name:8} {bound.loss:.5f}{margin}: {share}  {seconds:6.1f} s", flush=True
        )


def main() -> None:
    if arx_tables.FOLDER.exists():
        for k in (5, 10, 50):
            compare(f"adult9 k = {k}", arx_tables.problem("adult", [KAnonymity(k)], Gcp()))
    compare("made up k = 10", made_tables.problem(3_000, (78, 2, 9, 6, 83, 17, 50), 10))


if __name__ == "__main__":
    main()
