"""Which columns tell people apart, and which of them may be published: composition only."""

from incrowd.discovery.discover import discover
from incrowd.discovery.masking import mask, mask_file
from incrowd.quasi.outcome import Discovery, Explanation, Found, Masked, Smallest

__all__ = [
    "Discovery",
    "Explanation",
    "Found",
    "Masked",
    "Smallest",
    "discover",
    "mask",
    "mask_file",
]
