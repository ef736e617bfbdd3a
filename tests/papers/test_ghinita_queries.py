"""Ghinita Sections 2.3, 7.2 and 7.4: correlated tables, query precision, Anatomized."""

import hashlib
from collections import Counter

import numpy as np
import pytest

from incrowd.datasets import correlated
from incrowd.errors import PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss import Gcp, Queries
from incrowd.loss.queries import query_precision
from incrowd.loss.queries_workload import parse
from incrowd.models import LDiversity
from incrowd.partition.classes import SensitiveColumn
from incrowd.problem import Problem
from incrowd.recoding import Anatomized, Pieces, QuasiColumn, Spans
from incrowd.search import Anatomy as Anatomize
from incrowd.search import Mondrian
from incrowd.table.column import Domain, Kind
from incrowd.table.fold import fold
from incrowd.watch import Watch
from strategies import problem_of

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


def ages():
    """Four patients; only the two old ones can have what the third has (after Figure 5)."""
    years = np.array([25, 30, 80, 85])
    maps = np.array([np.arange(5), np.ones(5)], dtype=np.int32)
    labels = (years.astype(str).astype(object), np.array(["*"], dtype=object))
    tree = Hierarchy(Domain(Kind.NUMBER, years), maps, labels, ordered=True)
    return problem_of(([tree], [[1, 2, 3, 4]], [[1, 2, 3, 4]], None), [], None)


def shown(kind, class_of):
    problem = ages()
    rows = np.arange(4, dtype=np.int32)
    return problem.outcome(kind(Pieces(rows, problem.tally.counts, np.array(class_of, np.int32))))


NEAR, FAR = [0, 0, 1, 1], [0, 1, 0, 1]
ILLNESS = {"s0": Domain(Kind.TEXT, np.array(["flu", "cold", "alzheimer", "gout"], dtype=object))}


def errors(kind, class_of, text):
    return query_precision(shown(kind, class_of), parse(text), ILLNESS)[0].relative


def test_classes_of_far_records_suggest_that_the_young_have_it_too():
    old = "COUNT WHERE q0 >= 70 AND s0 = 'alzheimer'"
    assert errors(Anatomized, NEAR, old) == pytest.approx(0)
    assert errors(Anatomized, FAR, old) == pytest.approx(0.5)
    assert errors(Spans, NEAR, old) == pytest.approx(0)
    assert errors(Spans, FAR, old) == pytest.approx(2 / 3)


def test_exact_quasi_identifiers_count_themselves_exactly():
    for class_of in (NEAR, FAR):
        assert errors(Anatomized, class_of, "COUNT WHERE q0 < 70") == pytest.approx(0)
    assert errors(Spans, FAR, "COUNT WHERE q0 < 70") == pytest.approx(0)
    assert errors(Spans, FAR, "COUNT WHERE q0 = 25") == pytest.approx(abs(1 - 2 / 3))


def test_the_divergence_of_a_cube_by_hand():
    # Every record is one cell of four; a class of two estimates it at a half, or at 2/3 of a cell
    # per value of the span where three values are spanned.
    assert Queries("s0", 1).of(shown(Anatomized, NEAR)) == pytest.approx(np.log(2))
    assert Queries("s0", 1).of(shown(Spans, NEAR)) == pytest.approx(np.log(2))
    assert Queries("s0", 1).of(shown(Spans, FAR)) == pytest.approx(np.log(3))
    assert Queries("s0", 1).of(shown(Spans, [0, 0, 0, 0])) == pytest.approx(np.log(4))
    assert Queries("s0", 1, "relative").of(shown(Spans, FAR)) == pytest.approx(2 / 3)


def test_records_left_out_are_spread_over_the_whole_cube():
    # Two records leave; the other two are spread over 4 x 4 cells, an eighth of a record each.
    found = Queries("s0", 1).of(shown(Spans, [0, 1, -1, -1]))
    kept, gone = np.log(1 / (1 + 2 / 16)) / 4, np.log(1 / (2 / 16)) / 4
    assert found == pytest.approx(2 * kept + 2 * gone)


def test_classes_that_account_for_proximity_outperform_anatomy():
    """Section 7.4, Figure 36: the same format with classes of near records is more precise."""
    rng = np.random.default_rng(2)
    codes = rng.integers(1, 21, (2, 2_000))
    values = np.clip(codes[0] // 5 + rng.integers(0, 3, 2_000), 1, 6)
    maps = np.array([np.arange(21), np.ones(21)], dtype=np.int32)
    labels = (np.arange(1, 21).astype(str).astype(object), np.array(["*"], dtype=object))
    tree = Hierarchy(Domain(Kind.NUMBER, np.arange(1, 21)), maps, labels, ordered=True)
    columns = tuple(
        QuasiColumn(f"q{j}", tree, np.bincount(c, minlength=21)) for j, c in enumerate(codes)
    )
    held = SensitiveColumn("s0", np.bincount(values, minlength=7))
    tally = fold(list(codes.astype(np.int32)), [values.astype(np.int32)])
    problem = Problem(tally, columns, (held,), (LDiversity("s0", 2),), Gcp())
    near = Mondrian(relaxed=True).run(problem, Watch()).recoding
    permuted = Queries("s0").of(problem.outcome(Anatomized(near.pieces)))
    anatomy = Queries("s0").of(problem.outcome(Anatomize().run(problem, Watch()).recoding))
    generalized = Queries("s0").of(problem.outcome(near))
    assert permuted < 0.8 * anatomy
    assert permuted < generalized
