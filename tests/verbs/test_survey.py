"""A survey goes from a file to a useful release in three commands, without editing."""

import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import incrowd
from incrowd.cli.main import app
from survey_table import survey

COMMENTS = 25
"""Lines that are nothing but a comment: less than a screen."""


@pytest.mark.slow
@pytest.mark.parametrize("records", [300, pytest.param(2_000, marks=pytest.mark.thorough)])
def test_three_commands(tmp_path, monkeypatch, records):
    monkeypatch.chdir(tmp_path)
    survey(records).write_csv("survey.csv")
    runner = CliRunner()
    paper = "release.csv.certificate.json"
    for command in (
        ["init", "survey.csv", "-o", "policy.toml"],
        ["anonymize", "survey.csv", "--policy", "policy.toml", "-o", "release.csv"],
        ["check", "release.csv", "--policy", "policy.toml", "--certificate", paper],
    ):
        assert runner.invoke(app, command).exit_code == 0, command
    policy, text = incrowd.read_policy("policy.toml"), Path("policy.toml").read_text()
    assert len(policy.quasi) == 10
    assert {"hh_inc", "depress", "alc_abuse", "smoke", "vote"} <= set(policy.sensitive)
    assert {"intdate", "resp_id"}.isdisjoint(pl.read_csv("release.csv").columns)
    assert sum(line.startswith("#") for line in text.splitlines()) <= COMMENTS
    shown = pl.read_csv("release.csv", infer_schema_length=0)
    assert shown.height == records
    assert not any(re.search(r"\[-[89],", cell) for cell in shown["edu"].drop_nulls())
    assert shown["age"].n_unique() > 10


@pytest.mark.slow
def test_a_draft_says_which_columns_cost_most():
    drafted = incrowd.draft(survey(1_500))
    gains = [cost.gain for cost in drafted.costs]
    assert {cost.column for cost in drafted.costs} == set(drafted.policy.quasi)
    assert gains == sorted(gains, reverse=True)
    assert all(0 <= cost.without <= 1 and 0 <= cost.others <= 1 for cost in drafted.costs)
    assert drafted.advice


@pytest.mark.slow
def test_a_rare_yes_gets_no_model_that_cannot_hold():
    drafted = incrowd.draft(survey(1_500))
    assert "alc_abuse" in drafted.unasked
    assert "2-diversity needs classes of" in drafted.unasked["alc_abuse"]
    assert not any("alc_abuse" in model.columns for model in drafted.policy.models)
