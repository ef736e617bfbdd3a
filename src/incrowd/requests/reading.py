"""How to read a file, as every verb and command asks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from incrowd.requests.kinds import READING, SWITCH, Flags, OptionKind

MARK = OptionKind("MARK")


@dataclass(frozen=True)
class ReadingOptions:
    """How to read a file; what is None is found out, or as usual."""

    delimiter: Annotated[str | None, OptionKind("CHARACTER"), READING] = None
    """Separator of a CSV file; detected if not given."""
    encoding: Annotated[str | None, OptionKind("NAME"), READING] = None
    """Character encoding of a CSV file, such as utf-8 or latin-1; detected if not given."""
    header: Annotated[bool | None, SWITCH, READING, Flags("--header/--no-header")] = None
    """Whether the first line of a CSV file names the columns; detected if not given."""
    _: KW_ONLY
    sheet: Annotated[str | None, OptionKind("NAME"), READING] = None
    """Sheet of an Excel file; by default the first visible one that has cells."""
    skip: Annotated[int | None, OptionKind("LINES", int), READING] = None
    """Lines above the header, such as titles; detected if not given."""
    decimal: Annotated[str | None, MARK, READING] = None
    """Decimal mark, a comma or a point; detected column by column if not given."""
    thousands: Annotated[str | None, MARK, READING] = None
    """Mark between thousands, such as a point or a space; detected if not given."""
    date_formats: Annotated[
        str | Mapping[str, str] | Sequence[str] | None,
        OptionKind("FORMAT", form="repeated"),
        READING,
        Flags("--date-format"),
    ] = None
    """Format of dates, such as %d/%m/%Y, or of one column: birth=%d/%m/%Y. Repeat it for each
    column."""
    memory: Annotated[int | str | None, OptionKind("SIZE"), READING] = None
    """Memory to work with, such as 2GB; larger tables are worked on with DuckDB."""
