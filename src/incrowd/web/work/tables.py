"""Looking at a table: its columns, a first policy, the columns that identify together."""

from incrowd import datasets
from incrowd.io import files
from incrowd.io.hierarchies import builders_of
from incrowd.pii.profile import ColumnProfile
from incrowd.policy import draft as drafts
from incrowd.policy import presets
from incrowd.policy.compile import lowest_level
from incrowd.policy.policy import Policy, require_declared
from incrowd.policy.profiles import make_profiles
from incrowd.search.requirements import raise_if_unprovided
from incrowd.verbs import discover as discovery
from incrowd.verbs.draft import draft
from incrowd.verbs.safe_harbor import table_facts
from incrowd.watch import Watch
from incrowd.web import facts, jobs
from incrowd.web.work.columns import open_column
from incrowd.web.work.state import Tell, WorkerState
from incrowd.withholding import public_count

ROWS = 20
_SEED = 7
_SECONDS = 10.0
"""For looking at sets of columns."""


def open_table(state: WorkerState, job: jobs.OpenTable, tell: Tell) -> facts.OpenedTable:
    """Open a table and look at every column."""
    tell("reading the table", 0.0)
    table = state.open(job.table)
    engine = table.engine
    tell("looking at every column", 0.5)
    return facts.OpenedTable(
        records=engine.records,
        columns=tuple(map(_column_facts, make_profiles(engine))),
        notes=tuple(str(note) for note in table.origin.notes),
    )


def _column_facts(column: ColumnProfile) -> facts.ColumnFacts:
    return facts.ColumnFacts(
        name=column.name,
        kind=column.kind.value,
        distinct=column.distinct,
        distinct_share=round(column.distinct_share, 4),
        missing=public_count(column.missing),
    )


def show_rows(state: WorkerState, job: jobs.ShowRows, tell: Tell) -> facts.FirstRows:
    """Read the first `ROWS` rows as they are: cells as texts, a missing one as an empty text."""
    tell("reading the first rows", 0.0)
    engine = state.open_engine(job.table)
    first = next(iter(engine.batches(engine.names)))[:ROWS]
    rows = ((("" if cell is None else str(cell)) for cell in row) for row in first.iter_rows())
    return facts.FirstRows(columns=engine.names, rows=tuple(map(tuple, rows)))


def write_hospital(_: WorkerState, job: jobs.WriteHospital, tell: Tell) -> str:
    """Write the made-up hospital to the job's file; return its path."""
    tell("making up a hospital", 0.0)
    text = datasets.hospital(job.records, seed=_SEED).write_csv()
    files.write_text(job.path, text)
    return job.path


def draft_policy(state: WorkerState, job: jobs.DraftPolicy, tell: Tell) -> facts.DraftFacts:
    """Draft a policy for the table, with reasons."""
    found = draft(state.open(job.table), watch=Watch(tell=tell))
    return facts.DraftFacts(
        policy=drafts.to_toml(found),
        reasons=dict(found.reasons),
        hierarchies=dict(found.hierarchies),
        review=found.review,
        marks=found.missing_reasons,
    )


def find_sets(state: WorkerState, job: jobs.FindSets, tell: Tell) -> facts.FoundSets:
    """Find the sets of columns that tell most records apart, with a limit of time."""
    found = discovery.discover(
        state.open(job.table), time_limit=_SECONDS, seed=_SEED, watch=Watch(tell=tell)
    )
    return facts.FoundSets(
        sets=tuple(
            facts.SetFacts(columns=one.columns, distinct=one.distinct) for one in found.sets
        ),
        ratio=found.ratio,
        promise=found.promise,
        sampled=found.sampled,
    )


def apply_preset(state: WorkerState, job: jobs.ApplyPreset, tell: Tell) -> str:
    """Apply a preset to the policy, by what the table holds; return the policy's text."""
    tell("looking at every column", 0.0)
    seen = table_facts(state.open(job.table))
    return presets.apply_preset(job.preset, Policy.loads(job.policy), seen).dumps()


def check_policy(state: WorkerState, job: jobs.CheckPolicy, tell: Tell) -> None:
    """Raise an error that says why, if this policy cannot be used for this table.

    A column that would leave although it follows from others passes: `anonymize` refuses it, and
    until then somebody may still be changing roles.
    """
    tell("checking the policy", 0.0)
    policy = Policy.loads(job.policy)
    engine = state.open_engine(job.table)
    require_declared(policy, engine.names)
    builders_of(policy, job.table.folder)
    raise_if_unprovided(policy.models, policy.search)
    for name in policy.quasi:
        if (asked := policy.columns[name]).lowest:
            tree, _ = open_column(state, job.table, job.policy, name).build()
            lowest_level(name, asked, tree)  # refuses one that the hierarchy does not have
