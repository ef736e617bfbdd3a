"""Spark: the same tally, classes and proof as in memory, whatever fails on the way."""

import hashlib
import io
import logging
from contextlib import suppress
from functools import cache
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import incrowd
import incrowd.release.parts as by_parts
import servers
from engines.test_duckdb import QUASI, REQUESTS, people, policy_of, requested  # noqa: F401
from incrowd.datasets import hospital
from incrowd.engines.folders import parquet_files
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.spark import SCRATCH, Spark, _shared_folder, accepts, engine_of
from incrowd.engines.spark_logs import _NAMES
from incrowd.errors import InputError, LimitError, NotMetError, PolicyError
from incrowd.io import tables
from incrowd.io.hierarchies import builders_of
from incrowd.pipeline import search
from incrowd.release.load import RunContext, load
from incrowd.release.proof import prove
from incrowd.release.rows import plan_rows

pytest.importorskip("pyspark")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]
"""All tests need a session, and each statement is a job."""


def tried(*names):
    """All requests, of which `make test` runs those that are named.

    What others ask an engine for, DuckDB answers from the same statements.
    """
    return [
        pytest.param(name, marks=() if name in names else pytest.mark.thorough) for name in REQUESTS
    ]


@pytest.fixture(scope="module")
def session():
    return servers.spark()


@pytest.fixture(scope="module")
def stored(session, tmp_path_factory):
    """A data frame of a Polars frame that comes from a file, so that its plan holds no cell."""
    folder = tmp_path_factory.mktemp("tables")

    def store(frame, partitions=3):
        path = folder / f"{len(list(folder.iterdir()))}.parquet"
        frame.write_parquet(path)
        return session.read.parquet(f"file://{path}").repartitionByRange(
            partitions, frame.columns[0]
        )

    return store


@pytest.fixture(scope="module")
def frame(stored, people):  # noqa: F811
    return stored(people)


@pytest.fixture(scope="module")
def engine(frame):
    return engine_of(frame)


@pytest.mark.parametrize("name", tried("people", "missing suppressed"))
def test_the_tally_is_the_same(people, engine, name):  # noqa: F811
    policy = requested(people, name)
    mine = load(engine, policy, builders_of(policy, "."))
    theirs = load(MemoryEngine(people), policy, builders_of(policy, "."))
    one, other = mine.compiled.problem.tally, theirs.compiled.problem.tally
    assert np.array_equal(one.quasi, other.quasi)
    assert np.array_equal(one.sensitive, other.sensitive)
    assert np.array_equal(one.counts, other.counts)
    assert np.array_equal(one.people, other.people)
    if other.weights is not None:
        assert one.weights == pytest.approx(other.weights)
    assert mine.people == theirs.people
    assert mine.compiled.left_out_missing == theirs.compiled.left_out_missing


KEY = b"0123456789abcdef"


@pytest.fixture(scope="module")
def released(people, frame, tmp_path_factory):  # noqa: F811
    """Makes the release of a request, once: (the release, its folder)."""
    folder = tmp_path_factory.mktemp("released")

    @cache
    def release(name):
        target = folder / f"{name}.parquet"
        return incrowd.anonymize(frame, requested(people, name), target, seed=3, key=KEY), target

    return release


@pytest.mark.parametrize("name", tried("levels"))
def test_a_release_is_proved_by_spark_and_checks_in_memory(people, released, name):  # noqa: F811
    policy, key = requested(people, name), KEY
    mine, target = released(name)
    theirs = incrowd.anonymize(people, policy, seed=3, key=key)
    assert mine.models == theirs.models
    assert mine.loss == pytest.approx(theirs.loss)
    assert (mine.records, mine.suppressed, mine.classes) == (
        theirs.records,
        theirs.suppressed,
        theirs.classes,
    )
    assert {path.suffix for path in target.iterdir()} == {".parquet"}
    found = incrowd.check(target, policy, f"{target}.certificate.json", original=people)
    assert found.digest_ok
    assert found.ok, found.notes


@pytest.mark.thorough
def test_without_a_target_the_release_is_a_data_frame(people, frame):  # noqa: F811
    release = incrowd.anonymize(frame, requested(people, "levels"), seed=3)
    assert accepts(release.frame)
    assert release.frame.sparkSession is frame.sparkSession
    classes = release.frame.groupBy(*QUASI).count()
    assert release.frame.count() == release.records
    assert classes.agg({"count": "min"}).first()[0] >= 4


