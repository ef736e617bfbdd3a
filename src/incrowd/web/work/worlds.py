"""Worlds: the columns of tables that an attacker may hold, and who is in them."""

from incrowd.io.reading import open_table
from incrowd.policy.policy import Policy
from incrowd.web import facts, jobs
from incrowd.web.work.state import Tell, WorkerState
from incrowd.withholding import public_count


def list_columns(
    _: WorkerState, job: jobs.ListWorldColumns, tell: Tell
) -> tuple[tuple[str, ...], ...]:
    """The names of the columns of each file, file by file."""
    tell("reading the world", 0.0)
    expected = Policy.loads(job.policy).columns
    found = []
    for file in job.files:
        with open_table(file, expected=expected) as table:
            found.append(tuple(table.engine.names))
    return tuple(found)


def look_at_world(state: WorkerState, job: jobs.LookAtWorld, tell: Tell) -> facts.WorldFacts:
    """Count the people of the world, and say which columns it shares with the table."""
    tell("reading the world", 0.0)
    policy = Policy.loads(job.policy)
    against = state.read_world(job.table, policy, job.world)
    names = () if against is None else against.world.names
    return facts.WorldFacts(
        people=0 if against is None else public_count(against.world.people),
        shared=tuple(name for name in policy.quasi if name in names),
        lacking=tuple(name for name in policy.quasi if name not in names),
        notes=() if against is None else against.notes,
    )
