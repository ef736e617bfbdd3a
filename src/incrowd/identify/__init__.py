"""Finding and masking quasi-identifiers (Motwani-Xu; Lodha-Thomas Section 2)."""
