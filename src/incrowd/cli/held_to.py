"""What `check` and `report` hold a release to: a policy file, a certificate, or options."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.cli import request as requests
from incrowd.cli import sources
from incrowd.cli.next_command import columns_text, number_text
from incrowd.errors import IncrowdError, PolicyError
from incrowd.hierarchy import File
from incrowd.io import hierarchies
from incrowd.io import reading as readers
from incrowd.release import policy_record
from incrowd.requests.policy import PolicyOptions
from incrowd.table.column import Role
from incrowd.verbs import check as verb

if TYPE_CHECKING:
    from incrowd.watch import Watch


def open_release(
    asked: Mapping[str, Any], held_to: PolicyOptions, watch: "Watch", held: ExitStack
) -> dict[str, Any]:
    """Open the release, which `held` closes; return `asked` with table, policy and certificate.

    The policy is None if the certificate has it. `PolicyError` for a certificate and mere options.
    """
    certificate = verb.certificate_of(asked["certificate"])
    flags = requests.AskedPolicy.read(replace(held_to, policy=asked["policy"]))
    by_options = certificate is None or not flags.options.says_nothing
    if certificate is not None and by_options and flags.file is None:
        raise PolicyError(
            "a certificate belongs to a whole policy, and options make only a part of one",
            remedy="give the policy with --policy, or leave the options out to use the "
            "certificate's policy",
        )
    reading, original_reading = sources.split_reading(asked["reading"], asked["original"])
    policy = flags.file
    if policy is None and certificate is not None:
        with suppress(IncrowdError):  # one that cannot be read, as its user says
            policy = policy_record.restore_flat_policy(certificate.policy)
    columns = (*flags.named_columns, *(() if policy is None else policy.columns))
    kept = () if policy is None else policy.names(Role.KEEP)
    opened = readers.open_table(asked["source"], reading, columns, kept, watch)
    table = held.enter_context(opened)
    more: dict[str, Any] = {"policy": None}
    if by_options:
        others = [name for name in table.names if name not in {*held_to.named_columns}]
        request = flags.request(table.names, keep=others).in_world(asked["world"])
        more = {"policy": request.policy, "folder": request.folder}
    found = {"source": table, "certificate": certificate, "original_reading": original_reading}
    return {**asked, **more, **found, "watch": watch}


def option_words(options: PolicyOptions) -> Iterator[str]:
    """Yield what a release is held to, as words of a command; files without their folders."""
    for name, value in options.roles.items():
        yield f"--{name}" if len(name) > 1 else f"-{name}"
        yield columns_text(value) if isinstance(value, tuple) else number_text(value)
    if options.missing is not None:
        yield from ("--missing", options.missing)
    for text in options.hierarchy or ():
        yield from ("--hierarchy", _without_folder(text))
    if options.hierarchies is not None:
        yield from ("--hierarchies", Path(options.hierarchies).name or ".")


def _without_folder(text: str) -> str:
    """The text of `--hierarchy`; a file in it without its folder."""
    column, spec = hierarchies.parse_option(text)
    return f"{column}=file:{Path(spec.path).name}" if isinstance(spec, File) else text
