"""`incrowd risk`: how easily the people in a table are found."""

import sys
from typing import Annotated, Any

from incrowd import api
from incrowd.cli import next_command, sources
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress, write
from incrowd.documents import json
from incrowd.documents import risk as texts
from incrowd.requests.kinds import NUMBER, SWITCH
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
        bool, SWITCH, MEASURE, "Find the smallest sets of columns that make records unique."
    ] = False,
    max_size: Annotated[int, NUMBER, MEASURE, "The most columns of such a set."] = 4,
    output: Output,
) -> None:
    """Measure how easily the people in a table are found.

    And what is then learned about them, if columns are sensitive.

    Example: incrowd risk patients.csv -q birth_date,zip,sex -s diagnosis
    """
    with show_progress(output, "risk") as bar:
        policy = sources.read_policy(asked)
        asked["quasi"] = asked["quasi"] or (() if policy is None else policy.quasi)
        found = api.risk(
            **asked, special_uniques=max_size if special_uniques else None, watch=bar.watch
        )
    file, quasi, listed = asked["source"], asked["quasi"], asked["list_records"]
    if listed is not None:
        write(sys.stderr, _LISTED.format(path=listed))
    output.show_result(
        lambda: json.risk_document(found),
        lambda: texts.risk_text(found, quasi, details=output.details),
        lambda: next_command.command_after_risk(file, found, quasi, asked["sensitive"]),
    )
