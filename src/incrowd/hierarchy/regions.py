"""Countries to regions of the world (UN M49 geoscheme, ISO 3166 names and codes)."""

import csv
import re
from functools import cache
from importlib.resources import files
from typing import Literal
from unicodedata import combining, normalize

from incrowd.hierarchy.hierarchy import Builder, Hierarchy
from incrowd.hierarchy.tree import build_by_groups
from incrowd.table.column import Domain
from incrowd.values import STRICT, dataclass

_ALIASES = {
    "america": "US", "bolivia": "BO", "britain": "GB", "burma": "MM", "cape verde": "CV",
    "congo kinshasa": "CD", "congo brazzaville": "CG", "czech republic": "CZ", "drc": "CD",
    "east timor": "TL", "england": "GB",
    "falkland islands": "FK", "great britain": "GB", "holland": "NL", "hong kong": "HK",
    "hong": "HK", "iran": "IR", "ivory coast": "CI", "korea": "KR", "laos": "LA", "macao": "MO",
    "macau": "MO", "macedonia": "MK", "micronesia": "FM", "moldova": "MD", "netherlands": "NL",
    "north korea": "KP", "northern ireland": "GB", "palestine": "PS",
    "russia": "RU", "scotland": "GB", "south korea": "KR", "swaziland": "SZ", "syria": "SY",
    "taiwan": "TW", "tanzania": "TZ", "turkey": "TR", "uae": "AE",
    "uk": "GB", "united kingdom": "GB", "united states": "US", "u s": "US", "u s a": "US",
    "usa": "US", "vatican": "VA", "venezuela": "VE", "vietnam": "VN", "wales": "GB",
}  # fmt: skip


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Regions(Builder):
    """Countries to sub-region, region and `*`, by English name or ISO 3166 code of 2 or 3 letters.

    Case, accents, hyphens and underscores do not matter. Values that are no country are put
    under the node `*other*` below the top.

    >>> from incrowd.hierarchy.hierarchy import texts
    >>> from incrowd.table.column import Kind
    >>> lands = Domain(Kind.TEXT, texts(["Kenya", "fr", "USA"]))
    >>> [labels.tolist() for labels in Regions().build(lands, "country").labels[1:3]]
    [['Sub-Saharan Africa', 'Northern America', 'Western Europe'], ['Africa', 'Americas', 'Europe']]
    """

    name: Literal["regions"] = "regions"

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The hierarchy of a column of countries, in the order of their regions."""
        remedy = "use English names or ISO 3166 codes, or another hierarchy"
        return build_by_groups(domain, _groups_of, column, "a country", remedy)


def _groups_of(label: str) -> tuple[str, str] | None:
    """Sub-region and region of a country; None if it is none."""
    return _groups_by_name().get(_normalize_name(label))


def is_country(label: str) -> bool:
    """Whether a text is the name or code of a country."""
    return _groups_of(label) is not None


def _normalize_name(label: str) -> str:
    """The name without case, accents, signs and articles, which people write in different ways."""
    plain = normalize("NFKD", label.casefold().replace("&", " and "))
    words = re.sub(r"[\s_.,-]+", " ", "".join(c for c in plain if not combining(c))).split()
    words = ["saint" if word == "st" else word for word in words]
    return " ".join(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


@cache
def _groups_by_name() -> dict[str, tuple[str, str]]:
    """Sub-region and region by name, code or alias, each as `_normalize_name` gives it."""
    text = files("incrowd.hierarchy").joinpath("regions.csv").read_text(encoding="utf-8")
    found = {}
    for row in csv.DictReader(text.splitlines()):
        first, _, rest = row["name"].partition(", ")
        for spelling in (row["name"], f"{rest} {first}", row["alpha2"], row["alpha3"]):
            found[_normalize_name(spelling)] = (row["subregion"], row["region"])
    for alias, code in _ALIASES.items():
        found.setdefault(_normalize_name(alias), found[_normalize_name(code)])
    return found
