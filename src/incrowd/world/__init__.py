"""A release against the tables that somebody may hold (Bettini, Wang, Jajodia)."""

from incrowd.world.conservative import Caution, Conservative, cautions, conservative
from incrowd.world.constraints import AtLeast, Proof, proved
from incrowd.world.identify import (
    KQis,
    is_k_qi,
    is_proper_k_qi,
    minimal_k_qis,
    smallest_crowd,
)
from incrowd.world.linkage import ColumnMatch, Linked, link
from incrowd.world.matching import Matching, match
from incrowd.world.united import united
from incrowd.world.world import World

__all__ = [
    "AtLeast",
    "Caution",
    "ColumnMatch",
    "Conservative",
    "KQis",
    "Linked",
    "Matching",
    "Proof",
    "World",
    "cautions",
    "conservative",
    "is_k_qi",
    "is_proper_k_qi",
    "link",
    "match",
    "minimal_k_qis",
    "proved",
    "smallest_crowd",
    "united",
]
