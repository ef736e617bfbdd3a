"""What a database does on the way to a release, counted exactly on tables of a few records."""

import numpy as np
import polars as pl
import pytest

import incrowd
from engines.test_duckdb import people, relation, staged_by, staged_of  # noqa: F401
from incrowd.engines.duckdb import engine_of
from incrowd.search import Mondrian

duckdb = pytest.importorskip("duckdb")


OTHER_SIGN = """
CREATE OR REPLACE TABLE staged AS SELECT * REPLACE (
    CASE WHEN row = {row} THEN s{zero} * -1.0 ELSE s{zero} END AS s{zero}
) FROM staged
"""
"""To DuckDB the two zeros are equal, so that UPDATE changes nothing."""


def table_of(**columns):
    connection = duckdb.connect()
    connection.register("given", pl.DataFrame(columns).to_arrow())
    connection.execute("CREATE TABLE few AS SELECT * FROM given")
    return connection.table("few")


def test_records_that_are_left_out_do_not_leave():
    table = table_of(zip=["a"] * 10 + ["b"] * 10 + ["c"])
    policy = incrowd.quick(["zip"], quasi=["zip"], k=5, suppression=0.1, method="lattice")
    release = incrowd.anonymize(table, policy, seed=1)
    assert release.suppressed == 1
    assert sorted(release.frame.pl()["zip"].to_list()) == ["a"] * 10 + ["b"] * 10


def test_equal_records_in_several_classes_leave_once_each():
    table = table_of(age=[1] * 3 + [2] * 7 + [3] * 3)
    policy = incrowd.quick(["age"], quasi=["age"], k=6, ends="exact")
    policy = policy.with_settings(search=Mondrian(relaxed=True))
    _, plan, staged = staged_by(table, policy)
    assert len(plan.pieces.row) > plan.tally.rows  # some of the seven are in each class
    assert staged.records == 13
    assert staged.repeated_records == 0


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ("DELETE FROM staged WHERE row = {row}", 1),
        ("INSERT INTO staged SELECT * FROM staged WHERE row = {row}", 1),
        ("UPDATE staged SET s{zip} = 'elsewhere' WHERE row = {row}", 2),
        (OTHER_SIGN, 2),
        ("UPDATE staged SET s{zero} = NULL WHERE row = {row}", 2),
    ],
)
def test_rows_that_differ_are_counted_on_both_sides(people, relation, change, rows):  # noqa: F811
    """A zero with another sign is another cell, as it is for whoever reads the file."""
    table, plan, staged = staged_of(people, relation)
    written = staged.write()
    assert written.count_differences(staged, (), blank=False) == 0
    places = {name: j for j, name in enumerate(plan.cells)}
    row = table.engine.query_number("SELECT min(row) AS n FROM staged")
    table.engine.database.run(change.format(row=row, **places))
    assert written.count_differences(staged, (), blank=False) == rows


def test_cells_that_change_places_do_so(people, relation):  # noqa: F811
    table, plan, staged = staged_of(people, relation, "permutation")
    shown = f"s{list(plan.cells).index('diagnosis')}"
    moved = table.engine.query_number(
        "SELECT count(*) AS n FROM staged JOIN source ON source.row = staged.row "
        f"WHERE {shown} <> source.{table.engine.cell('diagnosis')}"
    )
    assert moved > staged.records / 10


def test_a_mark_of_missing_values_represents_nobody():
    table = table_of(sex=["?"] * 6 + ["f"] * 6)
    policy = incrowd.quick(
        ["sex"],
        quasi=["sex"],
        k=5,
        method="mondrian",
        show="representatives",
        missing_values=["?"],
    )
    release = incrowd.anonymize(table, policy, seed=1)
    assert sorted(release.frame.pl()["sex"].to_list(), key=str) == [None] * 6 + ["f"] * 6


def test_a_sample_without_gaps_has_none():
    engine = engine_of(table_of(a=["x", None, "y"] * 20, b=["x"] * 60))
    coded = list(engine.codes(["a", "b"]).values())
    whole = engine.tally_of_sample(coded, [], 60)
    assert whole.counts.sum() == 60
    without = engine.tally_of_sample(coded, [], 60, complete=True)
    assert without.counts.sum() == 40
    assert np.all(without.quasi > 0)


def test_who_lacks_a_value_is_in_no_count_that_asks_for_it():
    table = table_of(a=["x", None] * 10, b=["x"] * 20)
    policy = incrowd.quick(
        ["a", "b"], quasi=["a", "b"], k=5, method="mondrian", missing="suppress", suppression=0.5
    )
    release = incrowd.anonymize(table, policy, seed=1)
    assert release.records == 10
