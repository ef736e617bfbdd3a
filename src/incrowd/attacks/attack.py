"""The result of attacks: figures and sentences, no cell values; and the words they share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from incrowd.attacks.rates import Interval, PersonRisk, Rate
from incrowd.errors import count_of, join_words
from incrowd.linkage.identify import PromiseProof
from incrowd.showing import Shown

_ROUNDING = 1e-12
"""A smaller gain over guessing is rounding."""


@dataclass(frozen=True)
class Attack:
    """One attacker: what they know, how often they are right, how often a guess is."""

    kind: str
    """One of `play.KINDS`, such as `linkage`."""
    knows: tuple[str, ...]
    """The columns whose values the attacker knows of a person."""
    rate: Rate
    """How often the attacker is right, and how sure that is."""
    baseline: float
    """How often a guess without the release is right, 0..1."""
    says: str
    """What the attacker does and achieves, in a few sentences."""
    column: str | None = None
    """The sensitive column whose value is guessed."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """What else was counted, by name."""
    persons: PersonRisk | None = None
    """The worst for single people; None if the attack is not about single people."""
    gated: bool = True
    """Whether limits apply: not if the given tables show too little."""
    lacks: str = ""
    """For an attack that is not gated: why no limit applies, and what to give so that one does."""
    bound: bool = False
    """Whether the rate is only an upper bound, because nothing shows who is right."""
    outsider: bool = False
    """Whether the attacker need not know who is in the table."""
    claims: bool = False
    """Whether the attacker makes few claims, so that luck alone may beat guessing."""

    @property
    def success(self) -> float:
        """How often the attacker is right, 0..1: exact for this table."""
        return self.rate.success

    @property
    def interval(self) -> Interval:
        """The 95 % confidence interval of the rate for more people like these."""
        return self.rate.interval

    @property
    def trials(self) -> int:
        """People, or released rows, that the rate is about."""
        return self.rate.trials

    @property
    def goal(self) -> str:
        """What the attacker is after, in words."""
        what = self.kind.replace("-", " ")
        return what if self.column is None else f"{what} of {self.column}"

    @property
    def gain(self) -> float:
        """What the release adds to guessing, as a share of what guessing leaves open, 0..1.

        An attack that is no better than a guess adds nothing, however often it is right.
        """
        if self.success <= self.baseline + _ROUNDING:
            return 0.0
        return (self.success - self.baseline) / (1 - self.baseline)

    @property
    def counts(self) -> bool:
        """Whether limits apply: `gated`, and luck alone does not explain the rate."""
        return self.gated and not (self.claims and self.interval[0] <= self.baseline)

    def as_dict(self) -> dict[str, Any]:
        """The attack as JSON writes it."""
        return {
            "kind": self.kind,
            "knows": list(self.knows),
            **({} if self.column is None else {"column": self.column}),
            "success": self.success,
            "interval": list(self.interval),
            "baseline": self.baseline,
            "gain": self.gain,
            "trials": self.trials,
            "gated": self.gated,
            "bound": self.bound,
            **({} if self.persons is None else {"person": self.persons.as_dict(self.trials)}),
            **({} if not self.figures else {"figures": dict(self.figures)}),
            "says": self.says,
        }


@dataclass(frozen=True)
class Attacked(Shown):
    """All attacks on one release, and the limits that they break."""

    attacks: tuple[Attack, ...]
    k_world: int | None = None
    """The fewest people of the world who fit a row that fits anybody; None without a world."""
    k_with_release: int | None = None
    """The fewest people that a released row may be, in the world or in the release itself.

    Equal rows are about as many people, whoever is on a list: a list that lacks some of them does
    not find the others. None without a world, or if no row fits anybody.
    """
    k_matched: int | None = None
    """The fewest left of the world if each row is another person; None if not counted."""
    inconsistent: int | None = None
    """Released rows that fit nobody in the world (Bettini Section 3); None without a world."""
    k_every_world: int | None = None
    """How many people a row may be in any attacker's table (Bettini Section 6); None if unknown."""
    proved: PromiseProof | None = None
    """What promises about the world prove; None without promises."""
    broken: tuple[str, ...] = ()
    """The broken limits, in words."""
    advice: tuple[str, ...] = ()
    """What would lower the success of attacks most."""
    notes: tuple[str, ...] = ()
    """What you should know about the result."""
    limits: Mapping[str, float | None] = field(default_factory=dict)
    """The limits that applied, by name."""

    @property
    def ok(self) -> bool:
        """Whether no limit is broken."""
        return not self.broken

    def as_dict(self) -> dict[str, Any]:
        """The document that `incrowd attack --json` writes."""
        return {
            "schema": "incrowd.attack/1",
            "ok": self.ok,
            **{name: getattr(self, name) for name in _COUNTS},
            "k_proved": None if self.proved is None else self.proved.k,
            "attacks": [attack.as_dict() for attack in self.attacks],
            "limits": dict(self.limits),
            "broken": list(self.broken),
            "advice": list(self.advice),
            "notes": list(self.notes),
        }


_COUNTS = ("k_world", "k_with_release", "k_matched", "inconsistent", "k_every_world")


def columns_phrase(names: Sequence[str]) -> str:
    """The names of columns as part of a sentence; "nothing" for none.

    >>> columns_phrase(["age", "sex", "zip"]), columns_phrase([])
    ('age, sex and zip', 'nothing')
    """
    return join_words(names) or "nothing"


def people_phrase(count: int) -> str:
    """A number of people as a phrase.

    >>> people_phrase(1), people_phrase(12345)
    ('1 person', '12,345 people')
    """
    return count_of(count, "person", "people")


def rows_phrase(count: int) -> str:
    """A number of rows as a phrase.

    >>> rows_phrase(1), rows_phrase(12345)
    ('1 row', '12,345 rows')
    """
    return count_of(count, "row")


def part_phrase(value: float, what: str) -> str:
    """A share of something as a phrase, never rounded to none or to all.

    >>> part_phrase(0, "the rows"), part_phrase(0.25, "the rows"), part_phrase(1, "the rows")
    ('none of the rows', '25 % of the rows', 'all of the rows')
    """
    if value in {0, 1}:
        return f"{'all' if value else 'none'} of {what}"
    return f"{share_phrase(value)} of {what}"


def share_phrase(value: float) -> str:
    """A share as a percentage, never rounded to none or to all.

    >>> share_phrase(0.25), share_phrase(0.00001), share_phrase(0.99999), share_phrase(1)
    ('25 %', 'below 0.01 %', 'above 99.99 %', '100 %')
    """
    if 0 < value < 0.0001:
        return "below 0.01 %"
    if 0.9999 < value < 1:
        return "above 99.99 %"
    return f"{value * 100:.2f}".rstrip("0").rstrip(".") + " %"
