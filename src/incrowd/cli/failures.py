"""Failures of a command: those of any work, interrupts, and messages of the parser."""

import re
from typing import Any

from incrowd import errors
from incrowd.cli.interrupt import Late
from incrowd.errors import INTERRUPTED, Failure, PolicyError, hide_credentials

LATE = Failure(
    "interrupted after the release and its certificate were written and verified", "", INTERRUPTED
)


def failure_of(error: BaseException) -> Failure:
    """What a command shows of this error: nothing that may hold a cell value."""
    if isinstance(error, Late):
        return LATE
    return _usage_failure(error) if hasattr(error, "format_message") else errors.failure_of(error)


def _usage_failure(error: Any) -> Failure:
    """The failure for a message of the command-line parser; its suggestion is the remedy."""
    possible = list(getattr(error, "possibilities", None) or ())
    text = (error.message if possible else error.format_message()).strip().rstrip(".")
    text = re.sub(r"Input should be a valid integer\b.*", "it must be a whole number", text)
    text = re.sub(r"Input should be a valid number\b.*", "it must be a number", text)
    text, _, hint = text.partition(" Did you mean ")
    remedy = "see incrowd --help"
    context = getattr(error, "ctx", None)
    if context is not None:
        remedy = f"see {context.command_path} --help"
    if possible:
        hint = f"{possible[0]}?"
    if hint:
        remedy = f"did you mean {hint}"
    text = hide_credentials(text[:1].lower() + text[1:].rstrip("."))
    return Failure(text, hide_credentials(remedy), PolicyError.exit_code)
