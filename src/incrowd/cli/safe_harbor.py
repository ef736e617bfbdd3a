"""`incrowd safe-harbor`: which of HIPAA's eighteen identifiers a table holds."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli import options
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting
from incrowd.errors import NotMetError


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
    from incrowd import api  # noqa: PLC0415  not for --help
    from incrowd.cli.table import held, named_by  # noqa: PLC0415  not for --help
    from incrowd.documents.safe_harbor import safe_harbor_picture  # noqa: PLC0415  not for --help
    from incrowd.io.policies import read_policy  # noqa: PLC0415  not for --help
    from incrowd.io.zip_populations import read_zip_populations  # noqa: PLC0415  not for --help

    said = Output(as_json=as_json, quiet=quiet)
    asked = None if policy is None else read_policy(policy)
    people = None if zip_populations is None else read_zip_populations(zip_populations)
    with waiting(said):
        table = held(file, api.Reading(delimiter, encoding, header), said, named_by(policy))
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
    said.result(found.as_dict, lambda: safe_harbor_picture(found))
    return 0 if found.met else NotMetError.exit_code
