"""x."""


def check() -> int:
    """X."""
    return 0
