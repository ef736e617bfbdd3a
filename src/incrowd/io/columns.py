"""Some columns of a delimited text, read by Polars alone and without a look at the others.

Quicker than `batches`, which checks every record: for what was checked already, as a file that was
just written, or for what will be, as a sample of a file that is read again.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from incrowd.errors import InputError, boundary
from incrowd.io.tables import Form


def is_plain(path: str | os.PathLike[str], form: Form, names: Sequence[str]) -> bool:
    """Whether Polars finds these columns in this order in a text in UTF-8 that has a header."""
    if form.format != "csv" or form.compression is not None:
        return False
    try:
        with _boundary():
            return _scanned(path, form).collect_schema().names() == list(names)
    except InputError:
        return False


def columns_of(
    path: str | os.PathLike[str], form: Form, names: Sequence[str]
) -> Iterator[pl.DataFrame]:
    """These columns of a text that has a header, as texts, batch by batch in their order."""
    with _boundary():
        frames = iter(_scanned(path, form).select(names).collect_batches(maintain_order=True))
    while True:
        with _boundary():
            frame = next(frames, None)
        if frame is None:
            return
        yield frame


def _scanned(path: str | os.PathLike[str], form: Form) -> pl.LazyFrame:
    return pl.scan_csv(Path(path), separator=form.delimiter, infer_schema=False)


@contextmanager
def _boundary() -> Iterator[None]:
    with boundary(InputError("the file cannot be read", remedy="check its quotes and encoding")):
        yield
