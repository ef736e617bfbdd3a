import pytest

from incrowd.errors import PolicyError
from incrowd.hierarchy import Flat, Intervals
from incrowd.loss import Classification, Gcp
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.policy.policy import (
    Column,
    Policy,
    absent_columns,
    require_declared,
    undeclared_columns,
)
from incrowd.table.column import Role

QUASI = Column(role="quasi")
SENSITIVE = Column(role="sensitive")


FIVE = KAnonymity(5)


def policy(columns=None, models=(FIVE,), **rest):
    return Policy(columns=columns or {"age": QUASI, "illness": SENSITIVE}, models=models, **rest)


def test_columns_are_found_by_role_in_the_order_of_the_policy():
    made = policy(
        {
            "zip": QUASI,
            "name": Column(role="identifier"),
            "age": QUASI,
            "illness": SENSITIVE,
            "note": Column(role="drop"),
            "year": Column(role="keep"),
            "person": Column(role="unit"),
            "w": Column(role="weight"),
        }
    )
    assert made.quasi == ("zip", "age")
    assert made.sensitive == ("illness",)
    assert made.identifiers == ("name",)
    assert made.kept == ("year",)
    assert made.dropped == ("note",)
    assert (made.unit, made.weight) == ("person", "w")
    assert made.role("age") is Role.QUASI
    with pytest.raises(PolicyError, match="did you mean 'age'"):
        made.role("agee")


def test_a_table_without_unit_and_weight_has_none():
    assert policy().unit is None
    assert policy().weight is None


def test_a_bare_name_stands_for_the_thing():
    assert policy(loss="gcp").loss == Gcp()
    assert Column(role="quasi", hierarchy="flat").hierarchy == Flat()


def test_the_loss_target_is_counted_too():
    columns = {"age": QUASI, "illness": SENSITIVE, "pay": Column(role="keep")}
    assert policy(columns, loss=Classification("pay")).counted == ("illness", "pay")
    assert policy(columns, loss=Classification("illness")).counted == ("illness",)


def test_policies_are_frozen():
    with pytest.raises(PolicyError):
        policy().suppression = 0.5
    with pytest.raises(PolicyError):
        QUASI.role = "keep"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"columns": {"age": SENSITIVE}}, "no column is quasi-identifying"),
        ({"models": ()}, "asks for no model"),
        ({"models": (LDiversity("age", 2),)}, "asked of 'age', which is 'quasi'"),
        ({"models": (LDiversity("ilness", 2),)}, "did you mean 'illness'"),
        ({"models": (KAnonymity(5), KAnonymity(6))}, "k-anonymity is asked 2 times"),
        ({"models": (TCloseness("illness", 0.2, "hierarchical"),)}, "by its hierarchy"),
        ({"loss": Classification("pay")}, "a column that the policy does not have"),
        (
            {"columns": {"a": QUASI, "b": Column(role="drop")}, "loss": Classification("b")},
            "about 'b', which does not leave",
        ),
        (
            {"columns": {"a": QUASI, "b": Column(role="unit"), "c": Column(role="unit")}},
            "2 columns have the role 'unit'",
        ),
        (
            {"columns": {"a": QUASI, "b": Column(role="keep", hierarchy="flat")}},
            "'b' is 'keep' and has a hierarchy",
        ),
        ({"columns": {"a": QUASI, "b": Column(role="keep", weight=2)}}, "and has a weight"),
        (
            {"columns": {"a": QUASI, "b": Column(role="keep", action="pseudonym")}},
            "and has a pseudonym",
        ),
    ],
)
def test_what_contradicts_itself_is_refused_with_a_sentence(change, sentence):
    with pytest.raises(PolicyError) as caught:
        policy(**change)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("wrong", [{"suppression": 1.0}, {"suppression": -0.1}, {"time_limit": 0}])
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(PolicyError):
        policy(**wrong)


def test_a_careful_reader_is_told():
    notes = policy(
        {
            "age": Column(role="quasi", hierarchy=Intervals(width=5)),
            "illness": SENSITIVE,
            "name": Column(role="identifier", action="pseudonym"),
        },
        models=(KAnonymity(2),),
        order="keep",
        suppression=0.4,
    ).notes()
    text = "\n".join(notes)
    for part in ("'illness'", "k = 2", "order", "0.4", "pseudonyms of 'name'"):
        assert part in text
    assert len(notes) == 5


def test_a_careful_policy_has_no_notes():
    assert policy(models=(KAnonymity(5), LDiversity("illness", 2))).notes() == ()
    only_values = policy(models=(LDiversity("illness", 2),))
    assert only_values.notes() == ("no model asks for a number of people per class",)


def test_undeclared_columns_are_an_error_that_prints_the_lines_to_add():
    names = ["age", "illness", "ward", "room number"]
    assert undeclared_columns(policy(), names) == ("ward", "room number")
    with pytest.raises(PolicyError) as caught:
        require_declared(policy(), names)
    assert "2 columns" in str(caught.value)
    lines = caught.value.remedy.split("\n", maxsplit=1)[1]
    added = Policy.loads(policy().dumps() + "\n" + lines)
    assert added.dropped == ("ward", "room number")


def test_columns_that_the_table_lacks_are_an_error_that_guesses():
    assert absent_columns(policy(), ["age"]) == ("illness",)
    with pytest.raises(PolicyError, match=r"no column 'illness'; did you mean 'ilness'\?"):
        require_declared(policy(), ["age", "ilness"])


def test_a_table_of_just_the_declared_columns_is_fine():
    require_declared(policy(), ["illness", "age"])


def test_models_of_one_column_that_differ_in_kind_may_stand_together():
    models = (
        TCloseness("illness", 0.2),
        TCloseness("illness", 0.1, "ordered"),
        LDiversity("illness", 2, "recursive", c=1.0),
        LDiversity("illness", 3, "recursive", c=3.0),
        LDiversity("illness", 2),
    )
    assert policy(models=models).models == models
