"""Identifiers A and B: names of people, places and postal codes, by column name or values."""

import re

from incrowd.hierarchy.regions import is_country
from incrowd.hierarchy.zips import digits_shown, is_populous, people_by_area, zip_texts
from incrowd.pii.column_names import (
    ADDRESSES,
    FILES,
    IDENTIFIERS,
    NETWORKS,
    POSTAL,
    THINGS,
    VAGUE_PLACES,
)
from incrowd.pii.profile import (
    MOST,
    ColumnFinding,
    ColumnProfile,
    SafeHarborRules,
    looks_like,
    parts_of,
)
from incrowd.pii.words import PERSONS, word_set
from incrowd.table.column import Domain, Kind
from incrowd.table.names import words_of

_WHERE = IDENTIFIERS[1].words - ADDRESSES
"""Names of small places that no network has: `ip_city` is one."""
_NEARLY_ALL = 0.95
_KNOWN = 0.9
_STATES = """
AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|
DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|
KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|
MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|
NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|
PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|
VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|AS American Samoa|
GU Guam|MP Northern Mariana Islands|PR Puerto Rico|VI Virgin Islands
"""
STATES = frozenset(
    part.casefold()
    for entry in _STATES.replace("\n", "").split("|")
    for part in (entry[:2], entry[3:])
)
"""States and territories of the United States, by name and by postal abbreviation."""


def names_postal_codes(profile: ColumnProfile) -> bool:
    """Whether the name of a column says ZIP or postal codes."""
    return bool(profile.words_and_compounds & POSTAL) and not profile.words & FILES


def is_no_place(profile: ColumnProfile) -> bool:
    """Whether a column named as a place has none: networks, postal codes, two-digit state codes."""
    if (
        profile.words & NETWORKS and not profile.words_and_compounds & _WHERE
    ) or names_postal_codes(profile):
        return True
    two_digits = all(text.isdigit() and len(text) <= 2 for text in profile.texts)
    return "fips" in profile.words and two_digits


def zip_codes(profile: ColumnProfile, rules: SafeHarborRules) -> ColumnFinding | None:
    """The finding that postal codes show more than is allowed, or are no ZIP codes; None if not."""
    if not names_postal_codes(profile) or profile.is_flag or profile.is_about:
        return None
    domain = profile.domain
    codes = Domain(Kind.TEXT, domain.labels) if domain.kind is Kind.DATE else domain
    unmasked = [code for code in zip_texts(codes) if code.strip("*")]
    shown = [digits_shown(part) for code in unmasked for part in parts_of(code)]
    if any(digits is None for digits in shown):
        return profile.finding("its name suggests postal codes, and not all values are ZIP codes")
    digits = [digits for digits in shown if digits]
    if any(len(one) > 3 for one in digits):
        return profile.finding("shows more than three digits of ZIP codes")
    areas = {one for one in digits if len(one) == 3 and one != "000"}
    if all(is_populous(area, rules.people) for area in areas):
        return None
    return profile.finding(
        "shows ZIP codes of areas with 20,000 people or fewer, which must be 000"
    )


