"""Forms that identifiers have, told from numbers that only look like them by their check digits."""

import re
from dataclasses import dataclass
from ipaddress import ip_address

from incrowd.pii.evidence import Finding
from incrowd.pii.look import MOST, Look, Test, looks_like
from incrowd.table.column import Kind


@dataclass(frozen=True)
class Form:
    """What the values of one sort look like."""

    letter: str
    name: str
    fits: Test
    hint: Test | None = None
    """What every such value holds, if one of them is enough; otherwise most must have the form."""
    least: int = 1
    """The number of distinct values below which the form may be chance."""
    numbers: bool = False
    """Whether whole numbers can have it."""

    def found(self, look: Look) -> Finding | None:
        """That a column has it, if it has."""
        if look.kind is Kind.DATE or (look.kind is Kind.NUMBER and not self.is_for(look)):
            return None
        share = look.share(self.fits, self.hint)
        enough = share > 0 if self.hint else share >= MOST
        if not enough or len(look.texts) < self.least:
            return None
        return look.fails(looks_like(share, self.name))

    def is_for(self, look: Look) -> bool:
        """Whether a column of numbers may hold it."""
        return self.numbers and look.is_whole


def _like(pattern: str) -> Test:
    return re.compile(pattern, re.IGNORECASE).fullmatch


def _holding(pattern: str) -> Test:
    return re.compile(pattern, re.IGNORECASE).search


def _any_of(*words: str) -> Test:
    return lambda blob: any(word in blob for word in words)


def is_social_security_number(text: str) -> bool:
    """Three, two and four digits of an area, group and serial number that may be issued.

    >>> is_social_security_number("078-05-1120"), is_social_security_number("666-05-1120")
    (True, False)
    """
    return any(_may_be_issued(found) for found in _SOCIAL.finditer(text))


_SOCIAL = re.compile(r"(?<![\d-])(\d{3})([- ])(\d{2})\2(\d{4})(?![\d-])")


def _may_be_issued(found: re.Match[str]) -> bool:
    area, _, group, serial = found.groups()
    return area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"


def is_vehicle(text: str) -> bool:
    """Seventeen letters and digits, of which the ninth is the check digit (49 CFR 565.15).

    >>> is_vehicle("1M8GDM9AXKP042788"), is_vehicle("1M8GDM9A1KP042788")
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


def is_card(text: str) -> bool:
    """Sixteen digits of a payment card, or fifteen that begin as some cards do."""
    found = re.fullmatch(r"(\d{4})([ -]?)\d{4}\2\d{4}\2\d{4}|3[47]\d{13}", text)
    return found is not None and has_check_sum(re.sub(r"\D", "", text))


def is_bank_account(text: str) -> bool:
    """An IBAN: letters of a country, two check digits, and up to thirty letters and digits.

    >>> is_bank_account("GB82 WEST 1234 5698 7654 32"), is_bank_account("GB83WEST12345698765432")
    (True, False)
    """
    code = text.replace(" ", "").upper()
    if re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", code) is None:
        return False
    return int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1


def is_mobile_device(text: str) -> bool:
    """An IMEI: fifteen digits, of which the last is a check digit."""
    return re.fullmatch(r"(?!3[47])[0-9]{15}", text) is not None and has_check_sum(text)


def is_internet_address(text: str) -> bool:
    """An address of IP version 4 or 6; 19041 of a version number fits into none.

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
    """An address without its port or the size of its network.

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


def is_telephone(text: str) -> bool:
    """A telephone number with its separators; ten digits alone may be anything.

    >>> is_telephone("(212) 555-0143"), is_telephone("2125550143"), is_telephone("+0.25183746")
    (True, False, False)
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

FORMS = (
    Form("A", "names with a title", _like(r"(?:mr|mrs|ms|miss|dr|prof)\.? [a-z][a-z .'-]+")),
    Form(
        "B",
        "street addresses",
        _holding(_STREET),
        _any_of("street", "avenue", "boulevard", "parkway", "box "),
    ),
    Form("B", "street addresses", _like(_SHORT_STREET)),
    Form("B", "ZIP codes of nine digits", _like(r"\d{5}-\d{4}"), least=5),
    Form("B", "coordinates", _like(r"\(?-?\d{1,2}\.\d{3,}[,;] ?-?\d{1,3}\.\d{3,}\)?")),
    Form("D", "telephone numbers", is_telephone, _holding(_MAY_CALL)),
    Form("F", "e-mail addresses", _holding(_SPELLED), _any_of("[at]", "(at)", " dot ")),
    Form("F", "e-mail addresses", _holding(r"[^@\s]{1,64}@[^@\s]{1,250}\.[a-z]{2,}"), _any_of("@")),
    Form(
        "G", "social security numbers", is_social_security_number, _holding(r"[- ]\d{2}[- ]\d{4}")
    ),
    Form("G", "social security numbers", _holding(r"\bss[n#]\D{0,5}\d{9}\b"), _any_of("ss")),
    Form("H", "medical record numbers", _holding(r"\bmrn\W{0,3}\d{4,}"), _any_of("mrn")),
    Form("I", "Medicare beneficiary numbers", _like(_BENEFICIARY)),
    Form("J", "bank accounts", is_bank_account),
    Form("J", "card numbers", is_card, least=3, numbers=True),
    Form("L", "vehicle identification numbers", is_vehicle),
    Form("M", "hardware addresses", _like(r"(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}")),
    Form("M", "mobile devices' numbers", is_mobile_device, least=3, numbers=True),
    Form("M", "unique device identifiers", _holding(r"\(01\)\d{14}"), _any_of("(01)")),
    Form(
        "N", "web addresses", _holding(r"\b(?:https?|ftp)://\S|\bwww\.\w"), _any_of("://", "www.")
    ),
    Form("N", "web addresses", _like(_HOST)),
    Form("Q", "images", _like(_IMAGE)),
    Form("R", "UUIDs", _like(r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?")),
    Form("R", "digests of something", _like(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}")),
)
"""All forms that settle the matter alone."""
