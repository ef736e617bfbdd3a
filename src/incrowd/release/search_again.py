"""Searching other tables of a world as the table itself was searched."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from incrowd.arrays import MISSING, Counts
from incrowd.engines.base import Staged
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.memory_release import MemoryStaged
from incrowd.errors import InfeasibleError, NotMetError
from incrowd.policy.policy import Policy
from incrowd.release.load import HierarchyBuilder, LoadedTable, RunContext, load
from incrowd.verify.spellings import end_names

Cells = tuple[str, ...]
"""What a record shows in the quasi-identifying columns, as text; empty where missing."""


@dataclass(frozen=True, eq=False)
class SearchAgain:
    """Makes the release of other tables that could be drawn from the world of a table."""

    table: LoadedTable
    builders: Mapping[str, HierarchyBuilder]
    release: Callable[[LoadedTable, RunContext], Staged]
    """Searches a table and stages its rows."""
    context: RunContext

    def __call__(self, rows: Counts) -> list[Cells | None] | None:
        """Search a table of these rows of the world; return what each of its records shows.

        None stands for a record that is left out; the whole is None if nothing can be released.
        """
        engine = MemoryEngine(self._people[rows.tolist()], text=False)
        try:
            other = load(engine, self._policy, self.builders, self.table.against)
            staged = self.release(other, self.context)
        except (InfeasibleError, NotMetError):
            return None
        assert isinstance(staged, MemoryStaged)  # noqa: S101  the table is in memory
        shown: list[Cells | None] = [None] * len(rows)
        cells = _row_texts(staged.rows)
        for record, one in zip(staged.take.tolist(), cells, strict=True):
            shown[record] = one
        return shown

    @cached_property
    def _policy(self) -> Policy:
        """The policy for the columns that the search uses."""
        columns = {name: self.table.policy.columns[name] for name in self.table.policy.quasi}
        return self.table.policy.model_copy(update={"columns": columns})

    @cached_property
    def _people(self) -> pl.DataFrame:
        """The world as a table with the columns that the search uses."""
        columns = []
        for name in self._policy.quasi:
            column = self.table.world.world.columns[name]
            values = pl.Series(name, np.asarray(column.domain.values)).extend_constant(None, 1)
            place = np.where(column.codes == MISSING, len(column.domain), column.codes - 1)
            columns.append(values.gather(place))
        return pl.DataFrame(columns)


def count_shown_rows(staged: Staged, quasi: Sequence[str]) -> Counter[Cells | None]:
    """Count released records by their texts in the quasi-identifying columns; no key is None."""
    names = [
        stored
        for name in quasi
        for stored in ((name,) if name in staged.names else end_names(name))
    ]
    rows = staged.counts(names)
    shown: Counter[Cells | None] = Counter()
    for cells, records in zip(_row_texts(rows.cells), rows.records.tolist(), strict=True):
        shown[cells] += records
    return shown


def _row_texts(rows: pl.DataFrame) -> Iterator[Cells]:
    """Yield the cells of each row as texts, empty for a missing one."""
    for row in rows.rows():
        yield tuple("" if cell is None else str(cell) for cell in row)
