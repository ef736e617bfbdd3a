"""What a release promises against every world: labels within labels, people, cautions."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
from incrowd.errors import PolicyError
from incrowd.hierarchy import Intervals, Tree
from incrowd.linkage.conservative import cautions, conservative_k
from incrowd.linkage.world import World
from incrowd.table.column import Domain, Kind
from incrowd.table.encode import encode
from strategies import hierarchies


def column(name, cells):
    return encode(pl.Series(cells, dtype=pl.String), name)


def k_of(cells, hierarchy=None, **how):
    trees = None if hierarchy is None else {"c": hierarchy}
    return conservative_k({"c": column("c", cells)}, trees, **how)


@settings(max_examples=60)
@given(hierarchies(), st.data())
def test_leaf_by_leaf_is_containment_of_decodings(hierarchy, data):
    rows = naive.hierarchy.rows_of(hierarchy)
    labels = sorted({label for row in rows for label in row})
    cells = data.draw(st.lists(st.sampled_from([*labels, None]), min_size=1, max_size=7))

    def dec(cell):
        return {0} if cell is None else naive.hierarchy.decode(rows, cell)

    sure = [sum(dec(other) <= dec(cell) for other in cells) for cell in cells]
    exact = k_of(cells, hierarchy, complete=True)
    careful = k_of(cells, hierarchy)
    assert exact.sure.tolist() == sure
    assert exact.equal.tolist() == [cells.count(cell) for cell in cells]
    assert (careful.sure <= exact.sure).all()
    assert (careful.equal <= careful.sure).all()


def test_a_hierarchy_made_from_the_table_does_not_prove_too_much():
    """[20, 30) may hold a person of 27 whom the table lacks: it does not lie within 25."""
    ages = Domain(Kind.NUMBER, np.array([25, 41]))
    hierarchy = Intervals(width=10).build(ages, "c")
    cells = ["25", "[20, 30)"]
    assert k_of(cells, hierarchy).sure.tolist() == [1, 2]
    assert k_of(cells, hierarchy, complete=True).sure.tolist() == [2, 2]


def test_a_node_lies_within_the_nodes_above_it():
    tree = Tree(
        (("a", "p", "r", "*"), ("b", "p", "r", "*"), ("c", "q", "r", "*"), ("d", "s", "t", "*"))
    )
    built = tree.build(Domain(Kind.TEXT, np.array(list("abcd"), dtype=object)), "c")
    cells = ["a", "p", "q", "r", "*", "t", "d", None]
    assert k_of(cells, built).sure.tolist() == [1, 2, 1, 4, 8, 2, 1, 1]
    assert k_of(cells, built, complete=True).sure.tolist() == [1, 2, 1, 4, 8, 2, 2, 1]


def test_without_a_hierarchy_numbers_and_days_lie_in_intervals():
    cells = ["25", "[20, 30)", "1965-03-01", "1965-03", "*", "Jane", "J*", "02138", "0213*"]
    assert k_of(cells).sure.tolist() == [1, 2, 1, 2, 9, 1, 1, 1, 2]


@pytest.mark.parametrize(
    ("inner", "outer", "lies"),
    [
        ("1965", "[1964-07, 1965-03]", False),
        ("1965", "[1960, 1970)", True),
        ("1965-03-01", "[1965-02-28 10:00, 1965-03-01 10:00]", False),
        ("1965-03-01", "[1965-02-28, 1965-03-01]", True),
        ("21390", "213*", False),
        ("2139", "213*", True),
    ],
)
def test_what_may_be_a_period_or_longer_than_a_mask_is_no_value_in_it(inner, outer, lies):
    assert k_of([inner, inner, outer]).sure.tolist() == [2, 2, 3 if lies else 1]


def test_people_with_several_rows_count_once():
    cells = ["a", "a", "a"]
    unit = np.array([1, 1, 2], dtype=np.int32)
    assert k_of(cells, unit=unit).equal.tolist() == [2, 2, 2]
    assert k_of(cells, unit=unit).k_sure == 2


def test_public_columns_must_be_there():
    release = {"c": column("c", ["a"])}
    for names in ([], ["d"]):
        with pytest.raises(PolicyError):
            conservative_k(release, on=names)
    assert conservative_k({"c": column("c", [])}).k is None
    assert "Jane" not in repr(k_of(["Jane"]))


def test_cautions():
    world = World({"a": column("a", ["x", "x"]), "b": column("b", ["y", "z"])})
    assert cautions(["a", "b"], [["a", "b", "c"]], 2, world) == ()
    kinds = [c.kind for c in cautions(["a", "b"], [["b"]], 3, world)]
    assert kinds == ["subset", "only 1-QIs"]
    kinds = [c.kind for c in cautions(["a", "b", "c"], [["a"], ["b"]], 2)]
    assert kinds == ["one by one", "subset"]
