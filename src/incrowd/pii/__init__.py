"""Personal data in tables: what column names and values give away, and HIPAA's Safe Harbor.

The words of column names (`words`) and the patterns of values (`patterns`) are tables that
`incrowd init` and the checklist of Safe Harbor share (45 CFR 164.514(b)(2)).
"""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:  # every reader of text files needs the words alone
    from incrowd.pii.checklist import Checklist as Checklist
    from incrowd.pii.checklist import IdentifierCheck as IdentifierCheck
    from incrowd.pii.checklist import names_identifier as names_identifier
    from incrowd.pii.column_names import IDENTIFIERS as IDENTIFIERS
    from incrowd.pii.column_names import Identifier as Identifier
    from incrowd.pii.profile import ColumnFinding as ColumnFinding
    from incrowd.pii.profile import ColumnProfile as ColumnProfile
    from incrowd.pii.profile import SafeHarborRules as SafeHarborRules
    from incrowd.pii.profile import Status as Status

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
