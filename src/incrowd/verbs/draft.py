"""`draft`: a first policy for a table, with reasons, to review."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from incrowd.io.reading import Reading, opened
from incrowd.policy.draft import Draft
from incrowd.policy.draft import draft as drafted
from incrowd.policy.draft_settling import settle_roles
from incrowd.policy.joint import with_costs, with_joint_uniqueness
from incrowd.policy.profiles import coded_columns, profiles
from incrowd.watch import Watch


def draft(
    source: Any,
    *,
    labels: Mapping[str, str] | None = None,
    value_labels: Mapping[str, Mapping[str, str]] | None = None,
    reading: Reading | None = None,
    watch: Watch | None = None,
) -> Draft:
    """A first policy for a table, with reasons, to review.

    `source` is a frame, the path of a file or a table elsewhere (see `incrowd.api`); `reading` says
    how to read a text file. `labels` say what columns are in words, and `value_labels` what values
    mean, as the files of statistics programs do. Of a table elsewhere it looks at distinct values
    and their counts, and of columns with too many of them at a sample.
    """
    watch = watch or Watch()
    tell = watch.tell
    with opened(source, reading, watch=watch) as there:
        engine = there.engine
        tell("coding the columns", 0.0)
        coded = coded_columns(engine)
        tell("looking at every column", 0.0)
        said = {**there.like.labels, **(labels or {})}
        columns = [
            replace(
                column,
                label=said.get(column.name, ""),
                value_labels=(value_labels or {}).get(column.name, {}),
            )
            for column in profiles(engine, coded)
        ]
        first = settle_roles(drafted(columns, text=engine.text), engine, columns, coded)
        tell("looking for columns that identify together", 0.0)
        return with_costs(with_joint_uniqueness(first, engine, coded), engine, coded)
