"""`incrowd init`: a first policy for a table, to be reviewed."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from incrowd import api
from incrowd.cli import next_command
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress, write
from incrowd.documents import identify as texts
from incrowd.documents import json
from incrowd.errors import PolicyError
from incrowd.io import atomic, files
from incrowd.io import reading as readers
from incrowd.policy import draft as drafts
from incrowd.policy import presets
from incrowd.requests.draft import DraftRequest
from incrowd.requests.kinds import COLUMN, FILE, HOLD, SWITCH, WRITING, Flags, OptionKind
from incrowd.table.names import name_remedy

if TYPE_CHECKING:
    from incrowd.policy.draft import Draft


@asks(DraftRequest)
def init(  # noqa: PLR0913  what only the command has
    asked: dict[str, Any],
    *,
    preset: Annotated[
        str | None,
        OptionKind("NAME"),
        HOLD,
        "Start from hipaa-safe-harbor, public-file or internal.",
    ] = None,
    ask: Annotated[
        bool, SWITCH, HOLD, "Ask about each column; Enter takes the draft, ? explains, q stops."
    ] = False,
    explain: Annotated[
        str | None, COLUMN, HOLD, "Only explain the role and the hierarchy of this column."
    ] = None,
    target: Annotated[
        str | None,
        FILE,
        WRITING,
        Flags("--output", "-o"),
        "Write the policy to this file; by default to standard output.",
    ] = None,
    force: Annotated[bool, SWITCH, WRITING, "Overwrite an existing policy."] = False,
    output: Output,
) -> None:
    """Draft a policy for a table, with reasons.

    A role and a hierarchy for each column, to be reviewed before it is used.

    Example: incrowd init patients.csv -o policy.toml
    """
    file = asked["source"]
    if target is not None:
        _refuse_bad_target(file, target, force=force)
    with show_progress(output, "init") as bar:
        watch = bar.watch
        with readers.open_table(file, asked["reading"], watch=watch) as table:
            draft = api.draft(table, watch=watch)
            facts = None if preset is None else api.table_facts(table)
    if preset is not None:
        output.show_notes(presets.find_preset(preset).limits)
        draft = replace(draft, policy=presets.apply_preset(preset, draft.policy, facts))
    if explain is not None:
        _explain(draft, explain, output)
        return
    if ask:
        answered = _ask_about_columns(draft)
        if answered is None:
            output.remark("\nstopped; nothing is written")
            return
        draft = answered
    policy = drafts.to_toml(draft)
    if target is None and not output.as_json:
        write(sys.stdout, policy)
        return
    if target is not None:
        with atomic.replace_at_end(target) as place:
            files.write_text(place, policy)
    output.show_result(
        lambda: json.draft_document(draft, policy, target),
        lambda: texts.draft_text(draft),
        lambda: next_command.command_after_init(file, target),
    )
    if target is not None:
        output.remark(f"policy written to {target}; review it before you use it")


def _ask_about_columns(draft: "Draft") -> "Draft | None":
    """Ask a person about the draft; return it with the answers, None if they stopped."""
    from incrowd.cli.ask import ask_about_columns  # noqa: PLC0415  not for --help
    from incrowd.policy.draft_answers import apply_answers  # noqa: PLC0415  the same

    found = ask_about_columns(
        draft,
        lambda text: write(sys.stderr, text),
        lambda: sys.stdin.readline() or None,
        lambda name: texts.explanation(draft, name) + "\n",
    )
    return None if found is None else apply_answers(draft, found)


def _explain(draft: "Draft", name: str, output: Output) -> None:
    """Show why a column has its role and its hierarchy; refuse one that the table lacks."""
    if name not in draft.policy.columns:
        names = tuple(draft.policy.columns)
        raise PolicyError(f"the table has no column {name!r}", remedy=name_remedy(name, names))
    whole = json.draft_document(draft, drafts.to_toml(draft), None)
    output.show_result(
        lambda: {"schema": "incrowd.init/1", "columns": {name: whole["columns"][name]}},
        lambda: texts.explanation_text(draft, name),
    )


def _refuse_bad_target(file: str, path: str, *, force: bool) -> None:
    """Refuse to write the policy nowhere, over the table, or over a file without `force`."""
    if not path:
        raise PolicyError("-o names no file", remedy="name the policy's file after -o")
    files.refuse_missing_folder(path, "the policy")
    if files.same_file(file, path):
        raise PolicyError("the policy would overwrite the table", remedy="name another file")
    if not force and Path(path).exists():
        raise PolicyError(f"{path!r} exists already", remedy="name another file, or add --force")
