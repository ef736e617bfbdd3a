"""What `import incrowd` costs, and what it exports."""

import importlib
import inspect
import json
import subprocess
import sys

import pytest

import incrowd

HEAVY = {"numba", "pandas", "pyarrow", "pyspark", "polars", "scipy", "typer"}

PROBE = """
import json, sys
before = set(sys.modules)
import incrowd
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def probe():
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_import_is_light():
    modules = probe()
    assert len(modules) <= 60
    assert not HEAVY & {name.split(".")[0] for name in modules}


def test_names_are_sorted_and_there():
    assert list(incrowd.__all__) == sorted(incrowd.__all__)
    for name in incrowd.__all__:
        assert getattr(incrowd, name) is not None


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = incrowd.nothing_of_that_name


def test_there_are_about_seventy_names():
    assert len(incrowd.__all__) <= 81
    assert not [name for name in incrowd.__all__ if name.endswith("_file")]


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("risk_file", "incrowd.risk"),
        ("anonymize_file", "incrowd.anonymize"),
        ("Hilbert", "incrowd.search.Hilbert"),
        ("Attack", "incrowd.attacks.Attack"),
    ],
)
def test_former_names_say_what_to_write_instead(former, now):
    with pytest.warns(DeprecationWarning, match=f"write {now} instead"):
        found = getattr(incrowd, former)
    place, _, name = now.rpartition(".")
    assert found is getattr(importlib.import_module(place), name)


def test_verbs_are_plain_functions_with_a_signature():
    for name in incrowd.api.__all__:
        if name.islower():
            assert inspect.isfunction(getattr(incrowd.api, name))
            assert inspect.signature(getattr(incrowd.api, name)).parameters
    assert "quasi" in inspect.signature(incrowd.risk).parameters


def test_former_names_are_not_among_the_names():
    assert "risk_file" not in dir(incrowd)
    with pytest.raises(AttributeError, match="discover_file"):
        _ = incrowd.discover_file
