"""Frames in memory: pandas, Polars and PyArrow."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Floats, Texts
from incrowd.engines.bare import bare_arrow, bare_pandas, bare_polars
from incrowd.engines.base import Shown
from incrowd.errors import InputError, PolicyError, boundary, counted
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.decode import decode, texts_like
from incrowd.table.encode import BYTES, encode, sealed, to_polars
from incrowd.table.fold import in_threads
from incrowd.table.names import nearest

_KINDS = (nw.Implementation.PANDAS, nw.Implementation.POLARS, nw.Implementation.PYARROW)


class MemoryEngine:
    """A frame of pandas, Polars (lazy ones are collected) or PyArrow.

    `text` says that the frame was read from a text file: all its columns are text, and which of
    them are numbers or dates is to be found.
    """

    def __init__(self, frame: Any, *, text: bool = False) -> None:
        _refuse_names(frame)
        with boundary(InputError("the frame cannot be read")):
            self._frame = _narrow(frame)
        self._text = text

    def __repr__(self) -> str:
        """Without values."""
        return f"MemoryEngine({self.records} records, {len(self.names)} columns)"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(self._frame.columns)

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self._frame)

    @cached_property
    def sealed(self) -> Mapping[str, str]:
        """What the cells of columns hold that no program can see into, by name."""
        found = {name: sealed(self._frame[name]) for name in self.names}
        return {name: what for name, what in found.items() if what}

    @property
    def uncoded(self) -> tuple[str, ...]:
        """The columns whose cells have no codes: lists and structures."""
        return tuple(name for name, what in self.sealed.items() if what != BYTES)

    @property
    def text(self) -> bool:
        """Whether numbers and dates are still to be found among texts."""
        return self._text

    def series(self, name: str) -> pl.Series:
        """One column as it is."""
        return to_polars(self._column(name))

    def code(
        self, name: str, kind: Kind | None = None, missing_values: Sequence[str] = ()
    ) -> CodedColumn:
        """One column as codes, in the natural order of its values."""
        return encode(
            self._column(name), name, kind, infer=self._text, missing_values=missing_values
        )

    def codes(
        self,
        names: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        missing_values: Sequence[str] = (),
    ) -> dict[str, CodedColumn]:
        """Several columns as codes, side by side in threads."""
        given = kinds or {}
        tasks = [partial(self.code, name, given.get(name), missing_values) for name in names]
        return dict(zip(names, in_threads(tasks), strict=True))

    def weights(self, name: str) -> Floats:
        """A column of sampling weights: finite, at least 0."""
        column = self._numbers_of(name)
        values = np.concatenate([[np.nan], column.domain.positions])[column.codes]
        wrong = ~(values >= 0)
        if wrong.any():
            held = counted(int(wrong.sum()), "value that is", "values that are")
            raise InputError(
                f"the weight column {name!r} holds {held} missing or negative"
                f" (first at row {wrong.argmax() + 1})",
                remedy="give every record a weight of 0 or more",
            )
        return values

    def _numbers_of(self, name: str) -> CodedColumn:
        try:
            return self.code(name, Kind.NUMBER)
        except InputError as error:
            if name in self.uncoded or self.code(name).domain.kind is Kind.NUMBER:
                raise
            found = InputError(
                f"weights must be numbers: {error.message}",
                remedy="name the column that says how many people each record stands for",
            )
        raise found

    def units(self, name: str, missing_values: Sequence[str] = ()) -> Codes:
        """Which records belong to one person; 0 for a record that says nothing."""
        kind = Kind.TEXT if self._text else None
        return self.code(name, kind, missing_values).codes

    def release(  # noqa: PLR0913, PLR0917  what becomes of each kind of column
        self,
        shown: Mapping[str, Shown | Counts],
        class_of_record: Codes,
        order: Counts | None = None,
        dropped: Sequence[str] = (),
        pseudonyms: Mapping[str, Texts] | None = None,
        added: Mapping[str, Counts | Texts] | None = None,
    ) -> Any:
        """The rows that leave, in a frame of the kind that came in.

        Columns keep their order, and all but the shown ones and pseudonyms their type and values.
        Nothing else leaves (see `bare`). `order` is a permutation of the records that leave.
        """
        take = np.flatnonzero(class_of_record >= 0)
        take = take if order is None else take[order]
        names = pseudonyms or {}

        def cells(name: str) -> "nw.Series[Any]":
            column = self._column(name)
            if name in names:
                return texts_like(column, np.asarray(names[name], dtype=object)[take])
            if name in shown:
                what = shown[name]
                if isinstance(what, np.ndarray):
                    return column[what[take]]
                return decode(column, what[0], class_of_record, take, exact=what[1])
            return column[take]

        with boundary(InputError("the rows that leave cannot be built from this frame")):
            stay = [cells(name) for name in self.names if name not in set(dropped)]
            more = [self._added(name, every[take]) for name, every in (added or {}).items()]
            return _released(self._frame, [*stay, *more])

    def _added(self, name: str, values: Counts | Texts) -> "nw.Series[Any]":
        """A column of numbers or dates, as a series of the frame's library; None is missing."""
        cells = values.tolist()
        there = next((cell for cell in cells if cell is not None), 0)
        dtype = _TYPES[type(there)]
        gaps = any(cell is None for cell in cells)
        if gaps and self._frame.implementation is nw.Implementation.PANDAS and dtype == nw.Int64:
            dtype = nw.Float64
        made: nw.Series[Any] = nw.new_series(
            name, cells, dtype(), backend=self._frame.implementation
        )
        return made

    def _column(self, name: str) -> "nw.Series[Any]":
        if name not in self.names:
            raise PolicyError(
                f"the table has no column {name!r}", remedy=nearest(name, self.names, listed=True)
            )
        return self._frame[name]


_TYPES: dict[type, Any] = {
    int: nw.Int64,
    float: nw.Float64,
    dt.date: nw.Date,
    dt.datetime: nw.Datetime,
}
"""What a frame calls the values of added columns."""


def _narrow(frame: Any) -> "nw.DataFrame[Any]":
    found = nw.from_native(frame, pass_through=True)
    if isinstance(found, nw.LazyFrame) and found.implementation is nw.Implementation.POLARS:
        found = found.collect()
    if isinstance(found, nw.DataFrame) and found.implementation in _KINDS:
        return found
    raise InputError(
        f"a {type(frame).__name__} is not a table that can be read",
        remedy="give a DataFrame of pandas or Polars, or a Table of PyArrow",
    )


def _refuse_names(frame: Any) -> None:
    """Columns must have a name each; a frame of pandas may hold others."""
    with boundary(InputError("the columns of the frame cannot be read")):
        lazy = getattr(frame, "collect_schema", None)
        listed = lazy() if lazy is not None else getattr(frame, "columns", ())
        names = list(getattr(frame, "column_names", listed))
    if not all(isinstance(name, str) for name in names):
        raise InputError("column names must be text", remedy="rename the columns")
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(
            f"{counted(len(repeated), 'column name occurs', 'column names occur')} more than once: "
            f"{', '.join(map(repr, repeated))}",
            remedy="rename the columns",
        )


def _released(frame: "nw.DataFrame[Any]", columns: "Sequence[nw.Series[Any]]") -> Any:
    natives = [column.to_native() for column in columns]
    match frame.implementation:
        case nw.Implementation.PANDAS:
            return bare_pandas(natives)
        case nw.Implementation.PYARROW:
            return bare_arrow([(c.name, n) for c, n in zip(columns, natives, strict=True)])
        case _:
            return bare_polars(natives)