def test_two_engines_in_one_session_do_not_disturb_each_other(session, stored):
    one = engine_of(stored(pl.DataFrame({"a": ["x", "y"]})))
    other = engine_of(stored(pl.DataFrame({"a": [1, 2, 3]})))
    assert (one.records, other.records) == (2, 3)
    one.database.make("made", "SELECT 1 AS n FROM source")
    other.database.make("made", "SELECT 2 AS n FROM source")
    assert one.query_number("SELECT sum(n) AS n FROM made") == 2
    assert other.query_number("SELECT sum(n) AS n FROM made") == 6
    assert not session.catalog.tableExists("source")
    assert session.conf.get("spark.sql.session.timeZone") == "America/New_York"


def test_what_incrowd_stores_goes_with_the_engine(stored):
    engine = engine_of(stored(pl.DataFrame({"a": ["x", "y"]})))
    folder = engine.database.folder
    engine.database.put("small", pl.DataFrame({"a": [1]}))
    engine.database.put("small", pl.DataFrame({"a": [2, 3]}))
    assert engine.query_number("SELECT sum(a) AS n FROM small") == 5
    assert len(list(folder.glob("small*"))) == 1
    assert folder.stat().st_mode & 0o077 == 0
    del engine
    assert not folder.exists()


TYPES = {
    "whole": "CAST(id AS TINYINT)",
    "long": "id * 9007199254740993",
    "real": "CASE id WHEN 0 THEN 0D WHEN 1 THEN -0D WHEN 2 THEN double('NaN') ELSE id / 8 END",
    "single": "CAST(CASE id WHEN 0 THEN 0D WHEN 1 THEN -0D ELSE id / 8 END AS FLOAT)",
    "money": "CAST(id AS DECIMAL(10, 2)) / 4",
    "exact": "CAST(id AS DECIMAL(38, 12)) / 3",
    "truth": "id % 2 = 0",
    "text": "elt(id + 1, 'a', 'A', ' a', '', 'ä', '😀', '0', '-0.0')",
    "day": "date_add(DATE'0001-01-01', CAST(id AS INT) * 100000)",
    "moment": "timestamp_micros(id * 123456789123456 - 3000000000000000)",
    "local": "CAST(timestamp_micros(id * 123456789123456) AS TIMESTAMP_NTZ)",
    "nothing": "NULL",
    "bytes": "CAST(CAST(id % 2 AS STRING) AS BINARY)",
}
SEALED = {
    "list": "array(id % 2, 7)",
    "record": "named_struct('a', id % 2, 'b', 'x')",
    "mapped": "map('a', id % 2)",
    "span": "make_dt_interval(CAST(id % 2 AS INT))",
}


@pytest.fixture(scope="module")
def typed(session):
    cells = ", ".join(f"{cell} AS {name}" for name, cell in (TYPES | SEALED).items())
    missing = ", ".join(f"NULL AS {name}" for name in TYPES | SEALED)
    return session.range(8).selectExpr("id").createOrReplaceTempView("ids") or session.sql(
        f"SELECT {cells} FROM ids UNION ALL SELECT {cells} FROM ids WHERE id > 4 "
        f"UNION ALL SELECT {missing}"
    )


def test_cells_of_every_type_are_what_other_readers_of_the_file_see(typed, tmp_path):
    kept = typed.drop(*SEALED, "nothing")
    stored = tmp_path / "typed.parquet"
    engine, mine = engine_of(typed), engine_of(kept)
    mine.database.session.table("source").write.parquet(f"file://{stored}")
    rows = tables.read(stored).frame.drop("row")
    memory = MemoryEngine(rows.rename(dict(zip(rows.columns, mine.names, strict=True))))
    for name in kept.columns:
        if name not in {"real", "single"}:  # 0.0 and -0.0 are one value with two texts
            one, other = engine.text_codes(name), memory.text_codes(name)
            assert one.domain.labels.tolist() == other.domain.labels.tolist(), name
        coded = engine.codes([name])[name]
        same = memory.codes([name])[name]
        assert coded.domain.labels.tolist() == same.domain.labels.tolist(), name
        assert engine.frequency(coded).tolist() == memory.frequency(same).tolist(), name
        counted = engine.counts((), [coded])
        records = np.bincount(counted.codes[name], weights=counted.records)
        assert records.tolist() == memory.frequency(same).tolist(), name
        mine_rows, theirs = engine.counts([name]), memory.counts([name])
        assert sorted(zip(map(repr, mine_rows.cells[name]), mine_rows.records, strict=True)) == (
            sorted(zip(map(repr, theirs.cells[name]), theirs.records, strict=True))
        ), name
    assert set(engine.sealed) == {*SEALED, "bytes"}
    assert engine.codes(["nothing"])["nothing"].domain.labels.tolist() == []


