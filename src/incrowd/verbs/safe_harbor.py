"""`safe_harbor`: which identifiers of HIPAA's Safe Harbor a table holds, or a policy lets out."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import polars as pl

from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, PolicyError, boundary
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import AnyPath, Reading, enough_memory
from incrowd.pii import Checklist, ColumnProfile, SafeHarborRules, checklist, hints
from incrowd.pii.patterns import ANYWHERE
from incrowd.policy.policy import Policy, require_declared
from incrowd.policy.presets import TableFacts
from incrowd.release.rows import dropped, pseudonymous
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.encode import align, encode
from incrowd.table.fold import in_threads
from incrowd.verbs.draft import engine_of

SAMPLE = 200_000
"""Distinct values to look at in a column whose name says nothing."""
_SUSPECT = 1_000
_AREA = re.compile(r"\d{3}")
_EXACT = frozenset(("representatives", "permutation"))
"""Ways to show a release in which cells are values of the table."""


@dataclass(frozen=True)
class SafeHarborOptions:
    """What to check a table for: the options of `safe_harbor`."""

    policy: Policy | None = None
    """Check what this policy would let out, not the table as it is."""
    today: int | None = None
    """The year in which ages count; the present one if not given."""
    zip_populations: Mapping[str, int] = field(default_factory=dict)
    """People by the first three digits of ZIP codes, in place of the census's counts."""
    folder: AnyPath = "."
    """Where the paths of the policy begin."""

    def __post_init__(self) -> None:
        """Refuse what is no policy."""
        if self.policy is not None and not isinstance(self.policy, Policy):
            raise PolicyError(
                "policy must be a Policy", remedy="read it with incrowd.read_policy, for example"
            )

    @property
    def rules(self) -> SafeHarborRules:
        """The year and the counts of people, checked."""
        today = datetime.now(UTC).year if self.today is None else self.today
        if not isinstance(today, Integral) or not 1900 <= today <= 2200:
            raise PolicyError(
                "today must be a year from 1900 to 2200", remedy="write 2026, for example"
            )
        areas = all(isinstance(a, str) and _AREA.fullmatch(a) for a in self.zip_populations)
        counts = self.zip_populations.values()
        if not areas or not all(isinstance(count, Real) and count >= 0 for count in counts):
            raise PolicyError(
                "zip_populations must give a number for the first three digits of each ZIP code",
                remedy='write {"036": 13153}, for example',
            )
        return SafeHarborRules(today, self.zip_populations)


def safe_harbor(  # noqa: PLR0913  its options, and how to read a file
    source: Any,
    *,
    policy: Policy | None = None,
    today: int | None = None,
    zip_populations: Mapping[str, int] | None = None,
    folder: AnyPath = ".",
    reading: Reading | None = None,
) -> Checklist:
    """The checklist of HIPAA's Safe Harbor: which of the eighteen identifiers a table holds.

    `source` is a frame or the path of a file. With a policy it checks what the policy would let
    out: without the columns that it drops, the others at the finest level that they may show. Ages
    count in the year `today` (the present one). `zip_populations` gives people by the first three
    digits of ZIP codes, in place of the census's counts. Paths of the policy begin in `folder`.
    """
    options = SafeHarborOptions(policy, today, zip_populations or {}, folder)
    with enough_memory():
        named = () if options.policy is None else options.policy.columns
        return _checked(engine_of(source, reading, named), options)


def table_facts(
    source: Any, *, today: int | None = None, reading: Reading | None = None
) -> TableFacts:
    """What a preset should know of a table: its identifiers and the kinds of its columns."""
    with enough_memory():
        engine = engine_of(source, reading)
        columns = _profiles(engine)
        found = checklist(columns, SafeHarborOptions(today=today).rules, sealed=engine.sealed)
        kinds = {column.name: column.kind for column in columns if len(column.domain)}
        return TableFacts(found.today, found.failing, kinds)


def _checked(engine: MemoryEngine, options: SafeHarborOptions) -> Checklist:
    rules, policy = options.rules, options.policy
    if policy is None:
        return checklist(_profiles(engine), rules, sealed=engine.sealed)
    require_declared(policy, engine.names)
    columns = _leaving(engine, policy, options.folder)
    staying = {*dropped(policy), *pseudonymous(policy)}
    sealed = {name: what for name, what in engine.sealed.items() if name not in staying}
    return checklist(columns, rules, pseudonymous(policy), sealed)


# The table as it is


def _profiles(engine: MemoryEngine) -> list[ColumnProfile]:
    names = [name for name in engine.names if name not in engine.uncoded]
    return sampled_profiles(engine, names)


def sampled_profiles(engine: MemoryEngine, names: Iterable[str]) -> list[ColumnProfile]:
    """The profiles of these columns; a large column whose name says nothing is sampled.

    The sample is seeded, and holds some of the values that contain what identifiers contain: one
    identifier is enough to fail.
    """
    tasks = [partial(_profile, engine, name, whole=hints(name)) for name in names]
    return in_threads(tasks)


def _profile(engine: MemoryEngine, name: str, *, whole: bool) -> ColumnProfile:
    with boundary(InputError(f"column {name!r} cannot be read", remedy="convert it to text")):
        cells = engine.series(name)
        values = cells.drop_nulls().unique(maintain_order=True)
    drawn = values if whole or len(values) <= SAMPLE else _drawn(values)
    column = encode(drawn, name, infer=engine.text)
    few = drawn.filter(pl.Series(column.codes == 0))
    with boundary(InputError(f"column {name!r} cannot be read", remedy="convert it to text")):
        missing = cells.null_count() + _records_of(cells, few)
    sample_of = len(values) if len(drawn) < len(values) else None
    return ColumnProfile(name, column.domain, len(cells), missing, sample_of=sample_of)


def _drawn(values: pl.Series) -> pl.Series:
    """A sample of the values, with some of those that contain what identifiers contain."""
    rng = np.random.default_rng(0)
    places = rng.choice(len(values), SAMPLE, replace=False)
    if isinstance(values.dtype, pl.String):
        like = values.str.contains(ANYWHERE).arg_true()[:_SUSPECT].to_numpy()
        places = np.union1d(places, like)
    return values.gather(np.sort(places))


def _records_of(cells: pl.Series, few: pl.Series) -> int:
    """The records that hold one of these values."""
    return int(cells.is_in(few.implode()).sum()) if len(few) else 0


# What a policy lets out


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
