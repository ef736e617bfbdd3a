"""`incrowd keys`: keys that sign certificates."""

from typing import Annotated

import typer

from incrowd import api
from incrowd.cli import next_command
from incrowd.cli.asks import asks
from incrowd.cli.output import Terse
from incrowd.documents import json
from incrowd.documents import release as texts
from incrowd.requests.kinds import TABLE

keys = typer.Typer(
    name="keys",
    help="Make keys that sign certificates.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@keys.callback()
def _keys() -> None:
    """Make keys that sign certificates."""


@keys.command()
@asks()
def new(
    *,
    file: Annotated[
        str, TABLE, "The file of the private key; the public key goes to the same name with .pub."
    ],
    output: Terse,
) -> None:
    """Make a private key that only you can read, and the public key to hand out."""
    made = api.new_keys(file)
    output.show_result(
        lambda: json.keys_document(made),
        lambda: texts.keys_text(made),
        lambda: next_command.command_after_keys(made.private),
    )
