"""What `import incrowd` costs, and what it exports."""

import json
import subprocess
import sys

import pytest

import incrowd

HEAVY = {"numba", "pandas", "pyarrow", "pyspark", "polars", "scipy", "typer"}

PROBE = """
import json, sys, time
start = time.perf_counter()
import incrowd
print(json.dumps({"seconds": time.perf_counter() - start, "modules": sorted(sys.modules)}))
"""


def probe():
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_import_is_light():
    probe()
    runs = [probe() for _ in range(3)]
    assert min(run["seconds"] for run in runs) < 0.3
    assert not HEAVY & {name.split(".")[0] for name in runs[0]["modules"]}


def test_names_are_sorted_and_there():
    assert list(incrowd.__all__) == sorted(incrowd.__all__)
    for name in incrowd.__all__:
        assert getattr(incrowd, name) is not None


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = incrowd.nothing_of_that_name
