"""`incrowd risk`: how easily the people in a table are found."""

import sys
from typing import Annotated, Any

import typer

from incrowd import api
from incrowd.cli import next_command
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, waiting, write
from incrowd.documents import json
from incrowd.documents import risk as texts
from incrowd.io import files
from incrowd.requests.risk import MEASURE, RiskRequest

_LISTED = (
    "WARNING: {path} says which records are the easiest to find. Keep it where you keep the table, "
    "do not publish it, and delete it when you are done.\n"
)


@asks(RiskRequest, beside={"special_uniques": ("max_size",)})
def risk(
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
    output: Output,
) -> None:
    """Measure how easily the people in a table are found.

    And what is then learned about them, if columns are sensitive.

    Example: incrowd risk patients.csv -q birth_date,zip,sex -s diagnosis
    """
    with waiting(output, "risk") as bar:
        if (path := asked["policy"]) is not None:
            policy = files.read_policy(path)
            asked |= {"policy": policy, "folder": files.folder_of_policy(path, ".")}
            asked["quasi"] = asked["quasi"] or policy.quasi
        found = api.risk(
            **asked,
            special_uniques=max_size if special_uniques else None,
            watch=bar.watch,
        )
    file, quasi, listed = asked["source"], asked["quasi"], asked["list_records"]
    if listed is not None:
        write(sys.stderr, _LISTED.format(path=listed))
    output.result(
        lambda: json.risk_document(found),
        lambda: texts.risk_text(found, quasi, details=output.details),
        lambda: next_command.after_risk(file, found, quasi, asked["sensitive"]),
    )
