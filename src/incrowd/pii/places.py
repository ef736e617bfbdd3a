"""B: places smaller than a state; three digits of a ZIP code may stay where many live."""

import re

from incrowd.hierarchy.regions import is_country
from incrowd.hierarchy.zips import digits_shown, is_populous, people_by_area, zip_texts
from incrowd.pii.evidence import Finding
from incrowd.pii.identifiers import IDENTIFIERS, NETWORKS
from incrowd.pii.look import MOST, Look, Setting, looks_like, parts_of
from incrowd.table.column import Domain, Kind

_POSTAL = frozenset(
    (
        *("zip", "zips", "zipcode", "zipcodes", "zcta", "postcode", "postal", "postalcode"),
        *("plz", "postleitzahl", "codepostal", "codigopostal", "pincode", "pcode", "postcodes"),
    )
)
_FILES = frozenset(("file", "archive", "folder", "path"))
_VAGUE = frozenset(
    (
        *("region", "area", "location", "place", "birthplace", "province", "site"),
        *("residence", "hospital", "facility", "clinic", "catchment"),
    )
)
PLACES = _POSTAL | _VAGUE
"""Names of columns that may tell where people live."""
_ADDRESSES = {"address", "addr", "adresse", "direccion", "indirizzo", "endereco"}
_WHERE = IDENTIFIERS[1].words - _ADDRESSES
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


def is_postal(look: Look) -> bool:
    """Whether a column is named like ZIP codes."""
    return bool(look.said & _POSTAL) and not look.words & _FILES


def is_no_place(look: Look) -> bool:
    """Whether what sounds like a small place is none: another address, the code of a state."""
    if (look.words & NETWORKS and not look.said & _WHERE) or is_postal(look):
        return True
    return "fips" in look.words and _two_digits(look)


def zip_codes(look: Look, setting: Setting) -> Finding | None:
    """That ZIP codes show more than the digits that they may."""
    if not is_postal(look) or look.is_flag or look.is_about:
        return None
    codes = Domain(Kind.TEXT, look.domain.labels) if look.kind is Kind.DATE else look.domain
    shown = [digits_shown(part) for code in _codes(codes) for part in parts_of(code)]
    if any(digits is None for digits in shown):
        return look.fails("by its name it tells where people live, and not only by ZIP codes")
    digits = [digits for digits in shown if digits]
    if any(len(one) > 3 for one in digits):
        return look.fails("it shows more than three digits of ZIP codes")
    areas = {one for one in digits if len(one) == 3 and one != "000"}
    if all(is_populous(area, setting.people) for area in areas):
        return None
    return look.fails("it shows three digits of areas with 20,000 people or fewer, which are 000")


def vague_places(look: Look) -> Finding | None:
    """That a column may tell a small place."""
    if look.is_flag or look.is_about or not look.said & _VAGUE or _are_large(look):
        return None
    return look.unseen("by its name it may tell a place smaller than a state")


def unnamed_zip_codes(look: Look, setting: Setting) -> Finding | None:
    """That a column of five digits, with leading zeros, may be one of ZIP codes."""
    if look.kind is not Kind.TEXT or len(look.domain) < 10 or is_postal(look):
        return None
    areas = {*people_by_area(), *setting.people}
    known = look.share(lambda text: len(text) == 5 and text.isdigit() and text[:3] in areas)
    return look.unseen("its values could be ZIP codes") if known >= _KNOWN else None


_CITY = re.compile(
    rf"[a-z][a-z .'-]+, ?(?:{'|'.join(sorted(s for s in STATES if len(s) == 2))})"
    r"(?: \d{5}(?:-\d{4})?)?"
    r"|[a-z][a-z .'-]+ (?:county|parish|borough)",
    re.IGNORECASE,
)


def small_places(look: Look) -> Finding | None:
    """That values are a city with its state, or counties."""
    share = look.share(_CITY.fullmatch) if look.kind is Kind.TEXT else 0.0
    return look.fails(looks_like(share, "cities or counties")) if share >= MOST else None


def _codes(domain: Domain) -> list[str]:
    """The codes without those that are suppressed altogether."""
    return [code for code in zip_texts(domain) if code.strip("*")]


def _are_large(look: Look) -> bool:
    """Whether all values are states or countries."""
    return not look.is_empty and look.share(is_large_place, bool) >= _NEARLY_ALL


def is_large_place(text: str) -> bool:
    """Whether a text names a state or a country."""
    return text.casefold() in STATES or is_country(text)


def _two_digits(look: Look) -> bool:
    """Whether codes are those of states."""
    return all(text.isdigit() and len(text) <= 2 for text in look.texts)
