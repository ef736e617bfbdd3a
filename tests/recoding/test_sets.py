"""Categories shown as the set of a class's values."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import incrowd
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import Flat
from incrowd.hierarchy.hierarchy import texts
from incrowd.hierarchy.labels import has_others, names_in_labels, read_members, read_set, write_set
from incrowd.hierarchy.written_labels import WrittenLabels
from incrowd.io.hierarchies import parse_option
from incrowd.loss import Entropy, Gcp, Granularity
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy
from incrowd.recoding import Pieces, Spans
from incrowd.recoding.show.labels import ShowSets
from incrowd.search import Mondrian
from incrowd.table.column import Domain, Kind
from strategies import problem_of, tables


@given(st.lists(st.text(), min_size=1, max_size=4, unique=True))
@example(["a, b", "c"])
@example(['"', "{", "}"])
@example([""])
def test_the_label_of_a_set_reads_back(values):
    if len(values) > 1 or values != [""]:
        assert read_set(write_set(values)) == values


@pytest.mark.parametrize("label", ["", "{", "{}", "a", "[1, 2]", '{"a', '{"a", 1}'])
def test_other_labels_are_no_sets(label):
    assert read_set(label) is None


def sets_of(table, classes):
    """A problem whose unordered columns show sets, with classes drawn for its rows."""
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    columns = tuple(replace(c, sets=not c.hierarchy.ordered) for c in problem.columns)
    problem = replace(problem, columns=columns)
    rows = problem.tally.rows
    class_of = np.array((classes * rows)[:rows])
    class_of = np.unique(class_of, return_inverse=True)[1].astype(np.int32)
    return problem, Pieces(np.arange(rows, dtype=np.int32), problem.tally.counts, class_of)


@given(table=tables(), classes=st.lists(st.integers(0, 3), min_size=1, max_size=14))
def test_a_set_stands_for_the_values_of_its_class_and_no_others(table, classes):
    problem, pieces = sets_of(table, classes)
    spans = Spans(pieces).merge_alike(problem.tally, problem.columns)
    outcome = problem.outcome(spans)
    gcp, granularity = 0.0, 0.0
    shows = set()
    for c in range(len(outcome.classes)):
        here = spans.pieces.class_of == c
        line = []
        for j, column in enumerate(problem.columns):
            label = ShowSets().cells(outcome, {}, ())[column.name].labels[c]
            held = sorted(set(problem.tally.quasi[j, here].tolist()))
            line.append(label)
            if not column.sets:
                continue
            mixed = held[0] == 0 and len(held) > 1
            if not mixed:
                assert column.hierarchy.decode(label).tolist() == held
            size, whole = len(held), len(column.hierarchy.leaves)
            paid = 1.0 if mixed else (size / whole if size > 1 else 0.0)
            gcp += paid * outcome.classes.records[c]
            granularity += outcome.classes.records[c] * (
                1.0 if mixed else (size - 1) / max(whole - 1, 1)
            )
        shows.add(tuple(line))
    assert len(shows) == len(outcome.classes)
    which = [j for j, column in enumerate(problem.columns) if column.sets]
    for loss, paid in ((Gcp(), gcp), (Granularity(), granularity)):
        assert loss.totals(outcome)[which].sum() == pytest.approx(paid)
    assert 0 <= Entropy().of(outcome) <= 1 + 1e-12


def test_a_release_with_sets_is_verified_and_loses_less():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "job": rng.choice(["clerk", "smith, free", "nurse", "cook", None], 300),
            "age": rng.integers(20, 70, 300),
        }
    )

    def made(show):
        policy = Policy(
            columns={"job": Column(role="quasi"), "age": Column(role="quasi")},
            models=(KAnonymity(7),),
            search=Mondrian(),
            show=show,
        )
        return incrowd.anonymize(frame, policy, seed=1)

    sets, nodes = made("sets"), made("spans")
    assert sets.k >= 7
    assert sets.loss["gcp"] <= nodes.loss["gcp"]


@given(st.lists(st.text(), max_size=4, unique=True))
@example(["*others*"])
@example(["a", "*others*"])
@example(["a, *others*"])
def test_a_set_with_all_others_reads_back(values):
    if values != [""]:
        found = read_members(write_set(values, others=True))
        assert (list(found.values), found.others) == (values, True)
        if values:
            plain = read_members(write_set(values))
            assert (list(plain.values), plain.others) == (values, False)


def test_what_a_column_names_is_all_that_its_labels_say():
    assert names_in_labels(["{a, b, *others*}", "c", "{*others*}", "*", None]) == {"a", "b", "c"}
    assert has_others("{*others*}")
    assert not has_others('{"*others*"}')


def test_others_stand_for_what_no_label_names():
    tree = Flat(values=("a", "b", "c", "d")).build(Domain(Kind.TEXT, texts(["a"])), "x")
    found = tree.decode_all(["{a, *others*}", "b", "{*others*}", None, "*"])
    assert [found[i].tolist() for i in range(3)] == [[1, 3, 4], [2], [3, 4]]
    assert tree.decode_all(["{*others*}"], frozenset("abc"))[0].tolist() == [4]
    reader = WrittenLabels(Domain(Kind.TEXT, texts(["a", "b", "z"])))
    assert reader.runs("{a, *others*}", frozenset("ab")) == [(1, 1), (3, 3)]


def test_a_list_of_public_values_is_the_domain():
    numbers = Flat(values=("2", "10", "1")).build(Domain(Kind.NUMBER, np.array([1, 2])), "x")
    assert numbers.labels[0].tolist() == ["1", "2", "10"]
    assert numbers.ordered
    assert repr(Flat(values=("secret",))) == "Flat(1 values)"
    assert parse_option("sex=flat:f,m")[1] == Flat(values=("f", "m"))
    with pytest.raises(InputError, match="no numbers"):
        Flat(values=("secret",)).build(Domain(Kind.NUMBER, np.array([1, 2])), "x")
    with pytest.raises(PolicyError, match="listed twice"):
        Flat(values=("a", "a"))
