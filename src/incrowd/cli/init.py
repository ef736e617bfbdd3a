"""x."""


def init() -> int:
    """X."""
    return 0
