import hashlib

import numpy as np
import polars as pl
import pytest

from incrowd.datasets import hospital, visits
from incrowd.errors import PolicyError


@pytest.fixture(scope="module")
def table():
    return hospital(20_000, seed=7)


def test_it_has_the_rows_and_columns_that_were_asked_for(table):
    assert table.shape == (20_000, 14)
    assert hospital(0).columns == table.columns
    assert table["patient_id"].n_unique() == table.height
    assert table.schema["birth_date"] == table.schema["admission"] == pl.Date


def test_a_seed_gives_one_table_on_every_machine():
    digest = hashlib.sha256(hospital(500, seed=3).write_csv().encode()).hexdigest()
    assert digest == hashlib.sha256(hospital(500, seed=3).write_csv().encode()).hexdigest()
    assert digest.startswith("c77b1e0c64b9f04c")


def test_another_seed_gives_another_table():
    assert not hospital(100, seed=1).equals(hospital(100, seed=2))


def test_the_first_rows_of_a_longer_table_are_the_shorter_table(table):
    assert hospital(150, seed=7).equals(table.head(150))


def test_numbers_of_persons_are_clearly_made_up(table):
    assert table["ssn"].str.starts_with("000-").all()


def test_zip_codes_keep_leading_zeros_and_are_skewed(table):
    zips = table["zip"].drop_nulls()
    assert zips.str.len_chars().unique().to_list() == [5]
    assert zips.str.starts_with("0").mean() > 0.5
    shares = zips.value_counts(sort=True)["count"] / len(zips)
    assert shares[0] > 20 * shares[-1]


def test_diagnoses_have_a_long_tail(table):
    counts = table["diagnosis"].drop_nulls().value_counts(sort=True)["count"]
    assert len(counts) > 70
    assert 0.03 < counts[0] / counts.sum() < 0.15
    assert (counts < 0.002 * counts.sum()).sum() > 10


def test_diagnoses_follow_sex_and_age(table):
    births = table.filter(pl.col("diagnosis").str.starts_with("O"))
    assert births["sex"].unique().to_list() == ["female"]
    prostate = table.filter(pl.col("diagnosis").is_in(["C61", "N40"]))
    assert prostate["sex"].unique().to_list() == ["male"]
    year = pl.col("birth_date").dt.year()
    heart = pl.col("diagnosis").str.starts_with("I")
    old, young = table.filter(year < 1958), table.filter(year > 1990)
    assert old.select(heart.mean()).item() > 4 * young.select(heart.mean()).item()


def test_occupations_follow_age(table):
    retired = table.filter(pl.col("occupation") == "retired")["birth_date"].drop_nulls()
    students = table.filter(pl.col("occupation") == "student")["birth_date"].drop_nulls()
    assert retired.max() < students.min()


def test_costs_are_skewed_and_follow_the_stay(table):
    both = table.select("cost", "stay").drop_nulls()
    assert both["cost"].min() > 0
    assert both["cost"].mean() > 1.2 * both["cost"].median()
    assert np.corrcoef(np.log(both["cost"]), np.log1p(both["stay"]))[0, 1] > 0.4


def test_values_are_missing_in_part_and_together(table):
    shares = {name: table[name].null_count() / table.height for name in table.columns}
    assert shares["patient_id"] == shares["sex"] == 0
    assert 0 < shares["birth_date"] < 0.01 < shares["zip"] < 0.05 < shares["occupation"] < 0.15
    no_job = table.filter(pl.col("occupation").is_null())
    assert no_job["country"].null_count() / no_job.height > 1.5 * shares["country"]


def test_visits_give_a_person_several_rows_that_agree_about_them():
    table = visits(400, seed=5)
    per_person = table.group_by("patient_id").agg(
        pl.len(), pl.col("birth_date").n_unique(), pl.col("zip").n_unique().alias("zips")
    )
    assert per_person.height == 400
    assert per_person["len"].min() == 1
    assert 4 < per_person["len"].max() <= 12
    assert per_person["birth_date"].max() == per_person["zips"].max() == 1


@pytest.mark.parametrize("wrong", [{"rows": -1}, {"seed": -1}])
def test_wrong_numbers_are_refused(wrong):
    with pytest.raises(PolicyError, match="0 or more"):
        hospital(**wrong)


@pytest.mark.thorough
def test_a_million_rows_take_seconds():
    assert hospital(1_000_000).height == 1_000_000
