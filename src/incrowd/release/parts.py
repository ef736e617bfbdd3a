"""Release a large table part by part: its rows are never all in one place.

Columns are counted as a whole, so that hierarchies and what cells cost are those of the whole
table; rows are drawn into a sample, which decides how the table is cut into parts; each part is
searched by itself where the engine has it. Models are bound to the whole table, and so are the
shares of sensitive values; of each part as large a share may be left out as of the table.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl

from incrowd.arrays import Codes
from incrowd.engines.base import Can, Engine, PartEngine, RowPlan, Staged
from incrowd.errors import InfeasibleError, count_of
from incrowd.models.model import counts_world_people
from incrowd.partition.classes import Classes
from incrowd.policy.compile import Sampler
from incrowd.policy.policy import Policy
from incrowd.problem import Problem
from incrowd.recoding import Outcome, Pieces, Spans
from incrowd.recoding.column_cells import ByClass
from incrowd.recoding.recoding import classes_of_records
from incrowd.recoding.show.transformation import Transformation
from incrowd.recoding.spans import number_shown
from incrowd.release.certificate import sha256_of
from incrowd.release.load import LoadedTable, RunContext, overtime_of
from incrowd.release.policy_record import redact
from incrowd.release.rows import plan_rows
from incrowd.search.compared import depends_on_left_out
from incrowd.search.layout import boxes_of
from incrowd.search.parts import SAMPLE, PartTree, tree_of
from incrowd.search.refusals import raise_if_infeasible
from incrowd.search.search import Found, Search
from incrowd.table.column import Missing
from incrowd.table.fold import fold
from incrowd.table.tally import Tally
from incrowd.watch import Watch

ABOVE = 2**22
"""Records above which a table that is not in memory is released in parts."""
_RECORD = 500
"""Bytes of memory that a record takes where a table is released as a whole, about."""
PART = 2**18
"""About so many records are in a part."""
_FILLED = 100
"""A part has at least so many times the people of the smallest class."""
_NONE = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class PartRelease:
    """How a table is released in parts: by which search, from which sample."""

    engine: PartEngine
    search: Search

    @property
    def sampler(self) -> Sampler:
        """Draws the sample of the table."""
        return partial(self.engine.tally_of_sample, records=SAMPLE)


def part_release_of(engine: Engine, policy: Policy, above: int = ABOVE) -> PartRelease | None:
    """Say how a table is released in parts; None if it is released as a whole.

    It is released in parts if it has more than `above` records (fewer if memory is limited), is not
    in memory and local recoding shows spans. Not if the policy asks for something that needs all
    rows at once, such as a model of a world, a kept order or a loss of rows.
    """
    search, shown = policy.search.by_parts, policy.shown
    if search is None or not isinstance(engine, PartEngine):
        return None
    if engine.memory is not None:
        above = min(above, engine.memory // _RECORD)
    if engine.records <= above:
        return None
    spans = shown.spans and shown.coarsens and not (shown.sets or shown.exact)
    plain = not (policy.split_ends or policy.class_column or policy.order == "keep")
    plain = plain and not (policy.consistent and policy.unit)
    alone = policy.missing is not Missing.MATCHES_ANYTHING and not any(
        map(counts_world_people, policy.models)
    )
    rows = policy.loss.needs_rows or bool(policy.loss.columns)
    fits = Can.PARTS in engine.can and spans and plain and alone and not rows
    return PartRelease(engine, search) if fits else None


@dataclass(frozen=True, eq=False)
class StagedRelease:
    """What a search found, and the rows that are to leave for it."""

    found: Found
    outcome: Outcome
    plan: RowPlan
    staged: Staged


def stage_in_parts(table: LoadedTable, release: PartRelease, context: RunContext) -> StagedRelease:
    """Search each part and stage what leaves of it.

    A part does not know whom the others leave out: where classes are compared with the release, no
    part leaves out anybody, so that the release is spread as the records that may leave.
    """
    problem, engine = table.compiled.problem, release.engine
    if depends_on_left_out(problem):
        problem = replace(problem, suppression=0.0)
    nothing = _outcome_of_classes(problem, pl.DataFrame(), 0)
    blank = Found(Spans(Pieces(_NONE, _NONE.astype(np.int64), _NONE)), release.search.name)
    plan = _with_text_labels(plan_rows(table, blank, nothing, context))
    seed = context.seed
    if seed is None and context.kept is not None:
        seed = context.kept.seed
    draw = np.random.default_rng(seed)
    tree = _part_tree(table, problem, release, plan)
    job = RecodingJob(
        problem=replace(problem, tally=problem.tally.take(np.zeros(1, dtype=np.int32))),
        search=release.search,
        shown=table.policy.shown,
        places=tuple(list(plan.cells).index(name) for name in table.policy.quasi),
        whole=table.compiled.records,
        entropy=int(draw.integers(0, 2**63)),
        units=table.unit is not None,
    )
    expression = tree.sql_expression([f"k{j}" for j in range(len(problem.columns))])
    kept = None
    if context.kept is not None:
        kept = context.kept.make_folder(_request_digest(table, job, expression))
    watch = context.search_watch(table.policy)
    staged = engine.stage_parts(plan, expression, job, draw, context.watch, kept)
    watch.doing = "searching parts of a table that is not in memory"
    cells = engine.class_cells(len(problem.columns))
    outcome = _outcome_of_classes(problem, cells, table.compiled.records)
    parts = count_of(tree.number, "part")
    why = f"divided the rows into {parts}, each searched by itself; other searches were not tried"
    late = overtime_of(table.policy, watch)
    found = replace(blank, why=why, facts={"parts": float(tree.number)}, overtime=late)
    return StagedRelease(found, outcome, plan, staged)


def _request_digest(table: LoadedTable, job: "RecodingJob", expression: str) -> str:
    """Digest all that decides how a part is released, so that its result can be used again."""
    code = hashlib.sha256(f"{version('incrowd')} {expression} {job.entropy}".encode())
    code.update(sha256_of(redact(table.policy)).encode())
    for column in job.problem.columns:
        code.update(column.frequency.tobytes())
        code.update("\0".join(map(str, column.hierarchy.labels[0].tolist())).encode())
        code.update(np.ascontiguousarray(column.hierarchy.maps).tobytes())
    for held in job.problem.sensitive:
        code.update(np.ascontiguousarray(held.whole).tobytes())
    return code.hexdigest()


def _with_text_labels(plan: RowPlan) -> RowPlan:
    """The plan with every label as a text: parts may show labels that are no values of a column."""
    cells = {
        name: ByClass(cell.labels) if isinstance(cell, ByClass) else cell
        for name, cell in plan.cells.items()
    }
    return replace(plan, cells=cells)


def _part_tree(
    table: LoadedTable, problem: Problem, release: PartRelease, plan: RowPlan
) -> PartTree:
    """Make cuts into parts, each of which is large enough and can satisfy the models."""
    number = -(-table.compiled.records // PART)
    codes = np.ascontiguousarray(problem.tally.quasi.T)
    tree = tree_of(boxes_of(problem), codes, problem.tally.counts, number)
    names = [f"k{j}" for j in range(len(problem.columns))]
    asked = {name for model in problem.models for name in model.columns}
    columns = [column for column in plan.coded[plan.quasi :] if column.name in asked]
    held = release.engine.part_counts(plan, tree.sql_expression(names), columns)
    sensitive = {column.name: held.codes[column.name] for column in columns}
    return tree.join_parts(
        _group_parts(problem, held.codes["part"], sensitive, held.records, tree.number)
    )


def _group_parts(
    problem: Problem, part: Codes, sensitive: Mapping[str, Codes], records: Any, number: int
) -> Any:
    """Join parts that are too small or cannot satisfy the models; return the group of each part.

    `part`, `sensitive` and `records` give for distinct rows their part, their codes by sensitive
    column, and how many records they stand for. A last group that cannot stand alone is joined to
    the one before.
    """
    least = _FILLED * max((model.smallest_class() for model in problem.models), default=1)
    group, first, current = np.zeros(number, dtype=np.int64), 0, 0
    for p in range(number):
        group[p] = current
        here = (part >= first) & (part <= p)
        some = {name: codes[here] for name, codes in sensitive.items()}
        if records[here].sum() >= least and _can_satisfy(problem, some, records[here]):
            first, current = p + 1, current + 1
    if first < number and current:
        group[first:] = current - 1
    return group


def _can_satisfy(problem: Problem, sensitive: Mapping[str, Codes], records: Any) -> bool:
    """Whether records with these sensitive codes can satisfy the models, as far as is known."""
    size = len(records)
    codes = [sensitive.get(c.name, np.ones(size, dtype=np.int32)) for c in problem.sensitive]
    tally = Tally(
        quasi=np.ones((len(problem.columns), size), dtype=np.int32),
        sensitive=np.array(codes, dtype=np.int32).reshape(len(codes), size),
        counts=records,
        people=records,
        shared_row=_NONE,
        shared_unit=_NONE,
    )
    try:
        raise_if_infeasible(replace(problem, tally=tally))
    except InfeasibleError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class RecodingJob:
    """Local recoding of one part: a `PartJob`."""

    problem: Problem
    """Of the whole table, with the first of its rows alone."""
    search: Search
    shown: Transformation
    places: tuple[int, ...]
    """The place of each quasi-identifying column among those that leave."""
    whole: int
    """Records of the table."""
    entropy: int
    """What is drawn in a part comes from this and its number."""
    units: bool
    """Whether people have several records."""

    @property
    def adds(self) -> dict[str, pl.DataType]:
        """By added column its type: the class; per column label, and low, high, level as codes."""
        added: dict[str, pl.DataType] = {"class": pl.Int64()}
        for j, place in enumerate(self.places):
            added[f"s{place}"] = pl.String()
            added |= {f"{name}{j}": pl.Int32() for name in ("low", "high", "level")}
        return added

    def __call__(self, part: int, rows: pl.DataFrame) -> pl.DataFrame:
        """The records of a part that leave, with their class and what it shows."""
        width = len(self.problem.columns)
        codes = [
            rows[f"k{j}"].to_numpy().astype(np.int32)
            for j in range(width + len(self.problem.sensitive))
        ]
        unit = rows["u"].to_numpy().astype(np.int32) if self.units else None
        tally = fold(codes[:width], codes[width:], unit)
        assert tally.row_of is not None  # noqa: S101  it was made of records
        problem = replace(self.problem, tally=tally)
        found = self.search.run_part(problem, Watch(), self.whole)
        recoding = self.shown.recoding(found.recoding)
        draw = np.random.default_rng([self.entropy, part])
        classes = classes_of_records(tally.row_of, recoding.pieces, draw)
        return self._show_part(part, rows, classes, problem.outcome(recoding))

    def _show_part(
        self, part: int, rows: pl.DataFrame, classes: Codes, outcome: Outcome
    ) -> pl.DataFrame:
        """The records that leave (class not -1), with their class, labels and ends as codes."""
        kept = np.flatnonzero(classes >= 0)
        of = classes[kept]
        cells = self.shown.cells(outcome, {}, ())
        added = [pl.Series("class", (part << 32) + of.astype(np.int64))]
        for j, (place, column) in enumerate(zip(self.places, outcome.columns, strict=True)):
            cell = cells[column.name]
            assert isinstance(cell, ByClass)  # noqa: S101  spans are shown by class
            texts = pl.Series(f"s{place}", cell.labels.tolist(), dtype=pl.String)
            added.append(texts.gather(of))
            ends = {"low": outcome.low, "high": outcome.high, "level": outcome.level}
            added += [pl.Series(f"{name}{j}", codes[j][of]) for name, codes in ends.items()]
        return rows[kept].with_columns(added)


def _outcome_of_classes(problem: Problem, cells: pl.DataFrame, records: int) -> Outcome:
    """Make the outcome of lines of `cells` (see `PartEngine.class_cells`), equal ones as a class.

    `records` are those of the table; whoever is in no line is left out.
    """
    width = len(problem.columns)
    empty = np.zeros((width, 0), dtype=np.int32)
    if cells.is_empty():
        low = high = level = empty
        sizes = np.zeros(0, dtype=np.int64)
    else:
        low, high, level = (
            np.array([cells[f"{name}{j}"].to_numpy() for j in range(width)], dtype=np.int32)
            for name in ("low", "high", "level")
        )
        sizes = cells["n"].to_numpy().astype(np.int64)
        place = number_shown((low, high, level), problem.columns)
        first = np.unique(place, return_index=True)[1]
        low, high, level = low[:, first], high[:, first], level[:, first]
        sizes = np.bincount(place, weights=sizes).astype(np.int64)
    classes, suppressed = Classes(sizes, sizes, {}), max(records - int(sizes.sum()), 0)
    return Outcome(problem.columns, low, high, level, classes, suppressed, spans=True)
