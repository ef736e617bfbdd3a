"""What every loss of the union must be."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from incrowd.loss import LOSSES as LOSSES_BY_NAME
from incrowd.loss import AnyLoss, Loss, Queries
from incrowd.models import KAnonymity
from incrowd.recoding import QuasiColumn, outcome_of
from incrowd.search.lattice.full_domain import levels_recoding, node_classes
from incrowd.table.tally import Tally
from plugin_values import values as values_of
from strategies import hierarchies, problem_of, tables

LOSSES = values_of(AnyLoss, "s0", [Queries("s0", level=1)])
SEPARABLE = [loss for loss in LOSSES if type(loss).cell_costs is not Loss.cell_costs]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
every_separable_loss = pytest.mark.parametrize("loss", SEPARABLE, ids=lambda loss: loss.name)


def nodes(problem):
    return product(*(range(column.hierarchy.levels) for column in problem.columns))


def outcome_at(problem, levels, kept=None):
    class_of, number = node_classes(problem, levels)
    kept = np.ones(number, dtype=np.bool_) if kept is None else kept
    return problem.outcome(levels_recoding(problem, levels, class_of, kept))


def draw_node(data, problem):
    levels = [data.draw(st.integers(0, c.hierarchy.height)) for c in problem.columns]
    _, number = node_classes(problem, levels)
    return levels, np.array(data.draw(st.lists(st.booleans(), min_size=number, max_size=number)))


def test_losses_are_found_by_name():
    assert {loss.name: type(loss) for loss in LOSSES} == LOSSES_BY_NAME
    assert {"gcp", "granularity", "precision", "entropy"} <= {loss.name for loss in SEPARABLE}


@every_loss
def test_a_policy_can_write_it(loss):
    adapter = TypeAdapter(AnyLoss)
    assert adapter.validate_python(adapter.dump_python(loss)) == loss
    with pytest.raises(AttributeError):
        loss.name = "other"


@every_loss
@settings(deadline=None, max_examples=30)
@given(tables(), st.data())
def test_order_of_rows_and_columns_is_irrelevant(loss, table, data):
    trees, quasi, values, unit = table
    problem = problem_of(table, [], loss)
    levels, kept = draw_node(data, problem)
    class_of, _ = node_classes(problem, levels)
    expected = loss.of(outcome_at(problem, levels, kept))

    columns = data.draw(st.permutations(range(len(trees))))
    rows = data.draw(st.permutations(range(problem.tally.rows)))
    turned_table = ([trees[j] for j in columns], [quasi[j] for j in columns], values, unit)
    turned = problem_of(turned_table, [], loss)
    turned_levels = [levels[j] for j in columns]
    mixed = replace(problem, tally=problem.tally.take(np.array(rows, dtype=np.int32)))

    mixed_class_of, _ = node_classes(mixed, levels)
    assert (mixed_class_of == class_of[rows]).all()
    assert loss.of(outcome_at(mixed, levels, kept)) == pytest.approx(expected)
    if kept.all():
        assert loss.of(outcome_at(turned, turned_levels)) == pytest.approx(expected)


@every_loss
@settings(deadline=None, max_examples=30)
@given(tables(), st.data())
def test_counts_and_copies_agree(loss, table, data):
    problem = problem_of(table, [], loss)
    levels, kept = draw_node(data, problem)
    folded = problem.tally
    copies = np.repeat(np.arange(folded.rows), folded.counts)
    ones = np.ones(len(copies), dtype=np.int64)
    none = np.empty(0, dtype=np.int32)
    unfolded = Tally(
        np.ascontiguousarray(folded.quasi[:, copies]),
        np.ascontiguousarray(folded.sensitive[:, copies]),
        ones,
        ones,
        none,
        none,
    )
    copied = replace(problem, tally=unfolded)
    assert loss.of(outcome_at(copied, levels, kept)) == pytest.approx(
        loss.of(outcome_at(problem, levels, kept))
    )


@every_loss
@settings(deadline=None, max_examples=30)
@given(tables(max_columns=2), st.data())
def test_a_column_of_weight_two_is_two_columns(loss, table, data):
    trees, quasi, values, unit = table
    heavy = problem_of(table, [], loss)
    columns = (replace(heavy.columns[0], weight=2.0), *heavy.columns[1:])
    heavy = replace(heavy, columns=columns)
    twice = problem_of(([trees[0], *trees], [quasi[0], *quasi], values, unit), [], loss)
    levels, kept = draw_node(data, heavy)
    assert loss.of(outcome_at(heavy, levels, kept)) == pytest.approx(
        loss.of(outcome_at(twice, [levels[0], *levels], kept))
    )


@every_loss
@settings(deadline=None, max_examples=30)
@given(tables(max_columns=2, units=True), st.data())
def test_the_bound_bounds_all_nodes_above_whatever_they_suppress(loss, table, data):
    problem = problem_of(table, [], loss)
    levels = [data.draw(st.integers(0, c.hierarchy.height)) for c in problem.columns]
    bound = loss.bound(outcome_at(problem, levels))
    for above in nodes(problem):
        if all(a >= b for a, b in zip(above, levels, strict=True)):
            _, number = node_classes(problem, above)
            flags = data.draw(st.lists(st.booleans(), min_size=number, max_size=number))
            outcome = outcome_at(problem, above, np.array(flags))
            assert bound <= loss.of(outcome) + 1e-9


@every_loss
@settings(deadline=None, max_examples=30)
@given(tables(max_columns=2, units=False), st.integers(1, 4), st.data())
def test_the_bound_of_what_can_be_released_holds(loss, table, smallest, data):
    """Also if it is told the smallest class and how many records may be left out."""
    problem = problem_of(table, [KAnonymity(max(smallest, 2))], loss)
    spare = data.draw(st.integers(0, problem.tally.records))
    levels = [data.draw(st.integers(0, c.hierarchy.height)) for c in problem.columns]
    bound = loss.bound(outcome_at(problem, levels), smallest, spare)
    for above in nodes(problem):
        if all(a >= b for a, b in zip(above, levels, strict=True)):
            sizes = outcome_at(problem, above).classes.records
            outcome = outcome_at(problem, above, sizes >= smallest)
            if len(outcome.classes) and outcome.suppressed <= spare:
                assert bound <= loss.of(outcome) + 1e-9


@every_loss
def test_it_says_what_it_is(loss):
    if loss.per_cell:
        assert type(loss).cost is not Loss.cost
    else:
        with pytest.raises(NotImplementedError):
            loss.cost(None)
    assert all(getattr(loss, loss.column_key) == name for name in loss.columns)


@every_separable_loss
@settings(deadline=None)
@given(tables(), st.data())
def test_cell_costs_add_up_to_the_loss(loss, table, data):
    problem = problem_of(table, [], loss)
    levels, kept = draw_node(data, problem)
    outcome = outcome_at(problem, levels, kept)
    tally = outcome.tally
    total = float(outcome.suppressed)
    for j, column in enumerate(problem.columns):
        costs = loss.cell_costs(column)[levels[j]][tally.quasi[j]]
        released = outcome.class_of >= 0
        total += outcome.weights[j] * float(costs[released] @ tally.counts[released])
    assert loss.of(outcome) == pytest.approx(total / outcome.records)


@every_separable_loss
@settings(deadline=None)
@given(hierarchies(), st.data())
def test_cell_costs_rise_from_zero_to_one(loss, hierarchy, data):
    n = len(hierarchy.leaves) + 1
    frequency = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    costs = loss.cell_costs(QuasiColumn("q", hierarchy, frequency))
    assert costs.shape == (hierarchy.levels, n)
    assert (costs[0] == 0).all()
    assert (costs[-1] == 1).all()
    assert (np.diff(costs, axis=0) >= -1e-12).all()


@every_loss
def test_other_losses_have_no_cell_costs(loss):
    if loss not in SEPARABLE:
        assert loss.cell_costs(None) is None


@every_loss
@settings(deadline=None, max_examples=30)
@given(tables(), st.data())
def test_the_outcome_is_not_changed(loss, table, data):
    problem = problem_of(table, [], loss)
    levels, kept = draw_node(data, problem)
    class_of, _ = node_classes(problem, levels)
    recoding = levels_recoding(problem, levels, class_of, kept)
    outcome = outcome_of(recoding, problem.tally, problem.columns, problem.sensitive)
    before = [a.copy() for a in (outcome.low, outcome.high, outcome.level, problem.tally.quasi)]
    assert loss.of(outcome) == loss.of(outcome)
    after = (outcome.low, outcome.high, outcome.level, problem.tally.quasi)
    assert all((a == b).all() for a, b in zip(before, after, strict=True))


@every_loss
@settings(deadline=None, max_examples=20)
@given(tables(), st.data())
def test_it_says_whether_it_needs_the_rows_behind_the_classes(loss, table, data):
    problem = problem_of(table, [], loss)
    outcome = outcome_at(problem, *draw_node(data, problem))
    bare = replace(outcome, tally=None, class_of=None)
    if not loss.needs_rows:
        assert loss.of(bare) == loss.of(outcome)
    elif bare.records:
        with pytest.raises(ValueError, match="rows behind its classes"):
            loss.of(bare)
