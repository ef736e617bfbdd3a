"""Every search keeps a model that speaks of shares: it is told how many people the table has."""

import pytest

import incrowd
from incrowd.datasets import hospital
from incrowd.errors import PolicyError
from incrowd.models import Probabilistic
from incrowd.policy.policy import Column, Policy

PATIENTS = hospital(1_500, seed=7).select("birth_date", "sex", "zip")


def asked(search, **parameters):
    models = (Probabilistic(**{"population": 3e8, "k": 600_000, "beta": 0.1, **parameters}),)
    columns = {name: Column(role="quasi") for name in PATIENTS.columns}
    return Policy(columns=columns, models=models, search=search)


@pytest.mark.slow
@pytest.mark.parametrize(
    "search", ["auto", "crowd", "datafly", "hilbert", "lattice", "mondrian", "top-down", "tree"]
)
def test_more_people_of_the_population_than_the_table_has(search):
    release = incrowd.anonymize(PATIENTS, asked(search), seed=1)

    assert release.models[0].ok
    assert release.models[0].reached >= 600_000
    assert 4 <= release.k < 1_500
    assert release.classes > 1


def test_a_population_smaller_than_the_table_is_refused():
    with pytest.raises(PolicyError, match=r"1,500 people.*sample of 1,499"):
        incrowd.anonymize(PATIENTS, asked("lattice", population=1_499, k=5))
