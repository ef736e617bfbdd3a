"""Hierarchies in files and on the command line.

A file holds one line per leaf: value, parent, …, top; no header. Fields are separated by `;`, a tab
or a comma. It may be compressed (`.gz`), have any line ends, and be encoded as tables may be.
"""

import csv
import io
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.errors import IncrowdError, InputError, PolicyError, boundary, count_of
from incrowd.hierarchy import (
    AnyHierarchy,
    CodeList,
    Dates,
    File,
    Flat,
    Intervals,
    Ordered,
    Prefix,
    Regions,
    Suggested,
    Tree,
    ZipCodes,
)
from incrowd.hierarchy.paths import Paths
from incrowd.io import files
from incrowd.io.text import decode
from incrowd.io.unpacked import gunzip
from incrowd.table.column import Kind
from incrowd.table.encode import find_distinct_texts
from incrowd.values import FaultyPolicyError

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy


class Lines(NamedTuple):
    """The lines of a hierarchy file that are not blank."""

    numbers: Counts
    """The number of each line in the file, from 1."""
    widths: Counts
    """How many fields each line has."""
    fields: pl.Series
    """The fields of all lines, one after the other."""


_DELIMITERS = (";", "\t", ",")
_ENDINGS = (".csv", ".csv.gz")
"""How the names of hierarchy files in a folder end."""
_FILES = (".csv", ".tsv", ".txt", ".gz")
"""Endings by which an option names a file."""


def read_tree(path: Path | str, other: str | None = None, *, ordered: bool = True) -> Tree:
    """The hierarchy in a file as a tree; `other` is the node for values that it lacks.

    `InputError` if the file cannot be read, is empty, has empty fields or lines of different
    lengths, or contradicts itself. `ordered` is as in `Tree`.
    """
    path = Path(path)
    lines = _split_lines(_read_text(path), path)
    if not len(lines.numbers):
        raise InputError(
            f"the hierarchy file {path.name!r} is empty",
            remedy="write one line per value, from the value to the top: leaf;parent;…;*",
        )
    width = int(lines.widths[0])
    _refuse_lines(
        path,
        lines.numbers[lines.widths != width],
        "a different number of fields than the first line",
        "give every line the same number of fields",
    )
    codes, names = find_distinct_texts(lines.fields)
    paths = Paths(names, np.ascontiguousarray(codes.reshape(-1, width).T))
    _refuse_lines(
        path,
        lines.numbers[(lines.fields == "").to_numpy().reshape(-1, width).any(axis=1)],
        "an empty field",
        "fill it; missing values need no line",
    )
    for level in range(1, width):
        _refuse_lines(
            path,
            lines.numbers[paths.flag_second_parents(level - 1, slice(level, level + 1))],
            f"a second parent for an entry of field {level}",
            "give each entry one parent, or give different things different names",
        )
    _refuse_lines(
        path,
        lines.numbers[paths.flag_reused_names()],
        "an entry that is the name of another node, not right above it",
        "give each node a name of its own; a parent may repeat the name of a child",
    )
    return Tree.of_paths(paths, other, ordered=ordered)


def resolve(
    spec: AnyHierarchy, base_folder: str | os.PathLike[str], kind: Kind | None = None
) -> AnyHierarchy:
    """The builder with files read: in place of a `File` the tree that it holds.

    Paths are taken from `base_folder`, the folder of the policy file. `kind` is what the policy
    says of the column's values: leaves of the kind text have no order, whatever they look like.
    """
    if isinstance(spec, File):
        ordered = kind is not Kind.TEXT
        return read_tree(Path(base_folder) / spec.path, spec.other, ordered=ordered)
    if isinstance(spec, Tree) and kind is Kind.TEXT:
        return replace(spec, ordered=False)
    return spec


