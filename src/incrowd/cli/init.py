"""`incrowd init`: a first policy for a table, to be reviewed."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd import api
from incrowd.cli import options
from incrowd.cli import request as requests
from incrowd.cli.output import Output, waiting, write
from incrowd.documents import identify as texts
from incrowd.documents import json
from incrowd.errors import PolicyError
from incrowd.io import atomic, files
from incrowd.policy import draft as drafts
from incrowd.policy import presets

if TYPE_CHECKING:
    from incrowd.policy.draft import Draft
    from incrowd.policy.presets import TableFacts


def init(  # noqa: PLR0913  one parameter per option
    file: options.TableFile,
    *,
    output: Annotated[
        str | None, options.output("Write the policy to this file; by default to standard output.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="NAME",
            help="Start from hipaa-safe-harbor, public-file or internal.",
            rich_help_panel=options.HOLD,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Overwrite an existing policy.", rich_help_panel=options.WRITING
        ),
    ] = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Draft a policy for a table, with reasons.

    A role and a hierarchy for each column, to be reviewed before it is used.

    Example: incrowd init patients.csv -o policy.toml
    """
    answer = Output(as_json=as_json, quiet=quiet)
    if output is not None:
        _refuse_losing(file, output, force=force)
    with waiting(answer):
        table = requests.read_table(file, api.Reading(delimiter, encoding, header), answer)
        draft = api.draft(file, reading=table)
        facts = None if preset is None else api.table_facts(file, reading=table)
    if preset is not None:
        draft = _preset(draft, preset, answer, facts)
    policy = drafts.to_toml(draft)
    if output is None and not as_json:
        write(sys.stdout, policy)
        return
    if output is not None:
        with atomic.replacing(output) as place:
            files.write_text(place, policy)
    answer.result(
        lambda: json.draft_document(draft, policy, output), lambda: texts.draft_text(draft)
    )
    if output is not None:
        answer.remark(f"policy written to {output}; review it before you use it")


def _refuse_losing(file: str, path: str, *, force: bool) -> None:
    """Refuse to overwrite the table, or an existing policy without --force."""
    if not path:
        raise PolicyError("-o names no file", remedy="name the policy's file after -o")
    files.refuse_nowhere(path, "the policy")
    if files.same_file(file, path):
        raise PolicyError("the policy would overwrite the table", remedy="name another file")
    if not force and Path(path).exists():
        raise PolicyError(f"{path!r} exists already", remedy="name another file, or add --force")


def _preset(draft: "Draft", name: str, output: Output, facts: "TableFacts | None") -> "Draft":
    output.notes(presets.find(name).limits)
    return replace(draft, policy=presets.apply(name, draft.policy, facts))
