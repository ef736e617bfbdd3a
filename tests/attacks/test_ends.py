"""The ends of labels: whom they point at, and how often that is right."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
import naive.attacks as naive
from incrowd.attacks.ends import EndCells, WorldPresence, ends, find_sole_matches
from incrowd.engines.memory import MemoryEngine
from incrowd.io.worlds import as_attack_table
from incrowd.linkage.tables import AttackTables
from incrowd.requests.attack import AttackRequest
from incrowd.verbs.attack import knowledge_for

OTHERS = ("[20, 30)", "[20, 25)", "≥ 100000", "≥ 50000", "< 1930", "< 1910", "[1965-01, 1966-01)")


@pytest.mark.parametrize(
    ("label", "cells"),
    [
        ("[17, 25]", ("17", "25")),
        ("[17-25]", ("17", "25")),
        ("[1871-03-04, 1880-01-01]", ("1871-03-04", "1880-01-01")),
        ('["a, b", "c"]', ("a, b", "c")),
        ("{A, B}", ("A", "B")),
        ("{A}", ()),
        ("37", ()),
        ("*", ()),
        ("0213*", ()),
        ("1965-03", ()),
        ("[20, 30)", ("[20, 25)", "[25, 30)")),
        ("[20, 25)", ()),
        ("≥ 50000", ("[50000, 100000)", "≥ 100000")),
        ("≥ 100000", ()),
        ("< 1930", ("< 20", "[1910, 1930)")),
    ],
)
def test_the_cells_at_the_ends_of_a_label(label, cells):
    assert EndCells([label, *OTHERS]).cells_of(label) == cells


def test_cuts_of_dates_and_of_numbers_do_not_mix():
    labels = ["[1965-01, 1970-01)", "[1965-01, 1966-01)", "[1960, 1980)"]
    cells = EndCells(labels).cells_of("[1965-01, 1970-01)")
    assert cells == ("[1965-01, 1966-01)", "[1966-01, 1970-01)")
    assert EndCells(labels).cells_of("[1960, 1980)") == ()


def tables_of(release, world, **asked):
    return AttackTables(
        as_attack_table("release", MemoryEngine(release)),
        {},
        knowledge_for(AttackRequest(release, world_id="id", **asked)),
        (as_attack_table("world", MemoryEngine(world)),),
    )


SPANS = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(sorted)
LABELS = st.one_of(
    SPANS.map(lambda ends: f"[{ends[0]}, {ends[1]}]"),
    SPANS.map(lambda ends: f"[{ends[0]}, {ends[1] + 1})"),
    st.integers(0, 6).map(lambda low: f"≥ {low}"),
    st.integers(1, 7).map(lambda high: f"< {high}"),
    st.sets(st.integers(0, 6), min_size=2, max_size=3).map(
        lambda some: "{" + ", ".join(map(str, sorted(some))) + "}"
    ),
    st.integers(0, 6).map(str),
    st.just("*"),
)
"""Labels of the numbers from 0 to 6, in all formats."""


@settings(max_examples=60)
@given(
    st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=6),
    st.lists(st.tuples(*[st.integers(0, 6)] * 2, st.integers(1, 9)), min_size=1, max_size=10),
    st.data(),
)
def test_whom_the_ends_point_at(shown, people, data):
    """As the twin finds it, reading labels and trying everybody one by one."""
    names = ("a", "b")
    release = pl.DataFrame(shown, schema=names, orient="row")
    world = pl.DataFrame(
        [(*p[:2], f"p{p[2]}") for p in people], schema=(*names, "id"), orient="row"
    )
    tables = tables_of(release, world)
    found = find_sole_matches(tables.linked_world)
    numbers = tables.world_tables.individual_by_id
    told = naive.pointed(shown, people)
    assert found.person.tolist() == sorted(numbers[f"p{who}"] for who in told)
    inside = data.draw(st.sets(st.sampled_from([p[2] for p in people])))
    present = np.zeros(max(numbers.values()) + 1, dtype=np.bool_)
    present[[numbers[f"p{who}"] for who in inside]] = True
    presence = WorldPresence(present, len(inside) / len({p[2] for p in people}))
    attack = ends(names, found, presence, 0.9)
    assert attack.figures["told"] == attack.trials == len(told)
    assert attack.figures["right"] == len(told & inside)
    assert attack.success == pytest.approx(len(told & inside) / max(len(told), 1))


def test_too_many_ends_are_left_out_and_told():
    release = pl.DataFrame({"a": ["[1, 2]", "[3, 4]"]})
    world = pl.DataFrame({"a": [1, 2, 3, 4], "id": list("wxyz")})
    linked_world = tables_of(release, world).linked_world
    assert (find_sole_matches(linked_world).ends, find_sole_matches(linked_world).left_out) == (
        6,
        0,
    )
    few = find_sole_matches(linked_world, most=4)
    assert (few.ends, few.left_out) == (4, 2)
    assert len(few.person) == 2


def population(seed=1, people=3000):
    """Skewed incomes, most of them of one person only."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(people)],
            "income": np.round(rng.lognormal(10, 0.8, people)).astype(int),
            "sex": rng.choice(["F", "M"], people),
        }
    )


