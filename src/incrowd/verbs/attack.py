"""Attack a finished release with whatever somebody may have beside it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.attacks.attack import Attack, Attacked
from incrowd.attacks.limits import AttackLimits, against_outsiders, broken_limits
from incrowd.attacks.matching import MatchingPlayed, play_matching
from incrowd.attacks.play import (
    Attackers,
    play,
    play_control,
    play_ends,
    play_order,
    play_releases,
    play_world,
    sort_attacks,
)
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.io import files
from incrowd.io.files import AnyPolicy
from incrowd.io.reading import AnyPath, Reading, each_of, enough_memory, opened, path_of
from incrowd.io.worlds import knowledge_of, labelled, table_of
from incrowd.linkage.attack_data import LIMIT
from incrowd.linkage.conservative import Conservative, cautions, conservative
from incrowd.linkage.identify import AtLeast, prove_by_promises, refuse_broken
from incrowd.linkage.links import Linked
from incrowd.linkage.tables import AttackTables
from incrowd.linkage.world_tables import AttackerKnowledge
from incrowd.models import AnyModel
from incrowd.models.model import of_world
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate
from incrowd.release.policy_record import restored_roles
from incrowd.table.names import unique_names as listed_names
from incrowd.watch import Watch


@dataclass(frozen=True, kw_only=True)
class AttackOptions:
    """What attackers know, and what they may achieve at most; see `attack`."""

    world_id: str | None = None
    knows: Sequence[str] = ()
    truth_key: str | None = None
    sensitive: Sequence[str] = ()
    policy: Policy | None = None
    max_size: int | None = None
    max_success: float | None = None
    rule_out: int = 1
    rename: Mapping[str, str] | None = None
    hierarchies: Mapping[str, AnyHierarchy] | None = None
    seed: int = 0
    folder: AnyPath = "."
    promises: Sequence[AtLeast] = ()
    listed: float | None = None
    max_posterior: float = LIMIT
    max_people: int = 0
    max_raise: float | None = None

    def __post_init__(self) -> None:
        """Refuse limits that mean nothing."""
        object.__setattr__(self, "knows", listed_names(self.knows))
        object.__setattr__(self, "sensitive", listed_names(self.sensitive))
        shares = {
            "max_success": self.max_success,
            "max_posterior": self.max_posterior,
            "max_raise": self.max_raise,
            "listed": self.listed,
        }
        for name, value in shares.items():
            if value is not None and not 0 <= value <= 1:
                raise PolicyError(f"{name} must be from 0 to 1", remedy="give 0.1, for example")
        numbers = {
            "max_people": (self.max_people, 0),
            "rule_out": (self.rule_out, 0),
            "max_size": (1 if self.max_size is None else self.max_size, 1),
        }
        for name, (number, least) in numbers.items():
            if number < least:
                raise PolicyError(f"{name} must be {least} or more", remedy="give 1, for example")

    @property
    def models(self) -> tuple[AnyModel, ...]:
        """The models of the policy, if there is one."""
        return () if self.policy is None else self.policy.models

    @property
    def attackers(self) -> Attackers:
        """Which attackers to play."""
        return Attackers(self.max_size or 0, self.rule_out, self.max_posterior)

    @property
    def limits(self) -> AttackLimits:
        """What attacks may achieve at most."""
        return AttackLimits(self.max_posterior, self.max_people, self.max_success, self.max_raise)

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that are named: tables should have some of them."""
        there = () if self.policy is None else self.policy.columns
        renamed = (*(self.rename or {}), *(self.rename or {}).values())
        others = filter(None, (self.world_id, self.truth_key))
        return (*self.knows, *self.sensitive, *there, *renamed, *others)

    @property
    def knowledge(self) -> AttackerKnowledge:
        """What an attacker knows, for the tables."""
        return replace(
            knowledge_of(self.policy, self.hierarchies or {}, self.folder),
            world_id=self.world_id,
            knows=self.knows,
            sensitive=self.sensitive,
            rename=self.rename or {},
            truth_key=self.truth_key,
            listed=self.listed,
            limit=self.max_posterior,
        )


