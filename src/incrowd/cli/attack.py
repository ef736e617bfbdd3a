"""`incrowd attack`: what somebody who knows this or that gets right about a release."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd import api, watch
from incrowd.cli import options
from incrowd.cli import table as cli_table
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting
from incrowd.documents import attacks
from incrowd.errors import NotMetError, PolicyError
from incrowd.io import hierarchies as hierarchies_of_io
from incrowd.io import policies

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy


def attack(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    world: Annotated[
        list[str] | None,
        typer.Option(
            "--world",
            metavar="FILE",
            help="A table with names that somebody may hold. Repeat it for several, which --id "
            "joins.",
            show_default=False,
        ),
    ] = None,
    id: Annotated[  # noqa: A002  the flag's name
        str | None,
        typer.Option(
            "--id", metavar="COLUMN", help="The column of the world that tells individuals apart."
        ),
    ] = None,
    knows: Annotated[
        list[str] | None,
        typer.Option(
            "--knows",
            metavar="COLUMNS",
            help="Columns whose values the attacker knows of a person; the policy's "
            "quasi-identifiers, or all that tables share, if not given.",
            show_default=False,
        ),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth", metavar="FILE", help="The id of each released row, in the release's order."
        ),
    ] = None,
    truth_key: Annotated[
        str | None,
        typer.Option(
            "--truth-key",
            metavar="COLUMN",
            help="A column of release and truth that says which rows belong together.",
        ),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option("--original", metavar="FILE", help="The table that the release is of."),
    ] = None,
    other: Annotated[
        str | None,
        typer.Option("--other", metavar="FILE", help="Another release of the same original."),
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            "--control",
            metavar="FILE",
            help="People like those of the original who are not in it: inference about them is "
            "what the release tells of anybody.",
        ),
    ] = None,
    sensitive: options.Sensitive = None,
    policy: options.PolicyFile = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            "--certificate", metavar="FILE", help="The release's certificate, for its policy."
        ),
    ] = None,
    max_size: Annotated[
        int | None,
        typer.Option(
            "--max-size", metavar="N", help="Also play all sets of at most N known columns."
        ),
    ] = None,
    max_success: Annotated[
        float | None,
        typer.Option(
            "--max-success",
            metavar="SHARE",
            help="The most that an attack may gain over guessing on the average, 0..1; exit code "
            "1 above.",
        ),
    ] = None,
    max_posterior: Annotated[
        float,
        typer.Option(
            "--max-posterior",
            metavar="CHANCE",
            help="Nobody may be found, or their sensitive value learned, with a chance above "
            "this, 0..1, that was not above it before; exit code 1 otherwise. 1 switches it off.",
        ),
    ] = 0.95,
    max_people: Annotated[
        int,
        typer.Option(
            "--max-people", metavar="N", help="So many people may be above --max-posterior."
        ),
    ] = 0,
    max_raise: Annotated[
        float | None,
        typer.Option(
            "--max-raise",
            metavar="SHARE",
            help="The most that may be added to anybody's chance, as a share of what was open; "
            "0.3 (or --max-success, if that is more) where --max-success is given. 1 switches it "
            "off.",
            show_default=False,
        ),
    ] = None,
    listed: Annotated[
        float | None,
        typer.Option(
            "--listed",
            metavar="SHARE",
            help="The share of the released people who are in the world, 0..1, if neither --truth "
            "nor the ids of --original show it.",
            show_default=False,
        ),
    ] = None,
    rule_out: Annotated[
        int,
        typer.Option(
            "--rule-out", metavar="N", help="Sensitive values that an attacker can rule out."
        ),
    ] = 1,
    rename: Annotated[
        list[str] | None,
        typer.Option(
            "--rename",
            metavar="COLUMN=OTHER",
            help="What other tables call a column of the release. Repeat it for each column.",
            show_default=False,
        ),
    ] = None,
    promise: Annotated[
        list[str] | None,
        typer.Option(
            "--promise",
            metavar="COLUMNS=PEOPLE",
            help="What is known of every world: zip,sex=500 says that whatever values these "
            "columns show, at least 500 people have them. Repeat it.",
            show_default=False,
        ),
    ] = None,
    hierarchy: options.HierarchyOf = None,
    hierarchies: options.Hierarchies = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed for the row-order attack.")
    ] = 0,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Attack the release in FILE with what somebody may hold; exit code 1 if a limit is broken."""
    said = Output(as_json=as_json, quiet=quiet)
    with waiting(said) as bar:
        named = (*options.columns(knows), *options.columns(sensitive))
        named = (*named, *cli_table.named_by(policy), *cli_table.certified(certificate))
        table = cli_table.held(file, api.Reading(delimiter, encoding, header), said, named)
        found = api.attack_file(
            file,
            world=world,
            truth=truth,
            original=original,
            other=other,
            control=control,
            policy=None if policy is None else policies.read_policy(policy),
            certificate=certificate,
            reading=table,
            watch=watch.Watch(tell=bar.tell),
            world_id=id,
            knows=options.columns(knows),
            truth_key=truth_key,
            sensitive=options.columns(sensitive),
            max_size=max_size,
            max_success=max_success,
            max_posterior=max_posterior,
            max_people=max_people,
            max_raise=max_raise,
            listed=listed,
            rule_out=rule_out,
            rename=options.renamed(rename),
            hierarchies=_trees(hierarchy or (), hierarchies, table.names),
            seed=seed,
            folder=Path() if policy is None else Path(policy).parent,
            promises=options.promised(promise),
        )
    for note in found.notes:
        said.remark(f"note: {note}")
    said.result(lambda: attacks.attack_document(found), lambda: attacks.attack_picture(found))
    return 0 if found.ok else NotMetError.exit_code


def _trees(
    texts: Sequence[str], folder: str | None, names: Sequence[str]
) -> "dict[str, AnyHierarchy]":
    """The hierarchies that are named, by folder or one by one; their paths start here."""
    found: dict[str, AnyHierarchy] = {}
    if folder is not None:
        found |= {
            name: hierarchies_of_io.read_tree(path)
            for name, path in hierarchies_of_io.find(folder, names).items()
        }
    for text in texts:
        name, spec = hierarchies_of_io.parse_option(text)
        if name not in names:
            raise PolicyError(
                f"the release has no column {name!r}", remedy="it has: " + ", ".join(names)
            )
        found[name] = hierarchies_of_io.resolve(spec, Path())
    return found
