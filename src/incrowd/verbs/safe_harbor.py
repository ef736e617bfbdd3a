"""HIPAA's Safe Harbor: what a table, or what a policy lets out of it, holds of identifiers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from numbers import Integral, Real
from typing import Any

import numpy as np

from incrowd.engines.memory import MemoryEngine
from incrowd.errors import PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.pii import Checklist, Setting, checklist, hints
from incrowd.pipeline import builders_of
from incrowd.policy.policy import Policy, require_declared
from incrowd.policy.presets import TableFacts
from incrowd.release.rows import dropped, pseudonymous
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.encode import align
from incrowd.verbs.glimpses import glimpses
from incrowd.verbs.reading import AnyPath, Reading, enough_memory

_AREA = re.compile(r"\d{3}")
_EXACT = frozenset(("representatives", "permutation"))
"""Ways to show a release in which cells are values of the table."""


def safe_harbor(
    frame: Any,
    *,
    policy: Policy | None = None,
    today: int | None = None,
    zip_populations: Mapping[str, int] | None = None,
    folder: AnyPath = ".",
) -> Checklist:
    """The checklist of HIPAA's Safe Harbor: which of its eighteen identifiers a table holds.

    With a policy the table is looked at as the policy would let it out: without the columns that
    it drops, the others at the finest level that they may show. Ages count in the year `today`
    (the present one). `zip_populations` says how many people live in areas of three digits, in
    place of the counts that come along. Paths of the policy are taken from `folder`.
    """
    asked = _Asked(policy, today, zip_populations or {}, folder)
    with enough_memory():
        return _checked(MemoryEngine(frame), asked)


def safe_harbor_file(  # noqa: PLR0913  the same, and how to read the file
    path: AnyPath,
    *,
    policy: Policy | None = None,
    today: int | None = None,
    zip_populations: Mapping[str, int] | None = None,
    folder: AnyPath = ".",
    reading: Reading | None = None,
) -> Checklist:
    """The checklist of HIPAA's Safe Harbor for a table in a file; see `safe_harbor`."""
    asked = _Asked(policy, today, zip_populations or {}, folder)
    with enough_memory():
        named = () if policy is None else policy.columns
        read = (reading or Reading()).expecting(named).read(path)
        return _checked(MemoryEngine(read.frame, text=read.text), asked)


def seen_file(path: AnyPath, *, reading: Reading | None = None) -> TableFacts:
    """What a preset should know of the table in a file."""
    with enough_memory():
        read = (reading or Reading()).read(path)
        return seen(read.frame, text=read.text)


def seen(frame: Any, *, today: int | None = None, text: bool = False) -> TableFacts:
    """What a preset should know of a table: the identifiers and the kinds of its columns."""
    engine = MemoryEngine(frame, text=text)
    names = [name for name in engine.names if name not in engine.uncoded]
    columns = glimpses(engine, names, hints)
    found = checklist(columns, _Asked(None, today).setting, sealed=engine.sealed)
    kinds = {column.name: column.domain.kind for column in columns if len(column.domain)}
    return TableFacts(found.today, found.failing, kinds)


@dataclass(frozen=True)
class _Asked:
    policy: Policy | None
    today: int | None
    people: Mapping[str, int] = field(default_factory=dict)
    folder: AnyPath = "."

    @property
    def setting(self) -> Setting:
        """The year and the counts of people, checked."""
        today = datetime.now(UTC).year if self.today is None else self.today
        if not isinstance(today, Integral) or not 1900 <= today <= 2200:
            raise PolicyError("today must be a year from 1900 to 2200", remedy="write 2026, say")
        areas = all(isinstance(area, str) and _AREA.fullmatch(area) for area in self.people)
        counts = self.people.values()
        if not areas or not all(isinstance(count, Real) and count >= 0 for count in counts):
            raise PolicyError(
                "people are given by the first three digits of ZIP codes, as numbers from 0 on",
                remedy='write {"036": 13153}, say',
            )
        return Setting(today, self.people)


def _checked(engine: MemoryEngine, asked: _Asked) -> Checklist:
    setting, policy = asked.setting, asked.policy
    if policy is None:
        names = [name for name in engine.names if name not in engine.uncoded]
        return checklist(glimpses(engine, names, hints), setting, sealed=engine.sealed)
    require_declared(policy, engine.names)
    columns = _leaving(engine, policy, asked.folder)
    staying = {*dropped(policy), *pseudonymous(policy)}
    sealed = {name: what for name, what in engine.sealed.items() if name not in staying}
    return checklist(columns, setting, pseudonymous(policy), sealed)


def _leaving(engine: MemoryEngine, policy: Policy, folder: AnyPath) -> Iterator[CodedColumn]:
    """The columns that leave under a policy, quasi-identifying ones as fine as they may be."""
    staying = {*dropped(policy), *pseudonymous(policy)}
    builders = builders_of(policy, folder)
    for name in engine.names:
        if name in staying or name in engine.uncoded:
            continue
        column = engine.code(name, policy.columns[name].kind, policy.missing_values)
        lowest = policy.columns[name].lowest
        if name in policy.quasi and lowest and policy.show not in _EXACT:
            counts = np.bincount(column.codes, minlength=len(column.domain) + 1)[1:]
            hierarchy = builders[name].build(column.domain, name, counts.astype(np.int64))
            column = _at(align(column, hierarchy.leaves), hierarchy, lowest)
        yield column


def _at(column: CodedColumn, hierarchy: Hierarchy, level: int) -> CodedColumn:
    """A column as a level of its hierarchy shows it."""
    level = min(level, hierarchy.height)
    codes = hierarchy.maps[level][column.codes]
    return CodedColumn(column.name, codes, Domain(Kind.TEXT, hierarchy.labels[level]))
