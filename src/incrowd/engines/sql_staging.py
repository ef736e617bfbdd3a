"""Stage the rows that leave a table in a database: the class of each record, and its cells."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from incrowd.engines.base import RowPlan
from incrowd.engines.sql import as_tuple, place_of
from incrowd.engines.sql_counting import SqlCounting
from incrowd.engines.sql_keys import PackedKeys
from incrowd.errors import PolicyError
from incrowd.recoding.column_cells import ByClass, ByValue, Cell, ClassNumber, Keep, Within

_LINES = 2**20
"""Lines that are sent to a database at a time."""


@dataclass(frozen=True, eq=False)
class Staging:
    """A plan that is carried out in a database: makes the tables `assigned` and `staged`."""

    engine: SqlCounting
    plan: RowPlan

    @property
    def coded_rows(self) -> str:
        """A query of the records that may leave: number `row`, codes k0, k1, … and person `u`."""
        plan = self.plan
        joined = self.engine.join_codes((*plan.coded, *as_tuple(plan.unit)))
        shown = [
            f"{joined.code_expression(column.name)} AS k{j}" for j, column in enumerate(plan.coded)
        ]
        shown.append(
            "0 AS u" if plan.unit is None else f"{joined.code_expression(plan.unit.name)} AS u"
        )
        whole = plan.coded[: plan.quasi if plan.complete else 0]
        where = joined.where_clause(column.name for column in whole)
        return f"SELECT source.row, {', '.join(shown)} FROM {joined.text} {where}"

    def assign_classes(self, secret: str) -> None:
        """Make the table `assigned` of the records that leave: row number, codes, person, class.

        The class is 0 for all if nothing depends on it. Which of equal records go into which class
        is drawn with `secret`.
        """
        database, coded = self.engine.database, self.coded_rows
        if not _needs_classes(self.plan):
            database.make("assigned", f"SELECT coded.*, 0 AS class FROM ({coded}) coded")
            return
        keys = PackedKeys(tuple(len(column.domain) + 1 for column in self.plan.coded))
        self._put_pieces(keys)
        codes = [f"k{j}" for j in range(len(self.plan.coded))]
        shown = ", ".join(["row", *(f"coded.{code}" for code in codes), "u"])
        packed = keys.expressions([f"coded.{code}" for code in codes])
        pairs = zip(packed, keys.names, strict=True)
        same = " AND ".join(f"{key} = pieces.{name}" for key, name in pairs)
        if _splits_equal_records(self.plan):
            drawn = database.random_number(secret, "row")
            coded = (
                f"SELECT {shown}, row_number() OVER (PARTITION BY {', '.join(codes)} "
                f"ORDER BY {drawn}, row) - 1 AS place FROM ({coded}) coded"
            )
            same += " AND place >= first_place AND place < last_place"
        database.make(
            "assigned",
            f"SELECT {shown}, class FROM ({coded}) coded JOIN pieces ON {same} WHERE class >= 0",
        )

    def _put_pieces(self, keys: PackedKeys) -> None:
        """Put the lines of `_class_lines` into the database as the table `pieces`."""
        put = self.engine.database.put
        for lines in self._class_lines(keys):
            put("pieces", lines)
            put = self.engine.database.add

    def _class_lines(self, keys: PackedKeys) -> Iterator[pl.DataFrame]:
        """Lines of a coded row's packed keys and its class, in frames of limited size.

        If equal records go into several classes, a line also has their range of places among the
        equal records, from 0: `first_place` up to, but without, `last_place`.
        """
        tally, pieces = self.plan.tally, self.plan.pieces
        every, whole = np.arange(len(pieces.row)), not _splits_equal_records(self.plan)
        if not whole:
            every = np.argsort(pieces.row, kind="stable")
            upto = np.cumsum(pieces.count[every])
            start = np.concatenate([[0], np.cumsum(tally.counts)])
        for begin in range(0, max(len(every), 1), _LINES):
            some = every[begin : begin + _LINES]
            row = pieces.row[some]
            codes = np.concatenate([tally.quasi[:, row], tally.sensitive[:, row]])
            lines = dict(zip(keys.names, keys.pack(codes), strict=True))
            if not whole:
                last = upto[begin : begin + _LINES] - start[row]
                lines |= {"first_place": last - pieces.count[some], "last_place": last}
            yield pl.DataFrame({**lines, "class": pieces.class_of[some]})

    def stage_rows(self, order: str, within: str, *, by_job: bool = False) -> None:
        """Make the table `staged` of the records that leave; what they show is s0, s1 and so on.

        `order` is the secret that numbers of classes are drawn with, `within` the one for cells
        that change places. With `by_job` a job on parts has made the cells shown by class.
        """
        plan, database = self.plan, self.engine.database
        tables, shown = [], []
        for j, (name, cell) in enumerate(plan.cells.items()):
            if by_job and isinstance(cell, ByClass):
                text, joins = f"assigned.s{j}", ""
            else:
                text, joins = self._cell_expression(j, name, cell, order)
            shown.append(f"{text} AS s{j}")
            tables.append(joins)
        if any(isinstance(cell, Within) for cell in plan.cells.values()):
            drawn = database.random_number(within, "row")
            ranked = (
                "SELECT row, class, row_number() OVER (PARTITION BY class ORDER BY row) AS here, "
                f"row_number() OVER (PARTITION BY class ORDER BY {drawn}, row) AS there "
                "FROM assigned"
            )
            database.make(
                "moved",
                f"SELECT mine.row AS row, theirs.row AS other FROM ({ranked}) mine "
                f"JOIN ({ranked}) theirs ON mine.class = theirs.class AND mine.here = theirs.there",
            )
            tables.insert(
                0, "JOIN moved ON moved.row = assigned.row JOIN source theirs ON theirs.row = other"
            )
        keys = ", ".join(f"assigned.k{j}" for j in range(len(plan.coded)))
        database.make(
            "staged",
            f"SELECT assigned.row, assigned.class, assigned.u, {keys}, {', '.join(shown)} "
            f"FROM assigned JOIN source ON source.row = assigned.row {' '.join(tables)}",
        )

    def _cell_expression(  # noqa: PLR0911  one answer per kind of cell
        self, j: int, name: str, cell: Cell, order: str
    ) -> tuple[str, str]:
        """The expression of what column j (`name`) shows, and the joins that it needs.

        Puts the joined tables into the database. `order` is as in `stage_rows`. `PolicyError` for a
        cell that the database cannot show.
        """
        engine, database = self.engine, self.engine.database
        match cell:
            case Keep():
                return f"source.{engine.cell(name)}", ""
            case Within():
                return f"theirs.{engine.cell(name)}", ""
            case ClassNumber():
                drawn = database.random_number(order, "row")
                numbers = (
                    f"(SELECT class, row_number() OVER (ORDER BY min({drawn}), class) AS number "
                    f"FROM assigned GROUP BY class) t{j}"
                )
                return f"t{j}.number", f"JOIN {numbers} ON t{j}.class = assigned.class"
            case ByValue(column, labels):
                values = engine.entries(name).values.alias("value")
                texts = pl.Series("label", labels.tolist(), dtype=pl.String)
                database.put(f"label{j}", pl.DataFrame([values, texts.gather(column.codes)]))
                same = database.equality(f"t{j}.value", f"source.{engine.cell(name)}")
                return f"t{j}.label", f"JOIN label{j} t{j} ON {same}"
            case ByClass(original=True):
                return self._original_expression(j, name, f"assigned.k{place_of(self.plan, name)}")
            case ByClass(value=(_, codes)):
                every = np.arange(len(codes), dtype=np.int32)
                database.put(f"chosen{j}", pl.DataFrame({"class": every, "code": codes}))
                text, joins = self._original_expression(j, name, f"w{j}.code")
                return text, f"JOIN chosen{j} w{j} ON w{j}.class = assigned.class {joins}"
            case ByClass(labels, typed=typed):
                shown = labels.tolist()
                texts = pl.Series("label", shown, dtype=None if typed else pl.String)
                classes = pl.Series("class", np.arange(len(labels), dtype=np.int32))
                database.put(f"label{j}", pl.DataFrame([classes, texts]))
                return f"t{j}.label", f"JOIN label{j} t{j} ON t{j}.class = assigned.class"
            case _:
                raise PolicyError(
                    f"{database.name} cannot show the column {name!r} this way",
                    remedy="read the table into memory",
                )

    def _original_expression(self, j: int, name: str, code: str) -> tuple[str, str]:
        """The expression of a code's original value, and the join that it needs.

        A shared code shows its first value, code 0 a missing cell. Stores the joined table.
        """
        engine, database = self.engine, self.engine.database
        column = next(column for column in self.plan.coded if column.name == name)
        entries = engine.entries(name)
        first = np.unique(column.codes, return_index=True)[1]
        values = entries.values.gather(first)
        codes = pl.Series("code", column.codes[first])
        gone = pl.Series((column.codes[first] == 0).tolist(), dtype=pl.Boolean)
        nothing = pl.Series([None], dtype=values.dtype)
        shown = values.zip_with(~gone, nothing).alias("value")
        database.put(f"value{j}", pl.DataFrame([codes, shown]))
        return f"t{j}.value", f"JOIN value{j} t{j} ON t{j}.code = {code}"


def _needs_classes(plan: RowPlan) -> bool:
    """Whether what a record shows, or whether it leaves, depends on its class."""
    by_value = all(isinstance(cell, Keep | ByValue) for cell in plan.cells.values())
    return not by_value or bool((plan.pieces.class_of < 0).any())


def _splits_equal_records(plan: RowPlan) -> bool:
    """Whether equal records go into several classes."""
    return len(plan.pieces.row) > plan.tally.rows
