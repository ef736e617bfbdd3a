"""How kernels are compiled: once per machine, without the interpreter's lock.

Where numba is a release that we know, kernels are compiled in our way (`entry.py`) and found again
by what they were made from (`store.py`); with any other numba, in its own way.

Compiled kernels are kept in the package's own `__pycache__`; where that cannot be written, in the
user's cache folder; where that cannot be written either, in a private folder among the temporary
ones. If even that fails they are compiled anew in each process, instead of failing as numba does.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import caching, event
from numba.misc import appdirs
from numba.np import linalg

from incrowd.kernels import entry, store
from incrowd.watch import PAUSE

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

KNOWN = frozenset({"0.68.1"})
"""The releases of numba whose private parts are as `entry.py` and `store.py` expect them."""
WHOLE = numba.__version__ in KNOWN
"""Whether kernels are compiled as a whole; with an unknown numba they are compiled in its way."""

_HERE = Path(__file__).resolve()
_CONFIG: Any = numba.config
_LOCATOR: Any = caching.UserWideCacheLocator
_FOLDERS: Any = appdirs.AppDirs
_LINALG: Any = linalg
_LISTENER: Any = event.Listener
_EVENT: Any = event


def _load_without_scipy() -> None:
    """Import the parts of numba that kernels need, without the SciPy that these would import.

    They only check that it is there. No kernel does linear algebra; other users of numba that do
    still get SciPy when they need it.
    """
    look = _LINALG.ensure_blas
    _LINALG.ensure_blas = lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        _LINALG.ensure_blas = look


_load_without_scipy()


def _is_writable(folder: Path) -> bool:
    """Whether files can be written to the folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Whether the folder, made if need be, is ours alone: compiled code is loaded from it."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return mine and not folder.is_symlink() and not found.st_mode & 0o022 and _is_writable(folder)


def _subfolder_name() -> str:
    """Return the name of the folder that numba keeps for the kernels of this package."""
    return str(_LOCATOR.get_suitable_cache_subpath(str(_HERE)))


def _cache_folder() -> Path | None:
    """Return a writable folder for kernels, None if there is none; tell numba of a private one."""
    if _CONFIG.CACHE_DIR:
        given = Path(_CONFIG.CACHE_DIR) / _subfolder_name()
        if _is_writable(given):
            return given
    for folder in (_HERE.parent / "__pycache__", _user_folder()):
        if _is_writable(folder):
            return folder
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    last = Path(tempfile.gettempdir()) / f"incrowd-kernels-{user}"
    if not _is_private(last):
        return None
    _CONFIG.CACHE_DIR = str(last)
    return last / _subfolder_name()


def _user_folder() -> Path:
    """Return the folder for kernels of this package in the user's cache, where numba has it."""
    return Path(_FOLDERS(appname="numba", appauthor=False).user_cache_dir) / _subfolder_name()


CACHE = _cache_folder()


def jit(kernel: Kernel) -> Kernel:
    """Return a kernel compiled at its first call, which runs without the interpreter's lock."""
    compiled: Any
    if WHOLE:
        compiled = entry.KernelEntry(kernel, store.Store(kernel, _kernel_name(kernel), CACHE))
    else:
        compiled = numba.njit(cache=CACHE is not None, nogil=True)(kernel)
        _stamp_by_all_sources(compiled)
    return cast("Kernel", compiled)


def _kernel_name(kernel: Callable[..., Any]) -> str:
    """Return the kernel's module and name, such as `fold.first_places`."""
    return f"{kernel.__module__.removeprefix(f'{__package__}.')}.{kernel.__name__}"


def _stamp_by_all_sources(compiled: Any) -> None:
    """Let numba compile a kernel again if one that it calls has changed, not its own file only."""
    file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        found = [Path(name).stat() for name in sorted(_source_files(compiled, set()))]
        file._source_stamp = (max(f.st_mtime for f in found), sum(f.st_size for f in found))  # noqa: SLF001  numba has no other door


def _source_files(compiled: Any, seen: set[str]) -> set[str]:
    """Return the files of a kernel and of all that it may call, added to `seen`."""
    kernel = compiled.py_func
    if kernel.__code__.co_filename not in seen:
        seen.add(kernel.__code__.co_filename)
        for called in kernel.__globals__.values():
            if hasattr(called, "py_func"):
                _source_files(called, seen)
    return seen


def first_call_compiles() -> bool:
    """Whether no kernel is kept yet: a best guess, as changed ones are compiled again, too."""
    if WHOLE and store.carried_fits():
        return False
    kept = () if CACHE is None else (*CACHE.glob("*.kernel"), *CACHE.glob("*.nbi"))
    return not kept


class _CompilationCounter(_LISTENER):  # type: ignore[misc]
    """Counts the kernels that are compiled; loading one that is kept is no compilation."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._number = 0

    def on_start(self, event: Any) -> None:
        """Count a compilation and tell its number; kernels that only kernels call do not count."""
        called = event.data["dispatcher"]
        if not WHOLE or isinstance(called, entry.KernelEntry):
            self._number += 1
            self._tell(self._number)

    def on_end(self, event: Any) -> None:
        """Do nothing; numba requires this method."""


class _Pausing(_LISTENER):  # type: ignore[misc]
    """Stops the clock of time limits while a kernel is compiled."""

    def on_start(self, event: Any) -> None:  # noqa: ARG002  numba's seam
        """Stop the clock; compilations that this one needs may do so again."""
        PAUSE.__enter__()

    def on_end(self, event: Any) -> None:  # noqa: ARG002  numba's seam
        """Let the clock go on, unless another compilation has not ended."""
        PAUSE.__exit__()


_EVENT.register("numba:compile", _Pausing())


@contextmanager
def report_compilations(tell: Callable[[int], None]) -> Iterator[None]:
    """Call `tell` for each kernel that is compiled in the block, with its number from 1 on."""
    with event.install_listener("numba:compile", _CompilationCounter(tell)):
        yield
