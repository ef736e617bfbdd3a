"""How cells of PostgreSQL travel: in their own type if Polars has it, else as text.

The driver hands out some types as bytes that only PostgreSQL understands, and Polars has no
infinite dates, no dates before the year 1 and no numbers of more than 38 digits. Such cells travel
as the text that PostgreSQL writes for them. A release gets its cells back in the type of the table.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from incrowd.engines.sql import Cells, SqlColumn, quote

ALIAS = "incrowd_rows"
"""The name of a table in statements that read it."""
CATALOG = """
WITH RECURSIVE found AS (
    SELECT attnum, attname, atttypid AS type, atttypmod AS modifier, false AS domain
    FROM pg_catalog.pg_attribute WHERE attrelid = {table} AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT attnum, attname, typbasetype, typtypmod, true
    FROM found JOIN pg_catalog.pg_type t ON t.oid = found.type WHERE typtype = 'd'
)
SELECT attname::text AS name, typname::text AS type, nspname = 'pg_catalog' AS own,
    typtype::text AS sort, typcategory::text AS category,
    pg_catalog.format_type(found.type, modifier) AS kind, domain
FROM found JOIN pg_catalog.pg_type t ON t.oid = found.type
JOIN pg_catalog.pg_namespace n ON n.oid = typnamespace
WHERE typtype <> 'd' ORDER BY attnum
"""
"""The columns of a table with their types; those of domains are the types that they are made of."""

_DIGITS = 38
"""Polars holds numbers of so many decimal digits."""
_NATIVE: Mapping[str, Cells] = {
    **dict.fromkeys(("bool", "int2", "int4", "int8"), "other"),
    **dict.fromkeys(("float4", "float8"), "float"),
    "bytea": "bytes",
}
_DATES = ("date", "timestamp", "timestamptz")
_NESTED = ("json", "jsonb")


class Stored(NamedTuple):
    """A column as the catalog of the database describes it."""

    name: str
    type: str
    """The name of the type in the catalog, such as `int4`."""
    own: bool
    """Whether the type is one of PostgreSQL itself, not of an extension or a user."""
    sort: str
    """The letter of `typtype`: c for rows, m for multiranges and so on."""
    category: str
    """The letter of `typcategory`: A for arrays and so on."""
    kind: str
    """The type as it is written in statements."""
    domain: bool
    """Whether the column's own type is a domain; `type` and `kind` are its base type."""

    @property
    def cell(self) -> str:
        """The expression of the column's cell, cast to the base type if its type is a domain."""
        cell = f"{ALIAS}.{quote(self.name)}"
        return f"CAST({cell} AS {self.kind})" if self.domain else cell

    @property
    def digest_text(self) -> str:
        """The expression of the cell's text for digests; equal numbers have equal texts."""
        number = self.own and self.type == "numeric"
        return f"CAST({f'trim_scale({self.cell})' if number else self.cell} AS text)"

    @property
    def survey_aggregates(self) -> Mapping[str, str]:
        """The aggregates, by name, whose values decide how the column's cells travel."""
        if not self.own:
            return {}
        if self.type == "numeric":
            return {
                "largest": f"max(abs({self.cell}))::text",
                "scale": f"max(scale({self.cell}))",
            }
        if self.type in _DATES:
            far = f"{self.cell} < '0001-01-01' OR {self.cell} >= '10000-01-01'"
            return {"far": f"coalesce(bool_or({far}), false)"}
        return {}


class Carried(NamedTuple):
    """A column as it travels."""

    stored: Stored
    facts: Mapping[str, Any]
    """The values of the aggregates in `Stored.survey_aggregates`, by name."""

    @property
    def column(self) -> SqlColumn:
        """The column as statements know it: its name and the kind of cells that travel."""
        return _column_and_expression(self.stored, self.facts)[0]

    @property
    def expression(self) -> str:
        """The expression of the cell as it travels."""
        return _column_and_expression(self.stored, self.facts)[1]


