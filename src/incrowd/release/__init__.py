"""Release: rows that were verified before they leave, and the certificate that goes with them."""

from incrowd.release.certificate import Certificate
from incrowd.release.release import Release
from incrowd.verify.verdict import Check, Verdict

__all__ = ["Certificate", "Check", "Release", "Verdict"]
