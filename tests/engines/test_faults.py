"""What goes wrong on the way: memory, disk, changed files, jobs and workers that fail.

Whatever it is, the target stays as it was, the private copy of the table goes, and no error, log or
file tells a cell.
"""

import errno
import os
import subprocess
import threading
import traceback
from pathlib import Path

import polars as pl
import pytest

import incrowd
import incrowd.release.parts as by_parts
from incrowd.datasets import hospital
from incrowd.engines import duckdb as duckdb_engine
from incrowd.engines.duckdb import DuckDB
from incrowd.engines.sql_engine import SqlEngine
from incrowd.errors import IncrowdError, InfeasibleError, InputError, LimitError
from incrowd.policy.policy import Column, Policy
from incrowd.release.parts import RecodingJob
from incrowd.search import Crowd
from incrowd.watch import Watch

duckdb = pytest.importorskip("duckdb")

CANARY = "Zanzibar-Canary-4711"
QUASI = ("birth_date", "zip", "sex")
MIB = 2**20


def relation(frame):
    connection = duckdb.connect()
    connection.register("given", frame.to_arrow())
    connection.execute("CREATE TABLE held AS SELECT * FROM given")
    return connection.table("held")


def told(error):
    """All that an error says or leads to, with the lines of its traceback."""
    texts = traceback.format_exception(error)
    while error is not None:
        texts += [repr(error), str(vars(error))]
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture(autouse=True)
def private(tmp_path, monkeypatch):
    """The folder that private files are made in."""
    folder = tmp_path / "private"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def out(tmp_path):
    """A folder for releases."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


# Memory and disk


@pytest.fixture(scope="module")
def wide():
    """Many long cells, each with the canary."""
    size = 60_000
    return pl.DataFrame(
        {
            "zip": [f"{CANARY}-{i % 900}-{'x' * 40}" for i in range(size)],
            "age": [i % 9 for i in range(size)],
            "name": [f"{CANARY} {i} {'y' * 60}" for i in range(size)],
        }
    )


WIDE = Policy(
    columns={
        "zip": Column(role="quasi"),
        "age": Column(role="quasi"),
        "name": Column(role="keep", derived="accept", alone="accept"),
    },
    models=(incrowd.KAnonymity(2),),
    search="lattice",
    suppression=0.5,
)


def spill_at_most(monkeypatch, size):
    """Let DuckDB write only so much to the disk of what does not fit into memory."""
    set_table = DuckDB.set_table

    def limited(self, *given):
        self.run(f"SET max_temp_directory_size = '{size}'")
        return set_table(self, *given)

    monkeypatch.setattr(DuckDB, "set_table", limited)


@pytest.mark.parametrize("before", [None, b"the release of yesterday"])
@pytest.mark.parametrize(
    ("memory", "spill", "words"),
    [(8, "1TB", "memory"), (40, "1TB", "memory"), (40, "1MB", "disk space")],
)
def test_what_runs_out_is_told_and_nothing_is_half_written(  # noqa: PLR0917
    wide, out, private, monkeypatch, memory, spill, words, before
):
    monkeypatch.setattr(DuckDB.__init__, "__defaults__", (None, memory * MIB))
    spill_at_most(monkeypatch, spill)
    target = out / "release.parquet"
    if before is not None:
        target.write_bytes(before)
    with pytest.raises(LimitError, match=f"ran out of {words}") as caught:
        incrowd.anonymize(relation(wide), WIDE, target, seed=1)
    assert caught.value.exit_code == 5
    assert CANARY not in told(caught.value)
    assert files(out) == ([] if before is None else ["release.parquet"])
    assert before is None or target.read_bytes() == before
    assert files(private) == []


@pytest.fixture
def small_disk(tmp_path):
    """A disk of one megabyte, if we may make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(made, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("where", ["private", "target"])
def test_a_disk_that_is_full(wide, small_disk, out, monkeypatch, where):
    if where == "private":
        monkeypatch.setattr("tempfile.tempdir", str(small_disk))
        target = out / "release.parquet"
    else:
        target = small_disk / "release.parquet"
    rows = wide.with_columns(pl.col("name").hash(1).cast(pl.String) + pl.col("name"))
    with pytest.raises(LimitError, match="ran out of disk space") as caught:
        incrowd.anonymize(relation(rows), WIDE, target, seed=1)
    assert CANARY not in told(caught.value)
    assert files(out) == files(small_disk) == []


def test_a_folder_for_private_files_that_is_not_there(wide, out, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(out / "none"))
    with pytest.raises(InputError, match="TMPDIR"):
        incrowd.anonymize(relation(wide), WIDE, out / "release.parquet", seed=1)
    assert files(out) == []


# A file that changes


@pytest.fixture(scope="module")
def people():
    rows = pl.int_range(pl.len())
    return hospital(3_000, seed=4).with_columns(
        pl.when(rows % 41 != 0).then(pl.col("sex")).alias("sex"),
        (rows % 7).cast(pl.Float64).alias("visits"),
        pl.lit(CANARY).alias("name"),
    )


def policy_of(frame, **more):
    roles = dict.fromkeys(frame.columns, Column(role="drop"))
    roles |= {name: Column(role="quasi") for name in QUASI}
    roles |= {"diagnosis": Column(role="sensitive")}
    roles |= {"visits": Column(role="keep", derived="accept", alone="accept")}
    models = more.pop("models", (incrowd.KAnonymity(4),))
    return Policy(columns=roles, models=models, **({"search": Crowd(effort=0)} | more))


def overwritten(path, frame):
    frame.head(100).write_parquet(path)


def overwritten_with_as_many_rows(path, frame):
    frame.with_columns(pl.lit("flu").alias("diagnosis")).write_parquet(path)


def with_other_columns(path, frame):
    frame.select("zip").write_parquet(path)


def cut_short(path, _):
    path.write_bytes(path.read_bytes()[:1000])


def removed(path, _):
    path.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("when", ["stage", "write"])
@pytest.mark.parametrize(
    "change",
    [overwritten, overwritten_with_as_many_rows, with_other_columns, cut_short, removed],
)
def test_a_file_that_changes_between_the_passes_is_refused(  # noqa: PLR0917
    people, tmp_path, out, monkeypatch, change, when
):
    path = tmp_path / "table.parquet"
    people.write_parquet(path)

    def watched(_):
        database = DuckDB()
        database.set_foreign_table(path)
        return SqlEngine(database)

    monkeypatch.setattr(duckdb_engine, "engine_of", watched)
    changing = SqlEngine if when == "stage" else DuckDB
    method = getattr(changing, when)

    def changed(self, *given):
        change(path, people)
        return method(self, *given)

    monkeypatch.setattr(changing, when, changed)
    policy = policy_of(people, search="mondrian")
    with pytest.raises(InputError) as caught:
        incrowd.anonymize(relation(people), policy, out / "release.parquet", seed=1)
    assert CANARY not in told(caught.value)
    assert files(out) == []


# Parts


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(by_parts, "PART", 400)
    monkeypatch.setattr(by_parts, "_FILLED", 5)
    monkeypatch.setattr(by_parts.part_release_of, "__defaults__", (1_000,))


@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
def test_a_part_that_cannot_be_stored_for_want_of_space(people, out, private, monkeypatch):
    write = pl.DataFrame.write_parquet

    def full(self, file, **more):
        if Path(file).parent.name == "after":
            raise OSError(errno.ENOSPC, CANARY)
        return write(self, file, **more)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(LimitError, match="ran out of disk space") as caught:
        incrowd.anonymize(relation(people), policy_of(people), out / "r.parquet", seed=1)
    assert CANARY not in told(caught.value)
    assert files(out) == files(private) == []


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("failure", [ValueError, OSError, AssertionError])
def test_a_job_that_fails_tells_no_cell_and_no_other_is_begun(
    people, out, private, monkeypatch, failure
):
    begun = []

    def fail(_, part, rows):  # noqa: ARG001  as the job is called
        begun.append(part)
        raise failure(CANARY)

    monkeypatch.setattr(RecodingJob, "__call__", fail)
    with pytest.raises(InputError, match="a part of the table cannot be searched") as caught:
        incrowd.anonymize(relation(people), policy_of(people), out / "r.parquet", seed=1)
    assert CANARY not in told(caught.value)
    assert len(begun) <= (os.cpu_count() or 1)
    assert files(out) == files(private) == []


@pytest.mark.usefixtures("small_parts")
def test_what_a_job_refuses_is_told_as_it_is(people, out, monkeypatch):
    refusal = InfeasibleError("no class of this part can be that large", proved=True)

    def refuse(*_):
        raise refusal

    monkeypatch.setattr(RecodingJob, "__call__", refuse)
    with pytest.raises(InfeasibleError) as caught:
        incrowd.anonymize(relation(people), policy_of(people), out / "r.parquet", seed=1)
    assert caught.value is refusal
    assert files(out) == []


@pytest.mark.usefixtures("small_parts")
def test_an_interruption_leaves_nothing(people, out, private, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(RecodingJob, "__call__", interrupt)
    with pytest.raises(KeyboardInterrupt):
        incrowd.anonymize(relation(people), policy_of(people), out / "r.parquet", seed=1)
    assert files(out) == files(private) == []


class Doubling:
    """A job that adds two columns."""

    adds = {"class": pl.Int64(), "s0": pl.String()}  # noqa: RUF012  as a job has it

    def __call__(self, part, rows):
        made = rows.with_columns(pl.lit(part, pl.Int64).alias("class"), pl.lit("a").alias("s0"))
        return made.head(0) if part == 1 else made


def test_no_part_at_all_and_a_part_of_which_nothing_leaves(people):
    engine = duckdb_engine.engine_of(relation(people))
    query = "SELECT row, row % 3 AS part, 0 AS u FROM source"
    engine.database.apply("none", f"{query} WHERE row < 0", Doubling(), Watch())
    found = engine.database.rows("SELECT * FROM none")
    assert found.schema == {"row": pl.Int64, "u": pl.Int32, "class": pl.Int64, "s0": pl.String}
    assert found.is_empty()
    engine.database.apply("several", query, Doubling(), Watch())
    query = "SELECT class, count(*) AS n FROM several GROUP BY class ORDER BY class"
    found = engine.database.rows(query)
    assert found.rows() == [(0, 1_000), (2, 1_000)]


def observed(monkeypatch):
    """The sizes of the parts that jobs work on."""
    sizes, work = [], RecodingJob.__call__

    def seen(self, part, rows):
        sizes.append(len(rows))
        return work(self, part, rows)

    monkeypatch.setattr(RecodingJob, "__call__", seen)
    return sizes


@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
def test_parts_smaller_than_k_are_joined(people, out, monkeypatch):
    monkeypatch.setattr(by_parts, "PART", 15)
    monkeypatch.setattr(by_parts, "_FILLED", 1)
    sizes, target = observed(monkeypatch), out / "release.parquet"
    some = people.head(1_200)
    policy = policy_of(some, models=(incrowd.KAnonymity(20),))
    release = incrowd.anonymize(relation(some), policy, target, seed=1)
    assert len(sizes) > 30
    assert min(sizes) >= 20
    assert sum(sizes) == release.records == len(some)
    assert release.k >= 20
    assert incrowd.check(target, None, f"{target}.certificate.json").ok


@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("columns", [("zip",), QUASI])
def test_values_that_fill_half_of_the_table(people, out, monkeypatch, columns):
    half = pl.int_range(pl.len()) % 2 == 0
    rows = people.with_columns(
        pl.when(half).then(pl.col(name).first()).otherwise(pl.col(name)).alias(name)
        for name in columns
    )
    sizes, target = observed(monkeypatch), out / "release.parquet"
    policy = policy_of(rows, models=(incrowd.KAnonymity(4), incrowd.LDiversity("diagnosis", 2)))
    release = incrowd.anonymize(relation(rows), policy, target, seed=1)
    assert len(sizes) > 1
    assert sum(sizes) == release.records == len(rows)
    found = incrowd.check(target, policy, f"{target}.certificate.json", original=rows)
    assert found.ok, found.notes


# Two runs


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_of_two_runs_into_one_file_one_wins_whole(people, out, monkeypatch, ending):
    target, together, errors = out / f"release.{ending}", threading.Barrier(2), []
    write = DuckDB.write

    def at_once(self, *given):
        together.wait(600)
        made = write(self, *given)
        together.wait(600)
        return made

    monkeypatch.setattr(DuckDB, "write", at_once)

    def run(k):
        policy = policy_of(people, search="lattice", models=(incrowd.KAnonymity(k),))
        try:
            incrowd.anonymize(relation(people), policy, target, seed=k)
        except IncrowdError as error:
            errors.append(error)

    runs = [threading.Thread(target=run, args=(k,)) for k in (4, 40)]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    assert len(errors) <= 1
    assert not any(CANARY in told(error) for error in errors)
    assert files(out) == [f"release.{ending}", f"release.{ending}.certificate.json"]
    found = incrowd.check(target, None, f"{target}.certificate.json")
    assert found.digest_ok
    assert found.ok, found.notes
