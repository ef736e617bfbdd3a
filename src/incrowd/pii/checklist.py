"""The checklist of Safe Harbor: which of the eighteen identifiers a table holds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from incrowd.errors import count_of
from incrowd.pii.codes import (
    are_drug_codes,
    codes_of_their_own,
    internet_addresses,
    is_number_of_things,
    unnamed_social_security,
    unnamed_telephones,
)
from incrowd.pii.column_names import IDENTIFIERS, PLACES, WHEN, Identifier
from incrowd.pii.dates import dates_and_ages
from incrowd.pii.names import (
    is_name_of_things,
    is_no_place,
    names_of_persons,
    possible_names,
    small_places,
    unnamed_zip_codes,
    vague_places,
    zip_codes,
)
from incrowd.pii.patterns import identifiers_in
from incrowd.pii.profile import ColumnFinding, ColumnProfile, SafeHarborRules, Status
from incrowd.pii.silent import SILENT, possible_births, small_areas
from incrowd.showing import Shown
from incrowd.table.column import CodedColumn

_FOUND_IN_TEXT = frozenset("FNQ")
"""Identifiers that are found in the middle of a sentence, too."""
_DIGITS = 0.5
"""The share of values with a digit below which a column holds no numbers."""

KNOWLEDGE = (
    "Safe Harbor also asks that nobody who releases the table knows a way to identify a person "
    "in it (45 CFR 164.514(b)(2)(ii)). No program can see that."
)


@dataclass(frozen=True)
class IdentifierCheck:
    """One of the eighteen identifiers, and the columns that hold it or might."""

    identifier: Identifier
    columns: tuple[ColumnFinding, ...] = ()
    """Columns that hold it, and then those that a person must look at."""

    @property
    def letter(self) -> str:
        """A to R."""
        return self.identifier.letter

    @property
    def status(self) -> Status:
        """Whether it passes, fails, or needs a person to look."""
        if any(found.status is Status.FAIL for found in self.columns):
            return Status.FAIL
        return Status.UNSEEN if self.columns or self.identifier.unseen else Status.PASS

    @property
    def note(self) -> str:
        """Why no program can tell that a table is free of it; empty if one can, or if it fails."""
        return self.identifier.unseen if self.status is Status.UNSEEN else ""


@dataclass(frozen=True)
class Checklist(Shown):
    """Which of the eighteen identifiers of HIPAA's Safe Harbor a table holds, A to R."""

    checks: tuple[IdentifierCheck, ...]
    today: int
    """The year in which ages count."""
    notes: tuple[str, ...] = ()
    """What incrowd did not look at."""

    @property
    def met(self) -> bool:
        """Whether nothing fails; a person must still look at what is unseen."""
        return not self.failing

    @property
    def failing(self) -> Mapping[str, str]:
        """The letters that each column fails, by column name."""
        letters: dict[str, str] = {}
        for check in self.checks:
            for found in check.columns:
                if found.status is Status.FAIL:
                    letters[found.column] = letters.get(found.column, "") + check.letter
        return letters

    def as_dict(self) -> dict[str, Any]:
        """The checklist as a JSON document `incrowd.safe-harbor/1`."""
        return {
            "schema": "incrowd.safe-harbor/1",
            "met": self.met,
            "today": self.today,
            "checks": [_check_entry(check) for check in self.checks],
            "note": KNOWLEDGE,
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def checklist(
    columns: Iterable[CodedColumn | ColumnProfile],
    rules: SafeHarborRules,
    pseudonyms: Sequence[str] = (),
    sealed: Mapping[str, str] | None = None,
) -> Checklist:
    """Which of the eighteen identifiers these columns hold (Lodha-Thomas Appendix C).

    `pseudonyms` are further columns that leave as keyed codes; `sealed` says which columns hold
    lists, structures or bytes. Findings give names and shares, never a value. A column without a
    value, or with suppressed values only, holds nothing.
    """
    every = [one if isinstance(one, ColumnProfile) else ColumnProfile.of(one) for one in columns]
    profiles = [profile for profile in every if not profile.is_empty]
    found: dict[str, list[ColumnFinding]] = {one.letter: [] for one in IDENTIFIERS}
    each = {profile.name: _findings(profile, rules) for profile in profiles}
    for name, what in (sealed or {}).items():
        each[name] = _findings_of_sealed(name, what) | each.get(name, {})
    for findings in each.values():
        for letter, finding in findings.items():
            found[letter].append(finding)
    why = "a pseudonym is derived from an identifier, which 45 CFR 164.514(c) does not allow"
    found["R"] += [ColumnFinding(name, why) for name in pseudonyms]
    checks = (IdentifierCheck(one, _failing_first(found[one.letter])) for one in IDENTIFIERS)
    return Checklist(tuple(checks), rules.today, tuple(_notes(profiles)))


def _notes(profiles: Iterable[ColumnProfile]) -> Iterator[str]:
    """Yield a sentence that names the columns of which only a sample was looked at, if any."""
    some = [profile.name for profile in profiles if profile.sample_of is not None]
    if some:
        yield (
            f"checked only a sample of the values of {count_of(len(some), 'column')} with many "
            f"values and a name that says nothing: {', '.join(some)}"
        )


def names_identifier(name: str) -> bool:
    """Whether the name of a column speaks of an identifier, a person, a date, an age or a place."""
    profile = ColumnProfile.of_name_alone(name)
    return profile.says_person or not profile.words_and_compounds.isdisjoint(_SPEAKING)


_SPEAKING = frozenset[str]().union(*(one.words for one in IDENTIFIERS), WHEN, PLACES)


def name_says(profile: ColumnProfile, identifier: Identifier) -> bool:
    """Whether the name of a column says an identifier, and its values do not speak against it."""
    if not profile.words_and_compounds & identifier.words or profile.is_about or profile.is_flag:
        return False
    if identifier.numbered and profile.share(_has_digit) < _DIGITS:
        return False
    excuse = {
        "A": is_name_of_things,
        "B": is_no_place,
        "R": is_number_of_things,
        "K": _is_no_license,
    }
    return identifier.letter not in excuse or not excuse[identifier.letter](profile)


def _findings(profile: ColumnProfile, rules: SafeHarborRules) -> dict[str, ColumnFinding]:
    """The findings on one column by letter of the identifier, at most one each."""
    found: dict[str, ColumnFinding] = {}
    for letter, finding in _certain_findings(profile, rules):
        found.setdefault(letter, finding)
    if len(found) > 1:
        found.pop("R", None)  # it is for any other number
    for letter, finding in _possible_findings(profile, rules) if not found else ():
        found.setdefault(letter, finding)
    if not found and (own := codes_of_their_own(profile)) is not None:
        found["R"] = own
    if profile.is_prose:
        prose = profile.unseen_finding("holds sentences, which can say anything")
        letters = {one.letter for one in IDENTIFIERS} - _FOUND_IN_TEXT
        found = dict.fromkeys(sorted(letters), prose) | found
    return found


def _findings_of_sealed(name: str, what: str) -> dict[str, ColumnFinding]:
    """By letter, the findings of a sealed column: by its name, or else that a person must look."""
    profile = ColumnProfile.of_name_alone(name)
    inside = profile.unseen_finding(f"holds {what}, which incrowd cannot look into")
    said = (
        ()
        if profile.is_about
        else [one for one in IDENTIFIERS if profile.words_and_compounds & one.words]
    )
    found = {one.letter: profile.finding(f"its name suggests {one.phrase}") for one in said}
    return {one.letter: found.get(one.letter, inside) for one in IDENTIFIERS}


def _certain_findings(
    profile: ColumnProfile, rules: SafeHarborRules
) -> Iterator[tuple[str, ColumnFinding]]:
    """Yield letters of identifiers and findings, by the column's name and patterns of values."""
    for identifier in IDENTIFIERS:
        if name_says(profile, identifier):
            yield identifier.letter, profile.finding(f"its name suggests {identifier.phrase}")
    special = (
        ("A", names_of_persons(profile)),
        ("B", zip_codes(profile, rules)),
        ("B", small_places(profile)),
        ("C", dates_and_ages(profile, rules)),
        *identifiers_in(profile),
    )
    yield from ((letter, finding) for letter, finding in special if finding is not None)


def _possible_findings(
    profile: ColumnProfile, rules: SafeHarborRules
) -> Iterator[tuple[str, ColumnFinding]]:
    """Yield letters of identifiers and findings to look for if nothing certain was found."""
    special = (
        ("A", possible_names(profile)),
        ("B", vague_places(profile)),
        ("B", unnamed_zip_codes(profile, rules)),
        ("D", unnamed_telephones(profile)),
        ("G", unnamed_social_security(profile)),
        ("O", internet_addresses(profile)),
        ("B", small_areas(profile, rules)),
        ("C", possible_births(profile, rules)),
        *((letter, look(profile)) for letter, look in SILENT),
    )
    yield from ((letter, finding) for letter, finding in special if finding is not None)


def _failing_first(found: list[ColumnFinding]) -> tuple[ColumnFinding, ...]:
    """Sort findings so that those that fail come first; a person must see them all."""
    return tuple(sorted(found, key=lambda one: one.status is not Status.FAIL))


def _has_digit(text: str) -> bool:
    """Whether a text has a digit."""
    return any(letter.isdigit() for letter in text)


def _is_no_license(profile: ColumnProfile) -> bool:
    """Whether a column named a license is none: a vehicle's plate, or codes of drugs."""
    return bool(profile.words & {"plate", "plates"}) or are_drug_codes(profile)


def _finding_entry(check: IdentifierCheck, found: ColumnFinding) -> dict[str, str]:
    """The JSON entry of a finding; with its status if that is not the status of its identifier."""
    look = {"status": found.status.value} if found.status is not check.status else {}
    return {"name": found.column, "why": found.why, **look}


def _check_entry(check: IdentifierCheck) -> dict[str, Any]:
    """The JSON entry of an identifier, with a note only if there is one."""
    plain: dict[str, Any] = {
        "letter": check.letter,
        "identifier": check.identifier.title,
        "status": check.status.value,
        "columns": [_finding_entry(check, found) for found in check.columns],
    }
    return {**plain, "note": check.note} if check.note else plain
