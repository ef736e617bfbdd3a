"""Linking a release with a world: against listed decodings, on every path, with bad input."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
import naive.world
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import Intervals, Prefix
from incrowd.linkage.atoms import _mostly_distinct, atom_sets_of, tuples_of
from incrowd.linkage.index import make_index
from incrowd.linkage.links import link
from incrowd.linkage.matching import match_column
from incrowd.linkage.world import World
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.table.encode import encode
from strategies import hierarchies

LETTERS = "abcd"


def column(name, cells):
    dtype = pl.String if any(isinstance(cell, str) for cell in cells) else None
    return encode(pl.Series(cells, dtype=dtype or pl.Int64), name)


def ids(who):
    return np.array(who, dtype=np.int32)


def world_of(rows, who, width):
    columns = {f"c{j}": column(f"c{j}", [row[j] for row in rows]) for j in range(width)}
    return World(columns, None if who is None else ids(who))


def as_list(rows, who):
    """A world as the naive twin has it; whoever has no id gets one."""
    named = range(1, len(rows) + 1) if who is None else [w or f"row {i}" for i, w in enumerate(who)]
    return list(zip(named, rows, strict=True))


def match_own_values(column, world):
    domain = world.columns[column.name].domain
    return match_column(column, domain, None, Missing.OWN_VALUE, unknown=False)


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
    st.sampled_from(["{1, 3}", "{2, 5, 9}", "7"]),
)


@st.composite
def cases(draw):
    rows = draw(st.lists(st.tuples(texts, numbers, texts), min_size=1, max_size=12))
    who = draw(
        st.none()
        | st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows))
        | st.just(list(range(1, len(rows) + 1)))
    )
    released = draw(
        st.lists(st.tuples(text_labels, number_labels, text_labels), min_size=1, max_size=8)
    )
    return rows, who, released


def released_columns(released):
    width = len(released[0])
    return {
        f"c{j}": encode(pl.Series([row[j] for row in released], dtype=pl.String), f"c{j}")
        for j in range(width)
    }


def decs_of(rows):
    domains = [sorted({row[j] for row in rows if row[j] is not None}) for j in range(len(rows[0]))]
    return [lambda cell, dom=dom: naive.world.dec(cell, dom) for dom in domains]


@settings(max_examples=60)
@given(cases())
def test_candidates_are_those_of_the_listed_decodings(case):
    rows, who, released = case
    found = link(released_columns(released), world_of(rows, who, 3))
    expected = naive.world.candidates(released, as_list(rows, who), range(3), decs_of(rows))
    assert found.candidates.tolist() == [len(people) for people in expected]
    assert found.k == naive.world.anonymity(released, as_list(rows, who), range(3), decs_of(rows))
    assert found.inconsistent == sum(not people for people in expected)


@settings(max_examples=60)
@given(cases())
def test_candidates_are_listed_when_asked_for(case):
    rows, who, released = case
    found = link(released_columns(released), world_of(rows, who, 3))
    asked = [*range(len(released)), 0]
    start, person = found.candidates_of(asked)
    expected = naive.world.candidates(released, as_list(rows, who), range(3), decs_of(rows))
    for i, row in enumerate(asked):
        people = person[start[i] : start[i + 1]].tolist()
        assert people == sorted(set(people))
        named = {p for p in people if who is None or p in who}
        assert named == {p for p in expected[row] if isinstance(p, int)}
        assert len(people) == len(expected[row])


@settings(max_examples=60)
@given(cases(), st.sampled_from(["rows", "layers", "tree"]), st.booleans())
def test_every_path_finds_the_same(case, method, folds):
    rows, who, released = case
    world, columns = world_of(rows, who, 3), released_columns(released)
    names = list(columns)
    sets = [atom_sets_of(match_own_values(columns[name], world)) for name in names]
    lines = [one.of[c.codes] for c, one in zip(columns.values(), sets, strict=True)]
    tuple_of, tuples = tuples_of(lines, sets)
    with patch("incrowd.linkage.atoms._mostly_distinct", lambda _: not folds):
        index = make_index(world, names, sets, tuples, method)
    counts = np.append(index.counts(), 0)[tuple_of]
    plain = link(columns, world)
    assert counts.tolist() == plain.candidates.tolist()
    every = np.arange(len(released))
    expected = [part.tolist() for part in plain.candidates_of(every)]
    other = replace(plain, _index=index)
    assert [part.tolist() for part in other.candidates_of(every)] == expected


def test_rows_that_hardly_repeat_are_not_folded():
    rng = np.random.default_rng(7)
    for n, distinct in ((10_000, True), (20, False)):
        lines = [rng.integers(1, n, 40_000).astype(np.int32) for _ in range(2)]
        assert _mostly_distinct(lines) is distinct


@settings(max_examples=60)
@given(cases())
def test_missing_that_matches_anything_says_nothing(case):
    rows, who, released = case
    found = link(
        released_columns(released), world_of(rows, who, 3), missing=Missing.MATCHES_ANYTHING
    )
    decs = decs_of(rows)
    for count, row in zip(found.candidates.tolist(), released, strict=True):
        people = {
            person
            for person, values in as_list(rows, who)
            if all(
                cell is None or value is None or value in d(cell)
                for cell, value, d in zip(row, values, decs, strict=True)
            )
        }
        assert count == len(people)


@given(hierarchies(), st.data())
def test_labels_of_a_hierarchy_stand_for_its_leaves(hierarchy, data):
    leaves = hierarchy.leaves.labels.tolist()
    tree = naive.hierarchy.rows_of(hierarchy)
    more = ["L9", "M1"] if hierarchy.leaves.kind is Kind.TEXT else []
    values = data.draw(st.lists(st.sampled_from([*leaves, *more]), min_size=1, max_size=10))
    labels = [*sorted({label for row in tree for label in row}), "*", "L*"]
    released = data.draw(st.lists(st.sampled_from(labels), min_size=1, max_size=6))
    if hierarchy.ordered:
        values = [int(value) for value in values]
        tree = [[int(leaf), *row] for leaf, row in zip(leaves, tree, strict=True)]
        released = [label for label in released if label != "L*"] or ["*"]
    world = World({"c0": column("c0", values)})
    found = link(released_columns([(label,) for label in released]), world, {"c0": hierarchy})
    everything = {*values, *(row[0] for row in tree)}
    expected = [
        sum(value in naive.world.dec(label, everything, tree) for value in values)
        for label in released
    ]
    assert found.candidates.tolist() == expected
    assert found.columns[0].outside == len({value for value in values if str(value) not in leaves})


@pytest.mark.parametrize("method", ["rows", "layers", "tree"])
@pytest.mark.parametrize("several", [False, True])
def test_a_larger_world_agrees_with_counting_by_hand(method, several):
    rng = np.random.default_rng(3)
    rows, n = 4_000, 60
    codes = rng.integers(1, n + 1, (2, rows)).astype(np.int32)
    who = rng.integers(1, rows // 2, rows).astype(np.int32) if several else None
    domain = Domain(Kind.NUMBER, np.arange(1, n + 1))
    world = World(
        {c: CodedColumn(c, line, domain) for c, line in zip("xy", codes, strict=True)}, who
    )
    low = rng.integers(0, 6, (2, 300)) * 10 + 1
    wide = method == "tree"
    high = low + (rng.integers(0, 15, low.shape) if wide else 9)
    labels = [
        [f"[{a}, {b}]" for a, b in zip(*ends, strict=True)] for ends in zip(low, high, strict=True)
    ]
    release = {c: column(c, cells) for c, cells in zip("xy", labels, strict=True)}
    sets = [atom_sets_of(match_own_values(release[c], world)) for c in "xy"]
    lines = [one.of[c.codes] for c, one in zip(release.values(), sets, strict=True)]
    tuple_of, tuples = tuples_of(lines, sets)
    index = make_index(world, list("xy"), sets, tuples, method)
    found = index.counts()[tuple_of]
    for i in range(300):
        inside = (low[:, i, None] <= codes) & (codes <= high[:, i, None])
        assert found[i] == len(set(world.person[inside.all(axis=0)].tolist()))


def test_sets_of_several_runs_in_a_larger_tree():
    rng = np.random.default_rng(11)
    n, domain = 30, Domain(Kind.NUMBER, np.arange(1, 31))
    codes = rng.integers(1, n + 1, (3, 3_000)).astype(np.int32)
    world = World({c: CodedColumn(c, line, domain) for c, line in zip("xyz", codes, strict=True)})
    chosen = rng.random((3, 200, n)) < rng.random((3, 200, 1)) * 0.9 + 0.05
    chosen[:, :, 0] = True
    release = {}
    for c, flags in zip("xyz", chosen, strict=True):
        labels = [", ".join(map(str, np.flatnonzero(each) + 1)) for each in flags]
        release[c] = column(c, [f"{{{label}}}" for label in labels])
    found = link(release, world)
    assert type(found._index).__name__ == "BoxTree"
    for i in range(200):
        inside = [chosen[j, i][codes[j] - 1] for j in range(3)]
        assert found.candidates[i] == np.logical_and.reduce(inside).sum()


def test_many_columns_are_looked_up_in_stages():
    rng = np.random.default_rng(5)
    domain = Domain(Kind.NUMBER, np.arange(1, 3_001))
    codes = rng.integers(1, 3_001, (6, 500)).astype(np.int32)
    world = World({f"c{j}": CodedColumn(f"c{j}", line, domain) for j, line in enumerate(codes)})
    asked = codes[:, ::2].copy()
    asked[5, ::10] = asked[5, 1]
    release = {f"c{j}": CodedColumn(f"c{j}", line, domain) for j, line in enumerate(asked)}
    found = link(release, world).candidates.tolist()
    rows = [tuple(row) for row in codes.T.tolist()]
    assert found == [rows.count(tuple(row)) for row in asked.T.tolist()]


def test_a_row_that_nobody_can_be_is_inconsistent_and_not_unsafe():
    world = World({"zip": column("zip", ["a", "a"])}, ids([1, 2]))
    found = link({"zip": column("zip", ["a", "z", "a"])}, world)
    assert (found.k, found.inconsistent) == (2, 1)
    none = link({"zip": column("zip", ["z"])}, world)
    assert (none.k, none.inconsistent) == (None, 1)
    alone = link({"zip": column("zip", ["a", "z"])}, World({"zip": column("zip", ["a"])}))
    assert (alone.k, alone.inconsistent) == (1, 1)


def test_an_individual_with_several_rows_counts_once():
    world = World({"zip": column("zip", ["a", "a", "b"])}, ids([1, 1, 1]))
    assert link({"zip": column("zip", ["a", "*"])}, world).candidates.tolist() == [1, 1]


def test_a_world_without_ids_says_that_rows_are_people():
    world = World({"zip": column("zip", ["a", "a"])})
    assert world.people == 2
    assert "no ids" in link({"zip": column("zip", ["a"])}, world).notes[0]


def test_rows_without_an_id_are_people_of_their_own():
    world = World({"zip": column("zip", ["a", "a", "a"])}, ids([0, 4, 0]))
    assert (world.people, world.unnamed) == (3, 2)
    found = link({"zip": column("zip", ["a"])}, world)
    assert found.candidates.tolist() == [3]
    assert "2 of 3 rows" in found.notes[0]


def test_labels_that_stand_for_nobody_are_counted_with_the_first_row():
    world = World({"zip": column("zip", ["a", "b"])})
    found = link({"zip": column("zip", ["a", "x", "y", "x"])}, world)
    (zips,) = found.columns
    assert (zips.labels, zips.idle, zips.idle_rows, zips.first) == (3, 2, 3, 2)
    assert zips.unmatched == 0.5
    told = " ".join(found.notes)
    assert "2 of 3 labels of 'zip'" in told
    assert "row 2" in told


@pytest.mark.parametrize(
    ("there", "here", "told"),
    [
        (["2138", "2139"], ["02138", "02139"], "leading zeros"),
        (["2138", "2139"], ["0213*", "0214*"], "leading zeros"),
        (["F", "M"], ["f", "m"], "upper and lower case"),
        (["F ", " M"], ["F", "M"], "spaces"),
        (["15.03.65", "1"], ["15/03/65", "15-03-65"], "punctuation"),
        (["Rome", "Oslo"], ["Bern"], ""),
        (["31/12/1960", "1/2/1961"], ["[1960-01-01, 1970-01-01)"], "write year-month-day"),
    ],
)
def test_other_spellings_are_hinted_at(there, here, told):
    found = link({"c": column("c", here)}, World({"c": column("c", there)}))
    assert found.inconsistent == len(here)
    assert (told in found.columns[0].hint) if told else not found.columns[0].hint


@pytest.mark.parametrize(
    ("away", "told"), [(1, "under 0.1%"), (2, "0.1%"), (1998, "99.9%"), (1999, "over 99.9%")]
)
def test_a_small_share_is_not_told_as_none(away, told):
    world = World({"c": column("c", ["a"] * (2000 - away) + ["b"] * away)})
    notes = link({"c": column("c", ["a"])}, world).notes
    assert f"{told} of the world's rows have a value" in " ".join(notes)


def test_numbers_get_back_the_zeros_they_lost():
    world = World({"zip": column("zip", [2138, 2139, 2141])})
    release = {"zip": column("zip", ["0213*", "02138", "021**"])}
    assert link(release, world).candidates.tolist() == [2, 1, 3]
    prefix = Prefix().build(world.columns["zip"].domain, "zip")
    assert prefix.labels[1][0].startswith("213")


def test_values_outside_a_hierarchy_are_read_by_rule():
    ages = Domain(Kind.NUMBER, np.arange(20, 30))
    hierarchy = Intervals(width=5).build(ages, "age")
    world = World({"age": column("age", [19, 20, 22, 24, 26, 31])})
    release = {"age": column("age", ["[20, 25)", "[15, 20)", "*"])}
    found = link(release, world, {"age": hierarchy})
    assert found.candidates.tolist() == [3, 1, 6]
    assert found.columns[0].outside == 2


def test_no_shared_columns_names_both_tables():
    world = World({"postcode": column("postcode", ["a"])})
    with pytest.raises(InputError, match=r"\(zip\).*\(postcode\)"):
        link({"zip": column("zip", ["a"])}, world)


def test_linking_by_some_of_the_public_columns_is_said_to_prove_nothing():
    world = World({"a": column("a", ["x"]), "b": column("b", ["y"])}, ids([1]))
    release = {"a": column("a", ["x"]), "b": column("b", ["y"])}
    assert "proves nothing" in link(release, world, on=["a"]).notes[0]
    assert not link(release, world).notes
    with pytest.raises(PolicyError, match="'c'"):
        link(release, world, on=["c"])
    with pytest.raises(PolicyError):
        link(release, world, missing=Missing.SUPPRESS)


def test_nothing_shows_values():
    world = World({"zip": column("zip", ["Canary", "Bird"])})
    found = link({"zip": column("zip", ["canary", "*", "B*"])}, world)
    assert "anary" not in f"{world!r}{found!r}{found.notes}{found.columns}"


def test_an_empty_world_and_an_empty_release():
    world = World({"zip": column("zip", ["a"])})
    nobody = World({"zip": CodedColumn("zip", ids([]), world.columns["zip"].domain)})
    assert link({"zip": column("zip", ["a", "*"])}, nobody).candidates.tolist() == [0, 0]
    nothing = {"zip": CodedColumn("zip", ids([]), world.columns["zip"].domain)}
    assert link(nothing, world).k is None


@settings(max_examples=30)
@given(cases(), st.randoms())
def test_the_order_of_the_world_does_not_matter(case, random):
    rows, who, released = case
    who = who or list(range(1, len(rows) + 1))
    order = list(range(len(rows)))
    random.shuffle(order)
    shuffled = world_of([rows[i] for i in order], [who[i] for i in order], 3)
    first, second = (
        link(released_columns(released), w) for w in (world_of(rows, who, 3), shuffled)
    )
    assert first.candidates.tolist() == second.candidates.tolist()
