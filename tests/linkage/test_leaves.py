"""The people of a world on the leaves that a column has for them too."""

import numpy as np
import pytest

from incrowd.linkage.world import World, flag_known_rows, leaf_codes, people_by_leaf, union_domain
from incrowd.table.column import CodedColumn, Domain, Kind


def numbers(*values, of=np.int64):
    return Domain(Kind.NUMBER, np.array(values, dtype=of))


def test_values_of_both_are_leaves():
    both = union_domain(numbers(1, 5), numbers(2, 5, 9))
    assert both.values.tolist() == [1, 2, 5, 9]


def test_whole_numbers_and_days_stay_what_they_are():
    assert union_domain(numbers(1, 5), numbers(2.0, 9.0, of=np.float64)).values.dtype.kind == "i"
    days = Domain(Kind.DATE, np.array(["2001-02-03"], dtype="datetime64[D]"))
    moments = Domain(Kind.DATE, np.array(["2001-02-04T00:00"], dtype="datetime64[us]"))
    assert union_domain(days, moments).labels.tolist() == ["2001-02-03", "2001-02-04"]
    later = Domain(Kind.DATE, np.array(["2001-02-04T07:00"], dtype="datetime64[us]"))
    assert len(union_domain(days, later)) == 2


@pytest.mark.parametrize(
    "theirs",
    [
        Domain(Kind.TEXT, np.array(["x"], dtype=object)),
        numbers(0.5, of=np.float64),
    ],
)
def test_what_has_no_exact_format_in_common_is_left_alone(theirs):
    mine = numbers(2**60, 2**60 + 1)
    assert union_domain(mine, theirs) is mine


def test_infinite_values_of_the_world_are_no_leaves():
    both = union_domain(numbers(1.5, of=np.float64), numbers(2.5, np.inf, of=np.float64))
    assert both.values.tolist() == [1.5, 2.5]


def test_people_are_counted_once_and_those_without_a_leaf_apart():
    column = CodedColumn("age", np.array([1, 2, 2, 3, 0], np.int32), numbers(10, 20, 30))
    world = World({"age": column}, np.array([1, 1, 2, 3, 4], np.int32))
    leaves = numbers(10, 20)
    assert leaf_codes(world, "age", leaves).tolist() == [1, 2, 2, 0, 0]
    assert flag_known_rows(world, "age", leaves).tolist() == [True, True, True, False, True]
    assert people_by_leaf(world, "age", leaves).tolist() == [2, 1, 1]
