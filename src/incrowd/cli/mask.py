"""`incrowd mask`: publish only columns that do not tell people apart."""

from typing import Annotated, Any

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import options, table
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting
from incrowd.documents import json, text
from incrowd.errors import PolicyError
from incrowd.verbs import mask as mask_of_verbs


def mask(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where the columns are written."),
    ] = None,
    ratio: Annotated[
        float,
        typer.Option(
            "--ratio",
            metavar="SHARE",
            help="The ratio that the published columns may not exceed.",
            show_default=False,
        ),
    ],
    measure: Annotated[
        str,
        typer.Option(
            "--measure",
            metavar="MEASURE",
            help="How sets are judged: distinct, separation or unique.",
        ),
    ] = "distinct",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMNS",
            help="Columns that must be published.",
            show_default=False,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop",
            metavar="COLUMNS",
            help="Columns that must not be published.",
            show_default=False,
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight",
            metavar="COLUMN=WORTH",
            help="What a column is worth, 1 if not given: age=2,zip=1.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="greedy (all records), sampled (tables larger than memory: read twice, standard "
            "input by way of the disk) or exact (few columns).",
        ),
    ] = "greedy",
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", help="Records or pairs that sampled draws; 50,000."),
    ] = None,
    delta: Annotated[
        float,
        typer.Option(
            "--delta", metavar="SHARE", help="How likely a sampled choice may be above the ratio."
        ),
    ] = 0.01,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Makes samples and the order repeatable."),
    ] = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Keep the order of records.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but write.")] = False,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="How long to search.")
    ] = 60.0,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the columns of FILE that do not tell its records apart, as they are."""
    said = Output(as_json=as_json, quiet=quiet)
    if not output and not dry_run:
        raise PolicyError("it is not said where the columns go", remedy="add -o FILE")
    wish: dict[str, Any] = {
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
    named = (*options.columns(keep), *options.columns(drop), *options.numbers(weight, "weight"))
    target = None if dry_run else output
    mask_of_verbs.check_target(file, target)
    with waiting(said) as bar:
        reading = api.Reading(delimiter, encoding, header)
        if not mask_of_verbs.passes(file, method, reading):
            reading = table.held(file, reading, said, named)
        watch = watching.Watch(tell=bar.tell)
        found = api.mask_file(file, target, reading=reading, watch=watch, **wish)
    for note in found.notes:
        said.remark(f"note: {note}")
    said.result(lambda: json.mask_document(found, target), lambda: text.mask_picture(found, target))
