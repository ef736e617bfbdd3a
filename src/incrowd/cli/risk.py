"""`incrowd risk`: how exposed the people in a table are."""

import sys
from typing import Annotated

import typer

from incrowd import api, watch
from incrowd.cli import options
from incrowd.cli import table as cli_table
from incrowd.cli.output import Output, write
from incrowd.cli.progress import waiting
from incrowd.documents import json, text

_LISTED = (
    "WARNING: {path} says which records are the easiest to find. Keep it where the table is kept, "
    "publish it nowhere, and delete it when you are done.\n"
)


def risk(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    unit: options.Unit = None,
    weight: options.Weight = None,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="PEOPLE",
            help="How many people the table was drawn from, such as 3e8, or a name such as usa: "
            "estimates the risk among them, with intervals.",
        ),
    ] = None,
    fraction: Annotated[
        float | None,
        typer.Option(
            "--fraction",
            metavar="SHARE",
            help="The same as the share of the population that is in the table, 0..1.",
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold", metavar="SHARE", help="A risk above this counts as exposed, 0..1."
        ),
    ] = 0.2,
    special_uniques: Annotated[
        bool,
        typer.Option(
            "--special-uniques",
            help="Look for the smallest sets of columns that make records unique.",
        ),
    ] = False,
    max_size: Annotated[
        int,
        typer.Option("--max-size", metavar="N", help="The most columns of such a set."),
    ] = 4,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Say what each column does, and what would lower the risk most."
        ),
    ] = False,
    list_records: Annotated[
        str | None,
        typer.Option(
            "--list-records",
            metavar="FILE",
            help="Write the numbers of the exposed records to a file, for this place alone.",
        ),
    ] = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Tell how easily the people in FILE are found, and what is then learned."""
    said = Output(as_json=as_json, quiet=quiet)
    asked = options.columns(quasi)
    with waiting(said) as bar:
        named = (*asked, *options.columns(sensitive), unit, weight)
        table = cli_table.held(file, api.Reading(delimiter, encoding, header), said, named)
        found = api.risk_file(
            file,
            quasi=asked,
            sensitive=options.columns(sensitive),
            unit=unit,
            weight=weight,
            threshold=threshold,
            population=population,
            fraction=fraction,
            special_uniques=max_size if special_uniques else None,
            explain=explain,
            list_records=list_records,
            reading=table,
            watch=watch.Watch(tell=bar.tell),
        )
    if list_records is not None:
        write(sys.stderr, _LISTED.format(path=list_records))
    said.result(lambda: json.risk_document(found), lambda: text.risk_picture(found, asked))
