"""DuckDB as a witness of the engine contract: the same tally, classes and proof as in memory."""

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd.datasets import hospital
from incrowd.engines.base import Engine, Staged, Written
from incrowd.engines.duckdb import DuckDB, engine_of
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.sql import parquet_call
from incrowd.engines.sql_release import SqlWritten
from incrowd.errors import InputError, NotMetError, PolicyError
from incrowd.io.hierarchies import builders_of
from incrowd.pipeline import search
from incrowd.policy.policy import Column, Policy
from incrowd.release.load import RunContext, load
from incrowd.release.proof import prove
from incrowd.release.rows import plan_rows
from incrowd.search import Crowd

duckdb = pytest.importorskip("duckdb")

QUASI = ("birth_date", "zip", "sex")
LOCAL = Crowd(effort=0)
"""Local recoding, as fast as can be: engines do not see how well it searched."""


@pytest.fixture(scope="module")
def people():
    table = hospital(600, seed=4)
    gone = pl.int_range(pl.len()) % 41 == 0
    return table.with_columns(
        pl.when(~gone).then(pl.col("sex")).alias("sex"),
        (pl.int_range(pl.len()) % 230).cast(pl.String).alias("who"),
        (1 + pl.int_range(pl.len()) % 3).alias("weighing"),
        pl.when(pl.int_range(pl.len()) % 2 == 0).then(0.0).otherwise(-0.0).alias("zero"),
    )


@pytest.fixture
def relation(people):
    connection = duckdb.connect()
    connection.register("given", people.to_arrow())
    connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return connection.table("people")


def policy_of(people, *, unit=False, weight=False, columns=None, **more):
    roles = dict.fromkeys(people.columns, Column(role="drop"))
    roles |= {name: Column(role="quasi") for name in QUASI}
    roles["diagnosis"] = Column(role="sensitive")
    roles["zero"] = Column(role="keep", derived="accept", alone="accept")
    if unit:
        roles["who"] = Column(role="unit")
    if weight:
        roles["weighing"] = Column(role="weight", derived="accept", alone="accept")
    models = more.pop("models", (incrowd.KAnonymity(4), incrowd.LDiversity("diagnosis", 2)))
    return Policy(columns=roles | (columns or {}), models=models, **more)


REQUESTS = {
    "levels": {"search": "lattice", "suppression": 0.1},
    "classes": {"search": LOCAL},
    "cuts": {"search": "cuts", "suppression": 0.2},
    "sets": {"search": LOCAL, "show": "sets"},
    "representatives": {"search": "mondrian", "show": "representatives"},
    "permutation": {
        "search": LOCAL,
        "show": "permutation",
        "class_column": "class",
        "models": (incrowd.LDiversity("diagnosis", 2),),
        "columns": {"zero": Column(role="drop")},
    },
    "split ends": {"search": LOCAL, "split_ends": True},
    "missing suppressed": {"search": LOCAL, "missing": "suppress"},
    "missing matches": {"search": LOCAL, "missing": "matches-anything"},
    "people": {"search": "mondrian", "unit": True, "models": (incrowd.KAnonymity(4),)},
    "weights": {"search": LOCAL, "weight": True},
    "t-closeness": {
        "search": "mondrian",
        "models": (incrowd.KAnonymity(4), incrowd.TCloseness("diagnosis", 0.4)),
    },
    "pseudonyms": {
        "search": LOCAL,
        "columns": {"name": Column(role="identifier", action="pseudonym")},
    },
}


def requested(people, name):
    return policy_of(people, **REQUESTS[name])


def test_both_are_engines(people, relation):
    for engine in (MemoryEngine(people), engine_of(relation)):
        as_engine: Engine = engine
        assert set(as_engine.names) == set(people.columns)
        assert as_engine.records == len(people)
        assert as_engine.name in {"memory", "duckdb"}


