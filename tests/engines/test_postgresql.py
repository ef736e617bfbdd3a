"""PostgreSQL: the same tally and proof as in memory; faults leave nothing and tell nothing."""

import gc
import hashlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from contextlib import closing
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from engines import test_duckdb
from incrowd.api import query_precision
from incrowd.cli.main import perform
from incrowd.engines import elsewhere, postgresql
from incrowd.engines.addresses import Address
from incrowd.engines.base import Engine, NewTable, Written
from incrowd.engines.duckdb import DuckDB
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.memory_release import MemoryStaged
from incrowd.engines.postgresql import engine_of
from incrowd.engines.postgresql_session import READING, WRITING, Transaction
from incrowd.errors import IncrowdError, InputError, NotMetError, PolicyError, hide_credentials
from incrowd.io.hierarchies import builders_of
from incrowd.loss.queries_workload import parse
from incrowd.pipeline import search
from incrowd.policy.policy import Column
from incrowd.release.load import RunContext, load
from incrowd.release.proof import prove
from incrowd.release.rows import plan_rows
from servers import postgresql_server

pytestmark = pytest.mark.slow
"""All tests need a server."""

dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")

QUASI, REQUESTS, policy_of = test_duckdb.QUASI, test_duckdb.REQUESTS, test_duckdb.policy_of
LOCAL = test_duckdb.LOCAL
FRAMES = {"levels", "permutation", "people", "pseudonyms"}
"""Requests whose rows are fetched in a way of their own."""
PROVED = {"levels", "classes", "permutation", "missing matches", "weights", "pseudonyms"}
"""Requests whose rows are staged in a way of their own."""


def tried(names):
    """All requests, of which `make test` runs these."""
    return [
        pytest.param(name, marks=[] if name in names else pytest.mark.thorough) for name in REQUESTS
    ]


people = test_duckdb.people
CANARY = "Zanzibar-Canary-4711"
PASSWORD = "pass-canary-0815"


@pytest.fixture(scope="module")
def server():
    with postgresql_server() as made:
        yield made


@pytest.fixture(scope="module")
def run(server):
    """Carry out a statement as the owner, and what it answers."""
    with closing(dbapi.connect(server.address(), autocommit=True)) as connection:

        def carried_out(statement):
            with connection.cursor() as cursor:
                cursor.execute(statement)
                return cursor.fetchall() if cursor.description else None

        def ingest(name, frame):
            with connection.cursor() as cursor:
                table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
                cursor.adbc_ingest(name, table, mode="replace")

        carried_out.ingest = ingest
        carried_out("SET lock_timeout = '120s'")
        yield carried_out


@pytest.fixture(scope="module")
def address(server, run, people):
    run.ingest("people", people)
    run("CREATE VIEW seen AS SELECT * FROM people")
    return lambda table, **more: f"{server.address(**more)}?table={table}"


@pytest.fixture
def source(address):
    return address("people")


@pytest.fixture
def new(run, address):
    """The address of a table that is not there, and is dropped afterwards."""
    run("DROP TABLE IF EXISTS released")
    yield address("public.released")
    run("DROP TABLE IF EXISTS released")


class Job(NamedTuple):
    """A release to be made."""

    source: str
    target: str
    policy: incrowd.Policy
    paper: Path

    def go(self):
        return incrowd.anonymize(self.source, self.policy, self.target, certificate=self.paper)

    @property
    def left(self):
        """The files that there are."""
        return sorted(path.name for path in self.paper.parent.iterdir())


@pytest.fixture
def job(people, source, new, tmp_path):
    return Job(source, new, policy_of(people, **REQUESTS["classes"]), tmp_path / "paper.json")


def there(run, name):
    return run(f"SELECT to_regclass('{name}') IS NOT NULL")[0][0]


