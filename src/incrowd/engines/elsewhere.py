"""Tables that live elsewhere than in memory: which engine takes what kind of source."""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from incrowd.engines.addresses import POSTGRESQL, REMOTE, STORED, is_address

if TYPE_CHECKING:
    import polars as pl

    from incrowd.engines.base import Engine, NewTable

ENGINES = {
    "duckdb": ("duckdb.", "_duckdb.", STORED, *REMOTE),
    "postgresql": POSTGRESQL,
    "spark": ("pyspark.sql.",),
    "ibis": ("ibis.expr.types.",),
    "lazy": ("polars.lazyframe.",),
}
"""By module of this folder: how the texts begin that it may take, or the names of the modules that
its tables are of. Only then it is loaded and asked by `accepts(source)`, which loads no library;
`engine_of(source)` opens the table."""


def engine_of(source: Any) -> "Engine | None":
    """The engine that takes this source; None if it is a frame or file that is read into memory."""
    module = _taker(source)
    if module is None:
        return None
    engine: Engine = module.engine_of(source)
    return engine


def takes(source: Any) -> bool:
    """Whether a source is a table that lives elsewhere."""
    return _taker(source) is not None


def like(source: Any, rows: "pl.DataFrame") -> Any:
    """Rows made in memory of a source elsewhere, in its kind of table if that can hold them.

    A module says how with `like(source, rows)`; otherwise they stay a Polars frame.
    """
    made = getattr(_taker(source), "like", None)
    return rows if made is None else made(source, rows)


def _taker(source: Any) -> ModuleType | None:
    texts = tuple(_texts_of(source))
    named = (name for name, signs in ENGINES.items() if any(one.startswith(signs) for one in texts))
    modules = (import_module(f"incrowd.engines.{name}") for name in named)
    return next((module for module in modules if module.accepts(source)), None)


def _texts_of(source: Any) -> Iterator[str]:
    """An address itself; for a table the modules that its class and what it derives from are of."""
    if isinstance(source, str):
        yield source
    else:
        yield from (f"{kind.__module__}." for kind in type(source).__mro__)


def target_of(target: Any, engine: "Engine") -> "NewTable | None":
    """The new table that a target names; None for all else. Refuses what cannot be released there.

    Such a table is of the database that the engine's rows are in.
    """
    if not is_address(target):
        return None
    module = import_module("incrowd.engines.postgresql")
    found: NewTable = module.target_of(target, engine)
    return found
