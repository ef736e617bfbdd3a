"""Attacks on a finished release, with whatever somebody may hold beside it."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

from incrowd.attacks.attack import Attack, Attacked
from incrowd.attacks.fit import Fit, sweep
from incrowd.attacks.play import Played, face, in_order, play
from incrowd.attacks.releases import releases
from incrowd.attacks.row_order import row_order
from incrowd.attacks.scene import Scene, Shared
from incrowd.attacks.sets import Sets
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.io import files
from incrowd.models import AlphaK, KAnonymity, KMap
from incrowd.models.model import of_world
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate
from incrowd.release.written import rewritten
from incrowd.run.attack_asked import Asked, Table
from incrowd.run.attack_limits import broken
from incrowd.run.attack_tables import Tables
from incrowd.run.reading import AnyPath, Reading, each_of, enough_memory
from incrowd.watch import Watch
from incrowd.world.conservative import cautions, conservative
from incrowd.world.constraints import AtLeast, proved


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
    500)`: they may prove k-anonymity without any (Bettini Theorem 1).
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
    )
    given = {"truth": truth, "original": original, "other": other}
    with enough_memory():
        others = {
            name: Table.of_frame(name, frame) for name, frame in given.items() if frame is not None
        }
        worlds = tuple(Table.of_frame("world", frame) for frame in each_of(world))
        tables = Tables(Table.of_frame("release", release), others, asked, worlds)
        return _attacked(tables, watch)


def attack_file(  # noqa: PLR0913  files, the request, and how to read the release
    release: AnyPath,
    *,
    world: AnyPath | Sequence[AnyPath] | None = None,
    truth: AnyPath | None = None,
    original: AnyPath | None = None,
    other: AnyPath | None = None,
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
    given = {"truth": truth, "original": original, "other": other}
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
        tables = Tables(attacked, others, asked, worlds)
        return _attacked(tables, watch)


def _certified(certificate: AnyPath, policy: Policy | None) -> Policy:
    if policy is not None:
        raise PolicyError(
            "a policy is given, and the certificate has its own", remedy="leave one of them out"
        )
    return rewritten(Certificate.from_json(files.content(certificate)).policy)


def _attacked(tables: Tables, watch: Watch | None) -> Attacked:
    attackers, told = tables.asked.attackers, list(tables.notes())
    played = [play(tables.scene, attackers, watch)]
    k_world, inconsistent = None, None
    if tables.worlds:
        linked = tables.facing.linked
        k_world, inconsistent = linked.k, linked.inconsistent
        told += [*linked.notes, *_cautions(tables)]
        if k_world is None:
            told.append("no released row fits anybody of the world: nothing is known about k there")
        played.append(face(tables.facing, attackers, watch))
    if "original" in tables.others:
        played.append(Played((_by_order(tables),)))
        played.append(_by_other(tables, watch))
    told += [*_unheld(tables), *(line for one in played for line in one.notes)]
    proof = proved(tables.public, tables.asked.promises) if tables.asked.promises else None
    told += () if proof is None else proof.notes
    asked, attacks = tables.asked, in_order([one for every in played for one in every.attacks])
    return Attacked(
        attacks=attacks,
        k_world=k_world,
        inconsistent=inconsistent,
        k_every_world=_in_every_world(tables),
        proved=proof,
        broken=tuple(broken(attacks, k_world, asked.policy, asked.max_success)),
        advice=tuple(line for one in reversed(played) for line in one.lower),
        notes=tuple(dict.fromkeys(told)),
        limited=asked.policy is not None or asked.max_success is not None,
    )


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


def _in_every_world(tables: Tables) -> int | None:
    """The k that the rows have among themselves, whoever somebody else knows of."""
    policy = tables.asked.policy
    if policy is not None and policy.unit is not None:
        return None
    shown = {name: tables.shown(name) for name in tables.public}
    return conservative(shown).k_sure


def _cautions(tables: Tables) -> list[str]:
    """What the policy's quasi-identifiers leave out that the world knows (Bettini Section 5)."""
    policy, public = tables.asked.policy, tables.known_in("world")
    left = [] if policy is None else [name for name in public if name not in policy.quasi]
    if policy is None or not left:
        return []
    sizes = [model.k for model in policy.models if isinstance(model, AlphaK | KAnonymity | KMap)]
    found = cautions(public, [policy.quasi], max(sizes, default=2), tables.facing.world)
    return [caution.text for caution in found]


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
    exact = [_exact(one) and _exact(two) for one, two in zip(here, there, strict=True)]
    return (
        Scene.of(tables.together(known), list(compress(here, exact)), joint=False),
        Scene.of(tables.together(known, "other"), list(compress(there, exact)), joint=False),
    )


def _exact(column: Shared) -> bool:
    """Whether a release shows every value of a column as it is."""
    return column.stands.exact is not None
