"""Why labels and values of the world do not meet: how they may differ in spelling."""

import re
from collections.abc import Callable, Sequence

from incrowd.table.column import Domain

Same = Callable[[str], str]

_SPELLINGS: tuple[tuple[str, Same], ...] = (
    ("in spaces around the value", str.strip),
    ("in upper and lower case", str.casefold),
    ("in leading zeros", lambda text: text.lstrip("0") if text.isdecimal() else text),
    ("in signs between letters and digits", lambda text: "".join(filter(str.isalnum, text))),
)

_SLASHED = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}")
_DATED = re.compile(r"\d{4}-\d{2}")


def hint_for(labels: Sequence[str], domain: Domain) -> str:
    """In which way most of the labels differ from values of the world; empty if no way is seen."""
    if not len(domain):
        return "the world has no value there"
    values = domain.labels.tolist()
    if _DATED.search(labels[0]) and _SLASHED.fullmatch(values[0].strip()):
        return "the world writes dates with slashes, which are not read: write year-month-day"
    found = [(_meeting(labels, values, same), told) for told, same in _SPELLINGS]
    most, told = max(found, key=lambda pair: pair[0])
    masked = _without_zeros(labels, values)
    if masked > most:
        most, told = masked, "in leading zeros"
    if not most:
        return ""
    return f"{most:,} of them and values of the world differ only {told}"


def _meeting(labels: Sequence[str], values: Sequence[str], same: Same) -> int:
    known = {same(value) for value in values}
    return sum(same(label) in known for label in labels)


def _without_zeros(labels: Sequence[str], values: Sequence[str]) -> int:
    """Masked codes that begin with zeros which the world has lost: 0213* beside 2138."""
    digits = [value for value in values if value.isdecimal()]
    filled: dict[int, set[str]] = {}
    met = 0
    for label in labels:
        shown = label.rstrip("*")
        if shown == label or not shown.startswith("0") or not shown.isdecimal():
            continue
        known = filled.setdefault(len(label), {value.zfill(len(label)) for value in digits})
        met += any(value.startswith(shown) for value in known)
    return met
