"""A first policy for a table: roles and hierarchies with reasons, and marks to review.

Names are looked at first, then what the values look like. What is uncertain gets the safer role
and a mark. Reasons tell shares and counts, never a value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from incrowd.errors import InputError
from incrowd.hierarchy import Suggestion, suggest
from incrowd.models import AnyModel, KAnonymity, LDiversity
from incrowd.pii.shapes import is_prose, shape_of
from incrowd.pii.words import says_person, topic_of
from incrowd.policy import codec
from incrowd.policy.policy import Column, Policy
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.roles import Role

if TYPE_CHECKING:
    from incrowd.engines.memory import MemoryEngine

_K = 5
_L = 2
_NEARLY_ALL = 0.9
_FEW_ENOUGH = 0.5
_MARK = "review"

HEADER: tuple[str, ...] = (
    "A first policy, drafted from the names and the shape of the columns. Every line is a guess.",
    "Look at those marked 'review' first; they got the safer of the roles that came to mind.",
    *codec.HEADER,
)


@dataclass(frozen=True, eq=False)
class Sketch:
    """What a draft needs to know of one column."""

    name: str
    domain: Domain
    records: int
    missing: int
    """Records without a value."""
    largest: int
    """Records that hold the most common value; missing counts as one."""
    sealed: str = ""
    """What the cells hold that no program can see into."""

    @classmethod
    def of(cls, column: CodedColumn) -> "Sketch":
        """The sketch of a coded column."""
        counts = np.bincount(column.codes, minlength=len(column.domain) + 1)
        missing, largest = int(counts[0]), int(counts.max())
        return cls(column.name, column.domain, len(column.codes), missing, largest)

    @classmethod
    def unseen(cls, name: str, records: int, what: str) -> "Sketch":
        """The sketch of a column of lists, structures or bytes."""
        nothing = Domain(Kind.TEXT, np.array([], dtype=object))
        return cls(name, nothing, records, records, records, what)

    @property
    def kind(self) -> Kind:
        """What the values are."""
        return self.domain.kind

    @property
    def distinct(self) -> int:
        """Number of distinct values."""
        return len(self.domain)

    @property
    def distinct_share(self) -> float:
        """Distinct values over records with a value: 1 if every value stands alone."""
        there = self.records - self.missing
        return self.distinct / there if there else 0.0


@dataclass(frozen=True)
class Guess:
    """The role that a column seems to have, why, and whether that is certain."""

    role: Role
    reason: str
    sure: bool = True


@dataclass(frozen=True)
class Draft:
    """A first policy, why each column got its role, and which ones to look at."""

    policy: Policy
    reasons: Mapping[str, str]
    review: tuple[str, ...]
    hierarchies: Mapping[str, str]
    """Why each quasi-identifying column got its hierarchy."""
    risky: tuple[tuple[str, float], ...]
    """All columns that can be seen into with their shares of distinct values, highest first: the
    quick measure of which columns tell people apart."""


def draft(columns: Sequence[Sketch]) -> Draft:
    """A first policy for a table of these columns."""
    guesses = {sketch.name: guess(sketch) for sketch in columns}
    return _drafted(columns, _with_some_quasi(columns, guesses))


def redrafted(first: Draft, columns: Sequence[Sketch], reasons: Mapping[str, str]) -> Draft:
    """The draft with more quasi-identifying columns, for these reasons, to be reviewed."""
    if not reasons:
        return first
    guesses = {
        name: Guess(column.role, first.reasons[name], name not in first.review)
        for name, column in first.policy.columns.items()
    }
    guesses |= {name: Guess(Role.QUASI, why, sure=False) for name, why in reasons.items()}
    return _drafted(columns, guesses)


def _drafted(columns: Sequence[Sketch], guesses: Mapping[str, Guess]) -> Draft:
    quasi = [sketch for sketch in columns if guesses[sketch.name].role is Role.QUASI]
    chosen = {sketch.name: suggest(sketch.domain, sketch.name) for sketch in quasi}
    policy = Policy(
        columns={s.name: _column(s, guesses[s.name], chosen.get(s.name)) for s in columns},
        models=(KAnonymity(_K), *_diversity(columns, guesses)),
    )
    shares = {s.name: round(s.distinct_share, 4) for s in columns if not s.sealed}
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


def sketches(
    engine: "MemoryEngine", coded: Mapping[str, CodedColumn] | None = None
) -> list[Sketch]:
    """The sketches of all columns of a table; those that can be seen into may be coded already."""
    if coded is None:
        coded = engine.codes([name for name in engine.names if name not in engine.sealed])
    return [
        Sketch.of(coded[name])
        if name in coded
        else Sketch.unseen(name, engine.records, engine.sealed[name])
        for name in engine.names
    ]


def guess(sketch: Sketch) -> Guess:
    """The role that a column seems to have."""
    if sketch.sealed:
        return Guess(Role.DROP, f"it holds {sketch.sealed}: no program can see into it", sure=False)
    found = _by_emptiness(sketch) or _by_name(sketch) or _by_shape(sketch) or _by_numbers(sketch)
    shape = shape_of(sketch.domain)
    if shape is None or not shape[0].advice or found.role is Role.DROP:
        return found
    looks = "" if shape[0].name in found.reason else f"; {shape[0].name}"
    return Guess(found.role, f"{found.reason}{looks}, {shape[0].advice}", sure=False)


def _by_emptiness(sketch: Sketch) -> Guess | None:
    if not sketch.distinct:
        return Guess(Role.DROP, "it has no values")
    if sketch.distinct == 1 and not sketch.missing and sketch.records > 1:
        return Guess(Role.KEEP, "it has one value, which tells nobody apart")
    return None


def _by_name(sketch: Sketch) -> Guess | None:
    """What the name says, unless the values cannot be that."""
    topic = topic_of(sketch.name)
    if topic is None:
        return None
    if topic.name in {"id", "network", "number"} and says_person(sketch.name):
        return _number_of_persons(sketch)
    if topic.name == "id" and sketch.distinct_share < _FEW_ENOUGH:
        return None
    reason = f"by its name: {topic.reason}"
    if topic.role is Role.SENSITIVE and _stands_alone(sketch) and _is_text(sketch):
        reason += f"; but {_alone(sketch)}, so each tells a person apart"
        return Guess(Role.IDENTIFIER, reason, sure=False)
    return Guess(topic.role, reason, topic.sure)


def _is_text(sketch: Sketch) -> bool:
    """Whether it holds texts, and not only numbers that were not read as such."""
    found = shape_of(sketch.domain)
    return sketch.kind is Kind.TEXT and (found is None or not found[0].advice)


def _number_of_persons(sketch: Sketch) -> Guess:
    if sketch.distinct_share > 0.999:
        return Guess(Role.IDENTIFIER, "by its name: it numbers persons")
    reason = "by its name it numbers persons, and numbers repeat: classes count people, not records"
    return Guess(Role.UNIT, reason, sure=False)


def _by_shape(sketch: Sketch) -> Guess | None:
    if is_prose(sketch.domain):
        return Guess(Role.DROP, "it holds sentences, which can tell anything", sure=False)
    found = shape_of(sketch.domain)
    if found is None:
        return None
    shape, share = found
    how_many = "all" if share == 1 else f"a share of {share:.2f}"
    reason = f"{how_many} of its distinct values look like {shape.name}"
    if shape.role is Role.SENSITIVE and _stands_alone(sketch):
        reason += f"; but {_alone(sketch)}, so each tells a person apart"
        return Guess(Role.IDENTIFIER, reason, sure=False)
    return Guess(shape.role, reason, shape.sure)


def _by_numbers(sketch: Sketch) -> Guess:
    """Neither name nor shape tell: what stands alone identifies, the rest could be known."""
    if sketch.kind is Kind.DATE:
        return Guess(Role.QUASI, "dates of events are often known to others", sure=False)
    whole = sketch.domain.values.dtype.kind != "f"
    if _stands_alone(sketch) and whole:
        return Guess(Role.IDENTIFIER, f"{_alone(sketch)}, as in a register", sure=False)
    values = "1 value" if sketch.distinct == 1 else f"{sketch.distinct:,} values"
    reason = f"unknown ({values}): others may know it"
    return Guess(Role.QUASI, reason, sure=False)


def _stands_alone(sketch: Sketch) -> bool:
    return sketch.distinct_share >= _NEARLY_ALL and sketch.records >= 20


def _alone(sketch: Sketch) -> str:
    return f"nearly all of its values are distinct ({sketch.distinct_share:.2f})"


def _with_some_quasi(columns: Sequence[Sketch], guesses: dict[str, Guess]) -> dict[str, Guess]:
    """A policy needs a quasi-identifying column: take the one of most values that may leave."""
    if any(found.role is Role.QUASI for found in guesses.values()):
        return _with_one_unit(guesses)
    leaving = {Role.KEEP, Role.SENSITIVE, Role.DROP}
    able = [s for s in columns if guesses[s.name].role in leaving and s.distinct]
    if not able:
        empty = not any(sketch.distinct for sketch in columns)
        why = "no cell has a value" if empty else "every column is empty or names persons"
        raise InputError(
            f"no policy can be drafted, as nothing could leave: {why}",
            remedy="give a table with a column that may be published",
        )
    chosen = max(able, key=lambda sketch: sketch.distinct)
    reason = "no column looks like something that others know; this one has the most values"
    return _with_one_unit(guesses | {chosen.name: Guess(Role.QUASI, reason, sure=False)})


def _with_one_unit(guesses: dict[str, Guess]) -> dict[str, Guess]:
    """One column can say whose record it is; further ones are identifiers."""
    units = [name for name, found in guesses.items() if found.role is Role.UNIT]
    reason = "by its name it numbers persons; another column is the unit already"
    return guesses | {name: Guess(Role.IDENTIFIER, reason, sure=False) for name in units[1:]}


def _column(sketch: Sketch, found: Guess, chosen: Suggestion | None) -> Column:
    """Dates that leave as they are say that they are dates, so that a preset can tell."""
    if chosen is not None:
        return Column(role=found.role, hierarchy=chosen.spec)
    dated = sketch.kind is Kind.DATE and found.role in {Role.SENSITIVE, Role.KEEP}
    return Column(role=found.role, kind=Kind.DATE if dated else None)


def _diversity(columns: Sequence[Sketch], guesses: Mapping[str, Guess]) -> list[AnyModel]:
    """l-diversity of each sensitive column, of a kind that the table can satisfy.

    People who hold a value are no more than its records, and people are as many as units.
    """
    units = [s.distinct + s.missing for s in columns if guesses[s.name].role is Role.UNIT]
    sensitive = [s for s in columns if guesses[s.name].role is Role.SENSITIVE and s.distinct > 1]
    return [
        LDiversity(
            s.name,
            _L,
            kind="frequency" if s.largest * _L <= min([s.records, *units]) else "distinct",
        )
        for s in sensitive
    ]
