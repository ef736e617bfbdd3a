"""Ghinita Sections 2.3, 7.2 and 7.4: correlated tables, query precision, Anatomy."""

import hashlib
from collections import Counter

import numpy as np
import pytest

from incrowd.datasets import correlated
from incrowd.errors import PolicyError

BETA = np.array([1, 3, 7, 9])


def follows(table):
    return (table.select("a1", "a2", "a3", "a4").to_numpy() @ BETA) % 10


def information(table, *names):
    """Mutual information of the sensitive value and these columns together, in nats."""
    both = Counter(table.select(*names, "s").iter_rows())
    one, other = Counter(), Counter()
    for row, count in both.items():
        one[row[:-1]] += count
        other[row[-1]] += count
    n = table.height
    return sum(c / n * np.log(c * n / (one[row[:-1]] * other[row[-1]])) for row, c in both.items())


def test_without_correlation_the_sensitive_value_tells_nothing():
    table = correlated(50_000, alpha=0.0)
    share = float((table["s"].to_numpy() == follows(table)).mean())
    assert share == pytest.approx(0.1, abs=0.01)
    assert information(table, "a1", "a2") < 0.02


def test_with_full_correlation_it_follows_from_the_quasi_identifiers():
    table = correlated(5_000, alpha=1.0)
    assert (table["s"].to_numpy() == follows(table)).all()


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5])
def test_alpha_is_the_share_of_rows_that_follow(alpha):
    table = correlated(50_000, alpha=alpha, seed=2)
    share = float((table["s"].to_numpy() == follows(table)).mean())
    assert share == pytest.approx(alpha + (1 - alpha) / 10, abs=0.01)


def test_all_columns_are_even_over_ten_values():
    table = correlated(50_000, alpha=0.5)
    for name in table.columns:
        shares = np.bincount(table[name].to_numpy(), minlength=10) / table.height
        assert shares == pytest.approx(np.full(10, 0.1), abs=0.01)


def test_a_seed_gives_one_table_and_rows_do_not_depend_on_how_many_there_are():
    table = correlated(300, alpha=0.3, seed=5)
    assert table.equals(correlated(1_000, alpha=0.3, seed=5).head(300))
    assert not table.equals(correlated(300, alpha=0.3, seed=6))
    digest = hashlib.sha256(table.write_csv().encode()).hexdigest()
    assert digest.startswith("87464923b4c6b081")


def test_what_is_no_share_is_refused():
    with pytest.raises(PolicyError, match="alpha"):
        correlated(10, alpha=1.5)
    with pytest.raises(PolicyError, match="coefficient"):
        correlated(10, coefficients=())
