"""`incrowd risk`: how easily the people in a table are found."""

import sys
from typing import Annotated

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import next_command, options, sources
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads
from incrowd.cli.output import Output, waiting, write
from incrowd.documents import json
from incrowd.documents import risk as texts
from incrowd.io import files

_MEASURE = "What to measure"
_LISTED = (
    "WARNING: {path} says which records are the easiest to find. Keep it where you keep the table, "
    "do not publish it, and delete it when you are done.\n"
)


@reads()
def risk(  # noqa: PLR0913  one parameter per option
    file: options.TableFile,
    *,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    unit: options.Unit = None,
    weight: options.Weight = None,
    policy: options.PolicyFile = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold",
            metavar="SHARE",
            help="A risk above this counts as exposed, 0..1.",
            rich_help_panel=_MEASURE,
        ),
    ] = 0.2,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="PEOPLE",
            help="The number of people that the table was drawn from, such as 3e8, or a name such "
            "as usa: estimates the risk among them.",
            rich_help_panel=_MEASURE,
        ),
    ] = None,
    fraction: Annotated[
        float | None,
        typer.Option(
            "--fraction",
            metavar="SHARE",
            help="The same as a share: how much of the population is in the table, 0..1.",
            rich_help_panel=_MEASURE,
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Show what each column adds, and what would lower the risk most.",
            rich_help_panel=_MEASURE,
        ),
    ] = False,
    special_uniques: Annotated[
        bool,
        typer.Option(
            "--special-uniques",
            help="Find the smallest sets of columns that make records unique.",
            rich_help_panel=_MEASURE,
        ),
    ] = False,
    max_size: Annotated[
        int,
        typer.Option(
            "--max-size",
            metavar="N",
            help="The most columns of such a set.",
            rich_help_panel=_MEASURE,
        ),
    ] = 4,
    list_records: Annotated[
        str | None,
        typer.Option(
            "--list-records",
            metavar="FILE",
            help="Write the numbers of the exposed records to a file that you must not publish.",
            rich_help_panel=options.WRITING,
        ),
    ] = None,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure how easily the people in a table are found.

    And what is then learned about them, if columns are sensitive.

    Example: incrowd risk patients.csv -q birth_date,zip,sex -s diagnosis
    """
    output = Output(as_json=as_json, quiet=quiet, details=details)
    asked = options.columns(quasi)
    with waiting(output, "risk") as bar:
        by_policy = None if policy is None else files.read_policy(policy)
        asked = asked or (() if by_policy is None else by_policy.quasi)
        found = api.risk(
            file,
            quasi=asked,
            sensitive=options.columns(sensitive),
            unit=unit,
            weight=weight,
            policy=policy,
            threshold=threshold,
            population=population,
            fraction=fraction,
            special_uniques=max_size if special_uniques else None,
            explain=explain,
            list_records=list_records,
            reading=sources.reading(reading),
            watch=watching.Watch(tell=bar.tell, note=output.notes),
        )
    if list_records is not None:
        write(sys.stderr, _LISTED.format(path=list_records))
    output.result(
        lambda: json.risk_document(found),
        lambda: texts.risk_text(found, asked, details=details),
        lambda: next_command.after_risk(file, found, asked, options.columns(sensitive)),
    )
