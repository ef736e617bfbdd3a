"""A report: one page that says what a release protects, what it costs and what it does not do."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from incrowd.documents.report import report_html
from incrowd.documents.report.facts import ReportFacts
from incrowd.errors import LimitError, PolicyError
from incrowd.io import files
from incrowd.io.atomic import replacing
from incrowd.io.files import AnyPolicy
from incrowd.io.reading import AnyPath, Reading, enough_memory, file_of
from incrowd.release.certificate import Certificate
from incrowd.verbs.report_facts import gather
from incrowd.verbs.report_source import ReportOptions, source_of
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


def report(  # noqa: PLR0913  the release, what it promises, and what it is held against
    source: Any,
    target: AnyPath | None = None,
    policy: AnyPolicy | None = None,
    certificate: Certificate | AnyPath | None = None,
    *,
    original: Any = None,
    trusted_keys: Sequence[AnyPath | bytes] = (),
    world: Any = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
    folder: AnyPath = ".",
    reading: Reading | None = None,
    original_reading: Reading | None = None,
    show_values: bool = False,
    name: str | None = None,
    command: str | None = None,
    watch: Watch | None = None,
) -> Report:
    """Report on a release in one HTML page: whether it is safe to publish, and what it keeps.

    `source` is what `anonymize` returned, or a frame, the path of a file or a table elsewhere; then
    it is checked first, as `check` does with the `policy` or the `certificate`. The page shows who
    is exposed, classes before and after, attacks, what was done to each column and what it costs,
    for which it needs the `original`; without it the page says what is missing. It has aggregated
    figures only, and none of fewer than 5 records. With `show_values` pictures name values that at
    least 5 records hold. `target` is the file of the page, `name` is what it calls the release, and
    `command` is shown as the way to check it again. Models such as k-map are counted in the
    `world`: see `anonymize`.
    """
    folder = files.folder_of_policy(policy, folder)
    policy = None if policy is None else files.policy_of(policy)
    options = ReportOptions(
        policy=policy,
        certificate=certificate,
        original=original,
        trusted_keys=trusted_keys,
        world=world,
        world_id=world_id,
        rename=rename,
        folder=folder,
        reading=reading,
        original_reading=original_reading,
        show_values=show_values,
        name=name,
        command=command,
        watch=watch or Watch(),
    )
    refuse_target(target, (source, original))
    with enough_memory(), ExitStack() as held:
        facts = gather(source_of(source, options, held))
    made = Report(facts, report_html(facts, show_values=show_values))
    if target is not None:
        write_report(made, target)
    return made


def refuse_target(target: AnyPath | None, read: Sequence[Any]) -> None:
    """Refuse a file that cannot be written, or that is read, before any work is done."""
    if target is None:
        return
    if str(target) == "-":
        raise PolicyError("a report needs a file", remedy="name one, such as report.html")
    files.refuse_nowhere(target, "the report")
    for path in read:
        file = file_of(path)
        if file is not None and files.same_file(file, target):
            raise PolicyError(
                f"the report would overwrite {str(file)!r}", remedy="name another file"
            )


def write_report(made: Report, target: AnyPath) -> None:
    """Write the page as a whole or not at all."""
    data = made.html.encode()
    if len(data) > LARGEST:
        raise LimitError(
            f"the report takes {len(data):,} bytes, more than {LARGEST:,}",
            remedy="give the release fewer columns",
        )
    with replacing(target) as place:
        files.write_bytes(place, data)
