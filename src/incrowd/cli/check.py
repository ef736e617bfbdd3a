"""`incrowd check`: whether a release keeps its policy, from the release alone."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd import api
from incrowd.cli import options
from incrowd.cli import request as cli_request
from incrowd.cli import table as cli_table
from incrowd.cli import world as cli_world
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting
from incrowd.documents import json, text
from incrowd.errors import NotMetError, PolicyError


def check(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    policy: options.PolicyFile = None,
    certificate: Annotated[
        str | None,
        typer.Option("--certificate", metavar="FILE", help="The certificate that came with it."),
    ] = None,
    trusted_key: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-key",
            metavar="FILE",
            help="A public key: the certificate must be signed by it. Repeat it for several.",
            show_default=False,
        ),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            metavar="FILE",
            help="The table that it was made of: with it and --policy losses are recounted, too.",
        ),
    ] = None,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    k: options.K = None,
    l: options.L = None,
    t: options.T = None,
    missing: options.MissingReading = None,
    hierarchy: options.HierarchyOf = None,
    hierarchies: options.Hierarchies = None,
    world: options.World = None,
    world_id: options.WorldId = None,
    rename: options.Rename = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Check every model on the rows of FILE; exit code 1 if one is not met."""
    said = Output(as_json=as_json, quiet=quiet)
    named = (*options.columns(quasi), *options.columns(sensitive))
    flags = cli_request.Flags(
        policy=policy,
        quick={
            "quasi": options.columns(quasi),
            "sensitive": options.columns(sensitive),
            "k": k,
            "l": l,
            "t": t,
        },
        settings={"missing": missing},
        hierarchy=hierarchy,
        hierarchies=hierarchies,
    )
    with waiting(said):
        expected = (*named, *cli_table.named_by(policy), *cli_table.certified(certificate))
        table = cli_table.held(file, api.Reading(delimiter, encoding, header), said, expected)
        asked, folder = None, Path()
        held_by = cli_world.Opposed(tuple(world or ()), world_id, tuple(rename or ()))
        if certificate is None or not flags.silent:
            _refuse_half(policy, certificate)
            _refuse_unread(policy, original)
            others = [name for name in table.names if name not in named]
            request = held_by.laid_over(flags.request(table.names, keep=others))
            asked, folder = request.policy, request.folder
        found = api.check_file(
            file,
            asked,
            certificate,
            original=original,
            trusted_keys=tuple(trusted_key or ()),
            reading=table,
            folder=folder,
            **held_by.given,
        )
    said.result(lambda: json.check_document(found), lambda: text.check_picture(found))
    return 0 if found.ok else NotMetError.exit_code


def _refuse_half(policy: str | None, certificate: str | None) -> None:
    if certificate is not None and policy is None:
        raise PolicyError(
            "a certificate is of a whole policy, which quick flags are not",
            remedy="name the policy with --policy, or give no flags to take the certificate's",
        )


def _refuse_unread(policy: str | None, original: str | None) -> None:
    if original is not None and policy is None:
        raise PolicyError(
            "losses are recounted by a whole policy, which quick flags are not",
            remedy="name the policy with --policy",
        )
