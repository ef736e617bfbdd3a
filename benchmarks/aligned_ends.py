"""What it costs that spans end on round cells: GCP of `crowd` with aligned and with exact ends.

Uses the tables beside the project; says so if they are not there. Run with
`python -m benchmarks.aligned_ends`.
"""

import gzip
import io
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

import incrowd
from incrowd.io.hierarchies import find_hierarchy_files, read_tree

DATA = Path(__file__).parents[1] / ".." / "shared" / "data"


def read(
    name: str, *, text: bool = False, separator: str = ",", header: bool = True
) -> pl.DataFrame:
    """A table beside the project; cells that are no numbers among numbers are missing."""
    return pl.read_csv(
        io.BytesIO(gzip.decompress((DATA / name).read_bytes())),
        separator=separator,
        has_header=header,
        infer_schema=not text,
        infer_schema_length=20_000,
        ignore_errors=True,
    )


def tables() -> Iterator[tuple[str, pl.DataFrame, Mapping[str, object]]]:
    """Tables of quasi-identifiers, and the hierarchies of some."""
    for name in ("adult", "cup"):
        frame = read(f"arx/{name}.csv.gz", text=True, separator=";")
        trees = find_hierarchy_files(str(DATA / "arx" / "hierarchies"), frame.columns)
        yield name, frame, {column: read_tree(path) for column, path in trees.items()}
    acs = read("nist-acs/national2019.csv.gz")
    yield "acs", acs.select("AGEP", "SEX", "PINCP", "POVPIP", "DENSITY"), {}
    cover = read("covtype/covtype.csv.gz").sample(50_000, seed=1)
    yield "covertype", cover.select(cover.columns[:4]), {}
    census = read("census-income/census_income_1994_1995_train.csv.gz", header=False)
    names = [census.columns[place] for place in (0, 5, 12, 16, 24)]
    yield "census income", census.sample(60_000, seed=2).select(names), {}
    salaries = read("census-sal/sal500k.txt.gz", header=False, separator=" ")
    names = [salaries.columns[place] for place in (0, 1, 2, 6)]
    yield "census salaries", salaries.sample(100_000, seed=1).select(names), {}


def loss(frame: pl.DataFrame, trees: Mapping[str, object], k: int, ends: str) -> float:
    policy = incrowd.quick(
        frame.columns, quasi=frame.columns, k=k, hierarchies=trees, method="crowd", ends=ends
    )
    return incrowd.anonymize(frame, policy, seed=1).loss["gcp"]


def main() -> None:
    """Print both losses and their ratio for each table and k."""
    if not DATA.exists():
        print("the tables beside the project are not there: nothing was measured")
        return
    for name, frame, trees in tables():
        for k in (5, 10, 50):
            start = time.perf_counter()
            exact, aligned = (loss(frame, trees, k, ends) for ends in ("exact", "aligned"))
            seconds = time.perf_counter() - start
            print(
                f"{name}, k = {k}: aligned {aligned:.4f}, exact {exact:.4f}, "
                f"ratio {aligned / exact:.3f} ({seconds:.1f} s)",
                flush=True,
            )


if __name__ == "__main__":
    main()
