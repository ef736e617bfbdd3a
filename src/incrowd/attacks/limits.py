"""The limits of attacks: those that are asked for, and those that the models of a policy imply."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from incrowd.attacks.attack import Attack, columns_phrase, people_phrase, share_phrase
from incrowd.attacks.rates import PersonRisk
from incrowd.linkage.attack_data import LIMIT
from incrowd.models.model import Model, counts_world_people

RAISE = 0.3
"""At least so much may be added to anybody's chance if only a limit of success is asked for."""


@dataclass(frozen=True)
class AttackLimits:
    """What attacks may achieve at most."""

    posterior: float = LIMIT
    """The chance above which a person counts as found, or their value as learned."""
    people: int = 0
    """How many people may be above it."""
    success: float | None = None
    """The largest mean gain of an attack over guessing."""
    added: float | None = None
    """The most that the release may add to anybody's chance."""

    @property
    def most_added(self) -> float | None:
        """The limit of added chance: `added`, else the larger of `success` and `RAISE`, or None."""
        asked = self.added is not None or self.success is None
        return self.added if asked else max(RAISE, self.success or 0.0)

    def as_dict(self) -> dict[str, Any]:
        """The limits as JSON has them."""
        return {
            "max_posterior": self.posterior,
            "max_people": self.people,
            "max_success": self.success,
            "max_raise": self.most_added,
        }


def broken_limits(
    attacks: Sequence[Attack], k_world: int | None, models: Sequence[Model], limits: AttackLimits
) -> Iterator[str]:
    """Yield the broken limits, in words.

    No more people than allowed may be found, or their value learned, with a chance above the limit;
    no attack may gain more over guessing than allowed. k-anonymity must hold against the world and
    against two releases; k-map against the world alone; l-diversity leaves at least l values in two
    releases. `k_world` counts the people of the world or of the release itself, because a list may
    lack some. If no row fits anybody of the world, k was not tested, and that counts as broken.
    """
    outside = only_against_outsiders(models)
    for attack in (one for one in attacks if one.counts):
        single = attack.persons if attack.outsider or not outside else None
        yield from _limits_broken_by(attack, limits, single)
    for model in models:
        if (k := model.smallest_class()) > 1:
            yield from _broken_k_limits(attacks, k_world, k)
        if (k := model.smallest_candidate_set()) > 1:
            linkage = [attack for attack in attacks if attack.kind == "linkage"]
            yield from _broken_k_limits(linkage, k_world, k)
        if (l := model.values_left()) > 0:
            yield from _broken_l_limits(attacks, l, *model.columns)


def only_against_outsiders(models: Sequence[Model]) -> bool:
    """Whether models (k-map, delta-presence) protect only if nobody knows who is in the table."""
    counted = any(model.smallest_class() > 1 for model in models)
    return any(counts_world_people(model) for model in models) and not counted


def _limits_broken_by(
    attack: Attack, limits: AttackLimits, single: PersonRisk | None
) -> Iterator[str]:
    """Yield the limits that one attack breaks; without `single`, nobody counts as found."""
    attacker = f"{attack.goal} by {columns_phrase(attack.knows)}"
    if single is not None and round(single.above) > limits.people:
        most = f", more than {people_phrase(limits.people)}" if limits.people else ""
        yield (
            f"{attacker} is right about {people_phrase(round(single.above))} with a chance above "
            f"{share_phrase(limits.posterior)}{most}"
        )
    persons, added = attack.persons, limits.most_added
    if persons is not None and added is not None and persons.raised > added:
        yield (
            f"{attacker} adds {share_phrase(persons.raised)} of what was open to somebody's "
            f"chance, above {share_phrase(added)}"
        )
    if limits.success is not None and attack.gain > limits.success:
        yield (
            f"{attacker} gains {share_phrase(attack.gain)} over guessing on average, above "
            f"{share_phrase(limits.success)}"
        )


def _broken_k_limits(attacks: Sequence[Attack], k_world: int | None, k: int) -> Iterator[str]:
    """Yield broken or untested limits of k; `k_world` is None without a world or fitting row."""
    linked = any(attack.kind == "linkage" and attack.trials for attack in attacks)
    if linked and k_world is None:
        yield f"k = {k} could not be tested: no released row fits anybody of the world"
    if k_world is not None and k_world < k:
        yield f"a released row can be only {people_phrase(k_world)}, fewer than k = {k}"
    for attack in attacks:
        left = attack.figures.get("k", k)
        if attack.kind == "releases" and left < k:
            yield (
                f"two releases leave {int(left):,} rows for somebody known by "
                f"{columns_phrase(attack.knows)}, fewer than k = {k}"
            )


def _broken_l_limits(attacks: Sequence[Attack], l: float, column: str) -> Iterator[str]:
    """Yield the attacks by two releases that leave fewer than l values of the column, in words."""
    for attack in attacks:
        left = attack.figures.get("fewest_values", l)
        if attack.kind == "releases" and attack.column == column and left < l:
            yield (
                f"two releases leave {int(left):,} values of {column} for somebody known by "
                f"{columns_phrase(attack.knows)}, fewer than l = {l:g}"
            )
