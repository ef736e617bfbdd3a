"""Playing attacks by every set of known columns, and what would lower their success most."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress

from incrowd.attacks.attack import Attack, columns_phrase, share_phrase
from incrowd.attacks.background import background
from incrowd.attacks.control import control
from incrowd.attacks.disclosure import AttributeDisclosure, SensitiveTarget
from incrowd.attacks.ends import WorldPresence, ends, find_sole_matches
from incrowd.attacks.homogeneity import homogeneity
from incrowd.attacks.inference import inference
from incrowd.attacks.linkability import linkability
from incrowd.attacks.linkage import linkage
from incrowd.attacks.releases import releases
from incrowd.attacks.row_order import row_order
from incrowd.attacks.singling_out import singling_out
from incrowd.errors import InputError
from incrowd.linkage.attack_data import LIMIT, AttackData
from incrowd.linkage.fit import ColumnSets, Fit, deal_halves, sweep
from incrowd.linkage.tables import AttackTables
from incrowd.linkage.world_linkage import WorldLinkage
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

KINDS: Mapping[str, str] = {
    "linkage": "Linkage: somebody with a list of named people looks up whose row this is.",
    "matching": "Matching: the same, knowing that every row is a different person of the list.",
    "ends": "Ends of labels: somebody with such a list looks for values at the end of a span.",
    "singling-out": "Singling out: somebody reads a row as a description, and it fits one person.",
    "linkability": "Linkability: somebody who knows some columns joins them with the others.",
    "inference": "Inference: somebody guesses the sensitive value of a person they know.",
    "control": "Control: the same guess about people who are not in the table.",
    "homogeneity": "Homogeneity: everybody who fits has one value, so it is learned for sure.",
    "background": "Background knowledge: somebody can rule out a value, and learns the rest.",
    "row-order": "Row order: somebody takes the order of rows for the order of the original.",
    "releases": "Two releases: somebody compares this release with another one.",
}
"""What the attacker of each kind does, in the order of a report."""


@dataclass(frozen=True)
class Attackers:
    """Which attackers to play."""

    max_size: int = 0
    """Play all sets of at most so many known columns, besides the set of all of them."""
    ruled_out: int = 1
    """How many sensitive values an attacker with background knowledge can rule out."""
    posterior: float = LIMIT
    """A person counts as found above this chance."""


@dataclass(frozen=True)
class Played:
    """The attacks that were played, and what would lower their success most."""

    attacks: tuple[Attack, ...]
    advice: tuple[str, ...] = ()
    left_out: int = 0
    """How many sets of known columns there was no time for."""

    @property
    def notes(self) -> tuple[str, ...]:
        """A note of how many sets of known columns were not tried; none if all were."""
        if not self.left_out:
            return ()
        some = "1 set" if self.left_out == 1 else f"{self.left_out:,} sets"
        kinds = dict.fromkeys(one.kind.replace("-", " ") for one in self.attacks)
        return (
            f"time was up: {some} of known columns were not tried for {columns_phrase([*kinds])}",
        )


def play(data: AttackData, attackers: Attackers, watch: Watch | None = None) -> Played:
    """Play the attacks that need no world, by the known columns.

    Singling out, inference, homogeneity and background knowledge use all known columns and the sets
    asked for; linkability uses each such set, at least single columns, and the rest.
    """
    sets = ColumnSets(len(data.known), max(attackers.max_size, 1), watch)
    first, *others = deal_halves(data, sets)
    both, _ = next(first)
    targets = SensitiveTarget.all_of(data)
    request = both, targets, attackers, sets
    parts = [partial(_play_part, part, request) for part in (first, *others)]
    whole = list(attacks_by_fit(both, targets, attackers.ruled_out))
    found = in_threads(parts)
    few = [attack for attacks, _ in found for attack in attacks]
    without = {name: attacks for _, others in found for name, attacks in others.items()}
    names = [column.name for column in data.known]
    without = {name: without[name] for name in names if name in without}
    advice = [line for one in whole for line in advice_for(one, without)]
    return Played((*whole, *few), tuple(advice), sets.left_out)


def _play_part(
    part: Iterator[tuple[Fit, Fit]],
    request: tuple[Fit, tuple[SensitiveTarget, ...], Attackers, ColumnSets],
) -> tuple[list[Attack], dict[str, list[Attack]]]:
    """Play by pairs of complementary sets: (attacks by small ones, by column those without it)."""
    both, targets, attackers, sets = request
    few: list[Attack] = []
    without: dict[str, list[Attack]] = {}
    for one, other in part:
        for left, right in ((one, other), (other, one)):
            if len(left.columns) <= sets.largest:
                few.append(linkability(left, right, both))
            if len(left.columns) <= attackers.max_size:
                few += attacks_by_fit(left, targets, attackers.ruled_out)
            if len(left.columns) == 1:
                without[left.names[0]] = list(attacks_by_fit(right, targets, 0))
    return few, without


def attacks_by_fit(
    fit: Fit, targets: Sequence[SensitiveTarget], ruled_out: int
) -> Iterator[Attack]:
    """Play the attacks by one set of known columns; nobody rules out more values than there are."""
    yield singling_out(fit)
    for target in targets:
        disclosure = AttributeDisclosure.of(fit, target)
        yield inference(disclosure)
        yield homogeneity(disclosure)
        most = min(ruled_out, max(target.values - 1, 1))
        yield from (background(disclosure, some) for some in range(1, most + 1))


def play_world(linked: WorldLinkage, attackers: Attackers, watch: Watch | None = None) -> Played:
    """Play linkage with a world, by all columns and by the sets asked for."""
    limit = attackers.posterior
    whole = linkage(linked.candidates(), limit)
    sets = ColumnSets(len(linked.names), attackers.max_size, watch)
    few = [linkage(found, limit) for found in linked.sweep(sets)] if attackers.max_size else []
    return Played((whole, *few), tuple(_world_advice(linked, whole)), sets.left_out)


def play_ends(tables: AttackTables) -> Played:
    """Play the attack on the ends of labels; there must be a world."""
    linked, membership = tables.linked_world, tables.membership
    attack = ends(
        linked.names,
        find_sole_matches(linked),
        WorldPresence(membership.inside, membership.prior, known=membership.known),
        tables.knowledge.limit,
    )
    return Played((replace(attack, gated=membership.gated),))


def play_control(tables: AttackTables) -> Played:
    """Play inference about people in the table, compared with people who are not in it."""
    inside, outside = Fit.of_all(tables.data), Fit.of_all(tables.control)
    there = {target.name: target for target in SensitiveTarget.all_of(tables.control)}
    return Played(
        tuple(
            control(
                AttributeDisclosure.of(inside, target),
                AttributeDisclosure.of(outside, there[target.name]),
            )
            for target in SensitiveTarget.all_of(tables.data)
            if target.name in there
        )
    )


def play_order(tables: AttackTables, seed: int) -> Played:
    """Play row order, with the original."""
    every = [one.merged for one in tables.match_columns(tables.shared_columns("original"))]
    fit = Fit.of_all(AttackData.of(every, joint=False))
    return Played((row_order(fit, tables.original_records, seed),))


def play_releases(tables: AttackTables, attackers: Attackers, watch: Watch | None = None) -> Played:
    """Play two releases, by all known columns and the sets asked for; none without a second one."""
    if "other" not in tables.others:
        return Played(())
    first, second = _data_of_both(tables)
    targets = [one for one in SensitiveTarget.all_of(first) if one.name in tables.sensitive]
    attacks = list(releases(Fit.of_all(first), Fit.of_all(second), targets))
    sets = ColumnSets(len(first.known), attackers.max_size, watch)
    for one in sweep(first, sets):
        attacks += releases(one, Fit.of(second, one.columns), targets)
    return Played(tuple(attacks), left_out=sets.left_out)


def _data_of_both(tables: AttackTables) -> tuple[AttackData, AttackData]:
    """Data of both releases: known columns (`InputError` for none), and those both show exactly."""
    both = set(tables.shared_columns("original")) & set(tables.shared_columns("other"))
    known = [
        name for name in tables.known_columns_in("other") if name in both - set(tables.sensitive)
    ]
    if not known:
        raise InputError(
            "the two releases and the original share no column that an attacker knows",
            remedy="name some of them with --knows, or say what they are called with --rename",
        )
    rest = [
        name for name in tables.shared_columns("original") if name in both and name not in known
    ]
    here, there = (tables.match_columns(rest, where) for where in ("release", "other"))
    exact = [
        one.decoding.single_values is not None and two.decoding.single_values is not None
        for one, two in zip(here, there, strict=True)
    ]
    limit = tables.knowledge.limit
    columns = tables.match_columns(known), tables.match_columns(known, "other")
    first, second = (
        AttackData.of(one, list(compress(rest, exact)), joint=False, limit=limit)
        for one, rest in zip(columns, (here, there), strict=True)
    )
    return first, second


def _world_advice(linked: WorldLinkage, attack: Attack) -> Iterator[str]:
    """Yield what `advice_for` says of linkage by all columns; nothing if there is only one."""
    if len(linked.names) < 2:
        return
    without = {
        name: [linkage(linked.candidates([one for one in linked.names if one != name]))]
        for name in linked.names
    }
    yield from advice_for(attack, without)


def advice_for(attack: Attack, without: Mapping[str, Sequence[Attack]]) -> Iterator[str]:
    """Yield a sentence: the column to make coarser so that an attack is right least often, or none.

    `attack` knows all columns; `without` has, by column, attacks that know all others. Yields
    nothing if `attack` gains nothing, or if no attack of `without` has its kind and column.
    """
    success = {
        name: one.success
        for name, every in without.items()
        for one in every
        if one.goal == attack.goal
    }
    if not success or not attack.gain:
        return
    name = min(success, key=lambda one: success[one])
    whom = _whom_phrase(attack.success)
    now = f"{attack.goal} by {columns_phrase(attack.knows)} is right for {whom}"
    if success[name] < attack.success:
        yield (
            f"{now}; without {name} it would be right for {_whom_phrase(success[name])}: "
            f"make {name} coarser first, or leave it out"
        )
    else:
        yield f"{now}; no single column lowers this: make several columns coarser"


def _whom_phrase(success: float) -> str:
    """For whom an attack is right: nobody, everybody or a share of the people."""
    return {0.0: "nobody", 1.0: "everybody"}.get(success, f"{share_phrase(success)} of the people")


def sort_attacks(attacks: Iterable[Attack]) -> tuple[Attack, ...]:
    """Attacks sorted by kind, sensitive column, number of known columns (most first) and names."""
    place = {kind: i for i, kind in enumerate(KINDS)}
    return tuple(
        sorted(
            attacks, key=lambda one: (place[one.kind], one.column or "", -len(one.knows), one.knows)
        )
    )
