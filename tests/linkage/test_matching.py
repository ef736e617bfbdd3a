"""Dec column by column: what a label may stand for by the way it is written."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.hierarchy
from incrowd.hierarchy import Dates, Intervals, Prefix, Tree
from incrowd.hierarchy.foreign_labels import read_any_bounds
from incrowd.linkage.atoms import atom_sets_of
from incrowd.linkage.matching import match
from incrowd.table.column import Domain, Kind
from incrowd.table.encode import encode, leaves_of
from strategies import hierarchies


def domain(*values):
    return encode(pl.Series(values), "c").domain


def stands_for(label, values, hierarchy=None):
    found = match([label], values, hierarchy)
    return [values.labels[code - 1] if code else None for code in found.codes(0)]


AGES = domain(19, 20, 29, 30, 95)
DAYS = encode(
    pl.Series(["1964-12-31", "1965-03-01", "1965-03-31", "1965-04-01", "1970-01-01"]).str.to_date(),
    "born",
).domain
ZIPS = domain("02138", "02139", "02141", "10001", "E11")


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("20", ["20"]),
        ("20.0", ["20"]),
        ("[20, 30)", ["20", "29"]),
        ("[20, 30]", ["20", "29", "30"]),
        ("(20, 30]", ["29", "30"]),
        ("[20, 30[", ["20", "29"]),
        ("[20,30)", ["20", "29"]),
        ("(20,30]", ["29", "30"]),
        ("]20; 30]", ["29", "30"]),
        ("[90,Inf)", ["95"]),
        ("(-Inf, 20]", ["19", "20"]),
        ("(Inf, 20]", []),
        ("{19,95}", ["19", "95"]),
        ("*****", ["19", "20", "29", "30", "95"]),
        ("20-29", ["20", "29"]),
        ("[20-29]", ["20", "29"]),
        ("(-inf, 20)", ["19"]),
        ("[90, inf)", ["95"]),
        ("<20", ["19"]),
        ("<= 20", ["19", "20"]),
        ("≥30", ["30", "95"]),
        (">30", ["95"]),
        ("90+", ["95"]),
        ("{19, 95, 7}", ["19", "95"]),
        ("2*", ["20", "29"]),
        ("*", [None, "19", "20", "29", "30", "95"]),
        (None, [None]),
        ("[40, 50)", []),
        ("[30, 20]", []),
        ("old", []),
        ("J*", []),
        ("", []),
    ],
)
def test_numbers(label, expected):
    assert stands_for(label, AGES) == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("1965", ["1965-03-01", "1965-03-31", "1965-04-01"]),
        ("1965-03", ["1965-03-01", "1965-03-31"]),
        ("1965-03-31", ["1965-03-31"]),
        ("1965-Q1", ["1965-03-01", "1965-03-31"]),
        ("[1965, 1970)", ["1965-03-01", "1965-03-31", "1965-04-01"]),
        ("[1964-12-31, 1965-03-01]", ["1964-12-31", "1965-03-01"]),
        ("1965-03-31 10:30", ["1965-03-31"]),
        ("[1965-03-01 10:30, 1965-03-31 08:00)", ["1965-03-01", "1965-03-31"]),
        ("[1965-03-01 10:30, 1965-03-31 00:00)", ["1965-03-01"]),
        ("1966", []),
        ("1965-13", []),
    ],
)
def test_dates_and_dates_that_are_text(label, expected):
    assert stands_for(label, DAYS) == expected
    assert stands_for(label, Domain(Kind.TEXT, DAYS.labels)) == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("0213*", ["02138", "02139"]),
        ("021**", ["02138", "02139", "02141"]),
        ("[2000, 3000)", ["02138", "02139", "02141"]),
        ("[02139, 02141]", ["02139", "02141"]),
        ("2138", []),
        ("{02138, E11}", ["02138", "E11"]),
        ("E*", ["E11"]),
        ("[02141, E11]", ["02141", "10001", "E11"]),
        ("*138", []),
    ],
)
def test_texts(label, expected):
    assert stands_for(label, ZIPS) == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("[1960-01-01, 1970-01-01)", [1960, 1965]),
        ("[1960-01-01, 1970-01-01]", [1960, 1965, 1970]),
        ("[1965-12-31, 1972-01-02]", [1965, 1970, 1972]),
        ("1965-03-07", [1965]),
        ("1965-03", [1965]),
        ("1965-Q1", [1965]),
        ("1965", [1965]),
        ("1966-03", []),
        ("[1965, 1970]", [1965, 1970]),
        ("[1960-01-01, 1970)", []),
    ],
)
def test_dates_beside_years(label, expected):
    """Who was born in 1965 may be who was born on a day of it."""
    years = np.array([1960, 1965, 1970, 1972])
    found = match([label], Domain(Kind.NUMBER, years)).codes(0)
    assert years[found - 1].tolist() == expected


def test_a_value_of_the_world_stands_for_itself_whatever_it_looks_like():
    odd = domain("J*", "Jane", "{Jane, John}", "20-29", "*x")
    for label in odd.labels:
        assert stands_for(label, odd) == [label]
    assert stands_for("J**", odd) == ["J*", "Jane"]


def test_sets_with_odd_values():
    odd = domain("a, b", "c", 'd"')
    assert stands_for('{"a, b", "c"}', odd) == ["a, b", "c"]
    assert stands_for('{"d\\""}', odd) == ['d"']


@pytest.mark.parametrize("label", ["", "[", "[1]", "[1, 2, 3]", "a-b", "1-", "+", "<", "((", "[,]"])
def test_what_is_no_interval(label):
    assert read_any_bounds(label) is None


def test_a_hierarchy_speaks_first_and_rules_help_with_what_it_lacks():
    places = Tree((("02138", "Cambridge", "*"), ("02139", "Cambridge", "*"), ("10001", "NY", "*")))
    tree = places.build(domain("02138"), "zip")
    assert stands_for("Cambridge", ZIPS, tree) == ["02138", "02139"]
    assert stands_for("021**", ZIPS, tree) == ["02138", "02139", "02141"]
    assert stands_for("*", ZIPS, tree) == [None, *ZIPS.labels]
    assert match(["NY"], ZIPS, tree).outside == 2
    found = match(["Cambridge", "NY", "Boston"], ZIPS, tree)
    assert np.diff(found.start).tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("builder", "values"), [(Dates(), DAYS), (Intervals(width=5), AGES), (Prefix(), ZIPS)]
)
def test_every_label_of_a_builder_stands_for_its_leaves_without_it(builder, values):
    hierarchy = builder.build(values, "c")
    for labels in hierarchy.labels:
        for label in labels.tolist():
            by_hierarchy = stands_for(label, values, hierarchy)
            assert stands_for(label, values) == by_hierarchy


def test_values_and_leaves_of_different_kinds_meet():
    text, number = domain("1", "02", "x"), domain(1, 2, 3)
    assert leaves_of(text, number).tolist() == [2, 1, 0]
    assert leaves_of(number, text).tolist() == [2, 1, 0]
    assert leaves_of(text, text).tolist() == [1, 2, 3]
    assert leaves_of(number, domain(2, 7)).tolist() == [0, 1, 0]
    assert leaves_of(DAYS, Domain(Kind.TEXT, DAYS.labels[::-1])).tolist() == [5, 4, 3, 2, 1]
    assert leaves_of(number, Domain(Kind.NUMBER, number.values[:0])).tolist() == [0, 0, 0]


@given(hierarchies())
def test_what_a_hierarchy_decodes_is_found_again(hierarchy):
    rows = naive.hierarchy.rows_of(hierarchy)
    labels = sorted({label for row in rows for label in row})
    found = match(labels, hierarchy.leaves, hierarchy)
    for i, label in enumerate(labels):
        assert set(found.codes(i).tolist()) == naive.hierarchy.decode(rows, label)


@given(st.lists(st.sets(st.integers(0, 6)), min_size=1, max_size=6))
def test_sets_are_the_labels_in_coarser_codes(wanted):
    labels = [
        f"{{{', '.join(str(v) for v in sorted(found))}}}" if found else "nothing"
        for found in wanted
    ]
    values = Domain(Kind.NUMBER, np.arange(7))
    matching = match(labels, values)
    sets = atom_sets_of(matching)
    for i, found in enumerate(wanted):
        s = sets.of[i]
        runs = range(int(sets.start[s]), int(sets.start[s + 1]))
        atoms = {a for r in runs for a in range(sets.low[r], sets.high[r] + 1)}
        assert {int(c) - 1 for c in np.flatnonzero(np.isin(sets.atom, list(atoms)))} == found
        for j, other in enumerate(wanted):
            assert (sets.of[i] == sets.of[j]) == (found == other)
    layers = sets.layers
    assert layers is not None
    for s, layer in enumerate(sets.layer_of(layers)):
        runs = range(int(sets.start[s]), int(sets.start[s + 1]))
        assert all((layers[layer][sets.low[r] : sets.high[r] + 1] == s + 1).all() for r in runs)
