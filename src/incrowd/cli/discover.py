"""`incrowd discover`: which columns tell people apart."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

from incrowd import api
from incrowd.cli import next_command, options, sources
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads
from incrowd.cli.interrupt import Stoppable
from incrowd.cli.output import Output, waiting
from incrowd.documents import identify as texts
from incrowd.documents import json
from incrowd.errors import INTERRUPTED, PolicyError

_FIND = "What to find"
_POPULATION = "Population"
_OF_SETS = ("population", "domains", "alpha", "source")
"""Options that judge sets of columns for a population."""
_USUAL = {"measure": "distinct", "delta": 0.01, "explain": (), "drop_duplicates": False}
"""Options of a search that are not None by default."""


@reads()
def discover(  # noqa: PLR0913  one parameter per option
    file: options.TableOrNone = None,
    *,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="COLUMNS",
            help="The columns to look at; all by default.",
            show_default=False,
            rich_help_panel=_FIND,
        ),
    ] = None,
    ratio: Annotated[
        float | None,
        typer.Option(
            "--ratio",
            metavar="SHARE",
            help="The ratio that a set of columns must reach, above 0 and up to 1. Default: 0.9, "
            "with --epsilon 1.",
            rich_help_panel=_FIND,
        ),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            "--measure",
            metavar="MEASURE",
            help="The ratio to use: distinct, separation or unique.",
            rich_help_panel=_FIND,
        ),
    ] = "distinct",
    max_size: Annotated[
        int | None,
        typer.Option(
            "--max-size", metavar="N", help="The most columns of a set.", rich_help_panel=_FIND
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--k",
            metavar="PEOPLE",
            help="Find the sets that single out groups of at most this many people instead.",
            show_default=False,
            rich_help_panel=_FIND,
        ),
    ] = None,
    world_id: Annotated[
        str | None,
        typer.Option(
            "--world-id",
            metavar="COLUMN",
            help="With -k: the column that tells people apart; without it each record is a person.",
            rich_help_panel=_FIND,
        ),
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="COLUMNS",
            help="Judge these columns together for --population, with or without a table. Repeat "
            "it for several sets.",
            show_default=False,
            rich_help_panel=_POPULATION,
        ),
    ] = None,
    explain: Annotated[
        list[str] | None,
        typer.Option(
            "--explain",
            metavar="COLUMNS",
            help="Show what these columns add, and what coarser values would change.",
            show_default=False,
            rich_help_panel=_FIND,
        ),
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(
            "--weights",
            metavar="COLUMN=COST",
            help="What it costs to learn a column, such as ssn=20,zip=0.5: the cheapest set is "
            "found in place of the smallest. Default: 1.",
            show_default=False,
            rich_help_panel=_FIND,
        ),
    ] = None,
    drop_duplicates: Annotated[
        bool,
        typer.Option(
            "--drop-duplicates",
            help="Count records that are equal in all columns once.",
            rich_help_panel=_FIND,
        ),
    ] = False,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="PEOPLE",
            help="Judge sets for this many people: a number such as 3e8, or a name such as usa, a "
            "round figure.",
            rich_help_panel=_POPULATION,
        ),
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(
            "--domain",
            metavar="COLUMN=N",
            help="The number of values that a column can have, such as ssn=1e9.",
            show_default=False,
            rich_help_panel=_POPULATION,
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            metavar="SHARE",
            help="The share of people that a set must tell apart. Default: 0.5.",
            rich_help_panel=_POPULATION,
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="SOURCE",
            help="Where numbers of values come from: declared, estimated or observed. Default: "
            "declared if --domain has all of them, else estimated.",
            rich_help_panel=_POPULATION,
        ),
    ] = None,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--sampled",
            help="Look at all records, or at a sample. Default: all if they fit into memory.",
            show_default=False,
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon",
            metavar="SHARE",
            help="Draw a sample whose answers are off by at most this.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    delta: Annotated[
        float,
        typer.Option(
            "--delta",
            metavar="SHARE",
            help="The probability that a sampled answer breaks its promise.",
            rich_help_panel=options.SEARCH,
        ),
    ] = 0.01,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="N",
            help="The number of records to draw; chosen if not given.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            help="Seed for samples: the same seed gives the same result.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    time_limit: options.SearchSeconds = 60.0,
    policy: options.PolicyFile = None,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the columns that, alone or together, tell people apart.

    Ctrl-C stops the search and shows what it found so far. With --set it judges columns that you
    name.

    Example: incrowd discover patients.csv --ratio 0.9 --max-size 3
    """
    output, some = (
        Output(as_json=as_json, quiet=quiet, details=details),
        options.columns(columns) or None,
    )
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
        "weights": options.numbers(weights, "weights", "zip=2") or None,
        "drop_duplicates": drop_duplicates,
        "seed": seed,
    }
    limits: dict[str, Any] = {
        "max_size": max_size,
        "time_limit": time_limit,
        "reading": sources.reading(reading),
        "policy": policy,
    }
    if sets is not None:
        _refuse_search(judged | {"max_size": max_size, "k": k, "columns": some})
        answer_sets(file, sets, judged, limits, output)
        return
    if file is None:
        raise PolicyError(
            "discover needs a table",
            remedy="name a FILE; without one, judge columns with --set, --domain and --population",
        )
    found: Any
    show: tuple[Callable[[Any], Any], Callable[..., Any]]
    with waiting(output, "discover") as bar, Stoppable(output, bar.tell) as watch:
        if k is None:
            _refuse_world_id(world_id)
            show = json.discovery_document, _text("discovery_text")
            found = api.discover(file, some, **judged, **limits, watch=watch)
        else:
            _refuse_measures(judged)
            show = json.groups_document, _text("groups_text")
            found = api.groups(file, k, some, world_id=world_id, **limits, watch=watch)
    output.notes(found.notes)
    output.result(
        lambda: show[0](found),
        lambda: show[1](found, details=details),
        lambda: next_command.after_discover(file, found),
    )
    if watch.interrupted:
        output.remark("interrupted: this is what the search knew by then")
        raise SystemExit(INTERRUPTED)


