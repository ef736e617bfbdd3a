"""Identifier A: names of people, by the name of the column or by what the values look like."""

import re

from incrowd.pii.column_names import THINGS
from incrowd.pii.places import is_large_place
from incrowd.pii.profile import MOST, ColumnFinding, ColumnProfile
from incrowd.pii.words import PERSONS
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


def is_things_name(profile: ColumnProfile) -> bool:
    """Whether a column names things, not people; numbers name nobody.

    Of several words the last one decides: the name of a test subject is no name of a test.
    """
    own = {"name", "names"} & profile.said
    named = [w for w in words_of(profile.name) if w in THINGS or w.startswith(PERSONS)]
    return profile.kind is not Kind.TEXT or bool(own and not THINGS.isdisjoint(named[-1:]))


def names_of_persons(profile: ColumnProfile) -> ColumnFinding | None:
    """That most values look like names, and nearly every record has its own.

    Illnesses and places look the same, but repeat.
    """
    if profile.words & THINGS:
        return None
    if _given_names(profile):
        return profile.fails("the values contain given names")
    found = possible_names(profile)
    if found is None or profile.values < _ENOUGH or profile.distinct_share < _OF_THEIR_OWN:
        return None
    return profile.fails("the values look like names, and nearly every record has its own")


def possible_names(profile: ColumnProfile) -> ColumnFinding | None:
    """That most values are two or more words with capitals, as names are and titles may be.

    In a column that is named after things, given names must be among them.
    """
    if profile.kind is not Kind.TEXT or profile.share(_is_name) < MOST:
        return None
    if profile.words & THINGS and not _given_names(profile):
        return None
    return profile.unseen("the values could be names of people")


def _given_names(profile: ColumnProfile) -> bool:
    """Whether many values hold a common given name, alone or beside another word or two."""
    if profile.kind is not Kind.TEXT or len(profile.texts) < _SOME:
        return False
    alone = profile.share(lambda text: text.casefold() in GIVEN)
    return alone >= _ALONE or profile.share(_holds_given_name) >= _KNOWN


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


_GIVEN = """
james robert john michael david william richard joseph thomas charles christopher daniel matthew
anthony mark donald steven andrew paul joshua kenneth kevin brian george timothy ronald edward
jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin
samuel gregory alexander patrick frank raymond jack dennis jerry tyler aaron jose adam nathan henry
zachary douglas peter kyle noah ethan jeremy walter keith roger juan carlos luis jesus miguel pedro
mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra
margaret ashley kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca sharon
laura cynthia dorothy amy kathleen angela shirley emma brenda pamela nicole anna samantha katherine
christine helen debra rachel carolyn janet maria catherine heather diane olivia julie joyce victoria
ruth lauren kelly christina joan evelyn judith andrea hannah megan cheryl jacqueline martha
teresa ann sara gloria kathryn janice rosa ana sofia isabella lucia carmen
hans klaus peter jan lukas felix karl fritz otto greta ingrid heidi pierre jean marie claire luc
giovanni marco luca giulia mohammed ahmed fatima aisha wei ming priya raj anil yuki hiroshi olga
"""
GIVEN = frozenset(_GIVEN.split())
"""Common given names that are not also places, months or flowers: no Virginia, June or Rose."""
