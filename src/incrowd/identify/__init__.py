"""Finding and masking quasi-identifiers (Motwani-Xu; Lodha-Thomas Section 2)."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)
