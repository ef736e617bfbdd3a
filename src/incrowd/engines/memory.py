"""Frames in memory: pandas, Polars and PyArrow."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, assert_never

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from incrowd.arrays import MISSING, SUPPRESSED, Codes, Counts, Floats, Texts
from incrowd.engines.bare import bare_arrow, bare_pandas, bare_polars
from incrowd.engines.base import Can, RowPlan
from incrowd.engines.memory_release import MemoryStaged, polars_of
from incrowd.errors import InputError, PolicyError, boundary, count_of
from incrowd.recoding.column_cells import ByClass, ByValue, Cell, ClassNumber, Keep, Within
from incrowd.recoding.recoding import classes_of_records
from incrowd.table.cells import select_columns, text_of, with_nulls
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.counted import CountedRows, count_rows
from incrowd.table.decode import decode
from incrowd.table.encode import columns_without_codes, encode, sealed_content, to_polars
from incrowd.table.fold import fold, in_threads
from incrowd.table.names import name_remedy
from incrowd.table.tally import Tally

_KINDS = (nw.Implementation.PANDAS, nw.Implementation.POLARS, nw.Implementation.PYARROW)


class MemoryEngine:
    """A frame of pandas, Polars or PyArrow; `InputError` for other tables and unusable names."""

    name = "memory"
    can = frozenset({Can.ORDER})

    def __init__(self, frame: Any, *, text: bool = False) -> None:
        _refuse_unusable_names(frame)
        with boundary(InputError("the frame cannot be read")):
            self._frame = _as_narwhals(frame)
        self.text = text
        """Whether it was read from a text file, so that numbers and dates are still to be found."""

    def __repr__(self) -> str:
        """The numbers of records and columns, without any value."""
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
        """The columns whose cells incrowd cannot look into, with what they hold (lists, bytes)."""
        found = {name: sealed_content(self._frame[name]) for name in self.names}
        return {name: what for name, what in found.items() if what}

    @property
    def uncodable_columns(self) -> tuple[str, ...]:
        """The columns that cannot be coded: those of lists and structures."""
        return columns_without_codes(self.sealed)

    def series(self, name: str) -> pl.Series:
        """One column as a Polars series, cells as they are; `PolicyError` if there is none."""
        return to_polars(self._column(name))

    def code(
        self, name: str, kind: Kind | None = None, missing_values: Sequence[str] = ()
    ) -> CodedColumn:
        """One column as codes, in the order of values; `InputError` for lists, or another kind."""
        return encode(
            self._column(name), name, kind, infer=self.text, missing_values=missing_values
        )

    def codes(
        self,
        names: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        missing_values: Sequence[str] = (),
    ) -> dict[str, CodedColumn]:
        """Several columns as codes by name, one code per record; they are coded in threads."""
        given = kinds or {}
        tasks = [partial(self.code, name, given.get(name), missing_values) for name in names]
        return dict(zip(names, in_threads(tasks), strict=True))

    def weights(self, name: str) -> Floats:
        """The weight of each record by this column; `InputError` unless all are 0 or more."""
        column = self._code_weights(name)
        values = weight_of_codes(column)[column.codes]
        wrong = ~(values >= 0)
        refuse_weights(name, int(wrong.sum()), f" (first at row {wrong.argmax() + 1})")
        return values

    def _code_weights(self, name: str) -> CodedColumn:
        """The column as codes of numbers; an `InputError` on weights if a cell is no number."""
        try:
            return self.code(name, Kind.NUMBER)
        except InputError as error:
            if name in self.uncodable_columns or self.code(name).domain.kind is Kind.NUMBER:
                raise
            refusal = weights_error(error)
        raise refusal

    def unit_codes(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """The column of people as codes, equal for records of one person, 0 where it is missing."""
        kind = Kind.TEXT if self.text else None
        return self.code(name, kind, missing_values)

    def text_codes(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """A column coded by the text of its cells, also where these are numbers or dates."""
        cells = with_nulls(select_columns(self.rows, [name]), missing_values, text=self.text)[name]
        return coded_texts(cells, name)

    def frequency(self, column: CodedColumn) -> Counts:
        """Records per code of a column: shape (values + 1,), entry 0 counts the missing."""
        return np.bincount(column.codes, minlength=len(column.domain) + 1).astype(np.int64)

    def counts(
        self,
        columns: Sequence[str] = (),
        coded: Sequence[CodedColumn] = (),
        unit: CodedColumn | None = None,
        complete: Sequence[CodedColumn] = (),
    ) -> CountedRows:
        """Count distinct rows of columns, codes and people, as `Engine.counts` says."""
        cells, there = select_columns(self.rows, columns), self._complete_records(complete)
        codes = {column.name: column.codes for column in coded}
        person = None if unit is None else unit.codes
        if there is not None:
            cells = cells[there] if columns else cells
            codes = {name: column[there] for name, column in codes.items()}
            person = None if person is None else person[there]
        with boundary(
            InputError(
                "the records cannot be counted", remedy="use numbers, dates or text as cells"
            )
        ):
            return count_rows(cells, codes, person)

    def sample(
        self, columns: Sequence[str], records: int, unit: CodedColumn | None = None
    ) -> pl.DataFrame:
        """At most this many records, always the same; with `unit` only one of each known person."""
        every = np.arange(self.records)
        if unit is not None:
            first = np.unique(unit.codes, return_index=True)[1]
            every = np.union1d(np.flatnonzero(unit.codes == 0), first)
        return select_columns(self.rows, columns)[_draw_some(every, records)]

    def coded_sample(self, coded: Sequence[CodedColumn], records: int) -> dict[str, CodedColumn]:
        """These columns with the codes of at most this many records, drawn with a fixed seed."""
        some = _draw_some(np.arange(self.records), records)
        return {one.name: CodedColumn(one.name, one.codes[some], one.domain) for one in coded}

    def class_sizes(self, columns: Sequence[str]) -> tuple[Counts, Counts]:
        """Each size of a class of records equal in these columns, and how many classes have it."""
        cells = [self.rows[name].rename(f"cell {j}") for j, name in enumerate(columns)]
        plain = [cell.fill_nan(None) if cell.dtype.is_float() else cell for cell in cells]
        with boundary(InputError("the records cannot be compared", remedy="name other columns")):
            found = pl.DataFrame(plain).group_by(pl.all()).len()["len"].to_numpy()
        sizes, classes = np.unique(found.astype(np.int64), return_counts=True)
        return sizes, classes.astype(np.int64)

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """All records with these columns, in a single batch."""
        yield select_columns(self.rows, columns)

    def tally(
        self,
        quasi: Sequence[CodedColumn],
        sensitive: Sequence[CodedColumn],
        unit: CodedColumn | None = None,
        weight: str | None = None,
        *,
        complete: bool = False,
    ) -> Tally:
        """The distinct coded rows; with `complete` of records that lack no quasi-identifier."""
        there = self._complete_records(quasi if complete else ())
        every: slice | Counts = slice(None) if there is None else there
        return fold(
            [column.codes[every] for column in quasi],
            [column.codes[every] for column in sensitive],
            None if unit is None else unit.codes[every],
            None if weight is None else self.weights(weight)[every],
        )

    def stage(self, plan: RowPlan, draw: np.random.Generator) -> MemoryStaged:
        """Make the rows that are to leave, in the kind of frame that came in.

        What is drawn comes from one stream, in this order: which of equal records go into which
        class, the order of records, who changes places with whom.
        """
        classes = self._draw_classes(plan, draw)
        kept = np.flatnonzero(classes >= 0)
        take = kept if plan.keep_order else kept[draw.permutation(len(kept))]
        moving = any(isinstance(cell, Within) for cell in plan.cells.values())
        moved = _draw_places(classes, draw) if moving else None
        frame = self.build_frame(plan.cells, take, classes, moved)
        return MemoryStaged(self, plan, frame, classes, take)

    def close(self) -> None:
        """Do nothing: a frame in memory holds nothing open."""

    def build_frame(
        self,
        cells: Mapping[str, Cell],
        take: Counts,
        classes: Codes | None = None,
        moved: Counts | None = None,
    ) -> Any:
        """Build a frame, of the kind that came in, of the cells that the records `take` show.

        `take` holds numbers of records, in the order of the frame. `classes` is the class of each
        record of the table, class 0 for all if not given; `moved` is the record whose cells each
        record shows where cells change places. Nothing but cells leaves (see `bare`).
        """
        of = np.zeros(self.records, dtype=np.int32) if classes is None else classes
        with boundary(InputError("incrowd cannot build the released rows in this kind of frame")):
            columns = (self._cells_of(name, cell, of, take, moved) for name, cell in cells.items())
            return native_frame(self._frame, columns)

    def _draw_classes(self, plan: RowPlan, draw: np.random.Generator) -> Codes:
        """Draw the class of each record of the table; a record that is left out has class -1."""
        row_of, pieces = plan.tally.row_of, plan.pieces
        assert row_of is not None  # noqa: S101  a tally made in memory has its records
        there = self._complete_records(plan.coded[: plan.quasi] if plan.complete else ())
        found = classes_of_records(row_of, pieces, draw)
        if there is None:
            return found
        classes = np.full(self.records, SUPPRESSED, dtype=np.int32)
        classes[there] = found
        return classes

    def _complete_records(self, complete: Sequence[CodedColumn]) -> Counts | None:
        """The numbers of records that lack none of these columns; None (all) without columns."""
        if not complete:
            return None
        whole = np.logical_and.reduce([column.codes != MISSING for column in complete])
        return np.flatnonzero(whole).astype(np.int64)

    def _cells_of(
        self, name: str, cell: Cell, classes: Codes, take: Counts, moved: Counts | None
    ) -> "nw.Series[Any]":
        """The cells that a column shows for the records `take`; arguments as in `build_frame`."""
        match cell:
            case Keep():
                return self._column(name)[take]
            case Within():
                places = np.arange(self.records) if moved is None else moved
                return self._column(name)[places[take]]
            case ByValue(column, labels, original):
                return decode(self._column(name), labels, column.codes, take, exact=original)
            case ByClass(labels, typed=True):
                return self._new_column(name, labels[classes[take]])
            case ByClass(labels, original, value):
                exact = original if value is None else _first_records(*value)
                return decode(self._column(name), labels, classes, take, exact=exact)
            case ClassNumber():
                return self._new_column(name, _numbers_of_classes(classes[take]))
            case _:
                assert_never(cell)

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The frame as one of Polars."""
        return polars_of(self._frame)

    def _new_column(self, name: str, values: Counts | Texts) -> "nw.Series[Any]":
        """Values as a column of the frame's library; pandas gets integers with gaps as floats."""
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
        """The column of this name; `PolicyError`, with the nearest name, if there is none."""
        if name not in self.names:
            raise PolicyError(
                f"the table has no column {name!r}",
                remedy=name_remedy(name, self.names, listed=True),
            )
        return self._frame[name]


