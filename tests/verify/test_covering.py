"""Labels of several runs of values, side by side with labels of one, and the limit of pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd
from evidence import keyed
from incrowd.table.column import Domain, Kind
from incrowd.verify import covering

STANDS = {"{1, 3}": {1, 3}, "{1, 3, 5}": {1, 3, 5}, "2": {2}, "{2, 5}": {2, 5}, "*": set(range(6))}


def side(labels, codes):
    tree = incrowd.Intervals(widths=(2.0,), origin=1.0).build(
        Domain(Kind.NUMBER, np.arange(1, 6)), "a"
    )
    names = list(STANDS)
    shown = np.array([0 if label is None else names.index(label) + 1 for label in labels])
    return covering.ColumnPair(
        shown, np.array(codes, dtype=np.int32), tree.decode_all([*names, None])
    )


@pytest.mark.parametrize("labels", [[*STANDS, None], ["{1, 3, 5}"], ["2", "{1, 3, 5}"], ["2"]])
def test_every_pair_of_a_label_and_a_value(labels):
    pairs = [(i, code) for i in range(len(labels)) for code in range(6)]
    one = side(labels, range(6))
    found = one.covers(*(np.array(place) for place in zip(*pairs, strict=True)))
    wanted = [code in (STANDS | {None: {0}})[labels[i]] for i, code in pairs]
    assert found.tolist() == wanted


def test_no_pair_at_all():
    nobody = np.zeros(0, dtype=np.int64)
    assert side(["2"], [2]).covers(nobody, nobody).tolist() == []
    assert covering.count_surplus_records(keyed([]), keyed([])) == 0


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=8),
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([*STANDS, None])), min_size=1, max_size=8
    ),
)
def test_rows_without_a_record_are_counted(before, after):
    one = side([label for _, label in after], [code for _, code in before])
    keys = keyed(key for key, _ in before), keyed(key for key, _ in after)
    stands = STANDS | {None: {0}}
    bare = sum(
        not any(key == k and code in stands[label] for k, code in before) for key, label in after
    )
    assert covering.count_uncovered(*keys, [one]) == bare


def test_as_many_pairs_as_may_be_are_compared(monkeypatch):
    """Two different rows and three different records of one key: six pairs."""
    one = side(["2", "{1, 3}", "2"], [1, 2, 4, 4])
    keys = keyed([0] * 4), keyed([0] * 3)
    for most, found in ((6, 0), (5, None)):
        monkeypatch.setattr(covering, "MOST_PAIRS", most)
        assert covering.count_uncovered(*keys, [one]) == found


def test_rows_too_many_are_counted_whatever_the_other_table_lacks():
    assert covering.count_surplus_records(keyed([0, 5]), keyed([0, 0])) == 1
    assert covering.count_surplus_records(keyed([0]), keyed([5, 5, 0])) == 2
    assert covering.count_surplus_records(keyed([3, 3]), keyed([3])) == 0
