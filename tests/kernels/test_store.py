"""Compiled kernels are found again by what they were made from, and by nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from incrowd.kernels import compile as compiling
from incrowd.kernels import entry, store

pytestmark = pytest.mark.slow
"""Processes are started that compile."""

CALLED = """
from incrowd.kernels.compile import jit
from k_constant import ADD
from k_pair import Pair
@jit
def called(x):
    return Pair(x, 0).first + ADD
"""
CALLER = """
from incrowd.kernels.compile import jit
from k_called import called
@jit
def caller(x):
    if x < 0:
        raise ValueError("negative")
    return called(x)
"""
PAIR = """
from typing import NamedTuple
class Pair(NamedTuple):
    first: int
    second: int
"""
OTHER = """
from incrowd.kernels.compile import jit
@jit
def other(x):
    return x
"""
RUN = """
import json, sys
import incrowd.kernels.store
from incrowd.kernels import compile, store
{}
from k_caller import caller
told = []
with compile.report_compilations(told.append):
    found = caller(int(sys.argv[1]))
print(json.dumps([found, len(told), store.source_digest(caller)]))
"""


SERVER = """
import json, os, sys, traceback
import numba
from numba.core import config
for line in sys.stdin:
    program, words, environment, folder = json.loads(line)
    child = os.fork()
    if not child:
        for place, name in ((1, "said"), (2, "failed")):
            os.dup2(os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), place)
        os.environ.update(environment)
        config.reload_config()
        sys.argv, sys.path = ["-c", *words], [folder, *sys.path]
        code = 1
        try:
            exec(program, {"__name__": "__main__"})
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Server:
    """Runs programs in processes that begin with numba loaded, which takes longer than they do."""

    def __init__(self):
        # bytecode goes by seconds and sizes: a file that changes within one would be taken for old
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", SERVER],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, folder, program, *words, **environment):
        """What the program says; the folder comes first among those that modules are found in."""
        asked = [program, words, environment, str(folder)]
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        said, failed = (folder / name for name in ("said", "failed"))
        if code:
            raise subprocess.CalledProcessError(code, program, said.read_text(), failed.read_text())
        return said.read_text()


@pytest.fixture(scope="module", autouse=True)
def server():
    Server.one = Server()
    yield
    Server.one.process.communicate(timeout=60)


@pytest.fixture
def tree(tmp_path):
    for name, text in (
        ("called", CALLED),
        ("caller", CALLER),
        ("other", OTHER),
        ("pair", PAIR),
    ):
        (tmp_path / f"k_{name}.py").write_text(text)
    (tmp_path / "k_constant.py").write_text("ADD = 1\n")
    return tmp_path


def run(tree, before="", value=1):
    """What the caller returns, how many kernels were compiled, and the digest of its sources."""
    where = {"NUMBA_CACHE_DIR": str(tree / "c")}
    return json.loads(Server.one.run(tree, RUN.format(before), str(value), **where))


def kept(tree):
    return sorted((tree / "c").rglob("*.kernel"))


def test_a_kernel_is_compiled_once_and_only_as_a_whole(tree):
    first, second = run(tree), run(tree)
    assert first == [2, 1, first[2]]
    assert second == [2, 0, first[2]]
    assert [path.name.partition("-")[0] for path in kept(tree)] == ["k_caller.caller"]


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("k_called.py", CALLED.replace("+ ADD", "+ 3 * ADD"), [4, 1]),
        ("k_constant.py", "ADD = 7\n", [8, 1]),
        ("k_pair.py", PAIR.replace("first", "former").replace("second", "first"), [1, 1]),
        ("k_other.py", OTHER.replace("return x", "return 2 * x"), [2, 0]),
    ],
)
def test_the_key_follows_whatever_the_kernel_reaches_and_nothing_else(tree, file, text, expected):
    before = run(tree)
    (tree / file).write_text(text)
    after = run(tree)
    assert after[:2] == expected
    assert (after[2] != before[2]) is (expected[1] == 1)
    assert len(kept(tree)) == 1, "what was made from former sources is deleted"


def test_times_of_files_do_not_matter(tree):
    run(tree)
    for path in tree.glob("k_*.py"):
        os.utime(path, (1, 1))
    assert run(tree)[1] == 0


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-9], lambda data: data[:40] + b"x" + data[41:]]
)
def test_a_damaged_file_is_compiled_again(tree, damage):
    run(tree)
    (path,) = kept(tree)
    path.write_bytes(damage(path.read_bytes()))
    assert run(tree)[:2] == [2, 1]
    assert run(tree)[:2] == [2, 0]


@pytest.mark.parametrize(
    "before",
    [
        "import numba, llvmlite; llvmlite.__version__ = '0.0.1'",
        "import numba; numba.config.CPU_NAME, numba.config.CPU_FEATURES = 'x86-64', '+sse2'",
    ],
)
def test_what_another_compiler_or_processor_was_for_is_not_used(tree, before):
    run(tree)
    assert run(tree, before)[:2] == [2, 1]
    assert run(tree)[:2] == [2, 0], "both are kept"


