"""`incrowd anonymize`: a release that keeps its policy, verified after it was written."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import interrupt, next_command, options, search_settings, sources
from incrowd.cli import request as requests
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads, takes
from incrowd.cli.frontier import MaximizeOptions, refuse_nothing, show_frontier
from incrowd.cli.output import Output, waiting
from incrowd.cli.policy_flags import ASKED, COLUMNS, AskedFlags, ColumnFlags, policy_flags
from incrowd.documents import json
from incrowd.documents import release as texts
from incrowd.engines.addresses import address_of, is_address
from incrowd.errors import IncrowdError, NotMetError, PolicyError
from incrowd.io import files, key_files, tables
from incrowd.io import reading as readers
from incrowd.io import target as targets
from incrowd.search_names import SEARCHES
from incrowd.verbs import frontier as explored
from incrowd.verbs import report as reports
from incrowd.verbs import report_written

if TYPE_CHECKING:
    from incrowd.search.bound import Gap


@reads()
@takes("asked", AskedFlags)
@takes("columns", ColumnFlags)
def anonymize(  # noqa: PLR0913  one parameter per option
    file: options.TableFile,
    curve: Annotated[
        str | None, typer.Argument(hidden=True, help="With --frontier: the curve's file.")
    ] = None,
    *,
    output: Annotated[str | None, options.output("Write the release to this file.")] = None,
    asked: AskedFlags = ASKED,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="SEARCH",
            help=f"The search: {SEARCHES[0]} (default), {', '.join(SEARCHES[1:])}.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    effort: options.Effort = None,
    mapping: options.Mapping = None,
    prefer: options.Prefer = None,
    setting: options.Settings = None,
    loss: options.Loss = None,
    analysis: options.Analysis = None,
    time_limit: options.TimeLimit = None,
    gap: Annotated[
        str | None,
        typer.Option(
            "--gap",
            metavar="estimate|prove",
            help="Say how much less any other release could lose: from a sample, or proved, which "
            "takes longer.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    maximize: Annotated[
        str | None,
        typer.Option(
            "--maximize",
            metavar="privacy",
            help="Find the most privacy within --max-loss instead of the least loss.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    max_loss: Annotated[
        float | None,
        typer.Option(
            "--max-loss",
            metavar="SHARE",
            help="With --maximize: the most that a class may lose, 0..1.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    privacy: options.Privacy = None,
    columns: ColumnFlags = COLUMNS,
    world: options.World = None,
    world_id: options.WorldId = None,
    rename: options.Rename = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            "--certificate",
            metavar="FILE",
            help="Write the certificate to this file; by default it goes beside the release.",
            rich_help_panel=options.WRITING,
        ),
    ] = None,
    sign: Annotated[
        str | None,
        typer.Option(
            "--sign",
            metavar="KEY",
            help="Sign the certificate with the private key in this file; by default with the one "
            "that the variable INCROWD_SIGNING_KEY names.",
            rich_help_panel=options.WRITING,
        ),
    ] = None,
    explore: Annotated[
        str | None,
        typer.Option(
            "--explore",
            metavar="FILE",
            help="Write the nodes that a lattice search counted: .csv, .json, .svg, .png or .html.",
            rich_help_panel=options.WRITING,
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Write a report on the release, one HTML page: see incrowd report.",
            rich_help_panel=options.WRITING,
        ),
    ] = None,
    key_file: Annotated[
        str | None,
        typer.Option(
            "--key-file",
            metavar="FILE",
            help="The key of pseudonyms; by default the variable INCROWD_KEY.",
            rich_help_panel=options.WRITING,
        ),
    ] = None,
    seed: options.Seed = None,
    split_ends: options.SplitEnds = False,
    class_column: options.ClassColumn = None,
    keep_order: options.KeepOrder = False,
    dry_run: options.DryRun = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Keep finished parts of a large table beside the release; after a crash the same "
            "command goes on from them.",
            rich_help_panel=options.WRITING,
        ),
    ] = False,
    show_refused: Annotated[
        bool,
        typer.Option(
            "--show-refused",
            help="If the result fails a model, show what it loses and how many records fail; "
            "nothing is released.",
            rich_help_panel=options.WRITING,
        ),
    ] = False,
    frontier: Annotated[
        bool, typer.Option("--frontier", hidden=True, help="Now incrowd frontier.")
    ] = False,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Make, verify and certify a release that keeps a policy.

    The policy comes from a file (--policy) or from options such as -q and -k. The release
    is written, read again and verified before it takes its place.

    Example: incrowd anonymize patients.csv -q birth_date,zip,sex -s diagnosis -k 5 -o release.csv
    """
    answer = Output(as_json=as_json, quiet=quiet, details=details)
    most = MaximizeOptions(maximize, max_loss, privacy, frontier)
    most.refuse_search(method)
    worlds = requests.WorldOptions(tuple(world or ()), world_id, tuple(rename or ()))
    most.refuse_worlds(worlds.worlds)
    _refuse_both(curve, [output, certificate, explore, report], frontier=frontier)
    _refuse_nowhere(output, certificate, dry_run=dry_run or frontier)
    refuse_nothing(asked.quick, floor=most.given)
    search = search_settings.SearchFlags(
        method=method,
        mapping=mapping,
        effort=effort,
        prefer=prefer,
        settings=setting,
        otherwise=most.search,
    )
    settings = {
        "loss": loss,
        "time_limit": time_limit,
        "order": "keep" if keep_order else None,
        "split_ends": split_ends or None,
        "class_column": class_column,
    }
    flags = policy_flags(asked, columns, search, settings)
    wanted = sources.reading(reading)
    if frontier:
        answer.remark("note: anonymize --frontier is now: incrowd frontier FILE -o CURVE")
        show_frontier(file, curve, flags, most, wanted, answer)
        return
    paths = _paths(output, certificate, dry_run=dry_run)
    signer = key_files.signing_key(sign)
    read = [file, asked.policy, key_file, signer, *worlds.worlds]
    _refuse_overwriting(read, explore, paths.values())
    if report is not None:
        reports.refuse_target(report, (*read, explore, *paths.values()))
    with (
        interrupt.placing(_replaced(output, paths), written=bool(paths)),
        waiting(answer, "anonymize") as bar,
        _refusals(shown=show_refused),
        ExitStack() as held,
    ):
        watch = watching.Watch(tell=bar.tell, note=answer.notes)
        given = file, wanted, flags.named, flags.kept, watch
        table = held.enter_context(readers.opened(*given))
        seconds = watch.elapsed
        floors = replace(flags, quick=most.floors(asked.quick))
        request = worlds.laid_over(most.laid_over(floors.request(table.names)))
        request, *more = request.serving(analysis)
        notes = (*request.notes(), *most.notes(asked.quick, request), *worlds.notes(request), *more)
        answer.notes(notes)
        release = api.anonymize(
            table,
            request.policy,
            output or os.devnull,
            certificate=certificate,
            dry_run=dry_run,
            seed=seed,
            key=key_files.pseudonym_key(key_file),
            sign=signer,
            watch=watch,
            folder=request.folder,
            gap=_gap(gap),
            resume=resume,
            **worlds.given,
        )
    with interrupt.placed(written=bool(paths)):
        answer.notes(release.notes)
        if explore is not None and release.explored is None:
            answer.notes([f"the search {release.search} has no lattice to explore"])
        elif explore is not None:
            explored.write_explored(release, explore)
            paths["explored"] = explore
        if report is not None:
            _report(
                report_written.WrittenRelease(
                    release, file, table, paths, request.folder, worlds.given
                ),
                report,
                answer,
            )
            paths["report"] = report
        answer.result(
            lambda: json.release_document(release, paths, seconds),
            lambda: texts.release_text(release, paths, details=details),
            lambda: next_command.after_anonymize(
                file, output if paths else None, paths.get("certificate")
            ),
        )


