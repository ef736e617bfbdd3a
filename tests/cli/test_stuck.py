"""A command that is stuck in a library ends when it is asked to, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from incrowd.cli import stuck
from incrowd.table import fold

pytest.importorskip("fcntl")
STUCK = """
import hashlib, signal, sys
from pathlib import Path
from incrowd.cli.stuck import end_when_asked
from incrowd.engines.private_folders import PrivateFolder
from incrowd.io.atomic import new_file_beside
from incrowd.io.uninterrupted import delay_interrupts

def last_words(placed):
    print("placed" if placed else "nothing", flush=True)
    return 77

signal.signal(signal.SIGTERM, lambda *_: None)
with end_when_asked(last_words, grace=0.05), new_file_beside(Path("target.csv").absolute()):
    folder = PrivateFolder(Path.cwd())
    if sys.argv[1] == "placed":
        with delay_interrupts():
            pass
    print("stuck", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)  # hears no signal
"""


@pytest.mark.parametrize("when", ["before", "placed"])
def test_a_stuck_process_ends_and_removes_what_is_half_written(tmp_path, when):
    command = [sys.executable, "-c", STUCK, when]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "stuck\n"
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.02)
        assert process.stdout.read() == ("placed\n" if when == "placed" else "nothing\n")
    assert process.returncode == 77
    assert not list(tmp_path.iterdir())


def test_a_main_thread_that_works_is_left_alone():
    ended = []
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with stuck.end_when_asked(lambda placed: ended.append(placed) or 1):
            os.kill(os.getpid(), signal.SIGTERM)
            while len(stuck._CALLS) == 0:
                pass
    finally:
        signal.signal(signal.SIGTERM, before)
    assert not ended


def test_an_interrupt_does_not_wait_for_other_threads(monkeypatch):
    monkeypatch.setattr(fold, "threads", lambda: 2)
    ended, goes_on = [], threading.Event()

    def interrupted():
        raise KeyboardInterrupt

    def long():
        goes_on.wait(600)
        ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        fold.in_threads([interrupted, long])
    assert not ended
    goes_on.set()


def test_an_error_waits_for_other_threads(monkeypatch):
    monkeypatch.setattr(fold, "threads", lambda: 2)
    begun, ended = threading.Event(), []

    def failing():
        begun.wait(600)
        raise ValueError("told")

    def long():
        begun.set()
        ended.append(True)

    with pytest.raises(ValueError, match="told"):
        fold.in_threads([failing, long])
    assert ended
