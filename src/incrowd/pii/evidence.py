"""Which role a column seems to have: clues with points, and one function that weighs them.

Clues come from the words of the name and of the label, from what the values look like, and from
how well they tell records apart. A reason is a sentence that gives shares and counts, never a
value.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from incrowd.errors import count_of, whole_percent
from incrowd.hierarchy.published import share_of
from incrowd.hierarchy.regions import is_country
from incrowd.hierarchy.suggestion import Nature
from incrowd.pii.column_names import names_person_or_case
from incrowd.pii.meanings import QUALIFIERS, WordMeaning
from incrowd.pii.names import is_name_of_things, names_of_persons
from incrowd.pii.patterns import pattern_of
from incrowd.pii.pieces import NameMeanings, meanings_in_label, meanings_in_name
from incrowd.pii.profile import ColumnProfile, are_sentences
from incrowd.pii.sentinels import means_missing
from incrowd.pii.silent import family_names, given_names
from incrowd.pii.value_words import topic_of_values
from incrowd.pii.words import word_set
from incrowd.table.column import Kind, Role

_LABELLED = 1.1
"""A label says a little more than a name."""
_MORE = 0.3
"""What further clues of a role count, next to its best one."""
_ENOUGH = 2.4
_MARGIN = 0.4
_NEARLY_ALL = 0.9
_FEW_ENOUGH = 0.5
_SOME = 20
_DATED = 4.5
"""Whatever happened, others may know when: days hardly ever leave as they are."""
_OLDEST = 130
_WEEKS = 53
_HEAVIEST = 1e8
"""No record stands for so many people."""
_DURATIONS = word_set(
    "hours hrs horas heures stunden weeks days years yrs yr dur duration tenure length minutes "
    "time times dist distance income"
)
_COUNTED = word_set(
    "children child kids size siz hsize hhsize hhmmb npf noc people persons members number filhos "
    "hijos enfants kinder rooms bedrooms cars vehicles siblings sibs nchild nkids parity tbo chd "
    "visits floors"
)
_TEXT_ONLY = frozenset(("name", "e-mail", "web address", "address", "photo"))
_ABBREVIATED = word_set(
    "wgt wght wgts fnlwgt pweight pwgtp wgtp perwt hhwt dweight pspwght anweight fexp"
)


@dataclass(frozen=True)
class Clue:
    """Something that speaks for a role, and how much."""

    role: Role
    points: float
    reason: str
    meaning: WordMeaning | None = None


@dataclass(frozen=True)
class Guess:
    """The role that a column seems to have, why, and whether that is certain."""

    role: Role
    reason: str
    sure: bool = True
    nature: Nature = ""
    """What its whole numbers are."""
    harm: float = 1.0
    """How much it would hurt to have it known."""


def weigh_clues(profile: ColumnProfile) -> Guess:
    """Weigh all clues about a column and guess the role that they speak for."""
    said = _name_and_label(profile)
    clues = [
        *_clues_of_words(profile, said),
        *_clues_of_values(profile),
        *_clues_of_uniqueness(profile),
    ]
    points, best = _points_by_role(clues)
    if not points:
        values = count_of(profile.distinct, "value")
        nature: Nature = "code" if said.says_codes else ""
        return Guess(Role.QUASI, f"{values} that others may know", sure=False, nature=nature)
    order = sorted(points, key=lambda role: -points[role])
    chosen = best[order[0]]
    second = points[order[1]] if len(order) > 1 else 0.0
    sure = points[order[0]] >= _ENOUGH and points[order[0]] - second >= _MARGIN
    named = _strongest_by_words(clues, order[0])
    meaning = None if named is None else named.meaning
    harm = meaning.harm if meaning is not None else 1.0
    if profile.kind is Kind.DATE and named is not None:
        chosen = named  # that a date is a date says less than what it is the date of
    return Guess(order[0], chosen.reason, sure, _nature_of_numbers(profile, said, meaning), harm)


def _points_by_role(clues: list[Clue]) -> tuple[dict[Role, float], dict[Role, Clue]]:
    """By role: the points of its best clue and a little of each further one; and that clue."""
    best: dict[Role, Clue] = {}
    for clue in sorted(clues, key=lambda one: -one.points):
        best.setdefault(clue.role, clue)
    points = {
        role: top.points + _MORE * sum(c.points for c in clues if c.role is role and c is not top)
        for role, top in best.items()
    }
    return points, best


def _strongest_by_words(clues: list[Clue], role: Role) -> Clue | None:
    """The strongest clue for this role that comes from words; None if there is none."""
    meant = [c for c in clues if c.role is role and c.meaning is not None]
    return max(meant, key=lambda clue: clue.points) if meant else None


def _name_and_label(profile: ColumnProfile) -> NameMeanings:
    """The meanings of a column's name and of its label together."""
    named = meanings_in_name(profile.name)
    if not profile.label:
        return named
    labelled = meanings_in_label(profile.label)
    points = {meaning.name: (meaning, points) for meaning, points in named.points}
    for meaning, more in labelled.points:
        known = points.get(meaning.name, (meaning, 0.0))[1]
        points[meaning.name] = (meaning, max(known, more * _LABELLED))
    return NameMeanings((*named.words, *labelled.words), tuple(points.values()))


