"""`incrowd anonymize`: a release that keeps its policy, verified after it was written."""

from typing import Annotated

import typer

from incrowd.cli import options
from incrowd.cli.output import Output


def anonymize(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where the release is written."),
    ] = None,
    policy: options.PolicyFile = None,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    keep: options.Keep = None,
    unit: options.Unit = None,
    weight: options.Weight = None,
    k: options.K = None,
    l: options.L = None,
    t: options.T = None,
    suppress: Annotated[
        float | None,
        typer.Option(
            "--suppress",
            metavar="SHARE",
            help="The largest share of records that may be left out, 0..1.",
        ),
    ] = None,
    missing: options.MissingReading = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="SEARCH",
            help="The search: auto (default), lattice, mondrian, datafly or exhaustive.",
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            "--loss",
            metavar="LOSS",
            help="What the search makes small: gcp (default), granularity, precision, …",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", help="How long the search may take."),
    ] = None,
    hierarchy: options.HierarchyOf = None,
    hierarchies: options.Hierarchies = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            "--certificate",
            metavar="FILE",
            help="Where the certificate is written; beside the release if not given.",
        ),
    ] = None,
    key_file: Annotated[
        str | None,
        typer.Option(
            "--key-file",
            metavar="FILE",
            help="The key of pseudonyms; the variable INCROWD_KEY if not given.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Makes the order of records repeatable."),
    ] = None,
    keep_order: Annotated[
        bool,
        typer.Option("--keep-order", help="Keep the order of records, which links releases."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but write.")] = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a release of FILE that keeps the policy, or the quick request, and verify it."""
