"""`incrowd safe-harbor`: which of HIPAA's eighteen identifiers a table holds."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd import api
from incrowd.cli import options
from incrowd.cli import table as cli_table
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting
from incrowd.documents import safe_harbor as safe_harbor_documents
from incrowd.errors import NotMetError
from incrowd.io import policies, side_files


def safe_harbor(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="FILE",
            help="A policy (TOML): look at what it would let out of FILE, at the finest level.",
        ),
    ] = None,
    today: Annotated[
        int | None,
        typer.Option("--today", metavar="YEAR", help="Year in which ages count; the present one."),
    ] = None,
    zip_populations: Annotated[
        str | None,
        typer.Option(
            "--zip-populations",
            metavar="FILE",
            help="People by the first three digits of ZIP codes (CSV), in place of the census's.",
        ),
    ] = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Check FILE against HIPAA's Safe Harbor: eighteen identifiers; exit code 1 if it holds one."""
    said = Output(as_json=as_json, quiet=quiet)
    asked = None if policy is None else policies.read_policy(policy)
    people = None if zip_populations is None else side_files.read_zip_populations(zip_populations)
    with waiting(said):
        table = cli_table.held(
            file, api.Reading(delimiter, encoding, header), said, cli_table.named_by(policy)
        )
        found = api.safe_harbor_file(
            file,
            policy=asked,
            today=today,
            zip_populations=people,
            folder=Path() if policy is None else Path(policy).parent,
            reading=table,
        )
    for note in found.notes:
        said.remark(f"note: {note}")
    said.result(found.as_dict, lambda: safe_harbor_documents.safe_harbor_picture(found))
    return 0 if found.met else NotMetError.exit_code
