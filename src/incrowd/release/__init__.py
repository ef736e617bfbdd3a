"""Release: rows that were verified before they leave, and the certificate that goes with them."""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:
    from incrowd.release.certificate import Certificate as Certificate
    from incrowd.release.release import Release as Release
    from incrowd.verify.verdict import Check as Check
    from incrowd.verify.verdict import Verdict as Verdict

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
