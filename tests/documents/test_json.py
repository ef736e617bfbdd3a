"""What other programs read."""

import json
import math
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.documents.json import dumps, lattice_document
from incrowd.search.lattice.frontier import Explored, NodeState

documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def expected(value):
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [expected(item) for item in value]
    if isinstance(value, dict):
        return {key: expected(item) for key, item in value.items()}
    return value


def forbidden(constant):
    raise AssertionError(constant)


@settings(deadline=None)
@given(st.dictionaries(st.text(), documents))
def test_every_document_is_json_and_reads_back(document):
    assert json.loads(dumps(document), parse_constant=forbidden) == expected(document)


def test_arrays_and_numpy_numbers_are_plain():
    document = {"a": np.array([1.0, np.nan]), "b": np.int64(3), "c": np.float64(0.5), "d": (1,)}
    assert json.loads(dumps(document)) == {"a": [1, None], "b": 3, "c": 0.5, "d": [1]}


def test_surrogates_do_not_break_the_document():
    assert json.loads(dumps({"\ud800": 1}).encode(errors="surrogatepass").decode(errors="replace"))


def test_a_lattice_counts_nodes_that_are_not_on_record():
    levels, one = np.zeros((1, 1), dtype=np.int32), np.ones(1, dtype=np.int64)
    state = np.full(1, NodeState.RELEASABLE, dtype=np.int32)
    for left_out, more in ((0, {}), (70, {"not_listed": 70})):
        seen = Explored(("a",), levels, one, one, np.ones(1), state, 0, 99, left_out)
        made = SimpleNamespace(
            explored=seen,
            search="lattice",
            optimal=True,
            policy=SimpleNamespace(loss=SimpleNamespace(name="gcp")),
        )
        document = lattice_document(made, [{"a": 0}])
        assert (document["nodes"], document["counted"]) == (99, 1 + left_out)
        assert {name: document[name] for name in document if name == "not_listed"} == more
