"""Identifiers in odd clothes under names that say nothing, and what only looks like them."""

import datetime as dt

import polars as pl
import pytest

import incrowd
from incrowd import api
from incrowd.models import KAnonymity
from incrowd.pii import Status
from incrowd.policy.presets import apply_preset
from incrowd.search import Mondrian

TODAY = 2026
N = 120
DAYS = [dt.date(1990, 1, 1) + dt.timedelta(days=89 * i) for i in range(N)]
PHONES = [(212 + i % 9, 300 + i, 1000 + 37 * i) for i in range(N)]
GIVEN = "James Mary Robert Linda Kofi Leila Anton Rosa".split()  # noqa: SIM905  it reads better
LAST = "Smith Garcia Novak Okafor Sato".split()  # noqa: SIM905  the same


def called(form):
    return [form.format(*phone) for phone in PHONES]


def cycled(*values):
    return [values[i % len(values)] for i in range(N)]


HOLDS = [
    ("C", "col", [f"{d:%m/%Y}" for d in DAYS]),
    ("C", "col", [f"{d.year}Q{1 + d.month // 4}" for d in DAYS]),
    ("C", "col", [f"{d:%Y-W%V}" for d in DAYS]),
    ("C", "col", [f"{d:%m/%d}" for d in DAYS]),
    ("C", "col", [f"{d:%d%b%Y}".upper() for d in DAYS]),
    ("C", "col", [f"{d:%a, %d %b %Y}" for d in DAYS]),
    ("C", "col", [f"{d:%m-%d-%y}" for d in DAYS]),
    ("C", "col", [int(f"{d:%Y%m%d}093015") for d in DAYS]),
    ("C", "col", [1_000_000_000 + 5_000_000 * i for i in range(N)]),
    ("C", "col", [1000 * (1_000_000_000 + 5_000_000 * i) for i in range(N)]),
    ("C", "col", [f"seen again on {d:%B %d}" for d in DAYS]),
    ("C", "ageatadmit", [i % 97 for i in range(N)]),
    ("C", "age", cycled("97 years", "45 years")),
    ("C", "age", cycled("97y", "45y")),
    ("C", "col", cycled("97 years old", "45 years old")),
    ("C", "byear", cycled(1920, 1980)),
    ("B", "col", cycled("Boston, MA", "Salem, OR", "Quincy, MA 02169")),
    ("B", "col", cycled("Cook County", "Kings County")),
    ("B", "hometown", cycled("Boston", "Salem")),
    ("B", "cnty", cycled("Cook", "Kings")),
    ("B", "pcode", cycled("02138", "10001")),
    ("D", "col", called("{}.{}.{}")),
    ("D", "col", called("{} {} {}")),
    ("D", "col", called("1-{}-{}-{}")),
    ("D", "col", called("+1{}{}{}")),
    ("D", "cell", called("{}{}{}")),
    ("D", "emergency_contact", called("{}{}{}")),
    ("D", "col", called("call {}{}{}")),
    ("D", "col", called("Please call back on {}.{}.{} after the visit of next week")),
    ("F", "col", cycled("ann [at] ex.org", "bob (at) ex.org")),
    ("F", "col", cycled("ann at ex dot org", "bob at ex dot org")),
    ("G", "SocialSecNum", [219_090_001 + i for i in range(N)]),
    ("G", "col", [f"ssn {219_090_001 + i}" for i in range(N)]),
    ("H", "col", [f"MRN: {5_000_000 + i}" for i in range(N)]),
    ("N", "col", [f"facebook.com/user{i}" for i in range(N)]),
    ("N", "col", [f"ann{i}.example.org" for i in range(N)]),
    ("O", "col", [f"192.168.1.{i}:8080" for i in range(N)]),
    ("O", "col", [f"10.0.{100 + i}.0/24" for i in range(N)]),
    ("O", "col", [f"[2001:db8::{i + 1:x}]:443" for i in range(N)]),
    ("A", "col7", [f"{GIVEN[i % 8]} {LAST[i % 5]}" for i in range(N)]),
    ("A", "col7", [f"{GIVEN[i % 8]} {LAST[i % 5]}".lower() for i in range(N)]),
    ("A", "col7", [f"{LAST[i % 5]},{GIVEN[i % 8]}" for i in range(N)]),
    ("A", "next_of_kin", cycled("Ann", "Bob")),
    ("A", "test_subject_name", cycled("Ann", "Bob")),
    ("A", "insurance_holder_name", cycled("Ann", "Bob")),
    ("A", "known_name", cycled("Ann", "Bob")),
    ("B", "present_address", cycled("Rose Villa", "Hill House")),
    ("B", "ip_city", cycled("Boston", "Salem")),
    ("B", "col", [f"({40 + i / 1000:.5f}, {-70 - i / 1000:.5f})" for i in range(N)]),
    ("C", "age_at_day_of_surgery", [i % 97 for i in range(N)]),
    ("C", "age_month_12", [i % 97 for i in range(N)]),
    ("C", "agegroup", cycled("85-89", "90-94")),
    ("C", "age_days", [300 * i for i in range(N)]),
    ("C", "birth_month", [f"{d:%m}" for d in DAYS]),
    ("C", "admission_quarter", cycled("Q1", "Q4")),
    ("C", "admission_date", [f"le {d.day} mars {d.year}" for d in DAYS]),
    ("C", "discharge", [f"{d:%m/%d}" for d in DAYS[:20]] * 6),
    ("C", "decade_of_birth", cycled("1930s", "1980s")),
    ("D", "verified_phone", called("{}{}{}")),
]
"""Letter, column, values."""

