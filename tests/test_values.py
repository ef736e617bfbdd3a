"""Wrong settings raise our own error, with a remedy and without the value."""

import dataclasses
import pickle
import typing

import pytest
from pydantic import TypeAdapter

import incrowd
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy, Intervals
from incrowd.loss import AnyLoss
from incrowd.models import AnyModel, KAnonymity
from incrowd.policy.policy import Column, Policy
from incrowd.search import AnySearch

SECRET = "canary-7731"
PLUGINS = [
    plugin
    for union in (AnyModel, AnyLoss, AnySearch, AnyHierarchy)
    for plugin in typing.get_args(typing.get_args(union)[0])
]
AGE = {"age": Column(role="quasi")}


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.__name__)
def test_every_plugin_refuses_in_our_words(plugin):
    with pytest.raises(PolicyError) as caught:
        plugin(no_such_key=SECRET)
    assert plugin.name in str(caught.value)
    assert caught.value.remedy or "\n" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: KAnonymity(1), "k-anonymity: 'k' must be at least 2; give 2 or more"),
        (lambda: KAnonymity(SECRET), "k-anonymity: 'k' must be a whole number; write 5, for"),
        (KAnonymity, "k-anonymity: 'k' is missing; add 'k'"),
        (lambda: KAnonymity(5, 6), "k-anonymity: too many values; name each value"),
        (lambda: KAnonymity(5, kk=6), "k-anonymity: unknown key 'kk'; did you mean 'k'?"),
        (lambda: Intervals(width=0), "intervals: 'width' must be above 0; give more than 0"),
        (lambda: Column(role=SECRET), "'role' is none of the known words; choose one of"),
        (lambda: Column(role="quasi", hierarchy="prefx"), "unknown name; did you mean 'prefix'?"),
        (lambda: Column(role="quasi", hierarchy={}), "'name' is missing; add a 'name'"),
        (lambda: Policy(columns=AGE, models=SECRET), "'models' must be a list; put the"),
        (lambda: Policy(columns={3: AGE["age"]}, models=(KAnonymity(5),)), "must be text"),
        (lambda: Column("quasi"), "a Column takes named values only; name each value"),
        (lambda: incrowd.quick(["a"], quasi=None, k=2), "column names must be text; write"),
        (lambda: incrowd.quick(["a"], quasi=[7], k=2), "column names must be text; write"),
        (lambda: incrowd.quick(["a"], quasi="a", unit=7, k=2), "column names must be text"),
        (
            lambda: incrowd.quick(["a"], quasi="a", k=2, hierarchies={"a": 5}),
            "column 'a': 'hierarchy' must be a table; give names with their values",
        ),
        (lambda: incrowd.quick(["a"], quasi="a", k=1), "'k' must be at least 2; give 2 or more"),
        (lambda: incrowd.quick(["a"], quasi="a", k=SECRET), "'k' must be a whole number"),
    ],
)
def test_wrong_values_are_explained(make, sentence):
    with pytest.raises(PolicyError) as caught:
        make()
    assert sentence in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.remedy


def test_checks_stay_when_pydantic_builds_them_anew():
    TypeAdapter(KAnonymity).validate_python({"k": 5})
    assert dataclasses.replace(KAnonymity(5), k=7) == KAnonymity(7)
    assert pickle.loads(pickle.dumps(KAnonymity(5))) == KAnonymity(5)
    with pytest.raises(PolicyError):
        dataclasses.replace(KAnonymity(5), k=1)


def test_faults_inside_a_policy_say_where_they_stand():
    with pytest.raises(PolicyError) as caught:
        Policy(columns={"age": {"role": "quasi"}}, models=[{"name": "k-anonymity", "k": 1}])
    assert str(caught.value) == "model 1: 'k' must be at least 2; give 2 or more"
