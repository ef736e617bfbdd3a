"""Tables in files: text, JSON lines, Parquet, Arrow, workbooks and statistics files."""

import io
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import polars as pl

from incrowd.engines.folders import in_parts, keys_of, parts
from incrowd.errors import IncrowdError, InputError, PolicyError, counted, is_panic
from incrowd.io import sheet_writing
from incrowd.io.atomic import number_of, reason, remedy_of
from incrowd.io.byte_limits import read_all
from incrowd.io.notation import NotationRequest, found_notations
from incrowd.io.partitions import with_keys, with_typed_keys
from incrowd.io.text import (
    DELIMITERS,
    ReadText,
    TextLayout,
    decoded,
    end_of_lines,
    find_delimiter,
    known,
    read_text,
    refuse_binary,
    with_line_feeds,
)
from incrowd.io.text_writing import Compression, write_lines, write_text
from incrowd.io.titles import refuse_wide, start_notes
from incrowd.io.unpacked import gunzipped, unzstd
from incrowd.io.whole import HEAD, TableChoice, WholeTable, reader_of, refuse_choice
from incrowd.table.cells import select_columns

Format: TypeAlias = Literal["csv", "parquet", "arrow", "xlsx", "jsonl"]

_COLUMNAR: tuple[tuple[bytes, Format, Callable[..., pl.DataFrame]], ...] = (
    (b"PAR1", "parquet", pl.read_parquet),
    (b"ARROW1", "arrow", pl.read_ipc),
    (b"\xff\xff\xff\xff", "arrow", pl.read_ipc_stream),
)
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
    ".xlsx": "xlsx",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
_TEXTS = frozenset({"csv", "jsonl"})
"""Formats that can be compressed as a whole."""
_FOREIGN = frozenset(
    {".dta", ".json", ".ods", ".por", ".rds", ".sas7bdat", ".sav", ".xls", ".xlsb", ".xlsm"}
    | {".xpt", ".zip", ".zsav"}
)
"""Endings of formats that cannot be written."""
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_FORMULA = "^[=+@]"


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
    labels: Mapping[str, str] = field(default_factory=dict)
    """What columns mean, where the file says so."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Source({self.format}, {self.frame.height} records, {self.frame.width} columns)"


@dataclass(frozen=True)
class _Wanted:
    """How to read a file; None means: find out."""

    delimiter: str | None
    encoding: str | None
    columns: Sequence[str] | None
    choice: TableChoice
    notation: NotationRequest | None
    tabs: bool
    memory: int | None


def read(  # noqa: PLR0913  one per thing that can be said of a file
    path: str | os.PathLike[str],
    delimiter: str | None = None,
    encoding: str | None = None,
    *,
    header: bool | None = None,
    columns: Sequence[str] | None = None,
    expected: Collection[str] = (),
    sheet: str | None = None,
    skip: int | None = None,
    notation: NotationRequest | None = None,
    memory: int | None = None,
) -> Source:
    """The table in a file, in all Parquet files of a folder, or on standard input ("-").

    The first bytes of the file say what it is: Parquet, Arrow, a workbook, a statistics file, JSON
    lines, or else delimited text, maybe compressed. Delimiter, encoding, header and titles of a
    text are found unless given, and every cell stays the text it is; with a `notation` numbers and
    dates are rewritten as incrowd reads them. `columns` limits what is read. `expected` are names
    that the table should have: they help to find its header and its delimiter. `memory` is how many
    bytes may be used, by default what is free: what is far too large, or endless, is refused.
    """
    if delimiter is not None and delimiter not in DELIMITERS:
        raise PolicyError(
            f"unknown delimiter {delimiter!r}",
            remedy="use a comma, a semicolon, a tab, a bar or a space",
        )
    with _about(path, "read"):
        choice = TableChoice(sheet, skip, header, tuple(expected))
        tabs = is_tabbed(path)
        wanted = _Wanted(delimiter, encoding, columns, choice, notation, tabs, memory)
        found = (
            _read_parts(path, wanted)
            if in_parts(path)
            else _read_bytes(_bytes(path, memory), wanted)
        )
        _refuse_empty(found.frame)
        return _rewritten(found, wanted)


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
        elif form.format == "xlsx":
            sheet_writing.write(table, target)
        elif form.format == "jsonl":
            write_lines(table, target, form.compression)
        else:
            write_text(table, target, form.delimiter, form.compression)


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
            remedy="name a .csv, .tsv, .parquet, .arrow, .xlsx or .jsonl file",
        )


def refuse_large(path: str | os.PathLike[str], like: Source, records: int, columns: int) -> None:
    """Refuse a table that does not fit into the sheet that it should go to."""
    if form_of(path, like).format == "xlsx":
        sheet_writing.refuse_large(records, columns)


def refuse_nested(
    frame: pl.DataFrame, columns: Sequence[str], path: str | os.PathLike[str], like: Source
) -> None:
    """Refuse columns whose cells a text file cannot hold, if the path is one of a text file."""
    if form_of(path, like).format in {"parquet", "arrow"}:
        return
    held = [name for name in columns if name in frame.columns]
    wrong = [n for n in held if frame[n].dtype.is_nested() or frame[n].dtype in _UNWRITTEN]
    if wrong:
        names = ", ".join(map(repr, wrong))
        raise InputError(
            f"such a file cannot hold the lists, structures or bytes of {names}",
            remedy="write a .parquet or .arrow file, or leave them out",
        )


def _bytes(path: str | os.PathLike[str], memory: int | None) -> bytes:
    if str(path) == "-":
        return read_all(sys.stdin.buffer, memory)
    with Path(path).open("rb") as file:
        return read_all(file, memory)


def _read_parts(path: str | os.PathLike[str], wanted: _Wanted) -> Source:
    """The rows of several Parquet files, one after the other; a pattern names them, too.

    Folders such as `day=1` add a column to the files in them.
    """
    every = parts(path)
    frames = [_read_bytes(file.read_bytes(), replace(wanted, columns=None)) for file in every]
    if any(read.format != "parquet" for read in frames):
        raise InputError("it holds other things than Parquet files", remedy="name another folder")
    keys = [keys_of(file, path) for file in every]
    found = [with_keys(read.frame, one) for read, one in zip(frames, keys, strict=True)]
    if len({tuple(frame.schema.items()) for frame in found}) > 1:
        raise InputError(
            "its files have different columns", remedy="name a folder with the files of one table"
        )
    whole = with_typed_keys(pl.concat(found), {name for one in keys for name in one})
    if wanted.columns is not None:
        whole = select_columns(whole, known(wanted.columns, whole.columns))
    return replace(frames[0], frame=whole)


def _read_bytes(data: bytes, wanted: _Wanted) -> Source:
    if data.startswith(_GZIP):
        return replace(_read_bytes(gunzipped(data, wanted.memory), wanted), compression="gzip")
    if data.startswith(_ZSTD):
        return replace(_read_bytes(unzstd(data, wanted.memory), wanted), compression="zstd")
    columns = _listed(wanted.columns)
    for start, format_, reader in _COLUMNAR:
        if data.startswith(start):
            return Source(reader(io.BytesIO(data), columns=columns), False, format_)
    if (whole := reader_of(data[:HEAD])) is not None:
        return _read_whole(whole(data, wanted.choice), columns)
    return _read_text(data, wanted)


def _read_whole(found: WholeTable, columns: list[str] | None) -> Source:
    """A table that was read as a whole."""
    names = found.frame.columns
    frame = found.frame if columns is None else select_columns(found.frame, known(columns, names))
    notes = tuple(Note(*note) for note in found.notes)
    return Source(frame, False, found.format, notes=notes, labels=found.labels)


def _rewritten(found: Source, wanted: _Wanted) -> Source:
    """The table with numbers and dates as incrowd reads them."""
    if wanted.notation is None:
        return found
    ways = found_notations(found.frame, wanted.notation, found.delimiter, text=found.text)
    frame = ways.rewritten(found.frame, text=found.text)
    notes = (Note(*note) for note in ways.notes())
    return replace(found, frame=frame, notes=(*found.notes, *notes))


def _listed(columns: Sequence[str] | None) -> list[str] | None:
    return None if columns is None else list(columns)


def is_tabbed(path: str | os.PathLike[str]) -> bool:
    """Whether a file's ending says that tabs stand between its cells."""
    return _endings(path)[:1] == [".tsv"]


