"""Several sensitive columns, each with its own model: kept by every search, or refused clearly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InfeasibleError
from incrowd.loss import Gcp
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.partition.classes import classes_of
from incrowd.search import Accuracy, Auto, Crowd, Diversify, Hilbert, Mondrian
from incrowd.search.literature.diversify.groups import flag_eligible_together
from incrowd.watch import Watch
from strategies import problem_of, tables
from worked import tree

SEARCHES = [
    Auto(),
    Crowd(),
    Diversify(),
    Hilbert(),
    Mondrian(),
    Accuracy(max_loss=1.0),
    Accuracy(max_loss=1.0, privacy="l", column="s1"),
]
MODELS = [
    (LDiversity("s0", 2), LDiversity("s1", 2)),
    (LDiversity("s0", 1.5), LDiversity("s1", 2.5)),
    (KAnonymity(3), LDiversity("s0", 2), LDiversity("s1", 1.5)),
    (LDiversity("s0", 2, "entropy"), LDiversity("s1", 2, "distinct")),
]
OTHERS = [
    (LDiversity("s0", 2), TCloseness("s1", 0.4)),
    (AlphaK("s0", 0.5, 2), LDiversity("s1", 2)),
    (AlphaK("s0", 0.5, 2), TCloseness("s1", 0.3, "ordered")),
]


def as_one_class(problem):
    """Whether the table as a whole satisfies every model."""
    class_of = np.zeros(problem.tally.rows, dtype=np.int32)
    return problem.satisfied_by(classes_of(problem.tally, class_of, 1, problem.sensitive)).all()


def kept_or_refused(search, problem):
    """The search keeps all models; it refuses only what the whole table fails, and names it."""
    lonely = getattr(search, "privacy", "k") == "l" and len(set(problem.tally.sensitive[1])) == 1
    if lonely or not as_one_class(problem):
        with pytest.raises(InfeasibleError, match=r"impossible|only one value|needs classes"):
            search.run(problem, Watch())
        return
    found = search.run(problem, Watch())
    assert problem.satisfied_by(problem.outcome(found.recoding).classes).all()


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
@settings(max_examples=20)
@given(table=tables(max_records=16, max_columns=2, sensitive=2), models=st.sampled_from(MODELS))
def test_each_column_has_its_own_l(search, table, models):
    kept_or_refused(search, problem_of(table, models, Gcp()))


@pytest.mark.slow
@pytest.mark.parametrize("search", [Diversify(), Accuracy(max_loss=1.0)], ids=lambda one: one.name)
@settings(max_examples=30)
@given(table=tables(max_records=16, max_columns=2, sensitive=2), models=st.sampled_from(OTHERS))
def test_classes_that_fail_another_model_are_merged(search, table, models):
    kept_or_refused(search, problem_of(table, models, Gcp()))


def eligible(value, l):
    return not len(value) or np.bincount(value).max() * l <= len(value)


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=14),
    st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(5, 2)]),
    st.sampled_from([Fraction(1), Fraction(2), Fraction(3)]),
)
def test_what_stays_is_eligible_by_every_column(pairs, l, other):
    first, second = np.array(pairs).T
    columns = [(first, l), (second, other)]
    kept = flag_eligible_together(columns)
    assert all(eligible(value[kept], one) for value, one in columns)
    assert kept.all() == all(eligible(value, one) for value, one in columns)


def test_records_are_left_out_until_both_columns_are_eligible():
    first, second = [1] * 6 + [2, 3, 4, 2, 3, 4], [1, 2] * 3 + [1, 1, 2] * 2
    leaves = tree([(f"{i:02}", "*") for i in range(12)])
    table = ([leaves], [list(range(1, 13))], [first, second], None)
    models = [LDiversity("s0", 2), LDiversity("s1", 2)]
    with pytest.raises(InfeasibleError, match="of 's1' is impossible: the policy asks for 2"):
        Diversify().run(problem_of(table, models, Gcp(), 0.1), Watch())
    problem = problem_of(table, models, Gcp(), 0.5)
    outcome = problem.outcome(Diversify().run(problem, Watch()).recoding)
    assert 0 < outcome.suppressed <= 6
    assert problem.satisfied_by(outcome.classes).all()
