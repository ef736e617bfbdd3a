"""How tests are run: hypothesis profiles, markers, and which tests share a process.

A test says how many examples it takes to be sure. `--hypothesis-profile many` (`make thorough`)
tries as many; the default a third of them and at most 25, as every run draws new ones; `few`
(`make check`) at most 8. There is no deadline, as kernels compile on first use. All modules are
loaded at once: what a test sets on one that is not would be seen by nobody.
"""

from importlib import import_module
from pkgutil import walk_packages

import pytest
from hypothesis import settings

import incrowd
from schedule import by_length, scheduler

DEFAULT, FEW, MANY = "incrowd", "few", "many"
LEAST, MOST = 8, 25

for profile in (DEFAULT, FEW, MANY):
    settings.register_profile(profile, deadline=None, max_examples=100)
settings.load_profile(DEFAULT)

for module in walk_packages(incrowd.__path__, "incrowd."):
    if not module.name.endswith("__main__"):
        import_module(module.name)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Files are spread over processes, and what shares something costly stays together."""
    return scheduler(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Long files come first; what is thorough is slow; a profile says how many examples."""
    items.sort(key=by_length)
    for item in items:
        if item.get_closest_marker("thorough"):
            item.add_marker(pytest.mark.slow)
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
    return min(asked, LEAST if profile == FEW else min(MOST, max(LEAST, asked // 3)))
