"""Lists that lack people of the table, or have nobody of it: what linkage can reach with them."""

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd import InputError, KAnonymity, PolicyError
from incrowd.linkage.identify import AtLeast
from incrowd.linkage.membership import plain_spelling
from incrowd.models import KMap
from incrowd.policy.policy import Column, Policy


def people(number, seed, first=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": [f"p{first + i}" for i in range(number)],
            "age": rng.integers(20, 80, number),
            "zip": rng.integers(100, 150, number),
        }
    )


def released(table, size=5):
    """Classes of so many neighbours by age, with the spans of their ages and zips."""
    group = pl.int_range(pl.len()) // size
    shown = table.sort("age", "zip").with_columns(group.alias("group"))
    span = [
        pl.format("[{}, {}]", pl.col(name).min().over("group"), pl.col(name).max().over("group"))
        for name in ("age", "zip")
    ]
    return shown.select("id", span[0].alias("age"), span[1].alias("zip"))


def linkage(release, world, **options):
    found = incrowd.attack(release.drop("id"), world=world, world_id="id", **options)
    return found, next(one for one in found.attacks if one.kind == "linkage")


def test_a_partial_list_finds_no_more_people_than_it_has():
    """The list has 50 of 1,000 people: at most a share of 0.05 can be found."""
    table = people(1000, 1)
    release, world = released(table), table[::20]
    _, true = linkage(release, world, truth=release.select("id"))
    for options in ({}, {"original": table}, {"listed": 0.05}):
        found, attack = linkage(release, world, **options)
        assert true.success <= attack.success <= 0.05 + 1e-12
        assert attack.baseline == pytest.approx(0.05 / 50)
        assert attack.figures["listed"] == pytest.approx(0.05)
        assert "5 % of the released people" in attack.says
        assert "of all released rows" in attack.says
        assert attack.persons.largest <= 0.2
        assert not any("linkage" in line for line in found.broken)
    assert true.figures["listed"] == pytest.approx(0.05)
    assert true.baseline == pytest.approx(0.05 / 50)


def test_a_list_of_other_people_breaks_no_limit_by_itself():
    table, others = people(1000, 1), people(700, 2, first=5000)
    release = released(table)
    columns = {"age": Column(role="quasi"), "zip": Column(role="quasi")}
    for model in (KAnonymity(5), KMap(5)):
        policy = Policy(columns=columns, models=(model,))
        found, attack = linkage(release, others, policy=policy, max_success=0.05)
        assert found.k_world == 1
        assert found.k_with_release == 5
        assert not attack.gated
        assert not any("linkage" in line or "k =" in line for line in found.broken)
        assert any("nothing says who is" in note for note in found.notes)
    by_ids, _ = linkage(release, others, original=table)
    assert any("nobody of the table is on the list" in note for note in by_ids.notes)
    for options in ({"truth": release.select("id")}, {"original": table}, {"listed": 0.0}):
        _, attack = linkage(release, others, **options)
        assert (attack.success, attack.baseline, attack.gain) == (0, 0, 0)
        assert attack.gated
        assert "None of the released people are on the list" in attack.says


def test_a_list_that_may_be_complete_is_held_to_limits():
    """Nothing speaks against everybody being listed: then the worst case counts."""
    table = people(60, 3)
    found, attack = linkage(table.select("id", "age", "zip"), table, max_success=0.05)
    assert attack.gated
    assert any(line.startswith("linkage") for line in found.broken)
    policy = Policy(columns={"age": Column(role="quasi")}, models=(KAnonymity(5),))
    found, _ = linkage(table, table, policy=policy)
    assert any("fewer than k = 5" in line for line in found.broken)


def test_ids_that_are_spelled_differently_do_not_hide_anybody():
    """Nobody of the original is in the world by id, yet everybody fits one of its people."""
    table = people(60, 3)
    world = table.with_columns(pl.format("0{}", "id").alias("id"))
    found, attack = linkage(table, world, original=table)
    assert (attack.success, attack.gated) == (pytest.approx(1, abs=0.2), True)
    assert any(line.startswith("linkage") for line in found.broken)
    assert any("spell ids alike" in note for note in found.notes)
    ends = next(one for one in found.attacks if one.kind == "ends")
    assert (ends.success, ends.bound) == (1, True)


