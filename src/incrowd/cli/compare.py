"""`incrowd compare`: what releases keep of their original, and how exposed people are in each."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import next_command, options, sources
from incrowd.cli import request as requests
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads
from incrowd.cli.output import Output, waiting
from incrowd.documents import compare as texts
from incrowd.documents import compare_page as pages
from incrowd.errors import PolicyError
from incrowd.io import files

_ABOUT = "What the data is for"


@reads(memory=False)
def compare(  # noqa: PLR0913  one parameter per option
    original: Annotated[
        str,
        typer.Argument(
            metavar="ORIGINAL", help="The table before anonymization.", show_default=False
        ),
    ],
    releases: Annotated[
        list[str],
        typer.Argument(
            metavar="RELEASE…",
            help="One to eight releases of it, made by incrowd or by any other tool.",
            show_default=False,
        ),
    ],
    *,
    output: Annotated[str | None, options.output("Write a page (HTML) with every figure.")] = None,
    analysis: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="Y~A+B",
            help="The analysis that the data is for, such as income~age+education: its "
            "coefficients are compared.",
            rich_help_panel=_ABOUT,
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            metavar="COLUMNS",
            help="Columns that models learn to predict. Default: the sensitive ones.",
            show_default=False,
            rich_help_panel=_ABOUT,
        ),
    ] = None,
    models: Annotated[
        bool,
        typer.Option(
            "--models/--no-models",
            help="Whether models are trained and tested (needs scikit-learn).",
            rich_help_panel=_ABOUT,
        ),
    ] = True,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    policy: options.PolicyFile = None,
    hierarchy: options.HierarchyOf = None,
    hierarchies: options.Hierarchies = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            help="Seed for the records that models are tested on, and for queries.",
            rich_help_panel=_ABOUT,
        ),
    ] = 0,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare releases with their original: use and risk.

    Distributions, associations, queries, models and losses, beside how easily people are found.

    Example: incrowd compare patients.csv release.csv --policy policy.toml
    """
    answer = Output(as_json=as_json, quiet=quiet, details=details)
    _refuse_target(output, [original, *releases, policy])
    named = options.columns(quasi)
    with waiting(answer, "compare") as bar:
        asked = None if policy is None else files.read_policy(policy)
        known = named if asked is None else asked.quasi
        found = api.compare(
            original,
            *releases,
            policy=asked,
            quasi=named,
            sensitive=options.columns(sensitive),
            target=options.columns(target),
            formula=analysis,
            hierarchies=requests.hierarchies(hierarchy, hierarchies, known),
            models=models,
            seed=seed,
            folder=Path() if policy is None else Path(policy).parent,
            reading=sources.reading(reading),
            watch=watching.Watch(tell=bar.tell),
        )
    if output is not None:
        files.write_text(output, pages.compare_page(found))
    answer.notes(texts.notes_of(found))
    answer.result(
        lambda: texts.compare_document(found),
        lambda: texts.compare_text(found, details=details),
        lambda: next_command.after_compare(original, releases, output),
    )


def _refuse_target(output: str | None, read: list[str | None]) -> None:
    """Refuse a page that cannot be written, or would replace what is read."""
    if output is None:
        return
    files.refuse_nowhere(output, "the page")
    if any(path and path != "-" and files.same_file(path, output) for path in read):
        raise PolicyError(
            f"{output!r} is read and would be overwritten", remedy="name another file"
        )
