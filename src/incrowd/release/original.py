"""The table that a release is said to be of: what it shows of the release and its certificate."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import MISSING
from incrowd.errors import InputError, NotMetError, counted
from incrowd.release.certificate import Spread
from incrowd.release.leaving import unchanging
from incrowd.release.prepared import Table, spreads
from incrowd.table.column import Kind
from incrowd.verify.cells import readable, typed
from incrowd.verify.covering import Sides, keys_of, surplus, uncovered
from incrowd.verify.crowds import numbered
from incrowd.verify.losses import Shown, recounted
from incrowd.verify.spellings import own_reference
from incrowd.verify.verify import Seen


@dataclass(frozen=True)
class Recounted:
    """What release and original show together."""

    records: int
    """Records of the original."""
    for_missing: int
    """Those of them that lack a quasi-identifying value, if such are left out."""
    losses: Mapping[str, float]
    spread: Mapping[str, Spread]
    kinds: Mapping[str, Kind]
    faults: tuple[str, ...]
    """Why the release cannot be of this original."""
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Original:
    """The table that a release is said to be of, coded by its policy."""

    table: Table

    def recount(self, seen: Seen) -> Recounted:
        """All that release and original tell without what a search did."""
        faults: list[str] = []
        notes = list(self._untold())
        losses: dict[str, float] = {}
        spread: dict[str, Spread] = {}
        try:
            spread = spreads(self.table, seen.rows)
            losses = self._losses(seen, notes)
            faults += self._strange(seen, notes)
        except (InputError, NotMetError) as error:
            faults.append(f"The release cannot be of this original: {error.message}.")
        return Recounted(
            len(self.table.rows),
            self.table.compiled.left_out_missing,
            losses,
            spread,
            self.table.kinds,
            tuple(faults),
            tuple(notes),
        )

    def _untold(self) -> Iterator[str]:
        if self.table.policy.show == "representatives":
            yield (
                "Cells show one value for a whole class, so losses cannot be recounted from them, "
                "but for those that count classes."
            )

    def _losses(self, seen: Seen, notes: list[str]) -> dict[str, float]:
        policy, there = self.table.policy, self.table.compiled.tally_records
        if policy.show == "representatives":
            return {}
        columns = {
            name: Shown(
                hierarchy,
                seen.quasi[name],
                column.codes[there],
                policy.columns[name].weight,
                policy.columns[name].lowest,
            )
            for name, (column, hierarchy) in self.table.quasi.items()
        }
        if unclear := [name for name, shown in columns.items() if self._two_readings(shown, seen)]:
            notes.append(
                f"In {unclear[0]!r} a coarse cell looks like one with an exact or a missing value, "
                "so losses cannot be recounted, but for those that count classes."
            )
            return {}
        found = recounted(list(columns.values()), seen.crowds.class_of, len(there))
        return found | self._classification(seen, len(there))

    def _two_readings(self, shown: Shown, seen: Seen) -> bool:
        """Whether a cell may hold a value or stand for several.

        That is so if a value is a literal `*` or `{a, b}`, and of two columns of ends, which are
        empty for missing values and for suppressed ones.
        """
        values = set(shown.hierarchy.labels[0].tolist())
        if any(n > 1 and t in values for t, n in zip(shown.texts, shown.leaves, strict=True)):
            return True
        leaves = shown.hierarchy.leaves
        split = shown.hierarchy.ordered and leaves.kind is not Kind.TEXT
        if not self.table.policy.split_ends or not split or shown.top not in shown.texts:
            return False
        class_of = seen.crowds.class_of
        empty = class_of[shown.cells.codes == shown.texts.index(shown.top) + 1]
        return int((shown.held == MISSING).sum()) >= int(np.bincount(class_of)[empty].min())

    def _classification(self, seen: Seen, records: int) -> dict[str, float]:
        """The share of records that are left out or outside their class's majority."""
        target = getattr(self.table.policy.loss, "target", None)
        if target is None or self.table.unit is not None:
            return {}
        column = seen.rows[target]
        reference = own_reference(column, self.table.kinds[target])
        values = np.array([0, *reference.place.values()])[numbered(column).codes]
        pairs = seen.crowds.class_of * (int(values.max(initial=0)) + 1) + values
        held, times = np.unique(pairs, return_counts=True)
        most = np.zeros(seen.crowds.number, dtype=np.int64)
        np.maximum.at(most, held // (int(values.max(initial=0)) + 1), times)
        return {"classification": (records - int(most.sum())) / records}

    def _strange(self, seen: Seen, notes: list[str]) -> Iterator[str]:
        """Rows that no record of the original can have become."""
        table, names = self.table, list(unchanging(self.table.policy))
        before = readable(table.rows.select(names), table.policy.missing_values, text=table.text)
        after = typed(seen.rows.select(names), before)
        # Polars forgets how many rows a table without columns has.
        alike = np.zeros(len(table.rows), np.int64), np.zeros(len(seen.rows), np.int64)
        keys = keys_of(before, after) if names else alike
        if more := surplus(*keys):
            yield (
                f"{counted(more, 'row')} of the release "
                f"{'holds' if more == 1 else 'hold'} what no record of the original has left."
            )
        if table.policy.show not in {"spans", "sets"}:
            return
        bare = uncovered(*keys, self._sides(seen))
        if bare is None:
            notes.append(
                "Whether every row covers a record of the original was not counted: too many rows "
                "could be of too many records."
            )
        elif bare:
            verb = "covers" if bare == 1 else "cover"
            yield f"{counted(bare, 'row')} of the release {verb} no record of the original."

    def _sides(self, seen: Seen) -> list[Sides]:
        return [
            Sides(
                seen.quasi[name].codes,
                column.codes,
                hierarchy.decode_all([*seen.quasi[name].labels.to_list(), None]),
            )
            for name, (column, hierarchy) in self.table.quasi.items()
        ]
