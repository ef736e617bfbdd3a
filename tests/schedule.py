"""Which tests share a process, and which are begun first.

The tests of a file share its fixtures and the kernels that it compiled, so a file is a unit of
work. All tests of Spark are one unit, whatever their file: a session takes seconds to start and
minutes until its Java is compiled. Long units come first, so that the processes end together.
"""

SPARK = "spark"
LONG = (
    SPARK,
    "tests/contracts/test_docs.py",
    "tests/engines/test_postgresql.py",
    "tests/golden/test_golden.py",
    "tests/contracts/test_canary.py",
    "tests/conformance/test_engines.py",
    "tests/engines/test_parts.py",
    "tests/engines/test_faults.py",
    "tests/web/test_pages.py",
    "tests/contracts/test_contributing.py",
    "tests/kernels/",
    "tests/search/",
    "tests/verbs/",
    "tests/stranger/",
)
"""How the longest units begin, the longest one first."""


def unit(nodeid):
    """What a test shares a process with.

    >>> unit("tests/io/test_pair.py::test_one[a]"), unit("tests/a.py::test_risk[spark-mask]")
    ('tests/io/test_pair.py', 'spark')
    """
    file, _, test = nodeid.partition("::")
    of_spark = "/test_spark" in file or test.partition("[")[2].startswith(SPARK)
    return SPARK if of_spark else file


def by_length(item):
    """The place of a test's unit among the long ones; the others come after them."""
    named = unit(item.nodeid)
    return next((place for place, long in enumerate(LONG) if named.startswith(long)), len(LONG))


def scheduler(config, log):
    """Gives units of work to processes, in the order in which they were collected."""
    from xdist.scheduler import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return unit(nodeid)

    return ByUnit(config, log)