def attack(  # noqa: PLR0913  the tables, what attackers know, and limits
    release: Any,
    *,
    world: Any = None,
    world_id: str | None = None,
    knows: str | Sequence[str] = (),
    truth: Any = None,
    truth_key: str | None = None,
    original: Any = None,
    other: Any = None,
    control: Any = None,
    sensitive: str | Sequence[str] = (),
    policy: AnyPolicy | None = None,
    certificate: AnyPath | None = None,
    max_size: int | None = None,
    max_success: float | None = None,
    max_posterior: float = LIMIT,
    max_people: int = 0,
    max_raise: float | None = None,
    rule_out: int = 1,
    listed: float | None = None,
    rename: Mapping[str, str] | None = None,
    promises: Sequence[AtLeast] = (),
    hierarchies: Mapping[str, AnyHierarchy] | None = None,
    folder: AnyPath = ".",
    reading: Reading | None = None,
    original_reading: Reading | None = None,
    seed: int = 0,
    watch: Watch | None = None,
) -> Attacked:
    """What attackers with a world, the original or another release get right about a release.

    Every table is a frame or the path of a file; `reading` says how to read the release,
    `original_reading` how to read the others. `world` is a table with names, or a list of them; the
    column `world_id` tells individuals apart and joins several tables. `truth` has that column for
    each released row, in the release's order or by the column `truth_key` of both. `original` is
    the table that the release was made from, `other` is another release of it. `control` are people
    like those of the original who are not in it: how well their values can be guessed is what the
    release tells about people in general.

    The attacker knows the columns `knows` of a person: by default the policy's quasi-identifiers,
    or all columns that the tables share except `sensitive` ones. With `max_size`, every set of at
    most so many of them is played too. An attacker with background knowledge can `rule_out` so many
    values. `rename` maps a column of the release to its name in the other tables. `hierarchies`, by
    default the policy's, say what labels stand for; their paths start at `folder`. Without a
    `policy`, that of the `certificate` counts. `seed` is for the attack by row order.

    `max_success` is the largest gain over guessing that is allowed; the policy's k and l are limits
    too. No more than `max_people` may be found, or their value learned, with a chance above
    `max_posterior`; `max_raise` is the most that may be added to anybody's chance, by default 0.3
    if there is a `max_success`. `listed` is the share of the released people who are in the world,
    if neither truth nor original shows it.

    `promises` are what is known of every world without its table, such as `AtLeast(("zip", "sex"),
    500)`: they may prove k-anonymity (Bettini Theorem 1). A world that breaks one is refused.
    """
    folder = files.folder_of_policy(policy, folder)
    policy = None if policy is None else files.policy_of(policy)
    with enough_memory(), ExitStack() as held:
        options = AttackOptions(
            world_id=world_id,
            knows=knows,
            truth_key=truth_key,
            sensitive=sensitive,
            policy=policy if certificate is None else _certified(certificate, policy),
            max_size=max_size,
            max_success=max_success,
            rule_out=rule_out,
            rename=rename,
            hierarchies=hierarchies,
            seed=seed,
            folder=folder,
            promises=promises,
            listed=listed,
            max_posterior=max_posterior,
            max_people=max_people,
            max_raise=max_raise,
        )
        given = {"truth": truth, "original": original, "other": other, "control": control}
        watch = watch or Watch()
        watch.tell("reading the tables", 0.0)
        read = reading, original_reading
        tables = _tables(release, world, given, (options, read, watch), held)
        return attacked(tables, options, watch)


def _tables(
    release: Any,
    world: Any,
    given: Mapping[str, Any],
    request: tuple[AttackOptions, tuple[Reading | None, Reading | None], Watch],
    held: ExitStack,
) -> AttackTables:
    """The tables, read from their files or taken from their frames; `held` gives them back."""
    options, (reading, others_reading), watch = request
    every = (release, *each_of(world), *given.values())
    if [str(path_of(one)) for one in every].count("-") > 1:
        raise PolicyError(
            "only one table can come from standard input", remedy="name files for the others"
        )
    there = held.enter_context(opened(release, reading, options.named, watch=watch))
    attacked = table_of("release", there)
    beside = (others_reading or Reading()).expecting((*options.named, *attacked.names))
    others = {
        name: table_of(name, held.enter_context(opened(table, beside)))
        for name, table in given.items()
        if table is not None
    }
    worlds = tuple(
        table_of("world", held.enter_context(opened(table, beside))) for table in each_of(world)
    )
    quasi = () if options.policy is None else options.policy.quasi
    known = [name for table in (*others.values(), *worlds) for name in table.names]
    attacked = labelled(attacked, (*quasi, *(options.rename or {}), *known))
    return AttackTables(attacked, others, options.knowledge, worlds)


def _certified(certificate: AnyPath, policy: Policy | None) -> Policy:
    if policy is not None:
        raise PolicyError(
            "both a policy and a certificate are given, and the certificate has its own policy",
            remedy="leave one of them out",
        )
    return restored_roles(Certificate.from_json(files.content(certificate)).policy)