@pytest.mark.parametrize("name", REQUESTS)
def test_the_tally_is_the_same(people, relation, name):
    policy = requested(people, name)
    mine = load(engine_of(relation), policy, builders_of(policy, "."))
    theirs = load(MemoryEngine(people), policy, builders_of(policy, "."))
    one, other = mine.compiled.problem, theirs.compiled.problem
    assert np.array_equal(one.tally.quasi, other.tally.quasi)
    assert np.array_equal(one.tally.sensitive, other.tally.sensitive)
    assert np.array_equal(one.tally.counts, other.tally.counts)
    assert np.array_equal(one.tally.people, other.tally.people)
    pairs = [
        sorted(zip(t.shared_row.tolist(), t.shared_unit.tolist(), strict=True))
        for t in (one.tally, other.tally)
    ]
    assert pairs[0] == pairs[1]
    if other.tally.weights is not None:
        assert one.tally.weights == pytest.approx(other.tally.weights)
    assert mine.people == theirs.people
    assert mine.compiled.left_out_missing == theirs.compiled.left_out_missing
    for column, same in zip(one.columns, other.columns, strict=True):
        assert np.array_equal(column.frequency, same.frequency)


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_a_release_is_proved_by_the_engine_and_checks_in_memory(people, relation, name, tmp_path):
    policy = requested(people, name)
    key = b"0123456789abcdef"
    target = tmp_path / "release.parquet"
    mine = incrowd.anonymize(relation, policy, target, seed=3, key=key)
    theirs = incrowd.anonymize(people, policy, seed=3, key=key)
    assert mine.models == theirs.models
    assert mine.loss == pytest.approx(theirs.loss)
    assert (mine.records, mine.suppressed, mine.classes) == (
        theirs.records,
        theirs.suppressed,
        theirs.classes,
    )
    assert mine.risk.k == theirs.risk.k
    found = incrowd.check(target, policy, f"{target}.certificate.json", original=people)
    assert found.digest_ok
    assert found.ok, found.notes


@pytest.mark.slow
def test_without_a_target_the_release_is_a_relation(people, relation):
    release = incrowd.anonymize(relation, requested(people, "classes"), seed=3)
    assert type(release.frame) is type(relation)
    rows = release.frame.pl()
    classes = rows.group_by(*QUASI).len()
    assert len(rows) == release.records
    assert classes["len"].min() >= 4


@pytest.mark.slow
def test_the_same_seed_gives_the_same_release_and_another_one_another_order(people, relation):
    policy = requested(people, "classes")
    one, same, other = (
        incrowd.anonymize(relation, policy, seed=seed).frame.pl() for seed in (3, 3, 4)
    )
    assert one.equals(same)
    assert not one.equals(other)
    assert sorted(one.rows(), key=str) != []


def staged_of(people, relation, name="classes"):
    return staged_by(relation, requested(people, name))


def staged_by(relation, policy):
    """The loaded table, the plan of its rows, and what is staged by it."""
    table = load(engine_of(relation), policy, builders_of(policy, "."))
    context = RunContext(seed=1)
    found = search(table, context)
    outcome = table.compiled.problem.outcome(found.recoding)
    plan = plan_rows(table, found, outcome, context)
    staged: Staged = table.engine.stage(plan, np.random.default_rng(1))
    return table, plan, staged


def elsewhere(written, path):
    return replace(written, release=written.release._replace(rows=parquet_call(path)))


@pytest.mark.slow
def test_a_file_that_is_not_what_was_staged_is_refused(people, relation, tmp_path):
    table, plan, staged = staged_of(people, relation)
    written: Written = staged.write()
    prove(table, plan, staged, written)
    rows = written.engine.database.rows(f"SELECT * FROM {written.release.rows}")
    other = tmp_path / "other.parquet"
    rows.with_columns(pl.lit("flu").alias("diagnosis")).write_parquet(other)
    with pytest.raises(NotMetError, match="differ"):
        prove(table, plan, staged, elsewhere(written, other))
    rows.head(-1).write_parquet(other)
    with pytest.raises(NotMetError):
        prove(table, plan, staged, elsewhere(written, other))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sabotage", "words"),
    [
        ("UPDATE staged SET s{zip} = '99999' WHERE row = (SELECT min(row) FROM staged)", "'zip'"),
        ("UPDATE staged SET s{zero} = 7 WHERE row = (SELECT min(row) FROM staged)", "'zero'"),
        (
            "INSERT INTO staged SELECT * FROM staged WHERE row = (SELECT min(row) FROM staged)",
            "more than once",
        ),
        ("DELETE FROM staged WHERE row < 9", "left out"),
    ],
)
def test_staged_rows_that_are_wrong_are_refused(people, relation, sabotage, words):
    table, plan, staged = staged_of(people, relation)
    places = {name: j for j, name in enumerate(plan.cells)}
    table.engine.database.run(sabotage.format(**places))
    with pytest.raises(NotMetError, match=words):
        prove(table, plan, staged, staged.write())


