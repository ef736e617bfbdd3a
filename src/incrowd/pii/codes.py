"""O and R: addresses that versions resemble, and numbers that only one record has."""

import re

from incrowd.pii.evidence import Finding
from incrowd.pii.forms import bare_address, is_internet_address
from incrowd.pii.identifiers import IDENTIFIERS
from incrowd.pii.look import MOST, Look, looks_like
from incrowd.table.column import Kind

_VERSION = frozenset(("version", "versions", "ver", "release", "build", "firmware", "revision"))
_CODE = re.compile(r"(?=\S*\d)[^\s,;]{4,}")
_ADDRESS = re.compile(r"[.:][0-9a-f]{0,4}[.:]").search
_DECIMAL = re.compile(r"[+-]?\d*[.,]\d+")
_OF_THEIR_OWN = 0.95
_FEW = 0.5
_ENOUGH = 20


def internet_addresses(look: Look) -> Finding | None:
    """That values are addresses; small numbers between dots may be versions."""
    if look.kind is not Kind.TEXT or look.words & _VERSION:
        return None
    share = look.share(is_internet_address, _ADDRESS)
    if not share:
        return None
    if look.share(_is_no_version, _ADDRESS):
        return look.fails(looks_like(share, "IP addresses"))
    return look.unseen("its values could be IP addresses or versions of something")


def _is_no_version(text: str) -> bool:
    """Whether an address has a number that versions hardly reach, or is none of four numbers."""
    if not is_internet_address(text):
        return False
    text = bare_address(text)
    return ":" in text or any(int(part) > 99 for part in text.split("."))


def numbers_things(look: Look) -> bool:
    """Whether a number in a column's name is one of things, as many records share it."""
    certain = (look.said & _REGISTERED.words) - _GENERAL
    return not certain and not look.says_person and look.distinct_share < _FEW


_REGISTERED = IDENTIFIERS[-1]
_GENERAL = frozenset(("id", "ids", "uid", "pid", "identifier", "ident", "barcode", "accession"))
"""Words for numbers of anything."""


def codes_of_their_own(look: Look) -> Finding | None:
    """That nearly every record has a code of its own, or a whole number."""
    if look.values < _ENOUGH or look.distinct_share < _OF_THEIR_OWN or look.kind is Kind.DATE:
        return None
    if look.kind is Kind.NUMBER:
        why = "nearly every record has a number of its own, which others may have too"
        return look.unseen(why) if look.is_whole else None
    if look.share(_is_code) >= MOST:
        return look.fails("nearly every record has a code of its own")
    return look.unseen("nearly every record has a text of its own")


def _is_code(text: str) -> bool:
    measured = _DECIMAL.fullmatch(text) or _MEASURED.fullmatch(text)
    return _CODE.fullmatch(text) is not None and measured is None


def unnamed_telephones(look: Look) -> Finding | None:
    """That ten digits could all be telephone numbers."""
    found = _could_be(look, _TEN, 10, "its values could be telephone numbers")
    if found is None or not look.words & _REACHED:
        return found
    return look.fails("by its name and its ten digits: telephone numbers")


def unnamed_social_security(look: Look) -> Finding | None:
    """That nine digits could all be social security numbers."""
    return _could_be(look, _NINE, 9, "its values could be social security numbers")


def _could_be(look: Look, form: re.Pattern[str], width: int, why: str) -> Finding | None:
    """Numbers may have lost leading zeros."""
    if (
        look.kind is Kind.DATE
        or len(look.domain) < _ENOUGH
        or (look.kind is Kind.NUMBER and not look.is_whole)
    ):
        return None
    share = look.share(lambda text: form.fullmatch(text.zfill(width)) and len(text) >= width - 1)
    return look.unseen(why) if share >= _OF_THEIR_OWN else None


_MEASURED = re.compile(r"\d{1,3}(?:[./:]\d{1,3})+")
"""120/80, 1:320 and 2.10.3."""
_REACHED = frozenset(("contact", "cell", "ph", "call", "callback", "emergency"))
_TEN = re.compile(r"[2-9]\d{2}[2-9]\d{6}")
_NINE = re.compile(r"(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}")


def sentences(look: Look) -> Finding | None:
    """That a column holds sentences."""
    return look.unseen("it holds sentences, which can tell anything") if look.is_prose else None
