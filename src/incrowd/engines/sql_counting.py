"""Rows of a table in a database, counted where they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.engines.sql import SqlColumn, as_tuple, counting_query, without_nan
from incrowd.engines.sql_coding import SqlCoding, codes_of_answer
from incrowd.engines.sql_keys import PackedKeys
from incrowd.table.cells import select_columns
from incrowd.table.column import CodedColumn
from incrowd.table.counted import CountedRows
from incrowd.table.fold import fold
from incrowd.table.tally import Tally

_DRAWN = "(row % 1000003) * 2654435761 % 4294967296"
"""A number below 2**32 that spreads rows evenly: what a sample is drawn by."""
_ENOUGH, _SPARE = 1.05, 1000
"""How many times as many rows as a sample has are sorted, and how many more."""


class SqlCounting(SqlCoding):
    """A table in a database whose rows are counted."""

    def counts(
        self,
        columns: Sequence[str] = (),
        coded: Sequence[CodedColumn] = (),
        unit: CodedColumn | None = None,
        complete: Sequence[CodedColumn] = (),
    ) -> CountedRows:
        """Count the distinct rows of these columns, codes and people, as `Engine.counts` says."""
        found = self._count_lines((*coded, *as_tuple(unit)), complete, columns)
        person = None if unit is None else found.codes[unit.name]
        codes = {column.name: found.codes[column.name] for column in coded}
        return replace(found, codes=codes, unit=person)

    def sample(
        self, columns: Sequence[str], records: int, unit: CodedColumn | None = None
    ) -> pl.DataFrame:
        """At most this many records, always the same; with `unit` only one of each known person."""
        shown = ", ".join(f"{self.cell(name)} AS s{j}" for j, name in enumerate(columns))
        limit = min(2**32, round(2**32 * (_ENOUGH * records + _SPARE) / max(self.records, 1)))
        of = f"source WHERE {_DRAWN} < {limit}"
        if unit is not None:
            of += f" AND row IN (SELECT min(row) FROM {self._rows_by_person(unit)})"
        found = self.database.rows(
            f"SELECT {shown} FROM {of} ORDER BY {_DRAWN}, row LIMIT {records}"
        )
        return _with_names(found, columns)

    def coded_sample(self, coded: Sequence[CodedColumn], records: int) -> dict[str, CodedColumn]:
        """These columns with the codes of at most this many records, drawn as `sample` does."""
        rows = self.sample([one.name for one in coded], records)
        return {
            one.name: CodedColumn(one.name, self.codes_of_cells(one, rows[one.name]), one.domain)
            for one in coded
        }

    def class_sizes(self, columns: Sequence[str]) -> tuple[Counts, Counts]:
        """Each size of a class of records equal in these columns, and how many classes have it."""
        keys = [(without_nan(self.column(name)), f"s{j}") for j, name in enumerate(columns)]
        found = self.database.rows(
            "SELECT classes.n AS size, count(*) AS n "
            f"FROM ({counting_query(keys, 'source')}) classes GROUP BY classes.n ORDER BY classes.n"
        )
        size, number = (found[name].to_numpy().astype(np.int64) for name in ("size", "n"))
        return size[size > 0], number[size > 0]

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The records with these columns, in the order of their numbers, in one or more frames."""
        shown = ", ".join(f"{self.cell(name)} AS s{j}" for j, name in enumerate(columns))
        query, some = f"SELECT {shown} FROM source ORDER BY row", False
        for batch in self.database.batches(query):
            some = True
            yield _with_names(batch, columns)
        if not some:
            yield _with_names(self.database.rows(f"{query} LIMIT 0"), columns)

    def _rows_by_person(self, unit: CodedColumn) -> str:
        """The text after FROM that groups records by person; those that name nobody stay apart."""
        if not self.database.joins:
            cell = self.cell(unit.name)
            return f"source GROUP BY {cell}, CASE WHEN {cell} IS NULL THEN row END"
        joined = self.join_codes((unit,))
        code = joined.code_expression(unit.name)
        return f"{joined.text} GROUP BY CASE WHEN {code} = 0 THEN -1 - row ELSE {code} END"

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
        whole = quasi if complete else ()
        if unit is None and weight is None and self.database.joins:
            return self._sorted_tally(quasi, sensitive, whole)
        lines = self._count_lines((*quasi, *sensitive, *as_tuple(unit)), whole, weight=weight)
        return fold(
            [lines.codes[column.name] for column in quasi],
            [lines.codes[column.name] for column in sensitive],
            None if unit is None else lines.codes[unit.name],
            lines.weights,
            records=lines.records,
        )

    def _sorted_tally(
        self,
        quasi: Sequence[CodedColumn],
        sensitive: Sequence[CodedColumn],
        complete: Sequence[CodedColumn],
    ) -> Tally:
        """Coded rows of records without gaps in `complete`; the database sorts, to save memory."""
        coded = (*quasi, *sensitive)
        keys = PackedKeys(tuple(len(column.domain) + 1 for column in coded))
        joined = self.join_codes(tuple({column.name: column for column in coded}.values()))
        packed = keys.expressions([joined.code_expression(column.name) for column in coded])
        of = f"{joined.text} {joined.where_clause(column.name for column in complete)}"
        self.database.make(
            "tallied", counting_query(list(zip(packed, keys.names, strict=True)), of)
        )
        rows = self.query_number("SELECT count(*) AS n FROM tallied")
        codes, counts = np.empty((len(coded), rows), dtype=np.int32), np.empty(rows, dtype=np.int64)
        done = 0
        named = ", ".join(keys.names)
        for batch in self.database.batches(f"SELECT {named}, n FROM tallied ORDER BY {named}"):
            here = slice(done, done + len(batch))
            keys.unpack([batch[name].to_numpy() for name in keys.names], codes[:, here])
            counts[here] = batch["n"].to_numpy()
            done = here.stop
        self.database.drop("tallied")
        nobody = np.empty(0, dtype=np.int32)
        return Tally(codes[: len(quasi)], codes[len(quasi) :], counts, counts, nobody, nobody)

    def tally_of_sample(
        self,
        quasi: Sequence[CodedColumn],
        sensitive: Sequence[CodedColumn],
        records: int,
        *,
        complete: bool = False,
    ) -> Tally:
        """The tally of drawn records; with `complete` of those that lack no quasi-identifier."""
        every = {column.name: column for column in (*quasi, *sensitive)}
        rows = self.sample(tuple(every), records)
        codes = {name: self.codes_of_cells(column, rows[name]) for name, column in every.items()}
        there = np.ones(len(rows), dtype=np.bool_)
        for column in quasi if complete else ():
            there &= codes[column.name] != 0
        return fold(
            [codes[column.name][there] for column in quasi],
            [codes[column.name][there] for column in sensitive],
        )

    def count_distinct(  # noqa: PLR0913  cells, codes, and where they are
        self,
        cells: Sequence[SqlColumn],
        names: Sequence[str],
        codes: Mapping[str, str],
        of: str,
        *,
        unit: str | None = None,
        classes: str | None = None,
        weight: str | None = None,
    ) -> CountedRows:
        """Count the distinct rows of cells and codes; 0.0 and -0.0 differ, since readers see that.

        `names` are those of the cells, and `of` is the text after FROM. `codes` (by name), `unit`,
        `classes` and `weight`, which is summed, are expressions.
        """
        keys = self._cell_keys(cells)
        keys += [(code, f"k{j}") for j, code in enumerate(codes.values())]
        keys += [(said, key) for key, said in (("u", unit), ("class", classes)) if said]
        sums = [] if weight is None else [f"sum({weight}) AS weight"]
        found = self.database.rows(counting_query(keys, of, sums))
        return CountedRows(
            pl.DataFrame([_with_zero_signs(found, j).alias(name) for j, name in enumerate(names)]),
            found["n"].to_numpy().astype(np.int64),
            {name: codes_of_answer(found[f"k{j}"]) for j, name in enumerate(codes)},
            None if unit is None else codes_of_answer(found["u"]),
            None if classes is None else codes_of_answer(found["class"]),
            None if weight is None else found["weight"].to_numpy().astype(np.float64),
        )

    def count_cells(self, cell: SqlColumn, name: str, of: str) -> Iterator[CountedRows]:
        """Yield the distinct cells of a column, called `name`, and their counts, batch by batch."""
        for found in self.database.batches(counting_query(self._cell_keys([cell]), of)):
            records = found["n"].to_numpy().astype(np.int64)
            yield CountedRows(_with_zero_signs(found, 0).alias(name).to_frame(), records)

    def _cell_keys(self, cells: Sequence[SqlColumn]) -> list[tuple[str, str]]:
        """Keys to group by: cells s0, s1, … and, for floats, z0, z1, …, true if it is -0.0."""
        keys = [(cell.name, f"s{j}") for j, cell in enumerate(cells)]
        return keys + [
            (self.database.negative_zero_test(cell.name), f"z{j}")
            for j, cell in enumerate(cells)
            if cell.cells == "float"
        ]

    def _count_lines(
        self,
        coded: Sequence[CodedColumn],
        complete: Sequence[CodedColumn] = (),
        cells: Sequence[str] = (),
        weight: str | None = None,
    ) -> CountedRows:
        """Count codes and cells of records that lack none of `complete`; sum a `weight`."""
        if not self.database.joins:
            return self._count_lines_here(coded, complete, cells, weight)
        given = {column.name: column for column in (*coded, *complete)}
        joined = self.join_codes(tuple(given.values()))
        of, where = joined.text, joined.where_clause(column.name for column in complete)
        weighing = None if weight is None else self.put_weights(weight)
        if weighing is not None:
            of += f" {weighing.join}"
        return self.count_distinct(
            [self.column(name) for name in cells],
            cells,
            {column.name: joined.code_expression(column.name) for column in coded},
            f"{of} {where}",
            weight=None if weighing is None else f"{weighing.table}.code",
        )

    def _count_lines_here(
        self,
        coded: Sequence[CodedColumn],
        complete: Sequence[CodedColumn],
        cells: Sequence[str],
        weight: str | None,
    ) -> CountedRows:
        """As `_count_lines`, for a database without joined codes: counted cells are coded here."""
        given = {column.name: column for column in (*coded, *complete)}
        names = tuple(dict.fromkeys((*given, *cells, *([] if weight is None else [weight]))))
        found = self.count_distinct([self.column(name) for name in names], names, {}, "source")
        codes = {
            name: self.codes_of_cells(column, found.cells[name]) for name, column in given.items()
        }
        weights = None
        if weight is not None:
            column, worth = self.coded_weights(weight)
            weights = worth[self.codes_of_cells(column, found.cells[weight])] * found.records
        lines = CountedRows(
            select_columns(found.cells, cells),
            found.records,
            {column.name: codes[column.name] for column in coded},
            weights=weights,
        )
        there = np.logical_and.reduce([codes[column.name] != 0 for column in complete])
        return lines if not complete else lines.take_lines(np.flatnonzero(there))


def _with_zero_signs(found: pl.DataFrame, j: int) -> pl.Series:
    """The cells s<j>, with -0.0 where z<j> says so: grouping may forget the sign of a zero."""
    cells, sign = found[f"s{j}"], f"z{j}"
    if sign not in found.columns:
        return cells
    zero = pl.lit(-0.0, dtype=cells.dtype)
    return found.select(pl.when(pl.col(sign)).then(zero).otherwise(cells)).to_series()


def _with_names(found: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """A frame with the columns s0, s1, … renamed to these names."""
    return pl.DataFrame([found[f"s{j}"].alias(name) for j, name in enumerate(names)])
