"""The tables of an attack under the release's column names: the release, and what is beside it.

The coded columns of these tables become the data of attacks: the release with the people of the
original, and the release with the people of a world.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.attack_data import AttackData, SharedColumn
from incrowd.linkage.matching import match
from incrowd.linkage.membership import Membership
from incrowd.linkage.world_linkage import WorldLinkage
from incrowd.linkage.world_tables import AttackerKnowledge, AttackTable, WorldTables
from incrowd.table.column import CodedColumn


@dataclass(frozen=True, eq=False)
class AttackTables:
    """The release and the tables beside it, under the release's names."""

    release: AttackTable
    others: Mapping[str, AttackTable]
    """By `truth`, `original`, `other` and `control`."""
    knowledge: AttackerKnowledge
    worlds: tuple[AttackTable, ...] = ()
    _labels: dict[tuple[str, str], CodedColumn] = field(default_factory=dict, repr=False)
    _shared: dict[tuple[str, str, str], SharedColumn] = field(default_factory=dict, repr=False)
    _ids: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if "truth" in self.others and (not self.worlds or self.knowledge.world_id is None):
            raise PolicyError(
                "the truth needs a world, and an id column that tells its individuals apart",
                remedy="give the world and its id column (--world FILE --world-id COLUMN)",
            )
        if "other" in self.others and "original" not in self.others:
            raise PolicyError(
                "comparing two releases needs their original",
                remedy="give the original too (--original FILE)",
            )
        _refuse_control(self.others, self.knowledge)
        tables = (*self.worlds, *self.others.values())
        if not self.worlds:
            _refuse_unused_ids(self.knowledge, tables)
        _refuse_bad_renames(self.release, tables, self.knowledge.rename)

    @cached_property
    def world_tables(self) -> WorldTables:
        """The tables of the world."""
        return WorldTables(self.worlds, self.knowledge)

    def tables_named(self, table: str) -> tuple[AttackTable, ...]:
        """The tables of the world, or the one of this name; none if it is not given."""
        if table == "world":
            return self.worlds
        return (self.others[table],) if table in self.others else ()

    def name_in(self, name: str, table: str) -> str:
        """The name of a release column in another table."""
        return self.knowledge.name_in(name, self.others[table].names)

    def shared_columns(self, table: str) -> tuple[str, ...]:
        """The release's columns that another table has too (its id column: see `_has_column`)."""
        parts = self.tables_named(table)
        return tuple(
            name
            for name in self.release.names
            if any(self._has_column(part, name) for part in parts)
        )

    def _has_column(self, part: AttackTable, name: str) -> bool:
        """Whether a table has a column of the release; the id only if the release shows ids.

        A column of the release with the name of the id may hold pseudonyms: it is shared if one of
        its labels stands for an id of the table.
        """
        called = self.knowledge.name_in(name, part.names)
        if called not in part.names or called != self.knowledge.world_id:
            return called in part.names
        return self._shows_ids(part, name)

    def is_in_world(self, name: str) -> bool:
        """Whether a table of the world has a column, under the release's name for it."""
        return any(self.knowledge.name_in(name, part.names) in part.names for part in self.worlds)

    def _shows_ids(self, part: AttackTable, name: str) -> bool:
        """Whether a label of a release column stands for an id of the table; cached."""
        if (part.name, name) not in self._ids:
            labels = self.released_column(name).domain.labels.tolist()
            called = self.knowledge.name_in(name, part.names)
            ids = part.code_values(called, self.knowledge, name)
            some = [label for label in labels if label.strip("*")]
            self._ids[part.name, name] = bool(len(match(some, ids.domain).low))
        return self._ids[part.name, name]

    @cached_property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns asked for (`PolicyError` if unknown), else those of the policy."""
        declared = [name for name in self.knowledge.declared if name in self.release.names]
        given = self.knowledge.sensitive or declared
        return tuple(dict.fromkeys(self.release.require_column(name) for name in given))

    @cached_property
    def known_columns(self) -> tuple[str, ...]:
        """Columns that an attacker may know: those asked for, else the policy's quasi-identifiers.

        Else all that the world or the original shares with the release (all of the release without
        either) but sensitive ones. `InputError` for none, `PolicyError` for an unknown one.
        """
        if self.knowledge.knows:
            return tuple(dict.fromkeys(map(self.release.require_column, self.knowledge.knows)))
        here = [name for name in self.knowledge.quasi if name in self.release.names]
        there = filter(self.tables_named, ("world", "original"))
        held = [set(self.shared_columns(table)) for table in there]
        every = set(self.release.names) if not held else set.union(*held)
        free = [name for name in self.release.names if name in every]
        known = tuple(here or [name for name in free if name not in self.sensitive])
        if not known:
            raise InputError(
                "there is no column that an attacker could know: the tables share none, or only "
                "sensitive ones",
                remedy="say what other tables call them, such as --rename zip=zipcode",
            )
        return known

    def known_columns_in(self, table: str) -> tuple[str, ...]:
        """The known columns that another table has too; `InputError` if there is none.

        Somebody with a world knows all that it shares with the release (Bettini Section 2) except
        sensitive columns, whatever the policy calls quasi-identifying, unless `knows` names less.
        """
        shared = self.shared_columns(table)
        if table == "world" and not self.knowledge.knows:
            found = tuple(name for name in shared if name not in self.sensitive)
        else:
            found = tuple(name for name in self.known_columns if name in shared)
        if not found:
            there = dict.fromkeys(name for part in self.tables_named(table) for name in part.names)
            raise InputError(
                f"the release ({', '.join(self.known_columns)}) and the {table} "
                f"({', '.join(there)}) share no column",
                remedy="say what the other table calls them, such as --rename zip=zipcode",
            )
        return found

    @property
    def public(self) -> tuple[str, ...]:
        """PAttr (Bettini Section 2): known columns of the world, else known, not sensitive ones."""
        if self.worlds:
            return self.known_columns_in("world")
        return tuple(self._drop_sensitive(self.known_columns))

    def released_column(self, name: str, table: str = "release") -> CodedColumn:
        """Code a column of the release, or of another table, by its labels; cached."""
        if (table, name) not in self._labels:
            where = self.release if table == "release" else self.others[table]
            called = name if table == "release" else self.name_in(name, table)
            self._labels[table, name] = where.code_labels(called, self.knowledge, name)
        return self._labels[table, name]

    def hierarchies(self, columns: Mapping[str, CodedColumn]) -> dict[str, Hierarchy]:
        """Build the hierarchies that are given for these columns, over their values."""
        specs = {name: self.knowledge.hierarchy(name) for name in columns}
        return {
            name: spec.build(columns[name].domain, name)
            for name, spec in specs.items()
            if spec is not None
        }

    def match_columns(
        self, names: Sequence[str], shown_in: str = "release", people: str = "original"
    ) -> list[SharedColumn]:
        """Match columns of a release with those of the people; cached."""
        for name in names:
            if (shown_in, people, name) not in self._shared:
                self._shared[shown_in, people, name] = self._match_column(name, shown_in, people)
        return [self._shared[shown_in, people, name] for name in names]

    def _match_column(self, name: str, shown_in: str, people: str) -> SharedColumn:
        """Match one column of a release (`release` or `other`) with that of the people."""
        table = self.others[people]
        values = table.code_values(self.name_in(name, people), self.knowledge, name)
        tree = self.hierarchies({name: values}).get(name)
        shown = self.released_column(name, shown_in)
        return SharedColumn.of(shown, values, tree, self.knowledge.missing)

    @cached_property
    def data(self) -> AttackData:
        """The release with the people of the original, or with its own rows if there is none."""
        if "original" in self.others:
            return self._data_with("original")
        missing = self.knowledge.missing
        own = [
            SharedColumn.of_release(self.released_column(name), missing)
            for name in self._drop_sensitive(self.known_columns)
        ]
        sensitive = [SharedColumn.of_release(self.released_column(name)) for name in self.sensitive]
        return AttackData.of(own, sensitive, limit=self.knowledge.limit)

    @cached_property
    def control(self) -> AttackData:
        """The release with the control's people; `InputError` without a known column to share."""
        return self._data_with("control")

    def _data_with(self, people: str) -> AttackData:
        """The release with this table's people; known values of equal labels are merged."""
        shared = self.shared_columns(people)
        sensitive = [name for name in self.sensitive if name in shared]
        known = self._drop_sensitive(self.known_columns_in(people))
        return AttackData.of(
            [one.merged for one in self.match_columns(known, people=people)],
            self.match_columns(sensitive, people=people),
            limit=self.knowledge.limit,
        )

    def _drop_sensitive(self, names: Sequence[str]) -> list[str]:
        """The columns among these that are not sensitive; `InputError` if there is none."""
        free = [name for name in names if name not in self.sensitive]
        if not free:
            raise InputError(
                f"all columns that the attacker knows ({', '.join(names)}) are sensitive: none is "
                "left to find somebody by",
                remedy="name other columns with --knows",
            )
        return free

    @cached_property
    def linked_world(self) -> WorldLinkage:
        """The release linked with the world by the columns that are known."""
        names = self.known_columns_in("world")
        world = self.world_tables.build_world(names)
        truth = self.world_tables.numbers_of_ids(self._true_ids) if "truth" in self.others else None
        return WorldLinkage(
            {name: self.released_column(name) for name in names},
            world,
            names,
            self.hierarchies(world.columns),
            self.knowledge.missing,
            truth,
            listed=self.membership.listed,
            listed_at_most=self.membership.listed_at_most,
            one_each=self.knowledge.one_each,
        )

    @cached_property
    def membership(self) -> Membership:
        """Who of the world is in the table."""
        return Membership(self)

    @cached_property
    def _true_ids(self) -> CodedColumn:
        """The true id of each released row, 0 if unknown; `InputError` if rows do not match."""
        table, records = self.others["truth"], self.release.engine.records
        ids = table.code_labels(str(self.knowledge.world_id), self.knowledge)
        if self.knowledge.truth_key is not None:
            return CodedColumn(ids.name, self._ids_by_key(ids.codes), ids.domain)
        if len(ids.codes) != records:
            raise InputError(
                f"the truth has {len(ids.codes):,} rows, the release {records:,}",
                remedy="give one row for each released row, in its order, or a key (--truth-key)",
            )
        return ids

    def _ids_by_key(self, ids: Codes) -> Codes:
        """The id of each released row by the key that release and truth share; 0 if unknown.

        `InputError` if rows of the truth lack a key or repeat one.
        """
        key = str(self.knowledge.truth_key)
        there = self.others["truth"].code_labels(key, self.knowledge)
        here = self.release.code_labels(key, self.knowledge)
        if len(there.domain) < len(there.codes):
            raise InputError(
                f"{len(there.codes) - len(there.domain):,} rows of the truth have no key {key!r}, "
                "or the key of another row",
                remedy="give each row a key of its own",
            )
        id_of = dict(zip(there.domain.labels[there.codes - 1].tolist(), ids.tolist(), strict=True))
        found = [0, *(id_of.get(label, 0) for label in here.domain.labels.tolist())]
        return np.array(found, dtype=np.int32)[here.codes]

    @property
    def original_records(self) -> Counts | None:
        """The record of the original that each released row was, by its id; -1 if unknown.

        None without a truth, or if the original (there must be one) lacks or repeats ids.
        """
        original, world_id = self.others["original"], self.knowledge.world_id
        if "truth" not in self.others or world_id not in original.names:
            return None
        ids = original.code_labels(str(world_id), self.knowledge)
        if len(ids.domain) < len(ids.codes):
            return None
        shown = ids.domain.labels[ids.codes - 1].tolist()
        place = {label: record for record, label in enumerate(shown)}
        true = self._true_ids
        found = [-1, *(place.get(label, -1) for label in true.domain.labels.tolist())]
        return np.array(found, dtype=np.int64)[true.codes]

    def notes(self) -> Iterator[str]:
        """Yield sentences on what the tables lack or show, and which attacks are left out then."""
        if not self.sensitive:
            yield (
                "no sensitive column is named, so attacks on sensitive values are left out "
                "(name some with --sensitive)"
            )
        if self.worlds:
            yield from self.world_tables.notes
            yield from self._notes_of_ids()
            more = [
                name for name in self.shared_columns("world") if name not in self.linked_world.names
            ]
            if more:
                yield (
                    f"the world also has {', '.join(more)}: what holds for some public columns "
                    "proves nothing for all of them"
                )
        control = [self.others[name] for name in ("control", "original") if name in self.others]
        if len(control) > 1 and not _have_ids(control, self.knowledge.world_id):
            yield (
                "nothing shows that the people of the control are not in the table: name the id "
                "column that control and original have (--world-id)"
            )
        if "original" not in self.others:
            yield (
                "there is no original: every attack except linkage is about the released rows "
                "themselves, known as the release shows them"
            )
            return
        lost = [name for name in self.sensitive if name not in self.shared_columns("original")]
        if lost:
            yield f"the original lacks the sensitive columns {', '.join(lost)}"
        for one in (*self.data.known, *self.data.sensitive):
            idle = int((one.decoding.sizes[one.label] == 0).sum())
            if idle:
                yield (
                    f"{idle:,} released rows have a label of {one.name!r} that stands for no value "
                    "of the original"
                )

    def _notes_of_ids(self) -> Iterator[str]:
        """Yield notes of ids that the world lacks, and of ids that the release shows, if any."""
        truth, world_id = self.linked_world.truth, self.knowledge.world_id
        lost = 0 if truth is None else int((truth == MISSING).sum())
        if truth is not None and lost:
            yield (
                f"the truth names people who are not in the world for {lost:,} of {len(truth):,} "
                "released rows: linkage cannot be right about them; check that ids are spelled "
                "alike in both"
            )
        yield from self.membership.notes
        if world_id is None or world_id not in self.release.names:
            return
        shown = self.release.code_labels(world_id, self.knowledge)
        people = self.world_tables.individual_by_id
        named = np.array([False, *(label in people for label in shown.domain.labels.tolist())])
        rows = int(named[shown.codes].sum())
        if rows:
            yield (
                f"{rows:,} released rows show an id of the world in the column {world_id!r}: they "
                "name their person"
            )


