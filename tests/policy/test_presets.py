import datetime as dt
import re

import polars as pl
import pytest

from incrowd import datasets
from incrowd.api import anonymize
from incrowd.errors import PolicyError
from incrowd.hierarchy import Dates, Flat, Intervals, ZipCodes
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.policy.codec import dumps, loads
from incrowd.policy.policy import Column, Policy
from incrowd.policy.presets import PRESETS, TableFacts, apply_preset, find_preset
from incrowd.search import Lattice, Mondrian

YEARS = ("year", "5 years", "10 years")
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
    made = apply_preset(name, POLICY)
    assert made.models[0].k >= max(5, PRESETS[name].k)
    assert LDiversity("diagnosis", 3) in made.models
    assert (made.order, made.time_limit) == ("shuffle", 7.0)
    assert made.suppression == PRESETS[name].suppression
    assert loads(dumps(made)) == made
    assert tuple(made.columns) == tuple(POLICY.columns)


def test_a_public_file_protects_every_sensitive_column():
    made = apply_preset("public-file", POLICY)
    assert made.models == (
        KAnonymity(11),
        LDiversity("diagnosis", 3),
        TCloseness("admission", 0.3),
        LDiversity("cost", 2),
    )


def test_a_stronger_k_is_kept():
    strong = POLICY.model_copy(update={"models": (KAnonymity(50),)})
    assert apply_preset("public-file", strong).models[0] == KAnonymity(50)


def test_safe_harbor_drops_identifiers_and_coarsens_what_may_stay():
    made = apply_preset("hipaa-safe-harbor", POLICY, TableFacts(2026))
    years = Dates(steps=YEARS)
    births = Dates(steps=YEARS, bottom=1937)
    assert made.identifiers == ("name", "phone")
    assert {made.columns[name].action for name in made.identifiers} == {"drop"}
    assert made.dropped == ("death", "city")
    assert made.columns["birth_date"] == Column(
        role="quasi", hierarchy=births, weight=2.0, lowest=1
    )
    assert made.columns["admission"] == Column(role="quasi", hierarchy=years, kind="date", lowest=1)
    assert made.columns["age"].hierarchy == Intervals(width=5, top=90)
    assert made.columns["zip"].hierarchy == ZipCodes()
    assert made.columns["state"] == POLICY.columns["state"]
    assert [model.name for model in made.models] == ["k-anonymity", "l-diversity"]


def test_safe_harbor_says_what_it_does_not_promise():
    said = " ".join(PRESETS["hipaa-safe-harbor"].limits)
    assert "incrowd safe-harbor" in said
    assert "89" in said


def test_an_unknown_preset_is_told():
    with pytest.raises(PolicyError, match="did you mean 'public-file'"):
        find_preset("public_file")
    with pytest.raises(PolicyError, match="choose one of 'hipaa-safe-harbor', 'internal'"):
        find_preset("zzz")


def test_presets_are_described_in_one_line():
    for name, preset in PRESETS.items():
        assert preset.name == name
        assert preset.description
        assert "\n" not in preset.description


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
@pytest.mark.parametrize("name", ["birth_date", "admission", "discharge_date"])
def test_safe_harbor_knows_dates_by_their_names(name, role):
    columns = {name: Column(role=role), "sex": Column(role="quasi")}
    asked = Policy(columns=columns, models=(KAnonymity(2),))
    made = apply_preset("hipaa-safe-harbor", asked, TableFacts(2026))
    bottom = 1937 if name == "birth_date" else None
    assert made.columns[name].hierarchy == Dates(steps=YEARS, bottom=bottom)
    assert made.columns[name].lowest == 1
    columns[name] = Column(role=role, kind="text", hierarchy=Flat())
    made = apply_preset("hipaa-safe-harbor", Policy(columns=columns, models=(KAnonymity(2),)))
    assert made.columns[name] == columns[name]


def test_safe_harbor_knows_drafted_dates_whatever_their_names():
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i % 7) for i in range(40)]
    frame = pl.DataFrame({"diagnosis_date": days, "sex": ["f", "m"] * 20})
    columns = dict(Policy.draft(frame).columns)
    assert columns["diagnosis_date"] == Column(role="quasi", hierarchy="dates")
    columns["diagnosis_date"] = Column(role="sensitive", kind="date")
    drafted = Policy(columns=columns, models=(KAnonymity(5),))
    assert apply_preset("hipaa-safe-harbor", drafted).columns["diagnosis_date"].lowest == 1


SHOWN = {
    "zip": r"[0-9]{3}\*\*|[0-9]{2}\*{3}|[0-9]\*{4}|\*",
    "age": r"\[\d+, \d+\)|[<≥] \d+|\*",
    "birth_date": r"\d{4}|\[\d{4}, \d{4}[\])]|[<≥] \d{4}|\*",
    "admission": r"\d{4}|\[\d{4}, \d{4}[\])]|[<≥] \d{4}|\*",
}


@pytest.mark.parametrize("search", [Lattice(), Mondrian(), Mondrian(relaxed=True)])
def test_safe_harbor_releases_show_years_three_digits_and_pooled_ages(search):
    frame = datasets.hospital(400, seed=3).with_columns(age=2024 - pl.col("birth_date").dt.year())
    policy = apply_preset("hipaa-safe-harbor", Policy.draft(frame)).model_copy(
        update={"search": search}
    )
    release = anonymize(frame, policy, seed=1).frame
    for name, pattern in SHOWN.items():
        shown = release[name].cast(pl.String).drop_nulls().unique().to_list()
        assert shown
        assert not [label for label in shown if not re.fullmatch(pattern, label)]
    ends = re.findall(r"\d+", " ".join(release["age"].drop_nulls()))
    assert max(map(int, ends), default=0) <= 90
