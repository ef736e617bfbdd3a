"""Tables in files: CSV, Parquet and Arrow, compressed or not."""

import gzip
import io
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import polars as pl

from incrowd.errors import IncrowdError, InputError, PolicyError, boundary, counted, is_panic
from incrowd.io.atomic import number_of, reason, remedy_of
from incrowd.io.header import is_headed
from incrowd.io.text import (
    DELIMITERS,
    decoded,
    find_delimiter,
    first_records,
    read_text,
    refuse_binary,
    refuse_wide,
    with_line_feeds,
)
from incrowd.io.unpacked import Counting, Limited, gunzipped, whole, zstd_opened

Format: TypeAlias = Literal["csv", "parquet", "arrow"]
Compression: TypeAlias = Literal["gzip", "zstd"]

_PARQUET, _ARROW, _STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_FOREIGN = frozenset(
    {
        ".dta",
        ".json",
        ".jsonl",
        ".ods",
        ".por",
        ".rds",
        ".sas7bdat",
        ".sav",
        ".xls",
        ".xlsx",
        ".zip",
    }
)
"""Endings of formats that cannot be written."""
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_FORMULA = "^[=+@]"
_UNUSED = "\x1e", "\x1f"
"""Characters that no text uses: with them as delimiter and line end a whole text is one cell."""


@dataclass(frozen=True)
class Form:
    """How a table is laid out in a file."""

    format: Format = "csv"
    delimiter: str = ","
    compression: Compression | None = None


@dataclass(frozen=True, eq=False)
class Note:
    """Something about a file that the user should know."""

    name: str
    count: int
    text: str

    def __str__(self) -> str:
        """The note in words."""
        return self.text


@dataclass(frozen=True, eq=False)
class Source:
    """A table that was read, and the layout of its file."""

    frame: pl.DataFrame
    text: bool
    """Whether all columns are text, in which numbers and dates are still to find."""
    format: Format = "csv"
    delimiter: str = ","
    encoding: str = "utf-8"
    compression: Compression | None = None
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        """Without values."""
        return f"Source({self.format}, {self.frame.height} records, {self.frame.width} columns)"


@dataclass(frozen=True)
class _Wanted:
    """How to read a text; None means: find out."""

    delimiter: str | None
    encoding: str | None
    header: bool | None
    columns: Sequence[str] | None
    expected: Collection[str]
    tabs: bool


def read(  # noqa: PLR0913  one per thing that can be said of a text
    path: str | os.PathLike[str],
    delimiter: str | None = None,
    encoding: str | None = None,
    *,
    header: bool | None = None,
    columns: Sequence[str] | None = None,
    expected: Collection[str] = (),
) -> Source:
    """The table in a file, or on standard input if `path` is "-".

    The first bytes of the file say what it is: Parquet, Arrow, or else delimited text, maybe
    compressed. Delimiter, encoding and header of a text are found unless given, and every cell
    stays the text it is. `columns` limits what is read. `expected` are names that the table should
    have: they help to find its header and its delimiter.
    """
    if delimiter is not None and delimiter not in DELIMITERS:
        raise PolicyError(
            f"unknown delimiter {delimiter!r}",
            remedy="use a comma, a semicolon, a tab, a bar or a space",
        )
    with _about(path, "read"):
        wanted = _Wanted(delimiter, encoding, header, columns, expected, is_tabbed(path))
        found = _read_bytes(_bytes(path), wanted)
        _refuse_empty(found.frame)
        return found


def write(frame: Any, path: str | os.PathLike[str], like: Source | None = None) -> None:
    """Write a frame in the format that the path's ending names, else in that of its source.

    Text is written in UTF-8 with the delimiter of the source; "-" is standard output.
    """
    form = form_of(path, like)
    table = frame if isinstance(frame, pl.DataFrame) else nw.from_native(frame).to_polars()
    with _about(path, "written"), _target(path) as target:
        if form.format == "parquet":
            table.write_parquet(target)
        elif form.format == "arrow":
            table.write_ipc(target, compat_level=pl.CompatLevel.oldest())
        else:
            _write_text(table, target, form.delimiter, form.compression)


