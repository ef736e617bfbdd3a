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
    """The columns that can be looked into, coded; without those of too many values."""
    able = (name for name in engine.names if name not in engine.sealed)
    return engine.codes([name for name in able if too_many(engine, name) is None])


def too_many(engine: Engine, name: str) -> int | None:
    """How many distinct values a column has, if that is too many to bring them over."""
    if isinstance(engine, MemoryEngine) or engine.records <= MOST_VALUES:
        return None
    distinct = int(engine.sizes([name])[1].sum())
    return distinct if distinct > MOST_VALUES else None


def profiles(engine: Engine, coded: Mapping[str, CodedColumn] | None = None) -> list[ColumnProfile]:
    """The profiles of all columns of a table; those of `coded_columns` may be given."""
    known = coded_columns(engine) if coded is None else coded
    return [_profile(engine, name, known) for name in engine.names]


def _profile(engine: Engine, name: str, coded: Mapping[str, CodedColumn]) -> ColumnProfile:
    if name in coded:
        return ColumnProfile.of(coded[name], engine.frequency(coded[name]))
    if name in engine.sealed:
        return ColumnProfile.of_name_alone(name, engine.records, engine.sealed[name])
    return profile_of_sample(engine, name, too_many(engine, name) or 0)


def profile_of_sample(engine: Engine, name: str, distinct: int) -> ColumnProfile:
    """The profile of a column of so many distinct values, by a sample of the records."""
    cells = engine.sample([name], SAMPLE)[name]
    column = encode(cells, name, infer=engine.text)
    of = ColumnProfile.of(column)
    times = engine.records / max(len(cells), 1)
    missing, largest = round(of.missing * times), round(of.largest * times)
    return ColumnProfile(
        name, column.domain, engine.records, missing, largest, sample_of=max(distinct, of.distinct)
    )
