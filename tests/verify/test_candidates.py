"""The verifier's count of people of a world: against listed decodings, in blocks of any size."""

from fractions import Fraction
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
import naive.world
from evidence import each
from incrowd.errors import NotMetError
from incrowd.hierarchy import Intervals, Prefix
from incrowd.linkage.links import link
from incrowd.linkage.world import World
from incrowd.table.column import Kind, Missing
from incrowd.table.encode import encode
from incrowd.verify import candidates
from incrowd.verify.candidates import CandidateCounts, PublicTable
from incrowd.verify.verify import see_release
from strategies import hierarchies

LETTERS = "abcd"
texts = st.sampled_from([None, *LETTERS])
numbers = st.sampled_from([None, *range(1, 6)])
text_labels = st.one_of(
    texts,
    st.just("*"),
    st.sets(st.sampled_from(LETTERS), min_size=1).map(lambda s: f"{{{', '.join(sorted(s))}}}"),
    st.sampled_from(["[a, b]", "[b, d]", "[d, a]", "z", "a*"]),
)
number_labels = st.one_of(
    numbers.map(lambda n: None if n is None else str(n)),
    st.just("*"),
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from("])")).map(
        lambda ends: f"[{min(ends[:2])}, {max(ends[:2])}{ends[2]}"
    ),
    st.sampled_from(["{1, 3}", "{2, 5, 9}", "{1, 3, 5}", "7", "2.0"]),
)
READINGS = st.sampled_from(list(Missing))


@st.composite
def cases(draw):
    rows = draw(st.lists(st.tuples(texts, numbers, texts), max_size=12))
    who = draw(
        st.none()
        | st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows))
        | st.just(list(range(1, len(rows) + 1)))
    )
    labels = st.tuples(text_labels, number_labels, text_labels)
    return rows, who, draw(st.lists(labels, min_size=1, max_size=8)), draw(READINGS)


