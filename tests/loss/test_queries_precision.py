"""Answers to a user's own queries against sums over records and the cells they stand for."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.loss
import naive.queries
from incrowd.errors import InputError
from incrowd.loss.queries import query_precision
from incrowd.loss.queries_workload import parse
from incrowd.recoding import Anatomized, Pieces, Spans
from incrowd.table.column import Domain, Kind
from strategies import problem_of, tables

DOMAIN = {"s0": Domain(Kind.NUMBER, np.arange(1, 5))}


@st.composite
def asked(draw):
    """A table, classes of its records, and a query over its columns with what it allows."""
    table = draw(tables(max_records=8))
    trees = table[0]
    names = [*(f"q{j}" for j in range(len(trees))), "s0"]
    lengths = [*(len(tree.leaves) for tree in trees), 4]
    numeric = [*(tree.ordered for tree in trees), True]
    problem = problem_of(table, [], None)
    class_of = draw(
        st.lists(st.integers(-1, 1), min_size=problem.tally.rows, max_size=problem.tally.rows)
    )
    place = {c: i for i, c in enumerate(sorted(set(class_of) - {-1}))}
    class_of = np.array([place.get(c, -1) for c in class_of], dtype=np.int32)
    pieces = Pieces(np.arange(problem.tally.rows, dtype=np.int32), problem.tally.counts, class_of)
    exact = draw(st.booleans())
    outcome = problem.outcome((Anatomized if exact else Spans)(pieces))
    conditions, allowed = [], {}
    for i in draw(st.sets(st.sampled_from(range(len(names))))):
        codes = draw(st.sets(st.integers(1, lengths[i]), min_size=1))
        if numeric[i] and draw(st.booleans()):
            conditions.append(f"{names[i]} BETWEEN {min(codes)} AND {max(codes)}")
            allowed[i] = set(range(min(codes), max(codes) + 1))
        else:
            texts = [str(c) if numeric[i] else f"'L0N{c}'" for c in sorted(codes)]
            conditions.append(f"{names[i]} IN ({', '.join(texts)})")
            allowed[i] = codes
    group = draw(st.lists(st.sampled_from(range(len(names))), unique=True))
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    by = f" GROUP BY {', '.join(names[i] for i in group)}" if group else ""
    return table, outcome, f"COUNT{where}{by}", allowed, group


def slow(drawn, measure, floor):
    """The same by going through all cells of all columns."""
    (trees, quasi, values, _), outcome, _, allowed, group = drawn
    d = len(trees)
    columns = [naive.loss.Column(t, q, 1.0) for t, q in zip(trees, quasi, strict=True)]
    class_of = outcome.class_of[problem_of(drawn[0], [], None).tally.row_of].tolist()
    everything = range(d)
    if outcome.exact:
        cube = naive.queries.permuted(columns, class_of, values[0], everything)
    else:
        cube = naive.queries.generalized(columns, class_of, None, values[0], everything)
    known = range(0 if 0 in values[0] else 1, 5)
    naive.queries.left_out(columns, class_of, everything, known, cube)
    true = Counter(zip(*quasi, values[0], strict=True))

    def answer(counts):
        found = Counter()
        for cell, n in counts.items():
            if all(cell[i] in codes for i, codes in allowed.items()):
                found[tuple(cell[i] for i in group)] += n
        return found

    true, cube = answer(true), answer(cube)
    least = floor * len(values[0])
    if not true:
        return 0.0 if measure == "kl" else sum(cube.values()) / least
    return naive.queries.error(true, cube, measure, least)


@settings(deadline=None, max_examples=150)
@given(asked(), st.sampled_from([0.001, 0.5]))
def test_answers_are_those_of_the_definition(drawn, floor):
    _, outcome, text, _, group = drawn
    (found,) = query_precision(outcome, parse(text), DOMAIN, floor=floor)
    assert found.relative == pytest.approx(slow(drawn, "relative", floor), abs=1e-6)
    expected = slow(drawn, "kl", floor) if group else 0.0
    assert found.kl == pytest.approx(expected, abs=1e-9)
    assert found.line == 1


def small():
    from incrowd.hierarchy.hierarchy import Hierarchy

    dates = np.array(["2020-01-01", "2020-06-01", "2021-01-01"], dtype="datetime64[D]")
    maps = np.array([[0, 1, 2, 3], [1, 1, 1, 1]], dtype=np.int32)
    labels = (dates.astype(str).astype(object), np.array(["*"], dtype=object))
    when = Hierarchy(Domain(Kind.DATE, dates), maps, labels, ordered=True)
    towns = np.array(["A", "B", "C"], dtype=object)
    town = Hierarchy(Domain(Kind.TEXT, towns), maps, (towns, labels[1]))
    table = [when, town], [[1, 2, 3, 0], [1, 1, 2, 3]], [[1, 2, 3, 4]], None
    problem = problem_of(table, [], None)
    rows = problem.tally.rows
    alone = Pieces(
        np.arange(rows, dtype=np.int32), problem.tally.counts, np.arange(rows, dtype=np.int32)
    )
    return problem.outcome(Spans(alone))


@pytest.mark.parametrize(
    "text",
    [
        "COUNT WHERE q0 >= '2020-06-01'",
        "COUNT WHERE q0 IS MISSING GROUP BY q1",
        "COUNT WHERE q1 = 'A' AND q1 IN ('A', 'B') GROUP BY q0, s0",
        "COUNT WHERE q1 = 'nowhere'",
        "COUNT WHERE s0 < 3 AND s0 > 1",
    ],
)
def test_classes_of_one_record_answer_exactly(text):
    (found,) = query_precision(small(), parse(text), DOMAIN)
    assert found.relative == pytest.approx(0, abs=1e-9)
    assert found.kl == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("COUNT WHERE q1 = 'A' AND q0 = 3", 26, "a number is compared with the dates of 'q0'"),
        ("COUNT WHERE q0 < 'secret'", 13, "what is not written like"),
        ("COUNT WHERE q1 = 3", 13, "a number is compared with the texts of 'q1'"),
        ("COUNT WHERE q1 > 'A'", 13, "no order between the values of 'q1'"),
        ("COUNT WHERE s0 = 'secret'", 13, "a text is compared with the numbers of 's0'"),
        ("COUNT WHERE other = 'secret'", 13, "'other' is neither quasi-identifying nor sensitive"),
        ("COUNT GROUP BY other", 1, "'other' is neither"),
    ],
)
def test_conditions_that_do_not_fit_are_refused_where_they_stand(text, place, said):
    with pytest.raises(InputError) as caught:
        query_precision(small(), parse(text, "mine.txt"), DOMAIN)
    assert caught.value.message.startswith(f"mine.txt, line 1, column {place}: ")
    assert said in caught.value.message
    assert "secret" not in str(caught.value)


def test_values_must_be_at_hand_for_conditions_only():
    query_precision(small(), parse("COUNT GROUP BY s0"), {})
    with pytest.raises(InputError, match="not known what the values of 's0' are"):
        query_precision(small(), parse("COUNT WHERE s0 = 1"), {})
