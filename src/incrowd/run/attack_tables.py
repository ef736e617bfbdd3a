"""The tables of an attack as codes: the release, and what somebody holds beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.attacks.candidates import Facing
from incrowd.attacks.play import Attackers
from incrowd.attacks.scene import Scene, Shared
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import AnyHierarchy, Flat, Hierarchy, Suggested
from incrowd.io.hierarchies import resolve
from incrowd.policy.policy import Policy
from incrowd.run.reading import AnyPath, Reading, collected
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.roles import Missing
from incrowd.world.world import World


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of the attackers."""

    id: str | None = None
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

    def __post_init__(self) -> None:
        """Refuse limits that mean nothing."""
        if self.max_success is not None and not 0 <= self.max_success <= 1:
            raise PolicyError("the largest success must be from 0 to 1", remedy="give 0.1, say")
        if self.max_size is not None and self.max_size < 1:
            raise PolicyError("sets of known columns have at least one", remedy="give 1 or more")
        if self.rule_out < 0:
            raise PolicyError("an attacker rules out 0 values or more", remedy="give 1, say")

    @property
    def attackers(self) -> Attackers:
        """Which attackers are played."""
        return Attackers(self.max_size or 0, self.rule_out)

    @property
    def missing(self) -> Missing:
        """How a missing value is read; rows that lack one were left out if it suppresses."""
        given = Missing.OWN_VALUE if self.policy is None else self.policy.missing
        return Missing.OWN_VALUE if given is Missing.SUPPRESS else given

    @property
    def missing_values(self) -> tuple[str, ...]:
        """Texts that mean missing."""
        return () if self.policy is None else self.policy.missing_values

    def kind(self, name: str) -> Kind | None:
        """What the policy says the values of a column are."""
        column = None if self.policy is None else self.policy.columns.get(name)
        return None if column is None else column.kind

    def hierarchy(self, name: str) -> AnyHierarchy | None:
        """What builds the hierarchy of a column, if that is said."""
        if self.hierarchies and name in self.hierarchies:
            return resolve(self.hierarchies[name], Path(self.folder))
        column = None if self.policy is None else self.policy.columns.get(name)
        spec = None if column is None else column.hierarchy
        plain = spec is None or isinstance(spec, Suggested | Flat)
        return None if plain else resolve(spec, Path(self.folder))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it came."""

    name: str
    engine: MemoryEngine
    text: bool = False

    @classmethod
    def of_frame(cls, name: str, frame: Any) -> "Table":
        """The table of a frame."""
        return cls(name, MemoryEngine(collected(frame)))

    @classmethod
    def of_file(cls, name: str, path: AnyPath, reading: Reading | None = None) -> "Table":
        """The table of a file."""
        source = (reading or Reading()).read(path)
        return cls(name, MemoryEngine(source.frame, text=source.text), source.text)

    def column(self, name: str) -> str:
        """The name, if there is a column of it."""
        if name not in self.engine.names:
            raise PolicyError(
                f"the {self.name} has no column {name!r}",
                remedy="it has: " + ", ".join(self.engine.names),
            )
        return name

    def labels(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """A column by the text that it shows."""
        kind = Kind.TEXT if self.text else None
        return self.engine.code(self.column(name), kind, missing_values)


@dataclass(frozen=True, eq=False)
class Tables:
    """The release and what is held against it, under the release's names."""

    release: Table
    others: Mapping[str, Table]
    """By `world`, `truth`, `original` and `other`."""
    asked: Asked
    _labels: dict[tuple[str, str], CodedColumn] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if "truth" in self.others and ("world" not in self.others or self.asked.id is None):
            raise PolicyError(
                "the truth is about individuals of a world, told apart by an id",
                remedy="give the world and the name of its id column",
            )
        if "other" in self.others and "original" not in self.others:
            raise PolicyError(
                "two releases are held against each other by way of their original",
                remedy="give the original too",
            )
        for name, called in (self.asked.rename or {}).items():
            self.release.column(name)
            if not any(called in table.engine.names for table in self.others.values()):
                raise PolicyError(f"no table has a column {called!r} to rename")

    def called(self, name: str, table: str) -> str:
        """What another table calls a column of the release."""
        called = (self.asked.rename or {}).get(name, name)
        return called if called in self.others[table].engine.names else name

    def shared(self, table: str) -> tuple[str, ...]:
        """The columns that the release and another table have, but for the id."""
        there = set(self.others[table].engine.names) - {self.asked.id}
        return tuple(
            name for name in self.release.engine.names if self.called(name, table) in there
        )

    @cached_property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns, as asked or as the policy says."""
        policy = self.asked.policy
        said = () if policy is None else policy.sensitive
        given = self.asked.sensitive or [n for n in said if n in self.release.engine.names]
        return tuple(dict.fromkeys(self.release.column(name) for name in given))

    @cached_property
    def knows(self) -> tuple[str, ...]:
        """The columns that an attacker may know: as asked, quasi-identifying, or all shared."""
        policy = self.asked.policy
        if self.asked.knows:
            return tuple(dict.fromkeys(map(self.release.column, self.asked.knows)))
        named = () if policy is None else policy.quasi
        here = [name for name in named if name in self.release.engine.names]
        held = [set(self.shared(table)) for table in ("world", "original") if table in self.others]
        every = set(self.release.engine.names) if not held else set.union(*held)
        free = [name for name in self.release.engine.names if name in every]
        found = tuple(here or [name for name in free if name not in self.sensitive])
        if not found:
            raise InputError(
                "there is no column that an attacker could know: the tables share none, or only "
                "sensitive ones",
                remedy="say what other tables call them, such as --rename zip=zipcode",
            )
        return found

    def known_in(self, table: str) -> tuple[str, ...]:
        """The known columns that another table has too; there must be one.

        Whoever holds a world knows all that it shares with the release (Bettini Section 2) but
        what is sensitive, whatever the policy takes for quasi-identifying, unless asked for less.
        """
        shared = self.shared(table)
        public = table == "world" and not self.asked.knows
        known = [name for name in shared if name not in self.sensitive] if public else self.knows
        found = tuple(name for name in known if name in shared)
        if not found:
            raise InputError(
                f"the release ({', '.join(self.knows)}) and the {table} "
                f"({', '.join(self.others[table].engine.names)}) share no column",
                remedy="say what the other calls them, such as --rename zip=zipcode",
            )
        return found

    def shown(self, name: str, table: str = "release") -> CodedColumn:
        """A column of the release, or of the other one, by its labels."""
        if (table, name) not in self._labels:
            where = self.release if table == "release" else self.others[table]
            called = name if table == "release" else self.called(name, table)
            column = where.labels(called, self.asked.missing_values)
            self._labels[table, name] = CodedColumn(name, column.codes, column.domain)
        return self._labels[table, name]

    def held(self, name: str, table: str) -> CodedColumn:
        """A column of the original or of the world, by its values, under the release's name."""
        engine = self.others[table].engine
        kind, missing = self.asked.kind(name), self.asked.missing_values
        found = engine.code(self.called(name, table), kind, missing)
        return CodedColumn(name, found.codes, found.domain)

    def hierarchies(self, columns: Mapping[str, CodedColumn]) -> dict[str, Hierarchy]:
        """The hierarchies that are said, over these values."""
        specs = {name: self.asked.hierarchy(name) for name in columns}
        return {
            name: spec.build(columns[name].domain, name)
            for name, spec in specs.items()
            if spec is not None
        }

    def together(self, names: Sequence[str], shown_in: str = "release") -> list[Shared]:
        """Columns of the original, each with that of a release of it."""
        people = {name: self.held(name, "original") for name in names}
        trees = self.hierarchies(people)
        return [
            Shared.of(self.shown(name, shown_in), people[name], trees.get(name), self.asked.missing)
            for name in names
        ]

    @cached_property
    def scene(self) -> Scene:
        """The release with the people of the original, or with its own rows if there is none."""
        if "original" not in self.others:
            own = [Shared.itself(self.shown(name)) for name in self._free(self.knows)]
            return Scene.of(own, [Shared.itself(self.shown(name)) for name in self.sensitive])
        shared = self.shared("original")
        secret = [name for name in self.sensitive if name in shared]
        known = self._free(self.known_in("original"))
        return Scene.of([one.alike for one in self.together(known)], self.together(secret))

    def _free(self, names: Sequence[str]) -> list[str]:
        """The known columns that are not what an attacker wants to learn."""
        found = [name for name in names if name not in self.sensitive]
        if not found:
            raise InputError(
                f"all that an attacker knows ({', '.join(names)}) is sensitive: nothing is left by "
                "which to find somebody",
                remedy="name other columns with --knows",
            )
        return found

    @cached_property
    def facing(self) -> Facing:
        """The release with the world."""
        names = self.known_in("world")
        columns = {name: self.held(name, "world") for name in names}
        world = World(columns, None if self.asked.id is None else self._ids[1])
        truth = None
        if "truth" in self.others:
            place = {label: code for code, label in enumerate(self._ids[0], start=1)}
            true = self._true_ids
            code = [0, *(place.get(label, 0) for label in true.domain.labels.tolist())]
            truth = np.array(code, dtype=np.int32)[true.codes]
        release = {name: self.shown(name) for name in names}
        trees = self.hierarchies(columns)
        return Facing(release, world, names, trees, self.asked.missing, truth)

    @cached_property
    def _ids(self) -> tuple[list[str], Codes]:
        """The ids of the world, and that of each of its rows."""
        found = self.others["world"].labels(str(self.asked.id), self.asked.missing_values)
        return found.domain.labels.tolist(), found.codes

    @cached_property
    def _true_ids(self) -> CodedColumn:
        """The id of each released row."""
        table, records = self.others["truth"], self.release.engine.records
        found = table.labels(str(self.asked.id), self.asked.missing_values)
        if self.asked.truth_key is not None:
            return CodedColumn(found.name, self._by_key(found.codes), found.domain)
        if len(found.codes) != records:
            raise InputError(
                f"the truth has {len(found.codes):,} rows, the release {records:,}",
                remedy="give one row for each released row, in their order, or a key of both",
            )
        return found

    def _by_key(self, ids: Codes) -> Codes:
        """The id of each released row by the key that release and truth have."""
        key = str(self.asked.truth_key)
        there, here = self.others["truth"].labels(key), self.release.labels(key)
        if len(there.domain) < len(there.codes):
            raise InputError(
                f"the key {key!r} of the truth is missing or the same in"
                f" {len(there.codes) - len(there.domain):,} of its rows",
                remedy="give each row a key of its own",
            )
        id_of = dict(zip(there.domain.labels[there.codes - 1].tolist(), ids.tolist(), strict=True))
        found = [0, *(id_of.get(label, 0) for label in here.domain.labels.tolist())]
        return np.array(found, dtype=np.int32)[here.codes]

    @property
    def places(self) -> Counts | None:
        """The record of the original that each released row was, -1 if not known; by its id."""
        original = self.others["original"]
        if "truth" not in self.others or self.asked.id not in original.engine.names:
            return None
        ids = original.labels(str(self.asked.id), self.asked.missing_values)
        if len(ids.domain) < len(ids.codes):
            return None
        place = dict(
            zip(ids.domain.labels[ids.codes - 1].tolist(), range(len(ids.codes)), strict=True)
        )
        true = self._true_ids
        found = [-1, *(place.get(label, -1) for label in true.domain.labels.tolist())]
        return np.array(found, dtype=np.int64)[true.codes]

    def notes(self) -> Iterator[str]:
        """What a reader should know about the tables."""
        if not self.sensitive:
            yield (
                "no column is named as sensitive: what is learned about a person is not played "
                "(--sensitive)"
            )
        if "world" in self.others:
            more = [name for name in self.shared("world") if name not in self.facing.names]
            if more:
                yield (
                    f"the world also has {', '.join(more)}: what holds for some of the public "
                    "columns proves nothing for all of them"
                )
        if "original" not in self.others:
            yield (
                "without the original, people are known as the release shows them: each attack "
                "but linkage is about the released rows themselves"
            )
            return
        lost = [name for name in self.sensitive if name not in self.shared("original")]
        if lost:
            yield f"the original lacks the sensitive columns {', '.join(lost)}"
        for one in (*self.scene.known, *self.scene.sensitive):
            idle = int((one.stands.sizes[one.label] == 0).sum())
            if idle:
                yield (
                    f"{idle:,} released rows show a label of {one.name!r} that stands for no value "
                    "of the original"
                )