def test_with_an_unknown_numba_kernels_are_compiled_in_its_own_way(tree):
    unknown = "import numba; numba.__version__ = '9.9'"
    script = (
        RUN.replace("import incrowd.kernels.store\n", "")
        .format(unknown)
        .replace(", store.source_digest(caller)", ", compile.WHOLE")
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "1"],
        env={**os.environ, "PYTHONPATH": f"{tree}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [2, 2, False]
    assert list(tree.rglob("*.nbi"))


CARRY = "from pathlib import Path\nstore.CARRIED = Path({!r})\n"
CARRIED = pytest.mark.skipif(
    (sys.platform, os.uname().machine) != ("linux", "x86_64"), reason="no kernels are carried here"
)


@pytest.fixture
def carried(tree):
    """A folder of kernels, made for the common processor."""
    name, features = store.BASELINES["Linux", "x86_64"]
    config = (
        f"import numba; numba.config.CPU_NAME, numba.config.CPU_FEATURES = {name!r}, {features!r}"
    )
    run(tree, config)
    (path,) = kept(tree)
    folder = tree / "carried"
    folder.mkdir()
    path.rename(folder / path.name)
    return folder


@CARRIED
def test_carried_kernels_are_used_and_nothing_is_compiled_or_kept(tree, carried):
    assert run(tree, CARRY.format(str(carried)))[:2] == [2, 0]
    assert not kept(tree)
    assert run(tree, CARRY.format(str(tree / "nowhere")))[:2] == [2, 1]


@CARRIED
def test_carried_kernels_raise_as_others_do(tree, carried):
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(tree, CARRY.format(str(carried)), value=-1)
    assert "ValueError: negative" in failed.value.stderr


@CARRIED
def test_a_processor_that_can_do_less_compiles(tree, carried):
    less = "import numba; numba.config.CPU_FEATURES = '+sse2,+avx'\n"
    assert run(tree, less + CARRY.format(str(carried)))[:2] == [2, 1]


@CARRIED
def test_a_damaged_carried_kernel_is_compiled(tree, carried):
    (path,) = carried.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    assert run(tree, CARRY.format(str(carried)))[:2] == [2, 1]


@CARRIED
def test_no_folder_of_the_builder_is_in_a_carried_kernel(tree, carried):
    (path,) = carried.iterdir()
    data = path.read_bytes()
    assert b"k_caller.py" in data, "its errors name the module"
    for folder in (
        tree,
        Path(store.__file__).parents[2],
        Path(np.__file__).parents[1],
        Path.home(),
    ):
        assert str(folder).encode() not in data


def test_carried_kernels_are_in_the_package():
    assert store.CARRIED.parent == Path(compiling.__file__).parent


def test_features_are_compared_one_by_one():
    assert store._has_features("+avx,+avx2,-avx512f", "+avx2")
    assert not store._has_features("+avx,-avx2", "+avx2")
    assert not store._has_features("", "+avx2")


def unkept(kernel):
    return entry.KernelEntry(kernel, store.Store(kernel, "unkept", None))


def test_what_a_kernel_calls_has_no_machine_code_of_its_own():
    compiled = unkept(lambda x: np.zeros(x).sum())
    assert compiled(3) == 0.0
    assert isinstance(compiled.overloads[next(iter(compiled.overloads))].library, entry._Whole)


def test_others_can_use_what_was_compiled_as_a_part():
    """numba keeps what it compiled of its own functions; a kernel of somebody else links it."""
    unkept(lambda x: np.repeat(x, 3))(np.arange(3))
    theirs = compiling.numba.njit(lambda x: np.repeat(x, 3))
    assert theirs(np.arange(3)).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_two_processes_compile_a_kernel_once(tree):
    command = [sys.executable, "-c", RUN.format(""), "1"]
    path = f"{tree}:{os.environ.get('PYTHONPATH', '')}"
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tree / "c")}
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    found = [json.loads(one.communicate()[0]) for one in both]
    assert [one[0] for one in found] == [2, 2]
    assert len(kept(tree)) == 1


HALVES = """
import numpy as np
from incrowd.kernels.compile import jit
@jit
def halves(x):
    return x / 2
"""
TOTAL = """
from incrowd.kernels.compile import jit
from k_halves import halves
@jit
def total(x):
    return halves(x).sum()
"""
ALONE = """
import sys
import numpy as np
from itertools import count
import incrowd.kernels.compile
from numba.core.bytecode import FunctionIdentity
from k_total import total
from k_halves import halves
x = np.arange(4.0)
for name, first in [given.split("=") for given in sys.argv[1:]]:
    FunctionIdentity._unique_ids = count(int(first))
    {"total": total, "halves": halves}[name](x)
"""


def test_kernels_of_different_processes_do_not_get_in_each_others_way(tree):
    """numba counts functions from 1 on in each process, and names what it links by that number."""
    (tree / "k_halves.py").write_text(HALVES)
    (tree / "k_total.py").write_text(TOTAL)
    for first in range(1, 4):
        for given in (["total=1"], [f"halves={first}"], ["total=1", "halves=1"]):
            Server.one.run(tree, ALONE, *given, NUMBA_CACHE_DIR=str(tree / f"c{first}"))
