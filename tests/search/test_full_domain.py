from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.search
from incrowd.errors import InfeasibleError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss import Gcp
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.search.lattice.full_domain import node_classes, recode, shown_nodes
from incrowd.search.refusals import nothing_found, raise_if_infeasible
from incrowd.table.column import Domain, Kind, Missing
from strategies import problem_of, tables


def levels_of(data, problem):
    return [data.draw(st.integers(0, c.hierarchy.height)) for c in problem.columns]


@settings(deadline=None)
@given(tables(), st.data())
def test_classes_are_what_records_show(table, data):
    trees, quasi, _, _ = table
    problem = problem_of(table, [], Gcp())
    levels = levels_of(data, problem)
    shown = naive.search.classes_at(trees, quasi, levels)
    place = {cell: i for i, cell in enumerate(sorted(set(shown)))}

    class_of, number = node_classes(problem, levels)

    assert number == len(place)
    assert class_of[problem.tally.row_of].tolist() == [place[cell] for cell in shown]
    nodes = shown_nodes(problem, levels, class_of)
    assert [tuple(node) for node in nodes.T.tolist()] == sorted(place)


@settings(deadline=None)
@given(tables(max_columns=2), st.data())
def test_keys_that_do_not_fit_a_word_are_folded_on_the_way(table, data):
    problem = problem_of(table, [], Gcp())
    levels = levels_of(data, problem)
    class_of, number = node_classes(problem, levels)
    times = 40
    wide = replace(
        problem,
        columns=problem.columns * times,
        tally=replace(problem.tally, quasi=np.tile(problem.tally.quasi, (times, 1))),
    )
    wide_class_of, wide_number = node_classes(wide, levels * times)
    assert wide_number == number
    assert (wide_class_of == class_of).all()


@settings(deadline=None)
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.3, 1.0]), st.data())
def test_recode_suppresses_failing_classes_within_the_limit(table, k, suppression, data):
    trees, quasi, _, _ = table
    problem = problem_of(table, [KAnonymity(k)], Gcp(), suppression)
    levels = levels_of(data, problem)
    slow = naive.search.recoded(trees, quasi, levels, k, problem.suppressible)

    fast = recode(problem, levels)

    assert (fast is None) == (slow is None)
    if fast is not None:
        released = fast.pieces.class_of[problem.tally.row_of] >= 0
        assert released.tolist() == [cell is not None for cell in slow]
        assert fast.levels == tuple(levels)


def crowd_sizes(shown):
    """Records per record that it could be, missing (0) matching anything."""
    return [
        sum(all(a in (0, b) or b == 0 for a, b in zip(one, other, strict=True)) for other in shown)
        for one in shown
    ]


@settings(deadline=None)
@given(tables(), st.integers(2, 4), st.data())
def test_missing_that_matches_anything_is_judged_by_crowds_until_stable(table, k, data):
    trees, quasi, _, _ = table
    problem = problem_of(table, [KAnonymity(k)], Gcp(), 1.0)
    problem = replace(problem, missing=Missing.MATCHES_ANYTHING)
    levels = levels_of(data, problem)
    shown = naive.search.classes_at(trees, quasi, levels)
    left = list(range(len(shown)))
    while True:
        sizes = crowd_sizes([shown[i] for i in left])
        fine = [i for i, size in zip(left, sizes, strict=True) if size >= k]
        if len(fine) == len(left):
            break
        left = fine

    recoding = recode(problem, levels)

    if not left:
        assert recoding is None
    else:
        released = recoding.pieces.class_of[problem.tally.row_of] >= 0
        assert np.flatnonzero(released).tolist() == left


def test_k_above_the_table_is_refused_with_the_largest_k():
    problem = problem_of(three_records(), [KAnonymity(5)], Gcp(), 1.0)
    with pytest.raises(
        InfeasibleError, match="needs classes of 5 people, but the table has 3"
    ) as caught:
        raise_if_infeasible(problem)
    assert caught.value.remedy == "ask for k of at most 3"


def three_records():
    maps = np.array([[0, 1, 2], [1, 1, 1]], dtype=np.int32)
    labels = (np.array(["a", "b"], dtype=object), np.array(["*"], dtype=object))
    tree = Hierarchy(Domain(Kind.TEXT, labels[0]), maps, labels)
    return [tree], [[1, 1, 1]], [[1, 1, 1]], None