def _have_ids(tables: Iterable[AttackTable], world_id: str | None) -> bool:
    """Whether all tables have the column that tells people apart."""
    return all(world_id in table.names for table in tables)


def _refuse_control(others: Mapping[str, AttackTable], knowledge: AttackerKnowledge) -> None:
    """Refuse a control without an original (`PolicyError`) or with ids of it (`InputError`)."""
    if "control" not in others:
        return
    if "original" not in others:
        raise PolicyError(
            "a control compares people outside the table with people in it",
            remedy="give the original too (--original FILE)",
        )
    tables, world_id = (others["control"], others["original"]), knowledge.world_id
    if world_id is None or not _have_ids(tables, world_id):
        return
    ids = [set(table.code_labels(world_id, knowledge).domain.labels.tolist()) for table in tables]
    both = len(ids[0] & ids[1])
    if both:
        raise InputError(
            f"{both:,} people of the control are also in the original",
            remedy="leave them out of the control",
        )


def _refuse_unused_ids(knowledge: AttackerKnowledge, others: Sequence[AttackTable]) -> None:
    """Refuse the key of a truth, and an id column that no other table has, if there is no world."""
    if knowledge.truth_key is not None:
        raise PolicyError(
            "a truth key is given, but no truth",
            remedy="give the world and the truth too (--world FILE, --truth FILE)",
        )
    world_id = knowledge.world_id
    if world_id is not None and not any(world_id in table.names for table in others):
        raise PolicyError(
            f"no other table has the id column {world_id!r}",
            remedy="name a column of the world, and give the world too (--world FILE)",
        )


def _refuse_bad_renames(
    release: AttackTable, others: Sequence[AttackTable], rename: Mapping[str, str]
) -> None:
    """Refuse new names that no other table has, and those that two columns would share."""
    for name, called in rename.items():
        release.require_column(name)
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
