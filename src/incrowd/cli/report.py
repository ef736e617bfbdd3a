"""`incrowd report`: one page on a release."""

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import options, sources
from incrowd.cli import request as requests
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads, takes
from incrowd.cli.output import Output, waiting
from incrowd.cli.policy_flags import HELD_TO, HeldToFlags
from incrowd.documents import report as documents
from incrowd.engines.addresses import is_address
from incrowd.errors import NotMetError, PolicyError
from incrowd.io import reading as readers
from incrowd.verbs import report as verb
from incrowd.verbs import report_written as written

DEFAULT = "report.html"


@reads()
@takes("held_to", HeldToFlags)
def report(  # noqa: PLR0913  one parameter per option
    file: options.TableFile,
    *,
    output: Annotated[
        str, options.output(f"Write the page to this file; {DEFAULT} by default.")
    ] = DEFAULT,
    policy: options.PolicyFile = None,
    certificate: Annotated[
        str | None,
        options.held_to(
            "--certificate",
            "The certificate of the release; by default the one beside it, if there is one.",
        ),
    ] = None,
    trusted_key: options.TrustedKeys = None,
    original: Annotated[
        str | None,
        options.held_to(
            "--original", "The table before anonymization: with it the page shows before and after."
        ),
    ] = None,
    held_to: HeldToFlags = HELD_TO,
    show_values: Annotated[
        bool,
        typer.Option(
            "--show-values",
            help="Name values in pictures of columns: only those that at least 5 records hold.",
            rich_help_panel=options.WRITING,
        ),
    ] = False,
    reading: ReadingFlags = AS_FOUND,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Report on a release in one page.

    The release is checked first. The page needs no network; it has aggregated figures
    only. Exit code 1 if the release does not keep its policy; the page is written, too.

    Example: incrowd report release.csv --policy policy.toml --original patients.csv -o report.html
    """
    answer = Output(as_json=as_json, quiet=quiet)
    flags = held_to.over(policy)
    worlds = held_to.worlds
    paper = certificate or (_beside(file) if policy or flags.silent else None)
    verb.refuse_target(output, (file, original, policy, paper, *worlds.worlds))
    with waiting(answer, "report") as bar, ExitStack() as held:
        named = (*flags.named, *sources.columns_of_certificate(paper))
        wanted, before = sources.readings(reading, original)
        wanted = wanted.keeping(sources.kept_by(policy, paper))
        watch = watching.Watch(tell=bar.tell, note=answer.notes)
        table = held.enter_context(readers.opened(file, wanted, named, watch=watch))
        asked, folder = None, Path()
        if paper is None or not flags.silent:
            _refuse_part_of_policy(policy, paper)
            others = [name for name in table.names if name not in held_to.columns]
            request = worlds.laid_over(flags.request(table.names, keep=others))
            asked, folder = request.policy, request.folder
        found = api.report(
            table,
            output,
            asked,
            paper,
            original=original,
            trusted_keys=tuple(trusted_key or ()),
            original_reading=before,
            folder=folder,
            show_values=show_values,
            command=_command(file, paper, policy, flags, worlds),
            watch=watch,
            **worlds.given,
        )
    answer.result(
        lambda: documents.report_document(found.facts, output),
        lambda: documents.report_text(found.facts, output),
    )
    return 0 if found.facts.verdict.ok else NotMetError.exit_code


def _beside(file: str) -> str | None:
    """The certificate beside a release, if there is one."""
    path = f"{file}.certificate.json"
    return path if not is_address(file) and Path(path).is_file() else None


def _refuse_part_of_policy(policy: str | None, certificate: str | None) -> None:
    if policy is None and certificate is not None:
        raise PolicyError(
            "a certificate belongs to a whole policy, and options make only a part of one",
            remedy="give the policy with --policy, or leave the options out to use the "
            "certificate's policy",
        )


def _command(
    file: str,
    certificate: str | None,
    policy: str | None,
    flags: "requests.PolicyFlags",
    worlds: "requests.WorldOptions",
) -> str:
    """The command that checks the release again: a report leaves, and folders of yours must not."""
    words = ["incrowd", "check", written.file_name(file)]
    words += ["--policy", written.file_name(policy)] if policy else []
    words += ["--certificate", written.file_name(certificate)] if certificate else []
    for name, value in flags.quick.items():
        if value not in (None, ()):
            flag = f"--{name}" if len(name) > 1 else f"-{name}"
            words += [flag, ",".join(value) if isinstance(value, tuple) else f"{value:g}"]
    return shlex.join([*words, *written.world_words(worlds.given)])
