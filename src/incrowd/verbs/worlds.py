"""The world that a release is held against, from a frame or from a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, PolicyError
from incrowd.io import files
from incrowd.policy.policy import Policy
from incrowd.release.against import Against
from incrowd.release.certificate import Digest, digest_of_bytes, digest_of_frame
from incrowd.verbs import attack_asked, attack_tables
from incrowd.verbs.reading import AnyPath, Reading, each_of, is_path, rows_of

if TYPE_CHECKING:
    from incrowd.verbs.attack_asked import Table
    from incrowd.verbs.attack_tables import Tables


@dataclass(frozen=True)
class Called:
    """How the columns of a world are called."""

    id: str | None = None
    """The column that tells its individuals apart; every row is one if not given."""
    rename: Mapping[str, str] | None = None
    """From the table's name of a column to the world's."""
    folder: AnyPath = "."
    """Where paths of hierarchies start."""


def world_of(engine: Any, world: Any, policy: Policy, called: Called) -> Against | None:
    """The world in frames or files, as far as a table shares its quasi-identifying columns."""
    if world is not None and all(is_path(part) for part in each_of(world)):
        return world_of_files(engine, world, policy, called)
    return world_of_frames(engine, world, policy, called)


def world_of_frames(
    engine: MemoryEngine, world: Any, policy: Policy, called: Called
) -> Against | None:
    """The world in one frame or several, as far as a table shares its quasi-identifying columns."""
    frames = each_of(world)
    parts = tuple(attack_asked.Table.of_frame("world", frame) for frame in frames)
    digests = tuple(digest_of_frame(rows_of(frame)) for frame in frames)
    return _against(engine, parts, digests, (policy, called))


def world_of_files(
    engine: MemoryEngine,
    world: AnyPath | Sequence[AnyPath] | None,
    policy: Policy,
    called: Called,
) -> Against | None:
    """The world in one file or several, as far as a table shares its quasi-identifying columns."""
    paths = each_of(world)
    if any(str(path) == "-" for path in paths):
        raise PolicyError("the world cannot come by standard input", remedy="name a file")
    names = (*policy.columns, *(called.rename or {}).values(), *filter(None, [called.id]))
    parts = tuple(
        attack_asked.Table.of_file("world", path, Reading(expected=names)) for path in paths
    )
    digests = tuple(digest_of_bytes(files.content(path)) for path in paths)
    return _against(engine, parts, digests, (policy, called))


def _against(
    engine: MemoryEngine,
    parts: tuple["Table", ...],
    digests: tuple[Digest, ...],
    request: tuple[Policy, Called],
) -> Against | None:

    policy, called = request
    if not parts:
        _refuse_unused(called)
        return None
    asked = attack_asked.Asked(
        id=called.id, rename=called.rename, policy=policy, folder=called.folder
    )
    tables = attack_tables.Tables(attack_asked.Table("table", engine), {}, asked, parts)
    world = tables.holdings.world(_shared(tables, policy))
    return Against(world, digests, tables.hierarchies(world.columns), tables.holdings.notes)


def _refuse_unused(called: Called) -> None:
    if called.id is not None or called.rename:
        raise PolicyError(
            "an id and other names are those of a world, and there is none",
            remedy="give the world too (--world FILE)",
        )


def _shared(tables: "Tables", policy: Policy) -> tuple[str, ...]:
    shared = set(tables.shared("world"))
    names = tuple(name for name in policy.quasi if name in shared)
    if not names:
        raise InputError(
            f"the world has none of the quasi-identifying columns ({', '.join(policy.quasi)})",
            remedy="say what it calls them, such as --rename zip=zipcode",
        )
    return names