def vague_places(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that a column's name may say a small place: a person must look. None if not."""
    if (
        profile.is_flag
        or profile.is_about
        or not profile.words_and_compounds & VAGUE_PLACES
        or _are_large_places(profile)
    ):
        return None
    return profile.unseen_finding("its name suggests a place smaller than a state")


def unnamed_zip_codes(profile: ColumnProfile, rules: SafeHarborRules) -> ColumnFinding | None:
    """The finding that nearly all texts could be ZIP codes: a person must look. None if not."""
    if profile.kind is not Kind.TEXT or len(profile.domain) < 10 or names_postal_codes(profile):
        return None
    areas = {*people_by_area(), *rules.people}
    known = profile.share(lambda text: len(text) == 5 and text.isdigit() and text[:3] in areas)
    return profile.unseen_finding("the values could be ZIP codes") if known >= _KNOWN else None


_CITY = re.compile(
    rf"[a-z][a-z .'-]+, ?(?:{'|'.join(sorted(s for s in STATES if len(s) == 2))})"
    r"(?: \d{5}(?:-\d{4})?)?"
    r"|[a-z][a-z .'-]+ (?:county|parish|borough)",
    re.IGNORECASE,
)


def small_places(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that most values are cities with their state, or counties; None if not."""
    share = profile.share(_CITY.fullmatch) if profile.kind is Kind.TEXT else 0.0
    return profile.finding(looks_like(share, "cities or counties")) if share >= MOST else None


def _are_large_places(profile: ColumnProfile) -> bool:
    """Whether nearly all values are US states or countries; false if there are none."""
    return not profile.is_empty and profile.share(is_large_place, bool) >= _NEARLY_ALL


def is_large_place(text: str) -> bool:
    """Whether a text names a state of the United States or a country."""
    return text.casefold() in STATES or is_country(text)


_LETTERS = r"[^\W\d_](?:[^\W\d_]|['\u2019-])"
_GIVEN_LAST = re.compile(rf"{_LETTERS}+, ?{_LETTERS}*\.?(?: [^\W\d_]\.?)?")
_WORDS = re.compile(rf"(?:{_LETTERS}+\.? |[^\W\d_]\. ?){{1,3}}{_LETTERS}+")
_INSTITUTIONS = word_set(
    "hospital clinic center centre medical school university college church street inc ltd"
)
_KNOWN_NAMES = 0.2
_ALONE = 0.6
_SOME = 10
_OF_THEIR_OWN = 0.9
_ENOUGH = 20


def is_name_of_things(profile: ColumnProfile) -> bool:
    """Whether a column named after a name is of names of things, such as `drug_name`, or no texts.

    Of the words for things and for people in its name the last one counts.
    """
    own = {"name", "names"} & profile.words_and_compounds
    named = [w for w in words_of(profile.name) if w in THINGS or w.startswith(PERSONS)]
    return profile.kind is not Kind.TEXT or bool(own and not THINGS.isdisjoint(named[-1:]))


def names_of_persons(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that values are names of persons, by given names or by their form; None if not.

    By form only if nearly each record has its own: illnesses repeat. None if named after things.
    """
    if profile.words & THINGS:
        return None
    if _has_many_given_names(profile):
        return profile.finding("the values contain given names")
    found = possible_names(profile)
    if found is None or profile.filled < _ENOUGH or profile.distinct_share < _OF_THEIR_OWN:
        return None
    return profile.finding("the values look like names, and nearly every record has its own")


def possible_names(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that most values have the form of persons' names; None if not.

    A person must look, as titles may have it, too. In a column named after things, given names must
    be among them.
    """
    if profile.kind is not Kind.TEXT or profile.share(_may_be_name) < MOST:
        return None
    if profile.words & THINGS and not _has_many_given_names(profile):
        return None
    return profile.unseen_finding("the values could be names of people")


def _has_many_given_names(profile: ColumnProfile) -> bool:
    """Whether 60 % of ten or more texts are a common given name, or 20 % hold one."""
    if profile.kind is not Kind.TEXT or len(profile.texts) < _SOME:
        return False
    alone = profile.share(lambda text: text.casefold() in GIVEN)
    return alone >= _ALONE or profile.share(_holds_given_name) >= _KNOWN_NAMES


def _holds_given_name(text: str) -> bool:
    """Whether the first or second of two to four words is a given name, in no institution."""
    words = re.split(r"[ ,]+", text.casefold())
    if _INSTITUTIONS.intersection(words):
        return False
    return 2 <= len(words) <= 4 and any(word in GIVEN for word in (words[0], *words[1:2]))


def _may_be_name(text: str) -> bool:
    """Whether a text has the form of a person's name and is no state or country."""
    if is_large_place(text):
        return False
    if _GIVEN_LAST.fullmatch(text):
        return True
    return _WORDS.fullmatch(text) is not None and all(word[0].isupper() for word in text.split())


GIVEN = word_set("""
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
""")
"""Common given names that are not also places, months or flowers: no Virginia, June or Rose."""
