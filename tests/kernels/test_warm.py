"""Kernels are compiled ahead, by helpers too, and nothing depends on their health."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

import incrowd.kernels.compile as compiling
from incrowd.kernels import signatures, store, warm

ONE = ("histogram.sum_by_class", '[["int32", 1, "C"], ["int64", 1, "C"], "int64"]')


HOLD = """
import sys
from pathlib import Path
from incrowd.kernels import store
store._claim_lock(Path({!r}), waits=True)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def started(monkeypatch):
    """The helpers that are started; each of them only waits for its input to end."""
    found = []

    def start(_):
        command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
        found.append(subprocess.Popen(command, stdin=subprocess.PIPE))
        return found[-1]

    monkeypatch.setattr(warm, "_start_helper", start)
    monkeypatch.setattr(warm, "_usable_cores", lambda: 3)
    monkeypatch.setattr(compiling, "first_call_compiles", lambda: True)
    return found


def test_helpers_leave_a_core_to_the_run_and_end_with_it(started):
    with warm.run_helpers("risk"):
        assert [one.poll() for one in started] == [None, None]
    assert all(one.poll() is not None for one in started)


def test_helpers_end_when_the_run_fails_or_they_have_died(started):
    with suppress(KeyError), warm.run_helpers("risk"):
        started[0].send_signal(signal.SIGKILL)
        raise KeyError
    assert all(one.poll() is not None for one in started)


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(warm, "_usable_cores", lambda: 1),
        lambda patch: patch.setattr(compiling, "CACHE", None),
        lambda patch: patch.setattr(compiling, "first_call_compiles", lambda: False),
        lambda patch: patch.setattr(compiling, "WHOLE", False),
        lambda patch: patch.setattr(store, "LOCKS", False),
    ],
)
def test_where_helpers_are_no_help_there_are_none(started, monkeypatch, change):
    change(monkeypatch)
    with warm.run_helpers("risk"):
        assert not started


def test_a_helper_ends_with_the_process_that_started_it():
    helper = warm._start_helper("no such verb")
    helper.stdin.close()
    assert helper.wait(600) == 0


@pytest.mark.slow
def test_a_helper_whose_work_is_done_ends_in_peace_though_its_input_is_open():
    helper = warm._start_helper("no such verb")
    assert helper.wait(600) == 0
    helper.stdin.close()


@pytest.mark.slow
def test_a_helper_compiles_into_the_folder_of_the_run(tmp_path):
    script = f"import incrowd.kernels.warm as w; print(len(list(w.compile_all([{ONE!r}]))))"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    (found,) = tmp_path.rglob("*.kernel")
    assert found.name.startswith("histogram.sum_by_class-")


def test_what_another_process_compiles_is_left_to_it(tmp_path):
    """The lock of a process that was killed is free again."""
    path = tmp_path / "a.kernel"
    hold = HOLD.format(str(path))
    other = subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout.readline() == b"held\n"
    with pytest.raises(store.Busy):
        store._claim_lock(path, waits=False)
    other.kill()
    other.communicate()
    for waits in (False, True):
        lock = store._claim_lock(path, waits=waits)
        assert lock is not None
        os.close(lock)


def test_a_folder_that_cannot_be_written_has_no_locks():
    assert store._claim_lock(store.Path("/proc/nowhere/a.kernel"), waits=True) is None


def test_every_verb_has_its_kernels():
    verbs = signatures.load_signatures()
    assert {"anonymize", "risk", "discover", "check", "attack"} <= set(verbs)
    for one in verbs.values():
        assert set(one) <= set(verbs["all"])
