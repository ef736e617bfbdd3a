"""How a command reads its files, each once; what reads a policy is loaded only if there is one."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.cli import options
from incrowd.errors import PolicyError
from incrowd.io import files, hierarchies
from incrowd.io.reading import Reading
from incrowd.release import certificate as certificates
from incrowd.release import policy_record

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy


def split_reading(found: Reading, original: str | None) -> tuple[Reading, Reading | None]:
    """Return how to read a release, and how to read its original; None if that is not given.

    Options on numbers and dates are then for the original only: a release has labels.
    """
    if original is None:
        return found, None
    names = ("memory", "decimal", "thousands", "date_formats")
    before = Reading(**{name: getattr(found, name) for name in names})
    return replace(found, decimal=None, thousands=None, date_formats=None), before


def refuse_overwriting(read: str | None, written: str | None) -> None:
    """Refuse to write to a file that is read; None is no file."""
    if read and written and files.same_file(read, written):
        raise PolicyError(f"{read!r} is read and would be overwritten", remedy="name another file")


def read_hierarchies(
    texts: Iterable[str] | None, folder: str | None, names: Iterable[str]
) -> dict[str, Any]:
    """Read the hierarchies of `--hierarchy`, and files that the folder has for columns `names`.

    Of two, `--hierarchy` counts. The paths of both start in the current folder. `PolicyError` if
    `--hierarchy` names two for a column.
    """
    found: dict[str, Any] = {}
    if folder is not None:
        found |= {
            name: hierarchies.read_tree(path)
            for name, path in hierarchies.find_hierarchy_files(folder, names).items()
        }
    named: dict[str, Any] = {}
    for text in texts or ():
        name, spec = hierarchies.parse_option(text)
        if named.setdefault(name, spec) != spec:
            raise options.two_values_error(name, "--hierarchy")
    return found | {name: hierarchies.resolve(spec, Path()) for name, spec in named.items()}


def read_policy(asked: dict[str, Any]) -> "Policy | None":
    """Read the policy of a file, else a certificate, into `asked`; return it, None if none."""
    path, certificate = asked["policy"], asked.get("certificate")
    if path is not None:
        asked |= {"policy": files.read_policy(path), "folder": files.folder_of_policy(path, ".")}
    elif certificate is not None:
        record = certificates.Certificate.from_json(files.read_document(certificate)).policy
        asked |= {"policy": policy_record.restore_flat_policy(record), "certificate": None}
    policy: Policy | None = asked["policy"]
    return policy
