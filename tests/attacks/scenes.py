"""Small random releases with people, for the attacks and for their naive twins."""

import numpy as np
from hypothesis import strategies as st

from incrowd.linkage.attack_data import AttackData, SharedColumn
from incrowd.linkage.decoding import LabelDecoding

VALUES = 4
"""Values of a column, 0 for missing among them."""


def decoding_of(labels, values=VALUES):
    """What labels stand for, given as sets of values."""
    runs = [[(value, value) for value in sorted(label)] for label in labels]
    start = np.concatenate([[0], np.cumsum([len(found) for found in runs])]).astype(np.int64)
    ends = np.array([run for found in runs for run in found], dtype=np.int32).reshape(-1, 2)
    return LabelDecoding(start, ends[:, 0].copy(), ends[:, 1].copy(), values)


def shared(name, shown, people, column):
    """One column of rows of sets and of people of values."""
    labels = sorted({row[column] for row in shown}, key=sorted)
    label = np.array([labels.index(row[column]) for row in shown], dtype=np.int32)
    value = np.array([person[column] for person in people], dtype=np.int32)
    return SharedColumn(name, label, value, decoding_of(labels))


def data_of(shown, people, known, sensitive=(), *, alike=False, joint=True, limit=0.9):
    """The data of naive rows and people, with these columns."""
    columns = [shared(f"q{j}", shown, people, j) for j in known]
    return AttackData.of(
        [one.merged for one in columns] if alike else columns,
        [shared(f"s{j}", shown, people, j) for j in sensitive],
        joint=joint,
        limit=limit,
    )


PARTS = [
    [{0}, {1}, {2}, {3}],
    [{0}, {1, 2}, {3}],
    [{0, 1}, {2, 3}],
    [{1}, {0, 2, 3}],
    [{0, 1, 2, 3}],
]
"""Ways to show a column so that no value has two labels."""


@st.composite
def apart(draw, columns=3, max_rows=8):
    """Rows of sets, and people; no two labels of a column stand for the same value."""
    n, m = draw(st.integers(1, max_rows)), draw(st.integers(1, max_rows))
    person = st.tuples(*[st.integers(0, VALUES - 1)] * columns)
    cells = [
        st.sampled_from([*map(frozenset, draw(st.sampled_from(PARTS)))]) for _ in range(columns)
    ]
    people = draw(st.lists(person, min_size=m, max_size=m))
    return draw(st.lists(st.tuples(*cells), min_size=n, max_size=n)), people


@st.composite
def tables(draw, columns=3, same_length=False, exact=(), max_rows=8):
    """Rows of sets, and people; columns in `exact` show one value each."""
    n = draw(st.integers(1, max_rows))
    m = n if same_length else draw(st.integers(1, max_rows))
    value = st.integers(0, VALUES - 1)
    person = st.tuples(*[value] * columns)
    people = draw(st.lists(person, min_size=m, max_size=m))
    cells = [
        value.map(lambda v: frozenset({v})) if j in exact else st.frozensets(value, min_size=1)
        for j in range(columns)
    ]
    shown = draw(st.lists(st.tuples(*cells), min_size=n, max_size=n))
    return shown, people


def copy_of(people):
    """A release that shows everything."""
    return [tuple(frozenset({value}) for value in person) for person in people]


def suppressed(people, columns):
    """A release that shows nothing in these columns."""
    everything = frozenset(range(VALUES))
    return [
        tuple(everything if j in columns else frozenset({v}) for j, v in enumerate(person))
        for person in people
    ]
