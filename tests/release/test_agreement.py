"""Verification and the models' own figures agree, though they share no code."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import counted, reference
from incrowd.loss import Gcp
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.partition.classes import classes_of
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.verify.verify import see_release, verify
from strategies import problem_of, tables

MODELS = st.sampled_from(
    [
        KAnonymity(2),
        KAnonymity(3),
        LDiversity("s0", 2),
        LDiversity("s0", 1.5),
        LDiversity("s0", 2, "distinct"),
        LDiversity("s0", 1.8, "entropy"),
        LDiversity("s0", 2, "recursive", 1.5),
        LDiversity("s0", 1, "recursive", 0.9),
        TCloseness("s0", 0.4),
        TCloseness("s0", 0.25, "ordered"),
        AlphaK("s0", 0.5, 2),
        AlphaK("s0", 1 / 3, 2),
    ]
)


def texts(codes):
    return pl.Series([None if code == 0 else f"v{code}" for code in codes], dtype=pl.String)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(tables(units=True), st.lists(MODELS, min_size=1, max_size=4))
def test_verdicts_are_the_models_own(table, models):
    _, quasi, values, unit = table
    problem = problem_of(table, models, Gcp())
    shown = {f"q{j}": texts(codes) for j, codes in enumerate(quasi)}
    rows = pl.DataFrame(shown | {"s0": texts(values[0])})
    rank = {key: i for i, key in enumerate(sorted(set(zip(*quasi, strict=True))))}
    row_class = np.array([rank[key] for key in zip(*problem.tally.quasi.tolist(), strict=True)])
    classes = classes_of(problem.tally, row_class.astype(np.int32), len(rank), problem.sensitive)
    policy = SimpleNamespace(quasi=tuple(shown), models=models, missing=Missing.OWN_VALUE)
    domain = Domain(Kind.TEXT, np.array(["v1", "v2", "v3", "v4"], dtype=object))
    coded = CodedColumn("s0", np.array(values[0], dtype=np.int32), domain)
    people = None if unit is None else np.array(unit, dtype=np.int32) + 1
    spread = reference(rows["s0"], coded, people)
    assert spread.people.tolist() == problem.sensitive[0].whole.tolist()
    verdicts = verify(see_release(counted(rows, people), policy), policy, reference={"s0": spread})
    for model, verdict in zip(models, verdicts, strict=True):
        assert verdict.reached == pytest.approx(model.achieved_by(classes), abs=1e-9)
        assert verdict.ok == bool(model.satisfied_by(classes).all())
        assert (verdict.name, verdict.asked) == (model.name, model.threshold)
