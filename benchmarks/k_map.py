"""What a release loses with and without the world that its people are of, in one run.

Run with `python -m benchmarks.k_map --people 300000 --records 20000 -k 10`. The world is a made-up
hospital's patients (see `incrowd.datasets.hospital`), the table a part of them drawn at random.
Both releases ask for the same k: of records alike (k-anonymity), or of people of the world (k-map).
"""

import argparse
import time

import polars as pl

import incrowd
from incrowd.datasets import hospital

COLUMNS = ["birth_date", "zip", "sex", "occupation"]


def measured(table: pl.DataFrame, k: int, world: pl.DataFrame | None) -> tuple[float, float]:
    """The GCP of a release of the table and the seconds that it took."""
    policy = incrowd.quick(COLUMNS, quasi=COLUMNS, k=k)
    begun = time.perf_counter()
    if world is None:
        release = incrowd.anonymize(table, policy, seed=1)
    else:
        against = policy.model_copy(update={"models": (incrowd.KMap(k),)})
        release = incrowd.anonymize(table, against, seed=1, world=world, world_id="patient_id")
    return release.loss["gcp"], time.perf_counter() - begun


def main() -> None:
    """Print loss and time next to those without the world."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("-k", type=int, default=10)
    asked = parser.parse_args()
    world = hospital(asked.people, seed=1).select("patient_id", *COLUMNS)
    table = world.sample(asked.records, seed=1).drop("patient_id")
    measured(table.head(200), 2, world.head(400))
    loss, seconds = measured(table, asked.k, None)
    with_loss, with_seconds = measured(table, asked.k, world)
    print(f"{asked.records:,} records of {asked.people:,} people, k = {asked.k}")
    print(f"loss (gcp)  without {loss:.4f}   with {with_loss:.4f}   ratio {with_loss / loss:.2f}")
    ratio = with_seconds / seconds
    print(f"seconds     without {seconds:.1f}   with {with_seconds:.1f}   ratio {ratio:.1f}")


if __name__ == "__main__":
    main()
