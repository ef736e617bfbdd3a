"""Lines of the proof come in blocks, as numbers; what is proved is the same as at once."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
import incrowd.engines.duckdb as duckdb_engine
from incrowd.datasets import hospital
from incrowd.engines import sql_blocks, sql_keys, sql_release
from incrowd.engines.duckdb import DuckDB, engine_of
from incrowd.engines.limits import shortage_boundary
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.sql import SqlColumn
from incrowd.engines.sql_blocks import BlockQuery, count_in_blocks
from incrowd.engines.sql_keys import PackedKeys
from incrowd.errors import InputError, LimitError, NotMetError
from incrowd.policy.policy import Column, Policy
from incrowd.search import Crowd
from incrowd.table.cells import clear_marks
from incrowd.table.counted import CountedRows
from incrowd.table.fold import in_threads, threads
from incrowd.verify.verdict import Verdict
from incrowd.verify.verify import weakest_verdicts

duckdb = pytest.importorskip("duckdb")

QUASI = ("birth_date", "zip", "sex")


@pytest.fixture(scope="module")
def people():
    return hospital(400, seed=5).with_columns(
        (pl.int_range(pl.len()) % 7).cast(pl.Float64).alias("visits")
    )


def relation(rows):
    connection = duckdb.connect()
    connection.register("given", rows.to_arrow())
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    return connection.table("rows")


def policy_of(people, **more):
    roles = dict.fromkeys(people.columns, Column(role="drop"))
    roles |= {name: Column(role="quasi") for name in QUASI}
    roles["diagnosis"] = Column(role="sensitive")
    roles["visits"] = Column(role="keep", derived="accept", alone="accept")
    models = (
        incrowd.KAnonymity(4),
        incrowd.LDiversity("diagnosis", 2),
        incrowd.TCloseness("diagnosis", 0.7),
    )
    return Policy(columns=roles, models=models, search=Crowd(effort=0), **more)


# Packed keys


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 2**40), min_size=0, max_size=6), st.integers(0, 2**32))
def test_packed_codes_come_back_and_sort_as_their_columns_do(sizes, seed):
    keys = PackedKeys(tuple(sizes))
    draw = np.random.default_rng(seed)
    codes = np.array(
        [draw.integers(0, min(size, 2**31), 30) for size in sizes], dtype=np.int32
    ).reshape(len(sizes), 30)
    packed = list(keys.pack(codes))
    assert all((key >= 0).all() and (key < 2**62).all() for key in packed)
    found = np.empty_like(codes)
    keys.unpack(packed, found)
    assert (found == codes).all()
    if sizes:
        assert np.lexsort(packed[::-1]).tolist() == np.lexsort(codes[::-1]).tolist()


@pytest.mark.parametrize("largest", [2**62, 40])
def test_a_tally_of_packed_keys_is_that_of_memory(people, monkeypatch, largest):
    monkeypatch.setattr(sql_keys, "_LARGEST", largest)
    names = ("zip", "sex", "diagnosis")
    tallies = []
    for engine in (engine_of(relation(people)), MemoryEngine(people)):
        coded = engine.codes(names)
        tallies.append(engine.tally([coded["zip"], coded["sex"]], [coded["diagnosis"]]))
    mine, theirs = tallies
    assert (mine.quasi == theirs.quasi).all()
    assert (mine.sensitive == theirs.sensitive).all()
    assert (mine.counts == theirs.counts).all()
    assert not mine.has_units


# Blocks


def clear(rows):
    return clear_marks(rows, ("none",), text=True)


@pytest.mark.parametrize("size", [1, 7, 2**20])
def test_blocks_hold_all_lines_and_what_looks_the_same_is_in_one(monkeypatch, size):
    monkeypatch.setattr(sql_blocks, "BLOCK", size)
    draw = np.random.default_rng(1)
    texts = np.array(["a", "b", "none", " ", "é", None], dtype=object)
    rows = pl.DataFrame(
        {
            "value": pl.Series(texts[draw.integers(0, 6, 300)].tolist(), dtype=pl.String),
            "code": pl.Series(draw.integers(0, 4, 300)),
            "ill": pl.Series(draw.integers(0, 5, 300)),
        }
    )
    engine = engine_of(relation(rows))
    cells = {name: SqlColumn(engine.cell(name), engine.column(name).cells) for name in rows.columns}
    held = {"h": ("row % 3", 3)}
    blocks = list(count_in_blocks(engine, BlockQuery(cells, held, "source", 2, clear)))
    assert len(blocks) > 1 or size == 2**20
    seen, lines = set(), []
    for block in blocks:
        shown = clear(block.cells).with_columns(pl.col("value").cast(pl.String))
        here = set(shown.select("value", "code").rows())
        assert not here & seen
        seen |= here
        lines += zip(shown.rows(), block.codes["h"].tolist(), block.records.tolist(), strict=True)
    wanted = {}
    for number, row in enumerate(clear(rows).with_columns(pl.col("value").cast(pl.String)).rows()):
        wanted[row, number % 3] = wanted.get((row, number % 3), 0) + 1
    found = {}
    for row, code, records in lines:
        found[row, code] = found.get((row, code), 0) + records
    assert found == wanted


def test_cells_that_a_database_does_not_tell_apart_come_at_once():
    rows = pl.DataFrame({"zero": [0.0, -0.0, 0.0]})
    engine = engine_of(relation(rows))
    cells = {"zero": SqlColumn("c0", "float")}
    (block,) = count_in_blocks(engine, BlockQuery(cells, {}, "source", 1, clear))
    assert sorted(block.records.tolist()) == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"missing": "suppress"}], ids=["as it is", "suppress"])
def test_a_release_that_is_proved_in_blocks_has_the_figures_of_one(
    people, monkeypatch, tmp_path, more
):
    policy = policy_of(people, **more)
    releases = []
    for size in (5, 2**20):
        monkeypatch.setattr(sql_blocks, "BLOCK", size)
        target = tmp_path / f"{size}.parquet"
        releases.append(incrowd.anonymize(relation(people), policy, target, seed=3))
    some, one = releases
    assert some.models == one.models
    assert dict(some.labels) == dict(one.labels)
    assert some.certificate.classes == one.certificate.classes
    assert some.certificate.unchanged == one.certificate.unchanged
    assert some.loss == pytest.approx(one.loss)
    assert some.risk.as_dict() == one.risk.as_dict()
    found = incrowd.check(tmp_path / "5.parquet", policy, tmp_path / "5.parquet.certificate.json")
    assert found.ok, found.notes


@pytest.mark.slow
def test_an_empty_block_says_nothing(people, monkeypatch):
    """Rows are spread over blocks by their cells: any of them may get none, the first one too."""
    blocks = sql_release.count_in_blocks

    def emptied(engine, lines):
        for number, block in enumerate(blocks(engine, lines)):
            if number == 0:
                codes = {name: code[:0] for name, code in block.codes.items()}
                yield CountedRows(block.cells.clear(), block.records[:0], codes)
            yield block

    plain = incrowd.anonymize(relation(people), policy_of(people), seed=3)
    monkeypatch.setattr(sql_release, "count_in_blocks", emptied)
    release = incrowd.anonymize(relation(people), policy_of(people), seed=3)
    assert release.models == plain.models
    assert release.certificate.classes == plain.certificate.classes
    assert release.risk.as_dict() == plain.risk.as_dict()


@pytest.mark.slow
def test_a_release_with_a_class_that_is_too_small_is_refused_in_blocks(people, monkeypatch):
    monkeypatch.setattr(sql_blocks, "BLOCK", 5)
    written = DuckDB.write

    def lying(self, query, target):
        lie = query.replace("SELECT", "SELECT * REPLACE ('Z' AS sex) FROM (SELECT", 1) + " LIMIT 1)"
        rest = query.replace("ORDER BY", "ORDER BY", 1) + " OFFSET 1"
        self.run(f"CREATE OR REPLACE TABLE lied AS ({lie}) UNION ALL ({rest})")
        return written(self, "SELECT * FROM lied", target)

    monkeypatch.setattr(DuckDB, "write", lying)
    with pytest.raises(NotMetError):
        incrowd.anonymize(relation(people), policy_of(people), seed=3)


def test_the_weakest_block_decides():
    models = [SimpleNamespace(higher_is_safer=True), SimpleNamespace(higher_is_safer=False)]

    def verdicts(k, t):
        return (
            Verdict("k-anonymity", None, 5.0, k, k >= 5),
            Verdict("t-closeness", "ill", 0.3, t, t <= 0.3),
        )

    one, other = weakest_verdicts(
        [verdicts(7.0, 0.2), verdicts(4.0, 0.1), verdicts(9.0, 0.25)], models
    )
    assert (one.reached, one.ok) == (4.0, False)
    assert (other.reached, other.ok) == (0.25, True)


# Memory, disk, threads


def test_duckdb_gets_the_memory_that_the_process_leaves(monkeypatch):
    database = DuckDB(memory=2_000_000_000)
    limits = []
    for held in (100_000_000, 1_100_000_000, 5_000_000_000):
        monkeypatch.setattr(duckdb_engine, "resident_bytes", lambda held=held: held)
        database.run("CREATE OR REPLACE TABLE one AS SELECT 1 AS n")
        (said,) = database.rows("SELECT current_setting('memory_limit') AS m")["m"]
        limits.append(said)
    assert limits[0] == "1.1 GiB"
    assert 700 < float(limits[1].removesuffix(" MiB")) < 900
    assert limits[2] == "384.0 MiB"
    database.close()


@pytest.mark.parametrize("words", ["java.io.IOException: No space left on device", "secret"])
def test_a_full_disk_is_told_as_such_whoever_finds_it(words):
    kind = LimitError if "space" in words else InputError
    with pytest.raises(kind) as caught, shortage_boundary("it failed", "try", "name a larger disk"):
        raise RuntimeError(words)
    assert "secret" not in str(caught.value)
    assert caught.value.exit_code == (5 if kind is LimitError else 3)


def test_tasks_that_have_not_begun_when_one_fails_never_do():
    if threads() == 1:
        pytest.skip("one thread runs tasks one after the other")
    done = []

    def stopped():
        raise KeyboardInterrupt

    import time

    def slow(number):
        time.sleep(0.05)
        done.append(number)

    tasks = [stopped, *(lambda n=n: slow(n) for n in range(200))]
    with pytest.raises(KeyboardInterrupt):
        in_threads(tasks)
    assert len(done) < 200
