"""`incrowd init`: a first policy for a table, to be reviewed."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd import api
from incrowd.cli import options
from incrowd.cli import table as cli_table
from incrowd.cli.output import Output, write
from incrowd.cli.progress import waiting
from incrowd.documents import json, text
from incrowd.errors import PolicyError
from incrowd.io import atomic, files
from incrowd.policy import draft as drafts
from incrowd.policy import presets

if TYPE_CHECKING:
    from incrowd.policy.draft import Draft
    from incrowd.policy.presets import TableFacts


def init(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where the policy is written; standard output if not given.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="NAME",
            help="Start from hipaa-safe-harbor, public-file or internal.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing policy.")] = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Draft a policy for FILE: a role and a hierarchy for each column, with reasons."""
    said = Output(as_json=as_json, quiet=quiet)
    if output is not None:
        _refuse_losing(file, output, force=force)
    with waiting(said):
        table = cli_table.held(file, api.Reading(delimiter, encoding, header), said)
        draft = api.draft(file, reading=table)
        facts = None if preset is None else api.table_facts(file, reading=table)
    if preset is not None:
        draft = _preset(draft, preset, said, facts)
    policy = drafts.to_toml(draft)
    if output is None and not as_json:
        write(sys.stdout, policy)
        return
    if output is not None:
        with atomic.replacing(output) as place:
            files.write_text(place, policy)
    said.result(
        lambda: json.draft_document(draft, policy, output), lambda: text.draft_picture(draft)
    )
    if output is not None:
        said.remark(f"policy written to {output}; review it before it is used")


def _refuse_losing(file: str, path: str, *, force: bool) -> None:

    if not path:
        raise PolicyError("the policy's file has no name", remedy="name it after -o")
    files.refuse_nowhere(path, "the policy")
    if files.same_file(file, path):
        raise PolicyError("the policy would overwrite the table", remedy="name another file")
    if not force and Path(path).exists():
        raise PolicyError(f"{path!r} is there already", remedy="name another file, or add --force")


def _preset(draft: "Draft", name: str, said: Output, facts: "TableFacts | None") -> "Draft":

    for limit in presets.find(name).limits:
        said.remark(f"note: {limit}")
    return replace(draft, policy=presets.apply(name, draft.policy, facts))
