"""`incrowd plan`: how coarse each column must be for a known population."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd import api
from incrowd.cli import options
from incrowd.cli import table as cli_table
from incrowd.cli.output import Output
from incrowd.cli.progress import waiting
from incrowd.documents import plans as pictures
from incrowd.errors import PolicyError
from incrowd.io import hierarchies as hierarchies_of_io
from incrowd.verbs import plan as plans

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy


def plan(  # noqa: PLR0913  one parameter per flag
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="The table; without one, --distinct says how many values each column has.",
            show_default=False,
        ),
    ] = None,
    *,
    distinct: Annotated[
        list[str] | None,
        typer.Option(
            "--distinct",
            metavar="COLUMN=N",
            help="Columns and their numbers of values, in place of a table: sex=2,zip=100000.",
            show_default=False,
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="COLUMNS",
            help="The columns that others may know; those that look like it if not given.",
            show_default=False,
        ),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="PEOPLE",
            help="The people that the table was drawn from: a number such as 3e8, or a name such "
            "as usa, which stands for a round figure.",
        ),
    ] = None,
    k: Annotated[
        float | None,
        typer.Option("-k", metavar="K", help="How many of them share what a class shows."),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option("--beta", metavar="SHARE", help="The probability that there are fewer, 0..1."),
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(
            "--weights",
            metavar="COLUMN=WEIGHT",
            help="How much a column matters, 1 if not given: zip=2,age=0.5.",
            show_default=False,
        ),
    ] = None,
    bound: Annotated[
        str,
        typer.Option(
            "--bound",
            metavar="BOUND",
            help="exact (the binomial tail) or chernoff (the paper's bound, fewer classes).",
        ),
    ] = "exact",
    simultaneous: Annotated[
        bool,
        typer.Option("--simultaneous", help="Let beta cover all classes together, not each."),
    ] = False,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="SHARE",
            help="How sure what the table's classes support is, for all of them together, 0.5..1.",
        ),
    ] = 0.95,
    hierarchy: options.HierarchyOf = None,
    hierarchies: options.Hierarchies = None,
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Do it: make the release, verify and certify it."),
    ] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where --apply writes the release."),
    ] = None,
    sensitive: options.Sensitive = None,
    keep: options.Keep = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Makes the order of records repeatable."),
    ] = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    header: options.Header = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Say how many values each column may keep, and what to do; with --apply, do it.

    Leave out one of --population, -k and --beta to have it found for the columns as they are.
    """
    said = Output(as_json=as_json, quiet=quiet)
    _refuse_unclear(file, distinct, output, apply=apply)
    asked: dict[str, Any] = {
        "population": population,
        "k": k,
        "beta": beta,
        "bound": bound,
        "simultaneous": simultaneous,
        "confidence": confidence,
        "weights": _pairs(weights, "--weights zip=2"),
    }
    if file is None:
        _refuse_table_flags(columns, hierarchy, hierarchies)
        found = plans.plan_sizes(_pairs(distinct, "--distinct zip=100000"), **asked)
        said.result(lambda: pictures.plan_document(found), lambda: pictures.plan_picture(found))
        return
    with waiting(said):
        names = options.columns(columns)
        named = (*names, *options.columns(sensitive), *options.columns(keep))
        table = cli_table.held(file, api.Reading(delimiter, encoding, header), said, named)
        trees = _trees(hierarchy, hierarchies, names or table.names)
        found = plans.plan(file, names, hierarchies=trees, reading=table, **asked)
        done = None
        if apply and output is not None:
            others = {"sensitive": options.columns(sensitive), "keep": options.columns(keep)}
            done = plans.apply_plan(file, found, output, reading=table, seed=seed, **others)
            found = done.plan
    for note in (*found.notes, *(done.release.notes if done else ())):
        said.remark(f"note: {note}")
    if done is None:
        said.result(lambda: pictures.plan_document(found), lambda: pictures.plan_picture(found))
        return
    paths = {"release": str(output), "certificate": f"{output}.certificate.json"}
    parts = (found, done.release, done.raised, paths)
    said.result(lambda: pictures.applied_document(*parts), lambda: pictures.applied_picture(*parts))


def _refuse_unclear(
    file: str | None, distinct: Sequence[str] | None, output: str | None, *, apply: bool
) -> None:
    if (file is None) == (not distinct):
        raise PolicyError(
            "a plan is made for a table or for numbers of values",
            remedy="name a FILE, or give --distinct sex=2,zip=100000, not both",
        )
    if apply and file is None:
        raise PolicyError("there is no table to carry the plan out on", remedy="name a FILE")
    if apply and output is None:
        raise PolicyError("it is not said where the release goes", remedy="add -o FILE")
    if output is not None and not apply:
        raise PolicyError("a plan alone writes no release", remedy="add --apply, or leave out -o")
    if output == "-":
        raise PolicyError("a release goes to a file, not to standard output", remedy="add -o FILE")


def _refuse_table_flags(*flags: object) -> None:
    if any(flags):
        raise PolicyError(
            "--columns and hierarchies are about a table, and none is named",
            remedy="name a FILE, or leave them out",
        )


def _trees(
    hierarchy: Iterable[str] | None, folder: str | None, names: Sequence[str]
) -> "dict[str, AnyHierarchy]":
    """The hierarchies that are named, by folder or one by one."""
    found: dict[str, AnyHierarchy] = {}
    if folder is not None:
        found |= {
            name: hierarchies_of_io.read_tree(path)
            for name, path in hierarchies_of_io.find(folder, names).items()
        }
    for text in hierarchy or ():
        name, spec = hierarchies_of_io.parse_option(text)
        found[name] = hierarchies_of_io.resolve(spec, ".")
    return found


def _pairs(texts: Iterable[str] | None, example: str) -> dict[str, float]:
    """Columns with a number each, as COLUMN=NUMBER."""
    found: dict[str, float] = {}
    for text in options.columns(texts):
        name, _, figure = text.rpartition("=")
        if name in found:
            raise PolicyError(f"two numbers are given for {name!r}", remedy="give one of them")
        try:
            found[name] = float(figure.replace("_", ""))
        except ValueError:
            name = ""
        if not name:
            raise PolicyError("a number is given as COLUMN=NUMBER", remedy=f"write {example}, say")
    return found