def alive(run):
    """Connections of others; the server takes a moment to end one."""
    for _ in range(6000):
        found = run(
            "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )[0][0]
        if not found:
            break
        time.sleep(0.01)
    return found


@pytest.fixture
def left(run):
    """How many connections a test leaves: what earlier ones left in cycles is gone before it."""
    gc.collect()
    before = alive(run)
    return lambda: alive(run) - before


# The contract: the same as in memory


def test_it_is_an_engine(people, source):
    engine: Engine = engine_of(source)
    assert engine.names == tuple(people.columns)
    assert engine.records == len(people)
    assert engine.name == "postgresql"
    assert not engine.text


@pytest.mark.parametrize(
    ("name", "table"),
    [*((name, "people") for name in REQUESTS), ("people", "seen"), ("weights", "seen")],
)
def test_the_tally_is_the_same(people, address, name, table):
    policy = policy_of(people, **REQUESTS[name])
    mine = load(engine_of(address(table)), policy, builders_of(policy, "."))
    theirs = load(MemoryEngine(people), policy, builders_of(policy, "."))
    one, other = mine.compiled.problem, theirs.compiled.problem
    for field in ("quasi", "sensitive", "counts", "people"):
        assert np.array_equal(getattr(one.tally, field), getattr(other.tally, field))
    if other.tally.weights is not None:
        assert one.tally.weights == pytest.approx(other.tally.weights)
    assert mine.people == theirs.people
    assert mine.compiled.left_out_missing == theirs.compiled.left_out_missing
    for column, same in zip(one.columns, other.columns, strict=True):
        assert np.array_equal(column.frequency, same.frequency)


@pytest.mark.parametrize("name", tried(PROVED))
def test_a_release_is_proved_by_the_database_and_checks(people, source, new, name, tmp_path):
    policy, key = policy_of(people, **REQUESTS[name]), b"0123456789abcdef"
    paper = tmp_path / "paper.json"
    mine = incrowd.anonymize(source, policy, new, certificate=paper, seed=3, key=key)
    theirs = incrowd.anonymize(people, policy, seed=3, key=key)
    assert mine.models == theirs.models
    assert mine.loss == pytest.approx(theirs.loss)
    for figure in ("records", "suppressed", "classes"):
        assert getattr(mine, figure) == getattr(theirs, figure)
    assert mine.risk.k == theirs.risk.k
    found = incrowd.check(new, policy, paper, original=people)
    assert found.digest_ok
    assert found.ok, found.notes


@pytest.mark.parametrize("name", tried(FRAMES))
def test_without_a_target_the_release_is_a_frame_that_checks_in_memory(people, source, name):
    policy, key = policy_of(people, **REQUESTS[name]), b"0123456789abcdef"
    release = incrowd.anonymize(source, policy, seed=3, key=key)
    assert isinstance(release.frame, pl.DataFrame)
    assert len(release.frame) == release.records
    found = incrowd.check(release.frame, policy, release.certificate, original=people)
    assert found.digest_ok
    assert found.ok, found.notes


def test_a_view_is_released_too(people, address, new, tmp_path):
    policy = policy_of(people, **REQUESTS["classes"])
    paper = tmp_path / "paper.json"
    release = incrowd.anonymize(address("seen"), policy, new, certificate=paper, seed=3)
    assert release.frame is None
    assert incrowd.check(new, policy, paper).ok


def test_the_same_seed_gives_the_same_release_and_another_one_another_order(people, source):
    policy = policy_of(people, **REQUESTS["classes"])
    one, same, other = (incrowd.anonymize(source, policy, seed=s).frame for s in (3, 3, 4))
    assert one.equals(same)
    assert not one.equals(other)


def test_rows_leave_in_another_order_than_that_of_the_table(people, source, run, new, tmp_path):
    roles = {"who": Column(role="keep", derived="accept", alone="accept")}
    policy = policy_of(people, search=LOCAL, columns=roles)
    incrowd.anonymize(source, policy, new, certificate=tmp_path / "c.json")
    order = [int(row[0]) for row in run("SELECT who FROM released ORDER BY ctid")]
    assert len(order) == len(people)
    held = people["who"].cast(pl.Int64).to_list()
    assert sum(a == b for a, b in zip(order, held, strict=True)) < len(people) / 10


def staged_of(people, source, name="classes"):
    policy = policy_of(people, **REQUESTS[name])
    table = load(engine_of(source), policy, builders_of(policy, "."))
    context = RunContext(seed=1)
    found = search(table, context)
    plan = plan_rows(table, found, table.compiled.problem.outcome(found.recoding), context)
    return table, plan, table.engine.stage(plan, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("sabotage", "words"),
    [
        ("UPDATE staged SET s{zip} = '99999' WHERE row = (SELECT min(row) FROM staged)", "'zip'"),
        ("UPDATE staged SET s{zero} = 7 WHERE row = (SELECT min(row) FROM staged)", "'zero'"),
        (
            "INSERT INTO staged SELECT * FROM staged WHERE row = (SELECT min(row) FROM staged)",
            "more than once",
        ),
        ("DELETE FROM staged WHERE row = (SELECT min(row) FROM staged)", "left out"),
    ],
)
def test_staged_rows_that_are_wrong_are_refused(people, source, sabotage, words):
    table, plan, staged = staged_of(people, source)
    places = {name: j for j, name in enumerate(plan.cells)}
    table.engine.database._session.run(sabotage.format(**places))
    with pytest.raises(NotMetError, match=words):
        prove(table, plan, staged, staged.write())


@pytest.mark.parametrize(
    "sabotage",
    [
        "UPDATE released SET diagnosis = 'flu' WHERE ctid = (SELECT min(ctid) FROM released)",
        "DELETE FROM released WHERE ctid = (SELECT min(ctid) FROM released)",
        "UPDATE released SET zero = -zero WHERE ctid = (SELECT min(ctid) FROM released)",
    ],
)
def test_a_table_that_is_not_what_was_staged_is_refused(people, source, sabotage):
    table, plan, staged = staged_of(people, source)
    written: Written = staged.write()
    prove(table, plan, staged, written)
    table.engine.database._session.run(sabotage)
    with pytest.raises(NotMetError):
        prove(table, plan, staged, written)


def test_two_zeros_are_told_apart(source):
    assert sorted(engine_of(source).counts(["zero"]).records.tolist()) == [300, 300]


def test_a_sample_takes_one_record_of_each_person(people, source):
    engine = engine_of(source)
    unit = engine.unit_codes("who")
    drawn = engine.sample(["who", "zip"], 1000, unit)
    assert sorted(drawn["who"].to_list()) == sorted(people["who"].unique().to_list())
    assert engine.sample(["zip"], 50).height == 50
    assert engine.sample(["who"], 70).equals(engine.sample(["who"], 70))


def test_records_come_in_parts_and_a_reader_may_stop(address, run):
    run("CREATE TABLE many AS SELECT i, repeat('x', 1000) AS t FROM generate_series(1, 25000) i")
    engine = engine_of(address("many"))
    query = "SELECT c0 AS s0, c1 AS s1 FROM source ORDER BY row"
    parts = list(engine.database.batches(query))
    assert len(parts) > 1
    assert pl.concat(parts)["s0"].to_list() == list(range(1, 25001))
    few = engine.database.batches(query)
    next(few)
    few.close()
    assert engine.records == 25000
    engine.close()
    run("DROP TABLE many")


# The target: a new table, in one transaction


def test_others_see_the_release_only_when_it_is_certified(job, run, monkeypatch):
    seen = []
    commit = postgresql.PostgreSQL._publish

    def watched(self, table):
        seen.append((there(run, "released"), job.paper.exists()))
        commit(self, table)
        seen.append((there(run, "released"), job.paper.exists()))

    monkeypatch.setattr(postgresql.PostgreSQL, "_publish", watched)
    job.go()
    assert seen == [(False, True), (True, True)]
    assert run("SELECT count(*) FROM released")[0][0] == 600
    assert job.left == ["paper.json"]


def test_a_table_that_exists_is_refused_before_any_work(job, run, monkeypatch):
    job.go()
    before = job.paper.read_bytes(), run("SELECT count(*), min(ctid::text) FROM released")
    monkeypatch.setattr("incrowd.pipeline.search", lambda *_: pytest.fail("it worked"))
    with pytest.raises(PolicyError, match=r"public\.released already"):
        job.go()
    after = job.paper.read_bytes(), run("SELECT count(*), min(ctid::text) FROM released")
    assert after == before


def test_of_two_runs_into_one_target_one_changes_nothing(job, monkeypatch):
    both = threading.Barrier(2, timeout=600)
    create = postgresql.PostgreSQL._create_table

    def together(self, query, table):
        both.wait()
        return create(self, query, table)

    monkeypatch.setattr(postgresql.PostgreSQL, "_create_table", together)
    ended = []

    def one():
        try:
            ended.append(job.go())
        except IncrowdError as error:
            ended.append(error)

    runs = [threading.Thread(target=one) for _ in range(2)]
    for thread in runs:
        thread.start()
    for thread in runs:
        thread.join(600)
    errors = [end for end in ended if isinstance(end, IncrowdError)]
    (release,) = [end for end in ended if not isinstance(end, IncrowdError)]
    assert len(errors) == 1
    assert isinstance(errors[0], InputError | PolicyError)
    stored = json.loads(job.paper.read_text())
    assert stored["digest"]["sha256"] == release.certificate.digest.sha256
    assert incrowd.check(job.target, job.policy, job.paper).ok


def test_a_release_that_is_not_proved_is_rolled_back(job, run, monkeypatch, left):
    job.paper.write_text("the old one")
    create = postgresql.PostgreSQL._create_table

    def wrong(self, query, table):
        found = create(self, query, table)
        self._session.run("UPDATE public.released SET diagnosis = 'flu'")
        return found

    monkeypatch.setattr(postgresql.PostgreSQL, "_create_table", wrong)
    with pytest.raises(NotMetError) as caught:
        job.go()
    assert caught.value.__traceback__ is not None
    assert left() <= 0
    assert not there(run, "released")
    assert job.paper.read_text() == "the old one"
    assert job.left == ["paper.json"]


@pytest.mark.parametrize("before", [None, "the old one"])
def test_a_commit_that_fails_takes_the_certificate_back(job, run, monkeypatch, before):
    if before:
        job.paper.write_text(before)
    publish = postgresql.PostgreSQL._publish

    def killed(self, table):
        kill_others(run)
        publish(self, table)

    monkeypatch.setattr(postgresql.PostgreSQL, "_publish", killed)
    with pytest.raises(InputError, match="commit"):
        job.go()
    assert not there(run, "released")
    assert job.left == (["paper.json"] if before else [])
    assert not before or job.paper.read_text() == before


def test_a_commit_whose_answer_is_lost_is_found_out(job, run, monkeypatch):
    commit = postgresql.Transaction.commit

    def lost(self):
        commit(self)
        raise InputError("PostgreSQL did not commit the release")

    monkeypatch.setattr(postgresql.Transaction, "commit", lost)
    job.go()
    assert there(run, "released")
    assert incrowd.check(job.target, job.policy, job.paper).ok


def test_the_certificate_goes_to_the_current_folder(people, source, new, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    incrowd.anonymize(source, policy_of(people, **REQUESTS["classes"]), new)
    assert [path.name for path in tmp_path.iterdir()] == ["public.released.certificate.json"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_release_can_be_a_file(people, source, tmp_path, ending):
    policy, target = policy_of(people, **REQUESTS["classes"]), tmp_path / f"r.{ending}"
    release = incrowd.anonymize(source, policy, target, seed=1)
    assert release.certificate.engine == "postgresql"
    found = incrowd.check(target, policy, f"{target}.certificate.json", original=people)
    assert found.ok, found.notes


def test_what_it_cannot_do_is_refused_with_a_remedy(people, source, server, new, tmp_path):
    policy = policy_of(people, **REQUESTS["classes"])
    with pytest.raises(PolicyError, match="same database"):
        incrowd.anonymize(people, policy, new)
    elsewhere_ = f"{server.address('template1')}?table=released"
    with pytest.raises(PolicyError, match="same database"):
        incrowd.anonymize(source, policy, elsewhere_)
    with pytest.raises(PolicyError, match="order"):
        incrowd.anonymize(source, policy_of(people, search="mondrian", order="keep"))
    with pytest.raises(PolicyError, match="file"):
        MemoryStaged(None, None, None, None, None).write(NewTable("public", "t"))
    with pytest.raises(PolicyError, match="file"):
        DuckDB().write("SELECT 1", NewTable("public", "t"))
    assert list(tmp_path.iterdir()) == []


def digest_by_definition(names, rows):
    """SHA-256 of names and rows: texts behind their lengths, digests sorted in 256 groups."""
    code = hashlib.sha256()
    for name in names:
        code.update(len(name.encode()).to_bytes(8, "little") + name.encode())
    hashes = sorted(
        hashlib.sha256(
            "".join("-" if text is None else f"{len(text)}:{text}" for text in row).encode()
        ).digest()
        for row in rows
    )
    for _, group in groupby(hashes, key=lambda one: one[0]):
        code.update(hashlib.sha256(b"".join(group)).digest())
    return code.hexdigest()


def test_a_table_is_digested_whatever_the_order_of_its_rows(people, address, run):
    def digest(table):
        return engine_of(address(table)).database.digest()[1]

    cells = ", ".join(f'"{name}"::text' for name in people.columns)
    expected = digest_by_definition(people.columns, run(f"SELECT {cells} FROM people"))
    assert digest("people") == digest("seen") == expected
    run("CREATE TABLE other AS SELECT * FROM people ORDER BY zip, name")
    assert digest("other") == expected
    for change in (
        "UPDATE other SET zero = -zero WHERE ctid = (SELECT min(ctid) FROM other)",
        "UPDATE other SET sex = '-' WHERE sex IS NULL",
        "ALTER TABLE other RENAME zero TO nought",
        "INSERT INTO other SELECT * FROM other LIMIT 1",
    ):
        before = digest("other")
        run(change)
        assert digest("other") != before
    run("DROP TABLE other")


# Snapshots


def test_what_others_do_meanwhile_has_no_effect(people, run, address):
    run("CREATE TABLE busy AS SELECT * FROM people")
    source, target = address("busy"), address("busy_release")
    engine = engine_of(source)
    policy = policy_of(people, **REQUESTS["classes"])
    table = load(engine, policy, builders_of(policy, "."))
    run("DELETE FROM busy WHERE sex = 'male'")
    run("UPDATE busy SET zip = '00000'")
    run("VACUUM busy")
    context = RunContext(seed=1)
    found = search(table, context)
    plan = plan_rows(table, found, table.compiled.problem.outcome(found.recoding), context)
    staged = engine.stage(plan, np.random.default_rng(1))
    written = staged.write(postgresql.target_of(target, engine))
    prove(table, plan, staged, written)
    written.publish()
    assert run("SELECT count(*) FROM busy_release")[0][0] == len(people)
    run("DROP TABLE busy, busy_release")


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize(
    "zips",
    [
        "CASE WHEN random() < 0.5 THEN zip ELSE '99999' END",
        "md5(zip || random())",
        "CASE current_setting('transaction_read_only') WHEN 'on' THEN zip ELSE '99999' END",
    ],
    ids=["other counts", "other values", "other in the second transaction"],
)
def test_a_view_that_answers_otherwise_each_time_is_refused(zips, run, address, new, tmp_path):
    run(f"CREATE VIEW moving AS SELECT {zips} AS zip, birth_date, sex, diagnosis FROM people")
    names = ("zip", "birth_date", "sex", "diagnosis")
    policy = incrowd.quick(names, quasi=QUASI, sensitive=["diagnosis"], k=4, method="mondrian")
    try:
        with pytest.raises(InputError, match="changed"):
            incrowd.anonymize(address("moving"), policy, new, certificate=tmp_path / "c.json")
    finally:
        run("DROP VIEW moving")
    assert not there(run, "released")
    assert list(tmp_path.iterdir()) == []


def test_a_table_in_parts_is_released(people, run, address):
    run("CREATE TABLE parts (LIKE people) PARTITION BY LIST (sex)")
    run("CREATE TABLE men PARTITION OF parts FOR VALUES IN ('male')")
    run("CREATE TABLE others PARTITION OF parts DEFAULT")
    run("INSERT INTO parts SELECT * FROM people")
    policy = policy_of(people, **REQUESTS["classes"])
    mine = incrowd.anonymize(address("parts"), policy, seed=1)
    assert mine.records == len(people)
    assert mine.loss == pytest.approx(incrowd.anonymize(people, policy, seed=1).loss)
    run("DROP TABLE parts")


# Rights


@pytest.fixture(scope="module")
def reader(run, address):
    """The address of the table for a role that may read it, and nothing else."""
    run(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
    run("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
    run("GRANT SELECT ON people TO reader")
    return lambda table: address(table, user="reader", password=PASSWORD)


def test_who_may_only_select_can_do_all_but_release(people, reader, run, tmp_path):
    source = reader("people")
    policy = policy_of(people, **REQUESTS["people"])
    table = load(engine_of(source), policy, builders_of(policy, "."))
    theirs = load(MemoryEngine(people), policy, builders_of(policy, "."))
    assert np.array_equal(table.compiled.problem.tally.counts, theirs.compiled.problem.tally.counts)
    assert search(table, RunContext()).recoding is not None
    for target in (None, reader("mine")):
        with pytest.raises(InputError, match="temporary") as caught:
            incrowd.anonymize(source, policy, target, certificate=tmp_path / "c.json")
        assert PASSWORD not in traced(caught.value)
    assert not there(run, "mine")
    assert list(tmp_path.iterdir()) == []


def test_who_may_not_create_tables_gets_a_remedy(people, reader, run, tmp_path):
    run("GRANT TEMPORARY ON DATABASE postgres TO reader")
    try:
        policy = policy_of(people, **REQUESTS["classes"])
        assert incrowd.anonymize(reader("people"), policy).records == len(people)
        with pytest.raises(InputError, match=r"create the table public\.mine.*role"):
            incrowd.anonymize(
                reader("people"), policy, reader("public.mine"), certificate=tmp_path / "c.json"
            )
    finally:
        run("REVOKE TEMPORARY ON DATABASE postgres FROM reader")


def test_a_table_that_is_not_there_or_not_yours_is_an_input_error(address, reader, run, left):
    with pytest.raises(InputError, match="no table nowhere") as caught:
        engine_of(address("nowhere"))
    assert caught.value.__traceback__ is not None
    assert left() <= 0
    with pytest.raises(InputError, match=r"no table no\.where"):
        engine_of(address("no.where"))
    run("CREATE TABLE secret AS SELECT 1 AS a")
    with pytest.raises(InputError):
        assert engine_of(reader("secret")).records
    run("DROP TABLE secret")


@pytest.mark.usefixtures("address")
def test_a_standby_answers(server, people):
    policy = policy_of(people, **REQUESTS["classes"])
    with server.standby() as follower:
        source = f"{follower.address()}?table=people"
        table = load(engine_of(source), policy, builders_of(policy, "."))
        theirs = load(MemoryEngine(people), policy, builders_of(policy, "."))
        mine = table.compiled.problem.tally
        assert np.array_equal(mine.counts, theirs.compiled.problem.tally.counts)
        with pytest.raises(InputError, match=r"standby|temporary"):
            incrowd.anonymize(source, policy)


# Faults: nothing is left, and nothing is told


def traced(error):
    """All that an error says or leads to."""
    texts, seen = [], []
    while error is not None and error not in seen:
        seen.append(error)
        texts += [str(error), repr(error), *map(repr, getattr(error, "__notes__", ()))]
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def kill_others(run):
    run(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )


def test_a_statement_that_takes_too_long_says_so(address):
    session = Transaction(Address.of(address("people")).server, READING)
    session.run("SET LOCAL statement_timeout = '20ms'")
    with pytest.raises(InputError) as caught:
        session.rows("SELECT pg_sleep(5)")
    assert "statement_timeout" in caught.value.message
    assert "statement_timeout" in caught.value.remedy
    assert "server is there" not in str(caught.value)


@pytest.mark.parametrize("work", ["make", "put", "rows"])
def test_a_lost_connection_is_called_that(address, work):
    session = Transaction(Address.of(address("people")).server, WRITING)
    other = Transaction(Address.of(address("people")).server, WRITING)
    other.single_value(
        f"SELECT pg_terminate_backend({session.single_value('SELECT pg_backend_pid()')}, 5000)"
    )
    asked = {
        "make": lambda: session.make("gone", "SELECT 1 AS a"),
        "put": lambda: session.put("gone", pl.DataFrame({"a": [1]})),
        "rows": lambda: session.rows("SELECT 1 AS a"),
    }
    with pytest.raises(InputError, match="connection was lost") as caught:
        asked[work]()
    assert "TEMPORARY" not in str(caught.value)
    assert "still runs" in caught.value.remedy


@pytest.mark.parametrize(
    "when", ["rows", "take_snapshot", "put", "make", "_create_table", "_digest"]
)
def test_a_connection_that_breaks_is_an_input_error(  # noqa: PLR0917  fixtures
    job, people, run, left, monkeypatch, when
):
    method = getattr(postgresql.PostgreSQL, when)

    def broken(self, *more):
        kill_others(run)
        return method(self, *more)

    monkeypatch.setattr(postgresql.PostgreSQL, when, broken)
    with pytest.raises(InputError) as caught:
        job.go()
    told = traced(caught.value)
    values = [*people["zip"].drop_nulls().unique(), *people["diagnosis"].drop_nulls().unique()]
    assert not any(value in told for value in values)
    assert left() <= 0
    assert not there(run, "released")
    assert job.left == []


def test_errors_show_no_cell(people, source):
    engine = engine_of(source)
    for query in (
        "SELECT CAST(c3 AS integer) AS n FROM (SELECT c10 AS c3 FROM source) held",
        "SELECT CAST(c1 AS date) AS n FROM source",
    ):
        with pytest.raises(InputError) as caught:
            engine.database.rows(query)
        told = traced(caught.value)
        assert not any(str(name) in told for name in people["name"].unique())
        engine = engine_of(source)
    with pytest.raises(InputError) as caught:
        list(engine.database.batches("SELECT CAST(c1 AS date) AS n FROM source"))
    assert not any(str(name) in traced(caught.value) for name in people["name"].unique())


def test_wrong_credentials_are_not_told(server):
    for address in (
        f"postgresql://owner:{PASSWORD}@127.0.0.1:1/postgres?table=people",
        f"postgresql://nobody:{PASSWORD}@127.0.0.1:{server.port}/postgres?table=people",
        f"postgresql://127.0.0.1:{server.port}/postgres?password={PASSWORD}&table=none",
        f"postgresql://owner:{PASSWORD}@127.0.0.1:{server.port}/postgres?what={PASSWORD}&table=p",
    ):
        with pytest.raises(InputError) as caught:
            engine_of(address)
        assert PASSWORD not in traced(caught.value)


def test_representations_hold_no_credentials(address):
    source = address("people", password=PASSWORD)
    engine = engine_of(source)
    engine.records  # noqa: B018  shown
    for shown in (engine, engine.database, Address.of(source), elsewhere.engine_of(source)):
        assert PASSWORD not in repr(shown)
        assert PASSWORD not in str(shown)


def test_the_canary_is_silent(job, people, run, caplog, capfd):
    text = pl.lit(CANARY)
    marked = people.with_columns(
        text.alias("name"),
        (text + pl.col("diagnosis")).alias("diagnosis"),
        (text + pl.col("zip")).alias("zip"),
    )
    run.ingest("marked", marked)
    secret = f"owner:{PASSWORD}@"
    job = job._replace(
        source=job.source.replace("people", "marked").replace("owner@", secret),
        target=f"{job.target}&application_name={CANARY}".replace("owner@", secret),
    )
    with caplog.at_level(logging.DEBUG):
        release = job.go()
        check = incrowd.check(job.target, job.policy, job.paper)
        with pytest.raises(IncrowdError) as caught:
            job.go()
    run("DROP TABLE marked")
    assert check.ok
    streams = capfd.readouterr()
    for told in (
        *(job.paper.read_text(), repr(release), str(release.notes), repr(check)),
        *(traced(caught.value), caplog.text, streams.out, streams.err),
    ):
        assert PASSWORD not in told
        assert CANARY not in told


# Types


EVERY = {
    "flag boolean": "i % 2 = 0",
    "small smallint": "i",
    "whole integer": "i",
    "large bigint": "i * 10000000000",
    "single real": "i / 3.0",
    "double double precision": "CASE i WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' ELSE i / 3.0::float8 END",
    "price numeric(10,2)": "i / 3.0",
    "free numeric": "CASE WHEN i = 1 THEN 1.0 WHEN i = 2 THEN 1.00 ELSE i / 8.0 END",
    "huge numeric": "power(10::numeric, 20 + i)",
    "mixed numeric": "CASE i WHEN 0 THEN 'NaN' ELSE i::numeric END",
    "plain text": "'t' || i",
    "short varchar(9)": "'v' || i",
    "padded char(9)": "'p' || i",
    "day date": "date '2000-01-01' + i",
    "ever date": "CASE i WHEN 0 THEN 'infinity' WHEN 1 THEN '0044-03-15 BC' "
    "ELSE date '2000-01-01' + i END",
    "moment timestamp": "timestamp '2000-01-01 12:00:00.123456' + i * interval '1 second'",
    "instant timestamptz": "timestamptz '2000-01-01 12:00:00+02' + i * interval '1 second'",
    "clock time": "CASE i WHEN 0 THEN '24:00' ELSE time '12:00' + i * interval '1 second' END",
    "zoned timetz": "timetz '12:00+02'",
    "span interval": "CASE WHEN i % 2 = 0 THEN interval '1 month' ELSE interval '30 days' END",
    "bin bytea": "decode(lpad(to_hex(i), 4, '0'), 'hex')",
    "id uuid": "md5(i::text)::uuid",
    "host inet": "'10.0.0.0'::inet + i",
    "paid money": "i::numeric::money",
    "bits bit(3)": "(i % 8)::bit(3)",
    "range int4range": "int4range(i, i + 2)",
    "dot point": "point(i, 1)",
    "list integer[]": "ARRAY[i, i + 1]",
    "doc json": """format('{"a": %s}', i)::json""",
    "docb jsonb": """format('{"a": %s}', i)::jsonb""",
    "color color": "CASE WHEN i % 2 = 0 THEN 'red' ELSE 'green' END::color",
    "adult grown": "18 + i",
    "pair pair": "ROW(i, 'x'::text)::pair",
    "number oid": "i + 3000000000",
}


@pytest.fixture(scope="module")
def types(run, address):
    run("CREATE TYPE color AS ENUM ('red', 'green')")
    run("CREATE DOMAIN grown AS integer CHECK (VALUE >= 18)")
    run("CREATE TYPE pair AS (a integer, b text)")
    run(f"CREATE TABLE every (who integer, {', '.join(EVERY)})")
    run(f"INSERT INTO every SELECT i, {', '.join(EVERY.values())} FROM generate_series(0, 23) AS i")
    nothing = ", ".join("NULL" for _ in EVERY)
    run(f"INSERT INTO every SELECT 24 + i, {nothing} FROM generate_series(0, 5) AS i")
    return address("every")


NAMES = [definition.split()[0] for definition in EVERY]
NESTED = {"list", "doc", "docb", "pair"}


def test_types_come_as_polars_has_them(types):
    engine = engine_of(types)
    kinds = {name: engine.counts([name]).cells[name].dtype for name in NAMES}
    assert kinds["flag"] == pl.Boolean
    assert (kinds["small"], kinds["whole"], kinds["large"]) == (pl.Int16, pl.Int32, pl.Int64)
    assert (kinds["single"], kinds["double"]) == (pl.Float32, pl.Float64)
    assert (kinds["price"], kinds["free"]) == (pl.Decimal(38, 2), pl.Decimal(38, 20))
    assert kinds["day"] == pl.Date
    assert kinds["moment"] == pl.Datetime("us")
    assert kinds["instant"] == pl.Datetime("us", "UTC")
    assert kinds["bin"] == pl.Binary
    assert kinds["adult"] == pl.Int32
    texts = {*NAMES} - {name for name, kind in kinds.items() if kind != pl.String}
    assert texts == {
        *("huge", "mixed", "plain", "short", "padded", "ever", "clock", "zoned", "span", "id"),
        *("host", "paid", "bits", "range", "dot", "color", "number"),
        *NESTED,
    }
    assert set(engine.sealed) == {*NESTED, "bin"}


def test_distinct_values_are_counted_as_a_reader_tells_them_apart(types, run):
    engine = engine_of(types)
    for name in NAMES:
        texts = run(f'SELECT "{name}"::text FROM every WHERE "{name}" IS NOT NULL')
        expected = len({text for (text,) in texts})
        if name == "free":
            expected -= 2  # 1.0, 1.00 and 1.0000 are one number
        found = engine.counts([name])
        assert found.records.sum() == 30
        assert len(found.cells.drop_nulls()) == expected, name


def test_values_arrive_exactly(types):
    engine = engine_of(types)
    cells = {name: engine.counts([name]).cells[name].to_list() for name in NAMES}
    assert Decimal("0.33") in cells["price"]
    assert Decimal("0.375") in [None if c is None else c.normalize() for c in cells["free"]]
    assert f"1{'0' * 43}" in cells["huge"]
    assert {"NaN", "1", "23"} <= set(cells["mixed"])
    assert {"infinity", "0044-03-15 BC", "2000-01-03"} <= set(cells["ever"])
    assert {"24:00:00", "12:00:01"} <= set(cells["clock"])
    assert {"1 mon", "30 days"} <= set(cells["span"])
    assert "2000-01-01T12:00:00.123456" in [c.isoformat() for c in cells["moment"] if c]
    assert "3000000023" in cells["number"]
    assert {"red", "green"} <= set(cells["color"])


def test_cells_that_are_kept_leave_in_their_own_type(types, run, address, tmp_path):
    roles = dict.fromkeys(NAMES, Column(role="keep", derived="accept", alone="accept"))
    policy = incrowd.Policy(
        columns={"who": Column(role="quasi"), **roles}, models=(incrowd.KAnonymity(5),)
    )
    target, paper = address("every_release"), tmp_path / "c.json"
    incrowd.anonymize(types, policy, target, certificate=paper, seed=1)
    types_of = (
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = '{}'::regclass AND attnum > 0 AND attname <> 'who' ORDER BY attnum"
    )
    was, is_ = dict(run(types_of.format("every"))), dict(run(types_of.format("every_release")))
    assert is_ == was | {"adult": "integer"}
    for name in NAMES:
        cell = f'"{name}"' if "numeric" not in was[name] else f'trim_scale("{name}")'
        texts = [
            sorted(str(text) for (text,) in run(f"SELECT {cell}::text FROM {table}"))
            for table in ("every", "every_release")
        ]
        assert texts[0] == texts[1], name
    found = incrowd.check(target, policy, paper)
    assert found.ok, found.notes
    run("DROP TABLE every_release")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {*NESTED, "double"}])
def test_every_type_can_be_a_quasi_identifier(types, name):
    """Any type but double, which shows labels; its zeros are tested above."""
    columns = dict.fromkeys(["who", *NAMES], Column(role="drop"))
    columns |= {name: Column(role="quasi"), "flag": Column(role="sensitive")}
    if name == "flag":
        columns |= {"flag": Column(role="quasi"), "color": Column(role="sensitive")}
    for show in ({"search": LOCAL}, {"show": "representatives", "search": "mondrian"}):
        policy = incrowd.Policy(columns=columns, models=(incrowd.KAnonymity(3),), **show)
        release = incrowd.anonymize(types, policy, seed=1)
        assert release.frame.group_by(name).len()["len"].min() >= 3
        assert incrowd.check(release.frame, policy, release.certificate).ok


def test_lists_and_structures_have_no_codes(types):
    for name in sorted(NESTED):
        with pytest.raises(InputError, match="lists or structures"):
            engine_of(types).codes([name])


@settings(max_examples=25)
@given(data=st.data())
def test_cells_join_back_whatever_they_are(run, address, data):
    """Every record finds its own code: values that go out come back equal, missing ones too."""
    kinds = {
        "a": st.integers(-(2**63), 2**63 - 1),
        "b": st.floats(allow_nan=True, allow_infinity=False),
        "c": st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5),
        "d": st.dates(),
        "e": st.datetimes(),
        "f": st.binary(max_size=4),
        "g": st.booleans(),
        "h": st.decimals(
            allow_nan=False, allow_infinity=False, places=9, min_value=-(10**20), max_value=10**20
        ),
    }
    dtypes = [pl.Int64, pl.Float64, pl.String, pl.Date, pl.Datetime("us"), pl.Binary, pl.Boolean]
    dtypes.append(pl.Decimal(38, 9))
    size = data.draw(st.integers(1, 12))
    frame = pl.DataFrame(
        [
            pl.Series(name, data.draw(st.lists(st.none() | kind, min_size=size, max_size=size)), t)
            for (name, kind), t in zip(kinds.items(), dtypes, strict=True)
        ]
    )
    run.ingest("drawn", frame)
    engine = engine_of(address("drawn"))
    names = list(kinds)
    columns = [engine.codes([name])[name] for name in names]
    before = engine.counts(coded=columns)
    engine.database.take_snapshot()
    after = engine.counts(coded=columns)
    lines = [
        sorted(
            zip(
                *(found.codes[name].tolist() for name in names), found.records.tolist(), strict=True
            )
        )
        for found in (before, after)
    ]
    assert lines[0] == lines[1]
    assert after.records.sum() == size
    engine.close()


# Names and addresses


@pytest.mark.usefixtures("address")
def test_hostile_names_are_only_names(people, run, server, tmp_path):
    named = people.rename(
        {"zip": 'z"; DROP TABLE people; --', "sex": "s'ex", "birth_date": "row", "diagnosis": "n"}
    )
    named = named.with_columns(pl.lit(1).alias("incrowd_rows"), pl.lit(2).alias("ctids"))
    run.ingest('odd"; DROP TABLE people; --.table', named)
    base = server.address()
    source = base + '?table="odd""; DROP TABLE people; --.table"'
    target = base + "?table=public.%22new%20one%22"
    quasi = ["row", 'z"; DROP TABLE people; --', "s'ex"]
    policy = incrowd.quick(
        named.columns, quasi=quasi, sensitive=["n"], k=4, keep=["incrowd_rows"], method="mondrian"
    )
    release = incrowd.anonymize(source, policy, target, certificate=tmp_path / "c.json", seed=1)
    assert release.records == len(people)
    assert incrowd.check(target, policy, tmp_path / "c.json").ok
    assert there(run, "people")
    run('DROP TABLE "new one"')


@pytest.mark.parametrize(
    ("text", "server", "schema", "table"),
    [
        ("postgresql://h/d?table=t", "postgresql://h/d", None, "t"),
        ("postgres://u:p@h:1/d?table=s.t", "postgresql://u:p@h:1/d", "s", "t"),
        (
            "postgresql://h/d?sslmode=require&table=s.t&connect_timeout=3",
            "postgresql://h/d?sslmode=require&connect_timeout=3",
            "s",
            "t",
        ),
        ('postgresql://h/d?table="a.b".c', "postgresql://h/d", "a.b", "c"),
        ("postgresql://h/d?table=%22a%22%22b%22", "postgresql://h/d", None, 'a"b'),
        ("postgresql://h/d?table=Big%20Table", "postgresql://h/d", None, "Big Table"),
    ],
)
def test_addresses_are_read(text, server, schema, table):
    assert Address.of(text) == Address(server, schema, table)


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://u:{PASSWORD}@h/d",
        f"postgresql://u:{PASSWORD}@h/d?table=",
        f"postgresql://u:{PASSWORD}@h/d?table=a.b.c",
        f"postgresql://u:{PASSWORD}@h/d?table=a&table=b",
    ],
)
def test_addresses_without_a_table_are_refused(text):
    with pytest.raises(PolicyError, match="names no table") as caught:
        incrowd.anonymize(text, incrowd.quick(["a"], quasi=["a"], k=2))
    assert PASSWORD not in traced(caught.value)