@pytest.mark.slow
def test_two_zeros_are_told_apart(people, relation):
    engine = engine_of(relation)
    counted = engine.counts(["zero"])
    assert sorted(counted.records.tolist()) == [300, 300]
    assert isinstance(staged_of(people, relation)[2].write(), SqlWritten)


@pytest.mark.slow
def test_what_it_cannot_do_is_refused_with_a_remedy(people, relation):
    with pytest.raises(PolicyError, match="order"):
        incrowd.anonymize(relation, policy_of(people, search="mondrian", order="keep"))


def test_errors_show_no_cell(relation):
    engine = engine_of(relation)
    with pytest.raises(InputError) as caught:
        engine.database.rows("SELECT diagnosis::INTEGER FROM (SELECT c3 AS diagnosis FROM source)")
    text = repr(caught.value) + str(caught.value.__cause__) + str(caught.value.__context__)
    values = relation.pl()["diagnosis"].drop_nulls().unique().to_list()
    assert not any(str(value) in text for value in values)


@pytest.mark.slow
def test_hostile_names_are_only_names(people):
    named = people.rename({"zip": 'z"; DROP TABLE people; --', "sex": "s'ex"})
    connection = duckdb.connect()
    connection.register("given", named.to_arrow())
    relation = connection.sql("SELECT * FROM given")
    quasi = ["birth_date", 'z"; DROP TABLE people; --', "s'ex"]
    policy = incrowd.quick(
        named.columns, quasi=quasi, sensitive=["diagnosis"], k=4, method="mondrian"
    )
    release = incrowd.anonymize(relation, policy, seed=1)
    assert set(release.frame.columns) == {*quasi, "diagnosis"}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "arrow"])
def test_other_files_are_written_batch_by_batch_and_check_in_memory(
    people, relation, ending, tmp_path, monkeypatch
):
    monkeypatch.setattr("incrowd.engines.duckdb._BATCH", 100)
    policy, target = requested(people, "classes"), tmp_path / f"release.{ending}"
    mine = incrowd.anonymize(relation, policy, target, seed=3)
    assert mine.records == len(people)
    found = incrowd.check(target, policy, f"{target}.certificate.json", original=people)
    assert found.ok, found.notes


@pytest.mark.slow
def test_every_kind_of_cell_returns_from_a_text_file(tmp_path):
    rows = pl.DataFrame(
        {
            "age": [20, 30] * 8,
            "flag": [True, None] * 8,
            "when": [dt.datetime.fromisoformat("2020-01-02T03:04:05.6"), None] * 8,
            "day": [dt.date(2020, 1, 2), None] * 8,
            "real": [0.1, -0.0, float("nan"), None] * 4,
            "text": ['a"b', "", None, "c,d\n"] * 4,
        }
    )
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    kept = {name: Column(role="keep", derived="accept", alone="accept") for name in rows.columns}
    policy = Policy(columns=kept | {"age": Column(role="quasi")}, models=(incrowd.KAnonymity(4),))
    target = tmp_path / "r.csv"
    incrowd.anonymize(connection.sql("SELECT * FROM given"), policy, target, seed=1)
    assert incrowd.check(target, policy, f"{target}.certificate.json").ok


def test_duckdb_shows_no_progress_of_its_own():
    database = DuckDB()
    asked = "SELECT current_setting('enable_progress_bar')::VARCHAR AS shown"
    assert database.rows(asked).item() == "false"
    assert database.cursor_rows(asked).item() == "false"


@pytest.mark.parametrize("name", ["run=1/out.parquet", "out[1].parquet", "out[1].csv"])
def test_a_release_goes_to_the_file_of_that_name_and_is_read_anew_from_it(tmp_path, name):
    """Names of folders are no columns, and `out[1]` is no pattern that stands for out1."""
    pl.DataFrame({"a": [9]}).write_parquet(tmp_path / "out1.parquet")
    table = duckdb.sql("SELECT range % 2 AS a, 'x' AS b FROM range(8)")
    asked = incrowd.quick(["a", "b"], quasi=["a", "b"], k=2)
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    release = incrowd.anonymize(table, asked, path)
    assert release.records == 8
    found = incrowd.check(path, asked, f"{path}.certificate.json")
    assert found.ok, found.notes
