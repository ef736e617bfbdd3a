"""How many people are unique in the population, estimated from a sample of it.

The estimate and its interval are those of `incrowd.exposure.estimates`. Three estimators of the
literature are there for comparison; they use only the sizes of the sample's classes. If the
equations of one have no solution, or more than one, it gives no estimate.

Pitman's sampling formula (Hoshino, *Applying Pitman's sampling formula to microdata disclosure risk
assessment*, 2001): alpha and theta make the sample's classes likeliest, for 0 < alpha < 1 and theta
> -alpha, or alpha = 0 and theta > 0, the limit that is Ewens' formula: many tables are likeliest
there. With u classes of n people, s_j of them of size j, the logarithm of the likelihood is, up to
a constant,

    sum of log(theta + i alpha), i < u  -  sum of log(theta + i), i < n
    +  sum of s_j log(i - alpha), i < j

The expected uniques of N people are exact, where the paper has their limit for large N:
N Gamma(theta + alpha + N - 1) Gamma(theta + 1) / (Gamma(theta + alpha) Gamma(theta + N)).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.exposure.estimates import Estimates
from incrowd.exposure.possible import Range
from incrowd.lazy import module

optimize = module("scipy.optimize")
special = module("scipy.special")

_ODDS = np.linspace(-30.0, 30.0, 601)
_DOUBT = 0.05
_HALF = 0.5
_FAR = 1e6
_LEAST_ALPHA = 1e-4
_MOST_ALPHA = 1 - 1e-9
_LOOKS = 24
"""The likelihood is looked at in a grid of so many values of alpha and of theta."""


@dataclass(frozen=True)
class Uniqueness:
    """The share of the table's records that are unique in the population.

    Whoever is drawn keeps what they are: the share of the population that is unique is about the
    same. An estimator of the literature that finds no share says None.
    """

    population: int
    fraction: float
    """The share of the population that is in the table."""
    sample_uniques: int
    """People who are unique in the table."""
    pitman: float | None
    """By Pitman's sampling formula, or Ewens' where that is likelier; for comparison."""
    zayatz: float | None
    """For comparison."""
    snb: float | None
    """By the slide negative binomial; for comparison."""
    estimate: float
    interval: Range
    """Holds the share with a probability of 95 %, if what `Risk.model` assumes is true."""
    possible: Range | None
    """The least and the most over every population that fits the table; see `Journalist`."""
    estimator: str
    """`mixture`, or `counted` if the table is the population or holds no unique person."""
    expected: float
    """People of the population who are unique."""
    expected_interval: Range
    correct_match: float | None
    """How likely somebody is right who meets a person of the population, finds that they match a
    unique record, and takes it for theirs (Skinner and Elliot 2002); None if nobody is unique."""
    correct_match_interval: Range | None
    undecided: bool = False
    """Whether the table cannot tell: the interval spans more than half of what the counts of the
    table allow without any estimate, from nobody to everybody who is unique in it."""


def uniqueness(
    sizes: Counts, classes: Counts, people: int, population: int, found: Estimates
) -> Uniqueness:
    """Estimate how many people are unique, from `classes` of each of these `sizes`, ascending.

    `people` may be fewer than all members: who is in several classes is so in the population.
    """
    members = int((sizes * classes).sum())
    uniques = int(classes[sizes == 1].sum())
    counted = uniques == 0 or people >= population
    if counted:
        shares: dict[str, float | None] = dict.fromkeys(_ESTIMATORS, uniques / max(members, 1))
    else:
        scaled = max(round(population * members / people), members)
        shares = {name: find(sizes, classes, scaled) for name, find in _ESTIMATORS.items()}
    return Uniqueness(
        population=population,
        fraction=people / population,
        sample_uniques=uniques,
        **shares,
        estimate=found.unique.value,
        interval=found.unique.interval,
        possible=found.unique.possible,
        estimator="counted" if counted else "mixture",
        expected=found.unique_people.value * population,
        expected_interval=_unique_people_range(found, people, population),
        correct_match=None if found.match is None else found.match.value,
        correct_match_interval=None if found.match is None else found.match.interval,
        undecided=found.unique.high - found.unique.low > _HALF * uniques / max(members, 1),
    )


def _unique_people_range(found: Estimates, people: int, population: int) -> Range:
    """The 95 % interval of people who are unique in a population of which `people` were drawn.

    The high end leaves room for unique people whom a sample of this size may all miss.
    """
    low, high = found.unique_people.interval
    if people < population:
        unseen = 1.0 if not people else -np.log(_DOUBT) / people
        high = min(max(high, float(unseen)), 1.0)
    return low * population, high * population


def zayatz_share(sizes: Counts, classes: Counts, population: int) -> float | None:
    """The share of unique people by Bayes' rule, if classes are spread as those of the sample.

    It always finds one. Zayatz 1991: a sample unique is a population unique with probability
    p1 P(1 | 1) / sum of pj P(1 | j), where P(1 | j) is the chance that a sample without
    replacement holds one of j.
    """
    single = float(classes[sizes == 1].sum())
    people = int((sizes * classes).sum())
    chances = _chance_of_one(sizes, people, population)
    seen = float((classes * chances).sum())
    return min(single / people * (single * people / population / seen), 1.0)


def _chance_of_one(sizes: Counts, people: int, population: int) -> Floats:
    """Per size j, the chance that a sample of so many people has one of j given ones.

    j n/N (N - n)(N - n - 1)… / ((N - 1)(N - 2)…), j - 1 factors each.
    """
    more = sizes.astype(np.float64) - 1
    outside = float(population - people)
    found = np.zeros(len(sizes))
    found[more == 0] = people / population
    can = (more > 0) & (more <= outside)
    m = more[can]
    betaln = special.betaln
    ratio = betaln(population - m, m) - betaln(outside - m + 1, m)
    found[can] = sizes[can] * (people / population) * np.exp(ratio)
    return found


def snb_share(sizes: Counts, classes: Counts, population: int) -> float | None:
    """The share of unique people if a class has 1 + NB(alpha, beta) people; None if none is found.

    The slide negative binomial (Chen and Keller-McNulty 1998): uniques are K beta^alpha, where K
    classes of the population are estimated first and alpha and beta make the sample's expected
    uniques and pairs those that are seen. With D = (1 - p)(1 - beta) and sampling fraction p,

        s1 = K p (beta / (1 - D))^alpha (1 + alpha D / (1 - D))
        s2 / s1 = p alpha (1 - beta) (2 - (1 - alpha) D) / (2 (1 - D) (1 - D + alpha D))
    """
    fraction = float((sizes * classes).sum()) / population
    number = shlosser_classes(sizes, classes, fraction)
    if not np.isfinite(number) or number > population:
        return None
    single, double = (int(classes[sizes == size].sum()) for size in (1, 2))
    found = fit_snb(number, single, double, fraction)
    if found is None:
        return None
    alpha, beta = found
    share = number * beta**alpha / population
    return share if 0 <= share <= 1 else None


def fit_snb(number: float, single: int, double: int, fraction: float) -> tuple[float, float] | None:
    """Alpha and beta under which a sample of `number` classes has these uniques and pairs.

    None if there is no solution or more than one. The second equation of `snb_share` gives alpha
    for each beta; the first is then solved for beta.
    """
    if not single or not double:
        return None
    scale = np.log(number * fraction / single)

    def gap(odds: float | Floats) -> Any:
        """The logarithm of expected over seen uniques, for the beta of `_alpha_of_odds`."""
        alpha, beta, hidden = _alpha_of_odds(odds, double / single, fraction)
        shown = 1 - hidden
        power = alpha * (np.log(beta) - np.log(shown))
        return scale + power + np.log1p(alpha * hidden / shown)

    odds = _only_root(gap)
    if odds is None:
        return None
    alpha, beta, _ = _alpha_of_odds(odds, double / single, fraction)
    return float(alpha), float(beta)


def _alpha_of_odds(odds: Any, pairs: float, fraction: float) -> tuple[Any, Any, Any]:
    """For beta = 1 / (1 + exp(-odds)): alpha that makes so many pairs per unique; beta; D.

    c alpha (2 - D + alpha D) = pairs (1 - D + alpha D) has one positive solution.
    """
    beta = 1 / (1 + np.exp(-odds))
    rest = 1 / (1 + np.exp(odds))
    hidden = (1 - fraction) * rest
    c = fraction / 2 * rest / (1 - hidden)
    a, b, minus = c * hidden, c * (2 - hidden) - pairs * hidden, pairs * (1 - hidden)
    root = np.sqrt(b * b + 4 * a * minus)
    alpha = np.where(b > 0, 2 * minus / (b + root), (root - b) / (2 * a))
    return alpha, beta, hidden


def _only_root(gap: Callable[[Any], Any]) -> float | None:
    """The root of the gap among the odds searched; None unless it has exactly one."""
    with np.errstate(all="ignore"):
        signs = np.sign(gap(_ODDS))
        turns = np.flatnonzero(signs[:-1] * signs[1:] < 0)
        if len(turns) != 1 or not np.isfinite(signs).all():
            return None
        at = int(turns[0])
        return float(optimize.brentq(gap, _ODDS[at], _ODDS[at + 1], xtol=1e-12))


def shlosser_classes(sizes: Counts, classes: Counts, fraction: float) -> float:
    """How many classes the population has (Haas and Stokes 1998, modified Shlosser); may be NaN."""
    i, s, q = sizes.astype(np.float64), classes.astype(np.float64), fraction
    unseen = ((1 - q) ** i * s).sum()
    once = (i * q * (1 - q) ** (i - 1) * s).sum()
    twice = (i * q**2 * (1 - q**2) ** (i - 1) * s).sum()
    between = (((1 - q**2) ** i - (1 - q) ** i) * s).sum()
    single = s[sizes == 1].sum()
    return float(s.sum() + single * (twice / between) * (unseen / once) ** 2)


def pitman_share(sizes: Counts, classes: Counts, population: int) -> float | None:
    """The share of unique people by Pitman's formula, or Ewens'; None if no point is likeliest."""
    found = fit_pitman(sizes, classes)
    if found is None:
        return None
    theta, alpha = found
    share = np.exp(_log_step(theta + population, alpha - 1) - _log_step(theta + 1, alpha - 1))
    return float(share) if 0 <= share <= 1 else None


def fit_pitman(sizes: Counts, classes: Counts) -> tuple[float, float] | None:
    """The likeliest theta and alpha for so many classes of each size; None if none is."""
    sample = _SampleClasses(sizes, classes, int(classes.sum()), int((sizes * classes).sum()))
    if sample.classes < 2 or sample.people <= sample.classes:
        return None
    with np.errstate(all="ignore"):
        ewens = sample.likeliest_theta(0.0)
        if ewens is not None and sample.is_best(ewens, 0.0):
            return ewens, 0.0
        alpha = _root_of_slope(
            lambda alpha: sample.slope_in_alpha(sample.likeliest_theta(alpha), alpha),
            _LEAST_ALPHA,
            _MOST_ALPHA,
        )
        theta = None if alpha is None else sample.likeliest_theta(alpha)
        if alpha is None or theta is None or not sample.is_best(theta, alpha):
            return None
    return theta, alpha


@dataclass(frozen=True, eq=False)
class _SampleClasses:
    """The classes of a sample: their sizes, how many of each, how many in all, and people."""

    sizes: Counts
    of_size: Counts
    classes: int
    people: int

    def slope_in_theta(self, theta: float, alpha: float) -> float:
        """The slope of the log likelihood in theta, for alpha 0 that of Ewens' formula."""
        more = self.classes - 1
        taken = _harmonic(theta / alpha + 1, more) / alpha if alpha else more / theta
        return float(taken - _harmonic(theta + 1, self.people - 1))

    def slope_in_alpha(self, theta: float | None, alpha: float) -> float:
        """The slope of the log likelihood in alpha; NaN if there is no theta."""
        if theta is None:
            return float("nan")
        taken = theta * _harmonic(theta / alpha + 1, self.classes - 1) / alpha
        digamma = special.digamma
        held = self.of_size * (digamma(self.sizes - alpha) - digamma(1 - alpha))
        return float((self.classes - 1 - taken) / alpha - held.sum())

    def likeliest_theta(self, alpha: float) -> float | None:
        """The likeliest theta for this alpha; None if the slope has no root."""
        most = np.log(10.0 * self.people * self.people)
        found = _root_of_slope(
            lambda t: self.slope_in_theta(np.exp(t) - alpha, alpha), np.log(1e-9), most
        )
        return None if found is None else float(np.exp(found)) - alpha

    def log_likelihood(self, theta: Any, alpha: Any) -> Any:
        """The log likelihood up to a constant; theta and alpha may be arrays, or alpha 0."""
        gammaln = special.gammaln
        if np.ndim(alpha) == 0 and alpha == 0:
            found = (self.classes - 1) * np.log(theta)
        else:
            z = theta / alpha
            found = (self.classes - 1) * np.log(alpha) + gammaln(z + self.classes) - gammaln(z + 1)
        found = found - gammaln(theta + self.people) + gammaln(theta + 1)
        for size, number in zip(self.sizes.tolist(), self.of_size.tolist(), strict=True):
            found = found + number * (gammaln(size - alpha) - gammaln(1 - alpha))
        return found

    def is_best(self, theta: float, alpha: float) -> bool:
        """Whether no point of a grid is likelier: slopes of 0 are no proof of a highest point."""
        alphas = np.linspace(0.02, 0.98, _LOOKS)[:, np.newaxis]
        thetas = np.exp(np.linspace(-4.0, np.log(self.people) + 7, _LOOKS)) - alphas
        grid = self.log_likelihood(thetas, alphas)
        slack = 1e-9 * self.people * np.log(self.people + 1.0)
        return bool(np.nanmax(grid) <= self.log_likelihood(theta, alpha) + slack)


def _root_of_slope(slope: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a slope that is positive at `low` and negative at `high` is 0; None if it is not so."""
    if not (slope(low) > 0 > slope(high)):
        return None
    return float(optimize.brentq(slope, low, high, xtol=1e-13, rtol=1e-13))


def _harmonic(x: float, terms: int) -> float:
    """The sum 1/x + 1/(x + 1) + … of so many terms; an expansion keeps digits for a large x."""
    if x < _FAR:
        digamma = special.digamma
        return float(digamma(x + terms) - digamma(x))
    end = x + terms
    return float(np.log1p(terms / x) + terms / (2 * x * end) + (1 / x**2 - 1 / end**2) / 12)


def _log_step(x: float, by: float) -> float:
    """The difference log Gamma(x + by) - log Gamma(x), for -1 < by < 0."""
    if x < _FAR:
        gammaln = special.gammaln
        return float(gammaln(x + by) - gammaln(x))
    return float(by * np.log(x) + by * (by - 1) / (2 * x))


_ESTIMATORS = {"pitman": pitman_share, "zayatz": zayatz_share, "snb": snb_share}
