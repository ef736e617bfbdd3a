"""Attacks on a finished release, with whatever somebody may hold beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from incrowd.attacks.attack import Attack, Attacked
from incrowd.attacks.control import control as control_of
from incrowd.attacks.ends import ends, point
from incrowd.attacks.fit import Fit, sweep
from incrowd.attacks.held import Held
from incrowd.attacks.persons import LIMIT
from incrowd.attacks.play import Played, face, in_order, play
from incrowd.attacks.releases import releases
from incrowd.attacks.row_order import row_order
from incrowd.attacks.scene import Scene, Shared
from incrowd.attacks.sets import Sets
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.io import files
from incrowd.linkage.conservative import Conservative, cautions, conservative
from incrowd.linkage.constraints import AtLeast, proved
from incrowd.linkage.links import Linked
from incrowd.models import AlphaK, KAnonymity, KMap
from incrowd.models.model import of_world
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate
from incrowd.release.written import rewritten
from incrowd.verbs.attack_asked import Asked, Table
from incrowd.verbs.attack_limits import against_outsiders, broken
from incrowd.verbs.attack_promises import refuse_broken
from incrowd.verbs.attack_tables import Tables
from incrowd.verbs.reading import AnyPath, Reading, each_of, enough_memory
from incrowd.watch import Watch


def attack(  # noqa: PLR0913  what the attacker holds and knows, and limits
    release: Any,
    *,
    world: Any = None,
    id: str | None = None,  # noqa: A002  what the column is called everywhere
    knows: Sequence[str] = (),
    truth: Any = None,
    truth_key: str | None = None,
    original: Any = None,
    other: Any = None,
    sensitive: Sequence[str] = (),
    policy: Policy | None = None,
    max_size: int | None = None,
    max_success: float | None = None,
    rule_out: int = 1,
    rename: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, AnyHierarchy] | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    folder: AnyPath = ".",
    promises: Sequence[AtLeast] = (),
    control: Any = None,
    listed: float | None = None,
    max_posterior: float = LIMIT,
    max_people: int = 0,
    max_raise: float | None = None,
) -> Attacked:
    """What attackers with a world, the original or another release get right about a release.

    `world` is a table with names, or a list of them; `id` is the column that tells individuals
    apart, and joins several. `truth` has that column for each released row, in the release's order
    or by the column `truth_key` of both. `original` is the table that the release was made of,
    `other` another release of it.

    The attacker knows the columns `knows` of a person: if not given, the policy's quasi-identifiers
    or all that the tables share but what is `sensitive`. With `max_size` every set of at most so
    many of them is played too. An attacker with background knowledge can `rule_out` so many values.

    `max_success` is the largest gain over guessing that is allowed; the policy's k and l are limits
    too. `rename` says what other tables call a column of the release; `hierarchies`, the policy's
    if not given, say what labels stand for. `seed` is for the shuffles of the attack by row order.

    `promises` are what is known of a world without its table, such as `AtLeast(("zip", "sex"),
    500)`: they may prove k-anonymity without any (Bettini Theorem 1). A world that is given and
    breaks one is refused.

    `listed` is the share of the released people who are in the world, where neither truth nor
    original show it. `control` are people like those of the original who are not in it: what is
    guessed about them is what the release tells of people in general.

    No more than `max_people` may be found, or their value learned, with a chance above
    `max_posterior`; `max_raise` is the most that may be added to anybody's chance, 0.3 if there is
    a `max_success` and nothing else is said.
    """
    asked = Asked(
        id=id,
        knows=knows,
        truth_key=truth_key,
        sensitive=sensitive,
        policy=policy,
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
    with enough_memory():
        others = {
            name: Table.of_frame(name, frame) for name, frame in given.items() if frame is not None
        }
        worlds = tuple(Table.of_frame("world", frame) for frame in each_of(world))
        attacked = Table.of_frame("release", release)
        tables = Tables(_whole(attacked, asked, others, worlds), others, asked, worlds)
        return _attacked(tables, watch)


def attack_file(  # noqa: PLR0913  files, the request, and how to read the release
    release: AnyPath,
    *,
    world: AnyPath | Sequence[AnyPath] | None = None,
    truth: AnyPath | None = None,
    original: AnyPath | None = None,
    other: AnyPath | None = None,
    control: AnyPath | None = None,
    policy: Policy | None = None,
    certificate: AnyPath | None = None,
    reading: Reading | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> Attacked:
    """Attacks on a release in a file, with other tables in files; see `attack` for the options.

    Without a policy that of the certificate is taken. `reading` says how to read the release; the
    other tables are read as their files are.
    """
    given = {"truth": truth, "original": original, "other": other, "control": control}
    if [str(path) for path in (release, *each_of(world), *given.values())].count("-") > 1:
        raise PolicyError(
            "only one table can come by standard input", remedy="name files for the others"
        )
    with enough_memory():
        if certificate is not None:
            policy = _certified(certificate, policy)
        asked = Asked(policy=policy, **options)
        named = (reading or Reading()).expecting(asked.named)
        attacked = Table.of_file("release", release, named)
        beside = Reading(expected=(*asked.named, *attacked.names))
        others = {
            name: Table.of_file(name, path, beside)
            for name, path in given.items()
            if path is not None
        }
        worlds = tuple(Table.of_file("world", path, beside) for path in each_of(world))
        tables = Tables(_whole(attacked, asked, others, worlds), others, asked, worlds)
        return _attacked(tables, watch)


def _whole(
    release: Table, asked: Asked, others: Mapping[str, Table], worlds: Sequence[Table]
) -> Table:
    """The release with labels in place of two columns of ends, where other tables tell of those."""
    quasi = () if asked.policy is None else asked.policy.quasi
    known = [name for table in (*others.values(), *worlds) for name in table.names]
    return release.labelled((*quasi, *(asked.rename or {}), *known))


def _certified(certificate: AnyPath, policy: Policy | None) -> Policy:
    if policy is not None:
        raise PolicyError(
            "a policy is given, and the certificate has its own", remedy="leave one of them out"
        )
    return rewritten(Certificate.from_json(files.content(certificate)).policy)


def _attacked(tables: Tables, watch: Watch | None) -> Attacked:
    asked, told = tables.asked, list(tables.notes())
    refuse_broken(tables)
    sure = _in_every_world(tables)
    played = [play(tables.scene, asked.attackers, watch)]
    k_world, k_least, inconsistent = None, None, None
    if tables.worlds:
        linked = tables.facing.linked
        k_world, inconsistent = linked.k, linked.inconsistent
        k_least = _least(linked, sure)
        told += [*linked.notes, *_cautions(tables)]
        if k_world is None:
            told.append("no released row fits anybody of the world: nothing is known about k there")
        played.append(face(tables.facing, asked.attackers, watch))
        played.append(Played((_by_ends(tables),)))
    if "original" in tables.others:
        played.append(Played((_by_order(tables),)))
        played.append(_by_other(tables, watch))
    if "control" in tables.others:
        played.append(Played(tuple(_controls(tables))))
    told += [*_unheld(tables), *(line for one in played for line in one.notes)]
    proof = proved(tables.public, asked.promises) if asked.promises else None
    told += () if proof is None else proof.notes
    attacks = in_order([one for every in played for one in every.attacks])
    told += _ungated(attacks)
    if against_outsiders(asked.policy):
        told.append(
            "the policy protects against somebody who does not know who is in the table: "
            "--max-posterior was held against linkage and the ends of labels only"
        )
    return Attacked(
        attacks=attacks,
        k_world=k_world,
        k_with_release=k_least,
        inconsistent=inconsistent,
        k_every_world=None if sure is None else sure.k_sure,
        proved=proof,
        broken=tuple(broken(attacks, k_least, asked.policy, asked.limits)),
        advice=tuple(line for one in reversed(played) for line in one.lower),
        notes=tuple(dict.fromkeys(told)),
        limits=asked.limits.as_dict(),
    )


def _ungated(attacks: Sequence[Attack]) -> Iterator[str]:
    """Attacks of which the tables do not show how often they are right."""
    kinds = dict.fromkeys(one.kind for one in attacks if not one.gated and one.trials)
    if "linkage" in kinds:
        lacking = max(int(one.figures.get("unlisted", 0)) for one in attacks)
        yield (
            f"no limit was held against linkage: at least {lacking:,} of the released people are "
            "not on the list, and nothing says who is: give --truth, or the --original with the id "
            "column, or the share of them that is listed (--listed; 1 is the worst case)"
        )
    if "ends" in kinds:
        yield (
            "no limit was held against the ends of labels: nothing says who of the world is in the "
            "table: give --truth, or the --original with the id column"
        )


def _least(linked: Linked, sure: Conservative | None) -> int | None:
    """The fewest people whom a row may be, of the world or of the release itself.

    Rows are about the people of the rows that show the same, whoever somebody knows of (Bettini
    Section 6): that a list lacks some of them does not make the others easier to find.
    """
    there = linked.candidates > 0
    if not there.any():
        return None
    found = linked.candidates if sure is None else np.maximum(linked.candidates, sure.sure)
    return int(found[there].min())


def _unheld(tables: Tables) -> list[str]:
    """Models of the policy that nothing was held against."""
    policy = tables.asked.policy
    world = [] if policy is None else [one.name for one in policy.models if of_world(one)]
    if tables.worlds:
        return [
            f"{name} of the policy is no limit here: see check --world"
            for name in world
            if name != "k-map"
        ]
    return [f"{name} of the policy was not held against anything: give a world" for name in world]


def _in_every_world(tables: Tables) -> Conservative | None:
    """Who the rows may be among themselves, whoever somebody else knows of."""
    if not tables.asked.one_each:
        return None
    return conservative({name: tables.shown(name) for name in tables.public})


def _cautions(tables: Tables) -> list[str]:
    """What the policy's quasi-identifiers leave out that the world knows (Bettini Section 5)."""
    policy, public = tables.asked.policy, tables.known_in("world")
    left = [] if policy is None else [name for name in public if name not in policy.quasi]
    if policy is None or not left:
        return []
    sizes = [model.k for model in policy.models if isinstance(model, AlphaK | KAnonymity | KMap)]
    found = cautions(public, [policy.quasi], max(sizes, default=2), tables.facing.world)
    return [caution.text for caution in found]


