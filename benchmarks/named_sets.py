"""What it costs that sets name only what many people hold: GCP of `show = "sets"` by kind of ends.

Exact sets list every value of a class, so that whoever alone holds one is named. Beside the losses
stands how many people that are; aligned sets name nobody. Adult (eight columns) is beside the
project, and left out where it is not; the other table is made up. Run with
`python -m benchmarks.named_sets`.
"""

import time
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

import incrowd
from benchmarks.aligned_ends import DATA, read
from incrowd.hierarchy.labels import names_in_labels
from incrowd.io.hierarchies import find_hierarchy_files, read_tree
from incrowd.release import Release

SIZES = (5, 10, 50)


def tables() -> Iterator[tuple[str, pl.DataFrame, Mapping[str, object]]]:
    """Tables of quasi-identifiers, with and without hierarchies."""
    if DATA.exists():
        adult = read("arx/adult.csv.gz", text=True, separator=";").drop("salary-class")
        trees = find_hierarchy_files(str(DATA / "arx" / "hierarchies"), adult.columns)
        yield "adult", adult, {column: read_tree(path) for column, path in trees.items()}
        yield "adult, no hierarchies", adult.with_columns(pl.col("age").cast(pl.Int64)), {}
    yield "made-up towns", made_up(), {}


def made_up(rows: int = 6_000, seed: int = 1) -> pl.DataFrame:
    """Towns and trades by Zipf's law, many of one person, with ages and sexes."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "town": [f"town {place}" for place in np.minimum(rng.zipf(1.5, rows), 2_000)],
            "trade": [f"trade {place}" for place in np.minimum(rng.zipf(1.8, rows), 400)],
            "age": np.clip(rng.normal(45, 18, rows), 18, 95).astype(int),
            "sex": rng.choice(["f", "m"], rows),
        }
    )


def release(frame: pl.DataFrame, trees: Mapping[str, object], k: int, **how: str) -> Release:
    policy = incrowd.quick(
        frame.columns, quasi=frame.columns, k=k, hierarchies=trees, method="crowd"
    )
    return incrowd.anonymize(frame, policy.model_copy(update=how), seed=1)


def people_named(frame: pl.DataFrame, made: Release) -> int:
    """How many values are named in the release that one person of the table alone holds."""
    total = 0
    for name in frame.columns:
        counts = frame[name].cast(pl.String).value_counts()
        alone = set(counts.filter(pl.col("count") == 1)[name])
        labels = made.frame[name].cast(pl.String).unique().to_list()
        total += len(alone & names_in_labels(labels))
    return total


def main() -> None:
    """Print the losses, their ratio and who is named, for each table and k."""
    for name, frame, trees in tables():
        for k in SIZES:
            start = time.perf_counter()
            exact = release(frame, trees, k, show="sets", ends="exact")
            aligned = release(frame, trees, k, show="sets")
            spans = release(frame, trees, k)
            losses = [made.loss["gcp"] for made in (aligned, exact, spans)]
            named = [people_named(frame, made) for made in (aligned, exact)]
            print(
                f"{name}, k = {k}: aligned sets {losses[0]:.4f}, exact sets {losses[1]:.4f}, "
                f"ratio {losses[0] / losses[1]:.3f}; spans and nodes {losses[2]:.4f}; values of "
                f"one person named: {named[0]} and {named[1]} "
                f"({time.perf_counter() - start:.1f} s)",
                flush=True,
            )


if __name__ == "__main__":
    main()
