"""All attacks of one scene, set by set, and what would lower their success most."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from incrowd.attacks.attack import Attack
from incrowd.attacks.background import background
from incrowd.attacks.candidates import Facing
from incrowd.attacks.fit import Chain, Fit, sweep
from incrowd.attacks.held import Held
from incrowd.attacks.homogeneity import homogeneity
from incrowd.attacks.inference import inference
from incrowd.attacks.linkability import linkability
from incrowd.attacks.linkage import linkage
from incrowd.attacks.scene import Scene
from incrowd.attacks.singling_out import singling_out
from incrowd.attacks.words import columns, share
from incrowd.watch import Watch

KINDS = (
    "linkage",
    "singling-out",
    "linkability",
    "inference",
    "homogeneity",
    "background",
    "row-order",
    "releases",
)
"""All kinds, in the order in which they are told."""


@dataclass(frozen=True)
class Attackers:
    """Which attackers are played."""

    max_size: int = 0
    """All sets of at most so many known columns, besides the set of all of them."""
    ruled_out: int = 1
    """How many sensitive values an attacker with background knowledge can rule out."""


def play(
    scene: Scene, attackers: Attackers, watch: Watch | None = None
) -> tuple[list[Attack], list[str]]:
    """All attacks of a scene by the known columns, and what would lower their success most.

    Singling out, inference, homogeneity and background knowledge take all known columns, and the
    sets asked for; linkability takes each such set, single columns at the least, and the others.
    """
    both = Fit.of(scene, tuple(range(len(scene.known))))
    attacks = list(of_fit(both, attackers.ruled_out))
    for fit in sweep(scene, attackers.max_size, watch):
        if len(fit.columns) < len(scene.known):
            attacks += of_fit(fit, attackers.ruled_out)
    without: dict[str, list[Attack]] = {}
    links = []
    for left, right in splits(scene, max(attackers.max_size, 1), watch):
        links.append(linkability(left, right, both))
        if len(left.columns) == 1:
            without[left.names[0]] = list(of_fit(right, 0))
    lower = [line for one in attacks if one.knows == scene.names for line in lowered(one, without)]
    return attacks + links, lower


def splits(scene: Scene, max_size: int, watch: Watch | None = None) -> Iterator[tuple[Fit, Fit]]:
    """The known columns in two: every set of at most so many of them, and the others."""
    every = range(len(scene.known))
    sets = {
        tuple(j for j in every if j not in some): some
        for size in range(1, min(max_size, len(every) - 1) + 1)
        for some in combinations(every, size)
    }
    lefts, rights = Chain(scene), Chain(scene)
    for rest, some in sorted(sets.items()):
        if watch is not None and watch.expired:
            return
        yield lefts.of(some), rights.of(rest)


def of_fit(fit: Fit, ruled_out: int) -> Iterator[Attack]:
    """The attacks by one set of known columns."""
    yield singling_out(fit)
    for place in range(len(fit.scene.sensitive)):
        held = Held.of(fit, place)
        yield inference(held)
        yield homogeneity(held)
        yield from (background(held, some) for some in range(1, ruled_out + 1))


def face(facing: Facing, attackers: Attackers, watch: Watch | None = None) -> Iterator[Attack]:
    """Linkage with a world, by all columns first and then by every set of at most so many."""
    yield linkage(facing.candidates())
    if attackers.max_size:
        for found in facing.sweep(attackers.max_size, watch):
            if len(found.knows) < len(facing.names):
                yield linkage(found)


def world_advice(facing: Facing, attack: Attack) -> Iterator[str]:
    """The column without which linkage is right least often."""
    if len(facing.names) < 2:
        return
    without = {
        name: [linkage(facing.candidates([one for one in facing.names if one != name]))]
        for name in facing.names
    }
    yield from lowered(attack, without)


def lowered(attack: Attack, without: Mapping[str, Sequence[Attack]]) -> Iterator[str]:
    """The column without which an attack by all columns is right least often.

    `without` has, by column, the attacks by all others.
    """
    found = {
        name: one.success
        for name, every in without.items()
        for one in every
        if one.goal == attack.goal
    }
    if not found or not attack.gain:
        return
    name = min(found, key=lambda one: found[one])
    now = f"{attack.goal} by {columns(attack.knows)} is right for {share(attack.success)}"
    if found[name] < attack.success:
        yield (
            f"{now}; without {name} it would be for {share(found[name])}, the least of all: make "
            f"{name} coarser, or leave it out, first"
        )
    else:
        yield f"{now}; no column alone would lower it: make several of them coarser"


def in_order(attacks: Iterable[Attack]) -> tuple[Attack, ...]:
    """By kind, then by number of known columns and their names."""
    return tuple(
        sorted(
            attacks,
            key=lambda one: (KINDS.index(one.kind), one.column or "", -len(one.knows), one.knows),
        )
    )
