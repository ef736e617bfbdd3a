"""`incrowd anonymize`: a release that keeps its policy, verified after it was written."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import interrupt, options
from incrowd.cli import maximize as cli_maximize
from incrowd.cli import request as cli_request
from incrowd.cli import table as cli_table
from incrowd.cli import world as cli_world
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting
from incrowd.documents import json, text
from incrowd.errors import PolicyError
from incrowd.io import files, tables

if TYPE_CHECKING:
    from incrowd.search.literature.accuracy.frontier import Frontier
    from incrowd.verbs.reading import Reading
    from incrowd.watch import Watch


class _How(TypedDict):
    """How a table is read, who is told of progress, and where its policy's paths start."""

    reading: "Reading"
    watch: "Watch"
    folder: Path


SEARCHES = (
    "auto",
    "accuracy",
    "anatomy",
    "crowd",
    "cuts",
    "datafly",
    "diversify",
    "exhaustive",
    "hilbert",
    "idistance",
    "lattice",
    "lattice+local",
    "mingen",
    "mingen-cells",
    "mondrian",
    "mu-argus",
    "top-down",
    "tree",
    "world",
)
"""What `--method` knows: written out, as loading the searches is not for --help. A test holds it
to what there is."""


def anonymize(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    curve: Annotated[
        str | None,
        typer.Argument(
            metavar="CURVE",
            help="With --frontier: where the curve is written, .csv, .json, .svg, .png or .html.",
            show_default=False,
        ),
    ] = None,
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
            help=f"The search: {SEARCHES[0]} (default), {', '.join(SEARCHES[1:])}.",
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
    maximize: Annotated[
        str | None,
        typer.Option(
            "--maximize",
            metavar="privacy",
            help="Look for the most privacy within --max-loss, not for the least loss.",
        ),
    ] = None,
    max_loss: Annotated[
        float | None,
        typer.Option(
            "--max-loss", metavar="SHARE", help="With --maximize: the most a class may lose, 0..1."
        ),
    ] = None,
    privacy: Annotated[
        str | None,
        typer.Option(
            "--privacy",
            metavar="k|l",
            help="What is maximized: k, people, or l, sensitive values; "
            "l where a column is sensitive, if not given.",
        ),
    ] = None,
    widest: options.Widest = None,
    highest: options.Highest = None,
    grid: options.Grid = None,
    ends: options.Ends = None,
    split_ends: options.SplitEnds = False,
    accept_derived: options.AcceptDerived = None,
    frontier: Annotated[
        bool,
        typer.Option(
            "--frontier",
            help="Show the most privacy for every largest loss; a file named after it gets the "
            "curve. No release is made.",
        ),
    ] = False,
    hierarchy: options.HierarchyOf = None,
    hierarchies: options.Hierarchies = None,
    world: options.World = None,
    world_id: options.WorldId = None,
    rename: options.Rename = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            "--certificate",
            metavar="FILE",
            help="Where the certificate is written; beside the release if not given.",
        ),
    ] = None,
    explore: Annotated[
        str | None,
        typer.Option(
            "--explore",
            metavar="FILE",
            help="Where the nodes that a lattice search counted are written: "
            ".csv, .json, .svg, .png or .html.",
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
    sign: Annotated[
        str | None,
        typer.Option(
            "--sign",
            metavar="KEY",
            help="File of the private key that signs the certificate; the one that the variable "
            "INCROWD_SIGNING_KEY names if not given.",
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
    said = Output(as_json=as_json, quiet=quiet)
    wish = cli_maximize.Wish(maximize, max_loss, privacy, frontier)
    wish.refuse_search(method)
    held_by = cli_world.Opposed(tuple(world or ()), world_id, tuple(rename or ()))
    held_by.refuse_most_privacy(asked=wish.there)
    _refuse_both(curve, [output, certificate, explore], frontier=frontier)
    _refuse_nowhere(output, certificate, dry_run=dry_run or frontier)
    quick = {
        "quasi": options.columns(quasi),
        "sensitive": options.columns(sensitive),
        "keep": options.columns(keep),
        "unit": unit,
        "weight": weight,
        "k": k,
        "l": l,
        "t": t,
    }
    cli_maximize.refuse_nothing(quick, floor=wish.there)
    flags = cli_request.Flags(
        policy=policy,
        quick=wish.floors(quick),
        settings={
            "suppression": suppress,
            "missing": missing,
            "search": method,
            "loss": loss,
            "time_limit": time_limit,
            "order": "keep" if keep_order else None,
            "ends": ends,
            "split_ends": split_ends or None,
        },
        hierarchy=hierarchy,
        hierarchies=hierarchies,
        limits={"widest": widest, "highest": highest, "grid": grid},
        accepted=options.columns(accept_derived),
    )
    paths = _paths(output, certificate, dry_run=dry_run)
    for path in filter(None, (explore, curve)):
        api.refuse_unexplorable(path)
    signer = cli_request.signing_key(sign)
    _refuse_overwriting([file, policy, key_file, signer, *held_by.worlds], [explore, curve])
    _refuse_same(explore, paths.values())
    _refuse_overwriting([policy, key_file, signer, *held_by.worlds], [*paths.values()])
    with interrupt.placing(output, written=bool(paths)), waiting(said) as bar:
        table = cli_table.held(file, api.Reading(delimiter, encoding, header), said, flags.named)
        request = held_by.laid_over(wish.laid_over(flags.request(table.names)))
        notes = (*request.notes(), *wish.notes(quick, request), *held_by.notes(request))
        for note in notes:
            said.remark(f"note: {note}")
        how = _How(reading=table, watch=watching.Watch(tell=bar.tell), folder=request.folder)
        if frontier:
            found = api.frontier_file(file, request.policy, **how)
        else:
            release = api.anonymize_file(
                file,
                request.policy,
                output or os.devnull,
                certificate=certificate,
                dry_run=dry_run,
                seed=seed,
                key=cli_request.key_of(key_file),
                sign=signer,
                **how,
                **held_by.given,
            )
    if frontier:
        _show_curve(found, curve, said)
        return
    with interrupt.placed(written=bool(paths)):
        for note in release.notes:
            said.remark(f"note: {note}")
        if explore is not None and release.explored is None:
            said.remark(f"note: the search {release.search} goes through no lattice to explore")
        elif explore is not None:
            api.write_explored(release, explore)
            paths["explored"] = explore
        said.result(
            lambda: json.release_document(release, paths, table.seconds),
            lambda: text.release_picture(release, paths),
        )


def _show_curve(found: "Frontier", path: str | None, said: Output) -> None:

    if path is not None:
        api.write_frontier(found, path)
    said.result(
        lambda: json.frontier_document(found, path), lambda: text.frontier_picture(found, path)
    )


def _refuse_both(curve: str | None, others: list[str | None], *, frontier: bool) -> None:
    """A curve or a release, not both."""
    if curve is not None and not frontier:
        raise PolicyError(
            f"there is one table too many: {curve!r}", remedy="name one, or add --frontier"
        )
    if frontier and any(others):
        raise PolicyError(
            "--frontier makes no release, so there is nothing else to write",
            remedy="leave out --output, --certificate and --explore; name a file after --frontier",
        )


def _refuse_nowhere(output: str | None, certificate: str | None, *, dry_run: bool) -> None:

    if not output and not dry_run:
        raise PolicyError("it is not said where the release goes", remedy="add -o FILE")
    if not output:
        return
    if "-" in (output, certificate):
        raise PolicyError(
            "a release and its certificate go to files, not to standard output",
            remedy="name the files",
        )
    tables.refuse_foreign(output)
    files.refuse_nowhere(output, "the release")
    if certificate is not None:
        files.refuse_nowhere(certificate, "the certificate")


def _refuse_overwriting(read: list[str | None], written: list[str | None]) -> None:
    """The policy and the key are not to be lost."""
    for one in filter(None, read):
        if any(files.same_file(one, other) for other in filter(None, written)):
            raise PolicyError(
                f"{one!r} is read and would be overwritten", remedy="name another file"
            )


def _refuse_same(explore: str | None, written: Iterable[str]) -> None:
    """What the search looked at does not take the place of what it found."""
    if explore is not None and any(files.same_file(explore, other) for other in written):
        raise PolicyError(
            f"{explore!r} is also the release or its certificate",
            remedy="name another file for what the search looked at",
        )


def _paths(output: str | None, certificate: str | None, *, dry_run: bool) -> dict[str, str]:
    if dry_run or output is None:
        return {}
    return {"release": output, "certificate": certificate or f"{output}.certificate.json"}
