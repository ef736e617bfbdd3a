"""Tables that live elsewhere than in memory: which engine takes what kind of source."""

from importlib import import_module
from types import ModuleType
from typing import Any

import polars as pl

from incrowd.engines.addresses import is_address
from incrowd.engines.base import Engine, NewTable

ENGINES = ("duckdb", "postgresql", "spark", "ibis", "lazy")
"""Modules of this folder, each with `accepts(source)`, which loads no library to find out, and
`engine_of(source)`."""


def engine_of(source: Any) -> Engine | None:
    """The engine that takes this source; None if it is a frame or file that is read into memory."""
    module = _taker(source)
    if module is None:
        return None
    engine: Engine = module.engine_of(source)
    return engine


def takes(source: Any) -> bool:
    """Whether a source is a table that lives elsewhere."""
    return _taker(source) is not None


def like(source: Any, rows: pl.DataFrame) -> Any:
    """Rows made in memory of a source elsewhere, in its kind of table if that can hold them.

    A module says how with `like(source, rows)`; otherwise they stay a Polars frame.
    """
    made = getattr(_taker(source), "like", None)
    return rows if made is None else made(source, rows)


def _taker(source: Any) -> ModuleType | None:
    modules = (import_module(f"incrowd.engines.{name}") for name in ENGINES)
    return next((module for module in modules if module.accepts(source)), None)


def target_of(target: Any, engine: Engine) -> NewTable | None:
    """The new table that a target names; None for all else. Refuses what cannot be released there.

    Such a table is of the database that the engine's rows are in.
    """
    if not is_address(target):
        return None
    module = import_module("incrowd.engines.postgresql")
    found: NewTable = module.target_of(target, engine)
    return found
