"""Counts by three columns, whichever way they are summed."""

import numpy as np
import pytest

from incrowd.utility import counts
from incrowd.utility.released import CellShares


def spread(rng, patterns, cells, records=300):
    shares = rng.random((patterns, cells))
    pattern = rng.integers(0, patterns, records).astype(np.int32)
    return CellShares(pattern, shares / shares.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(("dense", "few"), [(2**22, 2**17), (0, 2**17), (0, 0)])
@pytest.mark.parametrize("sizes", [(3, 9, 4), (9, 3, 4)])
def test_three_way_counts_are_the_sum_over_records(monkeypatch, dense, few, sizes):
    monkeypatch.setattr(counts, "_DENSE", dense)
    monkeypatch.setattr(counts, "_FEW", few)
    rng = np.random.default_rng(1)
    one, two, three = (
        spread(rng, size, cells) for size, cells in zip(sizes, (2, 4, 3), strict=True)
    )
    expected = np.zeros((2, 4, 3))
    for a, b, c in zip(one.pattern, two.pattern, three.pattern, strict=True):
        expected += np.einsum("i,j,k->ijk", one.shares[a], two.shares[b], three.shares[c])
    assert counts.three_way_counts(one, two, three) == pytest.approx(expected)
    table, variance = counts.two_way_counts_and_variances(one, two)
    chances = np.stack(
        [
            np.outer(one.shares[a], two.shares[b])
            for a, b in zip(one.pattern, two.pattern, strict=True)
        ]
    )
    assert table == pytest.approx(chances.sum(axis=0))
    assert variance == pytest.approx((chances * (1 - chances)).sum(axis=0))
