"""The preset's release passes the checklist; what it starts from does not."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd import api, datasets
from incrowd.hierarchy import Dates, Intervals, Prefix
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy
from incrowd.policy.presets import TableFacts, apply_preset
from incrowd.search import Lattice, Mondrian

N = 240
TODAY = 2026


def people():
    """A table with a column for each identifier, and some that may stay."""
    rng = np.random.default_rng(5)

    def drawn(values):
        return [values[i] for i in rng.integers(0, len(values), N)]

    days = [dt.date(2023, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 700, N)]
    births = [dt.date(1920, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 30_000, N)]
    rank = [f"{i:05}" for i in range(N)]
    zips = ["02138", "02139", "03601", "10001", "10002", "59001", "05901", "20301"]
    return pl.DataFrame(
        {
            "name": [f"Person {i}" for i in rank],
            "who": [f"{first} Ray" for first in drawn(["Ann", "Bo"])],
            "home_address": [f"{i} Main Street" for i in range(N)],
            "zip": drawn(zips),
            "city": drawn(["Boston", "New York"]),
            "state": drawn(["MA", "NY"]),
            "birth_date": births,
            "birth_year": [day.year for day in births],
            "age": [TODAY - day.year for day in births],
            "admission": days,
            "seen_on": [f"{day:%m/%d/%Y}" for day in days],
            "day_code": [int(f"{day:%Y%m%d}") for day in days],
            "phone": [f"(212) 555-{i % 10_000:04}" for i in range(N)],
            "fax": [f"212555{i % 10_000:04}" for i in range(N)],
            "contact": [f"p{i}@example.org" for i in range(N)],
            "ssn": [f"219-09-{i + 1:04}" for i in range(N)],
            "mrn": rank,
            "member_id": rank,
            "account_number": rank,
            "license_number": rank,
            "vin": rank,
            "device_serial": rank,
            "homepage": [f"https://example.org/{i}" for i in rank],
            "log": [f"192.0.2.{i}" for i in range(N)],
            "fingerprint": rank,
            "photo": [f"{i}.jpg" for i in rank],
            "case_id": [f"C{i}" for i in rank],
            "version": drawn(["1.2.3.4", "1.2.3.5"]),
            "sex": drawn(["f", "m"]),
            "diagnosis": drawn(["flu", "cold", "asthma"]),
            "cost": rng.integers(100, 9999, N).tolist(),
        }
    )


TABLE = people()


def test_the_table_fails_everything():
    found = incrowd.safe_harbor(TABLE, today=TODAY)
    failing = {check.letter for check in found.checks if check.status == "fail"}
    assert failing == set("ABCDEFGHIJKLMNOPQR")


@pytest.mark.slow
@pytest.mark.parametrize("search", [Lattice(), Mondrian()])
def test_the_release_of_the_preset_passes(search):
    policy = apply_preset(
        "hipaa-safe-harbor", Policy.draft(TABLE), api.table_facts(TABLE, today=TODAY)
    )
    policy = policy.model_copy(update={"search": search})
    release = incrowd.anonymize(TABLE, policy, seed=1)
    assert incrowd.safe_harbor(release.frame, today=TODAY).met
    stay = {"zip", "state", "birth_date", "birth_year", "age", "admission", "sex", "cost"}
    assert stay | {"diagnosis"} <= set(release.frame.columns)
    shown = {label.strip("*") for label in release.frame["zip"].drop_nulls()}
    assert not {"036", "059", "203"} & shown
    assert max(map(len, shown)) <= 3


def test_the_policy_passes_before_anything_is_released():
    policy = apply_preset(
        "hipaa-safe-harbor", Policy.draft(TABLE), api.table_facts(TABLE, today=TODAY)
    )
    assert incrowd.safe_harbor(TABLE, policy=policy, today=TODAY).met
    later = incrowd.safe_harbor(TABLE, policy=policy, today=TODAY + 3)
    assert set(later.failing) <= {"birth_date", "birth_year"}


def test_a_policy_is_looked_at_as_fine_as_it_may_show():
    columns = {name: Column(role="drop") for name in TABLE.columns}
    columns["zip"] = Column(role="quasi", hierarchy=Prefix(steps=(3, 1)), lowest=1)
    columns["age"] = Column(role="quasi", hierarchy=Intervals(width=5))
    columns["ssn"] = Column(role="identifier", action="pseudonym")
    policy = Policy(columns=columns, models=(KAnonymity(2),))
    found = incrowd.safe_harbor(TABLE, policy=policy, today=TODAY)
    assert found.failing == {"zip": "B", "age": "C", "ssn": "R"}
    columns["zip"] = Column(role="quasi", hierarchy=Prefix(steps=(3, 1)), lowest=2)
    columns["age"] = Column(role="quasi", hierarchy=Intervals(width=5, top=90), lowest=1)
    columns["ssn"] = Column(role="identifier")
    policy = Policy(columns=columns, models=(KAnonymity(2),))
    assert incrowd.safe_harbor(TABLE, policy=policy, today=TODAY).met


def test_by_names_alone_the_hospital_passes_too():
    frame = datasets.hospital(300, seed=2)
    policy = apply_preset("hipaa-safe-harbor", Policy.draft(frame), TableFacts(TODAY))
    policy = policy.model_copy(update={"search": Mondrian()})
    release = incrowd.anonymize(frame, policy, seed=1)
    assert incrowd.safe_harbor(release.frame, today=TODAY).met
    assert not incrowd.safe_harbor(frame, today=TODAY).met


def test_birth_years_of_people_over_89_are_pooled():
    columns = {
        "birth_date": Column(role="quasi", hierarchy="dates"),
        "birth_year": Column(role="quasi", hierarchy=Intervals(width=5)),
    }
    policy = Policy(columns=columns, models=(KAnonymity(2),))
    made = apply_preset("hipaa-safe-harbor", policy, TableFacts(TODAY)).columns
    assert made["birth_date"].hierarchy == Dates(
        steps=("year", "5 years", "10 years"), bottom=TODAY - 89
    )
    assert made["birth_year"].hierarchy == Intervals(widths=(1, 5, 10), bottom=TODAY - 89)
    assert made["birth_date"].lowest == made["birth_year"].lowest == 1
