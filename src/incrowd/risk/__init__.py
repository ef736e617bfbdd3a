"""Risk: how easily a person of a table is found, and what is then learned."""

from incrowd.risk.measure import measure
from incrowd.risk.risk import Figures, Prosecutor, Reached, Risk

__all__ = ["Figures", "Prosecutor", "Reached", "Risk", "measure"]
