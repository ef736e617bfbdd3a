"""Refusals of executors, told to the driver: Spark itself tells them as a traceback.

An executor stores its error in the folder that all of them share, as a table like all others of
ours, before its task fails. Only errors of incrowd are stored, which hold no cell.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl

from incrowd.errors import (
    IncrowdError,
    InfeasibleError,
    InputError,
    LimitError,
    PolicyError,
    raise_alone,
)

_KINDS = {kind.__name__: kind for kind in (InputError, LimitError, PolicyError)}
_SCHEMA = {"kind": pl.String, "message": pl.String, "remedy": pl.String, "proved": pl.Boolean}


@contextmanager
def store_refusals(folder: Path) -> Iterator[None]:
    """A block on an executor whose errors of incrowd are stored in this folder and raised again."""
    try:
        yield
    except IncrowdError as error:
        proved = getattr(error, "proved", None)
        row = (type(error).__name__, error.message, error.remedy, proved)
        with suppress(Exception):  # Spark tells that the task failed in any case
            folder.mkdir(exist_ok=True)
            made = folder / f"{secrets.token_hex(8)}.new"
            pl.DataFrame([row], schema=_SCHEMA, orient="row").write_parquet(made)
            made.rename(made.with_suffix(".parquet"))
        raise


@contextmanager
def raise_refusals(folder: Path) -> Iterator[None]:
    """A block on the driver, whose error becomes any one of those that executors stored, if any."""
    error: IncrowdError | None = None
    try:
        yield
    except Exception:
        error = _stored_refusal(folder)
        if error is None:
            raise
    if error is not None:
        raise_alone(error)


def _stored_refusal(folder: Path) -> IncrowdError | None:
    """Any one of the errors that executors stored in this folder; None if they stored none."""
    files = sorted(folder.glob("*.parquet"))
    if not files:
        return None
    kind, message, remedy, proved = pl.read_parquet(files[0]).row(0)
    if kind == InfeasibleError.__name__:
        return InfeasibleError(message, remedy=remedy, proved=proved)
    return _KINDS.get(kind, IncrowdError)(message, remedy=remedy)
