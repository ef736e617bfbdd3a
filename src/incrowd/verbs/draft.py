"""A first policy for a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from incrowd.engines.memory import MemoryEngine
from incrowd.identify.derived import Derived
from incrowd.policy.draft import Draft, Sketch, redrafted, sketches
from incrowd.policy.draft import draft as drafted
from incrowd.policy.joint_uniqueness import in_company
from incrowd.table.column import CodedColumn
from incrowd.verbs.derived import LEAVING, among, leaving_of
from incrowd.verbs.reading import AnyPath, Reading


def draft(frame: Any) -> Draft:
    """A first policy for a table, with reasons, to be reviewed."""
    return _draft(MemoryEngine(frame))


def draft_file(path: AnyPath, *, reading: Reading | None = None) -> Draft:
    """A first policy for a table in a file, with reasons, to be reviewed."""
    read = (reading or Reading()).read(path)
    return _draft(MemoryEngine(read.frame, text=read.text))


def _draft(engine: MemoryEngine) -> Draft:
    coded = engine.codes([name for name in engine.names if name not in engine.sealed])
    seen = sketches(engine, coded)
    return in_company(_protected(drafted(seen), seen, coded), list(coded.values()))


def _protected(first: Draft, seen: Sequence[Sketch], coded: Mapping[str, CodedColumn]) -> Draft:
    """The draft with columns that tell quasi-identifying ones, or are told by them, like those."""
    quasi = [name for name in first.policy.quasi if name in coded]
    leaving = [n for n, c in first.policy.columns.items() if c.role in LEAVING and n in coded]
    if not quasi or not leaving:
        return first
    found = among(coded, leaving, quasi)
    reasons = {name: _reason(one, quasi) for one in found for name in leaving_of(one, quasi)}
    return redrafted(first, seen, reasons)


def _reason(found: Derived, quasi: Sequence[str]) -> str:
    names = " and ".join(found.known)
    if found.column in quasi:
        return f"{found.column} follows from {names}, so that it must be as coarse"
    return f"it follows from {names}, so that it must be as coarse"
