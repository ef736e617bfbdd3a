"""What `probabilistic` says holds as often as it says, in populations with many rare values."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

import incrowd
from incrowd.errors import PolicyError
from incrowd.hierarchy import Flat, Intervals
from incrowd.models import Probabilistic
from incrowd.policy.policy import Column, Policy
from incrowd.population.bounds import PopulationSample, k_of_shares
from incrowd.search import Crowd, Mondrian

N, DRAWN, K, BETA, DRAWS = 100_000, 5_000, 50, 0.1, 200
POPULATIONS = ["zipf", "lognormal", "uniform"]


def people(kind, rng):
    """The value of each person of a population: many values have fewer than K people."""
    match kind:
        case "zipf":
            weight = 1 / np.arange(1, 20_001)
            return rng.choice(20_000, N, p=weight / weight.sum())
        case "lognormal":
            return np.round(np.exp(rng.normal(8, 1, N)) / 50).astype(int)
        case _:
            return rng.integers(0, N // 45, N)


def seen(population, rng):
    """People of the population and of a table drawn from it, by value that occurs in both."""
    table = rng.choice(population, DRAWN, replace=False)
    top = int(population.max()) + 1
    return np.bincount(population, minlength=top), np.bincount(table, minlength=top)


def broken(kind, accepts):
    """In how many of the draws a value is accepted that fewer than K people have."""
    rng = np.random.default_rng([POPULATIONS.index(kind), 11])
    population, times = people(kind, rng), 0
    for _ in range(DRAWS):
        there, here = seen(population, rng)
        times += bool((accepts(here) & (there < K)).any())
    return times


@pytest.mark.parametrize("kind", POPULATIONS)
def test_values_that_are_accepted_have_k_people_as_often_as_said(kind):
    least = PopulationSample(DRAWN, 1, 0.95, "declared").least_size(N, K, BETA)
    assert broken(kind, lambda here: here >= least) <= binom.ppf(0.999, DRAWS, 0.05)


@pytest.mark.parametrize("kind", ["zipf", "lognormal"])
def test_values_that_many_people_have_are_accepted(kind):
    rng = np.random.default_rng(1)
    there, here = seen(people(kind, rng), rng)
    accepted = here >= PopulationSample(DRAWN, 1, 0.95, "declared").least_size(N, K, BETA)
    assert accepted[there >= 20 * K].all()
    assert (there >= 20 * K).any()


@pytest.mark.parametrize("kind", POPULATIONS)
def test_the_share_of_the_table_alone_would_break_it(kind):
    least = next(m for m in range(1, DRAWN) if k_of_shares([m / DRAWN], N, BETA) >= K)
    assert broken(kind, lambda here: here >= least) > 0.9 * DRAWS


def asked(search, names, **model):
    settings = {"population": N, "k": K, "beta": BETA, **model}
    hierarchy = Flat() if model.get("labels") == "declared" else None
    columns = {name: Column(role="quasi", hierarchy=hierarchy) for name in names}
    return Policy(
        columns=columns, models=(Probabilistic(**settings),), search=search, suppression=0.9
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["zipf", "lognormal"])
def test_releases_show_only_values_that_k_people_have(kind):
    rng = np.random.default_rng(7)
    population = people(kind, rng)
    codes, numbers = np.unique(population.astype(str), return_counts=True)
    broken = 0
    for _ in range(20):
        frame = pl.DataFrame({"code": rng.choice(population, DRAWN, replace=False).astype(str)})
        release = incrowd.anonymize(frame, asked("lattice", ["code"], labels="declared"), seed=1)
        shown = release.frame["code"].unique().to_list()
        counts = numbers[np.isin(codes, shown)] if "*" not in shown else [N]
        broken += min(counts) < K
    assert broken <= binom.ppf(0.999, 20, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("search", [Crowd(effort=0), Mondrian()], ids=lambda one: one.name)
def test_classes_drawn_around_people_have_k_people_of_the_population(search):
    rng = np.random.default_rng(3)
    population = np.round(np.exp(rng.normal(0, 1, (N, 2))) * 1_000).astype(int)
    for _ in range(5):
        rows = population[rng.choice(N, 2_000, replace=False)]
        frame = pl.DataFrame(rows, schema=["a", "b"])
        release = incrowd.anonymize(frame, asked(search, ["a", "b"]), seed=1)
        assert fewest(release.frame.unique(), population) >= K


def fewest(rows, population):
    """People of the population who fit the released row that fewest fit."""
    found = N
    for row in rows.iter_rows():
        fits = np.ones(N, dtype=bool)
        for label, column in zip(row, population.T, strict=True):
            low, high = ends(label)
            fits &= (column >= low) & (column <= high)
        found = min(found, int(fits.sum()))
    return found


def ends(label):
    """The smallest and the largest whole number that a label may stand for."""
    if label == "*":
        return -np.inf, np.inf
    if label[0] in "≥<":
        end = float(label[2:])
        return (end, np.inf) if label[0] == "≥" else (-np.inf, end - 1)
    parts = label.strip("[])").split(", ")
    return float(parts[0]), float(parts[-1]) - label.endswith(")")


def test_a_key_does_not_leave_unchanged():
    frame = pl.DataFrame({"code": [f"p{i}" for i in range(5_000)]})
    release = incrowd.anonymize(frame, asked("lattice", ["code"], labels="declared"), seed=1)
    assert release.frame["code"].unique().to_list() == ["*"]
    assert release.models[0].confidence == 0.95


def test_check_counts_the_people_who_were_left_out(tmp_path):
    policy = asked("lattice", ["code"], labels="declared")
    frame = pl.DataFrame({"code": ["a"] * 400 + ["b"] * 300 + [f"p{i}" for i in range(4_000)]})
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    frame.write_csv(source)
    release = incrowd.anonymize(source, policy, target, seed=1)
    assert release.records == 700
    certified = incrowd.check(target, certificate=f"{target}.certificate.json")
    alone = incrowd.check(target, policy)

    assert certified.ok
    assert certified.models[0].reached == release.models[0].reached < alone_without_loss(release)
    assert alone.models[0].reached < release.models[0].reached
    assert any("the check assumes" in note for note in alone.notes)


def alone_without_loss(release):
    """What the rows would reach if nobody had been left out."""
    return PopulationSample(release.records, 1, 0.95, "declared").supported_k(300, N, BETA)


@pytest.mark.parametrize("show", ["sets", "representatives"])
def test_what_names_the_tables_own_values_is_refused(show):
    with pytest.raises(PolicyError, match="cannot be bounded"):
        Policy(
            columns={"a": Column(role="quasi")},
            models=(Probabilistic(N, K, BETA),),
            show=show,
        )


def test_declared_labels_need_levels_that_are_fixed():
    with pytest.raises(PolicyError, match="draws classes around the people"):
        asked("crowd", ["a"], labels="declared")
    for hierarchy in (None, Intervals(quantiles=4)):
        with pytest.raises(PolicyError, match="made from the table"):
            Policy(
                columns={"a": Column(role="quasi", hierarchy=hierarchy)},
                models=(Probabilistic(N, K, BETA, labels="declared"),),
                search="lattice",
            )


@settings(max_examples=80)
@given(
    st.lists(st.floats(0.01, 1), min_size=1, max_size=20), st.integers(2, 30), st.integers(40, 400)
)
def test_smaller_classes_together_mislead_no_more_than_as_many_as_large_as_may_be(parts, m, n):
    most = (m - 1 / m) / n
    shares = np.array(parts) / max(1.0, sum(parts)) * most
    bound = binom.sf(m - 1, n, most) / most
    assert binom.sf(m - 1, n, shares).sum() <= bound * shares.sum() * (1 + 1e-9)


@settings(max_examples=80)
@given(st.integers(1, 60), st.integers(1, 200), st.integers(0, 300))
def test_drawing_without_replacement_makes_tails_smaller(inside, drawn, more):
    everybody = max(inside, drawn) + more
    least = int(drawn * inside / everybody) + 2
    sizes = np.arange(least, least + 20)
    without = hypergeom.sf(sizes - 1, everybody, inside, drawn)
    assert (without <= binom.sf(sizes - 1, drawn, inside / everybody) * (1 + 1e-9) + 1e-14).all()
