"""`draft`: a first policy for a table, with reasons, to review."""

from dataclasses import replace

from incrowd.io.reading import open_table
from incrowd.policy.draft import Draft
from incrowd.policy.draft import draft as drafted
from incrowd.policy.draft_settling import settle_roles
from incrowd.policy.joint import with_costs, with_joint_uniqueness
from incrowd.policy.profiles import coded_columns, make_profiles
from incrowd.requests.draft import DraftRequest
from incrowd.requests.request import verb
from incrowd.watch import Watch


@verb(DraftRequest)
def draft(asked: DraftRequest) -> Draft:
    """A first policy for a table, with reasons, to review.

    The table is a frame, the path of a file or a table elsewhere (see `incrowd.api`). Of a table
    elsewhere it looks at distinct values and their counts, and of columns with too many of them at
    a sample.
    """
    watch = asked.watch or Watch()
    tell = watch.tell
    with open_table(asked.source, asked.reading, watch=watch) as there:
        engine = there.engine
        tell("coding the columns", 0.0)
        coded = coded_columns(engine)
        tell("looking at every column", 0.0)
        said = {**there.origin.labels, **(asked.labels or {})}
        columns = [
            replace(
                column,
                label=said.get(column.name, ""),
                value_labels=(asked.value_labels or {}).get(column.name, {}),
            )
            for column in make_profiles(engine, coded)
        ]
        first = settle_roles(drafted(columns, text=engine.text), engine, columns, coded)
        tell("looking for columns that identify together", 0.0)
        return with_costs(with_joint_uniqueness(first, engine, coded), engine, coded)
