"""The worker: one job at a time, progress, cancelling, and a process that is lost."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from incrowd.datasets import hospital
from incrowd.policy.draft import to_toml
from incrowd.verbs.draft import draft
from incrowd.web import worker as workers
from incrowd.web.events import Cancelled, Done, Failed, Progress
from incrowd.web.jobs import AskWhatIf, Explore, OpenTable, SearchPolicy, ShowHistogram, TableFile
from incrowd.web.worker import Worker

pytestmark = pytest.mark.slow
BOTH = ("crowd", "lattice")
ROWS = 300


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("worker") / "patients.csv"
    hospital(ROWS).write_csv(path)
    return TableFile(str(path))


@pytest.fixture(scope="module")
def policy():
    return to_toml(draft(hospital(ROWS)))


@pytest.fixture(scope="module")
def ask():
    """Run a test's coroutine with a worker that others had before."""
    worker = Worker()
    with asyncio.Runner() as runner:
        yield lambda work: runner.run(asyncio.wait_for(work(worker), 240))
        worker.close()


def run(work):
    """Run a test's coroutine with a worker of its own, which is ended afterwards."""

    async def all_of_it():
        worker = Worker()
        try:
            return await asyncio.wait_for(work(worker), 240)
        finally:
            worker.close()

    return asyncio.run(all_of_it())


async def begun(ticket):
    """Wait for the first progress of a job: it is at work then."""
    event = await anext(aiter(ticket))
    assert isinstance(event, Progress), event


def test_answers_come_and_errors_are_those_of_the_library(ask, table, tmp_path):
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 Zq7marker nothing of the kind PAR1")

    async def work(worker):
        heard = []
        looked = await worker.submit(OpenTable(table)).wait_for_end(heard.append)
        missing = await worker.submit(
            OpenTable(TableFile(str(tmp_path / "none.csv")))
        ).wait_for_end()
        wrong = await worker.submit(OpenTable(TableFile(str(broken)))).wait_for_end()
        again = await worker.submit(OpenTable(table)).wait_for_end()
        return looked, heard, missing, wrong, again

    looked, heard, missing, wrong, again = ask(work)
    assert isinstance(looked, Done)
    assert looked.value.records == ROWS
    assert heard
    assert all(0 <= one.share <= 1 for one in heard)
    assert isinstance(missing, Failed)
    assert (missing.exit_code, missing.remedy) == (3, "choose another file")
    assert isinstance(wrong, Failed)
    assert wrong.exit_code == 3
    assert "Zq7marker" not in wrong.message + wrong.remedy
    assert again == looked


def test_an_unexpected_error_is_one_sentence_without_a_cell(ask, table, policy):
    async def work(worker):
        return await worker.submit(ShowHistogram(table, policy, ["no name"])).wait_for_end()

    failed = ask(work)
    assert isinstance(failed, Failed)
    assert "Traceback" not in failed.message


def test_a_killed_worker_is_told_and_the_next_job_works(table, policy):
    async def work(worker):
        first = worker.submit(SearchPolicy(table, policy))
        await begun(first)
        before = worker.pid
        os.kill(before, signal.SIGKILL)
        lost = await first.wait_for_end()
        looked = await worker.submit(OpenTable(table)).wait_for_end()
        return lost, looked, before, worker.pid

    lost, looked, before, after = run(work)
    assert lost == workers.LOST
    assert "ended unexpectedly" in lost.message
    assert isinstance(looked, Done)
    assert before != after


def test_a_search_is_cancelled_and_the_next_job_works(ask, table, policy):
    async def work(worker):
        ticket = worker.submit(Explore(table, policy, searches=BOTH, seconds=60.0))
        await begun(ticket)
        worker.cancel()
        ended = await ticket.wait_for_end()
        looked = await worker.submit(OpenTable(table)).wait_for_end()
        return ended, looked, worker.busy

    ended, looked, busy = ask(work)
    assert isinstance(ended, Cancelled)
    assert isinstance(looked, Done)
    assert not busy


def test_a_job_that_does_not_listen_is_ended_with_its_process(table, tmp_path):
    """Reading a pipe that nobody writes to waits for ever."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)

    async def work(worker):
        worker.start()
        assert isinstance(await worker.submit(OpenTable(table)).wait_for_end(), Done)
        stuck = worker.submit(OpenTable(TableFile(str(pipe))))
        waiting = worker.submit(OpenTable(table))
        await begun(stuck)
        before = worker.pid
        worker.cancel()
        ended = [await stuck.wait_for_end(), await waiting.wait_for_end()]
        looked = await worker.submit(OpenTable(table)).wait_for_end()
        return ended, looked, before, worker.pid

    ended, looked, before, after = run(work)
    assert all(isinstance(one, Cancelled) for one in ended)
    assert isinstance(looked, Done)
    assert before != after


def test_a_new_what_if_replaces_one_that_waits(ask, table, policy):
    async def work(worker):
        first = worker.submit(OpenTable(table))
        old, new = worker.submit(AskWhatIf(table, policy)), worker.submit(AskWhatIf(table, policy))
        return await first.wait_for_end(), await old.wait_for_end(), await new.wait_for_end()

    first, old, new = ask(work)
    assert isinstance(first, Done)
    assert old == workers.REPLACED
    assert isinstance(new, Done)


def test_a_long_search_gives_way_to_a_question(ask, table, policy):
    async def work(worker):
        long = worker.submit(Explore(table, policy, searches=BOTH, seconds=60.0))
        await begun(long)
        answer = await worker.submit(AskWhatIf(table, policy)).wait_for_end()
        return await long.wait_for_end(), answer

    long, answer = ask(work)
    assert long == workers.REPLACED
    assert isinstance(answer, Done)


def test_points_come_one_by_one(ask, table, policy):
    async def work(worker):
        job = Explore(table, policy, searches=("mondrian",), ks=(3, 5), suppressions=(0.0,))
        points = []
        ended = await worker.submit(job).wait_for_end(lambda one: points.append(one.value))
        return [one for one in points if one is not None], ended

    points, ended = ask(work)
    assert isinstance(ended, Done)
    assert tuple(points) == ended.value
    assert [one.answer.after.k for one in points] == [3, 5]
    assert points[0].answer.loss < points[1].answer.loss


def test_closing_ends_the_process(table):
    async def work(worker):
        await worker.submit(OpenTable(table)).wait_for_end()
        return worker.pid

    pid = run(work)
    for _ in range(1_800):
        if not Path(f"/proc/{pid}").exists():
            break
        time.sleep(0.1)
    assert not Path(f"/proc/{pid}").exists()
