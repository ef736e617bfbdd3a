"""Processes that tests start and interrupt."""

import os
import signal
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def hears_interrupts():
    """What runs in the background hears no Ctrl-C, and neither do those that it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def let_work(process, seconds):
    """Wait until a process has computed for so long, however much else the machine does.

    Time that it spends waiting, for the disk or for its turn, does not count.
    """
    while process.poll() is None and computed(process.pid) < seconds:
        time.sleep(0.05)


def computed(pid):
    """Seconds that a process of ours has computed."""
    words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICKS
