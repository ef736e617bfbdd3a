"""What sets may name: nothing that fewer than k people hold."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.pools as naive
from incrowd.hierarchy import Flat, Tree
from incrowd.hierarchy.hierarchy import texts
from incrowd.hierarchy.pools import pools_of
from incrowd.search.layout import _run_sets
from incrowd.table.column import Domain, Kind

counts = st.lists(st.integers(0, 9), min_size=1, max_size=14)


def tree_of(number):
    """Leaves v00, v01, … in threes under n0, …, which are in pairs under m0, …."""
    names = [f"v{i:02d}" for i in range(number)]
    paths = {name: [f"n{i // 3}", f"m{i // 6}"] for i, name in enumerate(names)}
    rows = tuple((name, *path, "*") for name, path in paths.items())
    return paths, Tree(rows).build(Domain(Kind.TEXT, texts(names)), "x")


@settings(max_examples=200, deadline=None)
@given(counts, st.integers(1, 10))
def test_members_are_those_of_the_definition(held, k):
    paths, tree = tree_of(len(held))
    people = np.array([3, *held])
    pools = pools_of(tree, people, k, people)
    if pools is None:
        assert all(count >= k for count in held if count)
        return
    expected = naive.members(paths, dict(zip(paths, held, strict=True)), k)
    shown = [pools.labels[pools.of[code]] or naive.OTHERS for code in range(1, len(people))]
    assert dict(zip(paths, shown, strict=True)) == expected
    assert pools.of[0] == 0
    under = np.bincount(pools.of, people)[1:]
    assert all(count >= k for count in under if count) or sum(held) < k


@settings(max_examples=100, deadline=None)
@given(counts, st.integers(1, 10), st.integers(0, 2))
def test_members_stay_inside_the_highest_level(held, k, highest):
    _, tree = tree_of(len(held))
    people = np.array([0, *held])
    pools = pools_of(tree, people, k, people, highest)
    if pools is not None:
        nodes = tree.maps[highest]
        assert pools.others is None
        assert (nodes[pools.first] == nodes[pools.last]).all()


@settings(max_examples=100, deadline=None)
@given(counts, st.integers(1, 10), st.lists(st.integers(1, 14), min_size=1, max_size=6))
def test_figures_of_members_are_those_of_their_leaves(held, k, codes):
    _, tree = tree_of(len(held))
    people = np.array([3, *held])
    pools = pools_of(tree, people, k, people)
    if pools is None:
        return
    start, low, high = pools.all_runs
    every = []
    for member in range(len(pools.level)):
        runs = zip(low[start[member] :], high[start[member] : start[member + 1]], strict=False)
        leaves = [code for a, b in runs for code in range(a, b + 1)]
        assert pools.leaves[member] == len(leaves)
        assert pools.sum_leaves(people)[member] == sum(people[code] for code in leaves)
        assert (pools.first[member], pools.last[member]) == (leaves[0], leaves[-1])
        every.append({*leaves})
    chosen = np.unique(pools.of[[code for code in codes if code < len(people)]])
    stays = pools.flag_topmost(np.zeros(len(chosen), dtype=np.int64), chosen)
    assert stays.tolist() == [not any(every[m] < every[n] for n in chosen) for m in chosen]


def test_few_values_are_shown_as_one_that_names_nothing():
    towns = Flat().build(Domain(Kind.TEXT, texts(["a", "b", "c", "d"])), "town")
    people = np.array([0, 9, 1, 1, 1])
    pools = pools_of(towns, people, 3, people)
    assert pools.show_set([1]) == "a"
    assert pools.show_set([1, 2]) == "{a, *others*}"
    assert pools.show_set([2]) == "{*others*}"
    assert pools.show_set([0]) is None
    assert pools.show_set([0, 1]) == "*"
    lonely = pools_of(towns, np.array([0, 9, 9, 4, 1]), 3, people)
    assert lonely.labels.tolist() == [None, "a", "b", None]
    assert lonely.show_set([3]) == "{*others*}"


@settings(max_examples=60, deadline=None)
@given(counts, st.integers(1, 10))
def test_runs_are_priced_by_all_members_between_their_ends(held, k):
    _, tree = tree_of(len(held))
    people = np.array([3, *held])
    pools = pools_of(tree, people, k, people)
    low, high = (side.ravel() for side in np.indices((len(people), len(people))))
    low, high = low[low <= high].astype(np.int32), high[low <= high].astype(np.int32)
    sets = _run_sets(low, high, pools)
    for i, (first, last) in enumerate(zip(low, high, strict=True)):
        found = np.unique(
            np.arange(first, last + 1) if pools is None else pools.of[first : last + 1]
        )
        if pools is not None:
            found = found[pools.flag_topmost(np.zeros(len(found), dtype=np.int64), found)]
        assert sorted(sets.code[sets.start[i] : sets.start[i + 1]]) == found.tolist()
