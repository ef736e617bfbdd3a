"""Spark: the same tally, classes and proof as in memory, whatever fails on the way."""

import hashlib
import io
import logging
from contextlib import contextmanager, suppress
from functools import cache
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import incrowd
import incrowd.release.parts as by_parts
import servers
from engines.test_duckdb import LOCAL, QUASI, REQUESTS, people, policy_of, requested  # noqa: F401
from incrowd.datasets import hospital
from incrowd.engines import spark
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


@contextmanager
def as_installed(session):
    """Statements of new engines are planned and compiled as they are for users."""
    with pytest.MonkeyPatch.context() as patch:
        for name in servers.AS_PLANNED:
            session.conf.set(name, "true")
            patch.setitem(spark._SETTINGS, name, "true")
        try:
            yield
        finally:
            for name, value in servers.AS_PLANNED.items():
                session.conf.set(name, value)


@pytest.fixture
def installed(session):
    with as_installed(session):
        yield


@pytest.fixture(scope="module")
def released(people, session, frame, tmp_path_factory):  # noqa: F811
    """Makes the release of a request, once: (the release, its folder)."""
    folder = tmp_path_factory.mktemp("released")

    @cache
    def release(name):
        policy, target = requested(people, name), folder / f"{name}.parquet"
        with as_installed(session):
            return incrowd.anonymize(frame, policy, target, seed=3, key=KEY), target

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


def test_a_sample_takes_one_record_of_each_person(people, engine):  # noqa: F811
    unit = engine.unit_codes("who")
    drawn = engine.sample(["who", "zip"], 1000, unit)
    assert sorted(drawn["who"].to_list()) == sorted(people["who"].unique().to_list())
    assert engine.sample(["zip"], 50).height == 50
    assert engine.sample(["who"], 70).equals(engine.sample(["who"], 70))


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
    coded, same = engine.codes(kept.columns), memory.codes(kept.columns)
    counted = engine.counts((), list(coded.values()))
    for name, codes in same.items():
        assert coded[name].domain.labels.tolist() == codes.domain.labels.tolist(), name
        assert engine.frequency(coded[name]).tolist() == memory.frequency(codes).tolist(), name
        records = np.bincount(counted.codes[name], weights=counted.records)
        assert records.tolist() == memory.frequency(codes).tolist(), name
    lines = (one.counts(kept.columns) for one in (engine, memory))
    mine_lines, theirs = (
        sorted(zip(map(repr, one.cells.rows()), one.records, strict=True)) for one in lines
    )
    assert mine_lines == theirs
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


@pytest.mark.usefixtures("installed")
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


@pytest.mark.usefixtures("installed")
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


@pytest.fixture(scope="module")
def marked(session, canaries, tmp_path_factory):
    """A release of cells and remarks with canaries: (its folder, what it drew numbers from)."""
    secrets, random = [], Spark.random_number
    rows = canaries.selectExpr("concat('other', a) AS a", "b", "concat('third', c) AS c")
    for name in rows.columns:
        rows = rows.withMetadata(name, {"ml_attr": {"vals": [f"remark{CANARY}"]}})
    assert f"remark{CANARY}" in rows.schema.json()
    policy = incrowd.Policy(
        columns={
            "a": incrowd.Column(role="keep", derived="accept", alone="accept"),
            "b": incrowd.Column(role="quasi"),
            "c": incrowd.Column(role="sensitive"),
        },
        models=(incrowd.KAnonymity(4), incrowd.LDiversity("c", 2)),
        search="mondrian",
    )
    target = tmp_path_factory.mktemp("marked") / "release"
    with pytest.MonkeyPatch.context() as patch, as_installed(session):
        patch.setattr(
            Spark,
            "random_number",
            lambda self, secret, row: secrets.append(secret) or random(self, secret, row),
        )
        incrowd.anonymize(rows, policy, target, seed=2)
    return target, secrets


def test_the_event_log_holds_neither_cells_nor_secrets(marked):
    events, secrets = servers.spark_events(), marked[1]
    assert "SparkListenerSQLExecutionStart" in events
    assert f"other{CANARY}" not in events
    assert f"third{CANARY}" not in events
    assert secrets
    assert not any(secret in events for secret in secrets)