def drawn(world, people=600, seed=2):
    rng = np.random.default_rng(seed)
    return world[np.sort(rng.choice(len(world), people, replace=False)).tolist()]


def spans(table, size):
    """Each row shows the first and the last income of so many neighbours of its sex."""
    group = pl.int_range(pl.len()).over("sex") // size
    shown = table.sort("sex", "income").with_columns(group.alias("group"))
    low, high = (getattr(pl.col("income"), end)().over("sex", "group") for end in ("min", "max"))
    return shown.select("id", pl.format("[{}, {}]", low, high).alias("income"), "sex")


def played(release, world, **options):
    found = incrowd.attack(release.drop("id"), world=world, world_id="id", **options)
    return found, next(one for one in found.attacks if one.kind == "ends")


def test_exact_ends_tell_hundreds_who_is_in_the_table():
    """The table's own spans hide everybody among three of the world, and name their ends."""
    world = population()
    table = drawn(world)
    release = spans(table, 3)
    found, attack = played(release, world, truth=release.select("id"))
    assert found.k_world >= 3
    assert attack.figures["told"] > 250
    assert attack.success > 0.98
    assert attack.baseline == pytest.approx(0.2)
    assert attack.persons.above > 250
    assert any(line.startswith("ends by income and sex") for line in found.broken)
    by_original, same = played(release, world, original=table)
    assert (same.figures, same.success) == (attack.figures, attack.success)
    assert any(line.startswith("ends by income and sex") for line in by_original.broken)
    without_ids, by_values = played(release, world, original=table.drop("id"))
    assert attack.success <= by_values.success <= 1
    assert by_values.bound
    assert "at most" in by_values.says
    assert "Nothing here says who is" in by_values.says
    assert any(line.startswith("ends by income and sex") for line in without_ids.broken)


def test_ids_decide_who_is_in_the_table():
    """Everybody of the list has the values of somebody of the table, and is somebody else."""
    world = population()
    table = drawn(world)
    strangers = world.with_columns(pl.format("q{}", pl.int_range(pl.len())).alias("id"))
    release = spans(table, 3)
    for shown in ({"original": table}, {"truth": release.select("id")}):
        found, attack = played(release, strangers, **shown)
        assert attack.figures["told"] > 250
        assert (attack.success, attack.figures["right"], attack.baseline) == (0, 0, 0)
        assert "none of them are in the table" in attack.says
        assert not any(line.startswith("ends") for line in found.broken)


@pytest.mark.parametrize("seed", range(10))
def test_labels_of_the_worlds_classes_tell_what_chance_tells(seed):
    """Spans of the world's people, whoever of them is in the table: the ends are anybody's."""
    world = population(seed)
    table = drawn(world, seed=seed)
    release = spans(world, 15).join(table.select("id"), on="id")
    found, attack = played(release, world, truth=release.select("id"))
    assert attack.figures["told"] > 100
    low, high = attack.interval
    assert low - 0.02 <= attack.baseline <= high + 0.02
    assert not any("ends" in line for line in found.broken)


