"""The table of ../shared/data/census-sal as a problem, if that folder is there."""

import gzip
from functools import cache
from pathlib import Path

import numpy as np

from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.partition.classes import SensitiveColumn
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.table.column import Domain, Kind
from incrowd.table.fold import fold

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "census-sal"
ABSENT = "the folder ../shared/data/census-sal is absent"
NAMES = ("age", "gender", "education", "marital", "race", "work-class", "country", "salary")


def problem(models, loss, records=500_000, columns=7, *, sensitive=False, seed=0):
    """So many records drawn at random, and the first columns as quasi-identifiers."""
    codes = _codes()
    if records < codes.shape[1]:
        drawn = np.random.default_rng(seed).choice(codes.shape[1], records, replace=False)
        codes = np.ascontiguousarray(codes[:, np.sort(drawn)])
    trees = _hierarchies()[:columns]
    quasi = tuple(
        QuasiColumn(name, tree, np.bincount(column, minlength=len(tree.leaves) + 1))
        for name, tree, column in zip(NAMES, trees, codes, strict=False)
    )
    secret = codes[7:] if sensitive else codes[:0]
    held = tuple(SensitiveColumn("salary", np.bincount(s, minlength=51)) for s in secret)
    tally = fold(list(codes[:columns]), list(secret))
    return Problem(tally, quasi, held, tuple(models), loss)


@cache
def _codes():
    """The cells, numbered from 1 up."""
    with gzip.open(FOLDER / "sal500k.txt.gz") as file:
        cells = np.array(file.read().split(), dtype=np.int32).reshape(-1, len(NAMES))
    first = np.array([low for low, _ in _domains()], dtype=np.int32)
    return np.ascontiguousarray((cells - first + 1).T)


def _domains():
    lines = (FOLDER / "domains.txt").read_text().split("\n")
    return [tuple(map(int, line.split())) for line in lines if line.split()]


@cache
def _hierarchies():
    files = (FOLDER / "hiers.txt").read_text().split()
    return [
        _numbers(*domain) if file == "*" else _tree(FOLDER / file, *domain)
        for file, domain in zip(files, _domains(), strict=True)
    ]


def _numbers(low, high):
    values = np.arange(low, high + 1)
    maps = np.array([np.arange(len(values) + 1), np.ones(len(values) + 1)], dtype=np.int32)
    labels = (values.astype(str).astype(object), np.array(["*"], dtype=object))
    return Hierarchy(Domain(Kind.NUMBER, values), maps, labels, ordered=True)


def _tree(path, low, high):
    """The levels of a hierarchy file: how many, then the runs of leaves of each."""
    numbers = iter(map(int, path.read_text().split()))
    maps = [np.arange(high - low + 2)]
    for _ in range(next(numbers)):
        nodes = np.zeros(high - low + 2, dtype=np.int64)
        for node in range(1, next(numbers) + 1):
            first, last = next(numbers), next(numbers)
            nodes[first - low + 1 : last - low + 2] = node
        maps.append(nodes)
    maps[-1][:] = 1
    labels = tuple(
        np.array([f"{h}.{node}" for node in range(1, nodes.max() + 1)], dtype=object)
        for h, nodes in enumerate(maps)
    )
    return Hierarchy(Domain(Kind.TEXT, labels[0]), np.array(maps, dtype=np.int32), labels)
