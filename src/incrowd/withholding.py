"""What is withheld of a few people: every rule of it, for two audiences.

The holder of a table has its rows, and so their terminal, their JSON and their notebook say counts
and losses as they are. What leaves is read by others: a certificate and a report have no count of
fewer than `LEAST` records of the original, but for how many were left out, and their losses have
two digits if anybody was left out. The page of `incrowd ui` withholds small counts, too: others may
look at the screen.
"""

import re
from collections.abc import Collection, Mapping, Sequence

LEAST = 5
"""A count of records above 0 and below this is withheld, and every share of so few."""
FEW = f"fewer than {LEAST}"
"""What is said in place of a count that is withheld."""
_DIGITS = 2
_STEPS = 10_000
_LOSS = re.compile(r"(?<!limit )\b\d+\.\d{4}\b")
"""A loss as searches write it."""


def are_few(count: float) -> bool:
    """Whether a count of records, which must not be 0, is so small that it is withheld."""
    return count < LEAST


def public_count(count: int) -> int | None:
    """A count of records, or None if it is withheld.

    >>> public_count(0), public_count(4), public_count(5)
    (0, None, 5)
    """
    return count if count == 0 or count >= LEAST else None


def public_share(share: float, records: int) -> float | None:
    """A share of `records`, or None if it is above 0 and stands for fewer than `LEAST` of them.

    >>> public_share(0.25, 100), public_share(0.01, 100), public_share(0.0, 100)
    (0.25, None, 0.0)
    """
    return share if share == 0 or round(share * records) >= LEAST else None


def public_counts(counts: Sequence[int]) -> tuple[int | None, ...]:
    """Counts with a known sum: if one alone is withheld, the smallest other one above 0 is, too.

    >>> public_counts([0, 3, 9, 20]), public_counts([2, 3, 9]), public_counts([7, 8])
    ((0, None, None, 20), (None, None, 9), (7, 8))
    """
    public = [public_count(count) for count in counts]
    if public.count(None) == 1 and (rest := [count for count in public if count]):
        public[public.index(min(rest))] = None
    return tuple(public)


def round_up_share(count: int, people: int) -> float:
    """The share of `people` that a count is, rounded up to a hundredth of a percent.

    A count from 1 to 4 is raised to `LEAST`. Limits are compared with this share, as it is the one
    that is shown.

    >>> [round_up_share(count, 100) for count in (0, 1, 34)], round_up_share(1, 3)
    ([0.0, 0.05, 0.34], 1.0)
    """
    if not count:
        return 0.0
    return min(1.0, -(-max(count, LEAST) * _STEPS // people) / _STEPS)


def public_losses(
    losses: Mapping[str, float], *, left_out: int, countable: Collection[str] = ()
) -> dict[str, float]:
    """Losses as they leave with a release that leaves out `left_out` records.

    Losses that whoever has the release can count (`countable`) keep their digits.

    Most losses measure labels against the columns of the whole table, and so does their last digit:
    whoever knows the widths of all labels can solve the exact figure for the range of a column, and
    with it for the value of an outlier who was left out.

    >>> public_losses({"gcp": 0.07346, "squares": 1234.0}, left_out=3, countable=["squares"])
    {'gcp': 0.07, 'squares': 1234.0}
    >>> public_losses({"gcp": 0.07346}, left_out=0)
    {'gcp': 0.07346}
    """
    return {
        name: loss if name in countable else public_loss(loss, left_out=left_out)
        for name, loss in losses.items()
    }


def public_loss(loss: float, *, left_out: int) -> float:
    """A loss as it may leave: all digits if nobody was left out, else two.

    These are two digits after the point, or the first two of a loss of 1 or more. Only 0 leaves as
    0, and a loss below 1 as no more than 0.99.

    >>> [public_loss(loss, left_out=3) for loss in (0.07346, 0.0001, 0.0, 0.9999, 1234.5)]
    [0.07, 0.01, 0.0, 0.99, 1200.0]
    """
    if not left_out or not loss:
        return float(loss)
    if loss >= 1:
        return float(f"{loss:.{_DIGITS}g}")
    return min(max(round(loss, _DIGITS), 0.01), 0.99)


def public_bound(bound: float, *, left_out: int) -> float:
    """A lower bound of a loss as it may leave: rounded down, so that it stays a bound.

    >>> public_bound(0.0768, left_out=3), public_bound(17.9, left_out=3)
    (0.07, 17.0)
    """
    near = public_loss(bound, left_out=left_out)
    step = 10.0**-_DIGITS if near < 1 else 10.0 ** (len(str(int(near))) - _DIGITS)
    return near if near <= bound else round(near - step, _DIGITS)


def public_words(words: str, *, left_out: int) -> str:
    """Replace the losses in the words of a search by losses as they may leave (`public_loss`).

    >>> public_words("used tds: gcp 0.0735 (limit 0.1234), lattice 0.1200", left_out=3)
    'used tds: gcp about 0.07 (limit 0.1234), lattice about 0.12'
    """
    if not left_out:
        return words
    return _LOSS.sub(
        lambda loss: f"about {public_loss(float(loss[0]), left_out=left_out):g}", words
    )