MAY_HOLD = [
    ("G", [219_090_001 + 1_000_003 * i for i in range(N)]),
    ("D", [int(f"{a}{b}{c}") for a, b, c in PHONES]),
    ("B", [f"{10 + i % 60:03}{i % 10}1" for i in range(N)]),
    ("A", [f"{'ABCDE'[i % 5]}. {LAST[i % 5]}" for i in range(N)]),
    ("A", [f"Tariq O'{LAST[i % 5]}-{LAST[i % 4]}" for i in range(N)]),
]

DOES_NOT_HOLD = {
    "sw": [f"{i % 9}.{i}.{i % 7}" for i in range(N)],
    "bp": [f"{90 + i % 90}/{50 + i % 57}" for i in range(N)],
    "vision": cycled("20/20", "20/40", "20/200"),
    "share": [f"{1 + i % 11}/12" for i in range(N)],
    "titer": [f"1:{i + 1}" for i in range(N)],
    "dosage": cycled("1-0-1", "1-1-1", "0-0-1"),
    "lasted": cycled("01:20:33", "00:10:05"),
    "cell_count": [4000 + 31 * i for i in range(N)],
    "ndc": cycled("0002-8215-01", "0069-2587-41"),
    "years_of_service": [i % 50 for i in range(N)],
    "smoked": cycled("5 years", "95 years"),
    "age_group": cycled("80-89 years", "90+ years"),
    "site": [f"St. {GIVEN[i % 8]} Hospital {LAST[i % 5]}" for i in range(N)],
    "budget": [10_000 + 999 * i for i in range(N)],
    "visit_year": cycled(2001, 2002, 2003),
    "advice": cycled("may 10 times", "may 20 times"),
    "phone_verified": cycled("code 1", "code 2", "code 3", "code 4"),
    "patient_country_name": cycled("France", "Spain"),
    "email_address_known": cycled("by letter", "by visit", "by us", "not"),
    "age_in_months": cycled(93, 1079),
    "birth_date": cycled("1950", "[1940, 1950)", "(-inf, 1940)", "1960s", "unknown"),
    "date_source": cycled("registry", "letter"),
}


def found(name, values):
    """The letters that a column fails, and those for which it must be looked at."""
    table = pl.DataFrame({name: values, "sex": cycled("f", "m")}, strict=False)
    checks = incrowd.safe_harbor(table, today=TODAY)
    unseen = {
        check.letter
        for check in checks.checks
        if check.status is Status.UNSEEN and any(one.column == name for one in check.columns)
    }
    return set(checks.failing.get(name, "")), unseen


@pytest.mark.parametrize(("letter", "name", "values"), HOLDS)
def test_identifiers_in_odd_clothes(letter, name, values):
    assert letter in found(name, values)[0]


@pytest.mark.parametrize(("letter", "values"), MAY_HOLD)
def test_what_may_be_one_must_be_looked_at(letter, values):
    fails, unseen = found("col", values)
    assert letter in fails | unseen


@pytest.mark.parametrize("name", DOES_NOT_HOLD)
def test_what_only_looks_like_one(name):
    assert found(name, DOES_NOT_HOLD[name])[0] == set()


@pytest.mark.slow
def test_the_release_of_the_preset_passes_all_of_it():
    columns = {f"{name}_{i}": values for i, (_, name, values) in enumerate(HOLDS)}
    table = pl.DataFrame(columns | DOES_NOT_HOLD, strict=False)
    policy = apply_preset(
        "hipaa-safe-harbor", incrowd.draft(table).policy, api.table_facts(table, today=TODAY)
    )
    policy = policy.model_copy(update={"search": Mondrian(), "models": (KAnonymity(5),)})
    assert incrowd.safe_harbor(table, policy=policy, today=TODAY).met
    release = incrowd.anonymize(table, policy, seed=1)
    assert incrowd.safe_harbor(release.frame, today=TODAY).met
