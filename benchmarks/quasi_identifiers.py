"""The papers' figures on quasi-identifiers, computed anew and printed beside what they print.

Motwani-Xu: Tables 2 to 4 and Figures 1 to 3; Lodha-Thomas: Figure 3. Run with `python -m
benchmarks.quasi_identifiers`, or with the names of some: `tables figures alpha`. Tables are read
from ../shared/data. Adult and Covertype are the papers' own. The Census extracts of Motwani-Xu are
not public; Census-Income, another Census table (199,523 records, 42 columns), shows how things
grow, and nothing of it can equal what is printed. The papers' seconds are those of 2007.
"""

import gzip
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._timed import once as timed
from incrowd.identify.branch import CostBranch, Splitter
from incrowd.identify.levelwise import Levelwise, sample_border
from incrowd.identify.measures import fold_records, ratios
from incrowd.identify.minimum import (
    Minimum,
    greedy_key,
    sampled_distinct_key,
    sampled_separation_key,
)
from incrowd.identify.oracles import MinimalSetQuery, SearchState
from incrowd.identify.records import Measure, Records, budget
from incrowd.identify.sampling import count_rows_once
from incrowd.identify.withholding import WithholdRequest, withhold
from incrowd.verbs.named_sets import judge_sets
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import figure_3
import quasi_tables

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
DELTA = 0.01
TUPLES, PAIRS = 30_000, 50_000
"""What the paper draws for Tables 2 and 3."""


@dataclass(frozen=True)
class Printed:
    """What Tables 2 to 4 print of a table; None for a dash."""

    distinct: tuple[int | None, int | None]
    """Table 2: columns published, by all records and by a sample."""
    separation: tuple[int | None, int | None]
    """Table 3: the same."""
    keys: tuple[int, int, int]
    """Table 4: columns of the key, of the distinct key, of the separation key."""


PRINTED = {
    "adult": Printed((12, None), (5, 5), (13, 13, 5)),
    "covtype": Printed((None, 46), (38, 37), (5, 3, 2)),
}


@cache
def table(name: str) -> Records:
    """A table as codes; cells are never printed."""
    path, header = {
        "adult": ("adult/adult.data.gz", False),
        "covtype": ("covtype/covtype.csv.gz", True),
        "census-income": ("census-income/census_income_1994_1995_train.csv.gz", False),
    }[name]
    with gzip.open(DATA / path) as file:
        frame = pl.read_csv(file.read().rstrip(), has_header=header, infer_schema=False)
    if name == "adult":
        frame = frame.rename(
            dict(zip(frame.columns, quasi_tables.ADULT_COLUMNS, strict=True))
        ).drop("fnlwgt")
    if name == "covtype":
        frame = frame[:, :54]
    codes = np.stack(
        [
            frame[one].fill_null("").rank("dense").to_numpy().astype(np.int32)
            for one in frame.columns
        ]
    )
    return Records(tuple(frame.columns), codes, np.ones(frame.height, dtype=np.int64))


def there() -> list[str]:
    """The tables that are there, the others named."""
    every = {"adult": "adult", "covtype": "covtype", "census-income": "census-income"}
    absent = [name for name, folder in every.items() if not (DATA / folder).exists()]
    if absent:
        print(f"absent from ../shared/data and left out: {', '.join(absent)}")
    return [name for name in every if name not in absent]


def columns(count: int | None) -> str:
    """A number of columns as the paper prints it."""
    return "-" if count is None else str(count)


def masking(measure: Measure, ratio: float, sample: int, what: str) -> None:
    """Tables 2 and 3: how many columns stay published."""
    for name in there():
        records, printed = table(name), PRINTED.get(name)
        paper = getattr(printed, measure.value, (None, None))
        seconds, whole = timed(partial(withhold, records, WithholdRequest(ratio, measure)))
        line = f"  {name:14} all records: {len(whole.published):3} columns, {seconds:7.2f} s"
        print(f"{line} (paper {columns(paper[0])})", end="")
        if measure is Measure.SEPARATION or sample < records.total:
            asked = WithholdRequest(ratio, measure, method="sampled", sample=sample, delta=DELTA)
            rng = np.random.default_rng(1)
            seconds, some = timed(partial(withhold, records, asked, rng=rng))
            reached = ratios(records, some.published).ratio(measure)
            print(f"; {sample:,} {what}: {len(some.published):3}, {seconds:6.2f} s", end="")
            print(f" (paper {columns(paper[1])}), ratio {reached:.4f} <= {ratio}", end="")
        print()


