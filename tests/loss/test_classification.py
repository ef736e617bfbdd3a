import pytest

from incrowd.loss import Classification
from incrowd.search.lattice.full_domain import recode
from strategies import problem_of
from worked import tree

X, Y = 1, 2


def table(unit):
    """Two classes of three records, each with two X and one Y, that can be merged."""
    two_values = tree([("a", "*"), ("b", "*")])
    return [two_values], [[1, 1, 1, 2, 2, 2]], [[X, X, Y, X, X, Y]], unit


def loss_and_bound(problem, level):
    outcome = problem.outcome(recode(problem, [level]))
    loss = Classification("s0")
    return loss.of(outcome), loss.bound(outcome)


def test_one_of_three_is_not_like_most():
    problem = problem_of(table(None), [], None)
    assert loss_and_bound(problem, 0) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert loss_and_bound(problem, 1) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_a_person_with_two_records_is_one_when_classes_merge_so_nothing_bounds_the_loss():
    problem = problem_of(table([1, 2, 3, 4, 5, 3]), [], None)
    apart, bound = loss_and_bound(problem, 0)
    together, _ = loss_and_bound(problem, 1)
    assert apart == pytest.approx(1 / 3)
    assert together == pytest.approx(1 / 5)
    assert bound == float("-inf")