def public(rows, who, trees=None):
    schema = {"c0": pl.String, "c1": pl.Int64, "c2": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    columns = {name: encode(frame[name], name) for name in frame.columns}
    return PublicTable(columns, None if who is None else np.array(who, dtype=np.int32), trees)


def seen(released, missing, names=("c0", "c1", "c2")):
    frame = pl.DataFrame(released, schema=dict.fromkeys(names, pl.String), orient="row")
    return see_release(each(frame), SimpleNamespace(quasi=names, models=(), missing=missing))


def found(world, shown, missing):
    return CandidateCounts(shown.quasi, shown.crowds, world, missing)


def as_list(rows, who):
    named = range(1, len(rows) + 1) if who is None else [w or f"row {i}" for i, w in enumerate(who)]
    return list(zip(named, rows, strict=True))


def people_of(rows, who, released, missing):
    """Per released row: the individuals it may be about, one by one."""
    domains = [sorted({row[j] for row in rows if row[j] is not None}) for j in range(3)]
    anything = missing is Missing.MATCHES_ANYTHING

    def fits(cell, value, j):
        if anything and (cell is None or value is None):
            return True
        spelled = "2" if cell == "2.0" else cell
        return value in naive.world.dec(spelled, domains[j])

    return [
        {
            person
            for person, values in as_list(rows, who)
            if all(fits(cell, values[j], j) for j, cell in enumerate(row))
        }
        for row in released
    ]


@settings(max_examples=100, deadline=None)
@given(cases(), st.sampled_from([(1, 1), (64, 64), (2**26, 2**22)]))
def test_counts_are_those_of_the_listed_decodings(case, sizes):
    rows, who, released, missing = case
    shown = seen(released, missing)
    with patch.multiple(candidates, _LABEL_BYTES=sizes[0], _FIT_BYTES=sizes[1]):
        counts = found(public(rows, who), shown, missing).counts
    expected = [len(people) for people in people_of(rows, who, released, missing)]
    assert counts[shown.crowds.class_of].tolist() == expected


@settings(max_examples=100, deadline=None)
@given(cases(), st.sampled_from([(1, 1), (2**26, 2**22)]))
def test_what_classes_say_of_an_individual_is_added_up(case, sizes):
    rows, who, released, missing = case
    shown = seen(released, missing)
    with patch.multiple(candidates, _LABEL_BYTES=sizes[0], _FIT_BYTES=sizes[1]):
        sure = found(public(rows, who), shown, missing).presence(shown.crowds.people_of_class)
    sums = {}
    for people in people_of(rows, who, released, missing):
        for person in people:
            sums[person] = sums.get(person, 0) + Fraction(1, len(people))
    assert sure == pytest.approx(float(max(sums.values(), default=0)))


@settings(max_examples=100, deadline=None)
@given(hierarchies(), st.data(), st.sampled_from([Missing.OWN_VALUE, Missing.MATCHES_ANYTHING]))
def test_labels_of_a_hierarchy_stand_for_its_leaves(tree, data, missing):
    """Nodes, leaves and spans, with values of the world that the hierarchy lacks."""
    leaves = tree.leaves.labels.tolist()
    lines = naive.hierarchy.rows_of(tree)
    more = ["L9", "M1"] if tree.leaves.kind is Kind.TEXT else ["77"]
    values = data.draw(st.lists(st.sampled_from([*leaves, *more]), min_size=1, max_size=10))
    labels = [*sorted({label for line in lines for label in line}), "*"]
    if tree.ordered:
        values = [int(value) for value in values]
        lines = [[int(leaf), *line] for leaf, line in zip(leaves, lines, strict=True)]
    released = data.draw(st.lists(st.sampled_from([*labels, None]), min_size=1, max_size=6))
    dtype = pl.Int64 if tree.ordered else pl.String
    column = encode(pl.Series([*values, None], dtype=dtype), "c")
    shown = seen([(label,) for label in released], missing, ("c",))
    counts = found(PublicTable({"c": column}, None, {"c": tree}), shown, missing).counts
    everything = {*values, *(line[0] for line in lines)}
    anything = missing is Missing.MATCHES_ANYTHING
    expected = [
        sum(
            (anything and (label is None or value is None))
            or value in naive.world.dec(label, everything, lines)
            for value in [*values, None]
        )
        for label in released
    ]
    assert counts[shown.crowds.class_of].tolist() == expected


@pytest.mark.parametrize(
    ("cells", "labels", "counts"),
    [
        ([17, 20, 29, 30, 95], ["[20, 30)", "≥ 30", "< 20", "20-29", "30.0"], [2, 2, 1, 2, 1]),
        (["02138", "02139", "02200"], ["0213*", "021**", "{02138, 02200}", "02200"], [2, 2, 2, 1]),
        (["1965-01-31", "1965-03-01", "1966-12-31"], ["1965", "1965-Q1", "1965-03"], [2, 2, 1]),
        (["1965-01-31", "1965-03-01"], ["[1965-01-01, 1965-02-01)", "1965-02"], [1, 0]),
        (
            ["1965-01-31", "1965-03-01"],
            ["< 1965-02", "≥ 1965-03-01", "> 1965-03", "≤ 1965"],
            [1, 1, 0, 2],
        ),
    ],
)
def test_labels_are_read_as_they_are_written(cells, labels, counts):
    column = encode(pl.Series(cells), "c", infer=isinstance(cells[0], str))
    shown = seen([(label,) for label in labels], Missing.OWN_VALUE, ("c",))
    here = found(PublicTable({"c": column}), shown, Missing.OWN_VALUE).counts
    assert here[shown.crowds.class_of].tolist() == counts


def test_values_outside_the_hierarchy_are_read_by_rule_and_others_are_not():
    tree = Intervals(widths=(10,)).build(encode(pl.Series([21, 28]), "c").domain, "c")
    world = PublicTable({"c": encode(pl.Series([21, 28, 24, 31]), "c")}, None, {"c": tree})
    shown = seen([("[20, 30)",), ("[21, 28]",), ("24",), ("[22, 40)",)], Missing.OWN_VALUE, ("c",))
    counts = found(world, shown, Missing.OWN_VALUE).counts[shown.crowds.class_of]
    assert counts.tolist() == [3, 3, 1, 3]


def test_leaves_and_values_of_different_kinds_meet():
    tree = Prefix().build(encode(pl.Series(["1001", "1002", "2001"]), "c").domain, "c")
    world = PublicTable({"c": encode(pl.Series([1001, 1002, 2001, 2002]), "c")}, None, {"c": tree})
    shown = seen([("100*",), ("1001",), ("200*",)], Missing.OWN_VALUE, ("c",))
    counts = found(world, shown, Missing.OWN_VALUE).counts[shown.crowds.class_of]
    assert counts.tolist() == [2, 1, 2]


def test_columns_that_the_world_lacks_say_nothing_and_none_at_all_is_refused():
    world = PublicTable({"c1": encode(pl.Series([1, 2, 2]), "c1")})
    shown = seen([("x", "2", "y"), ("z", "2", "y"), ("z", "1", None)], Missing.OWN_VALUE)
    counts = found(world, shown, Missing.OWN_VALUE).counts[shown.crowds.class_of]
    assert counts.tolist() == [2, 2, 1]
    with pytest.raises(NotMetError, match="column in common"):
        found(PublicTable({"d": world.columns["c1"]}), shown, Missing.OWN_VALUE)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("blocks", [2**14, 2**26])
def test_a_larger_world_is_counted_as_by_the_search(several, blocks):
    rng = np.random.default_rng(5)
    n = 20_000
    who = rng.integers(0, n // 2, n).astype(np.int32) if several else None
    columns = {
        "age": encode(pl.Series(rng.integers(0, 90, n)), "age"),
        "zip": encode(pl.Series([f"{z:04}" for z in rng.integers(0, 3_000, n)]), "zip"),
    }
    low = rng.integers(0, 80, 400)
    rows = pl.DataFrame(
        {
            "age": [
                f"[{a}, {b})" for a, b in zip(low, low + rng.integers(1, 30, 400), strict=True)
            ],
            "zip": rng.choice(["0*", "1*", "20**", "*", "{0001, 0777, 0900, 1000, 1500}"], 400),
        }
    )
    policy = SimpleNamespace(quasi=("age", "zip"), models=(), missing=Missing.OWN_VALUE)
    shown = see_release(each(rows), policy)
    with patch.multiple(candidates, _LABEL_BYTES=blocks, _FIT_BYTES=blocks):
        here = found(PublicTable(columns, who), shown, Missing.OWN_VALUE)
        counts, sure = (
            here.counts[shown.crowds.class_of],
            here.presence(shown.crowds.people_of_class),
        )
    linked = link({name: encode(rows[name], name) for name in rows.columns}, World(columns, who))
    assert counts.tolist() == linked.candidates.tolist()
    start, person = linked.candidates_of(range(400))
    shares = np.repeat(1 / np.maximum(np.diff(start), 1), np.diff(start))
    assert sure == pytest.approx(np.bincount(person, shares).max())


def test_a_world_shows_no_values():
    world = PublicTable({"c": encode(pl.Series(["canary"]), "c")})
    assert "canary" not in repr(world)
