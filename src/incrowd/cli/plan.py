"""`incrowd plan`: how coarse each column must be for a known population."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import next_command, options, sources
from incrowd.cli import request as requests
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads
from incrowd.cli.output import Output, waiting
from incrowd.documents import json
from incrowd.documents import population as texts
from incrowd.errors import PolicyError
from incrowd.io import reading as readers


@reads()
def plan(  # noqa: PLR0913  one parameter per option
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="The table; without one give --distinct.",
            show_default=False,
        ),
    ] = None,
    *,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="COLUMNS",
            help="The columns that others may know; by default those that look like it.",
            show_default=False,
            rich_help_panel=options.COLUMNS,
        ),
    ] = None,
    distinct: Annotated[
        list[str] | None,
        typer.Option(
            "--distinct",
            metavar="COLUMN=N",
            help="Instead of a table: columns and their numbers of values, sex=2,zip=100000.",
            show_default=False,
            rich_help_panel=options.COLUMNS,
        ),
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(
            "--weights",
            metavar="COLUMN=WEIGHT",
            help="How much a column matters, such as zip=2,age=0.5. Default: 1.",
            show_default=False,
            rich_help_panel=options.COLUMNS,
        ),
    ] = None,
    sensitive: options.Sensitive = None,
    keep: options.Keep = None,
    accept_alone: options.AcceptAlone = None,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="PEOPLE",
            help="The people that the table was drawn from: a number such as 3e8, or a name such "
            "as usa, a round figure.",
            rich_help_panel=options.HOLD,
        ),
    ] = None,
    k: Annotated[
        float | None,
        typer.Option(
            "-k",
            metavar="K",
            help="At least K of them share what a class shows.",
            rich_help_panel=options.HOLD,
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            "--beta",
            metavar="SHARE",
            help="The probability that fewer do, 0..1.",
            rich_help_panel=options.HOLD,
        ),
    ] = None,
    bound: Annotated[
        str,
        typer.Option(
            "--bound",
            metavar="BOUND",
            help="exact (the binomial tail) or chernoff (the paper's bound, fewer classes).",
            rich_help_panel=options.HOLD,
        ),
    ] = "exact",
    simultaneous: Annotated[
        bool,
        typer.Option(
            "--simultaneous",
            help="Let beta cover all classes together, not each class.",
            rich_help_panel=options.HOLD,
        ),
    ] = False,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="SHARE",
            help="Confidence in what the table's classes support, for all of them together, "
            "0.5..1.",
            rich_help_panel=options.HOLD,
        ),
    ] = 0.95,
    hierarchy: options.HierarchyOf = None,
    hierarchies: options.Hierarchies = None,
    apply: Annotated[
        bool,
        typer.Option(
            "--apply",
            help="Carry out the plan: make, verify and certify the release.",
            rich_help_panel=options.WRITING,
        ),
    ] = False,
    output: Annotated[
        str | None, options.output("With --apply: write the release to this file.")
    ] = None,
    seed: options.Seed = None,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Work out how coarse columns must be for a population.

    Leave out one of --population, -k and --beta to find it for the columns as they are.

    Example: incrowd plan patients.csv --population usa -k 100 --beta 0.01
    """
    answer = Output(as_json=as_json, quiet=quiet, details=details)
    _refuse_unclear(file, distinct, output, apply=apply)
    asked: dict[str, Any] = {
        "population": population,
        "k": k,
        "beta": beta,
        "bound": bound,
        "simultaneous": simultaneous,
        "confidence": confidence,
        "weights": options.numbers(weights, "weights", "zip=2"),
    }
    if file is None:
        _refuse_table_flags(columns, hierarchy, hierarchies)
        sizes = options.numbers(distinct, "distinct", "zip=100000")
        found = api.plan_sizes(sizes, **asked)
        answer.result(
            lambda: json.plan_document(found), lambda: texts.plan_text(found, details=details)
        )
        return
    with waiting(answer, "plan") as bar, ExitStack() as held:
        watch = watching.Watch(tell=bar.tell, note=answer.notes)
        names = options.columns(columns)
        others: dict[str, Any] = {
            "sensitive": options.columns(sensitive),
            "keep": options.columns(keep),
            "accept_alone": options.columns(accept_alone),
        }
        named = (*names, *others["sensitive"], *others["keep"])
        wanted = sources.reading(reading).keeping(others["keep"])
        table = held.enter_context(readers.opened(file, wanted, named, watch=watch))
        trees = requests.hierarchies(hierarchy, hierarchies, names or table.names)
        found = api.plan(table, names, hierarchies=trees, watch=watch, **asked)
        done = None
        if apply and output is not None:
            others |= {"seed": seed, "watch": watch}
            done = api.apply_plan(table, found, output, **others)
            found = done.plan
    answer.notes((*found.notes, *(done.release.notes if done else ())))
    if done is None:
        answer.result(
            lambda: json.plan_document(found),
            lambda: texts.plan_text(found, details=details),
            lambda: next_command.after_plan(file),
        )
        return
    paths = {"release": str(output), "certificate": f"{output}.certificate.json"}
    parts = (found, done.release, done.raised, paths)
    answer.result(
        lambda: json.applied_document(*parts),
        lambda: texts.applied_text(*parts, details=details),
        lambda: next_command.after_anonymize(str(file), output, paths["certificate"]),
    )


def _refuse_unclear(
    file: str | None, distinct: Sequence[str] | None, output: str | None, *, apply: bool
) -> None:
    if (file is None) == (not distinct):
        raise PolicyError(
            "a plan needs a table or numbers of values, and not both",
            remedy="name a FILE, or give --distinct sex=2,zip=100000",
        )
    if apply and file is None:
        raise PolicyError("--apply needs a table", remedy="name a FILE")
    if apply and output is None:
        raise PolicyError("say where to write the release", remedy="add -o FILE")
    if output is not None and not apply:
        raise PolicyError("a plan alone writes no release", remedy="add --apply, or leave out -o")
    if output == "-":
        raise PolicyError("a release goes to a file, not to standard output", remedy="add -o FILE")


def _refuse_table_flags(*flags: object) -> None:
    if any(flags):
        raise PolicyError(
            "--columns and hierarchies need a table", remedy="name a FILE, or leave them out"
        )
