"""Patterns of values for `incrowd init` and Safe Harbor; check digits tell false ones apart."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from incrowd.pii.profile import MOST, ColumnFinding, ColumnProfile, Test, looks_like
from incrowd.table.column import Kind, Role


@dataclass(frozen=True)
class ValuePattern:
    """What values of one sort look like, for a draft and for Safe Harbor."""

    name: str
    fits: Test
    letter: str = ""
    """The identifier of Safe Harbor that such values are, A to R; none if empty."""
    hint: Test | None = None
    """What all such values contain, if one is enough for Safe Harbor; otherwise most must fit."""
    least: int = 1
    """With fewer distinct values the pattern may be chance."""
    numbers: bool = False
    """Whether whole numbers can fit."""
    role: Role = Role.IDENTIFIER
    """The role of such a column in a draft."""
    looser: Test | None = None
    """What is enough for a draft, which a person reviews."""
    sure: bool = True
    """Whether the pattern alone settles the role."""
    advice: str = ""
    """What would make more of such values than text."""

    def find_in(self, profile: ColumnProfile) -> ColumnFinding | None:
        """The finding that the column holds the identifier of this pattern; None if not."""
        if not self.letter or profile.kind is Kind.DATE:
            return None
        if profile.kind is Kind.NUMBER and not (self.numbers and profile.is_whole):
            return None
        share = profile.share(self.fits, self.hint)
        enough = share > 0 if self.hint else share >= MOST
        if not enough or len(profile.texts) < self.least:
            return None
        return profile.finding(looks_like(share, self.name))


def pattern_of(profile: ColumnProfile) -> tuple[ValuePattern, float] | None:
    """The first pattern that most values of a text column fit, and their share; None if none."""
    if profile.kind is not Kind.TEXT or not len(profile.domain):
        return None
    for pattern in PATTERNS:
        if len(profile.domain) >= pattern.least:
            share = _share_of(profile.sample, pattern.looser or pattern.fits)
            if share >= MOST:
                return pattern, share
    return None


def _share_of(texts: Sequence[str], fits: Test) -> float:
    """The share of the texts that fit; 0.0 if it is below `MOST`."""
    most = (1 - MOST) * len(texts) + 1e-9
    missed = 0
    for text in texts:
        missed += not fits(text)
        if missed > most:
            return 0.0
    return 1 - missed / len(texts)


def identifiers_in(profile: ColumnProfile) -> Iterator[tuple[str, ColumnFinding]]:
    """Yield the letter and the finding of each identifier that the values of a column are."""
    for pattern in PATTERNS:
        if (finding := pattern.find_in(profile)) is not None:
            yield pattern.letter, finding


def _whole_text_test(pattern: str) -> Test:
    """Make a test of whole texts by a regular expression, whatever the case."""
    return re.compile(pattern, re.IGNORECASE).fullmatch


def _search_test(pattern: str) -> Test:
    """Make a test of whether a regular expression is found in a text, whatever the case."""
    return re.compile(pattern, re.IGNORECASE).search


def _any_word_test(*words: str) -> Test:
    """Make a test of whether a text, in lower case, contains one of these words anywhere."""
    return lambda text: any(word in text for word in words)


def has_social_security_number(text: str) -> bool:
    """Whether a text holds a social security number that may have been issued.

    >>> has_social_security_number("078-05-1120"), has_social_security_number("666-05-1120")
    (True, False)
    """
    return any(_may_be_issued(found) for found in _SOCIAL.finditer(text))


_SOCIAL = re.compile(r"(?<![\d-])(\d{3})([- ])(\d{2})\2(\d{4})(?![\d-])")


def _may_be_issued(found: re.Match[str]) -> bool:
    """Whether area, group and serial number of a match are such as are issued."""
    area, _, group, serial = found.groups()
    return area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"


def is_vehicle_number(text: str) -> bool:
    """Whether a text is a vehicle identification number, by its check digit (49 CFR 565.15).

    >>> is_vehicle_number("1M8GDM9AXKP042788"), is_vehicle_number("1M8GDM9A1KP042788")
    (True, False)
    """
    text = text.upper()
    if re.fullmatch(r"[A-HJ-NPR-Z0-9]{17}", text) is None:
        return False
    total = sum(w * _VALUE[c] for w, c in zip(_WEIGHT, text, strict=True)) % 11
    return text[8] == ("X" if total == 10 else str(total))


_WEIGHT = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VALUE = {str(digit): digit for digit in range(10)} | dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True)
)


def has_check_sum(digits: str) -> bool:
    """Whether digits end in the check digit of Luhn's formula, as cards and telephones have it.

    >>> has_check_sum("4111111111111111"), has_check_sum("4111111111111112")
    (True, False)
    """
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return sum(d - 9 * (d > 9) for d in doubled) % 10 == 0


def is_card_number(text: str) -> bool:
    """Whether a text is a card number, check digit and all: 16 digits, or 15 as some cards have."""
    found = re.fullmatch(r"(\d{4})([ -]?)\d{4}\2\d{4}\2\d{4}|3[47]\d{13}", text)
    return found is not None and has_check_sum(re.sub(r"\D", "", text))


def is_bank_account(text: str) -> bool:
    """Whether a text is an IBAN: letters of a country, check digits, letters and digits.

    >>> is_bank_account("GB82 WEST 1234 5698 7654 32"), is_bank_account("GB83WEST12345698765432")
    (True, False)
    """
    code = text.replace(" ", "").upper()
    if re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", code) is None:
        return False
    return int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1


def is_mobile_device_number(text: str) -> bool:
    """Whether a text is an IMEI: fifteen digits, the last a check digit; no card (34, 37)."""
    return re.fullmatch(r"(?!3[47])[0-9]{15}", text) is not None and has_check_sum(text)


def is_internet_address(text: str) -> bool:
    """Whether a text is an address of IP version 4 or 6; 10.0.19041.1, a version, is none.

    >>> is_internet_address("192.0.2.17"), is_internet_address("10.0.19041.1")
    (True, False)
    """
    text = bare_address(text)
    if text.count(".") != 3 and text.count(":") < 2:
        return False
    try:
        ip_address(text)
    except ValueError:
        return False
    return text != "::"


def bare_address(text: str) -> str:
    """The address without its port or the size of its network.

    >>> bare_address("192.0.2.17:80"), bare_address("[2001:db8::1]:443"), bare_address("10.0.0.0/8")
    ('192.0.2.17', '2001:db8::1', '10.0.0.0')
    """
    text = _NETWORK.sub("", text)
    found = _WITH_PORT.fullmatch(text)
    return text if found is None else found[1] or found[2]


_NETWORK = re.compile(r"/\d{1,3}$")
_WITH_PORT = re.compile(
    r"\[([0-9a-f:.]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5}", re.IGNORECASE
)


def has_telephone_number(text: str) -> bool:
    """Whether a text holds a phone number with separators; ten digits alone may be anything.

    >>> [has_telephone_number(text) for text in ("(212) 555-0143", "2125550143", "+0.25183746")]
    [True, False, False]
    """
    return any(pattern.search(text) for pattern in (_AMERICAN, _WITH_COUNTRY, _CALLED))


_AMERICAN = re.compile(
    r"(?<![\d.-])(?:\+?1[-. ]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}(?P<by>[-. ]))[2-9]\d{2}"
    r"(?(by)(?P=by)|[-. ])\d{4}(?![\d-]|\.\d)"
)
_CALLED = re.compile(
    r"\b(?:call|phone|tel|ph|cell|mobile|fax)\b\D{0,12}\+?1?[2-9]\d{2}[2-9]\d{6}\b", re.IGNORECASE
)
_MAY_CALL = r"[-+]\d|\d{3}[-. ]\d{3}[-. ]\d{4}|\) ?\d{3}[-. ]\d{4}|\d{10}\b"
_WITH_COUNTRY = re.compile(r"^(?!\+\d*\.\d+$)\+\d[\d .()-]{7,16}\d$")
_BENEFICIARY = (
    r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d"
    r"-?[AC-HJKMNP-RT-Y]{2}\d{2}"
)
_STREET = (
    r"\b\d{1,5}[a-z]? (?:[a-z0-9'.-]+ ){1,4}(?:street|avenue|boulevard|parkway)\b"
    r"|\bp\.? ?o\.? box \d+"
)
_SHORT_STREET = (
    r"\d{1,5}[a-z]? (?:[a-z0-9'.-]+ ){1,4}"
    r"(?:st|ave|rd|road|blvd|ln|lane|ct|court|pkwy|hwy|dr|drive|way|pl|ter|terrace)\b.*"
)
_IMAGE = (
    r"data:image/.*|.+\.(?:jpe?g|png|gif|bmp|tiff?|heic|webp)|(?:/9j/|iVBORw0KGgo)[a-z0-9+/=]{40,}"
    r"|(?:ffd8ff|89504e470d0a1a0a)[0-9a-f]{40,}"
)

_SPELLED = (
    r"[\w.+-]+ ?[\[(]at[\])] ?[\w-]+ ?(?:\.|[\[(]dot[\])]) ?[a-z]{2,}|\w+ at \w+ dot [a-z]{2,}"
)
_HOST = (
    r"(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|mil|io|info|biz|me|us|uk|ca|de|fr|es|it|nl)"
    r"(?::\d+)?(?:/\S*)?"
)

PATTERNS = (
    ValuePattern(
        "e-mail addresses",
        _search_test(r"[^@\s]{1,64}@[^@\s]{1,250}\.[a-z]{2,}"),
        "F",
        _any_word_test("@"),
        looser=_whole_text_test(r"[^@\s]+@[^@\s]+\.[a-z]{2,}"),
    ),
    ValuePattern(
        "e-mail addresses", _search_test(_SPELLED), "F", _any_word_test("[at]", "(at)", " dot ")
    ),
    ValuePattern(
        "UUIDs", _whole_text_test(r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?"), "R"
    ),
    ValuePattern(
        "social security numbers",
        has_social_security_number,
        "G",
        _search_test(r"[- ]\d{2}[- ]\d{4}"),
        looser=_whole_text_test(r"\d{3}-\d{2}-\d{4}"),
    ),
    ValuePattern(
        "social security numbers",
        _search_test(r"\bss[n#]\D{0,5}\d{9}\b"),
        "G",
        _any_word_test("ss"),
    ),
    ValuePattern(
        "hardware addresses",
        _whole_text_test(r"(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}"),
        "M",
    ),
    ValuePattern(
        "IP addresses", _whole_text_test(r"\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{0,4}:){3,7}\S*")
    ),
    ValuePattern(
        "web addresses",
        _search_test(r"\b(?:https?|ftp)://\S|\bwww\.\w"),
        "N",
        _any_word_test("://", "www."),
        looser=_whole_text_test(r"(?:https?://|www\.)\S+"),
    ),
    ValuePattern("web addresses", _whole_text_test(_HOST), "N"),
    ValuePattern(
        "IBANs",
        is_bank_account,
        "J",
        looser=_whole_text_test(r"[a-z]{2}\d{2}(?: ?[0-9a-z]{4}){3,7}(?: ?[0-9a-z]{1,3})?"),
    ),
    ValuePattern(
        "card numbers",
        is_card_number,
        "J",
        least=3,
        numbers=True,
        looser=_whole_text_test(r"\d{4}([ -])\d{4}\1\d{4}\1\d{4}"),
    ),
    ValuePattern(
        "phone numbers",
        has_telephone_number,
        "D",
        _search_test(_MAY_CALL),
        looser=_whole_text_test(
            r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,5}\)[ .-]?)\d{3,4}[ .-]?\d{3,5}"
            r"|\+\d[\d .()-]{7,16}\d|\d{3}[ .-]\d{3}[ .-]\d{4}"
        ),
    ),
    ValuePattern(
        "dates",
        _whole_text_test(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T].*)?"),
        role=Role.QUASI,
        sure=False,
        advice="read as text: write them like 2024-12-31 to get months and years",
    ),
    ValuePattern(
        "numbers with a decimal comma",
        _whole_text_test(r"[+-]?\d[\d.]*,\d+"),
        role=Role.QUASI,
        sure=False,
        advice="read as text: write them with a decimal point to get intervals",
    ),
    ValuePattern(
        "ZIP codes of nine digits",
        _whole_text_test(r"\d{5}-\d{4}"),
        "B",
        least=5,
        role=Role.QUASI,
        sure=False,
    ),
    ValuePattern(
        "postal codes", _whole_text_test(r"\d{5}(?:-\d{4})?"), role=Role.QUASI, sure=False, least=10
    ),
    ValuePattern(
        "postal codes",
        _whole_text_test(r"[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}|[a-z]\d[a-z] ?\d[a-z]\d"),
        role=Role.QUASI,
        sure=False,
        least=5,
    ),
    ValuePattern(
        "ICD codes",
        _whole_text_test(r"[a-tv-z]\d[\da-z](?:\.[\da-z]{1,4})?"),
        role=Role.SENSITIVE,
        sure=False,
        least=5,
    ),
    ValuePattern(
        "sums of money",
        _whole_text_test(r"[$€£¥] ?-?[\d.,]+|-?[\d.,]+ ?[$€£¥]"),
        role=Role.SENSITIVE,
        sure=False,
    ),
    ValuePattern(
        "names with a title",
        _whole_text_test(r"(?:mr|mrs|ms|miss|dr|prof)\.? [a-z][a-z .'-]+"),
        "A",
    ),
    ValuePattern(
        "street addresses",
        _search_test(_STREET),
        "B",
        _any_word_test("street", "avenue", "boulevard", "parkway", "box "),
    ),
    ValuePattern("street addresses", _whole_text_test(_SHORT_STREET), "B"),
    ValuePattern(
        "coordinates", _whole_text_test(r"\(?-?\d{1,2}\.\d{3,}[,;] ?-?\d{1,3}\.\d{3,}\)?"), "B"
    ),
    ValuePattern(
        "medical record numbers", _search_test(r"\bmrn\W{0,3}\d{4,}"), "H", _any_word_test("mrn")
    ),
    ValuePattern("Medicare beneficiary numbers", _whole_text_test(_BENEFICIARY), "I"),
    ValuePattern("vehicle identification numbers", is_vehicle_number, "L"),
    ValuePattern("mobile device numbers", is_mobile_device_number, "M", least=3, numbers=True),
    ValuePattern(
        "unique device identifiers", _search_test(r"\(01\)\d{14}"), "M", _any_word_test("(01)")
    ),
    ValuePattern("images", _whole_text_test(_IMAGE), "Q"),
    ValuePattern("hash digests", _whole_text_test(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}"), "R"),
)
"""All patterns; of those of one letter, and for a draft, the first that fits counts."""

ANYWHERE = (
    r"(?i)@|://|www\.|\bmrn\b|\bss[n#]|\b\d{3}[- ]\d{2}[- ]\d{4}\b"
    r"|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|\(\d{3}\) ?\d{3}|\b(?:19|20)\d\d-\d\d-\d\d\b"
)
"""What the commonest identifiers contain, as one expression that an engine can search for."""
