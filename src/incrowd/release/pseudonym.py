"""Pseudonyms: names that only the holder of a key can make again.

A pseudonym is HMAC-SHA-256 of the column's name and the cell's text under a secret key, cut to 128
bits. The column's name is mixed in, so the same text in two columns gets two pseudonyms; the same
text in the same column gets the same pseudonym in every release made with the same key, which links
those releases. Whoever has the key can try all names, so it must stay secret; without it nothing
but equality can be learned.
"""

import hashlib
import hmac
from collections.abc import Iterable

from incrowd.errors import PolicyError

SHORTEST_KEY = 16
"""Bytes that a key has at least."""

DIGITS = 32
"""Hexadecimal digits of a pseudonym: 128 bits."""


def check_key(key: bytes | None) -> bytes:
    """The key, if it is one that can protect anything."""
    if key is None:
        raise PolicyError(
            "pseudonyms need a secret key",
            remedy="give a key file, or set the environment variable INCROWD_KEY",
        )
    if not isinstance(key, bytes):
        raise PolicyError("the key for pseudonyms is not bytes", remedy="encode it")
    if len(key) < SHORTEST_KEY:
        raise PolicyError(
            f"the key for pseudonyms has {len(key)} bytes",
            remedy=f"use at least {SHORTEST_KEY} random bytes",
        )
    return key


def pseudonyms(column: str, texts: Iterable[str | None], key: bytes) -> list[str | None]:
    """The pseudonyms of these cells of a column; a missing cell stays missing.

    >>> pseudonyms("name", ["Ann", None], b"0123456789abcdef")
    ['dd8b687d3c6178df60e63e0ffd37306a', None]
    """
    domain = hmac.new(check_key(key), digestmod=hashlib.sha256)
    name = column.encode()
    domain.update(len(name).to_bytes(8, "big") + name)
    return [None if text is None else _pseudonym(domain, text) for text in texts]


def _pseudonym(domain: hmac.HMAC, text: str) -> str:
    code = domain.copy()
    code.update(text.encode())
    return code.hexdigest()[:DIGITS]