def _draw_some(every: Counts, records: int) -> Counts:
    """At most `records` of the record numbers in `every`, drawn with a fixed seed, ascending."""
    if len(every) <= records:
        return every
    return every[np.sort(np.random.default_rng(0).choice(len(every), records, replace=False))]


def weight_of_codes(column: CodedColumn) -> Floats:
    """The weight that each code of a column of numbers stands for; NaN for code 0, missing."""
    return np.concatenate([[np.nan], column.domain.positions])


def refuse_weights(name: str, wrong: int, where: str = "") -> None:
    """Raise `InputError` if so many weights are missing or negative; `where` ends its message."""
    if wrong:
        values = count_of(wrong, "value that is", "values that are")
        raise InputError(
            f"the weight column {name!r} holds {values} missing or negative{where}",
            remedy="give every record a weight of 0 or more",
        )


def weights_error(error: InputError) -> InputError:
    """The error, to be raised by the caller, for a column of weights whose cells are no numbers."""
    return InputError(
        f"weights must be numbers: {error.message}",
        remedy="name the column with the number of people that each record represents",
    )


def coded_texts(cells: pl.Series, name: str) -> CodedColumn:
    """A column coded by the text of its cells, texts in code-point order."""
    text = text_of(cells)
    labels = text.drop_nulls().unique().sort()
    codes = text.cast(pl.Enum(labels)).to_physical().cast(pl.Int32) + 1
    domain = Domain(Kind.TEXT, np.array(labels.to_list(), dtype=object))
    return CodedColumn(name, codes.fill_null(0).to_numpy().astype(np.int32, copy=False), domain)


