"""How well a release of a table would answer somebody's queries."""

from typing import Any

from incrowd.io import files
from incrowd.io.files import AnyPolicy
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import AnyPath, Reading, enough_memory, opened
from incrowd.loss.queries import FLOOR, QueryPrecision
from incrowd.loss.queries import query_precision as precision_of
from incrowd.loss.queries_workload import Workload
from incrowd.pipeline import search
from incrowd.release.load import RunContext, load
from incrowd.watch import Watch


def query_precision(  # noqa: PLR0913  the table, the request, the queries, and what is outside
    source: Any,
    policy: AnyPolicy,
    workload: Workload,
    *,
    floor: float = FLOOR,
    reading: Reading | None = None,
    seed: int | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
) -> tuple[QueryPrecision, ...]:
    """The error of every query of a workload, if it is asked of a release in place of its table.

    Queries name columns that are quasi-identifying or sensitive. The policy's search is run and
    nothing is released. `floor` is the share of the records that a relative error is measured
    against at the least. A policy that shows representatives is judged by its spans.
    """
    folder = files.folder_of_policy(policy, folder)
    policy = files.policy_of(policy)
    with enough_memory(), opened(source, reading, policy.columns) as there:
        table = load(there.engine, policy, builders_of(policy, folder))
        found = search(table, RunContext(seed, watch=watch or Watch()))
        outcome = table.compiled.problem.outcome(found.recoding)
        domains = {name: column.domain for name, (column, _) in table.counted.items()}
        return precision_of(outcome, workload, domains, floor=floor)
