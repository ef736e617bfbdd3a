"""Tables that live elsewhere than in memory: which engine takes what kind of source."""

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
    """The engine that reads this source; None if it is a frame or file that is read into memory."""
    module = _module_for(source)
    if module is None:
        return None
    engine: Engine = module.engine_of(source)
    return engine


def is_elsewhere(source: Any) -> bool:
    """Whether an engine reads this source where it is: no frame or file to read into memory."""
    return _module_for(source) is not None


def convert_like(source: Any, rows: "pl.DataFrame") -> Any:
    """These rows as the source's kind of table; as they are if its module cannot convert them."""
    made = getattr(_module_for(source), "convert_like", None)
    return rows if made is None else made(source, rows)


def _module_for(source: Any) -> ModuleType | None:
    """The module that accepts this source, or None; imports only those that fit by `ENGINES`."""
    modules_of = (f"{kind.__module__}." for kind in type(source).__mro__)
    texts = (source,) if isinstance(source, str) else tuple(modules_of)
    named = (name for name, signs in ENGINES.items() if any(one.startswith(signs) for one in texts))
    modules = (import_module(f"incrowd.engines.{name}") for name in named)
    return next((module for module in modules if module.accepts(source)), None)


def target_of(target: Any, engine: "Engine") -> "NewTable | None":
    """The new table that a target names, in the engine's database; None if it is no address.

    `PolicyError` if it is an address of another database, or of a table that exists.
    """
    if not is_address(target):
        return None
    module = import_module("incrowd.engines.postgresql")
    found: NewTable = module.target_of(target, engine)
    return found