def _draw_places(classes: Codes, draw: np.random.Generator) -> Counts:
    """Draw the record whose cells each record shows: one of its class; itself if it is left out."""
    moved = np.arange(len(classes), dtype=np.int64)
    kept = np.flatnonzero(classes >= 0)
    drawn = draw.permutation(kept)
    by_class = kept[np.argsort(classes[kept], kind="stable")]
    moved[by_class] = drawn[np.argsort(classes[drawn], kind="stable")]
    return moved


def _numbers_of_classes(classes: Codes) -> Counts:
    """The class of each row as 1, 2, … by appearance: the classes' own numbers may reveal more."""
    here, first, place = np.unique(classes, return_index=True, return_inverse=True)
    rank = np.empty(len(here), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(1, len(here) + 1)
    return rank[place]


def _first_records(column: CodedColumn, codes: Codes) -> Counts:
    """The first record that has each of these codes of the column; 0 for a code that none has."""
    record = np.zeros(len(column.domain) + 1, dtype=np.int64)
    record[column.codes[::-1]] = np.arange(len(column.codes) - 1, -1, -1)
    return record[codes]


_TYPES: dict[type, Any] = {
    int: nw.Int64,
    float: nw.Float64,
    dt.date: nw.Date,
    dt.datetime: nw.Datetime,
}
"""The type of an added column, by the type of its values."""


def _as_narwhals(frame: Any) -> "nw.DataFrame[Any]":
    """The frame as one of narwhals, collected if it is lazy; `InputError` for other tables."""
    found = nw.from_native(frame, pass_through=True)
    if isinstance(found, nw.LazyFrame) and found.implementation is nw.Implementation.POLARS:
        found = found.collect()
    if isinstance(found, nw.DataFrame) and found.implementation in _KINDS:
        return found
    raise InputError(
        f"incrowd cannot read a table of type {type(frame).__name__}",
        remedy="give a pandas or Polars DataFrame, or a PyArrow Table",
    )


def _refuse_unusable_names(frame: Any) -> None:
    """Refuse a frame whose column names are not text or not unique, as pandas allows."""
    with boundary(InputError("the columns of the frame cannot be read")):
        lazy = getattr(frame, "collect_schema", None)
        listed = lazy() if lazy is not None else getattr(frame, "columns", ())
        names = list(getattr(frame, "column_names", listed))
    if not all(isinstance(name, str) for name in names):
        raise InputError("column names must be text", remedy="rename the columns")
    refuse_repeated_names(names)


def refuse_repeated_names(names: Sequence[str]) -> None:
    """Refuse columns that share a name."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(
            f"{count_of(len(repeated), 'column name occurs', 'column names occur')} more than once:"
            f" {', '.join(map(repr, repeated))}",
            remedy="rename the columns",
        )


def native_frame(frame: "nw.DataFrame[Any]", columns: "Iterable[nw.Series[Any]]") -> Any:
    """A frame of the same library of these columns' cells alone, taken one by one (see `bare`)."""
    match frame.implementation:
        case nw.Implementation.PANDAS:
            return bare_pandas(column.to_native() for column in columns)
        case nw.Implementation.PYARROW:
            return bare_arrow((column.name, column.to_native()) for column in columns)
        case _:
            return bare_polars(column.to_native() for column in columns)
