from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.models
from incrowd.errors import PolicyError
from incrowd.models import AlphaK, KAnonymity
from incrowd.partition.classes import Classes, Histogram, SensitiveColumn


def one_class(counts):
    code = np.arange(len(counts), dtype=np.int32)
    held = Histogram(
        SensitiveColumn("s", np.array(counts)), np.array([0, len(counts)]), code, np.array(counts)
    )
    people = np.array([sum(counts)])
    return Classes(people, people, {"s": held})


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any),
    st.fractions(min_value=Fraction(1, 12), max_value=Fraction(11, 12), max_denominator=12),
    st.integers(2, 9),
)
def test_both_conditions_agree_with_the_naive_twin(counts, alpha, k):
    classes = one_class(counts)
    share = naive.models.share(sum(counts), dict(enumerate(counts)))
    model = AlphaK("s", float(alpha), k)

    assert model.satisfied_by(classes).tolist() == [sum(counts) >= k and share <= alpha]
    assert model.achieved_by(classes) == (float(share) if sum(counts) >= k else 1.0)


def test_a_third_is_at_most_a_third():
    assert AlphaK("s", 1 / 3, 3).satisfied_by(one_class([1, 1, 1])).all()
    assert AlphaK("s", 0.1, 3).satisfied_by(one_class([1] * 10)).all()


def test_a_fair_class_of_too_few_people_is_not_enough():
    assert AlphaK("s", 0.5, 4).satisfied_by(one_class([2, 2])).all()
    assert not AlphaK("s", 0.5, 4).satisfied_by(one_class([1, 1])).any()


@pytest.mark.parametrize("wrong", [{"alpha": 0, "k": 2}, {"alpha": 1, "k": 2}, {"k": 1}])
def test_wrong_settings_are_refused_when_written(wrong):
    with pytest.raises(PolicyError):
        AlphaK("s", **{"alpha": 0.5, **wrong})


def test_k_below_two_is_refused():
    with pytest.raises(PolicyError):
        KAnonymity(1)
