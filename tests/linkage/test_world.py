"""Worlds: who is who, renames, several tables."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError, PolicyError
from incrowd.linkage.identify import AtLeast, minimal_k_qis, refuse_broken_promise, smallest_crowd
from incrowd.linkage.links import link
from incrowd.linkage.world import World, join_by_id
from incrowd.table.encode import encode


def column(name, cells, dtype=pl.String):
    return encode(pl.Series(cells, dtype=dtype), name)


def ids(people):
    return np.array(people, dtype=np.int32)


def rows_of(world):
    """(individual, values) of every row, None for missing."""
    columns = [
        [None if code == 0 else c.domain.labels[code - 1] for code in c.codes]
        for c in world.columns.values()
    ]
    return set(zip(world.person.tolist(), *columns, strict=True))


def test_people_are_counted_once_and_those_without_an_id_each():
    world = World({"a": column("a", list("xxyz"))}, ids([3, 3, 0, 0]))
    assert (world.rows, world.people, world.unnamed) == (4, 3, 2)
    assert world.person.tolist() == [3, 3, 4, 5]
    assert world.alone.tolist() == [False, False, True, True]
    assert not world.everybody_once
    assert smallest_crowd(world, ["a"]) == 1


def test_select_and_refusals():
    world = World({"postcode": column("postcode", ["1"]), "b": column("b", ["2"])}, ids([1]))
    assert world.select(["b"]).names == ("b",)
    for names in ([], ["zip"]):
        with pytest.raises(PolicyError):
            world.select(names)
    with pytest.raises(InputError, match="no columns"):
        World({})
    with pytest.raises(InputError, match="length"):
        World({"a": column("a", ["1"])}, ids([1, 2]))
    with pytest.raises(PolicyError):
        smallest_crowd(world, ["zip"])
    with pytest.raises(PolicyError, match="at least 1"):
        minimal_k_qis(world, 0)


def test_a_world_without_rows_has_no_quasi_identifier():
    world = World({"a": column("a", [])}, ids([]))
    assert smallest_crowd(world, ["a"]) == 0
    assert minimal_k_qis(world, 3).sets == ()
    refuse_broken_promise(AtLeast(("a",), 5), world)


def test_minimal_k_qis_up_to_a_size():
    bits = [f"{i:03b}" for i in range(8)]
    world = World({f"b{j}": column(f"b{j}", [bit[j] for bit in bits]) for j in range(3)})
    assert minimal_k_qis(world, 1).sets == (("b0", "b1", "b2"),)
    assert len(minimal_k_qis(world, 2).sets) == 3
    assert [len(columns) for columns in minimal_k_qis(world, 4).sets] == [1, 1, 1]
    some = minimal_k_qis(world, 1, max_size=2)
    assert (some.sets, some.complete) == ((), False)


def test_two_tables_are_joined_by_their_ids():
    voters = {"zip": column("zip", ["a", "a", "b"])}
    clinic = {"sex": column("sex", ["f", "m", "f"])}
    world = join_by_id(
        [
            (voters, column("ssn", [1, 2, 3], pl.Int64)),
            (clinic, column("ssn", [2, 1, 9], pl.Int64)),
        ]
    )
    assert rows_of(world) == {(1, "a", "m"), (2, "a", "f"), (3, "b", None), (4, None, "f")}
    release = {"zip": column("zip", ["a", "a", "b"]), "sex": column("sex", ["m", "*", "*"])}
    assert link(release, world).candidates.tolist() == [1, 2, 1]


def test_different_values_of_one_column_are_both_known():
    old = {"zip": column("zip", ["a", "b"]), "age": column("age", ["30", "40"])}
    new = {"zip": column("zip", ["c", "b"]), "sex": column("sex", ["f", "m"])}
    name = column("name", ["x", "y"])
    world = join_by_id([(old, name), (new, name)])
    expected = {(1, "a", "30", "f"), (1, "c", "30", "f"), (2, "b", "40", "m")}
    assert rows_of(world) == expected
    assert world.people == 2


def test_ids_of_different_types_meet_by_their_text_and_missing_ones_never():
    one = {"a": column("a", ["p", "q", "r"])}
    other = {"b": column("b", ["s", "t"])}
    world = join_by_id(
        [(one, column("i", [7, None, 8], pl.Int64)), (other, column("i", ["7", None]))]
    )
    assert (world.people, world.unnamed) == (4, 2)
    values = {row[1:] for row in rows_of(world)}
    assert values == {("p", "s"), ("q", None), ("r", None), (None, "t")}
    with pytest.raises(InputError):
        join_by_id([])


people = st.lists(st.integers(0, 3), max_size=5)


@settings(max_examples=60)
@given(people, people, st.booleans())
def test_united_is_the_join_by_hand(left, right, same):
    def table(name, who, letter):
        columns = {name: column(name, [f"{letter}{i % 2}" for i in range(len(who))])}
        return columns, column("id", [w or None for w in who], pl.Int64)

    second = "a" if same else "b"
    world = join_by_id([table("a", left, "x"), table(second, right, "x" if same else "y")])
    expected = []
    for i, w in enumerate(left):
        partners = [j for j, v in enumerate(right) if w and v == w]
        mine = f"x{i % 2}"
        for j in partners:
            theirs = f"{'x' if same else 'y'}{j % 2}"
            expected += [(w, mine), (w, theirs)] if same else [(w, mine, theirs)]
        if not partners:
            expected.append((w, mine) if same else (w, mine, None))
    for j, v in enumerate(right):
        if not v or v not in left:
            theirs = f"{'x' if same else 'y'}{j % 2}"
            expected.append((v, theirs) if same else (v, None, theirs))
    known = sorted({w for w in left + right if w})
    number = {w: i for i, w in enumerate(known, start=1)}
    found = [(row[0] if row[0] <= len(known) else 0, *row[1:]) for row in rows_of(world)]
    named = {(number[w], *rest) for w, *rest in expected if w}
    assert {row for row in found if row[0]} == named
    unnamed = sorted(map(str, (rest for w, *rest in expected if not w)))
    assert sorted(map(str, (list(row[1:]) for row in found if not row[0]))) == unnamed
