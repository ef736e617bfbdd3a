"""How well a release of a table would answer somebody's queries."""

from incrowd.io import files
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import enough_memory, open_table
from incrowd.loss.queries import QueryPrecision
from incrowd.loss.queries import query_precision as precision_of
from incrowd.pipeline import search
from incrowd.release.load import RunContext, load
from incrowd.requests.query_precision import QueryPrecisionRequest
from incrowd.requests.request import verb
from incrowd.watch import Watch


@verb(QueryPrecisionRequest)
def query_precision(asked: QueryPrecisionRequest) -> tuple[QueryPrecision, ...]:
    """The error of every query of a workload, if it is asked of a release in place of its table.

    The policy's search is run and nothing is released. A policy that shows representatives is
    judged by its spans.
    """
    folder = files.folder_of_policy(asked.policy, asked.folder)
    policy, watch = files.policy_of(asked.policy), asked.watch or Watch()
    with enough_memory(), open_table(asked.source, asked.reading, policy.columns) as there:
        table = load(there.engine, policy, builders_of(policy, folder))
        found = search(table, RunContext(asked.seed, watch=watch))
        outcome = table.compiled.problem.outcome(found.recoding)
        domains = {name: column.domain for name, (column, _) in table.counted.items()}
        return precision_of(outcome, asked.workload, domains, floor=asked.floor)
