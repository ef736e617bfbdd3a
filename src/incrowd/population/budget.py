"""How many values each column may keep (Lodha-Thomas Section 3.1).

With d'_i quantiles column i is distorted in proportion to 1/d'_i, so the sum of w_i/d'_i is made
small while the product of the d'_i stays within D', the number of classes allowed. Without limits
the d'_i are proportional to the weights (Equation 1).

Where we depart: the paper cuts what is above a column's own number of values and solves the rest
again; it is silent about what falls below 1 and about whole numbers. Here one common factor keeps
both ends at once (`unrounded_budget`). Then numbers are rounded down, what that leaves goes where
it helps most, and one column goes a step up at the expense of another as long as that pays. With
few columns this begins from several points, so that a better choice rarely remains.

In functions `sizes` are the d_i, `kept` the d'_i, `worth` the w_i, and `allowed` is D'.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from incrowd.errors import PolicyError
from incrowd.population.bounds import check_whole_number

_ROUNDING = 1e-9
_FINE = 50
_FEW = 8


def budget(
    distinct: Sequence[int], allowed: int, weights: Sequence[float] | None = None
) -> tuple[int, ...]:
    """The numbers of values d'_i that columns of so many distinct values may keep.

    Each is from 1 to the column's own number; their product is at most `allowed`. `PolicyError` if
    a number is not whole or below 1, or a weight is not above 0.

    >>> budget([2, 21_900, 100_000], 2_400_000)
    (2, 1095, 1095)
    """
    sizes = [check_whole_number(size, "a column's number of values") for size in distinct]
    allowed = check_whole_number(allowed, "the number of classes")
    worth = check_weights(weights, len(sizes))
    best = _improve_budget(sizes, allowed, worth, {})
    for fixed in _alternative_starts(best, sizes, allowed):
        other = _improve_budget(sizes, allowed, worth, fixed)
        best = min(best, other, key=lambda kept: distortion(kept, worth))
    return tuple(best)


def distortion(kept: Sequence[int], weights: Sequence[float] | None = None) -> float:
    """The sum of w_i/d'_i, which a budget makes small."""
    worth = check_weights(weights, len(kept))
    return math.fsum(w / d for w, d in zip(worth, kept, strict=True))


def unrounded_budget(
    distinct: Sequence[float], allowed: float, weights: Sequence[float]
) -> tuple[float, ...]:
    """The best numbers of values d'_i if they need not be whole: c w_i, cut to 1..d_i.

    The product rises with c, and is a power of c between the points where a column begins to rise
    (c w_i = 1) and where it ends (c w_i = d_i): one walk along these points finds c.
    """
    if math.fsum(map(math.log, distinct)) <= math.log(allowed):
        return tuple(map(float, distinct))
    pairs = list(zip(distinct, weights, strict=True))
    starts = [(-math.log(w), 1) for _, w in pairs]
    ends = [(math.log(d / w), -1) for d, w in pairs]
    left, rising, here = math.log(allowed), 0, -math.inf
    for there, change in sorted(starts + ends):
        if rising and rising * (there - here) >= left:
            break
        left -= rising * (there - here) if rising else 0.0
        here, rising = there, rising + change
    c = math.exp(here + left / rising) if rising else 0.0
    return tuple(min(max(c * w, 1.0), float(d)) for d, w in pairs)


def check_weights(weights: Sequence[float] | None, number: int) -> tuple[float, ...]:
    """Return the weights, 1 each if not given; `PolicyError` unless each column has one above 0."""
    worth = tuple(map(float, weights)) if weights is not None else (1.0,) * number
    if len(worth) != number:
        raise PolicyError(f"there are {len(worth)} weights for {number} columns")
    if not all(math.isfinite(w) and w > 0 for w in worth):
        raise PolicyError(
            "the weight of a column must be above 0",
            remedy="give a small one to a column that matters little, or leave the column out",
        )
    return worth


def _alternative_starts(
    kept: Sequence[int], sizes: Sequence[int], allowed: int
) -> Iterator[dict[int, int]]:
    """Yield other points to start from, each `{place of a column: values that it starts with}`.

    One column gets one value more, one fewer, 1, or twice as many. None with more than `_FEW`
    columns; columns that keep more than `_FINE` values are not varied.
    """
    if len(sizes) > _FEW:
        return
    for i, (d, size) in enumerate(zip(kept, sizes, strict=True)):
        for other in sorted({d - 1, d + 1, 1, min(size, 2 * d)} - {d}):
            if d <= _FINE and 1 <= other <= min(size, allowed):
                yield {i: other}


def _improve_budget(
    sizes: Sequence[int], allowed: int, worth: Sequence[float], fixed: Mapping[int, int]
) -> list[int]:
    """Round the best budget begun with `fixed` values, by place, and improve it by exchanges."""
    open_sizes = [1 if i in fixed else size for i, size in enumerate(sizes)]
    found = unrounded_budget(open_sizes, allowed // math.prod(fixed.values()), worth)
    kept = [
        fixed.get(i, min(math.floor(d * (1 + _ROUNDING)), size))
        for i, (d, size) in enumerate(zip(found, sizes, strict=True))
    ]
    while math.prod(kept) > allowed:  # by rounding alone
        kept[kept.index(max(kept))] -= 1
    kept = _spend_rest(kept, sizes, allowed, worth)
    while better := _best_exchange(kept, sizes, allowed, worth):
        kept = better
    return kept


def _spend_rest(
    kept: list[int], sizes: Sequence[int], allowed: int, worth: Sequence[float]
) -> list[int]:
    """Give what rounding left to columns, where it lowers the distortion most; changes `kept`."""
    while True:
        product = math.prod(kept)
        steps = [
            (w * (1 / d - 1 / up) / math.log(up / d), -i, up)
            for i, (d, size, w) in enumerate(zip(kept, sizes, worth, strict=True))
            if (up := min(size, allowed // (product // d), d + max(1, d // _FINE))) > d
        ]
        if not steps:
            return kept
        _, place, up = max(steps)
        kept[-place] = up


def _best_exchange(
    kept: Sequence[int], sizes: Sequence[int], allowed: int, worth: Sequence[float]
) -> list[int] | None:
    """The budget after the exchange between two columns that gains most; None if none gains."""
    product, best, found = math.prod(kept), _ROUNDING * distortion(kept, worth), None
    rising = [i for i, (d, size) in enumerate(zip(kept, sizes, strict=True)) if d < size]
    falling = [j for j, d in enumerate(kept) if d > 1 or j < 2]  # two, if nothing has to fall
    for i, j in ((i, j) for i in rising for j in falling if i != j):
        pair, others = (kept[i], kept[j]), product // (kept[i] * kept[j])
        for up, down in _trades(pair, sizes[i], allowed // others):
            gain = worth[i] * (1 / kept[i] - 1 / up) + worth[j] * (1 / kept[j] - 1 / down)
            if gain > best:
                best, found = gain, [*kept]
                found[i], found[j] = up, down
    return found


def _trades(pair: tuple[int, int], size: int, allowed: int) -> Iterator[tuple[int, int]]:
    """Yield up to two pairs to take in place of this one, with a product of at most `allowed`.

    In one the first number is up by 1 and the second as far down as it must be; in the other the
    second is down by 1 and the first as far up as it may be, at most `size`.
    """
    up, down = pair
    if up < size and allowed > up:
        yield up + 1, min(down, allowed // (up + 1))
    if down > 1:
        yield min(size, allowed // (down - 1)), down - 1
