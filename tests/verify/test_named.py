"""Who holds what sets name, counted one by one."""

import numpy as np
import polars as pl
import pytest

from incrowd.errors import NotMetError
from incrowd.hierarchy import Tree
from incrowd.hierarchy.hierarchy import texts
from incrowd.table.column import Domain, Kind
from incrowd.table.counted import CountedRows
from incrowd.verify.crowds import number_cells
from incrowd.verify.shown import demand_named_by_crowds, people_by_code

ROWS = (("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*"))
TREE = Tree(ROWS).build(Domain(Kind.TEXT, texts([])), "town")
PEOPLE = np.array([9, 5, 1, 2, 2])


@pytest.mark.parametrize("labels", [["{a, y}"], ["{a, *others*}", "b"], ["{*others*}"], ["*"]])
def test_names_of_many_may_leave(labels):
    demand_named_by_crowds(TREE, "town", number_cells(pl.Series(labels)), PEOPLE, 4)


@pytest.mark.parametrize(
    ("labels", "few"), [(["{a, b}"], 1), (["{b, c}", "{d, *others*}"], 3), (["{a, y}"], 1)]
)
def test_names_of_few_are_refused_without_being_told(labels, few):
    people = np.where(np.arange(5) == 3, 1, PEOPLE)
    with pytest.raises(NotMetError, match=f"^{few} name.* in sets of 'town'") as caught:
        demand_named_by_crowds(TREE, "town", number_cells(pl.Series(labels)), people, 4)
    assert "'b'" not in str(caught.value)


def test_people_count_once_for_each_of_their_values():
    codes = {"town": np.array([1, 1, 2, 1, 2], dtype=np.int32)}
    records = np.array([2, 1, 1, 3, 4])
    alone = CountedRows(pl.DataFrame(), records, codes)
    assert people_by_code(alone, "town", 4).tolist() == [0, 6, 5, 0]
    unit = np.array([1, 2, 1, 0, 0], dtype=np.int32)
    several = CountedRows(pl.DataFrame(), records, codes, unit)
    assert people_by_code(several, "town", 4).tolist() == [0, 5, 5, 0]
