"""`incrowd quantiles`: columns of numbers and dates show quantiles of at least k records."""

from typing import Annotated, Any

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import options
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting
from incrowd.documents import quantiles as quantiles_documents
from incrowd.errors import PolicyError


def quantiles(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    columns: Annotated[
        list[str],
        typer.Option(
            "--columns",
            "-c",
            metavar="COLUMNS",
            help="Columns of numbers or dates that are to show quantiles.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where the rows are written."),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("-k", metavar="K", help="Records that show the same, at least."),
    ] = None,
    buckets: Annotated[
        int | None,
        typer.Option("--buckets", metavar="B", help="How many buckets, instead of -k."),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon",
            metavar="SHARE",
            help="Divide by a sample that puts ranks off by at most this share of the records; "
            "0.005 for standard input and large files, otherwise all records are looked at.",
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            "--delta", metavar="SHARE", help="How likely a rank may be off further; 0.01."
        ),
    ] = None,
    show: Annotated[
        str,
        typer.Option("--show", metavar="WHAT", help="What a bucket shows: median or range."),
    ] = "median",
    keep: options.Keep = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Makes the sample and the order repeatable."),
    ] = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Keep the order of records.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but write.")] = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Write columns of FILE so that each value hides among at least K records."""
    said = Output(as_json=as_json, quiet=quiet)
    if output is None and not dry_run:
        raise PolicyError("it is not said where the rows go", remedy="add -o FILE")
    wish: dict[str, Any] = {
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
    target = None if dry_run else output
    with waiting(said) as bar:
        reading = api.Reading(delimiter, encoding, header)
        watch = watching.Watch(tell=bar.tell)
        found = api.quantiles_file(file, target, reading=reading, watch=watch, **wish)
    for note in found.notes:
        said.remark(f"note: {note}")
    said.result(
        lambda: quantiles_documents.quantiles_document(found, target),
        lambda: quantiles_documents.quantiles_picture(found, target),
    )
