"""Attacks on a finished release: what somebody who knows this or that would get right, and wrong.

One file per attack. Each attacker is played to the end and in full: no guess is drawn, every figure
is the exact expectation over all people or all released rows.
"""

from incrowd.attacks.attack import Attack, Attacked

__all__ = ["Attack", "Attacked"]