def test_ids_of_the_original_overrule_a_share_that_is_said():
    table = people(200, 1)
    _, attack = linkage(released(table), table[::4], original=table, listed=1.0)
    assert attack.figures["listed"] == pytest.approx(0.25)


def test_if_records_were_left_out_ids_say_how_many_are_listed_at_most():
    table = people(200, 1)
    shown = released(table)
    _, attack = linkage(shown[:100], table[::4], original=table)
    assert attack.figures["listed"] == pytest.approx(0.5)
    assert "At most 50 % of the released people are on the list" in attack.says
    _, attack = linkage(shown[:100], table, original=table)
    assert "All released people are on the list" in attack.says


@pytest.mark.parametrize(
    ("here", "there", "same"),
    [("007", "7", True), ("P-1", "p 1", True), ("12.0", "12", True), ("p1", "q1", False)],
)
def test_when_ids_are_other_spellings_of_one(here, there, same):
    assert (plain_spelling(here) == plain_spelling(there)) == same


def test_people_with_several_rows_may_all_be_listed():
    """Five rows of one person who alone is listed: every row is that person's."""
    release = pl.DataFrame({"id": ["x"] * 5, "age": ["30"] * 5})
    world = pl.DataFrame({"id": ["x"], "age": [30]})
    columns = {"age": Column(role="quasi"), "id": Column(role="unit")}
    policy = Policy(columns=columns, models=(KAnonymity(2),))
    assert linkage(release, world, policy=policy)[1].success == 1
    assert linkage(release, world)[1].success == pytest.approx(1 / 5)


def test_nobody_is_found_on_a_list_that_has_nobody_of_the_table():
    """A copy of the table, whose every row fits one person of the list who is somebody else."""
    table = pl.DataFrame({"id": ["a", "b", "c"], "age": [1, 2, 3]})
    others = table.with_columns(pl.Series("id", ["x", "y", "z"]))
    for listed, above in ((0.0, 0), (1 / 3, 1), (1.0, 3)):
        found, attack = linkage(table, others, listed=listed)
        assert attack.persons.above == pytest.approx(above)
        assert attack.success == pytest.approx(listed)
        assert any(line.startswith("linkage") for line in found.broken) == (above > 0)


@pytest.mark.parametrize("listed", [-0.1, 1.5])
def test_a_share_that_is_none_is_refused(listed):
    with pytest.raises(PolicyError, match="from 0 to 1"):
        linkage(released(people(20, 1)), people(20, 1), listed=listed)


def test_a_promise_that_the_world_breaks_is_refused_with_the_count():
    world = pl.DataFrame(
        {"id": range(11), "zipcode": ["a"] * 6 + ["b"] * 3 + ["c", None], "sex": ["f"] * 11}
    )
    release = pl.DataFrame({"zip": ["a", "b"]})
    given = {"world": world, "world_id": "id", "rename": {"zip": "zipcode"}}
    kept = incrowd.attack(release, **given, promises=[AtLeast(("zip",), 1)])
    assert kept.proved.k == 1
    with pytest.raises(InputError, match="2 of 3 combinations of zip have fewer, the smallest 1"):
        incrowd.attack(release, **given, promises=[AtLeast(("zip",), 4)])
    with pytest.raises(InputError, match="2 of 3 combinations of zip have fewer"):
        incrowd.attack(release, **given, promises=[AtLeast(("zip", "income"), 4)])
    with pytest.raises(InputError, match="2 of 3 combinations of sex, zip have fewer"):
        incrowd.attack(release, **given, promises=[AtLeast(("sex", "zip"), 4)])
    assert incrowd.attack(release, **given, promises=[AtLeast(("income",), 4)]).proved.k == 1


def test_promises_count_individuals_once():
    """Three rows of one person are one."""
    world = pl.DataFrame({"id": ["x", "x", "x", "y"], "zip": ["a", "a", "a", "b"]})
    release = pl.DataFrame({"zip": ["a"]})
    with pytest.raises(InputError, match="2 of 2 combinations of zip have fewer, the smallest 1"):
        incrowd.attack(release, world=world, world_id="id", promises=[AtLeast(("zip",), 2)])
