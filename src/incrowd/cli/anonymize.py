"""`incrowd anonymize`: a release that keeps its policy, verified after it was written."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd import api
from incrowd.cli import interrupt, next_command, sources
from incrowd.cli.asks import asks
from incrowd.cli.frontier import MostPrivacy, refuse_vacuous_models, show_frontier
from incrowd.cli.output import Output, ProgressBar, show_progress
from incrowd.documents import json
from incrowd.documents import release as texts
from incrowd.engines.addresses import address_of, is_address
from incrowd.errors import IncrowdError, NotMetError, PolicyError
from incrowd.io import files, tables
from incrowd.io import reading as readers
from incrowd.io import target as targets
from incrowd.requests.anonymize import AnonymizeRequest
from incrowd.requests.kinds import FILE, SWITCH, WRITING, OptionKind
from incrowd.requests.policy import PolicyOptions
from incrowd.verbs import frontier as explored
from incrowd.verbs import report as reports
from incrowd.verbs import report_written
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.release import Release


@asks(
    AnonymizeRequest,
    beside={
        "source": ("curve",),
        "time_limit": ("gap",),
        "sign": ("explore", "report", "key_file"),
        "seed": ("split_ends", "class_column", "keep_order"),
    },
)
def anonymize(  # noqa: PLR0913  what is asked, and what only the command has
    asked: dict[str, Any],
    *,
    curve: Annotated[
        str | None, typer.Argument(hidden=True, help="With --frontier: the curve's file.")
    ] = None,
    policy: PolicyOptions,
    sign: Annotated[
        str | None,
        OptionKind("KEY"),
        WRITING,
        "Sign the certificate with the private key in this file; by default with the one that the "
        "variable INCROWD_SIGNING_KEY names.",
    ] = None,
    explore: Annotated[
        str | None,
        FILE,
        WRITING,
        "Write the nodes that a lattice search counted: .csv, .json, .svg, .png or .html.",
    ] = None,
    report: Annotated[
        str | None,
        FILE,
        WRITING,
        "Write a report on the release, one HTML page: see incrowd report.",
    ] = None,
    key_file: Annotated[
        str | None, FILE, WRITING, "The key of pseudonyms; by default the variable INCROWD_KEY."
    ] = None,
    show_refused: Annotated[
        bool,
        SWITCH,
        WRITING,
        "If the result fails a model, show what it loses and how many records fail; nothing is "
        "released.",
    ] = False,
    frontier: Annotated[
        bool, typer.Option("--frontier", hidden=True, help="Now incrowd frontier.")
    ] = False,
    output: Output,
) -> None:
    """Make, verify and certify a release that keeps a policy.

    The policy comes from a file (--policy) or from options such as -q and -k. The release
    is written, read again and verified before it takes its place.

    Example: incrowd anonymize patients.csv -q birth_date,zip,sex -s diagnosis -k 5 -o release.csv
    """
    most = MostPrivacy(policy, frontier)
    _refuse_request(asked, most, curve, [explore, report])
    file, target = asked["source"], asked["target"]
    if frontier:
        output.remark("note: anonymize --frontier is now: incrowd frontier FILE -o CURVE")
        show_frontier(file, asked["reading"], most, curve, output)
        return
    paths = _output_paths(target, asked["certificate"], dry_run=asked["dry_run"])
    asked["sign"] = files.signing_key(sign)
    read = [file, policy.policy, key_file, asked["sign"], *(asked["world"] or ())]
    _refuse_colliding_files(read, explore, paths.values())
    if report is not None:
        reports.refuse_target(report, (*read, explore, *paths.values()))
    written = bool(paths)
    last = paths.get("certificate") if is_address(target) else target  # what changes last
    with (
        interrupt.raise_late_if_placed(last, written=written),
        show_progress(output, "anonymize") as bar,
        _drop_refused_figures(shown=show_refused),
        ExitStack() as held,
    ):
        seconds = _open_table(asked, most, bar, held, output)
        asked["key"] = files.pseudonym_key(key_file)
        release = api.anonymize(**asked | {"target": target or os.devnull})
    with interrupt.raise_late_if(lambda: written):
        output.show_notes(release.notes)
        if explore is not None:
            _write_explored(release, explore, paths, output)
        if report is not None:
            world = {name: asked[name] for name in ("world", "world_id", "rename")}
            known = file, asked["source"], paths, asked["folder"], world
            _write_report(report_written.WrittenRelease(release, *known), report, output)
            paths["report"] = report
        output.show_result(
            lambda: json.release_document(release, paths, seconds),
            lambda: texts.release_text(release, paths, details=output.details),
            lambda: next_command.command_after_anonymize(
                file, target if paths else None, paths.get("certificate")
            ),
        )


def _open_table(
    asked: dict[str, Any], most: MostPrivacy, bar: ProgressBar, held: ExitStack, output: Output
) -> float:
    """Put policy and table (`held` closes it) into `asked`, show notes; return seconds to open."""
    wish, world = most.policy, asked["world"] or ()
    watch = bar.watch
    given = asked["source"], asked["reading"], wish.named_columns, wish.kept_columns, watch
    table = held.enter_context(readers.open_table(*given))
    seconds = watch.elapsed
    request = most.request(wish, table.names).in_world(world)
    request, *more = request.for_analysis(most.asked.analysis)
    output.show_notes((*request.notes(), *most.notes(request), *request.world_notes(world), *more))
    asked |= {"source": table, "policy": request.policy, "folder": request.folder, "watch": watch}
    return seconds


def _write_explored(release: "Release", target: str, paths: dict[str, str], output: Output) -> None:
    """Write the nodes of a lattice search, add the file to `paths`; show a note without any."""
    if release.explored is None:
        output.show_notes([f"the search {release.search} has no lattice to explore"])
    else:
        explored.write_explored(release, target)
        paths["explored"] = target


def _write_report(made: "report_written.WrittenRelease", target: str, output: Output) -> None:
    """Write the report; if that fails, show the release first, which is written already."""
    try:
        with show_progress(output, "report") as bar:
            made.report(target, Watch(tell=bar.tell))
    except IncrowdError:
        if not output.as_json:
            output.show_result(dict, lambda: texts.release_text(made.release, made.paths))
        raise


@contextmanager
def _drop_refused_figures(*, shown: bool) -> Iterator[None]:
    """While this is open, drop the figures of a refused result from its error unless `shown`."""
    try:
        yield
    except NotMetError as error:
        error.refused = error.refused if shown else None
        raise


def _refuse_request(
    asked: Mapping[str, Any], most: MostPrivacy, curve: str | None, written: list[str | None]
) -> None:
    """Refuse what cannot be asked, alone or together; `written` are files beside the release."""
    target, certificate, gap = asked["target"], asked["certificate"], asked["gap"]
    most.refuse_worlds(asked["world"] or ())
    _refuse_mixed_outputs(curve, [target, certificate, *written], frontier=most.frontier)
    _refuse_bad_targets(target, certificate, dry_run=asked["dry_run"] or most.frontier)
    refuse_vacuous_models(most.asked, floor=most.wanted)
    if gap not in {None, "estimate", "prove"}:
        raise PolicyError(
            f"--gap {gap!r} is neither estimate nor prove",
            remedy="write --gap estimate or --gap prove",
        )


def _refuse_mixed_outputs(curve: str | None, others: list[str | None], *, frontier: bool) -> None:
    """Refuse a curve without --frontier, and with it `others`, which are files of a release."""
    if curve is not None and not frontier:
        raise PolicyError(f"there is one table too many: {curve!r}", remedy="name one table")
    if frontier and any(others):
        raise PolicyError(
            "--frontier makes no release, so there is nothing else to write",
            remedy="leave out -o, --certificate, --explore and --report; use incrowd frontier",
        )


def _refuse_bad_targets(target: str | None, certificate: str | None, *, dry_run: bool) -> None:
    """Refuse a release without a file, one to standard output, and files that cannot be written."""
    if not target and not dry_run:
        raise PolicyError("say where to write the release", remedy="add -o FILE")
    if not target:
        return
    if "-" in (target, certificate):
        raise PolicyError(
            "a release and its certificate go to files, not to standard output",
            remedy="name the files",
        )
    if not is_address(target):
        tables.refuse_foreign(target)
        files.refuse_missing_folder(target, "the release")
    if certificate is not None:
        files.refuse_missing_folder(certificate, "the certificate")


def _refuse_colliding_files(
    read: Sequence[str | None], explore: str | None, written: Iterable[str]
) -> None:
    """Refuse to overwrite files that are read, or the release with the nodes of its search.

    Whether the release overwrites the table, first of `read`, is left to the release, which gives a
    reason. `explore` is the file of the nodes: one of an unknown kind is refused, too.
    """
    if explore is not None:
        explored.refuse_unfit_file(explore)
    pairs = [(path, explore) for path in read]
    pairs += [(path, other) for path in read[1:] for other in written]
    for path, other in pairs:
        sources.refuse_overwriting(path, other)
    if explore is not None and any(files.same_file(explore, other) for other in written):
        raise PolicyError(
            f"{explore!r} is also the release or its certificate",
            remedy="name another file for --explore",
        )


def _output_paths(target: str | None, certificate: str | None, *, dry_run: bool) -> dict[str, str]:
    """The files of a release, by `release` and `certificate`; empty if nothing is written."""
    if dry_run or target is None:
        return {}
    table = address_of(target)
    return {
        "release": target if table is None else table.title,
        "certificate": os.fspath(targets.certificate_path(target, certificate) or ""),
    }
