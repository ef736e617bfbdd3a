"""`incrowd plan`: how coarse each column must be for a known population."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from incrowd import api
from incrowd.cli import next_command, options, sources
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress
from incrowd.documents import json
from incrowd.documents import population as texts
from incrowd.errors import PolicyError
from incrowd.io import reading as readers
from incrowd.requests.kinds import FILE, SWITCH, WRITING, Flags
from incrowd.requests.plan import PlanRequest, PlanSizesRequest, PopulationRequest
from incrowd.requests.request import options_of
from incrowd.requests.shared import AcceptAlone, HierarchyFolder, HierarchyOf, Keep, Seed, Sensitive

(DISTINCT,) = (one for one in options_of(PlanSizesRequest) if one.name == "distinct")


@asks(
    PlanRequest,
    beside={
        "columns": ("distinct",),
        "weights": ("sensitive", "keep", "accept_alone"),
        "confidence": ("hierarchy",),
    },
)
def plan(  # noqa: PLR0913  what the plan is about, and what becomes of it
    asked: dict[str, Any],
    *,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]", help="The table; without one give --distinct.", show_default=False
        ),
    ] = None,
    distinct: Annotated[list[str] | None, options.typer_option(DISTINCT)] = None,
    sensitive: Sensitive = (),
    keep: Keep = (),
    accept_alone: AcceptAlone = (),
    hierarchy: HierarchyOf = None,
    hierarchies: HierarchyFolder = None,
    apply: Annotated[
        bool, SWITCH, WRITING, "Carry out the plan: make, verify and certify the release."
    ] = False,
    target: Annotated[
        str | None,
        FILE,
        WRITING,
        Flags("--output", "-o"),
        "With --apply: write the release to this file.",
    ] = None,
    seed: Seed = None,
    output: Output,
) -> None:
    """Work out how coarse columns must be for a population.

    Leave out one of --population, -k and --beta to find it for the columns as they are.

    Example: incrowd plan patients.csv --population usa -k 100 --beta 0.01
    """
    _refuse_clashing_options(source, distinct, target, apply=apply)
    if source is None:
        if any((asked["columns"], hierarchy, hierarchies)):
            raise PolicyError(
                "--columns and hierarchies need a table", remedy="name a FILE, or leave them out"
            )
        sizes = options.read_numbers_by_column(distinct, DISTINCT.long_name, DISTINCT.kind.example)
        of_sizes = {one.name: asked[one.name] for one in options_of(PopulationRequest)}
        found = api.plan_sizes(sizes, **of_sizes)
        output.show_result(
            lambda: json.plan_document(found),
            lambda: texts.plan_text(found, details=output.details),
        )
        return
    with show_progress(output, "plan") as bar, ExitStack() as stack:
        named = (*asked["columns"], *sensitive, *keep)
        reading = asked.pop("reading").with_kept(keep)
        table = stack.enter_context(readers.open_table(source, reading, named, watch=bar.watch))
        trees = sources.read_hierarchies(hierarchy, hierarchies, asked["columns"] or table.names)
        found = api.plan(table, **asked, hierarchies=trees, watch=bar.watch)
        done = None
        if apply and target is not None:
            others: Any = {"sensitive": sensitive, "keep": keep, "accept_alone": accept_alone}
            done = api.apply_plan(table, found, target, **others, seed=seed, watch=bar.watch)
            found = done.plan
    output.show_notes((*found.notes, *(done.release.notes if done else ())))
    if done is None:
        output.show_result(
            lambda: json.plan_document(found),
            lambda: texts.plan_text(found, details=output.details),
            lambda: next_command.command_after_plan(source),
        )
        return
    paths = {"release": str(target), "certificate": f"{target}.certificate.json"}
    parts = (found, done.release, done.raised, paths)
    output.show_result(
        lambda: json.applied_document(*parts),
        lambda: texts.applied_text(*parts, details=output.details),
        lambda: next_command.command_after_anonymize(source, target, paths["certificate"]),
    )


def _refuse_clashing_options(
    file: str | None, distinct: Sequence[str] | None, output: str | None, *, apply: bool
) -> None:
    """Refuse a table and `distinct` numbers of values together, or neither of them.

    Also --apply without a table or -o, -o without --apply, and -o with standard output.
    """
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