def _read_text(data: bytes, wanted: _Wanted) -> Source:
    refuse_binary(data[:4096], wanted.encoding)
    choice = wanted.choice
    if choice.sheet is not None:
        refuse_choice(replace(choice, skip=None), "a text")
    text = decoded(data, wanted.encoding)
    if not text.data.strip():
        raise InputError("it is empty", remedy="give a table with a header and records")
    start = with_line_feeds(text.data)
    start = start[end_of_lines(start, choice.skip or 0) :].lstrip(b"\r\n")
    separator = wanted.delimiter or find_delimiter(start, choice.expected, tabs=wanted.tabs)
    layout = TextLayout(separator, choice.header, choice.skip, choice.expected, wanted.columns)
    found = read_text(text.data, layout)
    notes = [*_formula_notes(found.frame), *(Note(*note) for note in _start_notes(found, choice))]
    if text.guessed:
        words = f"the text is not UTF-8; it was read as {text.encoding}: use --encoding if wrong"
        notes.append(Note("guessed_encoding", 1, words))
    return Source(found.frame, True, "csv", separator, text.encoding, None, tuple(notes))


def _start_notes(found: ReadText, choice: TableChoice) -> Iterator[tuple[str, int, str]]:
    """What was done to the start of a text."""
    if choice.header is None and not found.header:
        words = (
            "the first line looks like data, so the columns are called column_1, column_2, …; "
            "use --header if it names them"
        )
        yield "no_header", 1, words
    yield from start_notes(found.skipped, found.first if found.header else ())


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
    usual: Format = "csv" if like is None else like.format
    if compression is not None and usual not in _TEXTS:
        usual = "csv"
    kind = _FORMATS.get(endings[0], usual) if endings else usual
    if compression is not None and kind not in _TEXTS:
        raise PolicyError(
            f"{str(path)!r} asks for a compressed {kind} file",
            remedy=f"leave out the last ending: {kind} files are compressed already",
        )
    return kind, compression


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
