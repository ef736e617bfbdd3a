"""People by the first three digits of their ZIP codes, from a file."""

import csv
import os

from incrowd.errors import InputError
from incrowd.io.files import content


def read_zip_populations(path: str | os.PathLike[str]) -> dict[str, int]:
    """The counts of a CSV file: in each line three digits and a number of people.

    A first line without a number is its header; further columns are not read.
    """
    name = os.fspath(path)
    try:
        text = content(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    try:
        rows = [row for row in csv.reader(text.splitlines()) if row]
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


def _is_count(row: list[str]) -> bool:
    if len(row) < 2:
        return False
    area, people = row[0].strip(), row[1].strip()
    return len(area) == 3 and (area + people).isascii() and area.isdigit() and people.isdigit()
