"""`incrowd discover`: which columns tell people apart."""

from typing import Annotated

import typer

from incrowd.cli import options
from incrowd.cli.failures import INTERRUPTED
from incrowd.cli.interrupt import Stoppable
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting


def discover(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="COLUMNS",
            help="The columns to look at; all if not given.",
            show_default=False,
        ),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            "--measure",
            metavar="MEASURE",
            help="How sets are judged: distinct, separation or unique.",
        ),
    ] = "distinct",
    ratio: Annotated[
        float | None,
        typer.Option(
            "--ratio",
            metavar="SHARE",
            help="What a set must reach, above 0 and up to 1: 0.9, or 1 with --epsilon.",
        ),
    ] = None,
    max_size: Annotated[
        int | None,
        typer.Option("--max-size", metavar="N", help="The most columns of a set."),
    ] = None,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--sampled",
            help="Look at all records, or at a sample; what fits into memory is exact.",
            show_default=False,
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon", metavar="SHARE", help="Draw a sample whose answers are off by no more."
        ),
    ] = None,
    delta: Annotated[
        float,
        typer.Option(
            "--delta", metavar="SHARE", help="How likely a sampled answer may break its promise."
        ),
    ] = 0.01,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", help="Records to draw; found if not given."),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="PEOPLE",
            help="Judge sets for this many people: a number such as 3e8, or a name such as usa, "
            "which stands for a round figure.",
        ),
    ] = None,
    explain: Annotated[
        list[str] | None,
        typer.Option(
            "--explain",
            metavar="COLUMNS",
            help="Say what these columns add, and what coarser values would change.",
            show_default=False,
        ),
    ] = None,
    drop_duplicates: Annotated[
        bool,
        typer.Option("--drop-duplicates", help="Count records that are equal in all columns once."),
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Makes samples repeatable.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="How long to search.")
    ] = 60.0,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the sets of columns that tell the records of FILE apart."""
    from incrowd import discovery, run  # noqa: PLC0415  not for --help
    from incrowd.report import json, text  # noqa: PLC0415  not for --help

    said = Output(as_json=as_json, quiet=quiet)
    with waiting(said) as bar, Stoppable(said, bar.tell) as watch:
        found = discovery.discover(
            file,
            options.columns(columns) or None,
            measure=measure,  # type: ignore[arg-type]  # checked there
            ratio=ratio,
            max_size=max_size,
            exact=exact,
            epsilon=epsilon,
            delta=delta,
            sample=sample,
            population=population,
            explain=options.columns(explain),
            drop_duplicates=drop_duplicates,
            seed=seed,
            time_limit=time_limit,
            reading=run.Reading(delimiter, encoding, header),
            watch=watch,
        )
    for note in found.notes:
        said.remark(f"note: {note}")
    said.result(lambda: json.discovery_document(found), lambda: text.discovery_picture(found))
    if watch.interrupted:
        said.remark("interrupted: this is what was known by then")
        raise SystemExit(INTERRUPTED)
