"""Tables in files: text, JSON lines, Parquet, Arrow, workbooks and statistics files."""

import io
import os
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import polars as pl

from incrowd.engines.folders import folder_keys, names_several_files, parquet_files
from incrowd.errors import InputError, PolicyError, count_of
from incrowd.io import sheet_writing
from incrowd.io.byte_limits import read_all
from incrowd.io.faults import file_boundary
from incrowd.io.layout import Layout
from incrowd.io.notation import find_notations
from incrowd.io.notes import Note
from incrowd.io.text import (
    TextStart,
    decode,
    find_text_start,
    read_records,
    refuse_binary,
    with_line_feeds,
)
from incrowd.io.text_writing import Compression, write_lines, write_text
from incrowd.io.titles import refuse_wide
from incrowd.io.unpacked import gunzip, unzstd
from incrowd.io.whole import HEAD, reader_of
from incrowd.table.cells import select_columns

Format: TypeAlias = Literal["csv", "parquet", "arrow", "xlsx", "jsonl"]

_COLUMNAR: tuple[tuple[bytes, Format, Callable[..., pl.DataFrame]], ...] = (
    (b"PAR1", "parquet", pl.read_parquet),
    (b"ARROW1", "arrow", pl.read_ipc),
    (b"\xff\xff\xff\xff", "arrow", pl.read_ipc_stream),
)
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FORMATS: dict[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
    ".xlsx": "xlsx",
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
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
_WHOLE, _DAY = r"^-?(0|[1-9]\d{0,17})$", r"^\d{4}-\d{2}-\d{2}$"


@dataclass(frozen=True)
class Form:
    """How a table is laid out in a file."""

    format: Format = "csv"
    delimiter: str = ","
    compression: Compression | None = None


@dataclass(frozen=True, eq=False, repr=False)
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


def read(path: str | os.PathLike[str], layout: Layout | None = None) -> Source:
    """The table in a file, in all Parquet files of a folder, or on standard input ("-").

    The first bytes of the file say what it is: Parquet, Arrow, a workbook, a statistics file, JSON
    lines, or else delimited text, maybe compressed. Delimiter, encoding, header and titles of a
    text are found unless given, and every cell stays the text it is; with a notation numbers and
    dates are rewritten as incrowd reads them. `InputError` if the file cannot be read or has no
    records, `LimitError` if it is too large, `PolicyError` if an option does not fit it.
    """
    layout = replace(layout or Layout(), tabs=is_tabbed(path))
    with file_boundary(path):
        read_in = _read_parquet_files if names_several_files(path) else _read_file
        table = read_in(path, layout)
        _refuse_empty(table.frame)
        return _rewrite(table, layout)


def write(frame: Any, path: str | os.PathLike[str], like: Source | None = None) -> None:
    """Write a frame in the format that the path's ending names, else in that of its source `like`.

    UTF-8 if text; "-" is standard output. `PolicyError`, `InputError`, `LimitError` if impossible.
    """
    form = form_of(path, like)
    table = frame if isinstance(frame, pl.DataFrame) else nw.from_native(frame).to_polars()
    with file_boundary(path, "written"), _open_target(path) as target:
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
    """The form by the path's ending, else that of `like`, else CSV; `PolicyError` if unwritable.

    It is compressed only if the ending says so, whatever `like` is.
    """
    kind, compression = _format_of_path(path, like)
    delimiter = like.delimiter if like is not None and like.format == "csv" else ","
    if is_tabbed(path):
        delimiter = "\t"
    return Form(kind, delimiter, compression)


_UNWRITTEN = (pl.Binary, pl.Object)


def refuse_foreign(path: str | os.PathLike[str]) -> None:
    """Raise `PolicyError` if a path's ending names a format that incrowd cannot write."""
    ending = Path(path).suffix.lower()
    if ending in _FOREIGN:
        raise PolicyError(
            f"incrowd cannot write {ending} files",
            remedy="name a .csv, .tsv, .parquet, .arrow, .xlsx or .jsonl file",
        )


def refuse_large(path: str | os.PathLike[str], like: Source, records: int, columns: int) -> None:
    """Raise `LimitError` if a table that goes to a workbook does not fit into a sheet."""
    if form_of(path, like).format == "xlsx":
        sheet_writing.refuse_large(records, columns)


def refuse_nested(
    frame: pl.DataFrame, columns: Sequence[str], path: str | os.PathLike[str], like: Source
) -> None:
    """Raise `InputError` for columns of lists, structures or bytes, save in Parquet and Arrow."""
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


def _read_file(path: str | os.PathLike[str], layout: Layout) -> Source:
    """The table in a file, or on standard input ("-")."""
    if str(path) == "-":
        return _read_bytes(read_all(sys.stdin.buffer, layout.memory), layout)
    with Path(path).open("rb") as file:
        data = read_all(file, layout.memory)
    return _read_bytes(data, layout)


def _read_parquet_files(path: str | os.PathLike[str], layout: Layout) -> Source:
    """Rows of the Parquet files of a folder or pattern, keys of folders as columns.

    `InputError` if a file is of another kind or has other columns.
    """
    every = parquet_files(path)
    frames = [_read_bytes(file.read_bytes(), replace(layout, columns=None)) for file in every]
    demand_parquet(all(read.format == "parquet" for read in frames))
    keys = [folder_keys(file, path) for file in every]
    found = [_with_keys(read.frame, one) for read, one in zip(frames, keys, strict=True)]
    demand_same_columns(tuple(frame.schema.items()) for frame in found)
    whole = _with_typed_keys(pl.concat(found), {name for one in keys for name in one})
    return replace(frames[0], frame=select_columns(whole, layout.choose(whole.columns)))


def demand_parquet(every: bool) -> None:
    """Raise `InputError` unless every one of several files is Parquet."""
    if not every:
        raise InputError("it holds other things than Parquet files", remedy="name another folder")


def demand_same_columns(schemas: Iterable[Hashable]) -> None:
    """Raise `InputError` unless several files have the same columns, by the schema of each."""
    if len(set(schemas)) > 1:
        raise InputError(
            "its files have different columns", remedy="name a folder with the files of one table"
        )


def _with_keys(frame: pl.DataFrame, keys: Mapping[str, str | None]) -> pl.DataFrame:
    """A file's rows with its folders' `keys` as text columns, unless it has such columns itself."""
    return frame.with_columns(
        pl.lit(value, dtype=pl.String).alias(name)
        for name, value in keys.items()
        if name not in frame.columns
    )


def _with_typed_keys(frame: pl.DataFrame, keys: Collection[str]) -> pl.DataFrame:
    """The rows of all files; a column of `keys` becomes integers or days if all its texts are."""
    names = [name for name in keys if frame.schema[name] == pl.String]
    return frame.with_columns(_with_key_type(frame[name]) for name in names)


def _with_key_type(column: pl.Series) -> pl.Series:
    """The column as integers or days if all of its texts are such, else as it is."""
    values = column.drop_nulls().unique()
    if len(values) and values.str.contains(_WHOLE).all():
        return column.cast(pl.Int64)
    if len(values) and values.str.contains(_DAY).all():
        days = column.str.to_date("%Y-%m-%d", strict=False)
        return days if days.null_count() == column.null_count() else column
    return column


def _read_bytes(data: bytes, layout: Layout) -> Source:
    """Read the table in these bytes, by the format that the first of them tell."""
    if data.startswith(GZIP):
        return replace(_read_bytes(gunzip(data, layout.memory), layout), compression="gzip")
    if data.startswith(ZSTD):
        return replace(_read_bytes(unzstd(data, layout.memory), layout), compression="zstd")
    for start, format_, reader in _COLUMNAR:
        if data.startswith(start):
            columns = None if layout.columns is None else list(layout.columns)
            return Source(reader(io.BytesIO(data), columns=columns), False, format_)
    if (whole := reader_of(data[:HEAD])) is not None:
        table = whole(data, layout)
        frame = select_columns(table.frame, layout.choose(table.frame.columns))
        return Source(frame, False, table.format, notes=table.notes, labels=table.labels)
    return _read_text(data, layout)


def _rewrite(table: Source, layout: Layout) -> Source:
    """The table with numbers and dates as incrowd writes them; as it is without a `notation`."""
    if layout.notation is None:
        return table
    ways = find_notations(table.frame, layout.notation, table.delimiter, text=table.text)
    frame = ways.rewrite(table.frame, text=table.text)
    return replace(table, frame=frame, notes=(*table.notes, *ways.notes()))


def is_tabbed(path: str | os.PathLike[str]) -> bool:
    """Whether a file's ending says that tabs stand between its cells."""
    return _endings(path)[:1] == [".tsv"]


def _read_text(data: bytes, layout: Layout) -> Source:
    """Read a delimited text, whose start tells delimiter, header and titles."""
    refuse_binary(data[:4096], layout.encoding)
    text = decode(data, layout.encoding)
    lines = with_line_feeds(text.data)
    start = find_text_start(lines, layout)
    names, body = start.names, lines[start.begin :] if start.begin else lines
    frame = read_records(body, start.delimiter, names, start.line, header=start.header)
    frame = select_columns(frame, layout.choose(names))
    notes = [*_formula_notes(frame), *_header_note(start, layout), *start.notes()]
    if text.guessed:
        words = f"the text is not UTF-8; it was read as {text.encoding}: use --encoding if wrong"
        notes.append(Note("guessed_encoding", 1, words))
    return Source(frame, True, "csv", start.delimiter, text.encoding, None, tuple(notes))


def _header_note(start: TextStart, layout: Layout) -> Iterator[Note]:
    """A note if the first line was found to be data."""
    if layout.header is None and not start.header:
        words = (
            "the first line looks like data, so the columns are called column_1, column_2, …; "
            "use --header if it names them"
        )
        yield Note("no_header", 1, words)


def _refuse_empty(frame: pl.DataFrame) -> None:
    """Raise `InputError` for a table without columns or records, or with far too many columns."""
    refuse_wide(frame.width)
    if not frame.width or not frame.height:
        raise InputError("it has no records", remedy="give a table with at least one record")


def _formula_notes(frame: pl.DataFrame) -> Iterator[Note]:
    """A note if some cells start as a formula that a spreadsheet would run."""
    found = frame.select(pl.all().str.contains(_FORMULA).sum()) if frame.width else frame
    count = sum(found.row(0)) if found.height else 0
    if count:
        words = (
            f"{count_of(count, 'cell starts', 'cells start')} with =, + or @: a spreadsheet runs "
            "such cells as formulas"
        )
        yield Note("formula_cells", count, words)


def _endings(path: str | os.PathLike[str]) -> list[str]:
    """The last ending of a path; if that is of a compression, the one before it, too, in order."""
    endings = [ending.lower() for ending in Path(path).suffixes[-2:]]
    if endings and endings[-1] in _COMPRESSIONS:
        return endings
    return endings[-1:]


def _format_of_path(
    path: str | os.PathLike[str], like: Source | Form | None
) -> tuple[Format, Compression | None]:
    """The format by ending, else of `like`; compression by ending. `PolicyError` if unwritable."""
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
def _open_target(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A block with the file to write to; "-" is standard output."""
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with Path(path).open("wb") as target:
        yield target
