"""A first policy for a table: roles and hierarchies with reasons, and marks to review.

Names come first, then what the values look like. A doubtful column gets the safer role and a mark.
Reasons give shares and counts, never a value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from incrowd.errors import InputError, counted
from incrowd.hierarchy import Suggestion, suggest
from incrowd.identify.measures import all_ratios
from incrowd.identify.records import Records
from incrowd.identify.sampling import sampled_rows
from incrowd.models import AnyModel, KAnonymity, LDiversity
from incrowd.pii.column_names import says_person, topic_of
from incrowd.pii.patterns import ValuePattern, pattern_of
from incrowd.pii.profile import ColumnProfile, are_sentences
from incrowd.policy import codec
from incrowd.policy.policy import Column, Policy
from incrowd.table.column import CodedColumn, Kind, Role
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.engines.memory import MemoryEngine

_K = 5
_L = 2
_NEARLY_ALL = 0.9
_FEW_ENOUGH = 0.5
_MARK = "review"

Matched: TypeAlias = tuple[ValuePattern, float]
"""The pattern of most values of a column, and their share."""

HEADER: tuple[str, ...] = (
    "A first policy, drafted from the names and values of the columns. Every line is a guess.",
    "Review the columns marked 'review' first: they have the safer of the possible roles.",
    *codec.HEADER,
)


@dataclass(frozen=True)
class Guess:
    """The role that a column seems to have, why, and whether that is certain."""

    role: Role
    reason: str
    sure: bool = True


@dataclass(frozen=True)
class Draft:
    """A first policy, why each column has its role, and which columns to review."""

    policy: Policy
    reasons: Mapping[str, str]
    review: tuple[str, ...]
    hierarchies: Mapping[str, str]
    """Why each quasi-identifying column has its hierarchy."""
    risky: tuple[tuple[str, float], ...]
    """All columns that incrowd can look into with their shares of distinct values, highest first:
    a quick measure of which columns tell people apart."""


def draft(columns: Sequence[ColumnProfile]) -> Draft:
    """A first policy for a table of these columns."""
    guesses = {column.name: guess(column) for column in columns}
    return _drafted(columns, _with_some_quasi(columns, guesses))


def redrafted(first: Draft, columns: Sequence[ColumnProfile], reasons: Mapping[str, str]) -> Draft:
    """The draft with more quasi-identifying columns, for these reasons, to review."""
    if not reasons:
        return first
    guesses = {
        name: Guess(column.role, first.reasons[name], name not in first.review)
        for name, column in first.policy.columns.items()
    }
    guesses |= {name: Guess(Role.QUASI, why, sure=False) for name, why in reasons.items()}
    return _drafted(columns, guesses)


def _drafted(columns: Sequence[ColumnProfile], guesses: Mapping[str, Guess]) -> Draft:
    quasi = [column for column in columns if guesses[column.name].role is Role.QUASI]
    chosen = {column.name: suggest(column.domain, column.name) for column in quasi}
    policy = Policy(
        columns={c.name: _column(c, guesses[c.name], chosen.get(c.name)) for c in columns},
        models=(KAnonymity(_K), *_diversity(columns, guesses)),
    )
    shares = {c.name: round(c.distinct_share, 4) for c in columns if not c.sealed}
    return Draft(
        policy=policy,
        reasons={name: found.reason for name, found in guesses.items()},
        review=tuple(name for name, found in guesses.items() if not found.sure),
        hierarchies={name: suggestion.reason for name, suggestion in chosen.items()},
        risky=tuple(sorted(shares.items(), key=lambda pair: -pair[1])),
    )


def to_toml(drafted: Draft) -> str:
    """The drafted policy as TOML, with the reasons and the marks as comments."""
    comments = {
        name: [f"{_MARK}: {reason}" if name in drafted.review else reason]
        for name, reason in drafted.reasons.items()
    }
    for name, reason in drafted.hierarchies.items():
        comments[name].append(reason)
    return codec.dumps(drafted.policy, header=HEADER, comments=comments)


def profiles(
    engine: "MemoryEngine", coded: Mapping[str, CodedColumn] | None = None
) -> list[ColumnProfile]:
    """The profiles of all columns of a table; those without lists or bytes may come coded."""
    if coded is None:
        coded = engine.codes([name for name in engine.names if name not in engine.sealed])
    return [
        ColumnProfile.of(coded[name])
        if name in coded
        else ColumnProfile.of_sealed(name, engine.records, engine.sealed[name])
        for name in engine.names
    ]


# Guessing roles


def guess(column: ColumnProfile) -> Guess:
    """The role that a column seems to have."""
    if column.sealed:
        reason = f"holds {column.sealed}, which incrowd cannot look into"
        return Guess(Role.DROP, reason, sure=False)
    pattern = pattern_of(column)
    found = (
        _by_emptiness(column)
        or _by_name(column, pattern)
        or _by_pattern(column, pattern)
        or _by_numbers(column)
    )
    if pattern is None or not pattern[0].advice or found.role is Role.DROP:
        return found
    looks = "" if pattern[0].name in found.reason else f"; {pattern[0].name}"
    return Guess(found.role, f"{found.reason}{looks}, {pattern[0].advice}", sure=False)


def _by_emptiness(column: ColumnProfile) -> Guess | None:
    if not column.distinct:
        return Guess(Role.DROP, "no values")
    if column.distinct == 1 and not column.missing and column.records > 1:
        return Guess(Role.KEEP, "only one value, so it tells nobody apart")
    return None


def _by_name(column: ColumnProfile, pattern: Matched | None) -> Guess | None:
    """What the name says, unless the values cannot be that."""
    topic = topic_of(column.name)
    if topic is None:
        return None
    if topic.numbers and says_person(column.name):
        return _person_id(column)
    if topic.name == "id" and column.distinct_share < _FEW_ENOUGH:
        return None
    if topic.role is Role.SENSITIVE and _hardly_repeats(column) and _is_text(column, pattern):
        reason = f"{topic.reason}; but {_distinct(column)}, so they identify people"
        return Guess(Role.IDENTIFIER, reason, sure=False)
    return Guess(topic.role, topic.reason, topic.sure)


def _is_text(column: ColumnProfile, pattern: Matched | None) -> bool:
    """Whether it holds texts, and not only numbers that were not read as such."""
    return column.kind is Kind.TEXT and (pattern is None or not pattern[0].advice)


def _person_id(column: ColumnProfile) -> Guess:
    if column.distinct_share > 0.999:
        return Guess(Role.IDENTIFIER, "looks like a person ID")
    reason = "looks like a person ID that repeats: classes count people, not records"
    return Guess(Role.UNIT, reason, sure=False)


def _by_pattern(column: ColumnProfile, found: Matched | None) -> Guess | None:
    if column.kind is Kind.TEXT and are_sentences(column.sample):
        return Guess(Role.DROP, "holds sentences, which can say anything", sure=False)
    if found is None:
        return None
    pattern, share = found
    how_many = "all" if share == 1 else f"{share:.0%} of the".replace("%", " %")
    reason = f"{how_many} distinct values look like {pattern.name}"
    if pattern.role is Role.SENSITIVE and _hardly_repeats(column):
        reason += f"; but {_distinct(column)}, so they identify people"
        return Guess(Role.IDENTIFIER, reason, sure=False)
    return Guess(pattern.role, reason, pattern.sure)


def _by_numbers(column: ColumnProfile) -> Guess:
    """Neither name nor pattern tell: what hardly repeats identifies, the rest may be known."""
    if column.kind is Kind.DATE:
        return Guess(Role.QUASI, "others often know dates of events", sure=False)
    whole = column.domain.values.dtype.kind != "f"
    if _hardly_repeats(column) and whole:
        return Guess(Role.IDENTIFIER, f"{_distinct(column)}, as in a list of IDs", sure=False)
    values = counted(column.distinct, "value")
    return Guess(Role.QUASI, f"{values} that others may know", sure=False)


def _hardly_repeats(column: ColumnProfile) -> bool:
    return column.distinct_share >= _NEARLY_ALL and column.records >= 20


def _distinct(column: ColumnProfile) -> str:
    return f"{column.distinct_share:.0%} of the values are distinct".replace("%", " %", 1)


def _with_some_quasi(
    columns: Sequence[ColumnProfile], guesses: dict[str, Guess]
) -> dict[str, Guess]:
    """A policy needs a quasi-identifying column: take the one of most values that may leave."""
    if any(found.role is Role.QUASI for found in guesses.values()):
        return _with_one_unit(guesses)
    leaving = {Role.KEEP, Role.SENSITIVE, Role.DROP}
    able = [c for c in columns if guesses[c.name].role in leaving and c.distinct]
    if not able:
        empty = not any(column.distinct for column in columns)
        why = "no cell has a value" if empty else "every column is empty or identifies people"
        raise InputError(
            f"no policy can be drafted: {why}",
            remedy="give a table with a column that may be published",
        )
    chosen = max(able, key=lambda column: column.distinct)
    reason = "no column looks like something that others know; this one has the most values"
    return _with_one_unit(guesses | {chosen.name: Guess(Role.QUASI, reason, sure=False)})


def _with_one_unit(guesses: dict[str, Guess]) -> dict[str, Guess]:
    """One column can say whose record it is; further ones are identifiers."""
    units = [name for name, found in guesses.items() if found.role is Role.UNIT]
    reason = "looks like a person ID; another column is the unit already"
    return guesses | {name: Guess(Role.IDENTIFIER, reason, sure=False) for name in units[1:]}


def _column(column: ColumnProfile, found: Guess, chosen: Suggestion | None) -> Column:
    """Dates that leave as they are say that they are dates, so that a preset can tell."""
    if chosen is not None:
        return Column(role=found.role, hierarchy=chosen.spec)
    dated = column.kind is Kind.DATE and found.role in {Role.SENSITIVE, Role.KEEP}
    return Column(role=found.role, kind=Kind.DATE if dated else None)


def _diversity(columns: Sequence[ColumnProfile], guesses: Mapping[str, Guess]) -> list[AnyModel]:
    """l-diversity of each sensitive column, of a kind that the table can satisfy.

    No more people than records hold a value, and there are as many people as units.
    """
    units = [c.distinct + c.missing for c in columns if guesses[c.name].role is Role.UNIT]
    sensitive = [c for c in columns if guesses[c.name].role is Role.SENSITIVE and c.distinct > 1]
    return [
        LDiversity(
            c.name,
            _L,
            kind="frequency" if c.largest * _L <= min([c.records, *units]) else "distinct",
        )
        for c in sensitive
    ]


# Columns that identify together

_COLUMNS = 20
_ROWS = 20_000
_SIZE = 3
_SECONDS = 2.0
_MANY = 0.5
_SOME = 0.05

Shares = Mapping[frozenset[str], float]
"""The share of records that are unique in each set of columns."""


def with_joint_uniqueness(first: Draft, columns: Sequence[CodedColumn]) -> Draft:
    """The draft with, for each quasi-identifying column, the columns with which it identifies.

    It looks at sets of at most three columns, for two seconds, in a sample of a large table.
    """
    known = [column for column in columns if column.name in first.policy.quasi][:_COLUMNS]
    if not known or not len(known[0].codes):
        return first
    records = Records(
        tuple(column.name for column in known),
        np.stack([column.codes for column in known]),
        np.ones(len(known[0].codes), dtype=np.int64),
    )
    drawn = sampled_rows(records, _ROWS, np.random.default_rng(0))
    shares = {
        frozenset(records.names[j] for j in places): found.unique_ratio
        for places, found in all_ratios(drawn, _SIZE, Watch(_SECONDS))
    }
    of = f" in a sample of {drawn.total:,}" if drawn.total < records.total else ""
    together = {name: joint_uniqueness(name, shares, of) for name in records.names}
    reasons = {
        name: f"{reason}; {together[name]}" if together.get(name) else reason
        for name, reason in first.reasons.items()
    }
    return replace(first, reasons=reasons)


def joint_uniqueness(name: str, shares: Shares, of: str = "") -> str:
    """The fewest columns with which a column singles out many records; empty if few.

    >>> pair = frozenset({"age", "zip"})
    >>> joint_uniqueness("age", {frozenset({"age"}): 0.01, frozenset({"zip"}): 0.1, pair: 0.87})
    'with zip it singles out 87 % of the records'
    """
    adding = {
        one: share
        for one, share in shares.items()
        if name in one and share >= shares.get(one - {name}, 0.0) + _SOME
    }
    if not adding:
        return ""
    many = [one for one, share in adding.items() if share >= _MANY]
    fewest = min(map(len, many), default=0)
    able = [one for one in many if len(one) == fewest] or list(adding)
    chosen = max(able, key=lambda one: (adding[one], sorted(one)))
    others = " and ".join(sorted(chosen - {name}))
    company = f"with {others}" if others else "alone"
    return f"{company} it singles out {100 * adding[chosen]:.0f} % of the records{of}"
