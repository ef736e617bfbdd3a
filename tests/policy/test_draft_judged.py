"""Drafts are judged by the roles that an expert gives, on tables that nobody tuned on, too."""

import pytest

import incrowd
from incrowd.table.column import Role
from judged_drafts import judged_tables, score

TABLES = judged_tables()
HELD_OUT = {"cis", "compas", "diabetes130", "nhanes"}


def drafted(judged):
    return incrowd.draft(judged.frame, labels=judged.labels)


def together(*, held_out):
    some = [score(one, drafted(one)) for one in TABLES if one.held_out is held_out]
    return sum(some[1:], start=some[0])


def test_fifteen_tables_are_judged_and_four_of_them_are_held_out():
    assert len(TABLES) == 15
    assert {one.name for one in TABLES if one.held_out} == HELD_OUT


def test_every_column_has_the_role_of_an_expert_and_a_reason():
    for one in TABLES:
        assert set(one.roles.values()) <= {role.value for role in Role}
        assert set(one.roles) == set(one.frame.columns)


@pytest.mark.slow
@pytest.mark.parametrize("held_out", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_an_expert_would_keep_most_of_a_draft(held_out):
    found = together(held_out=held_out)
    assert found.recall("quasi", "sensitive") >= 0.9
    assert found.reviewed <= 0.15


@pytest.mark.slow
def test_marks_of_missing_values_are_found():
    births = next(one for one in TABLES if one.name == "births2006")
    found = drafted(births)
    marks = {name: found.policy.columns[name].missing_values for name in found.missing}
    assert {"WTGAIN", "UPREVIS", "ESTGEST"} <= set(marks)
    assert marks["ESTGEST"] == ("99",)
    assert found.missing["ESTGEST"][0].records == int((births.frame["ESTGEST"] == 99).sum())


@pytest.mark.slow
def test_codes_of_places_get_no_intervals():
    brazil = next(one for one in TABLES if one.name == "brazil")
    columns = drafted(brazil).policy.columns
    for name in ("cod_municipio", "ocupacao", "atividade_cnae", "cor_raca"):
        assert columns[name].hierarchy.name in {"prefix", "flat"}
        assert columns[name].kind is not None
