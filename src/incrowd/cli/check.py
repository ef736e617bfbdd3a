"""`incrowd check`: whether a release keeps its policy."""

from contextlib import ExitStack
from typing import Any

from incrowd import api
from incrowd.cli import held_to as holding
from incrowd.cli import next_command
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress
from incrowd.documents import json
from incrowd.documents import release as texts
from incrowd.errors import NotMetError, PolicyError
from incrowd.requests.check import CheckRequest
from incrowd.requests.policy import HeldTo


@asks(CheckRequest, beside={"original": ("held_to",)})
def check(asked: dict[str, Any], *, held_to: HeldTo, output: Output) -> int:
    """Check that a release keeps its policy, from its rows alone.

    Every model is counted again on the rows of FILE; exit code 1 if one is not met.

    Example: incrowd check release.csv --certificate release.csv.certificate.json
    """
    file, original = asked["source"], asked["original"]
    if original is not None and asked["policy"] is None and asked["certificate"] is None:
        raise PolicyError(
            "losses are recounted with a whole policy, and options make only a part of one",
            remedy="give the policy with --policy",
        )
    with show_progress(output, "check") as bar, ExitStack() as held:
        found = api.check(**holding.open_release(asked, held_to, bar.watch, held))
    output.show_result(
        lambda: json.check_document(found),
        lambda: texts.check_text(found, details=output.details),
        lambda: next_command.command_after_check(file, found, original),
    )
    return 0 if found.ok else NotMetError.exit_code
