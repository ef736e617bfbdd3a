"""Values decide where names are silent: a made table of 35 identifiers and 60 harmless columns."""

import polars as pl
import pytest

import incrowd
from incrowd.pii import Status
from silent_tables import ROWS, silent_figures, silent_table


@pytest.fixture(scope="module")
def found():
    frame, what = silent_table()
    return incrowd.safe_harbor(frame, today=2026), what


@pytest.mark.slow
def test_the_table_has_35_identifiers_and_60_harmless_columns(found):
    held = [holds for _, holds in found[1].values()]
    assert (sum(held), len(held) - sum(held)) == (35, 60)


def test_precision_and_recall(found):
    precision, recall, missed, wrong = silent_figures(*found)
    assert precision >= 0.95, wrong
    assert recall >= 0.95, missed


def only(name, cells):
    """The letters and answers that a table of one column gets."""
    checks = incrowd.safe_harbor(pl.DataFrame({name: cells}), today=2026).checks
    return {check.letter: check.columns[0].status for check in checks if check.columns}


SURNAMES = ["Smith", "Garcia", "Novak", "Okafor", "Sato", "Miller", "Xyzzy"]
DRUGS = ["00002-3227-30", "50090-0001-01", "0069-2587-41", "16590-0054-2"]


@pytest.mark.parametrize(
    ("cells", "letter", "status"),
    [
        (SURNAMES * 40, "A", Status.FAIL),
        (["Boston", "Reno", "Omaha", "Fresno", "Little Nowhere"] * 40, "B", Status.FAIL),
        (["036**", "021**", "100**", "606**", "900**"] * 40, "B", Status.FAIL),
        (["036", "021", "100", "606", "900"] * 40, "B", Status.UNSEEN),
        ([i % 97 for i in range(970)], "C", Status.UNSEEN),
        ([1925 + i % 99 for i in range(990)], "C", Status.UNSEEN),
    ],
)
def test_what_used_to_pass_under_a_silent_name(cells, letter, status):
    assert only("v0", cells)[letter] is status


@pytest.mark.parametrize(
    "cells",
    [
        ["021**", "100**", "606**", "900**", "941**"] * 40,
        ["red", "brown", "green", "blue", "black", "white"] * 40,
        ["Georgia", "Washington", "Virginia", "New York", "Texas"] * 40,
        [i % 101 for i in range(ROWS)],
        [2000 + i % 24 for i in range(ROWS)],
    ],
)
def test_what_only_looks_like_it(cells):
    assert not only("v0", cells).keys() & set("ABC")


@pytest.mark.parametrize("name", ["v0", "ndc", "drug_code", "drug_license_code"])
def test_codes_of_drugs_are_no_numbers_of_people(name):
    many = [f"{i:05d}-{i % 900 + 10:04d}-{i % 40:02d}" for i in range(300)]
    assert only(name, DRUGS * 50) == {}
    assert only(name, many) == {}


def test_a_failing_column_hides_none_that_a_person_must_see():
    people = ["Ulla Lee", "Bob Fox", "Cy Dune", "Ida Roe"] * 70
    frame = pl.DataFrame({"surname": SURNAMES * 40, "v0": people})
    check = incrowd.safe_harbor(frame, today=2026).checks[0]
    assert [(one.column, one.status) for one in check.columns] == [
        ("surname", Status.FAIL),
        ("v0", Status.UNSEEN),
    ]