def _column_and_expression(stored: Stored, facts: Mapping[str, Any]) -> tuple[SqlColumn, str]:
    """The column as statements know it, and its cell as it travels, by the survey's `facts`."""
    if stored.own and stored.type in _NATIVE:
        return SqlColumn(stored.name, _NATIVE[stored.type]), stored.cell
    if stored.own and stored.type in _DATES and not facts["far"]:
        return SqlColumn(stored.name, "other"), stored.cell
    if stored.own and stored.type == "numeric":
        return _decimal_column(stored, facts["largest"], facts["scale"])
    cells: Cells = "nested" if _is_nested(stored) else "text"
    plain = stored.own and stored.type == "text"
    kind = "" if plain else stored.kind
    return SqlColumn(stored.name, cells, kind), _text_expression(stored.cell, plain=plain)


def _decimal_column(
    stored: Stored, largest: str | None, scale: int | None
) -> tuple[SqlColumn, str]:
    """A decimal column as statements know it, and the expression of its cell.

    All cells get `scale` decimal places, so that equal numbers look the same. They travel as text
    if `largest`, the largest absolute value, is not finite or needs too many digits. Both are None
    if all cells are missing.
    """
    whole = (largest or "0").partition(".")[0]
    digits = 0 if scale is None else int(scale)
    if not whole.isdigit() or len(whole) + digits > _DIGITS:
        text = _text_expression(f"trim_scale({stored.cell})")
        return SqlColumn(stored.name, "text", stored.kind), text
    cell = f"CAST({stored.cell} AS numeric({_DIGITS},{digits}))"
    return SqlColumn(stored.name, "other", stored.kind), cell


def _text_expression(cell: str, *, plain: bool = False) -> str:
    """The expression of a cell as text that is compared byte by byte; `plain` if it is text."""
    return f'({cell} COLLATE "C")' if plain else f'(CAST({cell} AS text) COLLATE "C")'


def _is_nested(stored: Stored) -> bool:
    """Whether cells hold several values: arrays, rows, multiranges, JSON or pairs."""
    return (
        stored.category == "A"
        or stored.sort in {"c", "m"}
        or (stored.own and stored.type in _NESTED)
        or (not stored.own and stored.type == "hstore")
    )


def frame_of(table: Any) -> pl.DataFrame:
    """An Arrow table of the driver as a frame; its decimal numbers, which are texts, are parsed."""
    columns = []
    for j, field in enumerate(table.schema):
        facts, chunks = field.metadata or {}, table.column(j)
        if facts.get(b"ADBC:postgresql:typname") == b"numeric":
            texts = pl.Series(field.name, pl.from_arrow(_plain_texts(chunks)), dtype=pl.String)
            columns.append(texts.cast(pl.Decimal(_DIGITS, _decimal_places(texts, facts))))
        else:
            columns.append(pl.Series(field.name, pl.from_arrow(chunks)))
    return pl.DataFrame(columns)


def _decimal_places(texts: pl.Series, facts: Mapping[bytes, bytes]) -> int:
    """The decimal places of the texts or, if more, of the driver's `facts`: fewer would round."""
    modifier = int(facts.get(b"POSTGRESQL:typmod", b"-1"))
    there = texts.str.extract(r"\.(\d+)$").str.len_chars().max()
    most = there if isinstance(there, int) else 0
    return max(most, 0 if modifier < 0 else (modifier - 4) & 0x7FF)


def _plain_texts(chunks: Any) -> Any:
    """The column as plain texts, without the extension type that the driver wraps them in."""
    from pyarrow import chunked_array, string  # noqa: PLC0415  an extra

    return chunked_array([getattr(chunk, "storage", chunk) for chunk in chunks.chunks], string())


def sendable_frame(frame: pl.DataFrame) -> tuple[pl.DataFrame, Mapping[str, str]]:
    """A frame in the driver's types, with decimals as texts, and the SQL types of these by name."""
    texts = pl.col(pl.Null, pl.Decimal, pl.Categorical, pl.Enum).cast(pl.String)
    numbers = {
        name: f"numeric({_DIGITS},{dtype.scale})"
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.Decimal)
    }
    return frame.with_columns(texts), numbers