def form_of(path: str | os.PathLike[str], like: Source | Form | None = None) -> Form:
    """The form that the path's ending names, else that of the source."""
    kind, compression = _named_format(path, like)
    delimiter = like.delimiter if like is not None and like.format == "csv" else ","
    if is_tabbed(path):
        delimiter = "\t"
    return Form(kind, delimiter, compression)


_UNWRITTEN = (pl.Binary, pl.Object)


def refuse_foreign(path: str | os.PathLike[str]) -> None:
    """Refuse a path whose ending names a format that incrowd cannot write."""
    ending = Path(path).suffix.lower()
    if ending in _FOREIGN:
        raise PolicyError(
            f"incrowd cannot write {ending} files",
            remedy="name a .csv, .tsv, .parquet or .arrow file",
        )


def refuse_nested(
    frame: pl.DataFrame, columns: Sequence[str], path: str | os.PathLike[str], like: Source
) -> None:
    """Refuse columns whose cells a text file cannot hold, if the path is one of a text file."""
    if form_of(path, like).format != "csv":
        return
    held = [name for name in columns if name in frame.columns]
    wrong = [n for n in held if frame[n].dtype.is_nested() or frame[n].dtype in _UNWRITTEN]
    if wrong:
        names = ", ".join(map(repr, wrong))
        raise InputError(
            f"a text file cannot hold the lists, structures or bytes of {names}",
            remedy="write a .parquet or .arrow file, or leave them out",
        )


def _bytes(path: str | os.PathLike[str]) -> bytes:
    if str(path) == "-":
        return sys.stdin.buffer.read()
    if Path(path).is_dir():
        raise InputError("it is a folder", remedy="name a file in it")
    return Path(path).read_bytes()


def _read_bytes(data: bytes, wanted: _Wanted) -> Source:
    columns = _listed(wanted.columns)
    if data.startswith(_PARQUET):
        return Source(pl.read_parquet(io.BytesIO(data), columns=columns), False, "parquet")
    if data.startswith(_ARROW):
        return Source(pl.read_ipc(io.BytesIO(data), columns=columns), False, "arrow")
    if data.startswith(_STREAM):
        frame = pl.read_ipc_stream(io.BytesIO(data), columns=columns)
        return Source(frame, False, "arrow")
    if data.startswith(_GZIP):
        return replace(_read_bytes(gunzipped(data), wanted), compression="gzip")
    if data.startswith(_ZSTD):
        return replace(_read_bytes(_unzstd(data), wanted), compression="zstd")
    return _read_text(data, wanted)


def _listed(columns: Sequence[str] | None) -> list[str] | None:
    return None if columns is None else list(columns)


def is_tabbed(path: str | os.PathLike[str]) -> bool:
    """Whether a file's ending says that tabs stand between its cells."""
    return _endings(path)[:1] == [".tsv"]


def _read_text(data: bytes, wanted: _Wanted) -> Source:
    refuse_binary(data[:4096], wanted.encoding)
    text = decoded(data, wanted.encoding)
    if not text.data.strip():
        raise InputError("it is empty", remedy="give a table with a header and records")
    start = with_line_feeds(text.data).lstrip(b"\r\n")
    separator = wanted.delimiter or find_delimiter(start, wanted.expected, tabs=wanted.tabs)
    records = first_records(start, separator)
    refuse_wide(len(records[0]) if records else 0)
    found = is_headed(records, wanted.expected) if wanted.header is None else wanted.header
    frame = read_text(text.data, separator, found, wanted.columns)
    notes = list(_formula_notes(frame))
    if wanted.header is None and not found:
        words = (
            "the first line looks like data, so the columns are called column_1, column_2, …; "
            "use --header if it names them"
        )
        notes.append(Note("no_header", 1, words))
    if text.guessed:
        words = f"the text is not UTF-8; it was read as {text.encoding}: use --encoding if wrong"
        notes.append(Note("guessed_encoding", 1, words))
    return Source(frame, True, "csv", separator, text.encoding, None, tuple(notes))


def _refuse_empty(frame: pl.DataFrame) -> None:
    refuse_wide(frame.width)
    if not frame.width or not frame.height:
        raise InputError("it has no records", remedy="give a table with at least one record")


