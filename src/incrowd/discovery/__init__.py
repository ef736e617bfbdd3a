"""Which columns tell people apart, and which of them may be published: composition only."""

from incrowd.discovery.discover import discover
from incrowd.discovery.masking import Masked, mask, mask_file
from incrowd.discovery.result import Discovery, Explanation, Found, Smallest

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