def test_nothing_found_names_the_model_that_binds():
    error = nothing_found(problem_of(three_records(), [KAnonymity(2), KAnonymity(4)], Gcp(), 1.0))
    assert "k-anonymity asks for 4, the whole table as one class achieves 3" in str(error)


def test_nothing_found_without_a_model_that_binds_blames_the_limit():
    error = nothing_found(problem_of(three_records(), [KAnonymity(2)], Gcp()))
    assert "leave out at most 0 records" in str(error)


def values_table(values):
    tree = three_records()[0]
    return tree, [[1] * len(values)], [values], None


def test_the_largest_l_is_named():
    problem = problem_of(values_table([1, 1, 2, 2, 3]), [LDiversity("s0", 3)], Gcp())
    with pytest.raises(InfeasibleError, match=r"asks for 3, .* allows 2\.5") as caught:
        raise_if_infeasible(problem)
    left_out = "raise suppression to 0.4 (at least 2 records)"
    assert caught.value.remedy == f"ask for at most 2.5, or {left_out}"


def test_where_leaving_out_records_can_help_the_search_must_look():
    problem = problem_of(values_table([1, 1, 2, 2, 3]), [LDiversity("s0", 3)], Gcp(), 0.5)
    raise_if_infeasible(problem)
    error = nothing_found(problem)
    assert "as one class achieves 2.5" in str(error)
    assert error.proved is False


def test_more_than_may_be_left_out_is_refused_with_what_must_be():
    problem = problem_of(values_table([1, 1, 1, 1, 1, 2]), [LDiversity("s0", 2)], Gcp(), 0.5)
    with pytest.raises(InfeasibleError, match=r"at least 4 records .* only 3 may be") as caught:
        raise_if_infeasible(problem)
    assert caught.value.proved is True
    raise_if_infeasible(replace(problem, suppression=0.67))


def test_those_who_may_stay_are_too_few_for_another_model():
    models = [LDiversity("s0", 2), KAnonymity(3)]
    problem = problem_of(values_table([1, 1, 1, 1, 1, 2]), models, Gcp(), 0.9)
    with pytest.raises(InfeasibleError, match="lets at most 2 of 6 stay") as caught:
        raise_if_infeasible(problem)
    assert caught.value.proved is True


def test_the_smallest_alpha_is_named_rounded_up():
    problem = problem_of(values_table([1, 1, 2]), [AlphaK("s0", 0.5, 2)], Gcp())
    with pytest.raises(InfeasibleError, match=r"at least 0\.667"):
        raise_if_infeasible(problem)
    problem = problem_of(values_table([1, 1, 2]), [AlphaK("s0", 0.5, 9)], Gcp(), 1.0)
    with pytest.raises(InfeasibleError, match="classes of 9 people, but the table has 3"):
        raise_if_infeasible(problem)


def test_the_smallest_t_is_named_where_records_left_before():
    """With `missing = "suppress"` the records that can leave differ from the table as read."""
    problem = problem_of(values_table([1, 1, 1, 2]), [TCloseness("s0", 0.1)], Gcp())
    raise_if_infeasible(problem)
    read = replace(problem.sensitive[0], whole=np.array([0, 3, 3], dtype=np.int64))
    with pytest.raises(InfeasibleError, match=r"asks for 0\.1, .* allows 0\.25") as caught:
        raise_if_infeasible(replace(problem, sensitive=(read,)))
    left_out = "raise suppression to 0.5 (at least 2 records)"
    assert caught.value.remedy == f"ask for at least 0.25, or {left_out}"


def test_a_model_that_one_value_cannot_meet_is_to_be_left_out():
    problem = problem_of(values_table([1, 1, 1]), [AlphaK("s0", 0.5, 2)], Gcp())
    with pytest.raises(InfeasibleError, match="remove the model"):
        raise_if_infeasible(problem)


def test_an_empty_table_is_refused():
    problem = problem_of(three_records(), [], Gcp())
    nobody = problem.tally.take(np.empty(0, dtype=np.int32))
    with pytest.raises(InfeasibleError, match="no record"):
        raise_if_infeasible(replace(problem, tally=nobody))
