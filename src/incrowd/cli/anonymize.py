"""x."""


def anonymize() -> int:
    """X."""
    return 0