def test_no_address_is_left_in_a_message():
    text = f"x 'postgres://u:{PASSWORD}@h/d?table=t' y postgresql://{PASSWORD} z"
    assert hide_credentials(text) == "x 'postgresql://…' y postgresql://… z"


def test_the_driver_is_not_loaded_to_find_out():
    program = (
        "import sys; from incrowd.engines import elsewhere; from incrowd.engines import postgresql;"
        "assert postgresql.accepts('postgresql://h/d?table=t');"
        "assert not postgresql.accepts('people.csv') and not postgresql.accepts(None);"
        "assert not any(name.startswith('adbc') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ)


# The command line


class Done(NamedTuple):
    """What a command ended with, and all that it and the driver below it wrote."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """The command, in this process and in the folder of the test."""
    monkeypatch.chdir(tmp_path)

    def run_command(*words):
        capfd.readouterr()
        return Done(perform([str(word) for word in words]), *capfd.readouterr())

    return run_command


def test_the_command_releases_and_checks(address, new, run, tmp_path, command):
    source = address("people", password=PASSWORD)
    target = new.replace("owner@", f"owner:{PASSWORD}@")
    asked = ("-q", "birth_date,zip,sex", "-s", "diagnosis", "-k", "4", "--method", "mondrian")
    first = command("anonymize", source, *asked, "-o", target)
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("Wrote and verified postgresql table public.released: ")
    paper = tmp_path / "public.released.certificate.json"
    assert paper.exists()
    again = command("anonymize", source, *asked, "-o", target, "--json")
    assert again.returncode == PolicyError.exit_code
    checked = command("check", target, "--certificate", paper)
    assert checked.returncode == 0, checked.stderr
    run("UPDATE released SET diagnosis = 'flu' WHERE ctid = (SELECT min(ctid) FROM released)")
    changed = command("check", target, "--certificate", paper)
    assert changed.returncode == NotMetError.exit_code
    for done in (first, again, checked, changed):
        assert PASSWORD not in done.stdout + done.stderr
    assert PASSWORD not in paper.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [paper.name]


@pytest.mark.parametrize(
    "words",
    [
        ("anonymize", "{source}", "{source}", "-q", "zip", "-k", "4", "-o", "{new}"),
        ("anonymize", "{source}", "-q", "nothing", "-k", "4", "-o", "{new}"),
        ("anonymize", "{source}", "-q", "zip", "-k", "4", "-o", "{new}.a.b"),
        ("anonymize", "{source}", "-q", "zip", "-k", "4", "-o", "here.sav"),
        ("anonymize", "{source}", "-q", "zip", "-k", "4", "-o", "{new}", "--certificate", "no/c"),
        ("anonymize", "{source}", "-q", "zip", "-k", "4", "-o", "{new}", "--what", "{source}"),
        ("check", "{source}x", "-q", "zip", "-k", "4"),
        ("anonymize", "here.csv", "-q", "zip", "-k", "4", "-o", "{new}"),
    ],
)
def test_no_failure_of_a_command_tells_the_password(address, run, tmp_path, words, command):
    (tmp_path / "here.csv").write_text("zip\n1\n1\n1\n1\n")
    given_ = {
        "source": address("people", password=PASSWORD),
        "new": address("told", password=PASSWORD),
    }
    done = command(*(word.format(**given_) for word in words))
    assert done.returncode in {2, 3}, done.stderr
    assert PASSWORD not in done.stdout + done.stderr
    assert "itself failed" not in done.stderr
    assert not there(run, "told")
    assert [path.name for path in Path(tmp_path).iterdir()] == ["here.csv"]


# Connections are given back


def queried(source, people):
    policy = policy_of(people, **REQUESTS["levels"])
    return query_precision(source, policy, parse("COUNT GROUP BY sex"))


VERBS = {
    "risk": lambda source, _: incrowd.risk(source, quasi=QUASI),
    "discover": lambda source, _: incrowd.discover(source),
    "draft": lambda source, _: incrowd.draft(source),
    "plan": lambda source, _: incrowd.plan(source, QUASI, population=1e6, k=10, beta=0.1),
    "groups": lambda source, _: incrowd.groups(source, k=3, columns=QUASI),
    "safe harbor": lambda source, _: incrowd.safe_harbor(source),
    "mask": lambda source, _: incrowd.mask(source, ratio=0.5, seed=1),
    "quantiles": lambda source, _: incrowd.quantiles(source, columns="weighing", k=5, seed=1),
    "attack": lambda source, people: incrowd.attack(
        source, original=source, world=people, knows=QUASI
    ),
    "check": lambda source, people: incrowd.check(
        source, policy_of(people, **REQUESTS["levels"]), original=source
    ),
    "query precision": queried,
    "release": lambda source, people: incrowd.anonymize(
        source, policy_of(people, **REQUESTS["levels"]), seed=1
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_no_connection_is_left(people, source, left, monkeypatch, verb):
    """Nor after an error, whose traceback keeps everything that the verb held."""
    VERBS[verb](source, people)
    assert left() <= 0
    errors, rows, failing = [], postgresql.PostgreSQL.rows, [0]

    def failed(self, query):
        failing[0] -= 1
        if not failing[0]:
            raise RuntimeError("no")
        return rows(self, query)

    def failed_batches(self, query):
        failed(self, query)
        return self._session.batches(self._with_source(query))

    monkeypatch.setattr(postgresql.PostgreSQL, "rows", failed)
    monkeypatch.setattr(postgresql.PostgreSQL, "batches", failed_batches)
    for place in (1, 2):
        failing[0] = place
        with pytest.raises(RuntimeError) as caught:
            VERBS[verb](source, people)
        errors.append(caught)
        assert left() <= 0, place
