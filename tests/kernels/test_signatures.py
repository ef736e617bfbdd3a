"""The types that kernels are compiled for can be written down and read again."""

from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import typeof
from numba.core import types

from incrowd.kernels import signatures

Pair = namedtuple("Pair", "first second")  # noqa: PYI024  numba knows these

SCALARS = st.sampled_from([types.int64, types.int32, types.uint8, types.float64, types.boolean])
ARRAYS = st.builds(
    types.Array, SCALARS, st.integers(1, 3), st.sampled_from("CFA"), readonly=st.booleans()
)
PLAIN = st.recursive(
    SCALARS | ARRAYS,
    lambda inner: st.lists(inner, min_size=1, max_size=4).map(types.BaseTuple.from_types),
    max_leaves=6,
)


@given(st.lists(PLAIN, max_size=5).map(tuple))
def test_what_is_written_is_read_again(signature):
    assert signatures.parse_types(signatures.types_as_text(signature)) == signature


def test_types_that_differ_are_written_differently():
    column = np.zeros((2, 3))
    frozen = np.zeros((2, 3))
    frozen.flags.writeable = False
    every = [
        column,
        frozen,
        column.T,
        column[:, ::2],
        column[0],
        1,
        1.0,
        True,
        (1,),
        (1, 1),
        (1.0, 1),
    ]
    assert len({signatures.types_as_text([typeof(one)]) for one in every}) == len(every)


def test_a_named_tuple_keeps_its_class():
    signature = (typeof(Pair(1, np.zeros(2))),)
    assert signatures.parse_types(signatures.types_as_text(signature)) == signature
    assert signatures.types_as_text(signature) != signatures.types_as_text(
        (typeof((1, np.zeros(2))),)
    )


def test_fields_in_another_order_are_another_type(monkeypatch):
    text = signatures.types_as_text((typeof(Pair(1, 2)),))
    turned = namedtuple("Pair", "second first")  # noqa: PYI024  numba knows these
    monkeypatch.setattr(turned, "__module__", __name__)
    assert signatures.types_as_text((typeof(turned(1, 2)),)) != text
    monkeypatch.setitem(globals(), "Pair", turned)
    with pytest.raises(ValueError, match="other fields"):
        signatures.parse_types(text)


def test_a_type_without_a_text_is_refused():
    with pytest.raises(ValueError, match="no text"):
        signatures.types_as_text([types.unicode_type])


def test_every_listed_signature_names_a_kernel():
    found = signatures.load_signatures()
    assert len(found["all"]) > 100
    for name, takes in found["all"]:
        assert (
            len(signatures.parse_types(takes))
            == len(signatures.load_kernel(name).py_func.__annotations__) - 1
        )


def test_the_list_is_written_as_it_is_read():
    text = signatures.list_as_text(
        {verb: list(one) for verb, one in signatures.load_signatures().items()}
    )
    assert text == signatures.LIST.read_text(encoding="utf-8")