# Clues of words


def _clues_of_words(profile: ColumnProfile, said: NameMeanings) -> Iterator[Clue]:
    """Yield a clue for each meaning of the name that the values allow."""
    for meaning, points in said.points:
        possible = _clue_of_meaning(profile, said, meaning)
        if possible is not None:
            yield Clue(possible.role, points + possible.points, possible.reason, meaning)


def _clue_of_meaning(
    profile: ColumnProfile, said: NameMeanings, meaning: WordMeaning
) -> Clue | None:
    """The clue that a meaning gives; None if the column's values cannot be that."""
    if meaning.nature == "weight":
        return _weight_clue(profile, said)
    if meaning.nature == "number" and (meaning.name in {"id", "group"} or _is_unit(profile, said)):
        return _number_clue(profile, said, meaning)
    if meaning.name == "interview" and _are_dates(profile):
        return Clue(
            Role.DROP, _DATED, "when somebody was asked tells records apart and nothing else"
        )
    return Clue(meaning.role, 0.0, meaning.reason) if _can_mean(profile, said, meaning) else None


def _are_dates(profile: ColumnProfile) -> bool:
    """Whether values are dates, or texts that look like them."""
    if profile.kind is not Kind.TEXT:
        return profile.kind is Kind.DATE
    found = pattern_of(profile)
    return found is not None and found[0].name == "dates"


def _can_mean(profile: ColumnProfile, said: NameMeanings, meaning: WordMeaning) -> bool:
    """Whether the values of a column can be what a word of its name means."""
    if meaning.role is Role.IDENTIFIER:
        return _may_identify(profile, meaning)
    if meaning.nature == "age":
        return _may_be_ages(profile)
    if meaning.name == "event":
        return _may_be_times(profile, said)
    return meaning.name != "sex" or profile.distinct <= _SOME // 2


def _weight_clue(profile: ColumnProfile, said: NameMeanings) -> Clue | None:
    """The clue of a name that says weight; None if the values cannot be what it says.

    If a word beside it says that it is a sampling weight, texts and dates cannot be. Without one,
    they and numbers such as bodies weigh are a quasi-identifier; other numbers are weights.
    """
    words = set(said.words)
    qualified = bool(words & (QUALIFIERS | _ABBREVIATED)) or "ponderacion" in words
    if profile.kind is not Kind.NUMBER:
        return None if qualified else Clue(Role.QUASI, 0.0, "looks are easy to find out")
    values = profile.domain.positions
    if values[0] < 0 or values[0] > _HEAVIEST:
        return None
    middle = float(np.median(values))
    if not qualified and 20 <= middle <= 300 and values[-1] <= 700:
        return Clue(Role.QUASI, 0.0, "looks are easy to find out")
    return Clue(Role.WEIGHT, 0.0, "a sampling weight")


def _number_clue(profile: ColumnProfile, said: NameMeanings, meaning: WordMeaning) -> Clue | None:
    """The clue of IDs of records or people: a unit if those of people repeat; None if no IDs."""
    if profile.kind is Kind.DATE or profile.distinct <= 2:
        return None
    person = names_person_or_case(profile.name) or meaning.role is Role.UNIT
    if profile.distinct_share > 0.999 or (profile.distinct_share >= _NEARLY_ALL and not person):
        what = "a person ID" if person else "an ID of people or records"
        return Clue(Role.IDENTIFIER, 0.0, f"looks like {what}")
    if person and _repeats(profile) and not said.says_codes:
        reason = "looks like a person ID that repeats: classes count people, not records"
        return Clue(Role.UNIT, 0.0, reason)
    may_number = meaning.role is Role.IDENTIFIER and profile.distinct_share >= _FEW_ENOUGH
    return Clue(Role.IDENTIFIER, 0.0, meaning.reason) if may_number else None


def _is_unit(profile: ColumnProfile, said: NameMeanings) -> bool:
    """Whether a column is named after a person, not codes, and its values repeat as people do."""
    return names_person_or_case(profile.name) and _repeats(profile) and not said.says_codes


def _repeats(profile: ColumnProfile) -> bool:
    """Whether over 20 values repeat, each less than 100 times on average, as people's IDs do."""
    each = profile.filled / max(profile.distinct, 1)
    return profile.distinct > _SOME and 1.001 < each < 100


