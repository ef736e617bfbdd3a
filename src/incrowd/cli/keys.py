"""`incrowd keys`: keys that sign certificates."""

from typing import Annotated

import typer

from incrowd import api
from incrowd.cli import next_command, options
from incrowd.cli.output import Output
from incrowd.documents import json
from incrowd.documents import release as texts

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
def new(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="The file of the private key; the public key goes to the same name with .pub.",
            show_default=False,
        ),
    ],
    *,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a private key that only you can read, and the public key to hand out."""
    made = api.new_keys(file)
    Output(as_json=as_json, quiet=quiet).result(
        lambda: json.keys_document(made),
        lambda: texts.keys_text(made),
        lambda: next_command.after_keys(made.private),
    )
