"""What a release would take the place of: files that are there already, and whether one is signed.

Only their names are looked at, and whether the certificate has a signature.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from incrowd.web.jobs import MakeRelease

_LARGEST = 2**24
"""Bytes of a certificate that is looked into."""


@dataclass(frozen=True)
class Replaced:
    """Files that are there already."""

    names: tuple[str, ...]
    signed: bool
    """Whether the certificate among them is signed."""

    def sentences(self, *, sign: bool) -> tuple[str, ...]:
        """What would happen to them; `sign` says whether the new certificate is signed."""
        verb = "is there already and would be" if len(self.names) == 1 else "are there already: all"
        more = "" if len(self.names) == 1 else " would be"
        there = f"{', '.join(self.names)} {verb}{more} replaced."
        if not self.signed:
            return (there,)
        lost = "The certificate is signed, and the new one would be signed anew."
        unsigned = "The certificate is signed. The new one would NOT be: no key is given."
        return (lost if sign else unsigned, there)


def certificate_beside(release: str) -> str:
    """The certificate that belongs to the file of a release."""
    return f"{release}.certificate.json"


def replaced_by(job: MakeRelease) -> Replaced | None:
    """What a release would replace; None if nothing is there."""
    certificate = certificate_beside(job.target)
    written = [job.target, certificate, *([] if job.report is None else [job.report])]
    names = tuple(Path(path).name for path in written if Path(path).exists())
    return Replaced(names, is_signed(certificate)) if names else None


def is_signed(certificate: str) -> bool:
    """Whether a certificate has a signature; one that cannot be read has none to lose."""
    try:
        path = Path(certificate)
        found = json.loads(path.read_bytes()) if path.stat().st_size <= _LARGEST else {}
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("signature") is not None
