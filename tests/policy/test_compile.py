import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.policy
from evidence import counted, each
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.hierarchy import Flat
from incrowd.loss import Classification
from incrowd.models import KAnonymity
from incrowd.policy.compile import compile as compile_problem
from incrowd.policy.compile import count_for_search
from incrowd.policy.ends import ColumnHolders
from incrowd.policy.policy import Column, Policy
from incrowd.table.column import CodedColumn, Domain, Kind
from strategies import tables

LETTERS = Domain(Kind.TEXT, np.array(["a", "b", "c", "d"], dtype=object))
NUMBERS = Domain(Kind.NUMBER, np.arange(1, 5))


def column(name, codes, domain=LETTERS):
    return CodedColumn(name, np.array(codes, dtype=np.int32), domain)


def policy_of(quasi, sensitive, **rest):
    columns = {name: Column(role="quasi", weight=2.0) for name in quasi}
    columns |= {name: Column(role="sensitive") for name in sensitive}
    return Policy(columns=columns, models=(KAnonymity(2),), **rest)


def compiled(policy, quasi, sensitive, unit=None, weights=None, **more):
    """The problem of columns that are coded already."""
    size = len(next(iter(quasi.values()))[0].codes)
    frame = pl.DataFrame({"w": np.ones(size) if weights is None else weights})
    who = None if unit is None else CodedColumn("who", unit, Domain(Kind.NUMBER, np.arange(1, 9)))
    counting = count_for_search(MemoryEngine(frame), policy, quasi, sensitive, who)
    return compile_problem(policy, quasi, sensitive, counting, **more)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(tables(sensitive=2, units=True), st.sampled_from(["own-value", "suppress"]))
def test_the_problem_holds_the_records_of_the_table(table, missing):
    trees, quasi, values, unit = table
    names = [f"q{j}" for j in range(len(trees))]
    policy = policy_of(names, ["s0", "s1"], missing=missing, suppression=0.25)
    stays = [missing == "own-value" or all(row) for row in zip(*quasi, strict=True)]
    given_quasi = {
        name: (column(name, codes, tree.leaves), tree)
        for name, codes, tree in zip(names, quasi, trees, strict=True)
    }
    given_values = {f"s{j}": (column(f"s{j}", codes), None) for j, codes in enumerate(values)}
    people = None if unit is None else np.array(unit, dtype=np.int32)
    if not any(stays):
        with pytest.raises(InfeasibleError, match="every record lacks"):
            compiled(policy, given_quasi, given_values, people)
        return

    done = compiled(policy, given_quasi, given_values, people, seed=3)

    problem, tally = done.problem, done.problem.tally
    records = [i for i, stay in enumerate(stays) if stay]
    assert done.records == len(records)
    assert done.left_out_missing == len(stays) - sum(stays)
    for place, record in enumerate(records):
        row = tally.row_of[place]
        assert tally.quasi[:, row].tolist() == [codes[record] for codes in quasi]
        assert tally.sensitive[:, row].tolist() == [codes[record] for codes in values]
    for quasi_column, codes in zip(problem.columns, quasi, strict=True):
        kept = [code for code, stay in zip(codes, stays, strict=True) if stay]
        counts = [kept.count(c) for c in range(len(quasi_column.hierarchy.leaves) + 1)]
        assert quasi_column.frequency.tolist() == counts
        assert quasi_column.weight == 2.0
    assert (problem.suppression, problem.seed, problem.missing.value) == (0.25, 3, missing)


codes = st.integers(0, 4)


@settings(deadline=None)
@given(st.lists(st.tuples(codes, codes), max_size=20))
def test_people_are_counted_once_per_code(pairs):
    values, unit = [[pair[i] for pair in pairs] for i in (0, 1)]
    slow = naive.policy.people_per_code(values, unit, 5)
    held = {"s": np.array(values, dtype=np.int32)}
    people = np.array(unit, dtype=np.int32)
    for rows in (counted, each):
        found = ColumnHolders.of(rows(pl.DataFrame(), people, held), "s", 5)
        assert found.count_people_each().tolist() == slow
        first = {person: code for code, person in reversed(pairs) if person}
        alone = [code for code, person in pairs if not person]
        assert found.count_people_once().tolist() == [
            [*first.values(), *alone].count(c) for c in range(5)
        ]
        found = ColumnHolders.of(rows(pl.DataFrame(), None, held), "s", 5)
        assert (
            found.count_people_each().tolist()
            == found.count_people_once().tolist()
            == [values.count(code) for code in range(5)]
        )


def test_numbers_and_hierarchies_of_sensitive_columns_are_told():
    policy = policy_of(["q"], ["letters", "numbers", "tree"])
    flat = Flat().build(LETTERS, "q")
    done = compiled(
        policy,
        {"q": (column("q", [1, 2]), flat)},
        {
            "letters": (column("letters", [1, 2]), None),
            "numbers": (column("numbers", [1, 2], NUMBERS), None),
            "tree": (column("tree", [1, 2]), flat),
        },
    )
    assert [one.ordered for one in done.problem.sensitive] == [False, True, False]
    assert [one.maps is not None for one in done.problem.sensitive] == [False, False, True]


def test_the_target_of_the_loss_is_counted_though_it_is_kept():
    columns = {"q": Column(role="quasi"), "t": Column(role="keep")}
    policy = Policy(columns=columns, models=(KAnonymity(2),), loss=Classification("t"))
    quasi = {"q": (column("q", [1, 1]), Flat().build(LETTERS, "q"))}
    done = compiled(policy, quasi, {"t": (column("t", [1, 2]), None)})
    assert [one.name for one in done.problem.sensitive] == ["t"]
    with pytest.raises(PolicyError, match="no sensitive column 't'"):
        compiled(policy, quasi, {})


def test_weights_are_summed_per_row():
    quasi = {"q": (column("q", [1, 2, 1]), Flat().build(LETTERS, "q"))}
    policy = policy_of(["q"], [])
    policy = policy.model_copy(update={"columns": {**policy.columns, "w": Column(role="weight")}})
    done = compiled(policy, quasi, {}, weights=np.array([1.0, 2.0, 4.0]))
    assert done.problem.tally.weights.tolist() == [5.0, 2.0]


def test_an_empty_table_is_refused():
    quasi = {"q": (column("q", []), Flat().build(LETTERS, "q"))}
    with pytest.raises(InputError, match="no records"):
        compiled(policy_of(["q"], []), quasi, {})


def test_a_column_without_values_has_no_lowest_level():
    nothing = Domain(Kind.TEXT, np.array([], dtype=object))
    quasi = {"a": (column("a", [0, 0, 0], nothing), Flat().build(nothing, "a"))}
    policy = Policy(columns={"a": Column(role="quasi", lowest=1)}, models=(KAnonymity(2),))
    assert compiled(policy, quasi, {}).problem.columns[0].lowest == 0