def _formula_notes(frame: pl.DataFrame) -> Iterator[Note]:
    """Cells that a spreadsheet would run as a formula."""
    found = frame.select(pl.all().str.contains(_FORMULA).sum()) if frame.width else frame
    count = sum(found.row(0)) if found.height else 0
    if count:
        words = (
            f"{counted(count, 'cell starts', 'cells start')} with =, + or @: a spreadsheet runs "
            "such cells as formulas"
        )
        yield Note("formula_cells", count, words)


def _unzstd(data: bytes) -> bytes:
    """Decompress zstd, piece by piece where a library can, else with Polars."""
    packed = Counting(io.BytesIO(data))
    opened = zstd_opened(packed)
    if opened is None:
        return _unzstd_at_once(data)
    with (
        boundary(InputError("its zstd compression is damaged", remedy="compress it anew")),
        opened as unpacked,
    ):
        return whole(Limited(unpacked, packed))


def _unzstd_at_once(data: bytes) -> bytes:
    """Decompress zstd with Polars, which reads the whole text as one cell, and only in UTF-8."""
    separator, end = _UNUSED
    with boundary(
        InputError("its zstd compression holds no text in UTF-8", remedy="decompress it first")
    ):
        whole_text = pl.read_csv(
            data,
            separator=separator,
            eol_char=end,
            quote_char=None,
            has_header=False,
            infer_schema=False,
        )
        return str(whole_text.item()).encode()


def _endings(path: str | os.PathLike[str]) -> list[str]:
    """The endings that say something: the format's, then the compression's."""
    endings = [ending.lower() for ending in Path(path).suffixes[-2:]]
    if endings and endings[-1] in _COMPRESSIONS:
        return endings
    return endings[-1:]


def _named_format(
    path: str | os.PathLike[str], like: Source | Form | None
) -> tuple[Format, Compression | None]:
    refuse_foreign(path)
    endings = _endings(path)
    compression = _COMPRESSIONS.get(endings[-1]) if endings else None
    usual: Format = "csv" if like is None or compression is not None else like.format
    kind = _FORMATS.get(endings[0], usual) if endings else usual
    if compression is not None and kind != "csv":
        raise PolicyError(
            f"{str(path)!r} asks for a compressed {kind} file",
            remedy=f"leave out the last ending: {kind} files are compressed already",
        )
    return kind, compression


def as_text(table: pl.DataFrame) -> pl.DataFrame:
    """The cells as a text shows them: a missing value is an empty one, and so is NaN.

    In a table of one column, where an empty cell were a blank line, it is a quoted one.
    """
    table = table.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))
    if table.width == 1:
        table = table.with_columns(pl.all().cast(pl.String).fill_null(""))
    return table


def _write_text(
    table: pl.DataFrame, target: IO[bytes], delimiter: str, compression: Compression | None
) -> None:
    table = as_text(table)
    if compression == "gzip":
        with gzip.GzipFile("", "wb", fileobj=target, mtime=0) as packed:
            packed.write(table.write_csv(separator=delimiter).encode())
    elif compression == "zstd":
        table.write_csv(target, separator=delimiter, compression="zstd", check_extension=False)
    else:
        table.write_csv(target, separator=delimiter)


@contextmanager
def _target(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with Path(path).open("wb") as target:
        yield target


@contextmanager
def _about(path: str | os.PathLike[str], done: str) -> Iterator[None]:
    """Name the file in every error, and hide other libraries' messages."""
    name = "standard input" if str(path) == "-" and done == "read" else repr(str(path))
    name = "standard output" if str(path) == "-" and done == "written" else name
    found: IncrowdError
    try:
        yield
    except IncrowdError as error:
        found = type(error)(f"{name} cannot be {done}: {error.message}", remedy=error.remedy)
    except MemoryError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        found = InputError(f"{name} cannot be {done}: {reason(error)}", remedy=remedy_of(error))
        if not isinstance(error, OSError) and not number_of(error):
            found = InputError(
                f"{name} cannot be {done}: its content does not fit the format",
                remedy="use another format",
            )
    else:
        return
    try:
        raise found from None
    finally:
        found.__context__ = None
