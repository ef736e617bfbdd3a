"""What goes wrong on Spark's executors: jobs fail, workers die, tasks are repeated."""

import os

import polars as pl
import pytest

import incrowd
import incrowd.release.parts as by_parts
import servers
from engines import test_faults
from incrowd.engines.sql_engine import SqlEngine
from incrowd.errors import InfeasibleError, InputError

pytest.importorskip("pyspark")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]

CANARY, files, policy_of, told = (
    test_faults.CANARY,
    test_faults.files,
    test_faults.policy_of,
    test_faults.told,
)
out, people, private, small_parts = (
    test_faults.out,
    test_faults.people,
    test_faults.private,
    test_faults.small_parts,
)


@pytest.fixture
def spark_frame(people, tmp_path):
    """A data frame, of whose partitions most are empty."""
    path = tmp_path / "table.parquet"
    people.write_parquet(path)
    return servers.spark().read.parquet(f"file://{path}").repartition(9, "sex")


def jobs_become(monkeypatch, other):
    """Let another job do the work: a function of the one that would."""
    stage = SqlEngine.stage_parts

    def staged(self, plan, part, job, *more):
        return stage(self, plan, part, other(job), *more)

    monkeypatch.setattr(SqlEngine, "stage_parts", staged)


def dying_once(folder):
    """Wraps a job so that each worker dies when it gets a part for the first time."""

    class Dying:
        def __init__(self, job):
            self.job, self.adds = job, dict(job.adds)

        def __call__(self, part, rows):
            mark = folder / str(part)
            if not mark.exists():
                mark.touch()
                os._exit(1)
            return self.job(part, rows)

    return Dying


@pytest.mark.thorough
@pytest.mark.usefixtures("small_parts")
def test_a_task_that_is_repeated_makes_the_same_release(
    people, spark_frame, tmp_path, out, monkeypatch
):
    monkeypatch.setattr(by_parts, "PART", 2_000)
    policy, marks = policy_of(people), tmp_path / "marks"
    marks.mkdir()
    incrowd.anonymize(spark_frame, policy, out / "one", seed=3)
    jobs_become(monkeypatch, dying_once(marks))
    incrowd.anonymize(spark_frame, policy, out / "same", seed=3)
    assert len(files(marks)) == 2
    rows = [pl.read_parquet(out / name / "*.parquet") for name in ("one", "same")]
    assert rows[0].equals(rows[1])
    found = incrowd.check(out / "same", policy, out / "same.certificate.json", original=people)
    assert found.ok, found.notes


def failing(kind, words):
    """Makes a job that fails with a cell in its words, or refuses."""

    class Failing:
        def __init__(self, job):
            self.adds = dict(job.adds)

        def __call__(self, part, rows):  # noqa: ARG002  as a job is called
            raise kind(words)

    return Failing


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    ("kind", "words", "raised", "message"),
    [
        (ValueError, CANARY, InputError, "a part of the table cannot be searched"),
        (InfeasibleError, "not that large", InfeasibleError, "not that large"),
    ],
)
def test_a_job_that_fails_on_an_executor_tells_no_cell(  # noqa: PLR0917
    people, spark_frame, out, private, monkeypatch, kind, words, raised, message
):
    before = len(servers.spark_output())
    jobs_become(monkeypatch, failing(kind, words))
    with pytest.raises(raised, match=message) as caught:
        incrowd.anonymize(spark_frame, policy_of(people), out / "release", seed=3)
    assert CANARY not in told(caught.value)
    assert CANARY not in servers.spark_output()[before:]
    assert CANARY not in servers.spark_events()
    assert files(out) == []
    assert [name for name in files(private) if name.startswith("incrowd-")] == []


@pytest.mark.usefixtures("small_parts")
def test_a_job_that_always_kills_its_worker_is_an_error_of_ours(
    people, spark_frame, out, monkeypatch
):
    class Killing:
        def __init__(self, job):
            self.adds = dict(job.adds)

        def __call__(self, part, rows):  # noqa: ARG002  as a job is called
            os._exit(1)

    jobs_become(monkeypatch, Killing)
    with pytest.raises(InputError, match="Spark cannot search the parts") as caught:
        incrowd.anonymize(spark_frame, policy_of(people), out / "release", seed=3)
    assert CANARY not in told(caught.value)
    assert files(out) == []
