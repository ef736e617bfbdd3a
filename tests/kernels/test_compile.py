import os
import subprocess
import sys
from pathlib import Path

import pytest

import incrowd.kernels.compile as module

SCRIPT = """
import pathlib, tempfile
real = tempfile.TemporaryFile
def refused(*args, dir=None, **more):
    if "incrowd-kernels" not in str(dir):
        raise PermissionError
    return real(*args, dir=dir, **more)
tempfile.TemporaryFile = refused
from incrowd.kernels import compile
from incrowd.kernels.fold import first_places
import numpy
print(compile.CACHE, compile.first_call_compiles())
first = numpy.zeros(1, dtype=numpy.int64)
first_places(numpy.zeros(2, dtype=numpy.int32), first)
print(compile.first_call_compiles())
"""


def run(folder):
    environment = {**os.environ, "TMPDIR": str(folder)}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.slow
def test_kernels_are_kept_in_a_private_folder_if_nothing_else_can_be_written(tmp_path):
    folder, before, after = run(tmp_path)

    assert Path(folder).is_relative_to(tmp_path)
    assert (before, after) == ("True", "False")


@pytest.mark.slow
def test_a_folder_that_others_may_write_is_not_trusted(tmp_path):
    (tmp_path / f"incrowd-kernels-{os.getuid()}").mkdir()
    (tmp_path / f"incrowd-kernels-{os.getuid()}").chmod(0o777)

    assert run(tmp_path) == ["None", "True", "True"]


def test_compiling_is_counted_and_only_when_it_happens(monkeypatch):
    monkeypatch.setattr(module, "CACHE", None)
    once = module.jit(lambda x: 1 * x)
    twice = module.jit(lambda x: 2 * once(x))
    told = []
    with module.report_compilations(told.append):
        assert twice(1) == 2
        assert twice(0.5) == 1.0
    assert told == [1, 2]
    with module.report_compilations(told.append):
        twice(2)
    assert told == [1, 2]


def test_a_kernel_is_compiled_once():
    assert module.CACHE is not None
    assert callable(module.jit(lambda x: x))


CALLER = "from incrowd.kernels.compile import jit\nfrom {0}_called import called\n"
CALLED = "from incrowd.kernels.compile import jit\n\n@jit\ndef called(x):\n    return x + {}\n"
CALL = "\n@jit\ndef caller(x):\n    return called(x)\n"


@pytest.mark.slow
def test_a_kernel_is_compiled_again_when_one_that_it_calls_has_changed(tmp_path):
    """The file of the caller stays as it is: numba alone would load the old machine code."""
    (tmp_path / "k_caller.py").write_text(CALLER.format("k") + CALL)
    found = []
    for add in (1, 22):
        (tmp_path / "k_called.py").write_text(CALLED.format(add))
        done = subprocess.run(
            [sys.executable, "-c", "from k_caller import caller; print(caller(1))"],
            env={**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "c")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(int(done.stdout))
    assert found == [2, 23]
