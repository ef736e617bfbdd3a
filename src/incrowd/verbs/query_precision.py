"""How well a release of a table would answer somebody's queries."""

from typing import Any

from incrowd.engines.memory import MemoryEngine
from incrowd.io import tables
from incrowd.loss.queries_precision import FLOOR, QueryPrecision
from incrowd.loss.queries_precision import query_precision as precision_of
from incrowd.loss.queries_workload import Workload
from incrowd.pipeline import builders_of
from incrowd.policy.policy import Policy
from incrowd.release.prepare import Outside, coded, search
from incrowd.verbs.reading import AnyPath, collected, enough_memory, rows_of
from incrowd.watch import Watch


def query_precision(  # noqa: PLR0913  the table, the request, the queries, and what is outside
    frame: Any,
    policy: Policy,
    workload: Workload,
    *,
    floor: float = FLOOR,
    seed: int | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
) -> tuple[QueryPrecision, ...]:
    """The error of every query of a workload, if it is asked of a release in place of its table.

    Queries name columns that are quasi-identifying or sensitive. The policy's search is run and
    nothing is released. `floor` is the share of the records that a relative error is measured
    against at the least. A policy that shows representatives is judged by its spans.
    """
    with enough_memory():
        frame = collected(frame)
        source = tables.Source(rows_of(frame), text=False)
        engine = MemoryEngine(frame, text=source.text)
        builders = builders_of(policy, folder)
        table = coded(engine, source.frame, policy, builders, text=source.text)
        found = search(table, Outside(seed, watch=watch or Watch()))
        outcome = table.compiled.problem.outcome(found.recoding)
        domains = {name: column.domain for name, (column, _) in table.counted.items()}
        return precision_of(outcome, workload, domains, floor=floor)
