"""Who of a world may be a released row, or is in the table: against the twins."""

from inspect import signature

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
import naive.attacks as naive
from incrowd import InputError
from incrowd.cli import attack as command
from incrowd.engines.memory import MemoryEngine
from incrowd.io.worlds import as_attack_table
from incrowd.linkage.attack_data import LIMIT, SharedColumn
from incrowd.linkage.decoding import LabelDecoding
from incrowd.linkage.identify import AtLeast, crowd_sizes
from incrowd.linkage.tables import AttackTables
from incrowd.requests.attack import AttackRequest
from incrowd.table.column import Missing
from incrowd.verbs.attack import knowledge_for

SPANS = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(sorted).map(tuple)
PEOPLE = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 8)), min_size=1, max_size=8
)


def frame(people, *names):
    return pl.DataFrame(people, schema=[*names, "id"], orient="row")


def stands_for(span):
    return frozenset(range(span[0], span[1] + 1))


@settings(max_examples=40)
@given(st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=6), PEOPLE)
def test_the_fewest_people_of_the_world_or_of_the_release(rows, people):
    """Rows within another one are its own crowd, whoever of them a list lacks."""
    release = pl.DataFrame(
        [[f"[{low}, {high}]" for low, high in row] for row in rows], schema=["a", "b"], orient="row"
    )
    found = incrowd.attack(release, world=frame(people, "a", "b"), world_id="id")
    shown = [tuple(map(stands_for, row)) for row in rows]
    world, whose = [p[:2] for p in people], [p[2] for p in people]
    least = naive.with_release(shown, world, whose, (0, 1))
    if found.k_with_release is None:
        assert least is None
        return
    assert found.k_world <= found.k_with_release <= least
    counts = [sum(row == other for other in rows) for row in rows]
    fits = [
        len({w for p, w in zip(world, whose, strict=True) if naive.fits(s, p, (0, 1))})
        for s in shown
    ]
    sure = [max(n, c) for n, c in zip(fits, counts, strict=True) if n]
    assert found.k_with_release >= min(sure)


@settings(max_examples=40)
@given(PEOPLE, st.integers(1, 5))
def test_combinations_that_have_fewer_people_than_promised(people, promised):
    world = frame(people, "a", "b").with_columns(pl.col("a").replace({4: None}))
    tables = AttackTables(
        as_attack_table("release", MemoryEngine(pl.DataFrame({"a": ["*"], "b": ["*"]}))),
        {},
        knowledge_for(AttackRequest(None, world_id="id")),
        (as_attack_table("world", MemoryEngine(world)),),
    )
    sizes = crowd_sizes(tables.world_tables.build_world(["a", "b"]))
    fewer, every = naive.few(world.rows(), promised)
    assert (int((sizes < promised).sum()), len(sizes)) == (fewer, every)
    given_ = {"world": world, "world_id": "id", "promises": [AtLeast(("a", "b"), promised)]}
    if fewer:
        with pytest.raises(InputError, match=f"{fewer} of {every} combinations of a, b"):
            incrowd.attack(pl.DataFrame({"a": ["*"], "b": ["*"]}), **given_)


@settings(max_examples=40)
@given(PEOPLE, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6))
def test_who_may_be_in_the_table_by_the_values_of_the_original(people, records):
    world = frame([(*p[:2], f"p{p[2]}") for p in people], "a", "b")
    original = pl.DataFrame(records, schema=["a", "b"], orient="row")
    release = pl.DataFrame({"a": ["*"] * len(records), "b": ["*"] * len(records)})
    tables = AttackTables(
        as_attack_table("release", MemoryEngine(release)),
        {"original": as_attack_table("original", MemoryEngine(original))},
        knowledge_for(AttackRequest(None, world_id="id")),
        (as_attack_table("world", MemoryEngine(world)),),
    )
    expected = naive.may_be_present(records, people)
    number = tables.world_tables.individual_by_id
    found = tables.membership.inside
    assert {who for who in {p[2] for p in people} if found[number[f"p{who}"]]} == expected
    fit = all(record in {p[:2] for p in people} for record in records)
    assert not tables.membership.known
    assert tables.membership.gated == fit
    assert tables.membership.listed is None


@given(st.integers(1, 6))
def test_a_missing_value_that_says_nothing_fits_all(values):
    decoding = LabelDecoding.open_to_missing(values)
    for label in range(decoding.labels):
        start, member = decoding.values_by_label
        some = member[start[label] : start[label + 1]].tolist()
        assert some == (list(range(values)) if label == 0 else [0, label])


def test_rows_that_lack_a_value_are_not_singled_out_by_it():
    release = pl.DataFrame({"zip": ["a", None, "b", "b"]})
    column = AttackTables(
        as_attack_table("release", MemoryEngine(release)), {}, knowledge_for(AttackRequest(None))
    ).released_column("zip")
    assert SharedColumn.of_release(column).decoding.has_disjoint_labels
    assert not SharedColumn.of_release(
        column, Missing.MATCHES_ANYTHING
    ).decoding.has_disjoint_labels


def test_the_command_line_has_the_same_limit():
    assert signature(command.attack).parameters["max_posterior"].default == LIMIT
