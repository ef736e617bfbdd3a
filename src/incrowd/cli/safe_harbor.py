"""`incrowd safe-harbor`: which of HIPAA's eighteen identifiers a table holds."""

from typing import Annotated, Any

from incrowd import api
from incrowd.cli import next_command
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress
from incrowd.documents import identify as texts
from incrowd.errors import NotMetError
from incrowd.io import files
from incrowd.requests.kinds import FILE, HOLD
from incrowd.requests.safe_harbor import SafeHarborRequest


@asks(SafeHarborRequest)
def safe_harbor(
    asked: dict[str, Any],
    *,
    zip_populations: Annotated[
        str | None,
        FILE,
        HOLD,
        "People by the first three digits of ZIP codes (CSV); by default the census's.",
    ] = None,
    output: Output,
) -> int:
    """Look for the 18 identifiers of HIPAA's Safe Harbor.

    Exit code 1 if the table holds one of them.

    Example: incrowd safe-harbor release.csv
    """
    people = None if zip_populations is None else files.read_zip_populations(zip_populations)
    with show_progress(output, "safe-harbor") as bar:
        found = api.safe_harbor(**asked, zip_populations=people, watch=bar.watch)
    file, policy = asked["source"], asked["policy"]
    output.show_notes(found.notes)
    output.show_result(
        found.as_dict,
        lambda: texts.safe_harbor_text(found, details=output.details),
        lambda: next_command.command_after_safe_harbor(file, met=found.met, policy=policy),
    )
    return 0 if found.met else NotMetError.exit_code
