"""Parts of a table: every row is in one, equal rows together; searched apart they keep promises."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incrowd.errors import InfeasibleError
from incrowd.loss import Gcp
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.search.crowd import crowd
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.layout import boxes_of
from incrowd.search.parts import (
    PartTree,
    divide_rows,
    is_separable,
    may_stand_alone,
    parts_tree,
    tree_of,
)
from incrowd.watch import Watch
from strategies import problem_of, tables


def naive_part(tree: PartTree, codes):
    node = 0
    while tree.column[node] >= 0:
        node = tree.child[int(codes[tree.column[node]] > tree.limit[node]), node]
    return int(tree.child[0, node])


@settings(deadline=None)
@given(tables(max_records=40), st.integers(1, 9))
def test_the_part_of_a_row_is_where_the_cuts_lead(table, number):
    problem = problem_of(table, (KAnonymity(2),), Gcp())
    codes = np.ascontiguousarray(problem.tally.quasi.T)
    tree = tree_of(boxes_of(problem), codes, problem.tally.counts, number)
    found = tree.parts_of(problem.tally.quasi)
    assert found.tolist() == [naive_part(tree, row) for row in codes]
    assert tree.number <= number
    if tree.number > 1:
        assert set(found.tolist()) == set(range(tree.number))


@settings(deadline=None, max_examples=30)
@given(tables(max_records=40), st.integers(2, 9))
def test_a_statement_says_the_same(table, number):
    problem = problem_of(table, (KAnonymity(2),), Gcp())
    names = [f"k{j}" for j in range(len(problem.columns))]
    rows = pl.DataFrame(dict(zip(names, problem.tally.quasi, strict=True)))
    tree = parts_tree(problem, max(problem.tally.rows // number, 1))
    said = pl.SQLContext(rows=rows, eager=True).execute(
        f"SELECT {tree.sql_expression(names)} AS part FROM rows"
    )
    assert said["part"].to_list() == tree.parts_of(problem.tally.quasi).tolist()


@settings(deadline=None)
@given(
    tables(max_records=60),
    st.integers(1, 12),
    st.sampled_from([(KAnonymity(2),), (KAnonymity(2), LDiversity("s0", 2, kind="distinct"))]),
)
def test_every_row_is_in_one_part_that_is_able_if_the_table_is(table, rows, models):
    problem = problem_of(table, models, Gcp())
    found = divide_rows(problem, rows, 2)
    assert np.array_equal(np.sort(np.concatenate(found)), np.arange(problem.tally.rows))
    if may_stand_alone(problem, np.arange(problem.tally.rows, dtype=np.int32), 2):
        assert all(may_stand_alone(problem, part, 2) for part in found)


def test_parts_are_of_about_the_same_size():
    rng = np.random.default_rng(3)
    codes = rng.integers(1, 1000, (20_000, 3)).astype(np.int32)
    table = {f"q{j}": codes[:, j] for j in range(3)}
    problem = problem_of_codes(table)
    sizes = [len(part) for part in divide_rows(problem, 1_000, 2)]
    assert max(sizes) < 1_500
    assert min(sizes) > 500


def test_a_value_that_half_of_the_records_hold_is_in_one_part():
    rng = np.random.default_rng(3)
    codes = rng.integers(1, 50, (2, 8_000)).astype(np.int32)
    codes[:, :4_000] = 7
    codes[1, :4_000] = np.arange(4_000) % 2 + 1
    problem = problem_of_codes({"a": codes[0], "b": codes[1]})
    found = divide_rows(problem, 200, 10)
    for part in found:
        assert problem.tally.counts[part].sum() >= 10


def problem_of_codes(columns):
    import incrowd
    from incrowd.engines.memory import MemoryEngine
    from incrowd.io.hierarchies import builders_of
    from incrowd.release.load import load

    frame = pl.DataFrame(columns)
    policy = incrowd.quick(frame.columns, quasi=list(columns), k=5)
    return load(MemoryEngine(frame), policy, builders_of(policy, ".")).compiled.problem


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(crowd, "LARGE", 20)
    monkeypatch.setattr(crowd, "PART", 10)
    monkeypatch.setattr(crowd, "_FILLED", 2)


MODELS = [
    (KAnonymity(2),),
    (KAnonymity(2), LDiversity("s0", 2, kind="distinct")),
    (LDiversity("s0", 1.5, kind="frequency"),),
    (KAnonymity(3), TCloseness("s0", 0.5)),
]


@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(
    table=tables(max_records=90, units=True),
    models=st.sampled_from(MODELS),
    share=st.sampled_from([0.0, 0.1]),
    consistent=st.booleans(),
)
def test_parts_keep_every_promise(table, models, share, consistent):
    problem = problem_of(table, models, Gcp())
    problem = replace(problem, suppression=share, consistent=consistent)
    try:
        found = Crowd().run(problem, Watch())
    except InfeasibleError:
        return
    outcome = problem.outcome(found.recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert outcome.suppressed <= problem.suppressible
    pieces = found.recoding.pieces
    shown = np.bincount(pieces.row, weights=pieces.count, minlength=problem.tally.rows)
    assert shown.tolist() == problem.tally.counts.tolist()


def drawn(records):
    rng = np.random.default_rng(1)
    columns = {
        f"q{j}": (rng.beta(1.2, 3, records) * n).astype(int) for j, n in enumerate((90, 9, 40))
    }
    return problem_of_codes(columns)


def parts_of(monkeypatch, records):
    """Let a search divide tables of more records than these into parts as large."""
    monkeypatch.setattr(crowd, "LARGE", records)
    monkeypatch.setattr(crowd, "PART", records)


@pytest.mark.slow
def test_parts_are_told(monkeypatch):
    problem, told = drawn(2_000), []
    assert is_separable(problem)
    parts_of(monkeypatch, 200)
    found = Crowd(effort=0).run(
        problem, Watch(None, lambda what, share: told.append((what, share)))
    )
    assert found.facts["parts"] > 2
    assert "parts" in found.why
    assert told[-1][1] == 1
    assert any(what.startswith("part ") for what, _ in told)


@pytest.mark.thorough
def test_parts_lose_hardly_more(monkeypatch):
    problem = drawn(12_000)
    whole = Crowd().run(problem, Watch())
    parts_of(monkeypatch, 2_000)
    found = Crowd().run(problem, Watch())
    losses = [problem.loss.of(problem.outcome(each.recoding)) for each in (whole, found)]
    assert losses[1] <= 1.1 * losses[0]
