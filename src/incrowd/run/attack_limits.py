"""The limits that attacks may break: those of a policy, and the success that is allowed."""

from collections.abc import Iterator, Sequence

from incrowd.attacks.attack import Attack
from incrowd.attacks.words import columns, share
from incrowd.models import AlphaK, KAnonymity, KMap, LDiversity
from incrowd.policy.policy import Policy


def broken(
    attacks: Sequence[Attack],
    k_world: int | None,
    policy: Policy | None,
    max_success: float | None,
) -> Iterator[str]:
    """The limits that are broken, in words.

    k-anonymity must hold against the world, and when two releases are held against each other;
    k-map against the world alone; l-diversity leaves at least l values of two releases. No attack
    may gain more over guessing than allowed. Where no row fits anybody of the world, nothing was
    held against it, and that is not taken for kept.
    """
    if max_success is not None:
        yield from _above(attacks, max_success)
    for model in () if policy is None else policy.models:
        if isinstance(model, KAnonymity | AlphaK):
            yield from _fewer(attacks, k_world, model.k)
        if isinstance(model, KMap):
            linkage = [attack for attack in attacks if attack.kind == "linkage"]
            yield from _fewer(linkage, k_world, model.k)
        if isinstance(model, LDiversity):
            yield from _plainer(attacks, model)


def _above(attacks: Sequence[Attack], limit: float) -> Iterator[str]:
    for attack in attacks:
        if attack.gain > limit:
            yield (
                f"{attack.goal} by {columns(attack.knows)} gains {share(attack.gain)} over "
                f"guessing, above {share(limit)}"
            )


def _fewer(attacks: Sequence[Attack], k_world: int | None, k: int) -> Iterator[str]:
    linked = any(attack.kind == "linkage" and attack.trials for attack in attacks)
    if linked and k_world is None:
        yield f"k = {k} was not held against the world: no released row fits anybody of it"
    if k_world is not None and k_world < k:
        yield f"a released row fits {k_world:,} of the world, fewer than k = {k}"
    for attack in attacks:
        left = attack.figures.get("k", k)
        if attack.kind == "releases" and left < k:
            yield (
                f"two releases leave {int(left):,} rows for somebody known by "
                f"{columns(attack.knows)}, fewer than k = {k}"
            )


def _plainer(attacks: Sequence[Attack], model: LDiversity) -> Iterator[str]:
    for attack in attacks:
        left = attack.figures.get("fewest_values", model.l)
        if attack.kind == "releases" and attack.column == model.column and left < model.l:
            yield (
                f"two releases leave {int(left):,} values of {model.column} for somebody known by "
                f"{columns(attack.knows)}, fewer than l = {share(model.l)}"
            )
