"""Modules and names that are loaded when they are first used: the one lazy loader.

numba and SciPy take a second to load, and no `--help` needs them. A package whose `__init__` has
`__getattr__ = modules_of(__name__)` hands out its modules unloaded: the line `from incrowd.kernels
import fold` costs nothing, and the first `fold.name` loads it. Type checkers see the module itself.

A package that offers names of its modules writes them as imports under `if TYPE_CHECKING:`. Type
checkers read them there, and `names_of` reads the same lines at run time: there is one list.
"""

import linecache
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class _Unloaded(ModuleType):
    """Takes the place of a module until one of its names is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def module(name: str) -> ModuleType:
    """A stand-in for the module of this full name, which loads it when a name is first used."""
    return _Unloaded(name)


def modules_of(package: str) -> Callable[[str], ModuleType]:
    """Make a `__getattr__` that hands out a package's modules unloaded, else `AttributeError`."""

    def unloaded_module(name: str) -> ModuleType:
        full = f"{package}.{name}"
        if name.startswith("__") or find_spec(full) is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return module(full)

    return unloaded_module


def names_of(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make a `__getattr__` and a `__dir__` for a package that offers names of its modules.

    A name is loaded, with the module it is in, when it is first used (see `homes_of`); the modules
    of the package are handed out unloaded.
    """
    homes, unloaded = homes_of(package), modules_of(package)

    def load_name(name: str) -> Any:
        if name not in homes:
            return unloaded(name)
        return getattr(import_module(homes[name]), name)

    return load_name, lambda: sorted(homes)


def homes_of(name: str) -> dict[str, str]:
    """The modules that the module `name` imports names from under `if TYPE_CHECKING:`, by name.

    Each import must be a line of its own: `from incrowd.home import Name as Name`.
    """
    here = vars(sys.modules[name])
    found = {}
    for line in linecache.getlines(here["__file__"], here):
        if line.startswith("    from incrowd"):
            _, home, _, offered, *_ = line.split()
            found[offered] = home
    return found
