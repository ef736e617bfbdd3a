"""Compiled kernels, kept in files whose names say what they were made from.

A name holds a digest of everything that the machine code depends on: the sources of the kernel and
of all that it can reach, the types of its arguments, the processor, and the releases of Python,
numba and LLVM. A file of another name is not looked at, so time stamps do not matter. Two folders
may hold kernels: the package itself (`CARRIED`, put there when a wheel is built) and the folder of
this machine. The files are pickles, as numba's own are: whoever can write them can run code.

A kernel is compiled by one process at a time; others wait for it, or do something else meanwhile.
"""

import hashlib
import os
import pickle
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import caching, compiler, serialize
from numba.core.registry import cpu_target

from incrowd.kernels import signatures
from incrowd.kernels.entry import strip_kernel
from incrowd.watch import PAUSE

try:
    import fcntl
except ImportError:  # not on Windows: there every process compiles for itself
    fcntl = None  # type: ignore[assignment]

LOCKS = fcntl is not None
"""Whether processes can wait for each other."""

CARRIED = Path(__file__).with_name("carried")
"""Kernels that came with the package."""
BASELINES = {
    ("Linux", "x86_64"): (
        "x86-64-v3",
        "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+fxsr,+lzcnt,+movbe,+popcnt,+sahf,"  # noqa: ISC004  one text
        "+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave",
    ),
}
"""The processor, as LLVM names it, that carried kernels are made for, and what it must be able to
do: nearly all of those sold since 2015."""
SUFFIX = ".kernel"
PATIENCE = 120.0
"""Seconds to wait for a kernel that another process compiles."""
_STEP = 0.02
_ENTRY = str(Path(__file__).with_name("entry.py"))
_CACHE: Any = caching.NullCache
_TARGET: Any = cpu_target
_RESULT: Any = compiler.CompileResult
_SERIALIZE: Any = serialize


class Store(_CACHE):  # type: ignore[misc]
    """What was compiled of one kernel."""

    waits = True
    """Whether to wait for a kernel that another process compiles; if not, `Busy` is raised."""

    def __init__(self, kernel: Any, name: str, folder: Path | None) -> None:
        self._kernel, self._name, self._folder = kernel, name, folder
        self._claim: int | None = None

    @property
    def cache_path(self) -> str | None:
        """Where kernels compiled here go, None if nowhere."""
        return None if self._folder is None else str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel compiled for these types; None if this process must compile it now.

        While another process compiles it, wait for `PATIENCE` at most, or raise `Busy` (`waits`).
        """
        target_context.refresh()
        USED[self._name, text_of(sig)] = None
        found = self._load_stored(sig)
        if found is None and self._folder is not None:
            with PAUSE:
                self._claim = _claim_lock(self._path(sig), waits=Store.waits)
            found = self._load_stored(sig)  # by another process, while we waited
        if found is None:
            return None
        return _RESULT._rebuild(target_context, *found)  # noqa: SLF001  as numba's own does

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel in a file, and delete those made from former sources.

        Nothing is kept without a folder, or if the kernel refers to places in memory.
        """
        if self._folder is None or data.library.has_dynamic_globals:
            return
        path = self._path(sig)
        with suppress(OSError):  # a full disk: the kernel is compiled again next time
            _write_whole(path, _SERIALIZE.dumps(strip_kernel(data)))
            former = path.name.rpartition("-")[0]
            for old in self._folder.glob(f"{former}-*{SUFFIX}"):
                if old != path:
                    old.unlink()

    def unlock(self) -> None:
        """Let other processes compile this kernel."""
        claim, self._claim = self._claim, None
        if claim is not None:
            os.close(claim)

    def is_kept(self, sig: Any) -> bool:
        """Whether a kernel compiled for these types is in a file."""
        return any(path.exists() for path in self._paths(sig))

    def _paths(self, sig: Any) -> Iterator[Path]:
        """Yield the files in which a kernel compiled for these types may be."""
        if carried_fits():
            yield CARRIED / self._file_name(sig, _baseline_key())
        if self._folder is not None:
            yield self._path(sig)

    def _load_stored(self, sig: Any) -> Any:
        """Return what is kept of the kernel for these types, None if nothing."""
        return next(filter(None, map(_read_kernel, self._paths(sig))), None)

    def _path(self, sig: Any) -> Path:
        """Return the file for these types in the folder of this machine."""
        assert self._folder is not None  # noqa: S101  callers have asked
        return self._folder / self._file_name(sig, machine_key())

    def _file_name(self, sig: Any, made_for: str) -> str:
        """Return a name made from the kernel, types, machine and sources of what is kept."""
        takes = text_of(sig)
        place = _digest(made_for, takes)[:12]
        whole = _digest(made_for, takes, source_digest(self._kernel))[:24]
        return f"{self._name}-{place}-{whole}{SUFFIX}"


class Busy(Exception):  # noqa: N818  no error: somebody else does the work
    """Another process compiles this kernel at the moment."""


