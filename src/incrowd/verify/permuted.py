"""Exact quasi-identifiers, sensitive values that changed places inside their class.

Xiao and Tao's Anatomy, and the permutation of Ghinita Section 7.4. The second half is part of the
verification: it shares nothing with the search, nor with the first half.
"""

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts
from incrowd.errors import NotMetError
from incrowd.verify.cells import text_of
from incrowd.verify.crowds import Crowds, numbered
from incrowd.verify.shown import sets


def places_drawn(classes: Codes, rng: np.random.Generator) -> Counts:
    """For each record the one whose sensitive cells it shows: one of its class, drawn.

    All orders of a class are equally likely. Records that are left out (class -1) stay.
    """
    moved = np.arange(len(classes), dtype=np.int64)
    kept = np.flatnonzero(classes >= 0)
    drawn = rng.permutation(kept)
    by_class = kept[np.argsort(classes[kept], kind="stable")]
    moved[by_class] = drawn[np.argsort(classes[drawn], kind="stable")]
    return moved


def numbers_shown(classes: Codes, records: Counts) -> Counts:
    """The number of each record's class, 1, 2, … as they come up in the rows that leave.

    So that a number tells nothing that the rows do not. 0 for records that are left out.
    """
    here, first, place = np.unique(classes[records], return_index=True, return_inverse=True)
    rank = np.empty(len(here), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(1, len(here) + 1)
    numbers = np.zeros(len(classes), dtype=np.int64)
    numbers[records] = rank[place]
    return numbers


def by_number(classes: Counts) -> Crowds:
    """The classes of rows that are told by a number."""
    held, class_of = np.unique(classes, return_inverse=True)
    return Crowds(class_of.astype(np.int64), len(held), None, None)


def permuted(before: pl.DataFrame, after: pl.DataFrame, classes: Counts) -> None:
    """Every class shows the sensitive rows that it held, each as often, in whatever order.

    Row i of `before` is what the record of row i of `after` held; all sensitive columns of a record
    change places together.
    """
    rows = len(after)
    both = [pl.concat([text_of(before[name]), text_of(after[name])]) for name in before.columns]
    held = sets([numbered(column).codes for column in both])
    pairs = np.concatenate([classes, classes]) * (int(held.max(initial=0)) + 1) + held
    if (np.sort(pairs[:rows]) != np.sort(pairs[rows:])).any():
        raise NotMetError("a class does not show the sensitive values that its records held")


def told_by(name: str, column: pl.Series, classes: Counts) -> None:
    """The added column has one number for each class, and another for each other class."""
    shown = numbered(column).codes
    pairs = np.unique(np.stack([shown, classes]), axis=1)
    if (shown == 0).any() or not len(np.unique(shown)) == pairs.shape[1] == len(np.unique(classes)):
        raise NotMetError(f"the column {name!r} does not tell the classes apart")
