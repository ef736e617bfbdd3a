"""What an attack comes to: figures and sentences, no cell values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from incrowd.attacks.intervals import Interval, Rate
from incrowd.attacks.persons import Persons
from incrowd.linkage.constraints import Proof

_ROUNDING = 1e-12
"""A rate that is better than guessing by less is not better."""


@dataclass(frozen=True)
class Attack:
    """One attacker: what is known to them, how often they are right, and what guessing reaches."""

    kind: str
    """`linkage`, `ends`, `singling-out`, `linkability`, `inference`, `control`, `homogeneity`,
    `background`, `row-order` or `releases`."""
    knows: tuple[str, ...]
    """The columns whose values the attacker knows of a person."""
    rate: Rate
    """How often the attacker is right, and how sure that is."""
    baseline: float
    """How often a guess without the release is right, 0..1."""
    says: str
    """The attacker's way in a few sentences."""
    column: str | None = None
    """The sensitive column whose value is guessed."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """What else was counted, by name."""
    persons: Persons | None = None
    """The worst for single people; None where the attack is not about any one of them."""
    gated: bool = True
    """Whether limits are held against it: not if the tables given show too little."""
    bound: bool = False
    """Whether the rate is the most that it can be, as nothing shows who is right."""
    claims: bool = False
    """Whether the rate is about few claims, so that luck alone may beat a guess."""

    @property
    def success(self) -> float:
        """How often the attacker is right, 0..1: exact for this table."""
        return self.rate.success

    @property
    def interval(self) -> Interval:
        """Where the rate of further people like these lies, with 95 % confidence."""
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

        This is what a limit is held against: an attack that is no better than a guess adds nothing,
        however often the guess is right.
        """
        if self.success <= self.baseline + _ROUNDING:
            return 0.0
        return (self.success - self.baseline) / (1 - self.baseline)

    @property
    def counts(self) -> bool:
        """Whether limits are held against it: not where luck may be all that there is, either."""
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
class Attacked:
    """All attacks on one release, and the limits that they break."""

    attacks: tuple[Attack, ...]
    k_world: int | None = None
    """The fewest individuals of the world whom a released row may be; None without a world.

    Rows that fit nobody are not among them: see `inconsistent`.
    """
    k_with_release: int | None = None
    """The fewest people whom a released row may be, of the world or of the release itself.

    Rows that show the same are of as many people, whoever is on a list: a list that lacks some of
    them does not find the others. None without a world, or if no row fits anybody.
    """
    inconsistent: int | None = None
    """Released rows that fit nobody in the world: they do not belong together (Bettini Section 3).

    None without a world.
    """
    k_every_world: int | None = None
    """So many people may be each released row whatever table somebody holds (Bettini Section 6).

    None if that is not known: there are no rows, or people with several rows, who cannot be told
    apart.
    """
    proved: Proof | None = None
    """What promises about the world prove; None without any."""
    broken: tuple[str, ...] = ()
    """The limits that are broken, in words."""
    advice: tuple[str, ...] = ()
    """What would lower the success of an attack most."""
    notes: tuple[str, ...] = ()
    """What a reader should know."""
    limits: Mapping[str, float | None] = field(default_factory=dict)
    """What was allowed at the most, by name."""

    @property
    def ok(self) -> bool:
        """Whether no limit is broken."""
        return not self.broken

    def as_dict(self) -> dict[str, Any]:
        """The document that `incrowd attack --json` writes."""
        return {
            "schema": "incrowd.attack/1",
            "ok": self.ok,
            "k_world": self.k_world,
            "k_with_release": self.k_with_release,
            "inconsistent": self.inconsistent,
            "k_every_world": self.k_every_world,
            "k_proved": None if self.proved is None else self.proved.k,
            "attacks": [attack.as_dict() for attack in self.attacks],
            "limits": dict(self.limits),
            "broken": list(self.broken),
            "advice": list(self.advice),
            "notes": list(self.notes),
        }
