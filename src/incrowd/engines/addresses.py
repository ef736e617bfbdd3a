"""Addresses of tables in databases: `postgresql://user:password@host:port/database?table=name`.

An address holds credentials. They go to the driver and nowhere else: whatever is shown or stored
calls the table by its title.
"""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from incrowd.errors import EXAMPLE_ADDRESS, PolicyError

POSTGRESQL = ("postgresql://", "postgres://")
STORED = "duckdb:"
REMOTE = ("s3://", "gs://", "gcs://", "r2://", "az://", "abfs://", "abfss://", "hf://", "https://")
"""How addresses begin: of tables in PostgreSQL, in files of DuckDB, of Parquet files elsewhere."""
_OPTION = "table="
_NAME = re.compile(r'(?:(?P<schema>"(?:[^"]|"")+"|[^".]+)\.)?(?P<title>"(?:[^"]|"")+"|[^".]+)')
_REMEDY = f'write {EXAMPLE_ADDRESS}, names as they are stored; a name with a dot stands in "…"'
_REMOTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


@dataclass(frozen=True)
class Address:
    """A table of PostgreSQL, and where it is."""

    server: str = field(repr=False)
    """The server for the driver, with credentials and options, without the table."""
    schema: str | None
    """None if it is found by the search path."""
    table: str

    @classmethod
    def of(cls, text: str) -> "Address":
        """Read the address of a table; `PolicyError` if it names no table, or several."""
        place, _, query = text.partition("?")
        options = [option for option in query.split("&") if option]
        tables = [option for option in options if option.startswith(_OPTION)]
        name = _NAME.fullmatch(unquote(tables[0].removeprefix(_OPTION))) if tables else None
        if name is None or len(tables) > 1:
            raise PolicyError("the address of the database names no table", remedy=_REMEDY)
        rest = "&".join(option for option in options if option not in tables)
        place = POSTGRESQL[0] + place.partition("://")[2]
        schema = None if name["schema"] is None else _without_quotes(name["schema"])
        return cls(f"{place}?{rest}" if rest else place, schema, _without_quotes(name["title"]))

    @property
    def name(self) -> str:
        """The table's name, with its schema before it if the address says one."""
        return self.table if self.schema is None else f"{self.schema}.{self.table}"

    @property
    def title(self) -> str:
        """How messages and documents call the table."""
        return f"postgresql table {self.name}"

    @property
    def database(self) -> str:
        """The address without its options: equal for two tables of one database and role."""
        return self.server.partition("?")[0]


def is_address(source: Any) -> bool:
    """Whether this is text that begins as the address of a table in PostgreSQL does."""
    return isinstance(source, str) and source.lower().startswith(POSTGRESQL)


def address_of(source: Any) -> Address | None:
    """The parsed address of a table in PostgreSQL, `PolicyError` if faulty; None for all else."""
    return Address.of(source) if is_address(source) else None


def refuse_remote(path: Any, *, tables: bool = True) -> None:
    """Refuse to write to an address; one of a table in PostgreSQL is accepted if `tables`.

    >>> refuse_remote("s3://bucket/release.csv")
    Traceback (most recent call last):
    incrowd.errors.PolicyError: incrowd writes files of this machine and tables of PostgreSQL, not \
s3:// addresses; write to a file, then copy it there (a release together with its certificate)
    """
    scheme = scheme_of(path)
    if scheme is None or (tables and is_address(path)):
        return
    also = " and tables of PostgreSQL" if tables else ""
    raise PolicyError(
        f"incrowd writes files of this machine{also}, not {scheme}:// addresses",
        remedy="write to a file, then copy it there (a release together with its certificate)",
    )


def refuse_addresses(path: Any) -> None:
    """Refuse any address in place of a file; callers have opened tables in databases before."""
    if (scheme := scheme_of(path)) is not None:
        raise PolicyError(
            f"incrowd does not read {scheme}:// addresses",
            remedy="copy the table to a file first, or read it into a frame and use the library",
        )


def scheme_of(path: Any) -> str | None:
    """The scheme of an address in lower case, such as `s3`; None for all that is no address."""
    found = _REMOTE.match(path) if isinstance(path, str) else None
    return None if found is None else found[1].lower()


def _without_quotes(name: str) -> str:
    """A name of SQL without its quotation marks, if it has any."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
