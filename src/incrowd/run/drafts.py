"""A first policy for a table."""

from typing import Any

from incrowd.engines.memory import MemoryEngine
from incrowd.policy.company import in_company
from incrowd.policy.draft import Draft, sketches
from incrowd.policy.draft import draft as drafted
from incrowd.run.reading import AnyPath, Reading


def draft(frame: Any) -> Draft:
    """A first policy for a table, with reasons, to be reviewed."""
    return _draft(MemoryEngine(frame))


def draft_file(path: AnyPath, *, reading: Reading | None = None) -> Draft:
    """A first policy for a table in a file, with reasons, to be reviewed."""
    read = (reading or Reading()).read(path)
    return _draft(MemoryEngine(read.frame, text=read.text))


def _draft(engine: MemoryEngine) -> Draft:
    coded = engine.codes([name for name in engine.names if name not in engine.sealed])
    return in_company(drafted(sketches(engine, coded)), list(coded.values()))