@pytest.mark.thorough
def test_lists_and_structures_leave_as_they_are(typed, tmp_path):
    frame = typed.drop("mapped", "span")
    names = [name for name in frame.columns if name not in {"truth", "day"}]
    policy = incrowd.Policy(
        columns={"truth": incrowd.Column(role="quasi"), "day": incrowd.Column(role="drop")}
        | {name: incrowd.Column(role="keep", derived="accept", alone="accept") for name in names},
        models=(incrowd.KAnonymity(2),),
        suppression=0.2,
    )
    target = tmp_path / "out"
    release = incrowd.anonymize(frame, policy, target, seed=1)
    assert release.records >= 8
    found = incrowd.check(target, policy, f"{target}.certificate.json")
    assert found.ok, found.notes


def test_cells_that_cannot_be_compared_are_refused(typed):
    policy = incrowd.Policy(
        columns={"truth": incrowd.Column(role="quasi"), "deep": incrowd.Column(role="keep")},
        models=(incrowd.KAnonymity(2),),
        suppression=0.2,
    )
    frame = typed.selectExpr("truth", "array(mapped) AS deep")
    with pytest.raises(InputError, match="maps or variants of 'deep'"):
        incrowd.anonymize(frame, policy, seed=1)


CANARY = "zq7canary"


@pytest.fixture(scope="module")
def canaries(stored):
    """A table with a canary in every cell, in several partitions."""
    rows = [f"{CANARY}{i}" for i in range(60)]
    return stored(
        pl.DataFrame({"a": rows, "b": rows[::-1], "c": [f"{CANARY}s{i % 3}" for i in range(60)]})
    )


def failing_statement(engine):
    engine.database.rows("SELECT raise_error(c0) AS n FROM source")


def failing_making(engine):
    engine.database.make("wrong", "SELECT assert_true(c0 IS NULL, c0) AS n FROM source")


def failing_cast(engine):
    engine.database.session.conf.set("spark.sql.ansi.enabled", "true")
    try:
        engine.database.rows("SELECT CAST(c0 AS INT) AS n FROM source")
    finally:
        engine.database.session.conf.set("spark.sql.ansi.enabled", "false")


def failing_batches(engine):
    list(engine.database.batches("SELECT raise_error(c0) AS n FROM source"))


def failing_source(engine):
    engine_of(engine.frame.select(engine.frame.a.cast("int")))


def failing_function(engine):
    from pyspark.sql.functions import udf

    def fail(cell):
        raise ValueError(cell)

    engine_of(engine.frame.select(udf(fail, "string")("a")))


@pytest.fixture
def heard():
    """What Python's loggers of PySpark say, wherever they print it."""
    from pyspark.logger import PySparkLogger

    said = io.StringIO()
    handler = logging.StreamHandler(said)
    loggers = [PySparkLogger.getLogger(name) for name in _NAMES]
    for logger in loggers:
        logger.addHandler(handler)
    yield said
    for logger in loggers:
        logger.removeHandler(handler)


def chain(error):
    seen = []
    while error is not None:
        seen.append(repr(error) + str(vars(error)))
        error = error.__cause__ or error.__context__
    return "".join(seen)


@pytest.mark.parametrize(
    "fail",
    [
        failing_statement,
        failing_making,
        failing_cast,
        failing_batches,
        failing_source,
        failing_function,
    ],
)
def test_what_fails_shows_no_cell(canaries, fail, capfd, caplog, heard):
    engine = engine_of(canaries)
    engine.frame = canaries
    before = len(servers.spark_output())
    with caplog.at_level(logging.DEBUG), pytest.raises(InputError) as caught:
        fail(engine)
    servers.spark().range(1).count()
    out, err = capfd.readouterr()
    assert CANARY not in chain(caught.value) + out + err
    assert CANARY not in caplog.text + heard.getvalue()
    assert CANARY not in servers.spark_output()[before:]


