"""`incrowd attack`: what somebody with other tables learns from a release."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import next_command, options, sources
from incrowd.cli import request as requests
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads
from incrowd.cli.output import Output, waiting
from incrowd.documents import attack as texts
from incrowd.errors import NotMetError, PolicyError
from incrowd.io import files
from incrowd.io import reading as readers
from incrowd.linkage import identify

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy
    from incrowd.linkage.identify import AtLeast

_KNOWS = "What the attacker has"
_LIMITS = "Limits (exit code 1 if one is broken)"


@reads(memory=False)
def attack(  # noqa: PLR0913  one parameter per option
    file: options.TableFile,
    *,
    world: Annotated[
        list[str] | None,
        typer.Option(
            "--world",
            metavar="FILE",
            help="A table with names that somebody may have. Repeat it for several tables, joined "
            "by --world-id.",
            show_default=False,
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    world_id: Annotated[
        str | None,
        typer.Option(
            "--world-id",
            metavar="COLUMN",
            help="The column of the world that tells people apart.",
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    knows: Annotated[
        list[str] | None,
        typer.Option(
            "--knows",
            metavar="COLUMNS",
            help="Columns that the attacker knows about a person. Default: the policy's "
            "quasi-identifiers, or all columns that the tables share.",
            show_default=False,
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            metavar="FILE",
            help="The table before anonymization.",
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    other: Annotated[
        str | None,
        typer.Option(
            "--other",
            metavar="FILE",
            help="Another release of the same table.",
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            "--control",
            metavar="FILE",
            help="Similar people who are not in the original: what the attacker learns about them, "
            "the release tells about anybody.",
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth",
            metavar="FILE",
            help="The id of each released row, in the release's order.",
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    truth_key: Annotated[
        str | None,
        typer.Option(
            "--truth-key",
            metavar="COLUMN",
            help="A column of release and truth that says which rows belong together.",
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    listed: Annotated[
        float | None,
        typer.Option(
            "--listed",
            metavar="SHARE",
            help="The share of released people who are in the world, 0..1, if neither --truth nor "
            "the ids of --original show it.",
            show_default=False,
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    rename: Annotated[
        list[str] | None,
        typer.Option(
            "--rename",
            metavar="COLUMN=OTHER",
            help="Other tables' name for a column of the release. Repeat it for each column.",
            show_default=False,
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    promise: Annotated[
        list[str] | None,
        typer.Option(
            "--promise",
            metavar="COLUMNS=PEOPLE",
            help="What holds in every world: zip,sex=500 says that at least 500 people share any "
            "values of these columns. Repeat it.",
            show_default=False,
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    rule_out: Annotated[
        int,
        typer.Option(
            "--rule-out",
            metavar="N",
            help="The number of sensitive values that an attacker can rule out.",
            rich_help_panel=_KNOWS,
        ),
    ] = 1,
    max_size: Annotated[
        int | None,
        typer.Option(
            "--max-size",
            metavar="N",
            help="Also play all sets of at most N known columns.",
            rich_help_panel=_KNOWS,
        ),
    ] = None,
    max_posterior: Annotated[
        float,
        typer.Option(
            "--max-posterior",
            metavar="CHANCE",
            help="The release must not lift the chance to find a person, or their sensitive value, "
            "above this, 0..1; 1 switches it off.",
            rich_help_panel=_LIMITS,
        ),
    ] = 0.95,
    max_people: Annotated[
        int,
        typer.Option(
            "--max-people",
            metavar="N",
            help="This many people may be above --max-posterior.",
            rich_help_panel=_LIMITS,
        ),
    ] = 0,
    max_success: Annotated[
        float | None,
        typer.Option(
            "--max-success",
            metavar="SHARE",
            help="The most that an attack may gain over guessing on average, 0..1.",
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    max_raise: Annotated[
        float | None,
        typer.Option(
            "--max-raise",
            metavar="SHARE",
            help="The most that anybody's chance may rise, as a share of what was open; 1 switches "
            "it off. Default with --max-success: 0.3, or --max-success if that is more.",
            show_default=False,
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    sensitive: options.Sensitive = None,
    policy: options.PolicyFile = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            "--certificate",
            metavar="FILE",
            help="The certificate of the release, for its policy.",
            rich_help_panel=options.HOLD,
        ),
    ] = None,
    hierarchy: options.HierarchyOf = None,
    hierarchies: options.Hierarchies = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            help="Seed for the row-order attack.",
            rich_help_panel=_KNOWS,
        ),
    ] = 0,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Attack a release with what somebody may have or know.

    Example: incrowd attack release.csv --policy policy.toml --world voters.csv --world-id ssn
    """
    output = Output(as_json=as_json, quiet=quiet, details=details)
    with waiting(output, "attack") as bar, ExitStack() as held:
        named = (
            *options.columns(knows),
            *options.columns(sensitive),
            *sources.columns_of_policy(policy),
            *sources.columns_of_certificate(certificate),
        )
        others = [one for one in (original, truth, control, other, *(world or ())) if one]
        wanted, before = sources.readings(reading, next(iter(others), None))
        watch = watching.Watch(tell=bar.tell, note=output.notes)
        table = held.enter_context(readers.opened(file, wanted, named, watch=watch))
        found = api.attack(
            table,
            world=world,
            world_id=world_id,
            knows=options.columns(knows),
            truth=truth,
            truth_key=truth_key,
            original=original,
            other=other,
            control=control,
            sensitive=options.columns(sensitive),
            policy=None if policy is None else files.read_policy(policy),
            certificate=certificate,
            max_size=max_size,
            max_success=max_success,
            max_posterior=max_posterior,
            max_people=max_people,
            max_raise=max_raise,
            listed=listed,
            rule_out=rule_out,
            rename=options.other_names(rename, "rename", "zip=zipcode"),
            promises=_promised(promise),
            hierarchies=_hierarchies(hierarchy, hierarchies, table.names),
            seed=seed,
            folder=Path() if policy is None else Path(policy).parent,
            original_reading=before,
            watch=watch,
        )
    output.notes(found.notes)
    output.result(
        found.as_dict,
        lambda: texts.attack_text(found, details=details),
        lambda: next_command.after_attack(file, found),
    )
    return 0 if found.ok else NotMetError.exit_code


def _hierarchies(
    texts: Sequence[str] | None, folder: str | None, names: Sequence[str]
) -> "dict[str, AnyHierarchy]":
    """The hierarchies of the release's columns."""
    found = requests.hierarchies(texts, folder, names)
    for name in found:
        if name not in names:
            raise PolicyError(
                f"the release has no column {name!r}", remedy="it has: " + ", ".join(names)
            )
    return found


def _promised(texts: Iterable[str] | None) -> "tuple[AtLeast, ...]":
    """Promises about a world, from COLUMNS=PEOPLE.

    >>> _promised(["zip,sex=500"])
    (AtLeast(columns=('zip', 'sex'), people=500),)
    """
    found = []
    for text in texts or ():
        names, _, people = text.rpartition("=")
        some = options.columns([names])
        if not some or not people.isdecimal() or int(people) < 1:
            raise PolicyError(
                "--promise takes COLUMNS=PEOPLE",
                remedy="write, for example, --promise zip,sex=500",
            )
        found.append(identify.AtLeast(some, int(people)))
    return tuple(found)
