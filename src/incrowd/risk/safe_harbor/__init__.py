"""HIPAA's Safe Harbor: the eighteen identifiers of 45 CFR 164.514(b)(2), looked for in a table."""

from incrowd.risk.safe_harbor.checklist import Check, Checklist, checklist, hints
from incrowd.risk.safe_harbor.evidence import Finding, Status
from incrowd.risk.safe_harbor.identifiers import IDENTIFIERS, Identifier
from incrowd.risk.safe_harbor.look import Setting

__all__ = [
    "IDENTIFIERS",
    "Check",
    "Checklist",
    "Finding",
    "Identifier",
    "Setting",
    "Status",
    "checklist",
    "hints",
]