def test_wide_round_intervals_tell_nobody():
    world = population()
    table = drawn(world)
    income = pl.col("income").clip(0, 49_999) // 10_000 * 10_000
    release = table.with_columns(pl.format("[{}, {})", income, income + 10_000).alias("income"))
    release = release.with_columns(
        pl.when(table["income"] >= 40_000)
        .then(pl.lit("≥ 40000"))
        .otherwise(pl.col("income"))
        .alias("income")
    )
    found, attack = played(release, world, original=table)
    assert (attack.trials, attack.gain) == (0, 0)
    assert "Nobody on the list is the only one" in attack.says
    assert not any("ends" in line for line in found.broken)


def test_members_of_sets_are_held_by_somebody():
    world = pl.DataFrame({"id": range(40), "town": [f"t{i // 2}" for i in range(38)] + ["x", "y"]})
    table = world.filter(pl.col("id") >= 30)
    label = "{t15, t16, t17, t18, x, y}"
    release = table.with_columns(pl.lit(label).alias("town"))
    _, attack = played(release, world, original=table)
    assert (attack.figures["told"], attack.success) == (2, 1.0)


def test_without_the_truth_the_ends_are_no_limit_and_a_note_says_so():
    world = population()
    release = spans(drawn(world), 3)
    found, attack = played(release, world)
    assert not attack.gated
    assert attack.success == 1
    assert "Nothing here says who is." in attack.says
    assert not any(line.startswith("ends") for line in found.broken)
    assert any("no limit applies to the ends of labels" in note for note in found.notes)


def test_a_few_lucky_claims_break_no_limit():
    """Two people of forty-one are told, both are in the table: chance alone does that."""
    world = pl.DataFrame({"id": range(42), "age": [1, *[2] * 40, 3]})
    table = world.filter(pl.col("id").is_in([0, 1, 2, 3, 41]) | (pl.col("id") % 2 == 0))
    release = table.with_columns(pl.lit("[1, 3]").alias("age"))
    found, attack = played(release, world, original=table, max_success=0.1)
    assert (attack.figures["told"], attack.success) == (2, 1.0)
    assert attack.interval[0] <= attack.baseline
    assert not any(line.startswith("ends") for line in found.broken)


@pytest.mark.parametrize(
    ("label", "values", "told"),
    [
        ("[61887, 9999999]", [61887, 61887, 70000, 9999999], {3}),
        ("[17, 25]", [17, 20, 25, 25], {0}),
        ("[17,25]", [17, 20, 25, 25], {0}),
        ("17-25", [17, 20, 25, 25], {0}),
        ("[20, 30)", [20, 20, 29, 31], set()),
        ("≥ 5", [4, 5, 6, 7], set()),
        ("≥ 7", [4, 5, 6, 7], {3}),
        ("< 1930", ["1871-03-04", "1940-01-01", "1950-01-01", "1960-01-01"], {0}),
        ("1965-03", ["1965-03-01", "1965-04-01", "1966-03-01", "1967-03-01"], {0}),
        (
            "[1871-03-04, 1880-01-01]",
            ["1871-03-04", "1875-01-01", "1880-01-01", "1880-01-01"],
            {0},
        ),
        ("{A, B}", ["A", "B", "B", "C"], {0}),
        ('["A", "C"]', ["A", "B", "B", "C"], {0, 3}),
    ],
)
def test_every_format_of_labels(label, values, told):
    world = pl.DataFrame({"id": [f"p{i}" for i in range(4)], "x": values})
    tables = tables_of(pl.DataFrame({"x": [label] * 2}), world)
    number = tables.world_tables.individual_by_id
    assert set(find_sole_matches(tables.linked_world).person.tolist()) == {
        number[f"p{i}"] for i in told
    }


def test_ends_that_are_nodes_of_a_hierarchy_stand_for_their_leaves():
    rows = (("a", "north", "*"), ("b", "north", "*"), ("c", "south", "*"), ("d", "south", "*"))
    world = pl.DataFrame({"id": range(3), "town": ["a", "c", "d"]})
    release = pl.DataFrame({"town": ["[north, south]", "north"]})
    tree = {"town": incrowd.Tree(rows)}
    linked_world = tables_of(release, world, hierarchies=tree).linked_world
    assert len(find_sole_matches(linked_world).person) == 1
