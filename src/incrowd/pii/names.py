"""A: names of persons, by the name of the column or by the look of the values."""

import re

from incrowd.pii.evidence import Finding
from incrowd.pii.given_names import GIVEN
from incrowd.pii.identifiers import PERSONS, THINGS
from incrowd.pii.look import MOST, Look
from incrowd.pii.places import is_large_place
from incrowd.table.column import Kind
from incrowd.table.names import words_of

_LETTERS = r"[^\W\d_](?:[^\W\d_]|['\u2019-])"
_GIVEN_LAST = re.compile(rf"{_LETTERS}+, ?{_LETTERS}*\.?(?: [^\W\d_]\.?)?")
_WORDS = re.compile(rf"(?:{_LETTERS}+\.? |[^\W\d_]\. ?){{1,3}}{_LETTERS}+")
_INSTITUTIONS = frozenset(
    "hospital clinic center centre medical school university college church street inc ltd".split()  # noqa: SIM905  it reads better
)
_KNOWN = 0.2
_ALONE = 0.6
_SOME = 10
_OF_THEIR_OWN = 0.9
_ENOUGH = 20


def is_things_name(look: Look) -> bool:
    """Whether a column's name says that it names things, not persons; numbers name nobody.

    Of several words the last one decides: the name of a test subject is no name of a test.
    """
    own = {"name", "names"} & look.said
    named = [w for w in words_of(look.name) if w in THINGS or w.startswith(PERSONS)]
    return look.kind is not Kind.TEXT or bool(own and not THINGS.isdisjoint(named[-1:]))


def names_of_persons(look: Look) -> Finding | None:
    """That most values look like names, and nearly every record has one of its own.

    Illnesses and places look the same, but return.
    """
    if look.words & THINGS:
        return None
    if _given_names(look):
        return look.fails("its values hold given names of persons")
    found = possible_names(look)
    if found is None or look.values < _ENOUGH or look.distinct_share < _OF_THEIR_OWN:
        return None
    return look.fails("its values look like names, and nearly every record has one of its own")


def possible_names(look: Look) -> Finding | None:
    """That most values are two or more words with capitals, as names are and titles may be.

    In a column that is named after things, given names must be among them.
    """
    if look.kind is not Kind.TEXT or look.share(_is_name) < MOST:
        return None
    if look.words & THINGS and not _given_names(look):
        return None
    return look.unseen("its values could be names of persons")


def _given_names(look: Look) -> bool:
    """Whether many values hold a common given name, alone or beside another word or two."""
    if look.kind is not Kind.TEXT or len(look.texts) < _SOME:
        return False
    alone = look.share(lambda text: text.casefold() in GIVEN)
    return alone >= _ALONE or look.share(_holds_given_name) >= _KNOWN


def _holds_given_name(text: str) -> bool:
    words = re.split(r"[ ,]+", text.casefold())
    if _INSTITUTIONS.intersection(words):
        return False
    return 2 <= len(words) <= 4 and any(word in GIVEN for word in (words[0], *words[1:2]))


def _is_name(text: str) -> bool:
    if is_large_place(text):
        return False
    if _GIVEN_LAST.fullmatch(text):
        return True
    return _WORDS.fullmatch(text) is not None and all(word[0].isupper() for word in text.split())
