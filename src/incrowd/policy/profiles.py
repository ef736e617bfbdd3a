"""Profiles of the columns of a table, from distinct values or, if these are too many, a sample."""

from collections.abc import Mapping

from incrowd.engines.base import Engine
from incrowd.engines.memory import MemoryEngine
from incrowd.pii.profile import ColumnProfile
from incrowd.table.column import CodedColumn
from incrowd.table.encode import encode

MOST_VALUES = 2_000_000
"""Of a column elsewhere with more distinct values than this, a sample of records is looked at."""
SAMPLE = 200_000
"""Records of that sample."""


def coded_columns(engine: Engine) -> dict[str, CodedColumn]:
    """Code the columns that can be looked into and do not have too many values."""
    able = (name for name in engine.names if name not in engine.sealed)
    return engine.codes([name for name in able if excess_distinct(engine, name) is None])


def excess_distinct(engine: Engine, name: str) -> int | None:
    """How many distinct values a column has if too many to fetch; None if not, or if in memory."""
    if isinstance(engine, MemoryEngine) or engine.records <= MOST_VALUES:
        return None
    distinct = int(engine.class_sizes([name])[1].sum())
    return distinct if distinct > MOST_VALUES else None


def make_profiles(
    engine: Engine, coded: Mapping[str, CodedColumn] | None = None
) -> list[ColumnProfile]:
    """Make the profiles of all columns of a table; `coded` is what `coded_columns` returns."""
    known = coded_columns(engine) if coded is None else coded
    return [_make_profile(engine, name, known) for name in engine.names]


def _make_profile(engine: Engine, name: str, coded: Mapping[str, CodedColumn]) -> ColumnProfile:
    """Make the profile of a column: by its codes, its name alone, or a sample of its records."""
    if name in coded:
        return ColumnProfile.of(coded[name], engine.frequency(coded[name]))
    if name in engine.sealed:
        return ColumnProfile.of_name_alone(name, engine.records, engine.sealed[name])
    return profile_of_sample(engine, name, excess_distinct(engine, name) or 0)


def profile_of_sample(engine: Engine, name: str, distinct: int) -> ColumnProfile:
    """Make the profile of a column of so many distinct values from a sample of the records."""
    cells = engine.sample([name], SAMPLE)[name]
    column = encode(cells, name, infer=engine.text)
    of = ColumnProfile.of(column)
    times = engine.records / max(len(cells), 1)
    missing, largest = round(of.missing * times), round(of.largest * times)
    return ColumnProfile(
        name, column.domain, engine.records, missing, largest, sample_of=max(distinct, of.distinct)
    )
