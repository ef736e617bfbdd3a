import pytest

from incrowd.errors import PolicyError
from incrowd.hierarchy import Intervals, Prefix
from incrowd.loss import Classification
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.policy.presets import quick
from incrowd.table.column import Missing, Role

NAMES = ["name", "age", "zip", "illness", "pay", "year", "person", "w"]


def test_flags_become_a_policy_and_the_rest_is_left_out():
    policy = quick(
        NAMES,
        quasi=["zip", "age"],
        sensitive=["illness", "pay"],
        keep=["year"],
        unit="person",
        weight="w",
        k=5,
        l=3,
        t=0.2,
        method="datafly",
        loss="discernibility",
        suppress=0.05,
        hierarchies={"zip": "prefix", "age": Intervals(width=5)},
        weights={"age": 2.0},
        missing="suppress",
        time_limit=10,
    )
    assert tuple(policy.columns) == tuple(NAMES)
    assert policy.dropped == ("name",)
    assert policy.quasi == ("age", "zip")
    assert policy.models == (
        KAnonymity(5),
        LDiversity("illness", 3),
        LDiversity("pay", 3),
        TCloseness("illness", 0.2),
        TCloseness("pay", 0.2),
    )
    assert policy.columns["zip"].hierarchy == Prefix()
    assert policy.columns["age"].weight == 2.0
    assert (policy.search.name, policy.loss.name) == ("datafly", "discernibility")
    assert (policy.suppression, policy.missing) == (0.05, Missing.SUPPRESS)
    assert (policy.unit, policy.weight, policy.time_limit) == ("person", "w", 10)


def test_identifiers_can_be_named():
    policy = quick(NAMES, quasi=["age"], identifiers=["name"], k=2)
    assert policy.role("name") is Role.IDENTIFIER


def test_a_loss_may_have_a_target():
    policy = quick(
        NAMES, quasi=["age"], sensitive=["pay"], k=2, loss="classification", target="pay"
    )
    assert policy.loss == Classification("pay")


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ({"quasi": ["agee"], "k": 5}, "the table has no column 'agee'; did you mean 'age'?"),
        ({"quasi": ["age"], "sensitive": ["ilness"], "k": 5}, "did you mean 'illness'?"),
        ({"quasi": ["age"], "keep": ["zzz"], "k": 5}, "the table has no column 'zzz'"),
        ({"quasi": ["age"], "hierarchies": {"zap": "flat"}, "k": 5}, "did you mean 'zip'?"),
        ({"quasi": ["age"], "keep": ["age"], "k": 5}, "both 'quasi' and 'keep'"),
        ({"quasi": ["age"], "k": 1}, "'k' must be at least 2"),
        ({"quasi": ["age"]}, "no privacy model"),
        ({"quasi": ["age"], "l": 3}, "need a sensitive column"),
        ({"quasi": ["age"], "sensitive": ["pay"], "l": 0.5}, "'l' must be at least 1"),
        ({"quasi": ["age"], "sensitive": ["pay"], "t": -1}, "'t' must be"),
        ({"quasi": ["age"], "k": 5, "suppress": 1.0}, "'suppression' must be below 1"),
        ({"quasi": ["age"], "k": 5, "method": "dataflyy"}, "did you mean 'datafly'?"),
        ({"quasi": ["age"], "k": 5, "loss": "gpc"}, "did you mean 'gcp'?"),
        ({"quasi": ["age"], "k": 5, "missing": "own"}, "'missing' is none of the known words"),
        ({"quasi": [], "k": 5}, "no column is quasi-identifying"),
    ],
)
def test_wrong_flags_are_told_in_one_sentence(flags, sentence):
    with pytest.raises(PolicyError) as caught:
        quick(NAMES, **flags)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
