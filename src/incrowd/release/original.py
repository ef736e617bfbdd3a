"""The original table of a release, to recount what its certificate says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import MISSING
from incrowd.errors import InputError, NotMetError, count_of
from incrowd.release.certificate import CertifiedWorld, Distribution
from incrowd.release.certify import distribution_of
from incrowd.release.load import LoadedTable, world_of_labels
from incrowd.release.released import ReleasedRows, compared_columns
from incrowd.release.rows import unchanged_columns
from incrowd.table.cells import restore_types
from incrowd.table.column import Kind
from incrowd.table.counted import CountedRows
from incrowd.verify.covering import ColumnPair, count_surplus_records, count_uncovered, keys_of
from incrowd.verify.crowds import number_cells, records_per_code
from incrowd.verify.losses import LossColumn, losses_of_labels
from incrowd.verify.spellings import own_reference
from incrowd.verify.verify import SeenRelease, see_release

_UNTOLD = (
    "Cells show one value for a whole class, so only losses that count classes can be recounted."
)
_OTHER_WORLD = (
    "Labels depend on the world, and this is not the world of the certificate: losses were not "
    "recounted, nor whether every row covers a record of the original."
)


@dataclass(frozen=True)
class Recounted:
    """What the release and its original show together."""

    records: int
    """Records of the original."""
    for_missing: int
    """Those of them that are left out for a missing quasi-identifier."""
    losses: Mapping[str, float]
    spread: Mapping[str, Distribution]
    """By compared column: how the release spreads it, records counted."""
    whole: Mapping[str, Distribution]
    """By compared column: how the original spreads it, as earlier certificates say."""
    kinds: Mapping[str, Kind]
    faults: tuple[str, ...]
    """Why the release cannot be of this original."""
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Original:
    """The original table of a release, coded by its policy."""

    table: LoadedTable

    def recount(
        self, seen: SeenRelease, rows: ReleasedRows, world: CertifiedWorld | None = None
    ) -> Recounted:
        """Recount; no losses if labels depend on a world other than `world`, the certificate's."""
        faults: list[str] = []
        notes = [] if self.table.policy.shown.tells_loss else [_UNTOLD]
        other = self._is_another_world(world)
        if other:
            notes.append(_OTHER_WORLD)
        losses: dict[str, float] = {}
        spread: dict[str, Distribution] = {}
        whole: dict[str, Distribution] = {}
        try:
            spread, whole = self._spreads(rows)
            losses = {} if other else self._losses(seen, rows, notes)
            faults += self._foreign_row_faults(rows, notes, covering=not other)
        except (InputError, NotMetError) as error:
            faults.append(f"The release does not come from this original: {error.message}.")
        return Recounted(
            self.table.engine.records,
            self.table.compiled.left_out_missing,
            losses,
            spread,
            whole,
            self.table.kinds,
            tuple(faults),
            tuple(notes),
        )

    def _spreads(
        self, rows: ReleasedRows
    ) -> tuple[dict[str, Distribution], dict[str, Distribution]]:
        """Return (distributions in the release, those in the original), by compared column."""
        spread, whole = {}, {}
        for name in compared_columns(self.table.policy):
            held, reference = rows.counts((name,)), self.table.reference[name]
            cells = number_cells(held.cells[name])
            spread[name] = distribution_of(reference.count_among(held, name), held.cells[name])
            whole[name] = Distribution.without_labels(reference, cells, of="original")
        return spread, whole

    def _is_another_world(self, world: CertifiedWorld | None) -> bool:
        """Whether labels depend on a world, and `world`, that of the certificate, is another."""
        against = self.table.against
        if against is None or world_of_labels(self.table.policy, against) is None:
            return False
        return world is None or world.digests != against.digests

    def _losses(self, seen: SeenRelease, rows: ReleasedRows, notes: list[str]) -> dict[str, float]:
        """Recount losses by name; none if cells do not tell them, noted if labels are unclear."""
        policy, tally = self.table.policy, self.table.compiled.problem.tally
        if not policy.shown.tells_loss:
            return {}
        columns = {
            name: LossColumn(
                hierarchy,
                seen.quasi[name],
                tally.quasi[j],
                policy.columns[name].weight,
                policy.columns[name].lowest,
            )
            for j, (name, (_, hierarchy)) in enumerate(self.table.quasi.items())
        }
        unclear = [name for name, one in columns.items() if self._has_two_readings(one, seen)]
        if unclear:
            notes.append(
                f"A generalized cell of {unclear[0]!r} looks like an exact or a missing value, "
                "so only losses that count classes can be recounted."
            )
            return {}
        found = losses_of_labels(list(columns.values()), seen.crowds, tally.records)
        return found | self._classification_loss(rows, tally.records)

    def _has_two_readings(self, shown: LossColumn, seen: SeenRelease) -> bool:
        """Whether a cell can be read as one value and as several, or as missing and suppressed.

        The first is so if a value is written as a label, such as `*` or `{a, b}`. The second is so
        of two columns of ends, which are empty for both, if no fewer records of the table miss the
        value than the smallest class with empty cells has.
        """
        values = set(shown.hierarchy.labels[0].tolist())
        if any(n > 1 and t in values for t, n in zip(shown.texts, shown.leaf_counts, strict=True)):
            return True
        leaves = shown.hierarchy.leaves
        split = shown.hierarchy.ordered and leaves.kind is not Kind.TEXT
        if not self.table.policy.split_ends or not split or shown.top not in shown.texts:
            return False
        crowds, tally = seen.crowds, self.table.compiled.problem.tally
        empty = crowds.class_of[shown.cells.codes == shown.texts.index(shown.top) + 1]
        missing = int(tally.counts[shown.held == MISSING].sum())
        return missing >= int(crowds.sizes[empty].min())

    def _classification_loss(self, rows: ReleasedRows, records: int) -> dict[str, float]:
        """The classification loss under its name; empty without a target, or with a unit column."""
        policy = self.table.policy
        target = next(iter(policy.loss.columns), None)
        if target is None or self.table.unit is not None:
            return {}
        seen = see_release(rows.counts((*policy.quasi, target)), policy)
        column, crowds = seen.rows[target], seen.crowds
        reference = own_reference(column, self.table.kinds[target], crowds.records)
        values = np.array([0, *reference.place.values()])[number_cells(column).codes]
        width = int(values.max(initial=0)) + 1
        held, place = np.unique(crowds.class_of * width + values, return_inverse=True)
        most = np.zeros(crowds.number, dtype=np.int64)
        np.maximum.at(most, held // width, records_per_code(place, crowds.records, len(held)))
        return {"classification": (records - int(most.sum())) / records}

    def _foreign_row_faults(
        self, rows: ReleasedRows, notes: list[str], *, covering: bool
    ) -> Iterator[str]:
        """Yield faults: rows of the release that no record of the original can have produced.

        `covering` asks whether labels cover a record; `notes` gets a note if that takes too long.
        """
        table, policy = self.table, self.table.policy
        names = unchanged_columns(policy)
        columns = [column for column, _ in table.quasi.values()]
        before = table.engine.counts(names, columns)
        plain = policy.marks.with_nulls(before.cells, text=table.engine.text or rows.blank)
        before = before.with_cells(plain)
        after = rows.counts(tuple(dict.fromkeys((*policy.quasi, *names))))
        after = after.with_cells(restore_types(after.cells, plain))
        keys = keys_of(before, after)
        if more := count_surplus_records(*keys):
            yield (
                f"{count_of(more, 'row')} of the release {'has' if more == 1 else 'have'} "
                "unchanged values that no remaining record of the original has."
            )
        if not policy.shown.coarsens or not covering:
            return
        bare = count_uncovered(*keys, self._column_pairs(before, after))
        if bare is None:
            notes.append(
                "It was not checked whether every row covers a record of the original: there "
                "are too many pairs of rows to compare."
            )
        elif bare:
            verb = "covers" if bare == 1 else "cover"
            yield f"{count_of(bare, 'row')} of the release {verb} no record of the original."

    def _column_pairs(self, before: CountedRows, after: CountedRows) -> list[ColumnPair]:
        """Pair what a release shows and what its original holds, by quasi-identifying column."""
        shown = {name: number_cells(after.cells[name]) for name in self.table.quasi}
        return [
            ColumnPair(
                shown[name].codes,
                before.codes[name],
                hierarchy.decode_all([*shown[name].labels.to_list(), None]),
            )
            for name, (_, hierarchy) in self.table.quasi.items()
        ]