def _text(name: str) -> Callable[..., Any]:
    """A function of `texts` that is loaded when it is called: not for --json."""
    return lambda *result, **how: getattr(texts, name)(*result, **how)  # noqa: PLW0108  unloaded


def answer_sets(
    file: str | None,
    sets: Sequence[str],
    judged: Mapping[str, Any],
    limits: Mapping[str, Any],
    output: Output,
) -> None:
    """Judge named sets of columns for a population."""
    asked = {name: judged[name] for name in _OF_SETS}
    asked |= {name: limits[name] for name in ("reading", "policy")}
    named = [options.columns([text]) for text in sets]
    with waiting(output, "discover"):
        found = api.judge_sets(named, file, **asked)
    output.notes(found.notes)
    output.result(
        lambda: json.judged_document(found),
        lambda: texts.judged_text(found, details=output.details),
        lambda: None if file is None else next_command.after_discover(file, found),
    )


def _refuse_search(judged: Mapping[str, Any]) -> None:
    """Named sets are judged, not searched for."""
    usual = _USUAL | {name: judged[name] for name in _OF_SETS}
    given = [name for name, value in judged.items() if value != usual.get(name)]
    if given:
        raise PolicyError(
            f"--set names the columns to judge and takes no --{given[0].replace('_', '-')}",
            remedy="leave out one of them",
        )


def _refuse_world_id(world_id: str | None) -> None:
    if world_id is not None:
        raise PolicyError(
            "--world-id counts the people of groups, and needs -k",
            remedy="add the size of a small group, for example -k 5",
        )


def _refuse_measures(judged: Mapping[str, Any]) -> None:
    """Groups of people are counted, not judged by a ratio or a sample."""
    given = [name for name, value in judged.items() if value != _USUAL.get(name)]
    if given:
        raise PolicyError(
            f"-k counts the people of groups and takes no --{given[0].replace('_', '-')}",
            remedy="leave out one of them",
        )
