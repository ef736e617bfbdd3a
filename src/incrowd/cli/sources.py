"""How a command reads its files, each once; what reads a policy is loaded only if there is one."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from incrowd.errors import PolicyError
from incrowd.io import files
from incrowd.io.reading import Reading
from incrowd.release import certificate as certificates
from incrowd.release import policy_record

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy


def readings(found: Reading, original: str | None) -> tuple[Reading, Reading | None]:
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


def read_policy(asked: dict[str, Any]) -> "Policy | None":
    """Read the policy from a file or certificate into `asked`, with its folder; None if none."""
    path, certificate = asked["policy"], asked.get("certificate")
    if path is not None:
        asked |= {"policy": files.read_policy(path), "folder": files.folder_of_policy(path, ".")}
    elif certificate is not None:
        record = certificates.Certificate.from_json(files.read_document(certificate)).policy
        asked |= {"policy": policy_record.restore_flat_policy(record), "certificate": None}
    policy: Policy | None = asked["policy"]
    return policy
