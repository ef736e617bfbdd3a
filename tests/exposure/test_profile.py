"""Profile likelihoods of populations, against every population of a fine grid; coverage."""

import numpy as np
import pytest

import naive.risk
from incrowd.exposure.estimates import estimates
from incrowd.exposure.mixture import draw_curves
from incrowd.exposure.people import ClassKinds
from incrowd.exposure.possible import Populations
from incrowd.exposure.profile import DROP, DROP_ONE_SIDED, Profile
from incrowd.exposure.ranges import _LikelyPopulations, smooth_shares

SIZES = (1, 2, 5)
NEAR = (0.2, 0.5, 0.3)


def profile_of(classes, drawn, pull=0.0):
    """Classes of 1, 2, … people of a table; a population has classes of `SIZES` people alone."""
    bins = np.arange(1.0, len(classes) + 1)
    populations = Populations.of(np.array(SIZES, dtype=float), bins, drawn)
    people = sum(size * number for size, number in enumerate(classes, start=1))
    seen = np.array(classes, dtype=float)
    return Profile(people * populations.shown, seen, np.array(NEAR), pull)


@pytest.mark.parametrize("classes", [(40, 6, 2, 0, 0), (30, 0, 0, 0, 0), (9, 3, 4, 2, 1)])
@pytest.mark.parametrize("pull", [0.0, 4.0])
@pytest.mark.parametrize("drop", [DROP, DROP_ONE_SIDED])
def test_ends_are_those_over_every_population(classes, pull, drop):
    drawn = 0.2
    profile = profile_of(classes, drawn, pull)
    slow = naive.risk.likely_populations(classes, SIZES, drawn, leaning=(NEAR, pull), drop=drop)
    for figure in ((1.0, 0.0, 0.0), (1.0, 0.5, 0.2), (0.0, 1.0, 0.0)):
        values = [sum(f * s for f, s in zip(figure, shares, strict=True)) for shares in slow]
        low, high = (profile.find_end(np.array(figure), sign, 1.0, drop)[0] for sign in (-1.0, 1.0))
        assert low <= min(values) + 1e-9
        assert high >= max(values) - 1e-9
        assert (low, high) == pytest.approx((min(values), max(values)), abs=0.02)


def test_slopes_are_those_of_the_height():
    profile = profile_of((12, 5, 2, 1, 0), 0.3, 2.0)
    shares = np.array([0.3, 0.3, 0.4])
    slope, bend = profile.slopes(shares)
    for at in range(3):
        step = np.eye(3)[at] * 1e-6
        ahead, back = profile.height(shares + step), profile.height(shares - step)
        assert slope[at] == pytest.approx((ahead - back) / 2e-6, rel=1e-4)
        turned = profile.slopes(shares - step)[0] - profile.slopes(shares + step)[0]
        assert turned / 2e-6 == pytest.approx(bend[at], rel=1e-3, abs=1e-3)


def test_the_smooth_shares_are_those_of_the_curves():
    """One person in ten: a class of mu has Poisson(10 mu) others."""
    kinds = kinds_of(np.array([1] * 40 + [2] * 9 + [3] * 4 + [150]), 0.1)
    found = draw_curves(kinds.sizes, kinds.classes, 0.1)
    sizes = np.concatenate([np.arange(1.0, 40), 40 * 1.3 ** np.arange(20)])
    shares = smooth_shares(sizes, kinds, 0.1, found)
    density = found.mean(found.density)[:, np.newaxis] * found.grid.share

    def slow(people):
        return sum(
            weight * naive.risk.poisson(people - 1, mean / 0.1)
            for weight, mean in zip(density.ravel(), found.grid.mu.ravel(), strict=True)
        )

    for people in (2, 7, 15):
        assert shares[people - 1] / shares[0] == pytest.approx(slow(people) / slow(1), rel=1e-3)
    assert shares.sum() == pytest.approx(1)
    assert shares[np.abs(sizes - 1_500).argmin()] == pytest.approx(150 / 220, abs=1e-3)


def kinds_of(held, drawn):
    return ClassKinds.of(held, held, held, np.full(len(held), drawn))


def drawn_from(everyone, fraction, rng):
    """A simple random sample: its classes, and the people of the population in each."""
    of_person = np.repeat(np.arange(len(everyone)), everyone)
    sample = rng.choice(of_person, round(len(of_person) * fraction), replace=False)
    held = np.bincount(sample, minlength=len(everyone))
    return held[held > 0], everyone[held > 0], len(sample) / len(of_person)


def half_unique(people, crowd):
    return np.concatenate([np.ones(people // 2, int), np.full(people // 2 // crowd, crowd)])


MADE = {
    "half unique, half crowded": lambda rng: half_unique(20_000, int(rng.choice([50, 100, 400]))),
    "one unique in ten": lambda _: np.concatenate([np.ones(2_000, int), np.full(360, 50)]),
    "pairs": lambda _: np.full(10_000, 2),
    "fives": lambda _: np.full(4_000, 5),
    "geometric": lambda rng: rng.geometric(0.2, 4_000),
    "lognormal": lambda rng: rng.multinomial(20_000, rng.dirichlet(rng.lognormal(0, 2, 5_000))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_safe_end_is_above_the_truth(name, seed):
    """Every population here, whatever its class sizes; the lower end where curves may err."""
    rng = np.random.default_rng([seed, len(name)])
    everyone = MADE[name](rng)
    held, behind, drawn = drawn_from(everyone[everyone > 0], float(rng.choice([0.02, 0.1])), rng)
    found = estimates(kinds_of(held, drawn), drawn, 0.2)
    true = naive.risk.population_figures(held.tolist(), behind.tolist(), 0.2)
    for figure in ("unique", "average", "above"):
        low, high = getattr(found, figure).interval
        assert true[figure] <= high + 1e-9, figure
        assert true[figure] >= low - 0.02, figure
        assert low <= getattr(found, figure).value <= high, figure


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_intervals_hold_the_truth_in_every_family(name):
    inside = []
    for seed, fraction in enumerate((0.01, 0.03, 0.1, 0.3, 0.01, 0.03)):
        rng = np.random.default_rng([9, seed])
        everyone = MADE[name](rng)
        held, behind, drawn = drawn_from(everyone[everyone > 0], fraction, rng)
        found = estimates(kinds_of(held, drawn), drawn, 0.2)
        true = naive.risk.population_figures(held.tolist(), behind.tolist(), 0.2)
        for figure in ("unique", "average", "above"):
            low, high = getattr(found, figure).interval
            inside.append(low - 1e-9 <= true[figure] <= high + 1e-9)
    assert np.mean(inside) >= 0.85


def test_a_fit_decides_how_much_lower_ends_lean():
    """Where the smooth curves fit, they are leaned to; a population of pairs is none of theirs."""
    rng = np.random.default_rng(3)
    pulls = []
    for everyone in (MADE["geometric"](rng), MADE["pairs"](rng)):
        held, _, drawn = drawn_from(everyone, 0.2, rng)
        kinds = kinds_of(held, drawn)
        found = draw_curves(kinds.sizes, kinds.classes, drawn)
        pulls.append(_LikelyPopulations.of(kinds, drawn, 4, found).leaning.pull)
    assert pulls[0] > 10
    assert pulls[1] == 0


def test_a_sample_that_cannot_tell_has_wide_ends():
    """Three hundred people who are all alone, one in a hundred drawn: anything is possible."""
    found = estimates(kinds_of(np.ones(300, dtype=np.int64), 0.01), 0.01, 0.2)
    assert found.unique.high == 1.0
    assert found.unique.low < 0.6
    assert found.unique.smooth is not None