def test_without_the_silence_spark_prints_cells_and_afterwards_it_may_again(canaries, heard):
    engine = engine_of(canaries)
    with pytest.raises(InputError):
        failing_statement(engine)
    before = len(servers.spark_output())
    with suppress(Exception):
        canaries.select(canaries.a.cast("int")).collect()
    assert CANARY in servers.spark_output()[before:]
    assert CANARY in heard.getvalue()


def test_the_tables_of_these_tests_have_several_partitions(frame, canaries):
    assert frame.rdd.getNumPartitions() == canaries.rdd.getNumPartitions() == 3


def test_the_event_log_holds_neither_cells_nor_secrets(canaries, monkeypatch, tmp_path):
    secrets = []
    random = Spark.random_number
    monkeypatch.setattr(
        Spark,
        "random_number",
        lambda self, secret, row: secrets.append(secret) or random(self, secret, row),
    )
    marked = canaries.selectExpr("concat('other', a) AS a", "b", "concat('third', c) AS c")
    policy = incrowd.Policy(
        columns={
            "a": incrowd.Column(role="keep", derived="accept", alone="accept"),
            "b": incrowd.Column(role="quasi"),
            "c": incrowd.Column(role="sensitive"),
        },
        models=(incrowd.KAnonymity(4), incrowd.LDiversity("c", 2)),
        search="mondrian",
    )
    incrowd.anonymize(marked, policy, tmp_path / "release", seed=2)
    events = servers.spark_events()
    assert "SparkListenerSQLExecutionStart" in events
    assert f"other{CANARY}" not in events
    assert f"third{CANARY}" not in events
    assert secrets
    assert not any(secret in events for secret in secrets)


def test_a_task_that_fails_once_changes_nothing(people, frame, released, tmp_path):  # noqa: F811
    from pyspark import TaskContext
    from pyspark.sql.functions import udf

    failed = tmp_path / "failed"

    def shaky(cell):
        task = TaskContext.get()
        if task.attemptNumber() == 0 and task.partitionId() > 0 and cell > "02":
            failed.touch()
            raise ValueError(cell)
        return cell

    mended = frame.withColumn("zip", udf(shaky, "string")("zip"))
    incrowd.anonymize(mended, requested(people, "levels"), tmp_path / "mended", seed=3, key=KEY)
    one, other = (
        tables.read(target).frame for target in (released("levels")[1], tmp_path / "mended")
    )
    assert failed.exists()
    assert one.equals(other)


def test_empty_partitions_and_a_single_one_change_no_count(stored, people):  # noqa: F811
    for partitions in (1, 40):
        engine = engine_of(stored(people.head(30), partitions))
        assert engine.records == 30
        assert engine.query_number("SELECT count(DISTINCT row) AS n FROM source") == 30
        batches = list(engine.database.batches("SELECT row, c3 FROM source ORDER BY row"))
        assert pl.concat(batches)["row"].is_sorted()
        assert sum(map(len, batches)) == 30


def test_an_empty_table_is_refused_as_in_memory(stored, people):  # noqa: F811
    policy = requested(people, "levels")
    none = people.clear()
    with pytest.raises(incrowd.IncrowdError) as theirs:
        incrowd.anonymize(none, policy)
    with pytest.raises(type(theirs.value)) as mine:
        incrowd.anonymize(stored(none), policy)
    assert str(mine.value) == str(theirs.value)


def test_remarks_of_columns_do_not_leave(frame, tmp_path):
    named = frame.withMetadata("zip", {"ml_attr": {"vals": [CANARY]}})
    assert CANARY in named.schema.json()
    policy = incrowd.quick(named.columns, quasi=["sex"], sensitive=["diagnosis"], k=4, keep=["zip"])
    policy = policy.model_copy(update={"max_alone": 1.0})
    incrowd.anonymize(named, policy, tmp_path / "release", seed=1)
    for file in (tmp_path / "release").iterdir():
        assert CANARY.encode() not in file.read_bytes()


def staged_of(people, engine, name="classes"):  # noqa: F811
    policy = requested(people, name)
    table = load(engine, policy, builders_of(policy, "."))
    context = RunContext(seed=1)
    found = search(table, context)
    outcome = table.compiled.problem.outcome(found.recoding)
    plan = plan_rows(table, found, outcome, context)
    return table, plan, engine.stage(plan, np.random.default_rng(1))


