"""HIPAA's Safe Harbor: the eighteen identifiers of 45 CFR 164.514(b)(2), looked for in a table."""

from incrowd.pii.checklist import Check, Checklist, checklist, hints
from incrowd.pii.evidence import Finding, Status
from incrowd.pii.identifiers import IDENTIFIERS, Identifier
from incrowd.pii.look import Setting

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
