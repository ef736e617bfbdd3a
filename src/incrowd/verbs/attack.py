"""Attack a finished release with whatever somebody may have beside it."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from incrowd.attacks.attack import Attack, Attacked
from incrowd.attacks.limits import AttackLimits, broken_limits, only_against_outsiders
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
from incrowd.io import files
from incrowd.io.reading import AnyPath, Reading, enough_memory, open_table, path_of, tuple_of
from incrowd.io.worlds import as_attack_table, knowledge_of, open_attack_table, with_label_columns
from incrowd.linkage.conservative import Conservative, cautions, conservative_k
from incrowd.linkage.identify import AtLeast, prove_by_promises, refuse_broken_promise
from incrowd.linkage.links import Linked
from incrowd.linkage.tables import AttackTables
from incrowd.linkage.world_tables import AttackerKnowledge
from incrowd.models import AnyModel
from incrowd.models.model import counts_world_people
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate
from incrowd.release.policy_record import restore_flat_policy
from incrowd.requests.attack import AttackRequest
from incrowd.requests.request import verb
from incrowd.verbs.policies import with_policy
from incrowd.watch import Watch


@verb(AttackRequest)
def attack(asked: AttackRequest) -> Attacked:
    """What attackers with a world, the original or another release get right about a release.

    Every table is a frame or the path of a file; `reading` says how to read the release,
    `original_reading` how to read the others. `world` is a table with names, or a list of them; the
    column `world_id` tells individuals apart and joins several tables. `truth` has that column for
    each released row. How well values of the `control` people can be guessed is what the release
    tells about people in general.

    With `max_size`, sets of known columns are played besides all of them. Without a `policy`, that
    of the `certificate` counts; its k and l are limits too. Promises may prove k-anonymity (Bettini
    Theorem 1); a world that breaks one is refused.
    """
    asked = with_policy(asked)
    if asked.certificate is not None:
        asked = replace(asked, policy=_certified_policy(asked.certificate, asked.policy))
    with enough_memory(), ExitStack() as stack:
        watch = asked.watch or Watch()
        watch.tell("reading the tables", 0.0)
        asked = replace(asked, watch=watch)
        return play_attacks(_open_tables(asked, stack), asked)


def models_of(asked: AttackRequest) -> tuple[AnyModel, ...]:
    """The models of the request's policy; none without a policy."""
    return () if asked.policy is None else asked.policy.models


def limits_of(asked: AttackRequest) -> AttackLimits:
    """The limits that the request sets to what attacks may achieve."""
    return AttackLimits(asked.max_posterior, asked.max_people, asked.max_success, asked.max_raise)


def named_columns(asked: AttackRequest) -> tuple[str, ...]:
    """The columns that the request and its policy name: tables should have some of them."""
    policy = () if asked.policy is None else asked.policy.columns
    renamed = (*(asked.rename or {}), *(asked.rename or {}).values())
    others = filter(None, (asked.world_id, asked.truth_key))
    return (*asked.knows, *asked.sensitive, *policy, *renamed, *others)


def knowledge_for(asked: AttackRequest) -> AttackerKnowledge:
    """What an attacker knows by the request: columns, and hierarchies, also those of its policy."""
    return replace(
        knowledge_of(asked.policy, asked.hierarchies or {}, asked.folder),
        world_id=asked.world_id,
        knows=asked.knows,
        sensitive=asked.sensitive,
        rename=asked.rename or {},
        truth_key=asked.truth_key,
        listed=asked.listed,
        limit=asked.max_posterior,
    )


def _open_tables(asked: AttackRequest, stack: ExitStack) -> AttackTables:
    """Open the tables; `stack` closes them. `PolicyError` if two come from standard input."""
    beside = {name: getattr(asked, name) for name in ("truth", "original", "other", "control")}
    every = (asked.release, *tuple_of(asked.world), *beside.values())
    if [str(path_of(one)) for one in every].count("-") > 1:
        raise PolicyError(
            "only one table can come from standard input", remedy="name files for the others"
        )
    columns = named_columns(asked)
    opened = open_table(asked.release, asked.reading, columns, watch=asked.watch)
    table = stack.enter_context(opened)
    release = as_attack_table("release", table.engine)
    reading = (asked.original_reading or Reading()).with_expected((*columns, *release.names))
    others = {
        name: open_attack_table(name, source, stack, reading)
        for name, source in beside.items()
        if source is not None
    }
    worlds = tuple(
        open_attack_table("world", source, stack, reading) for source in tuple_of(asked.world)
    )
    quasi = () if asked.policy is None else asked.policy.quasi
    known = [name for one in (*others.values(), *worlds) for name in one.names]
    release = with_label_columns(release, (*quasi, *(asked.rename or {}), *known))
    return AttackTables(release, others, knowledge_for(asked), worlds)


def _certified_policy(certificate: AnyPath, policy: Policy | None) -> Policy:
    """The policy of a certificate; `PolicyError` if a policy is given, too."""
    if policy is not None:
        raise PolicyError(
            "both a policy and a certificate are given, and the certificate has its own policy",
            remedy="leave one of them out",
        )
    return restore_flat_policy(Certificate.from_json(files.read_document(certificate)).policy)


