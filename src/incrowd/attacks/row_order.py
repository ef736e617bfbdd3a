"""Row order: a kept order gives everybody away by position (Sweeney's unsorted matching)."""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.attacks.attack import Attack, columns_phrase, part_phrase
from incrowd.attacks.rates import Rate, chance_of_guess
from incrowd.kernels.linkage import fits as kernels
from incrowd.linkage.fit import Fit
from incrowd.partition.csr import find_keys, group_by_owner, owners

_SHUFFLES = 3


def row_order(fit: Fit, truth: Counts | None = None, seed: int = 0) -> Attack:
    """Play row order: how often the position of a released row reveals its record.

    The attacker takes row i for record i; if rows were left out, for the first record that fits it
    after that of the previous row. With `truth`, the record of each row (-1 if unknown), hits are
    counted. Without it, the share of rows that kept their position is estimated from how many more
    of them fit than would by chance; the rest is right as often as a guess. `fit` uses all columns
    that the two tables share, in data that is not joint. The baseline is a blind guess.
    """
    order = _Order(fit)
    records, rows = fit.data.people.records, fit.data.shown.records
    place = order.places(np.arange(rows))
    fitting = float((place >= 0).mean()) if rows else 0.0
    chance = order.chance(seed)
    guess = chance_of_guess(records)
    kept = max(0.0, (fitting - chance) / (1 - chance)) if chance < 1 else 0.0
    success = kept + (1 - kept) * guess
    if truth is not None and rows:
        success = float(((place == truth) & (place >= 0)).mean())
    return Attack(
        kind="row-order",
        knows=fit.names,
        rate=Rate.of_expectation(success * rows, rows),
        baseline=guess,
        says=(
            "Somebody who has seen the original takes the first released row for its first record, "
            f"and so on. In {columns_phrase(fit.names)}, {part_phrase(fitting, 'the rows')} fit "
            f"that record; in a random order {part_phrase(chance, 'them')} would. The position of "
            "a row tells whose it is for "
            f"{part_phrase(success, 'the rows')}{' (an estimate)' if truth is None else ''}."
        ),
        figures={"fitting": fitting, "chance": chance, "correlation": order.correlation},
    )


@dataclass(frozen=True, eq=False)
class _Order:
    """Released rows and records of the original, each in their order."""

    fit: Fit

    @property
    def _rows(self) -> Codes:
        """The class of each released row."""
        return self.fit.rows.class_of[self.fit.data.shown.row_of]

    @property
    def _records(self) -> Codes:
        """The class of each record."""
        return self.fit.people.class_of[self.fit.data.people.row_of]

    def places(self, order: Counts) -> Counts:
        """The record that the attacker takes each row for if rows had this order; -1 for none."""
        rows, records = self._rows[order], self._records
        if len(rows) == len(records):
            here = np.arange(len(rows))
            return np.where(self._fits(records, rows), here, -1)
        return self._first_fits(rows, records)

    def _fits(self, record: Codes, row: Codes) -> Flags:
        """Per row: whether its class fits the record's class."""
        begin, person = self.fit.pairs
        domain = max(len(self.fit.people.sizes), 1)
        pairs = np.sort(owners(begin) * domain + person)
        return find_keys(pairs, row.astype(np.int64) * domain + record)[1]

    def _first_fits(self, rows: Codes, records: Codes) -> Counts:
        """Per row: the first record that fits it after that of the previous row; -1 for none."""
        start, order = group_by_owner(records, len(self.fit.people.sizes))
        return kernels.first_fits(rows, self.fit.pairs, start, order)

    def chance(self, seed: int) -> float:
        """Share of rows that fit in a random order, exact or by shuffles; 0 if a table is empty."""
        rows, records = len(self._rows), len(self._records)
        if not rows or not records:
            return 0.0
        if rows == records:
            pairs = self.fit.people_fitting * self.fit.rows.sizes
            return float(pairs.sum()) / rows / records
        rng = np.random.default_rng(seed)
        drawn = [self.places(rng.permutation(rows)) for _ in range(_SHUFFLES)]
        return float(np.mean([(place >= 0).mean() for place in drawn]))

    @property
    def correlation(self) -> float:
        """The correlation of rows' positions with those of records that fit; 0 if undefined."""
        fit = self.fit
        places = np.zeros(len(fit.people.sizes), dtype=np.int64)
        np.add.at(places, self._records, np.arange(len(self._records)))
        mean = kernels.sum_members(*fit.pairs, places) / np.maximum(fit.people_fitting, 1)
        there = fit.people_fitting[self._rows] > 0
        here, expected = np.flatnonzero(there), mean[self._rows][there]
        if len(here) < 2 or np.ptp(expected) == 0:
            return 0.0
        return float(np.corrcoef(here, expected)[0, 1])
