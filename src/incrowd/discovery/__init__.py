"""Which columns tell people apart, and which of them may be published: composition only."""

from incrowd.discovery.discover import discover
from incrowd.discovery.masking import mask, mask_file
from incrowd.discovery.quantiles import quantiles, quantiles_file
from incrowd.probabilistic.bucketed import Bucketed
from incrowd.quasi.outcome import Discovery, Explanation, Found, Masked, Smallest

__all__ = [
    "Bucketed",
    "Discovery",
    "Explanation",
    "Found",
    "Masked",
    "Smallest",
    "discover",
    "mask",
    "mask_file",
    "quantiles",
    "quantiles_file",
]