FIRST = "row = (SELECT min(row) FROM staged)"
WRONG = {
    "'zip'": "SELECT * EXCEPT (s{zip}), IF({first}, '99999', s{zip}) AS s{zip} FROM staged",
    "'zero'": "SELECT * EXCEPT (s{zero}), IF({first}, 7D, s{zero}) AS s{zero} FROM staged",
    "more than once": "SELECT * FROM staged UNION ALL SELECT * FROM staged WHERE {first}",
    "left out": "SELECT * FROM staged WHERE NOT {first}",
}


def test_rows_that_are_wrong_are_refused(people, engine):  # noqa: F811
    table, plan, staged = staged_of(people, engine)
    written, database = staged.write(), engine.database
    prove(table, plan, staged, written)
    places = {name: j for j, name in enumerate(plan.cells)}
    database.make("kept", "SELECT * FROM staged")
    for words, sabotage in WRONG.items():
        database.make("staged", sabotage.format(**places, first=FIRST))
        staged.__dict__.pop("records", None)
        with pytest.raises(NotMetError, match=words):
            prove(table, plan, staged, staged.write())
        database.make("staged", "SELECT * FROM kept")
    staged.__dict__.pop("records", None)
    written = staged.write()
    file = next(iter(database._made["released"].iterdir()))
    rows = pl.read_parquet(file)
    for wrong in (rows.with_columns(pl.lit("flu").alias("diagnosis")), rows.head(-1)):
        wrong.write_parquet(file)
        database._create_view("released", file.parent, None)
        with pytest.raises(NotMetError):
            prove(table, plan, staged, written)


def test_what_it_cannot_do_is_refused_with_a_remedy(people, frame, tmp_path):  # noqa: F811
    policy = requested(people, "levels")
    with pytest.raises(PolicyError, match="folder of Parquet files"):
        incrowd.anonymize(frame, policy, tmp_path / "r.csv")
    with pytest.raises(PolicyError, match="standard output"):
        incrowd.anonymize(frame, policy, "-")
    with pytest.raises(PolicyError, match="order"):
        incrowd.anonymize(frame, policy_of(people, order="keep"))
    (tmp_path / "here").mkdir()
    with pytest.raises(InputError, match="exists already"):
        incrowd.anonymize(frame, policy, tmp_path / "here")
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_the_folder_for_our_files_is_the_one_that_is_set(session, frame, tmp_path):
    folder = tmp_path / "a [shared] {one}"
    folder.mkdir()
    session.conf.set(SCRATCH, str(folder))
    try:
        engine = engine_of(frame)
        assert engine.database.folder.parent == folder
        assert engine.records == 600
        session.conf.set(SCRATCH, "s3://bucket/folder")
        with pytest.raises(PolicyError, match=SCRATCH):
            engine_of(frame)
        session.conf.set(SCRATCH, str(tmp_path / "none"))
        with pytest.raises(InputError, match=SCRATCH):
            engine_of(frame)
    finally:
        session.conf.unset(SCRATCH)


@pytest.mark.parametrize("master", ["spark://driver:7077", "yarn", "k8s://https://host:443"])
def test_many_machines_need_a_folder_that_all_reach(master, tmp_path):
    cluster = SimpleNamespace(conf={"spark.master": master})
    with pytest.raises(PolicyError, match=SCRATCH):
        _shared_folder(cluster)
    cluster.conf[SCRATCH] = f"file://{tmp_path}"
    assert _shared_folder(cluster) == tmp_path


@pytest.mark.thorough
def test_hostile_names_are_only_names(stored, people, tmp_path):  # noqa: F811
    quasi = ["birth date", "z`; DROP TABLE `x", "{spark.master} 'é'.\n"]
    named = people.rename(dict(zip(QUASI, quasi, strict=True)) | {"name": "SSN", "ward": "row"})
    policy = incrowd.quick(
        named.columns, quasi=quasi, sensitive=["diagnosis"], keep=["row"], k=4, method="mondrian"
    ).model_copy(update={"max_alone": 1.0})
    target = tmp_path / "release"
    incrowd.anonymize(stored(people).toDF(*named.columns), policy, target, seed=1)
    read = tables.read(target).frame
    assert set(read.columns) == {*quasi, "diagnosis", "row"}


def test_names_that_spark_replaces_are_refused_or_only_names(stored, people):  # noqa: F811
    engine = engine_of(stored(people.select("zip")).toDF("${spark.master}"))
    assert engine.counts(["${spark.master}"]).records.sum() == 600
    with pytest.raises(InputError, match="rename"):
        engine.database.write("SELECT c0 AS `${spark.master}` FROM source", None)


