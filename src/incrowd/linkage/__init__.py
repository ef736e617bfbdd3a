"""A release against the tables that somebody may hold (Bettini, Wang, Jajodia)."""

from incrowd.linkage.conservative import Caution, Conservative, cautions, conservative
from incrowd.linkage.constraints import AtLeast, Proof, proved
from incrowd.linkage.identify import KQis, is_k_qi, is_proper_k_qi, minimal_k_qis, smallest_crowd
from incrowd.linkage.links import ColumnMatch, Linked, link
from incrowd.linkage.matching import Matching, match
from incrowd.linkage.united import united
from incrowd.linkage.world import World

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
