import pytest

from incrowd.errors import PolicyError
from incrowd.hierarchy import Dates, Flat, Intervals, Prefix
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.policy import PRESETS, Column, Policy
from incrowd.policy.codec import dumps, loads
from incrowd.policy.presets import apply, find

POLICY = Policy(
    columns={
        "name": Column(role="identifier", action="pseudonym"),
        "phone": Column(role="keep"),
        "birth_date": Column(role="quasi", hierarchy=Dates(), weight=2.0),
        "admission": Column(role="sensitive", kind="date"),
        "death": Column(role="keep"),
        "age": Column(role="quasi"),
        "zip": Column(role="quasi"),
        "city": Column(role="quasi"),
        "state": Column(role="quasi", hierarchy=Flat()),
        "person": Column(role="unit"),
        "diagnosis": Column(role="sensitive"),
        "cost": Column(role="sensitive"),
    },
    models=(KAnonymity(5), LDiversity("diagnosis", 3), TCloseness("admission", 0.3)),
    order="keep",
    time_limit=7.0,
)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_never_weakens_and_can_be_written(name):
    made = apply(name, POLICY)
    assert made.models[0].k >= max(5, PRESETS[name].k)
    assert LDiversity("diagnosis", 3) in made.models
    assert (made.order, made.time_limit) == ("shuffle", 7.0)
    assert made.suppression == PRESETS[name].suppression
    assert loads(dumps(made)) == made
    assert tuple(made.columns) == tuple(POLICY.columns)


def test_a_public_file_protects_every_sensitive_column():
    made = apply("public-file", POLICY)
    assert made.models == (
        KAnonymity(11),
        LDiversity("diagnosis", 3),
        TCloseness("admission", 0.3),
        LDiversity("cost", 2),
    )


def test_a_stronger_k_is_kept():
    strong = POLICY.model_copy(update={"models": (KAnonymity(50),)})
    assert apply("public-file", strong).models[0] == KAnonymity(50)


def test_safe_harbor_drops_identifiers_and_coarsens_what_may_stay():
    made = apply("hipaa-safe-harbor", POLICY)
    years = Dates(steps=("year", "5 years", "10 years"))
    assert made.identifiers == ("name", "phone")
    assert {made.columns[name].action for name in made.identifiers} == {"drop"}
    assert made.dropped == ("death", "city")
    assert made.columns["birth_date"] == Column(role="quasi", hierarchy=years, weight=2.0, lowest=1)
    assert made.columns["admission"] == Column(role="quasi", hierarchy=years, kind="date", lowest=1)
    assert made.columns["age"].hierarchy == Intervals(width=5, top=90)
    assert made.columns["zip"].hierarchy == Prefix(steps=(3,))
    assert made.columns["state"] == POLICY.columns["state"]
    assert [model.name for model in made.models] == ["k-anonymity", "l-diversity"]


def test_safe_harbor_says_what_it_does_not_promise():
    assert any("20,000" in limit for limit in PRESETS["hipaa-safe-harbor"].limits)


def test_an_unknown_preset_is_told():
    with pytest.raises(PolicyError, match="did you mean 'public-file'"):
        find("public_file")
    with pytest.raises(PolicyError, match="choose one of 'hipaa-safe-harbor', 'internal'"):
        find("zzz")


def test_presets_are_described_in_one_line():
    for name, preset in PRESETS.items():
        assert preset.name == name
        assert preset.description
        assert "\n" not in preset.description
