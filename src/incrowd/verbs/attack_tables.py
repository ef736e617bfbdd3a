"""The tables of an attack as codes: the release, and what somebody holds beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts
from incrowd.attacks.candidates import Facing
from incrowd.attacks.scene import Scene, Shared
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import Hierarchy
from incrowd.linkage.matching import match
from incrowd.table.column import CodedColumn
from incrowd.verbs.attack_asked import Asked, Table
from incrowd.verbs.attack_members import Members
from incrowd.verbs.attack_world import Holdings


@dataclass(frozen=True, eq=False)
class Tables:
    """The release and what is held against it, under the release's names."""

    release: Table
    others: Mapping[str, Table]
    """By `truth`, `original`, `other` and `control`."""
    asked: Asked
    worlds: tuple[Table, ...] = ()
    _labels: dict[tuple[str, str], CodedColumn] = field(default_factory=dict, repr=False)
    _shared: dict[tuple[str, str, str], Shared] = field(default_factory=dict, repr=False)
    _ids: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if "truth" in self.others and (not self.worlds or self.asked.id is None):
            raise PolicyError(
                "the truth is about individuals of a world, told apart by an id",
                remedy="give the world and the name of its id column",
            )
        if "other" in self.others and "original" not in self.others:
            raise PolicyError(
                "two releases are held against each other by way of their original",
                remedy="give the original too",
            )
        refuse_control(self.others, self.asked)
        tables = (*self.worlds, *self.others.values())
        if not self.worlds:
            refuse_unused(self.asked, tables)
        refuse_names(self.release, tables, self.asked.rename or {})

    @cached_property
    def holdings(self) -> Holdings:
        """The tables of the world."""
        return Holdings(self.worlds, self.asked)

    def parts(self, table: str) -> tuple[Table, ...]:
        """The tables of the world, or the one of this name; none if it is not given."""
        if table == "world":
            return self.worlds
        return (self.others[table],) if table in self.others else ()

    def called(self, name: str, table: str) -> str:
        """What another table calls a column of the release."""
        return self.asked.called(name, self.others[table].names)

    def shared(self, table: str) -> tuple[str, ...]:
        """The columns that the release and another table have, but for the id."""
        parts = self.parts(table)
        return tuple(
            name for name in self.release.names if any(self._has(part, name) for part in parts)
        )

    def _has(self, part: Table, name: str) -> bool:
        """Whether a table has a column of the release; the id only if the release generalizes it.

        A column of the release that is called as the id may show pseudonyms: it is shared if one of
        its labels stands for an id of the table.
        """
        called = self.asked.called(name, part.names)
        if called not in part.names or called != self.asked.id:
            return called in part.names
        return self._shows_ids(part, name)

    def in_world(self, name: str) -> bool:
        """Whether a table of the world has a column, under the release's name for it."""
        return any(self.asked.called(name, part.names) in part.names for part in self.worlds)

    def _shows_ids(self, part: Table, name: str) -> bool:
        if (part.name, name) not in self._ids:
            labels = self.shown(name).domain.labels.tolist()
            ids = part.values(self.asked.called(name, part.names), self.asked, name)
            some = [label for label in labels if label.strip("*")]
            self._ids[part.name, name] = bool(len(match(some, ids.domain).low))
        return self._ids[part.name, name]

    @cached_property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns, as asked or as the policy says."""
        policy = self.asked.policy
        said = () if policy is None else policy.sensitive
        given = self.asked.sensitive or [n for n in said if n in self.release.names]
        return tuple(dict.fromkeys(self.release.column(name) for name in given))

    @cached_property
    def knows(self) -> tuple[str, ...]:
        """The columns that an attacker may know: as asked, quasi-identifying, or all shared."""
        policy = self.asked.policy
        if self.asked.knows:
            return tuple(dict.fromkeys(map(self.release.column, self.asked.knows)))
        named = () if policy is None else policy.quasi
        here = [name for name in named if name in self.release.names]
        held = [set(self.shared(table)) for table in ("world", "original") if self.parts(table)]
        every = set(self.release.names) if not held else set.union(*held)
        free = [name for name in self.release.names if name in every]
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
            there = dict.fromkeys(name for part in self.parts(table) for name in part.names)
            raise InputError(
                f"the release ({', '.join(self.knows)}) and the {table} "
                f"({', '.join(there)}) share no column",
                remedy="say what the other calls them, such as --rename zip=zipcode",
            )
        return found

    @property
    def public(self) -> tuple[str, ...]:
        """PAttr (Bettini Section 2): what the world shares with the release, or what is known."""
        return self.known_in("world") if self.worlds else tuple(self._free(self.knows))

    def shown(self, name: str, table: str = "release") -> CodedColumn:
        """A column of the release, or of the other one, by its labels."""
        if (table, name) not in self._labels:
            where = self.release if table == "release" else self.others[table]
            called = name if table == "release" else self.called(name, table)
            column = where.labels(called, self.asked.missing_values)
            self._labels[table, name] = CodedColumn(name, column.codes, column.domain)
        return self._labels[table, name]

    def hierarchies(self, columns: Mapping[str, CodedColumn]) -> dict[str, Hierarchy]:
        """The hierarchies that are said, over these values."""
        specs = {name: self.asked.hierarchy(name) for name in columns}
        return {
            name: spec.build(columns[name].domain, name)
            for name, spec in specs.items()
            if spec is not None
        }

    def together(
        self, names: Sequence[str], shown_in: str = "release", people: str = "original"
    ) -> list[Shared]:
        """Columns of the people, each with that of a release; labels are read once."""
        for name in names:
            if (shown_in, people, name) not in self._shared:
                self._shared[shown_in, people, name] = self._matched(name, shown_in, people)
        return [self._shared[shown_in, people, name] for name in names]

    def _matched(self, name: str, shown_in: str, people: str) -> Shared:
        table = self.others[people]
        values = table.values(self.called(name, people), self.asked, name)
        tree = self.hierarchies({name: values}).get(name)
        return Shared.of(self.shown(name, shown_in), values, tree, self.asked.missing)

    @cached_property
    def scene(self) -> Scene:
        """The release with the people of the original, or with its own rows if there is none."""
        if "original" in self.others:
            return self._scene("original")
        missing = self.asked.missing
        own = [Shared.itself(self.shown(name), missing) for name in self._free(self.knows)]
        secret = [Shared.itself(self.shown(name)) for name in self.sensitive]
        return Scene.of(own, secret, limit=self.asked.max_posterior)

    @cached_property
    def control(self) -> Scene:
        """The release with people who are not in it."""
        return self._scene("control")

    def _scene(self, people: str) -> Scene:
        shared = self.shared(people)
        secret = [name for name in self.sensitive if name in shared]
        known = self._free(self.known_in(people))
        return Scene.of(
            [one.alike for one in self.together(known, people=people)],
            self.together(secret, people=people),
            limit=self.asked.max_posterior,
        )

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
        world = self.holdings.world(names)
        truth = self.holdings.numbers(self._true_ids) if "truth" in self.others else None
        return Facing(
            {name: self.shown(name) for name in names},
            world,
            names,
            self.hierarchies(world.columns),
            self.asked.missing,
            truth,
            listed=self.members.listed,
            one_each=self.asked.one_each,
        )

    @cached_property
    def members(self) -> Members:
        """Who of the world is in the table."""
        return Members(self)

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
        if "truth" not in self.others or self.asked.id not in original.names:
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
        if self.worlds:
            yield from self.holdings.notes
            yield from self._named()
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

    def _named(self) -> Iterator[str]:
        """Ids of the truth that the world lacks, and those that the release shows itself."""
        truth = self.facing.truth
        lost = 0 if truth is None else int((truth == MISSING).sum())
        if truth is not None and lost:
            yield (
                f"{lost:,} of {len(truth):,} released rows are, by the truth, of nobody in the "
                "world: linkage cannot be right about them; are ids spelled alike in both?"
            )
        if self.members.strangers:
            yield (
                "no id of the original is in the world: nobody of the table is, or ids are spelled "
                "differently; who of the table is in the world is taken as not known"
            )
        if self.asked.id is None or self.asked.id not in self.release.names:
            return
        shown, people = self.release.labels(self.asked.id), self.holdings.people
        named = np.array([False, *(label in people for label in shown.domain.labels.tolist())])
        rows = int(named[shown.codes].sum())
        if rows:
            yield (
                f"the release has the id column {self.asked.id!r} too, and {rows:,} of its rows an "
                "id of the world: these rows name their person"
            )


def refuse_control(others: Mapping[str, Table], asked: Asked) -> None:
    """Refuse people outside of the table where nobody inside is known, or who are inside."""
    if "control" not in others:
        return
    if "original" not in others:
        raise PolicyError(
            "people who are not in the table are held against those who are",
            remedy="give the original too (--original FILE)",
        )
    tables = others["control"], others["original"]
    if asked.id is None or not all(asked.id in table.names for table in tables):
        return
    ids = [set(table.labels(asked.id).domain.labels.tolist()) for table in tables]
    both = len(ids[0] & ids[1])
    if both:
        raise InputError(
            f"{both:,} people of the control are in the original, too",
            remedy="leave them out of the control",
        )


def refuse_unused(asked: Asked, others: Sequence[Table]) -> None:
    """Where there is no world, refuse the key of a truth, and an id that no table has."""
    if asked.truth_key is not None:
        raise PolicyError(
            "a key says which rows of a truth belong to the release, and there is no truth",
            remedy="give the world and the truth too (--world FILE, --truth FILE)",
        )
    if asked.id is not None and not any(asked.id in table.names for table in others):
        raise PolicyError(
            f"no other table has the id column {asked.id!r}",
            remedy="name a column of the world, and give the world too (--world FILE)",
        )


def refuse_names(release: Table, others: Sequence[Table], rename: Mapping[str, str]) -> None:
    """Refuse other names that no table has, and those that two columns would have."""
    for name, called in rename.items():
        release.column(name)
        if not any(called in table.names for table in others):
            every = dict.fromkeys(name for table in others for name in table.names)
            raise PolicyError(
                f"no other table has the column {called!r} that {name!r} is renamed to",
                remedy="they have: " + ", ".join(every),
            )
        also = [one for one in release.names if one != name and rename.get(one, one) == called]
        if also:
            raise PolicyError(
                f"{name!r} and {also[0]!r} would both be {called!r} of another table",
                remedy=f"say what it calls {also[0]!r} too, or leave one of them out",
            )
