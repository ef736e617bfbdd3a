"""`incrowd mask`: withhold columns that tell people apart."""

from typing import Annotated, Any

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import next_command, options, sources
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads
from incrowd.cli.output import Output, waiting
from incrowd.documents import identify as texts
from incrowd.documents import json
from incrowd.errors import PolicyError
from incrowd.verbs import mask as masking


@reads(memory=False)
def mask(  # noqa: PLR0913  one parameter per option
    file: options.TableFile,
    *,
    ratio: Annotated[
        float,
        typer.Option(
            "--ratio",
            metavar="SHARE",
            help="The largest ratio that the published columns may reach.",
            show_default=False,
            rich_help_panel=options.HOLD,
        ),
    ],
    measure: Annotated[
        str,
        typer.Option(
            "--measure",
            metavar="MEASURE",
            help="The ratio to use: distinct, separation or unique.",
            rich_help_panel=options.HOLD,
        ),
    ] = "distinct",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMNS",
            help="Columns to publish in any case.",
            show_default=False,
            rich_help_panel=options.COLUMNS,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop",
            metavar="COLUMNS",
            help="Columns to withhold in any case.",
            show_default=False,
            rich_help_panel=options.COLUMNS,
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight",
            metavar="COLUMN=WORTH",
            help="What a column is worth, such as age=2,zip=1. Default: 1.",
            show_default=False,
            rich_help_panel=options.COLUMNS,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="greedy (all records), sampled (for tables larger than memory, which are read "
            "twice) or exact (for few columns).",
            rich_help_panel=options.SEARCH,
        ),
    ] = "greedy",
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="N",
            help="With sampled: the number of records or pairs to draw. Default: 50,000.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    delta: Annotated[
        float,
        typer.Option(
            "--delta",
            metavar="SHARE",
            help="With sampled: the probability that the ratio is larger after all.",
            rich_help_panel=options.SEARCH,
        ),
    ] = 0.01,
    time_limit: options.SearchSeconds = 60.0,
    output: Annotated[
        str | None, options.output("Write the published columns to this file.")
    ] = None,
    seed: options.Seed = None,
    keep_order: options.KeepOrder = False,
    dry_run: options.DryRun = False,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Withhold columns until the rest tells few records apart.

    The published columns keep their exact values: this is not anonymization.

    Example: incrowd mask patients.csv --ratio 0.1 -o published.csv
    """
    answer = Output(as_json=as_json, quiet=quiet, details=details)
    if not output and not dry_run:
        raise PolicyError("say where to write the columns", remedy="add -o FILE")
    asked: dict[str, Any] = {
        "ratio": ratio,
        "measure": measure,
        "keep": options.columns(keep),
        "drop": options.columns(drop),
        "weights": options.numbers(weight, "weight"),
        "method": method,
        "sample": sample,
        "delta": delta,
        "seed": seed,
        "keep_order": keep_order,
        "time_limit": time_limit,
    }
    target = None if dry_run else output
    masking.check_target(file, target)
    with waiting(answer, "mask") as bar:
        wanted = sources.reading(reading).keeping(None)
        watch = watching.Watch(tell=bar.tell, note=answer.notes)
        found = api.mask(file, target, **asked, reading=wanted, watch=watch)
    answer.notes(found.notes)
    answer.result(
        lambda: json.mask_document(found, target),
        lambda: texts.mask_text(found, target, details=details),
        lambda: next_command.after_columns(target, found.published),
    )
