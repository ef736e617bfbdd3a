"""`incrowd keys`: keys that sign certificates."""

from typing import Annotated

import typer

from incrowd import api
from incrowd.cli import options
from incrowd.cli.output import Output
from incrowd.documents import json, text

keys = typer.Typer(name="keys", help="Make keys that sign certificates.", no_args_is_help=True)


@keys.callback()
def _keys() -> None:
    """Make keys that sign certificates."""


@keys.command()
def new(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Where the private key is written; the public one gets .pub behind its name.",
            show_default=False,
        ),
    ],
    *,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a private key that only you can read, and beside it the public key to hand out."""
    said = Output(as_json=as_json, quiet=quiet)
    made = api.new_keys(file)
    said.result(lambda: json.keys_document(made), lambda: text.keys_picture(made))
