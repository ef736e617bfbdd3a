"""The tables and hierarchies of ../shared/data/arx as problems, if that folder is there."""

import csv
import gzip
from functools import cache
from pathlib import Path

import numpy as np

from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.partition.classes import SensitiveColumn, number_columns
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.table.column import Domain, Kind
from incrowd.table.tally import Tally

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "arx"
ONE_EUROPE = {"Europa": "Europe"}
"""The file of countries spells one region of a single country differently; ARX's published optimum
of Adult with 5 % suppressed is that of the table in which it is the same region."""
ABSENT = "the folder ../shared/data/arx is absent"
ADULT = "sex age race marital-status education native-country workclass occupation salary-class"
CUP = "ZIP AGE GENDER INCOME STATE RAMNTALL NGIFTALL MINRAMNT"


def problem(table, models, loss, suppression=0.0, **options):
    """Adult or cup with all columns as quasi-identifiers, or some of them as sensitive."""
    names = {"adult": ADULT, "cup": CUP}[table].split()
    hidden = options.get("sensitive", ())
    quasi = [name for name in names if name not in hidden]
    trees, codes = _coded(table, tuple(options.get("spelling", {}).items()))
    matrix = np.array([codes[name] for name in (*quasi, *hidden)], dtype=np.int32)
    row_of, number = number_columns(matrix)
    rows = np.empty((len(matrix), number), dtype=np.int32)
    rows[:, row_of] = matrix
    counts = np.bincount(row_of)
    nobody = np.empty(0, dtype=np.int32)
    counts = counts.astype(np.int64)
    split = len(quasi)
    tally = Tally(rows[:split], rows[split:], counts, counts, nobody, nobody, None, row_of)
    columns = tuple(
        QuasiColumn(name, trees[name], np.bincount(codes[name], minlength=_leaves(trees, name)))
        for name in quasi
    )
    secret = tuple(_sensitive(name, codes[name], trees[name]) for name in hidden)
    return Problem(tally, columns, secret, tuple(models), loss, suppression)


@cache
def _coded(table, spelling):
    """The hierarchies and codes of all columns, read once for many tests."""
    cells = _cells(table)
    names = {"adult": ADULT, "cup": CUP}[table].split()
    trees = {name: _hierarchy(table, name, dict(spelling)) for name in names}
    codes = {name: _codes(cells[name], trees[name]) for name in names}
    for column in codes.values():
        column.flags.writeable = False
    return trees, codes


def _sensitive(name, codes, tree):
    whole = np.bincount(codes, minlength=len(tree.leaves) + 1)
    return SensitiveColumn(name, whole, ordered=tree.ordered, maps=tree.maps)


def _leaves(trees, name):
    return len(trees[name].leaves) + 1


def _read(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file, delimiter=";") if row]


def _cells(table):
    header, *rows = _read(FOLDER / f"{table}.csv.gz")
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def _hierarchy(table, name, spelling):
    (path,) = (FOLDER / "hierarchies").glob(f"{table}_hierarchy_{name}.csv*")
    rows = [[spelling.get(text, text) for text in row] for row in _read(path)]
    ordered = all(_number(row[0]) for row in rows)
    place = _first_places(rows, ordered=ordered)
    rows.sort(key=lambda row: [place[level][row[level]] for level in range(len(row) - 1, -1, -1)])
    maps = [np.arange(len(rows) + 1)]
    for level in range(1, len(rows[0])):
        texts = [row[level] for row in rows]
        new = [a != b for a, b in zip(texts, [None, *texts[:-1]], strict=True)]
        maps.append(np.concatenate([[0], np.cumsum(new)]))
    maps[-1] = np.ones(len(rows) + 1)
    labels = tuple(
        np.array(list(dict.fromkeys(row[h] for row in rows)), dtype=object)
        for h in range(len(rows[0]))
    )
    kind = Kind.NUMBER if ordered else Kind.TEXT
    values = [float(row[0]) for row in rows] if ordered else [row[0] for row in rows]
    leaves = Domain(kind, np.array(values, dtype=float if ordered else object))
    return Hierarchy(leaves, np.array(maps, dtype=np.int32), labels, ordered=ordered)


def _first_places(rows, *, ordered):
    """Per level: where each label comes in the order, children inside their parents."""
    if ordered:
        rows = sorted(rows, key=lambda row: float(row[0]))
    places = []
    for level in range(len(rows[0])):
        places.append({})
        for i, row in enumerate(rows):
            places[level].setdefault(row[level], i)
    return places


def _number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _codes(cells, tree):
    labels = tree.labels[0]
    place = {text: i for i, text in enumerate(labels, 1)}
    return np.array([place[cell] for cell in cells], dtype=np.int32)
