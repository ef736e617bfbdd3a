"""Harm to few among many: averages hide it, limits do not."""

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd import InputError, PolicyError


def of(found, kind):
    return next(one for one in found.attacks if one.kind == kind)


@pytest.mark.slow
def test_a_class_whose_people_all_have_the_same_illness():
    """50 of 100,000: what is gained on the average is next to nothing."""
    ages = np.repeat(np.arange(1000), 100)
    rng = np.random.default_rng(1)
    illness = rng.choice(["flu", "cold", "none"], 100_000)
    ages[:50], illness[:50] = 5000, "hiv"
    table = pl.DataFrame({"age": ages, "illness": illness})
    found = incrowd.attack(table, sensitive=["illness"], max_success=0.05)
    guess = of(found, "inference")
    assert guess.gain < 0.2
    assert guess.persons.largest == 1
    assert (guess.persons.above, guess.persons.worst) == (50, 50)
    assert guess.as_dict()["person"] == {
        "largest_posterior": 1.0,
        "limit": 0.95,
        "above": 50,
        "above_share": 50 / 100_000,
        "largest_raise": 1.0,
        "worst_class": 50,
    }
    assert "inference of illness by age is right about 50 people with a chance above 95 %" in (
        found.broken
    )
    assert not incrowd.attack(table, sensitive=["illness"]).ok
    assert incrowd.attack(table, sensitive=["illness"], max_people=50).ok
    assert incrowd.attack(table, sensitive=["illness"], max_posterior=1).ok


def test_planted_uniques_among_many():
    table = pl.DataFrame({"age": [*range(50), *np.repeat(np.arange(100, 150), 99)]})
    found = incrowd.attack(table, original=table, max_success=0.05)
    alone = of(found, "singling-out")
    assert alone.gain < 0.05
    assert (alone.persons.largest, alone.persons.above) == (1, 50)
    assert "singling out by age is right about 50 people with a chance above 95 %" in found.broken


def test_a_class_with_eight_times_as_many():
    """40 % of a class against 5 % of all: nobody's illness is certain, yet much is learned."""
    rows = [("a", "hiv", 40), ("a", "flu", 60), ("b", "hiv", 160), ("b", "flu", 3740)]
    table = pl.DataFrame(
        {
            "town": [town for town, _, number in rows for _ in range(number)],
            "illness": [ill for _, ill, number in rows for _ in range(number)],
        }
    )
    found = incrowd.attack(table, sensitive=["illness"], max_success=0.05)
    guess = of(found, "inference")
    assert guess.gain < 0.05
    assert guess.persons.raised == pytest.approx((0.4 - 0.05) / 0.95)
    (line,) = [line for line in found.broken if "illness" in line]
    assert "adds 36.84 % of what was open to somebody's chance, above 30 %" in line
    assert incrowd.attack(table, sensitive=["illness"]).ok
    assert incrowd.attack(table, sensitive=["illness"], max_raise=0.4).ok
    assert not incrowd.attack(table, sensitive=["illness"], max_raise=0.2).ok


def test_what_was_likely_before_is_not_learned():
    """All of a class are healthy, as 95 % of all are: nobody is lifted above the limit."""
    illness = ["none"] * 10 + (["none"] * 18 + ["flu"] * 1 + ["none"]) * 9
    table = pl.DataFrame({"age": [1] * 10 + [2] * 180, "illness": illness})
    found = incrowd.attack(table, sensitive=["illness"])
    assert of(found, "inference").persons.largest == 1
    assert of(found, "inference").persons.above == 0
    assert found.ok


def test_certainty_is_compared_with_certainty():
    """Guessing the commonest value is often right, but nobody is certain by it."""
    table = pl.DataFrame({"age": [1] * 5 + [2] * 15, "ill": ["x"] * 5 + ["x"] * 14 + ["y"]})
    found = incrowd.attack(table, sensitive=["ill"])
    sure, more = of(found, "homogeneity"), of(found, "background")
    assert (sure.success, sure.baseline, sure.gain) == (0.25, 0, 0.25)
    assert (more.success, more.baseline, more.gain) == (1, 1, 0)
    assert of(found, "singling-out").baseline == 0


def test_limits_that_are_none():
    table = pl.DataFrame({"age": [1, 1]})
    for options in ({"max_posterior": 2}, {"max_raise": -1}, {"max_people": -1}):
        with pytest.raises(PolicyError):
            incrowd.attack(table, **options)


def drawn(number, seed, first):
    """People whose illness follows their age, with ids from a first one on."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 4, number)
    ill = np.where(rng.random(number) < 0.7, age, rng.integers(4, 8, number))
    return pl.DataFrame(
        {
            "id": [f"p{first + i}" for i in range(number)],
            "age": age * 100 + rng.integers(0, 100, number),
            "ill": [f"ill{i}" for i in ill],
        }
    )


def controlled(width):
    """The control of a release whose ages are rounded to so many years."""
    table, others = drawn(1500, 1, 0), drawn(1500, 2, 9000)
    low = pl.col("age") // width * width
    release = table.select(pl.format("[{}, {})", low, low + width).alias("age"), "ill")
    found = incrowd.attack(
        release, original=table, control=others, world_id="id", sensitive=["ill"]
    )
    return of(found, "control"), of(found, "inference")


def test_what_holds_for_people_of_a_kind_is_not_held_against_the_release():
    """Rounded to 100 years, the release tells of others what it tells of its own people."""
    control, guess = controlled(100)
    assert control.success == guess.success == pytest.approx(0.7, abs=0.05)
    assert control.baseline == pytest.approx(control.success, abs=0.04)
    assert not control.gated
    assert control.figures["control_people"] == 1500


def test_what_records_give_away_is_seen_beside_people_who_have_none():
    """Rounded to one year, classes are so small that their own people stand out."""
    control, guess = controlled(1)
    assert control.success == guess.success
    assert control.success - control.baseline > 0.03
    assert control.figures["difference"] == pytest.approx(control.success - control.baseline)
    assert control.gated


def test_a_control_of_people_who_are_in_the_table_is_refused():
    table = drawn(20, 1, 0)
    given = {"world_id": "id", "sensitive": ["ill"]}
    with pytest.raises(InputError, match="5 people of the control are also in the original"):
        incrowd.attack(table.drop("id"), original=table, control=table[:5], **given)
    with pytest.raises(PolicyError, match="people outside the table with people in it"):
        incrowd.attack(table.drop("id"), control=table, sensitive=["ill"])


def test_without_ids_nothing_shows_that_a_control_is_outside_the_table():
    table, others = drawn(20, 1, 0), drawn(20, 2, 9000)
    tables = {"original": table, "control": others}
    for given, said in (({}, True), ({"world_id": "id"}, False)):
        found = incrowd.attack(table.drop("id"), **tables, **given, sensitive=["ill"])
        assert any("nothing shows that the people of the control" in n for n in found.notes) == said
