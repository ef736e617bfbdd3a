"""`incrowd risk`: how exposed the people in a table are."""

from typing import Annotated

import typer

from incrowd.cli import options
from incrowd.cli.output import Output


def risk(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    unit: options.Unit = None,
    weight: options.Weight = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold", metavar="SHARE", help="A risk above this counts as exposed, 0..1."
        ),
    ] = 0.2,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Tell how easily the people in FILE are found, and what is then learned."""
