"""Columns seen by their distinct values, of which large tables have too many to look at all."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import polars as pl

from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, boundary
from incrowd.pii.look import Look
from incrowd.table.encode import encode
from incrowd.table.fold import in_threads

SAMPLE = 200_000
"""Distinct values of a column that are looked at, if its name says nothing."""
_SUSPECT = 1_000
_LIKE_IDENTIFIERS = (
    r"(?i)@|://|www\.|\bmrn\b|\bss[n#]|\b\d{3}[- ]\d{2}[- ]\d{4}\b"
    r"|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|\(\d{3}\) ?\d{3}|\b(?:19|20)\d\d-\d\d-\d\d\b"
)


def glimpses(
    engine: MemoryEngine, names: Iterable[str], all_of: Callable[[str], bool]
) -> list[Look]:
    """The looks of columns; `all_of` says by a column's name that all its values are looked at.

    Of other columns a seeded sample of the distinct values is looked at, and with it some of those
    that are written as identifiers are: one of them is enough to tell.
    """
    tasks = [partial(_glimpse, engine, name, whole=all_of(name)) for name in names]
    return in_threads(tasks)


def _glimpse(engine: MemoryEngine, name: str, *, whole: bool) -> Look:
    with boundary(InputError(f"the column {name!r} cannot be read", remedy="convert it to text")):
        cells = engine.series(name)
        values = cells.drop_nulls().unique(maintain_order=True)
    drawn = values if whole or len(values) <= SAMPLE else _drawn(values)
    column = encode(drawn, name, infer=engine.text)
    missing = drawn.filter(pl.Series(column.codes == 0))
    with boundary(InputError(f"the column {name!r} cannot be read", remedy="convert it to text")):
        there = len(cells) - cells.null_count() - _held(cells, missing)
    return Look(
        name,
        column.domain,
        there,
        distinct=len(column.domain) if len(drawn) == len(values) else len(values),
        sampled=len(drawn) < len(values),
    )


def _drawn(values: pl.Series) -> pl.Series:
    """A sample of the values, and some of those that are written as identifiers are."""
    rng = np.random.default_rng(0)
    places = rng.choice(len(values), SAMPLE, replace=False)
    if isinstance(values.dtype, pl.String):
        like = values.str.contains(_LIKE_IDENTIFIERS).arg_true()[:_SUSPECT].to_numpy()
        places = np.union1d(places, like)
    return values.gather(np.sort(places))


def _held(cells: pl.Series, few: pl.Series) -> int:
    """Records that hold one of these values."""
    return int(cells.is_in(few.implode()).sum()) if len(few) else 0
