"""`draft`: a first policy for a table, with reasons, to review."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError
from incrowd.identify.derived import Derived
from incrowd.io.reading import Reading, opened
from incrowd.pii.profile import ColumnProfile
from incrowd.policy.derived import LEAVING, among, leaving_of
from incrowd.policy.draft import Draft, profiles, redrafted, with_joint_uniqueness
from incrowd.policy.draft import draft as drafted
from incrowd.table.column import CodedColumn


def draft(source: Any, *, reading: Reading | None = None) -> Draft:
    """A first policy for a table, with reasons, to review.

    `source` is a frame or the path of a file; `reading` says how to read a text file.
    """
    engine = engine_of(source, reading)
    coded = engine.codes([name for name in engine.names if name not in engine.sealed])
    columns = profiles(engine, coded)
    first = _protected(drafted(columns), columns, coded)
    return with_joint_uniqueness(first, list(coded.values()))


def engine_of(
    source: Any, reading: Reading | None = None, expected: Iterable[str] = ()
) -> MemoryEngine:
    """The table in a frame or a file, in memory; a file should have `expected` columns."""
    engine = opened(source, reading, expected).engine
    if not isinstance(engine, MemoryEngine):
        raise InputError(
            f"incrowd cannot look at the values of a table in {engine.name}",
            remedy="give a frame: relation.pl(), for example",
        )
    return engine


def _protected(
    first: Draft, columns: Sequence[ColumnProfile], coded: Mapping[str, CodedColumn]
) -> Draft:
    """The draft that also protects columns that follow from quasi-identifying ones, or reverse."""
    quasi = [name for name in first.policy.quasi if name in coded]
    leaving = [n for n, c in first.policy.columns.items() if c.role in LEAVING and n in coded]
    if not quasi or not leaving:
        return first
    found = among(coded, leaving, quasi)
    reasons = {name: _reason(one, quasi) for one in found for name in leaving_of(one, quasi)}
    return redrafted(first, columns, reasons)


def _reason(found: Derived, quasi: Sequence[str]) -> str:
    names = " and ".join(found.known)
    if found.told in quasi:
        return f"{found.told} follows from {names}, so both must be as coarse"
    return f"follows from {names}, so it must be as coarse"
