"""Small files beside a table: workloads of queries, and people by ZIP area."""

import csv
import os

from incrowd.errors import InputError
from incrowd.io.files import content
from incrowd.loss.queries_workload import Workload, parse


def read_workload(path: str | os.PathLike[str]) -> Workload:
    """The workload of a text file, one query per line."""
    name, text = os.fspath(path), _text(path)
    if text is None:
        raise InputError(f"the workload {name!r} is not UTF-8 text", remedy="save it as UTF-8")
    return parse(text, name)


def read_zip_populations(path: str | os.PathLike[str]) -> dict[str, int]:
    """People by the first three digits of their ZIP codes, from a CSV file.

    Each line has three digits and a number of people. A first line without a number is the header;
    further columns are ignored.
    """
    name = os.fspath(path)
    try:
        rows = [row for row in csv.reader((_text(path) or "").splitlines()) if row]
    except csv.Error:  # it quotes no cell, but says nothing that would help either
        rows = []
    if rows and not _is_count(rows[0]):
        rows = rows[1:]
    wrong = [number for number, row in enumerate(rows, start=1) if not _is_count(row)]
    if wrong or not rows:
        counted = f"{len(wrong)} of {len(rows)} lines" if rows else "no line"
        raise InputError(
            f"{name!r} is not a list of people by ZIP area: {counted} "
            + ("cannot be read" if rows else "can be read"),
            remedy="write three digits, a comma and a whole number in each line: 036,13153",
        )
    return {row[0].strip(): int(row[1]) for row in rows}


def _text(path: str | os.PathLike[str]) -> str | None:
    """The text of a file; None if it is not UTF-8."""
    try:
        return content(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _is_count(row: list[str]) -> bool:
    if len(row) < 2:
        return False
    area, people = row[0].strip(), row[1].strip()
    return len(area) == 3 and (area + people).isascii() and area.isdigit() and people.isdigit()