def play_attacks(
    tables: AttackTables, asked: AttackRequest, *, every_world: bool = True
) -> Attacked:
    """Play attacks on open tables; `InputError` if the world breaks a promise.

    With `every_world`, also count the people that each row may be in every possible world (slow).
    """
    watch, limits, models = asked.watch or Watch(), limits_of(asked), models_of(asked)
    attackers = Attackers(asked.max_size or 0, asked.rule_out, asked.max_posterior)
    notes = list(tables.notes())
    watch.tell("playing attacks by known columns", 0.0)
    _refuse_broken_promises(tables, asked.promises)
    sure = _count_in_every_world(tables) if every_world else None
    played = [play(tables.data, attackers, watch)]
    k_world, k_least, inconsistent, matched = None, None, None, MatchingPlayed()
    if tables.worlds:
        watch.tell("linking the world", 0.0)
        linked = tables.linked_world.linked
        k_world, inconsistent = linked.k, linked.inconsistent
        k_least = _fewest_candidates(linked, sure)
        notes += [*linked.notes, *_caution_notes(tables, asked.policy)]
        if k_world is None:
            notes.append("no released row fits anybody of the world, so k is unknown there")
        played.append(play_world(tables.linked_world, attackers, watch))
        watch.tell("giving rows to different people", 0.0)
        matched = play_matching(tables)
        notes += matched.notes
        played.append(play_ends(tables))
    if "original" in tables.others:
        watch.tell("comparing the order of rows", 0.0)
        played.append(play_order(tables, asked.seed))
        played.append(play_releases(tables, attackers, watch))
    if "control" in tables.others:
        watch.tell("guessing about people who are not in the table", 0.0)
        played.append(play_control(tables))
    proof = prove_by_promises(tables.public, asked.promises) if asked.promises else None
    by_matching = [] if matched.attack is None else [matched.attack]
    attacks = sort_attacks([*by_matching, *(one for every in played for one in every.attacks)])
    notes += _untested_model_notes(tables, models)
    notes += [line for one in played for line in one.notes]
    notes += () if proof is None else proof.notes
    notes += _notes_on_limits(attacks, models)
    return Attacked(
        attacks=attacks,
        k_world=k_world,
        k_with_release=k_least,
        k_matched=matched.k,
        inconsistent=inconsistent,
        k_every_world=None if sure is None else sure.k_sure,
        proved=proof,
        broken=tuple(broken_limits(attacks, k_least, models, limits)),
        advice=tuple(line for one in reversed(played) for line in one.advice),
        notes=tuple(dict.fromkeys(notes)),
        limits=limits.as_dict(),
    )


def _refuse_broken_promises(tables: AttackTables, promises: Iterable[AtLeast]) -> None:
    """Raise `InputError` if the world breaks a promise, in the columns that it has."""
    for promise in promises if tables.worlds else ():
        there = tuple(name for name in promise.columns if tables.is_in_world(name))
        if there:
            refuse_broken_promise(promise, tables.world_tables.build_world(there))


def _notes_on_limits(attacks: Sequence[Attack], models: Sequence[AnyModel]) -> Iterator[str]:
    """Yield why limits do not apply to some attacks: what the tables or the models lack."""
    without: dict[str, str] = {}
    for attack in attacks:
        if not attack.gated and attack.trials and attack.lacks:
            without.setdefault(attack.kind, attack.lacks)
    yield from without.values()
    if only_against_outsiders(models):
        yield (
            "the policy protects against somebody who does not know who is in the table: "
            "--max-posterior applies to linkage, matching and the ends of labels only"
        )


def _fewest_candidates(linked: Linked, sure: Conservative | None) -> int | None:
    """The fewest people that a row may be of, among rows that fit somebody; None if no row does.

    A row counts the people of the world whom it fits or, if they are more, the people whom it may
    be of in every possible world (`sure`, Bettini Section 6): a world that lacks some people of
    the release does not make the others easier to find.
    """
    there = linked.candidates > 0
    if not there.any():
        return None
    found = linked.candidates if sure is None else np.maximum(linked.candidates, sure.sure)
    return int(found[there].min())


def _untested_model_notes(tables: AttackTables, models: Sequence[AnyModel]) -> list[str]:
    """Notes on the models of the policy that no attack tests."""
    world = [one for one in models if counts_world_people(one)]
    if not tables.worlds:
        need = "was not tested: give a world (--world FILE)"
        return [f"{one.name} of the policy {need}" for one in world]
    return [
        f"attacks do not test {one.name} of the policy: use check --world"
        for one in world
        if not one.smallest_candidate_set()
    ]


def _count_in_every_world(tables: AttackTables) -> Conservative | None:
    """Count the people each row may be in every world; None if somebody may have several rows."""
    if not tables.knowledge.one_each:
        return None
    return conservative_k({name: tables.released_column(name) for name in tables.public})


def _caution_notes(tables: AttackTables, policy: Policy | None) -> list[str]:
    """Notes on what the world knows beyond the policy's quasi-identifiers (Bettini Section 5)."""
    public = tables.known_columns_in("world")
    left = [] if policy is None else [name for name in public if name not in policy.quasi]
    if policy is None or not left:
        return []
    k = max(2, *(max(m.smallest_class(), m.smallest_candidate_set()) for m in policy.models))
    found = cautions(public, [policy.quasi], k, tables.linked_world.world)
    return [caution.text for caution in found]
