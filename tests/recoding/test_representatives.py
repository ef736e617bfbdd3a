"""One value per class in place of what it spans."""

from collections import Counter
from statistics import median_low

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd
from evidence import shown_column
from incrowd.errors import NotMetError
from incrowd.hierarchy import Intervals
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy
from incrowd.recoding import Pieces, Spans
from incrowd.recoding.show.representatives import choose_representatives
from incrowd.search import Datafly, Exhaustive, Lattice, LatticeLocal, MinGen, Mondrian
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.verify.shown import demand_represented
from strategies import problem_of, tables


def expected(column, codes):
    """The value that stands for these codes, from its definition."""
    known = [code for code in codes if code]
    if len(codes) - len(known) > len(known):
        return 0
    if column.hierarchy.ordered:
        return median_low(known)
    most = Counter(known)
    return min(most, key=lambda code: (-most[code], code))


@given(table=tables(), data=st.data())
def test_medians_and_modes_are_those_of_the_definition(table, data):
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    rows = problem.tally.rows
    drawn = data.draw(st.lists(st.integers(-1, 2), min_size=rows, max_size=rows))
    kept = sorted({c for c in drawn if c >= 0})
    class_of = np.array([kept.index(c) if c >= 0 else -1 for c in drawn], dtype=np.int32)
    if not kept:
        return
    pieces = Pieces(np.arange(rows, dtype=np.int32), problem.tally.counts, class_of)
    held = {
        c.name: CodedColumn(c.name, np.array(line, dtype=np.int32), c.hierarchy.leaves)
        for c, line in zip(problem.columns, table[1], strict=True)
    }
    found = choose_representatives(problem.outcome(Spans(pieces)), held)
    for j, column in enumerate(problem.columns):
        labels, (whose, chosen) = found[column.name].labels, found[column.name].value
        assert whose is held[column.name]
        for c in range(len(kept)):
            here = class_of == c
            codes = np.repeat(problem.tally.quasi[j, here], problem.tally.counts[here]).tolist()
            code = expected(column, codes)
            assert chosen[c] == code
            assert labels[c] == (None if code == 0 else column.hierarchy.labels[0][code - 1])


def release(**more):
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, 200),
            "town": rng.choice(["A", "B", "C", "D"], 200),
            "ill": rng.choice(["x", "y"], 200),
        }
    )
    policy = Policy(
        columns={
            "age": Column(role="quasi", **more),
            "town": Column(role="quasi"),
            "ill": Column(role="keep"),
        },
        models=(KAnonymity(4),),
        search=Mondrian(),
        show="representatives",
    )
    return frame, incrowd.anonymize(frame, policy, seed=1)


def test_numbers_stay_numbers_and_everyone_hides_among_equals():
    frame, made = release()
    assert made.frame.schema == frame.schema
    assert made.frame.group_by("age", "town").len()["len"].min() >= 4
    assert set(made.frame["age"]) <= set(frame["age"])
    assert any("one value for their whole class" in text for text in made.certificate.assumptions)
    assert any("not truthful" in note for note in made.notes)


def test_a_lowest_level_is_never_undercut():
    _, made = release(hierarchy=Intervals(width=10), lowest=1)
    assert all(label.startswith("[") for label in made.frame["age"].to_list())


def test_a_value_that_nobody_in_the_class_held_is_refused():
    tree = Intervals(width=10).build(Domain(Kind.NUMBER, np.array([11, 15, 31])), "age")
    codes = np.array([1, 2, 2, 3, 3], dtype=np.int32)
    crowd = np.array([0, 0, 0, 1, 1])
    shown = [["15", "15", "15", "31", "31"], ["[10, 20)"] * 3 + ["*"] * 2]
    for labels in shown:
        demand_represented(tree, shown_column("age", pl.Series(labels), codes, crowd))
    with pytest.raises(NotMetError, match="1 cell of 'age' shows a value that no record"):
        demand_represented(tree, shown_column("age", pl.Series(["31"] * 5), codes, crowd))


def test_limits_of_what_a_cell_spans_do_not_go_with_single_values():
    with pytest.raises(incrowd.PolicyError, match="cells show single values"):
        release(widest=10.0)


@pytest.mark.parametrize("search", [Lattice(), LatticeLocal(), MinGen(), Exhaustive(), Datafly()])
def test_nobody_counts_on_gaps_that_single_values_fill(search):
    """Whoever lacks a town could be the one of A if ages were not shown, but one stands for all."""
    frame = pl.DataFrame(
        {"age": [1, 2, 2, 2, 2], "town": ["A", None, None, "B", "B"], "ill": ["x"] * 5}
    )
    policy = Policy(
        columns={
            "age": Column(role="quasi", hierarchy="flat"),
            "town": Column(role="quasi", hierarchy="flat"),
            "ill": Column(role="keep"),
        },
        models=(KAnonymity(2),),
        search=search,
        missing="matches-anything",
        show="representatives",
    )
    made = incrowd.anonymize(frame, policy, seed=1)
    assert made.frame.group_by("age", "town").len()["len"].min() >= 2