def _by_ends(tables: Tables) -> Attack:
    facing, members = tables.facing, tables.members
    limit = tables.asked.max_posterior
    present = members.present
    found = ends(facing.names, point(facing), present, members.prior, limit)
    return found if present is None else replace(found, gated=members.sure)


def _controls(tables: Tables) -> Iterator[Attack]:
    """Inference about people who are in the table, and about people who are not."""
    inside, outside = Fit.of_all(tables.scene), Fit.of_all(tables.control)
    there = {secret.name: secret for secret in tables.control.secrets}
    for secret in tables.scene.secrets:
        if secret.name in there:
            yield control_of(Held.of(inside, secret), Held.of(outside, there[secret.name]))


def _by_order(tables: Tables) -> Attack:
    every = [one.alike for one in tables.together(tables.shared("original"))]
    scene = Scene.of(every, joint=False)
    return row_order(Fit.of_all(scene), tables.places, tables.asked.seed)


def _by_other(tables: Tables, watch: Watch | None) -> Played:
    """Two releases held against each other, by all known columns and by sets of few."""
    if "other" not in tables.others:
        return Played(())
    first, second = _sides(tables)
    secret = tuple(one.name for one in first.sensitive if one.name in tables.sensitive)
    found = list(releases(Fit.of_all(first), Fit.of_all(second), secret))
    sets = Sets(len(first.known), tables.asked.attackers.max_size, watch)
    for one in sweep(first, sets):
        found += releases(one, Fit.of(second, one.columns), secret)
    return Played(tuple(found), left_out=sets.left_out)


def _sides(tables: Tables) -> tuple[Scene, Scene]:
    """Each release with the people of the original: what is known, and what both show exactly."""
    both = set(tables.shared("original")) & set(tables.shared("other"))
    known = [name for name in tables.known_in("other") if name in both - set(tables.sensitive)]
    if not known:
        raise InputError(
            "the two releases and the original share no column that an attacker knows",
            remedy="name some of them with --knows, or say what they are called with --rename",
        )
    rest = [name for name in tables.shared("original") if name in both and name not in known]
    here, there = (tables.together(rest, where) for where in ("release", "other"))
    limit = tables.asked.max_posterior
    exact = [_exact(one) and _exact(two) for one, two in zip(here, there, strict=True)]
    return (
        Scene.of(tables.together(known), list(compress(here, exact)), joint=False, limit=limit),
        Scene.of(
            tables.together(known, "other"), list(compress(there, exact)), joint=False, limit=limit
        ),
    )


def _exact(column: Shared) -> bool:
    """Whether a release shows every value of a column as it is."""
    return column.stands.exact is not None
