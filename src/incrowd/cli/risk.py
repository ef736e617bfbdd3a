"""`incrowd risk`: how easily the people in a table are found."""

import sys
from typing import Annotated, Any

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import next_command, options, sources
from incrowd.cli.asks import asks
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads
from incrowd.cli.output import Output, waiting, write
from incrowd.documents import json
from incrowd.documents import risk as texts
from incrowd.io import files
from incrowd.requests.risk import MEASURE, RiskRequest

_LISTED = (
    "WARNING: {path} says which records are the easiest to find. Keep it where you keep the table, "
    "do not publish it, and delete it when you are done.\n"
)


@reads()
@asks(RiskRequest, beside={"special_uniques": ("max_size",)})
def risk(  # noqa: PLR0913  one parameter per option
    asked: dict[str, Any],
    *,
    special_uniques: Annotated[
        bool,
        typer.Option(
            "--special-uniques",
            help="Find the smallest sets of columns that make records unique.",
            rich_help_panel=MEASURE.title,
        ),
    ] = False,
    max_size: Annotated[
        int,
        typer.Option(
            "--max-size",
            metavar="N",
            help="The most columns of such a set.",
            rich_help_panel=MEASURE.title,
        ),
    ] = 4,
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
    with waiting(output, "risk") as bar:
        by_policy = None if asked["policy"] is None else files.read_policy(asked["policy"])
        asked["quasi"] = asked["quasi"] or (() if by_policy is None else by_policy.quasi)
        found = api.risk(
            **asked,
            special_uniques=max_size if special_uniques else None,
            reading=sources.reading(reading),
            watch=watching.Watch(tell=bar.tell, note=output.notes),
        )
    file, quasi, listed = asked["source"], asked["quasi"], asked["list_records"]
    if listed is not None:
        write(sys.stderr, _LISTED.format(path=listed))
    output.result(
        lambda: json.risk_document(found),
        lambda: texts.risk_text(found, quasi, details=details),
        lambda: next_command.after_risk(file, found, quasi, asked["sensitive"]),
    )
