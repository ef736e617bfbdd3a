"""Attacks on a finished release: what somebody who knows this or that would get right, and wrong.

One file per attack. Each attacker is played to the end and in full: no guess is drawn, every figure
is the exact expectation over all people or all released rows.
"""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:
    from incrowd.attacks.attack import Attack as Attack
    from incrowd.attacks.attack import Attacked as Attacked

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