def _may_identify(profile: ColumnProfile, meaning: WordMeaning) -> bool:
    """Whether a column can be the identifier that a word of its name means, by values and name."""
    if profile.is_about or profile.is_flag:
        return False
    if meaning.name == "name":
        return profile.kind is Kind.TEXT and not is_name_of_things(profile)
    return meaning.name not in _TEXT_ONLY or profile.kind is Kind.TEXT


def _may_be_ages(profile: ColumnProfile) -> bool:
    """Whether values can be ages: texts, or numbers whose median is at most 130."""
    if profile.kind is not Kind.NUMBER:
        return profile.kind is Kind.TEXT
    values = profile.domain.positions
    return bool(np.median(values) <= _OLDEST)


def _may_be_times(profile: ColumnProfile, said: NameMeanings) -> bool:
    """Whether values can be dates, years or elements of dates such as months."""
    if profile.kind is Kind.DATE:
        return True
    if not profile.is_whole or said.says_count or profile.distinct <= 2:
        return False
    low, high = profile.domain.positions[0], profile.domain.positions[-1]
    part = low >= 0 and high <= _WEEKS and "per" not in said.words
    return bool(part or (low >= 1800 and high <= 2100))


# Clues of values


def _clues_of_values(profile: ColumnProfile) -> Iterator[Clue]:
    """Yield clues from dates, sentences, patterns, names and words; none for numbers."""
    if profile.kind is Kind.DATE:
        yield Clue(Role.QUASI, _DATED, "others often know when something happened to a person")
        return
    if profile.kind is not Kind.TEXT:
        return
    if are_sentences(profile.sample) and profile.distinct_share > _FEW_ENOUGH:
        yield Clue(Role.DROP, 5.0, "holds sentences, which can say anything")
        return
    found = pattern_of(profile)
    if found is not None:
        pattern, share = found
        many = "all" if share == 1 else f"{whole_percent(share)} of the"
        points = 5.0 if pattern.sure else 2.2
        yield Clue(pattern.role, points, f"{many} distinct values look like {pattern.name}")
    if names_of_persons(profile) is not None:
        yield Clue(Role.IDENTIFIER, 3.5, "the values contain names of people")
    elif family_names(profile) is not None or given_names(profile) is not None:
        yield Clue(Role.IDENTIFIER, 3.0, "many values are common names of people")
    yield from _clues_of_value_words(profile)


def _clues_of_value_words(profile: ColumnProfile) -> Iterator[Clue]:
    """Yield clues from the words of categories, such as countries or religions, if they are few."""
    if profile.distinct > 300:
        return
    labels = [text for text in profile.sample if not means_missing(text)]
    meaning = topic_of_values(labels)
    if meaning is not None:
        yield Clue(meaning.role, 2.5, meaning.reason, meaning)
    long = [text for text in labels if len(text) > 3]
    if len(long) >= 3 and sum(map(is_country, long)) >= _NEARLY_ALL * len(labels):
        yield Clue(Role.QUASI, 2.5, "the values are countries, and origin is easy to find out")
    named = len(labels) >= 5 and not all(text.isdigit() for text in labels)
    if named and share_of("us-states", labels) >= _NEARLY_ALL:
        yield Clue(Role.QUASI, 2.5, "the values are states, where people live")


# Clues of uniqueness


def _clues_of_uniqueness(profile: ColumnProfile) -> Iterator[Clue]:
    """Yield a clue to an identifier if whole numbers or texts of enough records hardly repeat."""
    if profile.kind is Kind.DATE or profile.records < _SOME:
        return
    whole = profile.kind is Kind.TEXT or profile.is_whole
    if not whole or profile.distinct_share < _NEARLY_ALL:
        return
    share = f"{whole_percent(profile.distinct_share)} of the values are distinct"
    points = 4.0 if _is_serial(profile) else 2.2
    yield Clue(Role.IDENTIFIER, points, f"{share}, as in a list of IDs")


def _is_serial(profile: ColumnProfile) -> bool:
    """Whether the records are numbered one after the other, without gaps."""
    if not profile.is_whole or profile.distinct_share < 0.999 or profile.sample_of is not None:
        return False
    values = profile.domain.values
    return int(values[-1]) - int(values[0]) + 1 == len(values)


# What whole numbers are


def _nature_of_numbers(
    profile: ColumnProfile, said: NameMeanings, meaning: WordMeaning | None
) -> Nature:
    """The nature of a column's whole numbers (code, count, amount, …); empty if it is not known."""
    words = set(said.words)
    if meaning is None:
        return "code" if said.says_codes else ""
    if meaning.name in {"family", "housing", "country", "treatment"}:
        return "count" if words & _COUNTED or said.says_count else "code"
    if words & _DURATIONS or said.says_count:
        return "count" if said.says_count else "amount"
    if meaning.name == "education":
        return "code" if said.says_codes or profile.distinct > _SOME + 10 else ""
    return meaning.nature
