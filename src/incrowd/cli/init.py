"""`incrowd init`: a first policy for a table, to be reviewed."""

from typing import Annotated

import typer

from incrowd.cli import options
from incrowd.cli.output import Output


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
