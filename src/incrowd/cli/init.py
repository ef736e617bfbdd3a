"""`incrowd init`: a first policy for a table, to be reviewed."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import next_command, options, sources
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads
from incrowd.cli.output import Output, waiting, write
from incrowd.documents import identify as texts
from incrowd.documents import json
from incrowd.errors import PolicyError
from incrowd.io import atomic, files
from incrowd.io import reading as readers
from incrowd.policy import draft as drafts
from incrowd.policy import presets
from incrowd.table.names import nearest

if TYPE_CHECKING:
    from incrowd.policy.draft import Draft
    from incrowd.policy.presets import TableFacts


@reads(memory=False)
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
    ask: Annotated[
        bool,
        typer.Option(
            "--ask",
            help="Ask about each column; Enter takes the draft, ? explains, q stops.",
            rich_help_panel=options.HOLD,
        ),
    ] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            metavar="COLUMN",
            help="Only explain the role and the hierarchy of this column.",
            rich_help_panel=options.HOLD,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Overwrite an existing policy.", rich_help_panel=options.WRITING
        ),
    ] = False,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Draft a policy for a table, with reasons.

    A role and a hierarchy for each column, to be reviewed before it is used.

    Example: incrowd init patients.csv -o policy.toml
    """
    answer = Output(as_json=as_json, quiet=quiet, details=details)
    if output is not None:
        _refuse_losing(file, output, force=force)
    with waiting(answer, "init") as bar:
        watch = watching.Watch(tell=bar.tell, note=answer.notes)
        with readers.opened(file, sources.reading(reading), watch=watch) as table:
            draft = api.draft(table, watch=watch)
            facts = None if preset is None else api.table_facts(table)
    if preset is not None:
        draft = _preset(draft, preset, answer, facts)
    if explain is not None:
        _explain(draft, explain, answer)
        return
    if ask:
        asked = _asked(draft)
        if asked is None:
            answer.remark("\nstopped; nothing is written")
            return
        draft = asked
    policy = drafts.to_toml(draft)
    if output is None and not as_json:
        write(sys.stdout, policy)
        return
    if output is not None:
        with atomic.replacing(output) as place:
            files.write_text(place, policy)
    answer.result(
        lambda: json.draft_document(draft, policy, output),
        lambda: texts.draft_text(draft),
        lambda: next_command.after_init(file, output),
    )
    if output is not None:
        answer.remark(f"policy written to {output}; review it before you use it")


def _asked(draft: "Draft") -> "Draft | None":
    """The draft with the answers of a person; None if they stopped."""
    from incrowd.cli.ask import conversation  # noqa: PLC0415  not for --help
    from incrowd.policy.draft_answers import apply_answers  # noqa: PLC0415  the same

    found = conversation(
        draft,
        lambda text: write(sys.stderr, text),
        lambda: sys.stdin.readline() or None,
        lambda name: texts.explanation(draft, name) + "\n",
    )
    return None if found is None else apply_answers(draft, found)


def _explain(draft: "Draft", name: str, answer: Output) -> None:
    """Everything that is known about one column of a draft."""
    if name not in draft.policy.columns:
        names = tuple(draft.policy.columns)
        raise PolicyError(f"the table has no column {name!r}", remedy=nearest(name, names))
    whole = json.draft_document(draft, drafts.to_toml(draft), None)
    answer.result(
        lambda: {"schema": "incrowd.init/1", "columns": {name: whole["columns"][name]}},
        lambda: texts.explanation_text(draft, name),
    )


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
