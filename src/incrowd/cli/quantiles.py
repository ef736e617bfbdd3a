"""`incrowd quantiles`: columns of numbers and dates show quantiles of at least k records."""

from typing import Annotated, Any

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import next_command, options, sources
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads
from incrowd.cli.output import Output, waiting
from incrowd.documents import json
from incrowd.documents import population as texts
from incrowd.errors import PolicyError


@reads(memory=False)
def quantiles(  # noqa: PLR0913  one parameter per option
    file: options.TableFile,
    *,
    columns: Annotated[
        list[str],
        typer.Option(
            "--columns",
            "-c",
            metavar="COLUMNS",
            help="Columns of numbers or dates to replace by quantiles.",
            show_default=False,
            rich_help_panel=options.COLUMNS,
        ),
    ],
    keep: options.Keep = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            metavar="K",
            help="At least K records show the same value.",
            rich_help_panel=options.HOLD,
        ),
    ] = None,
    buckets: Annotated[
        int | None,
        typer.Option(
            "--buckets",
            metavar="B",
            help="The number of buckets, instead of -k.",
            rich_help_panel=options.HOLD,
        ),
    ] = None,
    show: Annotated[
        str,
        typer.Option(
            "--show",
            metavar="WHAT",
            help="What a bucket shows: median or range.",
            rich_help_panel=options.HOLD,
        ),
    ] = "median",
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon",
            metavar="SHARE",
            help="Use a sample in which ranks are off by at most this share of the records. "
            "Default: 0.005 for standard input and large files, all records otherwise.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            "--delta",
            metavar="SHARE",
            help="The probability that a rank is off by more. Default: 0.01.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    output: Annotated[str | None, options.output("Write the rows to this file.")] = None,
    seed: options.Seed = None,
    keep_order: options.KeepOrder = False,
    dry_run: options.DryRun = False,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Replace numbers and dates by quantiles of K records.

    At least K records show each value. Files may be larger than memory.

    Example: incrowd quantiles patients.csv -c birth_date,weight -k 20 -o release.csv
    """
    answer = Output(as_json=as_json, quiet=quiet, details=details)
    if output is None and not dry_run:
        raise PolicyError("say where to write the rows", remedy="add -o FILE")
    target = None if dry_run else output
    asked: dict[str, Any] = {
        "columns": options.columns(columns),
        "k": k,
        "buckets": buckets,
        "epsilon": epsilon,
        "delta": delta,
        "show": show,
        "keep": options.columns(keep),
        "seed": seed,
        "keep_order": keep_order,
    }
    with waiting(answer, "quantiles") as bar:
        wanted = sources.reading(reading)
        watch = watching.Watch(tell=bar.tell)
        found = api.quantiles(file, target, **asked, reading=wanted, watch=watch)
    answer.notes(found.notes)
    answer.result(
        lambda: json.quantiles_document(found, target),
        lambda: texts.quantiles_text(found, target, details=details),
        lambda: next_command.after_columns(target, [column.name for column in found.columns]),
    )
