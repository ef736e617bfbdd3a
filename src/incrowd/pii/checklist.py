"""The checklist of Safe Harbor: what a table holds of each of the eighteen identifiers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.errors import counted
from incrowd.pii.codes import (
    codes_of_their_own,
    internet_addresses,
    numbers_things,
    sentences,
    unnamed_social_security,
    unnamed_telephones,
)
from incrowd.pii.dates import WHEN, dates_and_ages
from incrowd.pii.evidence import Finding, Status
from incrowd.pii.forms import FORMS
from incrowd.pii.identifiers import IDENTIFIERS, Identifier
from incrowd.pii.look import Look, Setting
from incrowd.pii.names import is_things_name, names_of_persons, possible_names
from incrowd.pii.places import (
    PLACES,
    is_no_place,
    small_places,
    unnamed_zip_codes,
    vague_places,
    zip_codes,
)
from incrowd.table.column import CodedColumn, Domain, Kind

_TOLD_APART = frozenset("FNQ")
"""Identifiers that would be seen in the middle of a sentence, too."""
_DIGITS = 0.5

KNOWLEDGE = (
    "Safe Harbor also asks that nobody who releases the table knows a way to identify a person "
    "in it (45 CFR 164.514(b)(2)(ii)). No program can see that."
)


@dataclass(frozen=True)
class Check:
    """One of the eighteen: whether the table is free of it, and which columns speak against it."""

    identifier: Identifier
    columns: tuple[Finding, ...] = ()
    """Columns that hold it if it fails; otherwise those that somebody must look at."""

    @property
    def letter(self) -> str:
        """A to R."""
        return self.identifier.letter

    @property
    def status(self) -> Status:
        """Whether it passes, fails, or cannot be seen by a program."""
        if any(found.status is Status.FAIL for found in self.columns):
            return Status.FAIL
        return Status.UNSEEN if self.columns or self.identifier.unseen else Status.PASS

    @property
    def note(self) -> str:
        """Why a program cannot tell, whatever the columns are."""
        return self.identifier.unseen if self.status is Status.UNSEEN else ""


@dataclass(frozen=True)
class Checklist:
    """What a table holds of the eighteen identifiers of HIPAA's Safe Harbor, A to R."""

    checks: tuple[Check, ...]
    today: int
    """The year in which ages were counted."""
    notes: tuple[str, ...] = ()
    """What was not looked at."""

    @property
    def met(self) -> bool:
        """Whether nothing fails; what cannot be seen remains to be looked at by somebody."""
        return not self.failing

    @property
    def failing(self) -> Mapping[str, str]:
        """The letters that each column fails, by its name."""
        letters: dict[str, str] = {}
        for check in self.checks:
            for found in check.columns:
                if found.status is Status.FAIL:
                    letters[found.column] = letters.get(found.column, "") + check.letter
        return letters

    def as_dict(self) -> dict[str, Any]:
        """`incrowd.safe-harbor/1`."""
        return {
            "schema": "incrowd.safe-harbor/1",
            "met": self.met,
            "today": self.today,
            "checks": [_plain(check) for check in self.checks],
            "note": KNOWLEDGE,
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def checklist(
    columns: Iterable[CodedColumn | Look],
    setting: Setting,
    pseudonyms: Sequence[str] = (),
    sealed: Mapping[str, str] | None = None,
) -> Checklist:
    """What these columns hold of the eighteen identifiers (Lodha-Thomas Appendix C).

    `pseudonyms` are further columns that leave as keyed codes, `sealed` says which hold lists,
    structures or bytes. What was found is said by name and share, never by value. Columns without
    a value, or with suppressed ones alone, hold nothing.
    """
    every = [one if isinstance(one, Look) else Look.at(one) for one in columns]
    looks = [look for look in every if not look.is_empty]
    found: dict[str, list[Finding]] = {one.letter: [] for one in IDENTIFIERS}
    each = {look.name: _findings(look, setting) for look in looks}
    for name, what in (sealed or {}).items():
        each[name] = _unseen(name, what) | each.get(name, {})
    for findings in each.values():
        for letter, finding in findings.items():
            found[letter].append(finding)
    why = "a pseudonym is derived from an identifier, which 45 CFR 164.514(c) does not allow"
    found["R"] += [Finding(name, why) for name in pseudonyms]
    checks = (Check(one, _weightiest(found[one.letter])) for one in IDENTIFIERS)
    return Checklist(tuple(checks), setting.today, tuple(_notes(looks)))


def _notes(looks: Iterable[Look]) -> Iterator[str]:
    """Of which columns not all values were looked at."""
    some = [look.name for look in looks if look.sampled]
    if some:
        yield (
            f"only a sample of the values of {counted(len(some), 'column')} was looked at, as "
            f"there are many and the name says nothing: {', '.join(some)}"
        )


def hints(name: str) -> bool:
    """Whether the name of a column speaks of anything that the list is about."""
    look = Look(name, Domain(Kind.TEXT, np.array([], dtype=object)), 0)
    return look.says_person or not look.said.isdisjoint(_SPEAKING)


_SPEAKING = frozenset[str]().union(*(one.words for one in IDENTIFIERS), WHEN, PLACES)


def named(look: Look, identifier: Identifier) -> bool:
    """Whether the name of a column says an identifier, and its values do not speak against it."""
    if not look.said & identifier.words or look.is_about or look.is_flag:
        return False
    if identifier.numbered and look.share(_has_digit) < _DIGITS:
        return False
    excuse = {"A": is_things_name, "B": is_no_place, "R": numbers_things, "K": _is_plate}
    return identifier.letter not in excuse or not excuse[identifier.letter](look)


def _findings(look: Look, setting: Setting) -> dict[str, Finding]:
    """What one column holds, at most one finding for each letter."""
    found: dict[str, Finding] = {}
    for letter, finding in _certain(look, setting):
        found.setdefault(letter, finding)
    if len(found) > 1:
        found.pop("R", None)  # it is for any other number
    for letter, finding in _uncertain(look, setting) if not found else ():
        found.setdefault(letter, finding)
    if not found and (own := codes_of_their_own(look)) is not None:
        found["R"] = own
    prose = sentences(look)
    if prose is not None:
        letters = {one.letter for one in IDENTIFIERS} - _TOLD_APART
        found = dict.fromkeys(sorted(letters), prose) | found
    return found


def _unseen(name: str, what: str) -> dict[str, Finding]:
    """A column into which no program can see: what its name says, and all else to be looked at."""
    look = Look(name, Domain(Kind.TEXT, np.array([], dtype=object)), 0)
    inside = look.unseen(f"it holds {what}: no program can see into it")
    said = {one.letter: one for one in IDENTIFIERS if look.said & one.words and not look.is_about}
    found = {letter: look.fails(f"by its name: {one.phrase}") for letter, one in said.items()}
    return {one.letter: found.get(one.letter, inside) for one in IDENTIFIERS}


def _certain(look: Look, setting: Setting) -> Iterator[tuple[str, Finding]]:
    """By the name of the column, and by forms that only identifiers have."""
    for identifier in IDENTIFIERS:
        if named(look, identifier):
            yield identifier.letter, look.fails(f"by its name: {identifier.phrase}")
    special = (
        ("A", names_of_persons(look)),
        ("B", zip_codes(look, setting)),
        ("B", small_places(look)),
        ("C", dates_and_ages(look, setting)),
        *((form.letter, form.found(look)) for form in FORMS),
    )
    yield from ((letter, finding) for letter, finding in special if finding is not None)


def _uncertain(look: Look, setting: Setting) -> Iterator[tuple[str, Finding]]:
    """What is looked for only if nothing certain was found."""
    special = (
        ("A", possible_names(look)),
        ("B", vague_places(look)),
        ("B", unnamed_zip_codes(look, setting)),
        ("D", unnamed_telephones(look)),
        ("G", unnamed_social_security(look)),
        ("O", internet_addresses(look)),
    )
    yield from ((letter, finding) for letter, finding in special if finding is not None)


def _weightiest(found: list[Finding]) -> tuple[Finding, ...]:
    """Those that fail, if there are any."""
    failing = tuple(one for one in found if one.status is Status.FAIL)
    return failing or tuple(found)


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _is_plate(look: Look) -> bool:
    return bool(look.words & {"plate", "plates"})


def _plain(check: Check) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "letter": check.letter,
        "identifier": check.identifier.title,
        "status": check.status.value,
        "columns": [{"name": found.column, "why": found.why} for found in check.columns],
    }
    return {**plain, "note": check.note} if check.note else plain
