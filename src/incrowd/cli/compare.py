"""`incrowd compare`: what releases keep of their original, and how exposed people are in each."""

from typing import Annotated, Any

from incrowd import api
from incrowd.cli import next_command, sources
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress
from incrowd.documents import compare as texts
from incrowd.documents import compare_page as pages
from incrowd.io import files
from incrowd.requests.compare import CompareRequest
from incrowd.requests.kinds import FILE, WRITING, Flags
from incrowd.requests.shared import HierarchyFolder, HierarchyOf


@asks(CompareRequest, beside={"policy": ("hierarchy",)})
def compare(
    asked: dict[str, Any],
    *,
    hierarchy: HierarchyOf = None,
    hierarchies: HierarchyFolder = None,
    page: Annotated[
        str | None, FILE, WRITING, Flags("--output", "-o"), "Write a page (HTML) with every figure."
    ] = None,
    output: Output,
) -> None:
    """Compare releases with their original: use and risk.

    Distributions, associations, queries, models and losses, beside how easily people are found.

    Example: incrowd compare patients.csv release.csv --policy policy.toml
    """
    original, releases = asked["original"], asked["releases"]
    if page is not None:
        files.refuse_missing_folder(page, "the page")
    for path in (original, *releases, asked["policy"]):
        sources.refuse_overwriting(page, None if path == "-" else path)
    with show_progress(output, "compare") as bar:
        policy = sources.read_policy(asked)
        known = asked["quasi"] if policy is None else policy.quasi
        found = api.compare(
            **asked,
            hierarchies=sources.read_hierarchies(hierarchy, hierarchies, known),
            watch=bar.watch,
        )
    if page is not None:
        files.write_text(page, pages.compare_html(found))
    output.show_notes(texts.notes_of(found))
    output.show_result(
        lambda: texts.compare_document(found),
        lambda: texts.compare_text(found, details=output.details),
        lambda: next_command.command_after_compare(original, releases, page),
    )