@pytest.fixture
def failed(tmp_path):
    """A file that a task of `mended` leaves when it fails."""
    return tmp_path / "failed"


@pytest.fixture
def mended(frame, failed):
    """The same data frame, of which some tasks fail once."""
    from pyspark import TaskContext
    from pyspark.sql.functions import udf

    def shaky(cell):
        task = TaskContext.get()
        if task.attemptNumber() == 0 and task.partitionId() > 0 and cell > "02":
            failed.touch()
            raise ValueError(cell)
        return cell

    return frame.withColumn("zip", udf(shaky, "string")("zip"))


def test_a_task_that_fails_once_changes_no_row(engine, mended, failed):
    copies = (one.database.rows("SELECT * FROM source") for one in (engine, engine_of(mended)))
    one, other = (copy.sort("row") for copy in copies)
    assert failed.exists()
    assert one.equals(other)


@pytest.mark.thorough
def test_a_task_that_fails_once_changes_nothing(
    people,  # noqa: F811
    mended,
    failed,
    released,
    tmp_path,
):
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


def test_remarks_of_columns_do_not_leave(marked):
    files = list(marked[0].iterdir())
    assert any(f"other{CANARY}".encode() in file.read_bytes() for file in files)
    for file in files:
        assert f"remark{CANARY}".encode() not in file.read_bytes()


def staged_of(people, engine, name="classes"):  # noqa: F811
    policy = requested(people, name)
    table = load(engine, policy, builders_of(policy, "."))
    context = RunContext(seed=1)
    found = search(table, context)
    outcome = table.compiled.problem.outcome(found.recoding)
    plan = plan_rows(table, found, outcome, context)
    return table, plan, engine.stage(plan, np.random.default_rng(1))


FIRST = "row = (SELECT min(row) FROM kept)"
WRONG = {
    "'zip'": "SELECT * EXCEPT (s{zip}), IF({first}, '99999', s{zip}) AS s{zip} FROM kept",
    "'zero'": "SELECT * EXCEPT (s{zero}), IF({first}, 7D, s{zero}) AS s{zero} FROM kept",
    "more than once": "SELECT * FROM kept UNION ALL SELECT * FROM kept WHERE {first}",
    "left out": "SELECT * FROM kept WHERE NOT {first}",
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
        incrowd.anonymize(frame, policy_of(people, search="mondrian", order="keep"))
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
    database.session.conf.set("spark.sql.shuffle.partitions", "3")
    drawn = database.random_number("a secret", "row")
    database.write(f"SELECT {drawn} AS drawn, row FROM source ORDER BY {drawn}, row", None)
    files = parquet_files(database._made["released"])
    assert [file.name for file in files] == [f"part-0000{j}.parquet" for j in range(3)]
    rows = pl.concat(map(pl.read_parquet, files))
    assert rows["drawn"].is_sorted()
    assert not rows["row"].is_sorted()
    assert rows["row"].n_unique() == len(people)


@pytest.mark.parametrize(
    ("records", "by", "models"),
    [
        (1_200, LOCAL, {"models": (incrowd.LDiversity("diagnosis", 2),)}),
        pytest.param(3_000, "crowd", {}, marks=pytest.mark.thorough),
        pytest.param(
            3_000,
            "crowd",
            {"models": (incrowd.LDiversity("diagnosis", 2),)},
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_local_recoding_is_done_on_executors_part_by_part(  # noqa: PLR0917
    stored, monkeypatch, tmp_path, records, by, models
):
    monkeypatch.setattr(by_parts, "PART", 700)
    monkeypatch.setattr(by_parts, "_FILLED", 5)
    monkeypatch.setattr(by_parts.part_release_of, "__defaults__", (1_000,))
    many = hospital(records, seed=4)
    many = many.with_columns(pl.lit("a").alias("who"), pl.lit(0.5).alias("zero"))
    policy = policy_of(many.with_columns(pl.lit(1).alias("weighing")), search=by, **models)
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