def keys() -> None:
    """Table 4: columns of small keys; of sampled ones those of five seeds."""
    for name in there():
        records = table(name)
        whole = count_rows_once(fold_records(records))
        paper = PRINTED[name].keys if name in PRINTED else (None, None, None)
        print(f"  {name}: {records.total:,} records, {whole.total:,} of them different")
        ways = (
            Way("key", whole, Measure.DISTINCT, lambda rows, _: greedy_key(rows)),
            Way("0.1-distinct", whole, Measure.DISTINCT, _distinct),
            Way("0.001-separation", records, Measure.SEPARATION, _separation),
        )
        for way, given in zip(ways, paper, strict=True):
            print(f"    {way.name:17} {way.measured()} (paper {columns(given)})")


@dataclass(frozen=True)
class Way:
    """One of the three algorithms of Table 4 on a table."""

    name: str
    records: Records
    measure: Measure
    work: Callable[[Records, np.random.Generator], Minimum]

    def measured(self) -> str:
        """Columns, seconds and the least ratio of five seeds."""
        runs = [
            timed(partial(self.work, self.records, np.random.default_rng(seed)))
            for seed in range(5)
        ]
        sizes = sorted({len(found.columns) for _, found in runs})
        reached = min(ratios(self.records, found.columns).ratio(self.measure) for _, found in runs)
        seconds = min(seconds for seconds, _ in runs)
        return f"{' or '.join(map(str, sizes))} columns, {seconds:.2f} s, ratio {reached:.6f}"


def _distinct(records: Records, rng: np.random.Generator) -> Minimum:
    return sampled_distinct_key(records, 0.1, DELTA, rng)


def _separation(records: Records, rng: np.random.Generator) -> Minimum:
    return sampled_separation_key(records, 0.001, DELTA, rng)


def tables() -> None:
    """Motwani-Xu Tables 2 to 4."""
    print("Motwani-Xu Table 2: masking 0.5-distinct quasi-identifiers")
    masking(Measure.DISTINCT, 0.5, TUPLES, "records")
    print("Motwani-Xu Table 3: masking 0.8-separation quasi-identifiers")
    masking(Measure.SEPARATION, 0.8, PAIRS, "pairs")
    print("Motwani-Xu Table 4: small keys")
    keys()


def figure_1() -> None:
    """Columns published and seconds by the size of the sample, on the largest Census table."""
    print("Motwani-Xu Figure 1: utility and seconds by sample (paper, California, 233,687 x 41:")
    print("  0.5-distinct 32 of 34 columns with 30,000 records; 0.8-separation 16 of 16 with")
    print("  50,000 pairs; seconds grow with the sample, utility hardly)")
    if "census-income" not in there():
        return
    records = table("census-income")
    for measure, ratio, sizes in (
        (Measure.DISTINCT, 0.5, (5_000, 10_000, 30_000, 100_000)),
        (Measure.SEPARATION, 0.8, (5_000, 10_000, 30_000, 50_000, 100_000)),
    ):
        for size in (*sizes, None):
            method = "greedy" if size is None else "sampled"
            asked = WithholdRequest(ratio, measure, method=method, sample=size, delta=DELTA)
            rng = np.random.default_rng(1)
            seconds, found = timed(partial(withhold, records, asked, rng=rng))
            what = "all records" if size is None else f"{size:,}"
            line = (
                f"  census-income {ratio}-{measure:11} {what:>12}: {len(found.published):3} columns"
            )
            print(f"{line}, {seconds:7.2f} s")


