"""`incrowd discover`: which columns tell people apart."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from incrowd import api
from incrowd.cli import options
from incrowd.cli.failures import INTERRUPTED
from incrowd.cli.interrupt import Stoppable
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting
from incrowd.documents import groups, json, text
from incrowd.errors import PolicyError


def discover(  # noqa: PLR0913  one parameter per flag
    file: options.TableFile,
    *,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="COLUMNS",
            help="The columns to look at; all if not given.",
            show_default=False,
        ),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            "--measure",
            metavar="MEASURE",
            help="How sets are judged: distinct, separation or unique.",
        ),
    ] = "distinct",
    ratio: Annotated[
        float | None,
        typer.Option(
            "--ratio",
            metavar="SHARE",
            help="What a set must reach, above 0 and up to 1: 0.9, or 1 with --epsilon.",
        ),
    ] = None,
    max_size: Annotated[
        int | None,
        typer.Option("--max-size", metavar="N", help="The most columns of a set."),
    ] = None,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--sampled",
            help="Look at all records, or at a sample; what fits into memory is exact.",
            show_default=False,
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon", metavar="SHARE", help="Draw a sample whose answers are off by no more."
        ),
    ] = None,
    delta: Annotated[
        float,
        typer.Option(
            "--delta", metavar="SHARE", help="How likely a sampled answer may break its promise."
        ),
    ] = 0.01,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", help="Records to draw; found if not given."),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="PEOPLE",
            help="Judge sets for this many people: a number such as 3e8, or a name such as usa, "
            "which stands for a round figure.",
        ),
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(
            "--domain",
            metavar="COLUMN=N",
            help="With --population: how many values a column can have, such as ssn=1e9.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            metavar="SHARE",
            help="With --population: the share of people that a set must tell apart; 0.5.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="SOURCE",
            help="With --population: where numbers of values come from: declared, estimated or "
            "observed; declared where --domain says all of them, else estimated.",
        ),
    ] = None,
    explain: Annotated[
        list[str] | None,
        typer.Option(
            "--explain",
            metavar="COLUMNS",
            help="Say what these columns add, and what coarser values would change.",
            show_default=False,
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--k",
            metavar="PEOPLE",
            help="Find the sets that name groups of at most this many people instead.",
            show_default=False,
        ),
    ] = None,
    id: Annotated[  # noqa: A002  the flag's name
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="With -k: the column that tells individuals apart; each row is one if not given.",
        ),
    ] = None,
    drop_duplicates: Annotated[
        bool,
        typer.Option("--drop-duplicates", help="Count records that are equal in all columns once."),
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Makes samples repeatable.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="How long to search.")
    ] = 60.0,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the sets of columns that tell the records of FILE apart."""
    said, some = Output(as_json=as_json, quiet=quiet), options.columns(columns) or None
    judged: dict[str, Any] = {
        "measure": measure,
        "ratio": ratio,
        "exact": exact,
        "epsilon": epsilon,
        "delta": delta,
        "sample": sample,
        "population": population,
        "domains": options.numbers(domain, "domain") or None,
        "alpha": alpha,
        "source": source,
        "explain": options.columns(explain),
        "drop_duplicates": drop_duplicates,
        "seed": seed,
    }
    limits: dict[str, Any] = {
        "max_size": max_size,
        "time_limit": time_limit,
        "reading": api.Reading(delimiter, encoding, header),
    }
    found: Any
    show: tuple[Callable[[Any], Any], Callable[[Any], Any]]
    with waiting(said) as bar, Stoppable(said, bar.tell) as watch:
        if k is None:
            _refuse_id(id)
            show = json.discovery_document, text.discovery_picture
            found = api.discover(file, some, **judged, **limits, watch=watch)
        else:
            _refuse_measures(judged)
            show = groups.groups_document, groups.groups_picture
            found = api.groups(file, k, some, world_id=id, **limits, watch=watch)
    for note in found.notes:
        said.remark(f"note: {note}")
    said.result(lambda: show[0](found), lambda: show[1](found))
    if watch.interrupted:
        said.remark("interrupted: this is what was known by then")
        raise SystemExit(INTERRUPTED)


def _refuse_id(id: str | None) -> None:  # noqa: A002  the flag's name
    if id is not None:
        raise PolicyError(
            "--id tells the people of groups apart, and no group is asked for",
            remedy="say how many people a small group has, such as -k 5",
        )


def _refuse_measures(judged: Mapping[str, Any]) -> None:
    """Groups of people are counted, not judged by a ratio or a sample."""
    usual = {"measure": "distinct", "delta": 0.01, "explain": (), "drop_duplicates": False}
    given = [name for name, value in judged.items() if value != usual.get(name)]
    if given:
        raise PolicyError(
            f"-k counts the people of groups, without --{given[0].replace('_', '-')}",
            remedy="leave out one of them",
        )
