"""Personal data in tables: what column names and values give away, and HIPAA's Safe Harbor.

The words of column names (`words`) and the patterns of values (`patterns`) are tables that
`incrowd init` and the checklist of Safe Harbor share (45 CFR 164.514(b)(2)).
"""

from incrowd.pii.checklist import Checklist, IdentifierCheck, checklist, hints
from incrowd.pii.column_names import IDENTIFIERS, Identifier
from incrowd.pii.profile import ColumnFinding, ColumnProfile, SafeHarborRules, Status

__all__ = [
    "IDENTIFIERS",
    "Checklist",
    "ColumnFinding",
    "ColumnProfile",
    "Identifier",
    "IdentifierCheck",
    "SafeHarborRules",
    "Status",
    "checklist",
    "hints",
]
