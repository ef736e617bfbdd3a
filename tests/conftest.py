"""Hypothesis profiles for all tests: no deadline, as kernels compile on first use.

A test says how many examples it takes to be sure. `--hypothesis-profile many` (`make thorough`)
tries as many; the default half of them and at most 50, as every run draws new ones; `few`
(`make check`) at most 8. All modules are loaded at once: what a test sets on one that is not would
be seen by nobody.
"""

from importlib import import_module
from pkgutil import walk_packages

from hypothesis import settings

import incrowd

DEFAULT, FEW, MANY = "incrowd", "few", "many"
LEAST, MOST = 8, 50

for profile in (DEFAULT, FEW, MANY):
    settings.register_profile(profile, deadline=None, max_examples=100)
settings.load_profile(DEFAULT)

for module in walk_packages(incrowd.__path__, "incrowd."):
    if not module.name.endswith("__main__"):
        import_module(module.name)


def pytest_collection_modifyitems(config, items):
    profile = config.getoption("--hypothesis-profile", None) or DEFAULT
    if profile == MANY:
        return
    for test in {getattr(item, "obj", None) for item in items}:
        asked = getattr(test, "_hypothesis_internal_use_settings", None)
        if asked is not None:
            examples = tried(asked.max_examples, profile)
            test._hypothesis_internal_use_settings = settings(asked, max_examples=examples)


def tried(asked, profile):
    """How many examples of what a test asks for are tried: never more than it asks for."""
    return min(asked, LEAST if profile == FEW else min(MOST, max(LEAST, asked // 2)))
