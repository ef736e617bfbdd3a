"""`incrowd mask`: withhold columns that tell people apart."""

from typing import Any

from incrowd import api
from incrowd.cli import next_command
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress
from incrowd.documents import identify as texts
from incrowd.documents import json
from incrowd.errors import PolicyError
from incrowd.requests.mask import MaskRequest
from incrowd.requests.shared import DryRun


@asks(MaskRequest)
def mask(asked: dict[str, Any], *, dry_run: DryRun = False, output: Output) -> None:
    """Withhold columns until the rest tells few records apart.

    The published columns keep their exact values: this is not anonymization.

    Example: incrowd mask patients.csv --ratio 0.1 -o published.csv
    """
    if not asked["target"] and not dry_run:
        raise PolicyError("say where to write the columns", remedy="add -o FILE")
    asked["target"] = target = None if dry_run else asked["target"]
    with show_progress(output, "mask") as bar:
        found = api.mask(**asked, watch=bar.watch)
    output.show_notes(found.notes)
    output.show_result(
        lambda: json.mask_document(found, target),
        lambda: texts.mask_text(found, target, details=output.details),
        lambda: next_command.command_after_columns(target, found.published),
    )
