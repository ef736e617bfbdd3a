"""Compiled kernels that test runs keep for each other: a fresh clone need not compile for minutes.

A kernel's file is named by a digest of all that it was made from (`incrowd/kernels/store.py`), so
that one of other sources, or of another machine, is never taken for it.
"""

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

from incrowd.kernels.compile import CACHE
from incrowd.kernels.store import SUFFIX

KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "incrowd-tests"
DAYS = 30
"""How long a kernel is kept that no run has."""


def lend():
    """Copy what is kept to where this clone's kernels are."""
    if CACHE is not None:
        _copy(KEPT, CACHE)


def keep():
    """Copy this clone's kernels to those of all; forget what no run had for a while."""
    with suppress(OSError):
        KEPT.mkdir(parents=True, mode=0o700, exist_ok=True)
        if CACHE is not None:
            _copy(CACHE, KEPT)
            for kernel in CACHE.glob(f"*{SUFFIX}"):
                os.utime(KEPT / kernel.name)
        for kernel in KEPT.glob(f"*{SUFFIX}"):
            if time.time() - kernel.stat().st_mtime > DAYS * 24 * 3600:
                kernel.unlink()


def _copy(source, target):
    """Copy the kernels that the target lacks; others see each of them whole or not at all."""
    with suppress(OSError):
        for kernel in source.glob(f"*{SUFFIX}"):
            if not (target / kernel.name).exists():
                beside = target / f"{kernel.name}.{os.getpid()}"
                shutil.copyfile(kernel, beside)
                beside.replace(target / kernel.name)
