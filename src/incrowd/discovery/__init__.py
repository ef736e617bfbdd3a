"""Which columns tell people apart, and which of them may be published: composition only."""

from incrowd.discovery.discover import discover
from incrowd.discovery.groups import groups
from incrowd.discovery.masking import mask, mask_file
from incrowd.discovery.quantiles import quantiles, quantiles_file
from incrowd.probabilistic.bucketed import Bucketed
from incrowd.quasi.outcome import (
    Discovery,
    Explanation,
    Found,
    Group,
    Groups,
    Masked,
    Smallest,
)

__all__ = [
    "Bucketed",
    "Discovery",
    "Explanation",
    "Found",
    "Group",
    "Groups",
    "Masked",
    "Smallest",
    "discover",
    "groups",
    "mask",
    "mask_file",
    "quantiles",
    "quantiles_file",
]
