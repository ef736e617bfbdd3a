"""A report: one page that says what a release protects, what it costs and what it does not do."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from incrowd.documents.report import report_html
from incrowd.documents.report.facts import ReportFacts
from incrowd.errors import LimitError, PolicyError
from incrowd.io import files
from incrowd.io.atomic import replace_at_end
from incrowd.io.reading import AnyPath, enough_memory, file_of
from incrowd.requests.report import ReportRequest
from incrowd.requests.request import verb
from incrowd.verbs.policies import with_policy
from incrowd.verbs.report_facts import gather_facts
from incrowd.verbs.report_source import source_of
from incrowd.watch import Watch

LARGEST = 2_000_000
"""Bytes of a report at most."""


@dataclass(frozen=True, eq=False)
class Report:
    """A report and the facts that it was made from."""

    facts: ReportFacts
    html: str
    """One page that needs nothing else."""

    def __repr__(self) -> str:
        """Without the page."""
        return f"Report(ok={self.facts.verdict.ok}, {len(self.html.encode()):,} bytes)"


@verb(ReportRequest)
def report(asked: ReportRequest) -> Report:
    """Report on a release in one HTML page: whether it is safe to publish, and what it keeps.

    The release is what `anonymize` returned, or a frame, the path of a file or a table elsewhere;
    then it is checked first, as `check` does with the `policy` or the `certificate`. The page shows
    who is exposed, classes before and after, attacks, what was done to each column and what it
    costs, for which it needs the `original`; without it the page says what is missing. It has
    aggregated figures only, and none of fewer than 5 records. Models such as k-map are counted in
    the `world`: see `anonymize`.
    """
    asked = replace(with_policy(asked), watch=asked.watch or Watch())
    refuse_target(asked.target, (asked.source, asked.original))
    with enough_memory(), ExitStack() as lent:
        facts = gather_facts(source_of(asked, lent))
    made = Report(facts, report_html(facts, show_values=asked.show_values))
    if asked.target is not None:
        write_report(made, asked.target)
    return made


def refuse_target(target: AnyPath | None, read: Sequence[Any]) -> None:
    """Refuse a file that cannot be written, or that is read, before any work is done."""
    if target is None:
        return
    if str(target) == "-":
        raise PolicyError("a report needs a file", remedy="name one, such as report.html")
    files.refuse_missing_folder(target, "the report")
    for path in read:
        file = file_of(path)
        if file is not None and files.same_file(file, target):
            raise PolicyError(
                f"the report would overwrite {str(file)!r}", remedy="name another file"
            )


def write_report(made: Report, target: AnyPath) -> None:
    """Write the page as a whole or not at all; `LimitError` if it has more than `LARGEST` bytes."""
    data = made.html.encode()
    if len(data) > LARGEST:
        raise LimitError(
            f"the report takes {len(data):,} bytes, more than {LARGEST:,}",
            remedy="give the release fewer columns",
        )
    with replace_at_end(target) as place:
        files.write_bytes(place, data)
