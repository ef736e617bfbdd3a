"""Attacks on a finished release: what somebody who knows this or that would get right, and wrong.

One file per attack. Each attacker is played to the end and in full: no guess is drawn, every figure
is the exact expectation over all people or all released rows. Singling out, linkability and
inference are the three risks that the Article 29 Working Party names (Opinion 05/2014 on
anonymisation techniques).
"""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:
    from incrowd.attacks.attack import Attack as Attack
    from incrowd.attacks.attack import Attacked as Attacked

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
