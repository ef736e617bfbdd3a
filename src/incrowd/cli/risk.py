"""`incrowd risk`: how exposed the people in a table are."""

from typing import Annotated

import typer

from incrowd.cli import options
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting


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
    from incrowd import run  # noqa: PLC0415  not for --help
    from incrowd.cli.table import held  # noqa: PLC0415  not for --help
    from incrowd.report import json, text  # noqa: PLC0415  not for --help

    said = Output(as_json=as_json, quiet=quiet)
    asked = options.columns(quasi)
    with waiting(said):
        table = held(file, run.Reading(delimiter, encoding, header), said)
        found = run.risk_file(
            file,
            quasi=asked,
            sensitive=options.columns(sensitive),
            unit=unit,
            weight=weight,
            threshold=threshold,
            reading=table,
        )
    said.result(lambda: json.risk_document(found), lambda: text.risk_picture(found, asked))
