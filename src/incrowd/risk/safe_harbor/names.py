"""A: names of persons, by the name of the column or by the look of the values."""

import re

from incrowd.risk.safe_harbor.evidence import Finding
from incrowd.risk.safe_harbor.identifiers import THINGS
from incrowd.risk.safe_harbor.look import MOST, Look
from incrowd.risk.safe_harbor.places import is_large_place
from incrowd.table.column import Kind

_GIVEN_LAST = re.compile(r"[^\W\d_][^\W\d_'-]+, [^\W\d_][^\W\d_'-]*\.?(?: [^\W\d_]\.?)?")
_WORDS = re.compile(r"(?:[^\W\d_][^\W\d_'-]+\.? ){1,3}[^\W\d_][^\W\d_'-]+")
_OF_THEIR_OWN = 0.9
_ENOUGH = 20


def is_things_name(look: Look) -> bool:
    """Whether a column's name says that it names things, not persons; numbers name nobody."""
    own = {"name", "names"} & look.said
    return look.kind is not Kind.TEXT or bool(own and look.words & THINGS)


def names_of_persons(look: Look) -> Finding | None:
    """That most values look like names, and nearly every record has one of its own.

    Illnesses and places look the same, but return.
    """
    found = possible_names(look)
    if found is None or look.values < _ENOUGH or look.distinct_share < _OF_THEIR_OWN:
        return None
    return look.fails("its values look like names, and nearly every record has one of its own")


def possible_names(look: Look) -> Finding | None:
    """That most values are two or more words with capitals, as names are and titles may be."""
    if look.kind is not Kind.TEXT or look.words & THINGS or look.share(_is_name) < MOST:
        return None
    return look.unseen("its values could be names of persons")


def _is_name(text: str) -> bool:
    if is_large_place(text):
        return False
    if _GIVEN_LAST.fullmatch(text):
        return True
    return _WORDS.fullmatch(text) is not None and all(word[0].isupper() for word in text.split())
