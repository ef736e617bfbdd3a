"""Comparisons the slow way: every record is written out once for each value it may have."""

import itertools
import math

import numpy as np
import pandas as pd
from scipy import stats


def widths(values, *, ordered):
    """What each of the distinct values weighs: its stretch of the scale, or 1."""
    known = sorted(set(values))
    if not ordered or len(known) < 2:
        return dict.fromkeys(known, 1.0)
    found = {}
    for i, value in enumerate(known):
        below = value - known[i - 1] if i else known[1] - known[0]
        above = known[i + 1] - value if i + 1 < len(known) else known[-1] - known[-2]
        found[value] = (below + above) / 2
    return found


def spread(sets, weights):
    """Per record: the values that it may have, with their chances; one is missing if it is None."""
    found = []
    for one in sets:
        if one is None:
            found.append({"missing": 1.0})
            continue
        whole = math.fsum(weights[value] for value in one)
        found.append({value: weights[value] / whole for value in one})
    return found


def long(*columns):
    """All records, one line for each combination of values, with its chance."""
    rows = []
    for number, record in enumerate(zip(*columns, strict=True)):
        for combination in itertools.product(*(one.items() for one in record)):
            chance = math.prod(p for _, p in combination)
            rows.append((number, *(value for value, _ in combination), chance))
    names = [f"c{j}" for j in range(len(columns))]
    return pd.DataFrame(rows, columns=["record", *names, "w"])


def counts(frame, names):
    """Weighted counts by these columns."""
    return frame.groupby(names, dropna=False, sort=True)["w"].sum()


def total_variation(before, after):
    both = pd.concat([before / before.sum(), after / after.sum()], axis=1).fillna(0.0)
    return float((both.iloc[:, 0] - both.iloc[:, 1]).abs().sum() / 2)


def earth_mover(before, after, whole):
    """SciPy's distance between two weighted lists of numbers, over the range."""
    lists = [frame["c0"].astype(float).to_numpy() for frame in (before, after)]
    weights = [frame["w"].to_numpy() for frame in (before, after)]
    return stats.wasserstein_distance(*lists, *weights) / whole


def correlation(frame):
    x, y, w = (frame[name].astype(float).to_numpy() for name in ("c0", "c1", "w"))
    covariance = np.cov(x, y, aweights=w, ddof=0)
    scale = math.sqrt(covariance[0, 0] * covariance[1, 1])
    return None if scale < 1e-12 else covariance[0, 1] / scale


def correlation_ratio(frame):
    """c0 is a category, c1 a number."""
    mean = np.average(frame["c1"].astype(float), weights=frame["w"])
    whole = np.average((frame["c1"].astype(float) - mean) ** 2, weights=frame["w"])
    between = 0.0
    for _, part in frame.groupby("c0"):
        share = part["w"].sum() / frame["w"].sum()
        between += share * (np.average(part["c1"].astype(float), weights=part["w"]) - mean) ** 2
    return None if whole < 1e-12 or frame["c0"].nunique() < 2 else math.sqrt(between / whole)


def cramers_v(frame):
    table = frame.pivot_table(index="c0", columns="c1", values="w", aggfunc="sum", fill_value=0.0)
    if min(table.shape) < 2:
        return None
    chi = stats.chi2_contingency(table.to_numpy(), correction=False).statistic
    return math.sqrt(chi / (table.to_numpy().sum() * (min(table.shape) - 1)))


def divergence(before, after):
    """Of counts by columns, with half a record spread over all cells of the cube."""
    index = pd.MultiIndex.from_product(
        [sorted({*map(str, b), *map(str, a)}) for b, a in _levels(before, after)]
    )
    p = _as_text(before).reindex(index, fill_value=0.0)
    q = _as_text(after).reindex(index, fill_value=0.0) * (before.sum() / after.sum())
    return p / p.sum(), q


def _levels(before, after):
    return [
        (before.index.get_level_values(i), after.index.get_level_values(i))
        for i in range(before.index.nlevels)
    ]


def _as_text(series):
    series = series.copy()
    series.index = pd.MultiIndex.from_tuples([tuple(map(str, key)) for key in series.index])
    return series