def pruned(question: MinimalSetQuery, records: Records, sizes: tuple[int, ...]) -> int:
    """How many minimal sets a search finds that begins at the border of these sub-tables."""
    state, watch = SearchState(), Watch()
    rng = np.random.default_rng(1)
    border = sample_border(records, question, sizes, rng, watch)
    asked = budget(records, question.measure, question.ratio)
    good = CostBranch(Splitter(records), asked).keeps_to_budget
    Levelwise(records.width, good, state, watch).run(border, records.width)
    return len(state.sets)


QUESTIONS = (
    ("keys", MinimalSetQuery(Measure.DISTINCT, 1.0, delta=DELTA), (6590, 559, 134)),
    ("0.9-distinct", MinimalSetQuery(Measure.DISTINCT, 0.9, delta=DELTA), (6373, 1600, 1600)),
    ("0.999-separation", MinimalSetQuery(Measure.SEPARATION, 0.999, delta=DELTA), None),
)
"""What Section 5.3 asks of Adult, and its seconds: no pruning, one sub-table, two."""


def series(records: Records, share: float, levels: int) -> tuple[int, ...]:
    """Sizes of sub-tables, each a tenth of the next, 100 records at least."""
    last = int(records.total * share)
    return tuple(max(last // 10**step, 100) for step in range(levels))[::-1]


def figures_2_and_3() -> None:
    """Seconds of finding all minimal sets of Adult, by pruning with sub-tables.

    Without duplicates: with them no set has a distinct ratio of 0.9.
    """
    if "adult" not in there():
        return
    rows = count_rows_once(fold_records(table("adult")))
    print("Motwani-Xu Figure 2: all minimal sets of Adult, without pruning, with a sub-table of a")
    print("  tenth, with one of a hundredth and one of a tenth")
    for name, question, paper in QUESTIONS:
        ways = ((), series(rows, 0.1, 1), series(rows, 0.1, 2))
        measured = [timed(partial(pruned, question, rows, way)) for way in ways]
        shown = ", ".join(f"{seconds:.2f} s" for seconds, _ in measured)
        found = {number for _, number in measured}
        said = "a picture only" if paper is None else ", ".join(f"{one:,} s" for one in paper)
        print(f"  {name:17} {shown} (paper {said}); minimal sets {sorted(found)}")
    print("Motwani-Xu Figure 3: by levels of pruning and size of the last sub-table (paper:")
    print(
        "  several levels beat one where the last is large; seconds fall, then rise with its size)"
    )
    for name, question, _ in QUESTIONS[:2]:
        for levels in (1, 2, 3):
            points = []
            for share in (0.01, 0.03, 0.1, 0.3):
                sizes = series(rows, share, levels)
                seconds, _ = timed(partial(pruned, question, rows, sizes))
                points.append(f"{share:.0%} {seconds:.2f} s")
            print(f"  {name:17} {levels} level{'s' * (levels > 1)}: {', '.join(points)}")


def figures() -> None:
    """Motwani-Xu Figures 1 to 3."""
    figure_1()
    figures_2_and_3()


def alpha() -> None:
    """Lodha-Thomas Figure 3, here and in the paper."""
    print("Lodha-Thomas Figure 3 (n = 3e8): F1, D, F2 and k here | in the paper")
    if "adult" not in there():
        return
    records = table("adult")
    frame = pl.DataFrame(dict(zip(records.names, records.codes, strict=True)))
    sets = list(figure_3.SETS.values())
    found = judge_sets(sets, frame, population=3e8, domains=figure_3.DOMAINS)
    for (number, paper), one in zip(figure_3.PRINTED.items(), found.sets, strict=True):
        alone = 0.0 if one.ratios is None else one.ratios.unique_ratio
        here = (alone, one.test.distinct, one.test.share, one.test.crowd)
        shown = (" ".join(f"{figure:9.2g}" for figure in line) for line in (here, paper))
        print(f"  row {number:2} {' | '.join(shown)}")


def main() -> None:
    """All of them, or those that are named."""
    parts = {"tables": tables, "figures": figures, "alpha": alpha}
    for name in [one for one in sys.argv[1:] if one in parts] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
