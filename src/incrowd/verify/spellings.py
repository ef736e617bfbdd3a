"""Which spellings are one value: the rule of equality of sensitive columns.

In a column of numbers or dates cells are compared by value: 1, 1.0 and 1.00 are one value. In every
other column by their text, as it is written: hiv, HIV and "hiv " are three. It is the rule by which
`table.encode` codes a table, so a search counts what a check counts.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.hierarchy.labels import write_ends
from incrowd.table.cells import text_of
from incrowd.table.column import Kind
from incrowd.table.parse import FEW, MARKS, kind_of, parse
from incrowd.verify.crowds import number_cells, records_per_code
from incrowd.verify.verify import Reference


def end_names(name: str) -> tuple[str, str]:
    """The names of the two columns in which one column leaves, for its ends."""
    return f"{name}_low", f"{name}_high"


def split_columns(quasi: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    """The columns that stand as two, of their ends, among columns of these names."""
    there = set(names)
    return tuple(name for name in quasi if name not in there and {*end_names(name)} <= there)


def join_ends(rows: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """Join the ends of each of `columns` (name: label for no ends) to labels, in a last column."""
    for name, nothing in columns.items():
        ends = end_names(name)
        low, high = (text_of(rows[end]) for end in ends)
        cells = pl.DataFrame({"low": low, "high": high})
        known = cells.unique()
        labels = [write_ends(low, high, nothing) for low, high in known.iter_rows()]
        known = known.with_columns(pl.Series("label", labels, dtype=pl.String))
        found = cells.join(
            known, on=["low", "high"], how="left", nulls_equal=True, maintain_order="left"
        )
        rest = [rows[one] for one in rows.columns if one not in ends]
        rows = pl.DataFrame([*rest, found["label"].alias(name)])
    return rows


_DECIMAL = r"^[+-]?\d+(\.\d*)?$"


def places_of(labels: pl.Series, kind: Kind) -> Counts:
    """Number the position of each label among the values of its column, from 1; 0 is missing.

    In a column of numbers or dates, marks of missing values are missing, and other labels that are
    no numbers or dates come last, each for itself.
    """
    if kind is Kind.TEXT or not len(labels):
        return np.arange(1, len(labels) + 1, dtype=np.int64)
    texts = labels.to_numpy().astype(object)
    read = parse(texts, kind)
    values, place = np.unique(read.values[read.fits], return_inverse=True)
    places = np.zeros(len(labels), dtype=np.int64)
    places[read.fits] = place.ravel() + 1
    strange = np.array([text not in MARKS for text in texts]) & ~read.fits
    places[strange] = len(values) + 1 + np.arange(int(strange.sum()))
    return places


def kind_of_labels(labels: pl.Series) -> Kind:
    """Find the kind of a column by its texts; if it is text, again without missing marks."""
    texts = labels.to_numpy().astype(object)
    kind = kind_of(texts)
    plain = np.array([text not in MARKS for text in texts], dtype=np.bool_)
    if kind is not Kind.TEXT or plain.all() or plain.sum() < FEW:
        return kind
    return kind_of(texts[plain])


def own_reference(column: pl.Series, kind: Kind, records: Counts) -> Reference:
    """Count how a column is spread, values told apart by `kind`; `records` are those per cell."""
    cells = number_cells(column)
    places = np.concatenate([[0], places_of(cells.labels, kind)])
    people = records_per_code(places[cells.codes], records, int(places.max()) + 1)
    return Reference(dict(zip(cells.labels.to_list(), places[1:].tolist(), strict=True)), people)


def count_alike(texts: pl.Series) -> int:
    """Count how many distinct texts are lost if case, surrounding space and zeros do not count.

    >>> count_alike(pl.Series(["hiv", "HIV", "hiv ", "flu", "7", "007", "7.0"]))
    4
    """
    distinct = texts.alias("").drop_nulls().unique()
    plain = distinct.str.strip_chars().str.to_lowercase()
    number = plain.str.contains(_DECIMAL)
    bare = plain.str.replace(r"^([+-]?)0+(\d)", "${1}${2}").str.strip_prefix("+")
    whole = bare.str.contains(".", literal=True)
    short = bare.zip_with(~whole, bare.str.strip_chars_end("0").str.strip_suffix("."))
    return len(distinct) - short.zip_with(number, plain).n_unique()


def alike_notes(columns: Mapping[str, pl.Series], role: str) -> list[str]:
    """Write a sentence for each column, of this role, with texts that `count_alike` counts."""
    notes = []
    for name, texts in columns.items():
        if count := count_alike(texts):
            verb = "value differs" if count == 1 else "values differ"
            notes.append(
                f"{count:,} {verb} from another value of the {role} column '{name}' only by "
                "case, surrounding spaces or zeros: each counts as a value of its own"
            )
    return notes
