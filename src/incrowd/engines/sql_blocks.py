"""Distinct rows of a release, counted in blocks: all at once they may not fit into memory.

A line is a distinct row of cells and codes with its count. Cells are numbered in the database, so
that lines travel as whole numbers. Lines whose first cells, once cleared, are equal are in one
block.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from incrowd.arrays import Codes
from incrowd.engines.base import Clearing
from incrowd.engines.sql import SqlColumn, counting_query
from incrowd.engines.sql_keys import PackedKeys
from incrowd.table.counted import CountedRows

if TYPE_CHECKING:
    from incrowd.engines.sql_counting import SqlCounting

BLOCK = 2**20
"""About so many lines are in a block."""
_PLAIN = {"text", "other"}
"""Cells that are equal if a database says so; zeros of floats have signs."""


@dataclass(frozen=True, eq=False)
class BlockQuery:
    """The cells and codes that are counted in blocks, and their rows."""

    cells: Mapping[str, SqlColumn]
    """By name: the cells, under the names that they have in statements."""
    codes: Mapping[str, tuple[str, int]]
    """By name: an expression for a code, and how many codes there are."""
    of: str
    """The text after FROM in a statement."""
    key: int
    """How many cells, the first ones, decide a row's block."""
    clear: Clearing

    @property
    def plain(self) -> bool:
        """Whether all cells are of kinds that can be numbered."""
        return all(column.cells in _PLAIN for column in self.cells.values())


def count_in_blocks(engine: "SqlCounting", lines: BlockQuery) -> Iterator[CountedRows]:
    """Yield counted distinct rows in blocks (in one if not `plain`), by way of a table `lines`."""
    if not lines.plain:
        codes = {name: code for name, (code, _) in lines.codes.items()}
        yield engine.count_distinct(list(lines.cells.values()), list(lines.cells), codes, lines.of)
        return
    numbered = [_number_cells(engine, lines, j) for j in range(len(lines.cells))]
    key, rest, of = _pack_keys(engine, lines, numbered)
    keys = [*zip(key.expressions(_code_expressions(numbered[: lines.key])), key.names, strict=True)]
    more = [
        *_code_expressions(numbered[lines.key :]),
        *(f"shown.h{j}" for j in range(len(lines.codes))),
    ]
    keys += [*zip(rest.expressions(more), rest.names, strict=True)]
    engine.database.make("lines", counting_query(keys, of))
    number = -(-engine.query_number("SELECT count(*) AS n FROM lines") // BLOCK) | 1
    block = f"({' + '.join(f'{name} % {number}' for name in key.names)}) % {number}"
    for b in range(number):
        found = engine.database.rows(f"SELECT * FROM lines WHERE {block} = {b}")
        yield _unpack(lines, numbered, (key, rest), found)
    engine.database.drop("lines")


def _pack_keys(
    engine: "SqlCounting", lines: BlockQuery, numbered: list["_SqlNumbers"]
) -> tuple[PackedKeys, PackedKeys, str]:
    """The keys that decide blocks, those of other cells and codes, and the text after FROM."""
    sizes = [len(one.values) for one in numbered]
    held = [size for _, size in lines.codes.values()]
    shown = [f"{column.name} AS s{j}" for j, column in enumerate(lines.cells.values())]
    shown += [f"{code} AS h{j}" for j, (code, _) in enumerate(lines.codes.values())]
    same = engine.database.equality
    joins = (f"JOIN {one.table} ON {same(f'{one.table}.value', one.cell)}" for one in numbered)
    of = f"(SELECT {', '.join(shown)} FROM {lines.of}) shown {' '.join(joins)}"
    key = PackedKeys(tuple(sizes[: lines.key]))
    return key, PackedKeys((*sizes[lines.key :], *held), "rest"), of


@dataclass(frozen=True, eq=False)
class _SqlNumbers:
    """A column whose cells have numbers, in a table of the database."""

    table: str
    """The table, with columns `value` and `code`."""
    cell: str
    """The expression of the cell that it is joined to."""
    values: pl.Series
    """The cell that each number stands for, null where missing; texts are unique."""

    def cells(self, numbers: Codes) -> pl.Series:
        """The cells that these numbers stand for; texts as an Enum."""
        if self.values.dtype != pl.String:
            return self.values.gather(numbers)
        return self.values.cast(pl.Enum(self.values.drop_nulls())).gather(numbers)


def _code_expressions(numbered: list[_SqlNumbers]) -> list[str]:
    """The expressions of the numbers that stand for the cells of these columns."""
    return [f"{one.table}.code" for one in numbered]


def _number_cells(engine: "SqlCounting", lines: BlockQuery, j: int) -> _SqlNumbers:
    """Store a number per cell of column j; cells that `clear` makes equal texts share one."""
    name, column = list(lines.cells.items())[j]
    found = engine.database.rows(
        f"SELECT {column.name} AS value FROM {lines.of} GROUP BY {column.name}"
    )["value"]
    shown = lines.clear(found.alias(name).to_frame()).to_series()
    if shown.dtype == pl.String:
        values = shown.unique(maintain_order=True)
        code = pl.DataFrame({"value": values, "code": np.arange(len(values), dtype=np.int64)})
        told = shown.alias("value").to_frame()
        told = told.join(code, on="value", how="left", nulls_equal=True, maintain_order="left")
        codes = told["code"]
    else:
        values, codes = shown, pl.Series("code", np.arange(len(shown), dtype=np.int64))
    engine.database.put(f"number{j}", pl.DataFrame([found, codes]))
    return _SqlNumbers(f"number{j}", f"shown.s{j}", values.alias(name))


def _unpack(
    lines: BlockQuery,
    numbered: list[_SqlNumbers],
    packed: tuple[PackedKeys, PackedKeys],
    found: pl.DataFrame,
) -> CountedRows:
    """The counted rows of a block, with cells and codes in place of packed keys."""
    codes = np.empty((len(numbered) + len(lines.codes), len(found)), dtype=np.int32)
    key, rest = packed
    key.unpack([found[name].to_numpy() for name in key.names], codes[: lines.key])
    rest.unpack([found[name].to_numpy() for name in rest.names], codes[lines.key :])
    cells = [one.cells(codes[j]) for j, one in enumerate(numbered)]
    held = dict(zip(lines.codes, codes[len(numbered) :], strict=True))
    return CountedRows(pl.DataFrame(cells), found["n"].to_numpy().astype(np.int64), held)