USED: dict[signatures.Signature, None] = {}
"""What this process has called, in order of the first call; values mean nothing."""


def text_of(sig: Any) -> str:
    """Return the types of arguments as text, numba's own where `types_as_text` has none."""
    try:
        return signatures.types_as_text(sig)
    except ValueError:
        return str(sig)


def _digest(*parts: str) -> str:
    """Return the SHA-256 of the parts, a line each, in hexadecimal."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@cache
def machine_key() -> str:
    """Return what compiled code depends on beside its source: releases, processor, `entry.py`."""
    return _platform_key(*_TARGET.target_context.codegen().magic_tuple())


def _platform_key(*processor: str) -> str:
    """Return releases, processor and the digest of `entry.py` as one text."""
    releases = (sys.implementation.cache_tag, numba.__version__, llvmlite.__version__)
    return "\n".join((*releases, *processor, _file_digest(_ENTRY)))


def _baseline_key() -> str:
    """Return what `machine_key` does for the processor that carried kernels are made for."""
    triple = _TARGET.target_context.codegen().magic_tuple()[0]
    return _platform_key(triple, *BASELINES[platform.system(), platform.machine()])


@cache
def carried_fits() -> bool:
    """Whether the package carries kernels, and this processor can do what they need."""
    baseline = BASELINES.get((platform.system(), platform.machine()))
    if baseline is None or not CARRIED.is_dir():
        return False
    return _has_features(_TARGET.target_context.codegen().magic_tuple()[2], baseline[1])


def _has_features(features: str, needed: str) -> bool:
    """Whether a processor has all features that are needed; both are names with commas between."""
    return set(needed.split(",")) <= set(features.split(","))


@cache
def source_digest(kernel: Any) -> str:
    """Return a digest of the sources of a kernel and of all it can reach, with their constants."""
    return _digest(*sorted(_collect_reached(kernel, {}).values()))


def _collect_reached(kernel: Any, seen: dict[Any, str]) -> dict[Any, str]:
    """Return `seen`, with all functions, constants and files that a kernel can reach added."""
    function = getattr(kernel, "py_func", kernel)
    if function in seen:
        return seen
    code = function.__code__
    seen[function] = (
        f"{function.__module__}.{function.__qualname__} {_file_digest(code.co_filename)}"
    )
    around = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    outside = function.__globals__ | {name: cell.cell_contents for name, cell in around.items()}
    for name in {*_global_names(code), *around} & outside.keys():
        value = outside[name]
        if hasattr(value, "py_func"):
            _collect_reached(value, seen)
        elif (said := _constant_text(value)) is not None:
            seen[function, name] = f"{function.__module__}.{name} {said}"
    return seen


def _global_names(code: CodeType) -> set[str]:
    """Return the global names that a function uses, those of functions within it, too."""
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(_global_names, inner))


def _constant_text(value: Any) -> str | None:
    """Return a constant as text, None if kernels cannot use it."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return repr([_constant_text(part) for part in value])
    if isinstance(value, type) and hasattr(value, "_fields"):
        return repr(value._fields)  # a kernel reads the fields of a named tuple by their place
    plain = isinstance(value, int | float | complex | str | bytes | np.generic)
    return repr(value) if plain else None


@cache
def _file_digest(name: str) -> str:
    """Return the digest of a file, empty if it cannot be read."""
    with suppress(OSError):
        return hashlib.sha256(Path(name).read_bytes()).hexdigest()
    return ""


def _read_kernel(path: Path) -> Any:
    """Return what a file holds; None if there is none, or it is not as it was written."""
    try:
        digest, data = (held := path.read_bytes())[:32], held[32:]
    except OSError:
        return None
    if hashlib.sha256(data).digest() != digest:
        return None
    return pickle.loads(data)  # noqa: S301  from our own folders only


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file that others see whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(hashlib.sha256(data).digest() + data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _claim_lock(path: Path, *, waits: bool) -> int | None:
    """Take the lock on a kernel and return the open file, whose closing ends the lock.

    None where there are no locks, or if the other process takes longer than `PATIENCE`; `Busy` at
    once if another process has it and we do not wait. The lock ends with this process.
    """
    if fcntl is None:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path.parent / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None
    return lock if _try_lock(lock, path, waits=waits) else None


def _try_lock(lock: int, path: Path, *, waits: bool) -> bool:
    """Lock the kernel's byte in the file of locks, or close the file; whether the lock is ours.

    It is not if another process keeps it for `PATIENCE`; without `waits`, that is `Busy` at once.
    """
    byte = int(_digest(path.name)[:12], 16)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except BlockingIOError:
            if not waits:
                os.close(lock)
                raise Busy from None
            time.sleep(_STEP)
        except OSError:
            break
        else:
            return True
    os.close(lock)
    return False


@contextmanager
def raise_if_busy() -> Iterator[None]:
    """Raise `Busy` within the block instead of waiting for what another process compiles."""
    Store.waits = False
    try:
        yield
    finally:
        Store.waits = True