def test_texts_are_compared_letter_by_letter(stored):
    frame = stored(pl.DataFrame({"a": ["x", "X", "x ", "y"]}))
    loose = frame.selectExpr("a COLLATE UTF8_LCASE AS a", "array(a COLLATE UTF8_LCASE) AS b")
    assert loose.distinct().count() == 3
    engine = engine_of(loose)
    assert sorted(engine.counts(["a"]).cells["a"]) == ["X", "x", "x ", "y"]


def test_columns_that_share_a_name_and_streams_are_refused(session, frame):
    with pytest.raises(InputError, match="more than once: 'a'"):
        engine_of(frame.select("zip", "sex").toDF("a", "a"))
    with pytest.raises(InputError, match="stream"):
        engine_of(session.readStream.format("rate").load())


def test_what_is_no_data_frame_is_not_taken(session, people):  # noqa: F811
    assert not any(map(accepts, (people, session, "table.parquet", None)))


def test_spark_connect_is_refused_with_a_remedy():
    class DataFrame:
        """Stands for one of Spark Connect, which needs libraries of its own."""

        __module__ = "pyspark.sql.connect.dataframe"

    with pytest.raises(PolicyError, match="classic session"):
        engine_of(DataFrame())


def test_numbers_that_look_random_come_from_the_secret_and_the_row(engine):
    drawn = engine.database.random_number("a secret", "row")
    found = engine.database.rows(f"SELECT row, {drawn} AS drawn FROM source")
    digests = (hashlib.sha256(f"a secret:{row}".encode()) for row in found["row"])
    assert found["drawn"].to_list() == [int(digest.hexdigest()[:15], 16) for digest in digests]


def test_files_hold_the_rows_in_the_order_that_was_drawn(people, stored):  # noqa: F811
    database = engine_of(stored(people)).database
    database.session.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
    drawn = database.random_number("a secret", "row")
    database.write(f"SELECT {drawn} AS drawn, row FROM source ORDER BY {drawn}, row", None)
    files = parquet_files(database._made["released"])
    assert [file.name for file in files] == [f"part-0000{j}.parquet" for j in range(3)]
    rows = pl.concat(map(pl.read_parquet, files))
    assert rows["drawn"].is_sorted()
    assert not rows["row"].is_sorted()
    assert rows["row"].n_unique() == len(people)


@pytest.mark.parametrize(
    ("records", "models"),
    [
        (1_200, {"models": (incrowd.LDiversity("diagnosis", 2),)}),
        pytest.param(3_000, {}, marks=pytest.mark.thorough),
        pytest.param(
            3_000, {"models": (incrowd.LDiversity("diagnosis", 2),)}, marks=pytest.mark.thorough
        ),
    ],
)
def test_local_recoding_is_done_on_executors_part_by_part(
    stored, monkeypatch, tmp_path, records, models
):
    monkeypatch.setattr(by_parts, "PART", 700)
    monkeypatch.setattr(by_parts, "_FILLED", 5)
    monkeypatch.setattr(by_parts.part_release_of, "__defaults__", (1_000,))
    many = hospital(records, seed=4)
    many = many.with_columns(pl.lit("a").alias("who"), pl.lit(0.5).alias("zero"))
    policy = policy_of(many.with_columns(pl.lit(1).alias("weighing")), search="crowd", **models)
    policy = policy.model_copy(
        update={"columns": {name: policy.columns[name] for name in many.columns}}
    )
    target = tmp_path / "release.parquet"
    mine = incrowd.anonymize(stored(many), policy, target, seed=3)
    theirs = incrowd.anonymize(many, policy, seed=3)
    assert "parts" in mine.why
    assert mine.records == len(many)
    assert mine.loss["gcp"] <= 1.15 * theirs.loss["gcp"]
    found = incrowd.check(target, policy, f"{target}.certificate.json", original=many)
    assert found.ok, found.notes


def test_a_full_disk_is_a_limit(engine):
    with (
        pytest.raises(LimitError, match="ran out of disk space") as caught,
        engine.database._spark_boundary("count the table"),
    ):
        raise RuntimeError(f"java.io.IOException: No space left on device: {'secret'}")
    assert caught.value.exit_code == 5
    assert "secret" not in str(caught.value)
    assert "spark.incrowd.scratch" in caught.value.remedy
