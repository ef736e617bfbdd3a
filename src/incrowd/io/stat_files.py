"""Files of SPSS, Stata and SAS: value labels become cells, user-defined missing values null."""

import io
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import polars as pl

from incrowd.errors import InputError, PolicyError, boundary, count_of
from incrowd.io.layout import Layout
from incrowd.io.notes import Note
from incrowd.io.whole import WholeTable
from incrowd.table.cells import floats_as_integers

_MOSTLY = 0.5
"""A column of numbers gets labels if at least this share of its values has one."""


def read(data: bytes, layout: Layout) -> WholeTable:
    """The table in a file of SPSS (.sav, .zsav, .por), Stata (.dta) or SAS (.sas7bdat, .xpt).

    A value that has a label shows it, one that has none shows its code. What the file declares as
    missing is missing. Where most of a column's values have no label it is a number: its labels
    name codes such as "not asked", which stay codes, and a note says so. `PolicyError` if
    pyreadstat is missing; `InputError` for a damaged or encrypted file, and for a sheet or lines to
    skip in the layout.
    """
    layout.refuse_choice("a statistics file")
    if find_spec("pyreadstat") is None:
        raise PolicyError(
            "reading SPSS, Stata and SAS files needs pyreadstat, which is not installed",
            remedy="install incrowd[stat]",
        )
    with boundary(
        InputError("it is damaged, or encrypted", remedy="save it anew, without a password")
    ):
        frame, about = _reading_function(data)(io.BytesIO(data), output_format="polars")
        labels = {name: text for name, text in about.column_names_to_labels.items() if text}
        table, numbers = _put_labels(frame, about.variable_value_labels)
    return WholeTable(table, "csv", tuple(_notes(numbers)), labels)


def _reading_function(data: bytes) -> Callable[..., Any]:
    """The function of pyreadstat for the format that the file's first bytes tell."""
    library = import_module("pyreadstat")
    for start, name in (
        (b"$FL", "read_sav"),
        (b"HEADER RECORD", "read_xport"),
        (b"\0", "read_sas7bdat"),
    ):
        if data.startswith(start):
            return getattr(library, name)  # type: ignore[no-any-return]
    return library.read_por if b"SPSS PORT FILE" in data[40:512] else library.read_dta  # type: ignore[no-any-return]


def _put_labels(
    frame: pl.DataFrame, labels: Mapping[str, Mapping[Any, str]]
) -> tuple[pl.DataFrame, list[str]]:
    """The table with labels for codes, and the columns left as numbers: few values have a label."""
    columns, numbers = [], []
    for column in frame.iter_columns():
        plain = _plain_column(column)
        texts = labels.get(column.name, {})
        if texts and _is_coded(plain, texts):
            plain = _with_labels(plain, texts)
        elif texts:
            numbers.append(column.name)
        columns.append(plain)
    return pl.DataFrame(columns), numbers


def _notes(numbers: Sequence[str]) -> Iterator[Note]:
    """A note on columns that stay numbers, as labels name few of their values, if any."""
    if numbers:
        has = count_of(len(numbers), "column has", "columns have")
        words = f"{has} labels for few of the values, and stay numbers: "
        yield Note("few_labels", len(numbers), words + ", ".join(numbers[:3]))


def _plain_column(column: pl.Series) -> pl.Series:
    """The column with whole numbers as integers, and an empty text as missing."""
    if isinstance(column.dtype, pl.String):
        return column.set((column == "").fill_null(value=False), None)
    return floats_as_integers(column)


def _is_coded(column: pl.Series, labels: Mapping[Any, str]) -> bool:
    """Whether labels name at least half of the distinct values; true for texts and no values."""
    values = column.drop_nulls().unique()
    if not len(values) or isinstance(column.dtype, pl.String):
        return True
    known = values.is_in(
        pl.Series(_labelled_codes(column, labels), dtype=values.dtype, strict=False)
    )
    return bool(known.sum() >= _MOSTLY * len(values))


def _labelled_codes(column: pl.Series, labels: Mapping[Any, str]) -> list[Any]:
    """The labelled codes, as integers (None if not whole) for a column of integers."""
    if column.dtype.is_integer():
        return [int(code) if float(code).is_integer() else None for code in labels]
    return list(labels)


def _with_labels(column: pl.Series, labels: Mapping[Any, str]) -> pl.Series:
    """The column as text: labels, with codes if need be (`_texts_of_codes`), or else codes."""
    codes = pl.Series(_labelled_codes(column, labels), dtype=column.dtype, strict=False)
    texts = column.cast(pl.String)
    labelled = column.is_in(codes.drop_nulls()).fill_null(value=False)
    taken = {*texts.filter(~labelled).unique().drop_nulls()}
    named = pl.Series(_texts_of_codes(codes.cast(pl.String).to_list(), [*labels.values()], taken))
    there = codes.is_not_null()
    shown = column.replace_strict(
        codes.filter(there), named.filter(there), default=None, return_dtype=pl.String
    )
    return shown.zip_with(labelled, texts).alias(column.name)


def _texts_of_codes(
    codes: Sequence[str | None], labels: Sequence[str], taken: set[str]
) -> list[str]:
    """The text for each code, all different and none `taken`: its label, if need be with the code.

    The code stands behind labels that are blank, `taken` or not unique.
    """
    times = Counter(labels)
    plain = {text for text in labels if times[text] == 1 and text.strip()} - taken
    used, texts = taken | plain, list[str]()
    for code, label in zip(codes, labels, strict=True):
        texts.append(label if label in plain else _coded_text(label, code, used))
        used.add(texts[-1])
    return texts


def _coded_text(label: str, code: str | None, used: Container[str]) -> str:
    """The label with the code behind, as often as it takes to differ from all `used` texts."""
    text = f"{label} ({code})"
    while text in used:
        text += f" ({code})"
    return text
