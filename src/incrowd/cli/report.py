"""`incrowd report`: one page on a release."""

import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

from incrowd import api
from incrowd.cli import held_to as holding
from incrowd.cli import next_command
from incrowd.cli.asks import asks
from incrowd.cli.output import Terse, show_progress
from incrowd.documents import report as documents
from incrowd.engines.addresses import is_address
from incrowd.errors import NotMetError
from incrowd.requests.kinds import FILE, HOLD, READING, WRITING, Flags
from incrowd.requests.policy import HeldTo, PolicyOptions
from incrowd.requests.report import ReportRequest
from incrowd.verbs import report as verb
from incrowd.verbs import report_written as written

DEFAULT = "report.html"


@asks(ReportRequest, beside={"original": ("held_to",)})
def report(
    asked: dict[str, Any],
    *,
    target: Annotated[
        str,
        FILE,
        WRITING,
        Flags("--output", "-o"),
        f"Write the page to this file; {DEFAULT} by default.",
    ] = DEFAULT,
    certificate: Annotated[
        str | None,
        FILE,
        HOLD,
        "The certificate of the release; by default the one beside it, if there is one.",
    ] = None,
    held_to: HeldTo,
    output: Terse,
) -> int:
    """Report on a release in one page.

    The release is checked first. The page needs no network; it has aggregated figures
    only. Exit code 1 if the release does not keep its policy; the page is written, too.

    Example: incrowd report release.csv --policy policy.toml --original patients.csv -o report.html
    """
    file, policy = asked["source"], asked["policy"]
    if certificate is None and (policy is not None or held_to.says_nothing):
        beside = f"{file}.certificate.json"
        certificate = beside if not is_address(file) and Path(beside).is_file() else None
    asked |= {"target": target, "certificate": certificate}
    verb.refuse_target(
        target, (file, asked["original"], policy, certificate, *(asked["world"] or ()))
    )
    asked["command"] = _check_command(asked, held_to)
    with show_progress(output, "report") as bar, ExitStack() as held:
        found = api.report(**holding.open_release(asked, held_to, bar.watch, held))
    output.show_result(
        lambda: documents.report_document(found.facts, target),
        lambda: documents.report_text(found.facts, target),
    )
    return 0 if found.facts.verdict.ok else NotMetError.exit_code


def _check_command(asked: Mapping[str, Any], held_to: PolicyOptions) -> str:
    """The command that checks the release again; files without folders, since others read it."""
    words = ["incrowd", "check", written.file_name(asked["source"])]
    for name in ("policy", "certificate"):
        words += [f"--{name}", written.file_name(asked[name])] if asked[name] else []
    words += [*holding.option_words(held_to), *written.world_words(asked)]
    for key in asked["trusted_keys"] or ():
        words += ["--trusted-key", written.file_name(key)]
    return shlex.join([*words, *_reading_words(asked["original"])])


def _reading_words(original: str | None) -> list[str]:
    """How the release is read, as words of a command; numbers and dates are for an original."""
    others = () if original is None else ("decimal", "thousands", "date_formats")
    return next_command.options_of_run(panel=READING, without=("memory", *others))
