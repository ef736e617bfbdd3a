"""Queries asked of a release in place of its table, from a frame."""

import polars as pl
import pytest

import incrowd
from incrowd.api import query_precision
from incrowd.datasets import hospital
from incrowd.errors import InputError
from incrowd.loss.queries_workload import parse
from incrowd.models import KAnonymity, LDiversity
from incrowd.policy.policy import Column, Policy
from incrowd.search import Anatomy, Mondrian

WORKLOAD = parse(
    """
    COUNT WHERE birth_date BETWEEN '1950-01-01' AND '1980-12-31' AND sex = 'female'
    COUNT WHERE diagnosis IN ('I10', 'J18.9') GROUP BY sex
    COUNT GROUP BY sex, ward
    COUNT GROUP BY birth_date
    """
)


def policy(**more):
    columns = {
        "birth_date": Column(role="quasi"),
        "sex": Column(role="quasi"),
        "diagnosis": Column(role="sensitive"),
        "ward": Column(role="sensitive"),
    }
    return Policy(columns=columns, **{"models": (KAnonymity(5),), "search": Mondrian(), **more})


@pytest.fixture(scope="module")
def table():
    return hospital(1_500, seed=4).select("birth_date", "sex", "diagnosis", "ward")


def test_more_anonymity_answers_worse(table):
    few, many = (query_precision(table, policy(models=(KAnonymity(k),)), WORKLOAD) for k in (2, 60))
    assert [one.line for one in few] == [2, 3, 4, 5]
    assert all(one.relative >= 0 and one.kl >= 0 for one in few + many)
    assert few[3].kl < many[3].kl
    assert few[0].relative < many[0].relative < 0.2


def test_a_permutation_answers_what_is_exact_exactly(table):
    asked = policy(models=(LDiversity("diagnosis", 5),), show="permutation", search=Anatomy())
    first, second, third, fourth = query_precision(table, asked, WORKLOAD, seed=1)
    assert first.relative == pytest.approx(0, abs=1e-9)
    assert fourth.kl == pytest.approx(0, abs=1e-9)
    assert second.relative > 0
    assert third.kl > 0


def test_the_table_is_not_changed_and_values_are_not_told(table):
    before = table.clone()
    with pytest.raises(InputError) as caught:
        query_precision(table, policy(), parse("COUNT WHERE sex = 'female' AND ward > 'surgery'"))
    assert "surgery" not in str(caught.value)
    assert table.equals(before)


def test_the_answer_of_a_whole_release_agrees_with_its_rows(table):
    """Counts estimated from a permuted release's own rows and class column, by hand."""
    asked = policy(
        models=(LDiversity("diagnosis", 4),),
        show="permutation",
        search=Anatomy(),
        class_column="class",
    )
    rows = incrowd.anonymize(table, asked, seed=2).frame
    share = rows.group_by("class").agg(
        (pl.col("ward") == "surgery").mean().alias("share"), pl.len().alias("size")
    )
    estimate = rows.filter(pl.col("sex") == "female").join(share, on="class")["share"].sum()
    true = table.filter((pl.col("sex") == "female") & (pl.col("ward") == "surgery")).height
    workload = parse("COUNT WHERE sex = 'female' AND ward = 'surgery'")
    (found,) = query_precision(table, asked, workload, seed=2)
    assert found.relative == pytest.approx(abs(true - estimate) / true)
