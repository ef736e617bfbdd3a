"""What is asked of attackers, and a table as it came."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from incrowd.attacks.persons import LIMIT
from incrowd.attacks.play import Attackers
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy, Flat, Suggested
from incrowd.hierarchy.labels import TOP
from incrowd.io.hierarchies import resolve
from incrowd.linkage.constraints import AtLeast
from incrowd.policy.policy import Policy
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.roles import Missing
from incrowd.verbs.attack_limits import Limits
from incrowd.verbs.reading import AnyPath, Reading, collected
from incrowd.verify.ends import joined, split_columns


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
    promises: Sequence[AtLeast] = ()
    max_posterior: float = LIMIT
    max_people: int = 0
    max_raise: float | None = None
    listed: float | None = None

    def __post_init__(self) -> None:
        """Refuse limits that mean nothing."""
        shares = {
            "the largest posterior": self.max_posterior,
            "the largest raise": self.max_raise,
            "the share of the people who are listed": self.listed,
        }
        for what, value in shares.items():
            if value is not None and not 0 <= value <= 1:
                raise PolicyError(f"{what} must be from 0 to 1", remedy="give 0.5, say")
        if self.max_people < 0:
            raise PolicyError("a limit of people is 0 or more", remedy="give 0, say")
        if self.max_success is not None and not 0 <= self.max_success <= 1:
            raise PolicyError("the largest success must be from 0 to 1", remedy="give 0.1, say")
        if self.max_size is not None and self.max_size < 1:
            raise PolicyError("sets of known columns have at least one", remedy="give 1 or more")
        if self.rule_out < 0:
            raise PolicyError("an attacker rules out 0 values or more", remedy="give 1, say")

    @property
    def attackers(self) -> Attackers:
        """Which attackers are played."""
        return Attackers(self.max_size or 0, self.rule_out, self.max_posterior)

    @property
    def limits(self) -> Limits:
        """What attacks may reach at the most."""
        return Limits(self.max_posterior, self.max_people, self.max_success, self.max_raise)

    @property
    def one_each(self) -> bool:
        """Whether every released row is about another person, as far as the policy says."""
        return self.policy is None or self.policy.unit is None

    @property
    def missing(self) -> Missing:
        """How a missing value is read; rows that lack one were left out if it suppresses."""
        given = Missing.OWN_VALUE if self.policy is None else self.policy.missing
        return Missing.OWN_VALUE if given is Missing.SUPPRESS else given

    @property
    def missing_values(self) -> tuple[str, ...]:
        """Texts that mean missing."""
        return () if self.policy is None else self.policy.missing_values

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that are named: tables should have some of them."""
        there = () if self.policy is None else self.policy.columns
        others = (*(self.rename or {}), *(self.rename or {}).values(), self.id, self.truth_key)
        return (*self.knows, *self.sensitive, *there, *filter(None, others))

    def called(self, name: str, names: Sequence[str]) -> str:
        """What another table, with columns of these names, calls a column of the release."""
        called = (self.rename or {}).get(name, name)
        return called if called in names else name

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

    def labelled(self, known: Iterable[str]) -> "Table":
        """With one column of labels for each known column that stands as two columns of ends."""
        split = split_columns(dict.fromkeys(known), self.names)
        if not split:
            return self
        rows = pl.DataFrame([self.engine.series(name).alias(name) for name in self.names])
        labels = joined(rows, dict.fromkeys(split, TOP))
        return replace(self, engine=MemoryEngine(labels, text=self.text))

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns."""
        return self.engine.names

    def column(self, name: str) -> str:
        """The name, if there is a column of it."""
        if name not in self.names:
            raise PolicyError(
                f"the {self.name} has no column {name!r}",
                remedy="it has: " + ", ".join(self.names),
            )
        return name

    def values(self, called: str, asked: Asked, name: str) -> CodedColumn:
        """A column by its values, under the name that the release has for it."""
        found = self.engine.code(called, asked.kind(name), asked.missing_values)
        return CodedColumn(name, found.codes, found.domain)

    def labels(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """A column by the text that it shows."""
        kind = Kind.TEXT if self.text else None
        return self.engine.code(self.column(name), kind, missing_values)
