"""Losses as they leave with a release: two digits where exact ones would tell of people left out.

Most losses measure labels against the columns of the whole table, and so does their last digit:
whoever knows the widths of all labels can solve the exact figure for the range of a column, and
with it for the value of an outlier who was left out. The holder's own answer keeps all digits.
"""

from collections.abc import Mapping

from incrowd.verify.losses import OF_SIZES

_DIGITS = 2


def public_losses(losses: Mapping[str, float], *, left_out: int) -> dict[str, float]:
    """The losses for everybody, if so many records were left out.

    >>> public_losses({"gcp": 0.07346, "discernibility": 1234.0}, left_out=3)
    {'gcp': 0.07, 'discernibility': 1234.0}
    >>> public_losses({"gcp": 0.07346}, left_out=0)
    {'gcp': 0.07346}
    """
    if not left_out:
        return dict(losses)
    return {name: value if name in OF_SIZES else _rounded(value) for name, value in losses.items()}


def _rounded(value: float) -> float:
    """Two digits after the point, or two digits of a figure above 1."""
    return float(f"{value:.{_DIGITS}g}") if abs(value) >= 1 else round(value, _DIGITS)
