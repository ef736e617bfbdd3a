"""Identifiers O, R, D and G: IP addresses, codes that only one record has, unnamed numbers."""

import re

from incrowd.pii.column_names import IDENTIFIERS
from incrowd.pii.patterns import bare_address, is_internet_address
from incrowd.pii.profile import MOST, ColumnFinding, ColumnProfile, looks_like
from incrowd.table.column import Kind

_VERSION = frozenset(("version", "versions", "ver", "release", "build", "firmware", "revision"))
_CODE = re.compile(r"(?=\S*\d)[^\s,;]{4,}")
_ADDRESS = re.compile(r"[.:][0-9a-f]{0,4}[.:]").search
_DECIMAL = re.compile(r"[+-]?\d*[.,]\d+")
_OF_THEIR_OWN = 0.95
_FEW = 0.5
_ENOUGH = 20


def internet_addresses(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding of IP addresses; None if not. A person must look if all may be versions."""
    if profile.kind is not Kind.TEXT or profile.words & _VERSION:
        return None
    share = profile.share(is_internet_address, _ADDRESS)
    if not share:
        return None
    if profile.share(_exceeds_versions, _ADDRESS):
        return profile.finding(looks_like(share, "IP addresses"))
    return profile.unseen_finding("the values could be IP addresses or version numbers")


def _exceeds_versions(text: str) -> bool:
    """Whether a text is an IP address with a colon, or a number that versions hardly reach."""
    if not is_internet_address(text):
        return False
    text = bare_address(text)
    return ":" in text or any(int(part) > 99 for part in text.split("."))


def are_drug_codes(profile: ColumnProfile) -> bool:
    """Whether most values are National Drug Codes: labeler, product, package (21 CFR 207.33)."""
    return profile.kind is Kind.TEXT and profile.share(_DRUG.fullmatch) >= MOST


_DRUG = re.compile(r"\d{4}-\d{4}-\d{2}|\d{5}-\d{3}-\d{2}|\d{5}-\d{4}-\d{1,2}")


def is_number_of_things(profile: ColumnProfile) -> bool:
    """Whether a column numbers things: by a general name, no person, over two records a value."""
    certain = (profile.words_and_compounds & _REGISTERED.words) - _GENERAL
    return not certain and not profile.says_person and profile.distinct_share < _FEW


_REGISTERED = IDENTIFIERS[-1]
_GENERAL = frozenset(("id", "ids", "uid", "pid", "identifier", "ident", "barcode", "accession"))
"""Words for numbers of anything."""


def codes_of_their_own(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that nearly every record has its own code, number or text; None if not."""
    if (
        profile.filled < _ENOUGH
        or profile.distinct_share < _OF_THEIR_OWN
        or profile.kind is Kind.DATE
        or are_drug_codes(profile)
    ):
        return None
    if profile.kind is Kind.NUMBER:
        why = "nearly every record has its own number, which others may know"
        return profile.unseen_finding(why) if profile.is_whole else None
    if profile.share(_is_code) >= MOST:
        return profile.finding("nearly every record has its own code")
    return profile.unseen_finding("nearly every record has its own text")


def _is_code(text: str) -> bool:
    """Whether a text is a code, and neither a decimal number nor a measurement."""
    measured = _DECIMAL.fullmatch(text) or _MEASURED.fullmatch(text)
    return _CODE.fullmatch(text) is not None and measured is None


def unnamed_telephones(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that nearly all values are ten digits, as telephone numbers are; None if not."""
    finding = _digits_finding(profile, _TEN, 10, "the values could be phone numbers")
    if finding is None or not profile.words & _REACHED:
        return finding
    return profile.finding("its name and ten digits suggest phone numbers")


def unnamed_social_security(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that nearly all values are nine digits, as of social security; None if not."""
    return _digits_finding(profile, _NINE, 9, "the values could be social security numbers")


def _digits_finding(
    profile: ColumnProfile, form: re.Pattern[str], width: int, why: str
) -> ColumnFinding | None:
    """The finding that a person must look (`why`) since nearly all fit `form`; None if not.

    A value may have lost a zero in front of `width` digits.
    """
    if (
        profile.kind is Kind.DATE
        or len(profile.domain) < _ENOUGH
        or (profile.kind is Kind.NUMBER and not profile.is_whole)
    ):
        return None
    share = profile.share(lambda text: form.fullmatch(text.zfill(width)) and len(text) >= width - 1)
    return profile.unseen_finding(why) if share >= _OF_THEIR_OWN else None


_MEASURED = re.compile(r"\d{1,3}(?:[./:]\d{1,3})+")
"""120/80, 1:320 and 2.10.3."""
_REACHED = frozenset(("contact", "cell", "ph", "call", "callback", "emergency"))
_TEN = re.compile(r"[2-9]\d{2}[2-9]\d{6}")
_NINE = re.compile(r"(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}")
