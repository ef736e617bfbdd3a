"""How tests are run: hypothesis profiles, markers, and which tests share a process.

A test says how many examples it takes to be sure. `--hypothesis-profile many` (`make thorough`)
tries as many; the default a third of them and at most 25, as every run draws new ones; `few`
(`make check`) at most 8. There is no deadline, as kernels compile on first use. All modules are
loaded at once: what a test sets on one that is not would be seen by nobody.

No answer depends on how busy the machine is: searches may improve their answers for as long as
they like. What happens when time is over is tested by limits that a test sets; a process that is
interrupted is given time to compute, not time on the clock (`processes.let_work`).

What is `thorough` repeats what another test shows, so that `make test` loses no protection:

- verbs and requests on a kind of table whose own code other tests show (`conformance/conftest.py`;
  PostgreSQL and Spark in `engines/`: requests that reach them as the same statements)
- how little is lost (`search/`, `engines/test_parts.py`): benchmarks measure quality, too
- the same at a larger size (100,000 rows, 2,000 answers, many columns), or with another seed
  (`auditor/`, `stranger/`)
- small tables of several kinds (`contracts/test_canary.py`): those kinds are searched in the
  database, and others of the same library in memory
- a golden outcome that another case or a page of the documentation shows (`golden/test_golden.py`
  names it)
- a gallery of pictures of the page, and walks through it on another screen or with another signal
  (`web/`)

`python tests/mutants.py` says whether `make test` still notices what is wrong.
"""

from importlib import import_module
from pkgutil import walk_packages

import pytest
from hypothesis import settings

import incrowd
import kept_kernels
import slow
from incrowd.release import load
from schedule import by_length, scheduler

DEFAULT, FEW, MANY = "incrowd", "few", "many"
LEAST, MOST = 8, 25

for profile in (DEFAULT, FEW, MANY):
    settings.register_profile(profile, deadline=None, max_examples=100)
settings.load_profile(DEFAULT)
load.IMPROVING = 1e6

for module in walk_packages(incrowd.__path__, "incrowd."):
    if not module.name.endswith("__main__"):
        import_module(module.name)


def pytest_configure(config):
    """A fresh clone has the kernels that this machine compiled for another one."""
    if not hasattr(config, "workerinput"):
        kept_kernels.lend()


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        kept_kernels.keep()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Files are spread over processes, and what shares something costly stays together."""
    return scheduler(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Long files come first; what took long is slow; a profile says how many examples."""
    items.sort(key=by_length)
    measured = set(slow.LIST.read_text(encoding="utf-8").split())
    for item in items:
        if item.get_closest_marker("thorough") or item.nodeid.partition("[")[0] in measured:
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
