"""The words that all attacks share."""

from collections.abc import Sequence

from incrowd.errors import counted


def columns(names: Sequence[str]) -> str:
    """Names of columns as a sentence has them.

    >>> columns(["age", "sex", "zip"]), columns([])
    ('age, sex and zip', 'nothing')
    """
    if len(names) < 2:
        return "".join(names) or "nothing"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def people(count: int) -> str:
    """So many people.

    >>> people(1), people(12345)
    ('1 person', '12,345 people')
    """
    return counted(count, "person", "people")


def rows(count: int) -> str:
    """So many rows.

    >>> rows(1), rows(12345)
    ('1 row', '12,345 rows')
    """
    return counted(count, "row")


def part(value: float, what: str) -> str:
    """A share of something.

    >>> part(0, "the rows"), part(0.25, "the rows"), part(1, "the rows")
    ('none of the rows', '0.25 of the rows', 'all of the rows')
    """
    if value in {0, 1}:
        return f"{'all' if value else 'none'} of {what}"
    return f"{share(value)} of {what}"


def share(value: float) -> str:
    """A share, not rounded to none or all if it is not.

    >>> share(0.25), share(0.00001), share(0.99999), share(1)
    ('0.25', 'below 0.0001', 'above 0.9999', '1')
    """
    if 0 < value < 0.0001:
        return "below 0.0001"
    if 0.9999 < value < 1:
        return "above 0.9999"
    return f"{value:.4f}".rstrip("0").rstrip(".")
