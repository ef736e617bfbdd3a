"""Searches compare with the release that they make, whomever they leave out."""

import json

import numpy as np
import polars as pl
import pytest

from incrowd.errors import InfeasibleError
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import open_table
from incrowd.policy.policy import Policy
from incrowd.problem import Problem
from incrowd.release.load import load
from incrowd.search import Auto, Lattice, Mondrian
from incrowd.search.compared import drop_compared_models, run_against_release
from incrowd.watch import Watch


def _table(seed: int) -> pl.DataFrame:
    """Young people of whom half are ill, and a few old ones of whom most are."""
    draw = np.random.default_rng(seed)
    many, few = 90, 9
    age = np.append(draw.integers(20, 40, many), draw.choice(np.arange(50, 100, 2), few, False))
    ill = np.append(draw.random(many) < 0.5, draw.random(few) < 0.8)
    return pl.DataFrame({"age": age, "ill": np.where(ill, "yes", "no")})


def _problem(seed: int, t: float, suppression: float = 0.1) -> Problem:
    columns = {"age": {"role": "quasi", "widest": 12.0}, "ill": {"role": "sensitive"}}
    models = [
        {"name": "k-anonymity", "k": 5},
        {"name": "t-closeness", "column": "ill", "t": t},
    ]
    asked = {"version": 1, "columns": columns, "models": models, "suppression": suppression}
    policy = Policy.model_validate_json(json.dumps(asked))
    with open_table(_table(seed), None, policy.columns) as there:
        return load(there.engine, policy, builders_of(policy, ".")).compiled.problem


def _distance(problem: Problem, found) -> float:
    """Of the farthest class from the records that stay, counted one by one."""
    outcome = problem.outcome(found.recoding)
    stays = np.repeat(outcome.class_of, outcome.tally.counts)
    held = np.repeat(outcome.tally.sensitive[0], outcome.tally.counts)
    whole = np.bincount(held[stays >= 0], minlength=3) / (stays >= 0).sum()
    each = [np.bincount(held[stays == c], minlength=3) for c in range(stays.max() + 1)]
    return max(np.abs(n / n.sum() - whole).sum() / 2 for n in each)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("search", "again"), [(Auto(), True), (Mondrian(), True), (Lattice(), False)]
)
def test_classes_are_close_to_the_records_that_stay(search, again):
    runs = answers = proofs = 0
    for seed in range(12):
        problem = _problem(seed, 0.15)
        tried = []

        def run(asked, watch, tried=tried):
            tried.append(asked)
            return search.run(asked, watch)

        try:
            found = run_against_release(problem, run, Watch())
        except InfeasibleError as error:
            proofs += bool(error.proved)
            continue
        answers += 1
        runs += len(tried)
        assert _distance(problem, found) <= 0.15 + 1e-9
        assert not found.optimal
    assert answers
    assert not proofs
    assert (runs > answers) is again


def test_a_search_that_leaves_out_nobody_runs_once():
    problem = _problem(1, 0.2, suppression=0.0)
    tried = []

    def run(asked, watch):
        tried.append((asked, watch))
        return "what was found"

    watch = Watch()
    assert run_against_release(problem, run, watch) == "what was found"
    assert tried == [(problem, watch)]
    assert drop_compared_models(problem) is problem
