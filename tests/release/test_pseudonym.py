"""Pseudonyms: keyed, apart by column, silent about their key."""

import hashlib
import hmac
import re

import pytest

from incrowd.errors import PolicyError
from incrowd.release.rows import check_key, make_pseudonyms

KEY = b"a secret key of 16+ bytes"


def test_a_pseudonym_is_a_keyed_hash_of_column_and_text():
    name = b"name"
    message = len(name).to_bytes(8, "big") + name + "Zoë".encode()
    expected = hmac.new(KEY, message, hashlib.sha256).hexdigest()[:32]
    assert make_pseudonyms("name", ["Zoë"], KEY) == [expected]


def test_equal_cells_get_equal_pseudonyms_and_missing_stays_missing():
    first, nothing, again, other = make_pseudonyms("name", ["a", None, "a", "b"], KEY)
    assert first == again != other
    assert nothing is None
    assert re.fullmatch("[0-9a-f]{32}", first)


def test_columns_and_keys_keep_pseudonyms_apart():
    assert make_pseudonyms("a", ["x"], KEY) != make_pseudonyms("b", ["x"], KEY)
    assert make_pseudonyms("a", ["bx"], KEY) != make_pseudonyms("ab", ["x"], KEY)
    assert make_pseudonyms("a", ["x"], KEY) != make_pseudonyms("a", ["x"], KEY + b"!")


def test_no_key_and_a_short_key_are_refused_without_showing_it():
    with pytest.raises(PolicyError, match="INCROWD_KEY"):
        check_key(None)
    with pytest.raises(PolicyError) as caught:
        check_key(b"canary")
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("key", ["0123456789abcdef" * 2, 5])
def test_a_key_is_bytes(key):
    with pytest.raises(PolicyError, match="must be bytes"):
        check_key(key)
