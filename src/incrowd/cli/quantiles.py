"""`incrowd quantiles`: columns of numbers and dates show quantiles of at least k records."""

from typing import Any

from incrowd import api
from incrowd.cli import next_command
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress
from incrowd.documents import json
from incrowd.documents import population as texts
from incrowd.errors import PolicyError
from incrowd.requests.quantiles import QuantilesRequest
from incrowd.requests.shared import DryRun


@asks(QuantilesRequest)
def quantiles(asked: dict[str, Any], *, dry_run: DryRun = False, output: Output) -> None:
    """Replace numbers and dates by quantiles of K records.

    At least K records show each value. Files may be larger than memory.

    Example: incrowd quantiles patients.csv -c birth_date,weight -k 20 -o release.csv
    """
    if asked["target"] is None and not dry_run:
        raise PolicyError("say where to write the rows", remedy="add -o FILE")
    asked["target"] = target = None if dry_run else asked["target"]
    with show_progress(output, "quantiles") as bar:
        found = api.quantiles(**asked, watch=bar.watch)
    output.show_notes(found.notes)
    output.show_result(
        lambda: json.quantiles_document(found, target),
        lambda: texts.quantiles_text(found, target, details=output.details),
        lambda: next_command.command_after_columns(
            target, [column.name for column in found.columns]
        ),
    )
