"""Populations that a table makes nearly as likely as the likeliest one: a profile likelihood.

A population is a share of its people for each class size F: no formula, any mixture of sizes. The
classes that a random sample shows of each size are independent Poisson counts with the means that
the shares make. Among all shares those count whose log likelihood is at most `DROP` below the
highest (Laird 1978 and Lindsay 1983 for the likeliest mixture); the least and the most of a figure
over them are the ends of its 95 % interval.

A profile may also *lean*: each unit of relative entropy between the shares and given ones costs so
much log likelihood. Leaning keeps shares from being more jagged than the table asks for.

Everything is concave: Newton's steps inside a logarithmic barrier, which falls until the end is
known to `_CLOSE` of its scale. Ends are moved outwards by what is not known.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Floats

DROP = 1.92
"""Half of the 95 % point of the chi-square distribution with one degree of freedom."""
DROP_ONE_SIDED = 1.35
"""Half of its 90 % point: each end alone is passed with a chance of 5 %."""
_BARRIERS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)
_INSIDE = 1e-2
"""The barrier that leaves the point from which the ends are searched."""
_CLOSE = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
_ROUNDS = 60
_LEAST_STEP = 1e-10
_RIDGE = 1e-12

Height = Callable[[Floats], float]
Slopes = Callable[[Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class Profile:
    """How likely a table makes each population."""

    shown: Floats
    """Classes of each bin that are expected if all people had this size: shape (bins, sizes)."""
    seen: Floats
    """Classes that the table has in each bin: shape (bins,)."""
    near: Floats
    """Shares to lean to."""
    pull: float = 0.0
    """What a unit of relative entropy costs; 0 leans to nothing."""

    @cached_property
    def _expected_and_seen(self) -> tuple[Floats, Floats, Floats]:
        """Expected and seen classes of the bins that have any; per size, all that are expected."""
        some = self.seen > 0
        return self.shown[some], self.seen[some], self.shown.sum(axis=0)

    def height(self, shares: Floats) -> float:
        """The log likelihood of these shares, up to a constant, less the cost of leaning."""
        shown, seen, every = self._expected_and_seen
        likely = seen @ np.log(shown @ shares) - every @ shares
        return float(likely - self.pull * (shares @ np.log(shares / self.near)))

    def slopes(self, shares: Floats) -> tuple[Floats, Floats]:
        """The gradient of the height, and its second derivatives with their sign turned."""
        shown, seen, every = self._expected_and_seen
        expected = shown @ shares
        each = seen / expected
        slope = each @ shown - every - self.pull * (np.log(shares / self.near) + 1)
        bend = (shown * (each / expected)[:, np.newaxis]).T @ shown
        return slope, bend + np.diag(self.pull / shares)

    @cached_property
    def _path(self) -> tuple[Floats, Floats]:
        """The shares at two barriers on the way up: likely ones well inside, and the likeliest."""
        number = len(self.near)
        shares = inside = np.full(number, 1 / number)
        for barrier in _BARRIERS:
            shares = _climb(shares, *self._with_barrier(barrier))
            inside = shares if barrier >= _INSIDE else inside
        return inside, shares

    def _with_barrier(self, barrier: float) -> tuple[Height, Slopes]:
        """The height and its slopes with a logarithmic barrier that keeps shares above 0."""

        def height(shares: Floats) -> float:
            return self.height(shares) + barrier * float(np.log(shares).sum())

        def slopes(shares: Floats) -> tuple[Floats, Floats]:
            slope, bend = self.slopes(shares)
            return slope + barrier / shares, bend + np.diag(barrier / shares**2)

        return height, slopes

    @property
    def likeliest(self) -> Floats:
        """The shares that make the table likeliest."""
        return self._path[1]

    @cached_property
    def top(self) -> float:
        """An upper bound of the height of the likeliest population."""
        return self.height(self.likeliest) + len(self.near) * _BARRIERS[-1]

    def find_end(
        self, figure: Floats, sign: float, scale: float, drop: float = DROP
    ) -> tuple[float, Floats]:
        """The most (`sign` 1) or the least (-1) of `figure @ shares`, and the shares there.

        Over all shares whose height is at most `drop` below the top; `scale` is the figure's order
        of size. The end is moved outwards by what the search leaves unknown.
        """
        inside, likeliest = self._path
        shares, floor = inside, self.top - drop
        while self.height(shares) <= floor:
            shares = (shares + likeliest) / 2
        toward = sign * figure / scale
        for close in _CLOSE:
            shares = _climb(shares, *self._height_toward(floor, toward, close), enough=close / 3)
        unknown = _CLOSE[-1] * (len(shares) + 1) * scale
        return float(figure @ shares) + sign * unknown, shares

    def _height_toward(self, floor: float, toward: Floats, barrier: float) -> tuple[Height, Slopes]:
        """Height and slopes along `toward`, with a barrier at shares of 0 and at `floor`."""

        def height(shares: Floats) -> float:
            above = self.height(shares) - floor
            if above <= 0:
                return -np.inf
            kept = np.log(above) + float(np.log(shares).sum())
            return float(toward @ shares + barrier * kept)

        def slopes(shares: Floats) -> tuple[Floats, Floats]:
            above = self.height(shares) - floor
            slope, bend = self.slopes(shares)
            slope, bend = slope / above, bend / above
            bend = bend + np.outer(slope, slope) + np.diag(1 / shares**2)
            return toward + barrier * (slope + 1 / shares), barrier * bend

        return height, slopes


def _climb(shares: Floats, height: Height, slopes: Slopes, enough: float = 1e-8) -> Floats:
    """Climb to the highest shares by Newton's steps until one promises to gain less than `enough`.

    Shares stay positive and sum to 1. Steps are relative to them: they differ by many magnitudes.
    """
    reached = height(shares)
    for _ in range(_ROUNDS):
        step, gain = _newton_step(shares, *slopes(shares))
        if not gain > enough:
            break
        part = min(1.0, 0.99 / max(-float(step.min()), 1e-300))
        after = height(shares * (1 + part * step))
        while not after >= reached + 0.01 * part * gain and part > _LEAST_STEP:
            part /= 2
            after = height(shares * (1 + part * step))
        if part <= _LEAST_STEP:
            break
        shares, reached = shares * (1 + part * step), after
    return shares


def _newton_step(shares: Floats, slope: Floats, bend: Floats) -> tuple[Floats, float]:
    """The relative step that keeps the sum of shares, and twice the height it promises to gain."""
    relative, scaled = slope * shares, bend * np.outer(shares, shares)
    scaled[np.diag_indices_from(scaled)] += _RIDGE * np.trace(scaled) / len(shares)
    both = np.linalg.solve(scaled, np.stack([relative, shares], axis=1))
    price = (shares @ both[:, 0]) / (shares @ both[:, 1])
    step = np.asarray(both[:, 0] - price * both[:, 1], dtype=np.float64)
    return step, float(step @ relative)
