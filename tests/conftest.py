"""Hypothesis profiles for all tests: no deadline, as kernels compile on first use.

`--hypothesis-profile few` tries few examples of everything, also where a test asks for more: what
`make check` does. All modules are loaded at once: what a test sets on one that is not would be seen
by nobody.
"""

from importlib import import_module
from pkgutil import walk_packages

from hypothesis import settings

import incrowd

FEW = "few"

settings.register_profile("incrowd", deadline=None, max_examples=100)
settings.register_profile(FEW, deadline=None, max_examples=8)
settings.load_profile("incrowd")

for module in walk_packages(incrowd.__path__, "incrowd."):
    if not module.name.endswith("__main__"):
        import_module(module.name)


def pytest_collection_modifyitems(config, items):
    if config.getoption("--hypothesis-profile", None) != FEW:
        return
    most = settings.get_profile(FEW).max_examples
    for item in items:
        test = getattr(item, "obj", None)
        asked = getattr(test, "_hypothesis_internal_use_settings", None)
        if asked is not None and asked.max_examples > most:
            test._hypothesis_internal_use_settings = settings(asked, max_examples=most)