def find_hierarchy_files(folder: Path | str, columns: Iterable[str]) -> dict[str, Path]:
    """The hierarchy file of each column that has one in this folder.

    Files are called `<column>.csv` or `*_<column>.csv`, also with `.gz`. A file belongs to the
    column with the longest name that fits; `<column>.csv` goes before `*_<column>.csv`.
    `InputError` if the folder does not exist, or several files fit a column equally well.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(
            f"the folder {str(folder)!r} does not exist",
            remedy="name a folder with files <column>.csv",
        )
    names = list(columns)
    whole: dict[str, list[Path]] = {}
    ending: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        stem = _name_without_ending(path)
        fitting = [name for name in names if stem == name or stem.endswith(f"_{name}")]
        if fitting:
            column = max(fitting, key=len)
            (whole if stem == column else ending).setdefault(column, []).append(path)
    return {column: _single_path(column, paths) for column, paths in (ending | whole).items()}


def parse_option(text: str) -> tuple[str, AnyHierarchy]:
    """The column and hierarchy in a text: `COLUMN=FILE` or `COLUMN=BUILDER[:PARAMETERS]`.

    `PolicyError` for another form, an unknown builder or faulty parameters.

    >>> parse_option("age=intervals:5")[1].width
    5.0
    >>> parse_option("zip=prefix")[0]
    'zip'
    """
    column, equals, what = text.partition("=")
    if not equals or not column or not what:
        raise PolicyError(
            "a hierarchy needs the form COLUMN=WHAT",
            remedy="write age=age.csv, zip=prefix or age=intervals:5, for example",
        )
    return column, _parse_hierarchy(column, what)


def _parse_hierarchy(column: str, what: str) -> AnyHierarchy:
    """The hierarchy that `what` names, a file or a builder; `PolicyError` if there is none such."""
    name, _, given = what.partition(":")
    if name not in _BUILDERS and what.lower().endswith(_FILES):
        return File(what)
    if name not in _BUILDERS:
        close = get_close_matches(name, _BUILDERS, n=1)
        known = f"did you mean {close[0]!r}?" if close else "choose one of " + ", ".join(_BUILDERS)
        raise PolicyError(
            f"the hierarchy of {column!r} is neither a .csv file nor a known builder", remedy=known
        )
    try:
        return _BUILDERS[name]([part.strip() for part in given.split(",")] if given else [])
    except FaultyPolicyError as error:
        reason, remedy = error.faults[0].message, error.faults[0].remedy
    except ValueError:
        whole = "whole numbers" if name in {"prefix", "quantiles"} else "numbers"
        reason, remedy = f"its parameters must be {whole}", f"write {name}:5, for example"
    raise PolicyError(f"the hierarchy of {column!r} cannot be {name!r}: {reason}", remedy=remedy)


def _make_intervals(given: Sequence[str]) -> AnyHierarchy:
    """Intervals of these widths; the usual ones if no width is given."""
    widths = tuple(float(width) for width in given)
    if len(widths) > 1:
        return Intervals(widths=widths)
    return Intervals(width=widths[0]) if widths else Intervals()


def _without_parameters(
    make: Callable[[], AnyHierarchy],
) -> Callable[[Sequence[str]], AnyHierarchy]:
    """A function that makes the builder, and raises `PolicyError` if parameters are given."""

    def build(given: Sequence[str]) -> AnyHierarchy:
        if given:
            raise PolicyError("this builder takes no parameters", remedy="leave out the colon")
        return make()

    return build


_BUILDERS: dict[str, Callable[[Sequence[str]], AnyHierarchy]] = {
    "auto": _without_parameters(Suggested),
    "codes": lambda given: CodeList(*given[:1]),  # type: ignore[arg-type]  # pydantic checks
    "cuts": lambda given: Intervals(cuts=tuple(float(cut) for cut in given)),
    "dates": lambda given: Dates(steps=tuple(given)) if given else Dates(),  # type: ignore[arg-type]
    "file": lambda given: File(",".join(given)),
    "flat": lambda given: Flat(values=tuple(given)),
    "intervals": _make_intervals,
    "ordered": lambda given: Ordered(tuple(given)),
    "prefix": lambda given: Prefix(steps=tuple(map(int, given))) if given else Prefix(),
    "quantiles": lambda given: Intervals(quantiles=int(given[0]) if given else 8),
    "regions": _without_parameters(Regions),
    "zip-codes": _without_parameters(ZipCodes),
}


def _gunzip(content: bytes, path: Path) -> bytes:
    """The content unpacked from gzip; errors name the hierarchy file."""
    try:
        return gunzip(content)
    except IncrowdError as error:
        found = type(error)(
            f"the hierarchy file {path.name!r} cannot be read: {error.message}", remedy=error.remedy
        )
    raise found


def _read_text(path: Path) -> str:
    """The text of a hierarchy file, unpacked and decoded; `InputError` if it cannot be read."""
    if not path.is_file():
        raise InputError(
            f"the hierarchy file {str(path)!r} does not exist", remedy="check its name"
        )
    with boundary(InputError(f"the hierarchy file {path.name!r} cannot be read")):
        content = files.read_document(path)
        if path.suffix.lower() == ".gz":
            content = _gunzip(content, path)
        return decode(content, None).data.decode("utf-8-sig")


def _split_lines(text: str, path: Path) -> Lines:
    """The lines of a file that are not blank, split at its delimiter."""
    delimiter = _find_delimiter(text)
    if '"' in text:
        return _split_quoted_lines(text, path, delimiter)
    every = pl.Series(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), dtype=pl.String)
    numbers = (every != "").arg_true()
    fields = every.gather(numbers).str.split(delimiter)
    return Lines(numbers.to_numpy() + np.int64(1), fields.list.len().to_numpy(), fields.explode())


def _split_quoted_lines(text: str, path: Path, delimiter: str) -> Lines:
    """The lines, not blank, of a file with quoted fields; `InputError` for a quote out of place."""
    wrong = InputError(
        f"the hierarchy file {path.name!r} has an open quote, or a quote inside a field",
        remedy="close it, or double it where it belongs to the text",
    )
    with boundary(wrong):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        lines = [(reader.line_num, fields) for fields in reader if fields]
    numbers = np.array([number for number, _ in lines], dtype=np.int64)
    widths = np.array([len(fields) for _, fields in lines], dtype=np.int64)
    every = list(chain.from_iterable(fields for _, fields in lines))
    return Lines(numbers, widths, pl.Series(every, dtype=pl.String))


def _find_delimiter(text: str) -> str:
    """The first delimiter that cuts the first lines evenly, else the one that occurs most there."""
    head = "\n".join(text.splitlines()[:50])
    for delimiter in _DELIMITERS:
        rows = [row for row in csv.reader(io.StringIO(head), delimiter=delimiter) if row]
        if rows and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows):
            return delimiter
    return max(_DELIMITERS, key=head.count)


def _refuse_lines(path: Path, numbers: Counts, what: str, remedy: str) -> None:
    """Raise `InputError` that the lines with these numbers have `what`, unless there are none."""
    if len(numbers):
        raise InputError(
            f"the hierarchy file {path.name!r} has {count_of(len(numbers), 'line')} with {what} "
            f"(first at line {numbers[0]})",
            remedy=remedy,
        )


def _name_without_ending(path: Path) -> str:
    """The file's name without `.csv` or `.csv.gz`; empty if it has neither ending."""
    ending = next((end for end in reversed(_ENDINGS) if path.name.lower().endswith(end)), None)
    return path.name[: -len(ending)] if ending else ""


def _single_path(column: str, paths: list[Path]) -> Path:
    """The one file of a column; `InputError` if there are several."""
    if len(paths) > 1:
        raise InputError(
            f"{len(paths)} files could be the hierarchy of {column!r}",
            remedy=f"name one of them {column}.csv, or choose one with --hierarchy",
        )
    return paths[0]


def builders_of(policy: "Policy", folder: str | os.PathLike[str]) -> dict[str, AnyHierarchy]:
    """The builders that columns have, files read; `Suggested` for quasi-identifiers without one."""
    given = {name: column.hierarchy for name, column in policy.columns.items()}
    given |= {name: given[name] or Suggested() for name in policy.quasi}
    return {
        name: resolve(spec, folder, policy.columns[name].kind)
        for name, spec in given.items()
        if spec is not None
    }
