"""All attacks of one scene, set by set, and what would lower their success most."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from incrowd.attacks.attack import Attack
from incrowd.attacks.background import background
from incrowd.attacks.candidates import Facing
from incrowd.attacks.fit import Fit, halves
from incrowd.attacks.held import Held
from incrowd.attacks.homogeneity import homogeneity
from incrowd.attacks.inference import inference
from incrowd.attacks.linkability import linkability
from incrowd.attacks.linkage import linkage
from incrowd.attacks.persons import LIMIT
from incrowd.attacks.scene import Scene
from incrowd.attacks.sets import Sets
from incrowd.attacks.singling_out import singling_out
from incrowd.attacks.words import columns, share
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

KINDS = (
    "linkage",
    "ends",
    "singling-out",
    "linkability",
    "inference",
    "control",
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
    posterior: float = LIMIT
    """Above this chance a person counts as found."""


@dataclass(frozen=True)
class Played:
    """What attackers got right, what would lower it most, and how many sets were left out."""

    attacks: tuple[Attack, ...]
    lower: tuple[str, ...] = ()
    left_out: int = 0
    """Sets of known columns for which there was no time."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        if not self.left_out:
            return ()
        some = "1 set" if self.left_out == 1 else f"{self.left_out:,} sets"
        kinds = dict.fromkeys(one.kind.replace("-", " ") for one in self.attacks)
        return (f"the time was up: {some} of known columns left out of {columns([*kinds])}",)


def play(scene: Scene, attackers: Attackers, watch: Watch | None = None) -> Played:
    """All attacks of a scene by the known columns.

    Singling out, inference, homogeneity and background knowledge take all known columns, and the
    sets asked for; linkability takes each such set, single columns at the least, and the others.
    """
    sets = Sets(len(scene.known), max(attackers.max_size, 1), watch)
    first, *others = halves(scene, sets)
    both, _ = next(first)
    parts = [partial(_played, part, (both, attackers, sets)) for part in (first, *others)]
    whole = list(of_fit(both, attackers.ruled_out))
    found = in_threads(parts)
    few = [attack for attacks, _ in found for attack in attacks]
    without = {name: attacks for _, others in found for name, attacks in others.items()}
    names = [column.name for column in scene.known]
    without = {name: without[name] for name in names if name in without}
    lower = [line for one in whole for line in lowered(one, without)]
    return Played((*whole, *few), tuple(lower), sets.left_out)


def _played(
    part: Iterator[tuple[Fit, Fit]], request: tuple[Fit, Attackers, Sets]
) -> tuple[list[Attack], dict[str, list[Attack]]]:
    """The attacks by halves of the known columns; those by all columns but one, by that one."""
    both, attackers, sets = request
    few: list[Attack] = []
    without: dict[str, list[Attack]] = {}
    for one, other in part:
        for left, right in ((one, other), (other, one)):
            if len(left.columns) <= sets.largest:
                few.append(linkability(left, right, both))
            if len(left.columns) <= attackers.max_size:
                few += of_fit(left, attackers.ruled_out)
            if len(left.columns) == 1:
                without[left.names[0]] = list(of_fit(right, 0))
    return few, without


def of_fit(fit: Fit, ruled_out: int) -> Iterator[Attack]:
    """The attacks by one set of known columns; nobody rules out more values than there are."""
    yield singling_out(fit)
    for secret in fit.scene.secrets:
        held = Held.of(fit, secret)
        yield inference(held)
        yield homogeneity(held)
        most = min(ruled_out, max(secret.values - 1, 1))
        yield from (background(held, some) for some in range(1, most + 1))


def face(facing: Facing, attackers: Attackers, watch: Watch | None = None) -> Played:
    """Linkage with a world, by all columns and by every set of at most so many."""
    limit = attackers.posterior
    whole = linkage(facing.candidates(), limit)
    sets = Sets(len(facing.names), attackers.max_size, watch)
    few = [linkage(found, limit) for found in facing.sweep(sets)] if attackers.max_size else []
    return Played((whole, *few), tuple(world_advice(facing, whole)), sets.left_out)


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
    now = f"{attack.goal} by {columns(attack.knows)} is right for {_of(attack.success)}"
    if found[name] < attack.success:
        yield (
            f"{now}; without {name} it would be for {_of(found[name])}, the least of all: make "
            f"{name} coarser, or leave it out, first"
        )
    else:
        yield f"{now}; no column alone would lower it: make several of them coarser"


def _of(success: float) -> str:
    return {0.0: "nobody", 1.0: "everybody"}.get(success, f"{share(success)} of the people")


def in_order(attacks: Iterable[Attack]) -> tuple[Attack, ...]:
    """By kind, then by number of known columns and their names."""
    return tuple(
        sorted(
            attacks,
            key=lambda one: (KINDS.index(one.kind), one.column or "", -len(one.knows), one.knows),
        )
    )
