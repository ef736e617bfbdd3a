"""`incrowd check`: whether a release keeps its policy."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from incrowd import api
from incrowd import watch as watching
from incrowd.cli import next_command, options, sources
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads, takes
from incrowd.cli.output import Output, waiting
from incrowd.cli.policy_flags import HELD_TO, HeldToFlags
from incrowd.documents import json
from incrowd.documents import release as texts
from incrowd.errors import NotMetError, PolicyError
from incrowd.io import reading as readers


@reads()
@takes("held_to", HeldToFlags)
def check(  # noqa: PLR0913  one parameter per option
    file: options.TableFile,
    *,
    policy: options.PolicyFile = None,
    certificate: Annotated[
        str | None, options.held_to("--certificate", "The certificate of the release.")
    ] = None,
    trusted_key: options.TrustedKeys = None,
    original: Annotated[
        str | None,
        options.held_to(
            "--original",
            "The table before anonymization: with it and --policy losses are recounted.",
        ),
    ] = None,
    held_to: HeldToFlags = HELD_TO,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Check that a release keeps its policy, from its rows alone.

    Every model is counted again on the rows of FILE; exit code 1 if one is not met.

    Example: incrowd check release.csv --certificate release.csv.certificate.json
    """
    output = Output(as_json=as_json, quiet=quiet, details=details)
    named = held_to.columns
    flags = held_to.over(policy)
    with waiting(output, "check") as bar, ExitStack() as held:
        expected = (
            *named,
            *sources.columns_of_policy(policy),
            *sources.columns_of_certificate(certificate),
        )
        wanted, before = sources.readings(reading, original)
        wanted = wanted.keeping(sources.kept_by(policy, certificate))
        watch = watching.Watch(tell=bar.tell, note=output.notes)
        table = held.enter_context(readers.opened(file, wanted, expected, watch=watch))
        asked, folder = None, Path()
        worlds = held_to.worlds
        if certificate is None or not flags.silent:
            _refuse_part_of_policy(policy, certificate, original)
            others = [name for name in table.names if name not in named]
            request = worlds.laid_over(flags.request(table.names, keep=others))
            asked, folder = request.policy, request.folder
        found = api.check(
            table,
            asked,
            certificate,
            original=original,
            trusted_keys=tuple(trusted_key or ()),
            original_reading=before,
            folder=folder,
            watch=watch,
            **worlds.given,
        )
    output.result(
        lambda: json.check_document(found),
        lambda: texts.check_text(found, details=details),
        lambda: next_command.after_check(file, found, original),
    )
    return 0 if found.ok else NotMetError.exit_code


def _refuse_part_of_policy(
    policy: str | None, certificate: str | None, original: str | None
) -> None:
    """Options such as -k make only a part of a policy; certificates and losses need all of it."""
    if policy is not None:
        return
    if certificate is not None:
        raise PolicyError(
            "a certificate belongs to a whole policy, and options make only a part of one",
            remedy="give the policy with --policy, or leave the options out to use the "
            "certificate's policy",
        )
    if original is not None:
        raise PolicyError(
            "losses are recounted with a whole policy, and options make only a part of one",
            remedy="give the policy with --policy",
        )