def _report(made: "report_written.WrittenRelease", target: str, answer: Output) -> None:
    """Write the report; if that fails, the release is shown first, as it is there."""
    try:
        with waiting(answer, "report") as bar:
            made.report(target, watching.Watch(tell=bar.tell))
    except IncrowdError:
        if not answer.as_json:
            answer.result(dict, lambda: texts.release_text(made.release, made.paths))
        raise


@contextmanager
def _refusals(*, shown: bool) -> Iterator[None]:
    """Keep the figures of a refused result from being shown, unless somebody asks for them."""
    try:
        yield
    except NotMetError as error:
        error.refused = error.refused if shown else None
        raise


def _gap(text: str | None) -> "Gap | None":
    """How the bound is asked for."""
    match text:
        case None | "estimate" | "prove":
            return text
        case _:
            raise PolicyError(
                f"--gap {text!r} is neither estimate nor prove",
                remedy="write --gap estimate or --gap prove",
            )


def _refuse_both(curve: str | None, others: list[str | None], *, frontier: bool) -> None:
    """Refuse a second file without --frontier, and a release with it."""
    if curve is not None and not frontier:
        raise PolicyError(f"there is one table too many: {curve!r}", remedy="name one table")
    if frontier and any(others):
        raise PolicyError(
            "--frontier makes no release, so there is nothing else to write",
            remedy="leave out -o, --certificate, --explore and --report; use incrowd frontier",
        )


def _refuse_nowhere(output: str | None, certificate: str | None, *, dry_run: bool) -> None:
    """Refuse a release without a file, or with one that cannot be written."""
    if not output and not dry_run:
        raise PolicyError("say where to write the release", remedy="add -o FILE")
    if not output:
        return
    if "-" in (output, certificate):
        raise PolicyError(
            "a release and its certificate go to files, not to standard output",
            remedy="name the files",
        )
    if not is_address(output):
        tables.refuse_foreign(output)
        files.refuse_nowhere(output, "the release")
    if certificate is not None:
        files.refuse_nowhere(certificate, "the certificate")


def _refuse_overwriting(
    read: Sequence[str | None], explore: str | None, written: Iterable[str]
) -> None:
    """Refuse to overwrite what is read, or the release with what the search looked at.

    The table itself, first of `read`, is left to the release, which refuses it with a reason.
    """
    if explore is not None:
        explored.refuse_unexplorable(explore)
    pairs = [(path, explore) for path in read]
    pairs += [(path, other) for path in read[1:] for other in written]
    for path, other in pairs:
        if path and other and files.same_file(path, other):
            raise PolicyError(
                f"{path!r} is read and would be overwritten", remedy="name another file"
            )
    if explore is not None and any(files.same_file(explore, other) for other in written):
        raise PolicyError(
            f"{explore!r} is also the release or its certificate",
            remedy="name another file for --explore",
        )


def _paths(output: str | None, certificate: str | None, *, dry_run: bool) -> dict[str, str]:
    if dry_run or output is None:
        return {}
    table = address_of(output)
    paper = targets.certificate_path(output, certificate)
    return {
        "release": output if table is None else table.title,
        "certificate": os.fspath(paper or ""),
    }


def _replaced(output: str | None, paths: Mapping[str, str]) -> str | None:
    """The file that changes when the release is there: that of a table is its certificate."""
    return paths.get("certificate") if is_address(output) else output