def attacked(
    tables: AttackTables, options: AttackOptions, watch: Watch, *, every_world: bool = True
) -> Attacked:
    """The attacks on tables that were opened.

    Without `every_world` it is left open who rows may be whatever the world is, which takes long.
    """
    notes = list(tables.notes())
    watch.tell("playing attacks by known columns", 0.0)
    _refuse_broken(tables, options.promises)
    sure = _in_every_world(tables) if every_world else None
    played = [play(tables.data, options.attackers, watch)]
    k_world, k_least, inconsistent, matched = None, None, None, MatchingPlayed()
    if tables.worlds:
        watch.tell("linking the world", 0.0)
        linked = tables.linked_world.linked
        k_world, inconsistent = linked.k, linked.inconsistent
        k_least = _least(linked, sure)
        notes += [*linked.notes, *_cautions(tables, options.policy)]
        if k_world is None:
            notes.append("no released row fits anybody of the world, so k is unknown there")
        played.append(play_world(tables.linked_world, options.attackers, watch))
        watch.tell("giving rows to different people", 0.0)
        matched = play_matching(tables)
        notes += matched.notes
        played.append(play_ends(tables))
    if "original" in tables.others:
        watch.tell("comparing the order of rows", 0.0)
        played.append(play_order(tables, options.seed))
        played.append(play_releases(tables, options.attackers, watch))
    if "control" in tables.others:
        watch.tell("guessing about people who are not in the table", 0.0)
        played.append(play_control(tables))
    proof = prove_by_promises(tables.public, options.promises) if options.promises else None
    by_matching = [] if matched.attack is None else [matched.attack]
    attacks = sort_attacks([*by_matching, *(one for every in played for one in every.attacks)])
    notes += _untested(tables, options.models)
    notes += [line for one in played for line in one.notes]
    notes += () if proof is None else proof.notes
    notes += _ungated(attacks, options.models)
    return Attacked(
        attacks=attacks,
        k_world=k_world,
        k_with_release=k_least,
        k_matched=matched.k,
        inconsistent=inconsistent,
        k_every_world=None if sure is None else sure.k_sure,
        proved=proof,
        broken=tuple(broken_limits(attacks, k_least, options.models, options.limits)),
        advice=tuple(line for one in reversed(played) for line in one.advice),
        notes=tuple(dict.fromkeys(notes)),
        limits=options.limits.as_dict(),
    )


def _refuse_broken(tables: AttackTables, promises: Iterable[AtLeast]) -> None:
    """Refuse promises that the given world breaks, in the columns that it has."""
    for promise in promises if tables.worlds else ():
        there = tuple(name for name in promise.columns if tables.in_world(name))
        if there:
            refuse_broken(promise, tables.world_tables.world(there))


def _ungated(attacks: Sequence[Attack], models: Sequence[AnyModel]) -> Iterator[str]:
    """Attacks that limits do not apply to, because the tables show too little."""
    kinds = dict.fromkeys(one.kind for one in attacks if not one.gated and one.trials)
    if "linkage" in kinds:
        lacking = max(int(one.figures.get("unlisted", 0)) for one in attacks)
        yield (
            f"no limit applies to linkage: at least {lacking:,} of the released people are not on "
            "the list, and nothing says who is: give --truth, or the --original with the id "
            "column, or the share of them that is listed (--listed; 1 is the worst case)"
        )
    if "ends" in kinds:
        yield (
            "no limit applies to the ends of labels: nothing says who of the world is in the "
            "table: give --truth, or the --original with the id column"
        )
    if against_outsiders(models):
        yield (
            "the policy protects against somebody who does not know who is in the table: "
            "--max-posterior applies to linkage, matching and the ends of labels only"
        )


def _least(linked: Linked, sure: Conservative | None) -> int | None:
    """The fewest people that a row may be, in the world or in the release itself.

    Rows are about the people of all equal rows, whoever an attacker has heard of (Bettini Section
    6): a list that lacks some of them does not make the others easier to find.
    """
    there = linked.candidates > 0
    if not there.any():
        return None
    found = linked.candidates if sure is None else np.maximum(linked.candidates, sure.sure)
    return int(found[there].min())


def _untested(tables: AttackTables, models: Sequence[AnyModel]) -> list[str]:
    """Models of the policy that no attack tests."""
    world = [one for one in models if of_world(one)]
    if not tables.worlds:
        need = "was not tested: give a world (--world FILE)"
        return [f"{one.name} of the policy {need}" for one in world]
    return [
        f"attacks do not test {one.name} of the policy: use check --world"
        for one in world
        if not one.smallest_candidate_set()
    ]


def _in_every_world(tables: AttackTables) -> Conservative | None:
    """Who the rows may be among themselves, whatever the world is."""
    if not tables.knowledge.one_each:
        return None
    return conservative({name: tables.released_column(name) for name in tables.public})


def _cautions(tables: AttackTables, policy: Policy | None) -> list[str]:
    """What the policy's quasi-identifiers leave out that the world knows (Bettini Section 5)."""
    public = tables.known_in("world")
    left = [] if policy is None else [name for name in public if name not in policy.quasi]
    if policy is None or not left:
        return []
    k = max(2, *(max(m.smallest_class(), m.smallest_candidate_set()) for m in policy.models))
    found = cautions(public, [policy.quasi], k, tables.linked_world.world)
    return [caution.text for caution in found]
