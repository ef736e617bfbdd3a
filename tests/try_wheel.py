"""Tries the newest wheel of a folder in a fresh environment, as `make wheel` does.

    python tests/try_wheel.py dist

It must carry kernels without a folder of the builder in them, make a release without compiling
anything, do so quickly, and leave nothing in the caches of the user.
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path

MOST_SECONDS = float(os.environ.get("INCROWD_WHEEL_SECONDS", "8"))
"""For a small table, on two cores that others may use as well; 4 are usual when they do not."""
RUN = """
import json, sys, time
start = time.perf_counter()
from incrowd.cli.main import perform
from incrowd.kernels import compile, store
told = []
with compile.report_compilations(told.append):
    code = perform(sys.argv[1:])
print(json.dumps([code, len(told), len(store.USED), time.perf_counter() - start, store.__file__]))
"""
TABLE = "from incrowd.datasets import hospital; hospital(2000).write_csv('people.csv')"
ASKED = "anonymize people.csv -q birth_date,zip,sex -s diagnosis -k 5 --seed 1 -o out.csv --quiet"


def main(folder: Path) -> None:
    """Check the wheel's files, install it, run it."""
    wheel = max(folder.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    carried = _carried(wheel)
    print(f"{wheel.name}: {len(carried)} kernels, {wheel.stat().st_size / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as place:
        code, compiled, called, seconds, file = _first_run(wheel, Path(place))
        assert Path(file).is_relative_to(place), "this is not what was installed"
        left = [path for path in Path(place).rglob("*.kernel") if path.parent.name != "carried"]
    print(f"first run: {called} kernels called, {compiled} compiled, {seconds:.1f} s")
    assert (code, compiled, left) == (0, 0, [])
    assert called > 20
    assert seconds < MOST_SECONDS


def _carried(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if name.endswith(".kernel")]
        for name in names:
            assert name.startswith("incrowd/kernels/carried/")
            for path in (Path.cwd(), Path(sys.prefix), Path.home()):
                assert f"{path}/".encode() not in packed.read(name), f"{name} names a folder"
    assert names, "the wheel carries no kernels"
    return names


def _first_run(wheel: Path, place: Path) -> list[int]:
    """The first run in a fresh environment with an empty home; pip has made bytecode."""
    venv.create(place / "env", with_pip=True)
    python = place / "env" / "bin" / "python"
    same = [f"{name}=={version(name)}" for name in ("numba", "llvmlite")]
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, wheel.resolve(), *same], check=True)
    home = place / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if name == "PATH"}
    options = {"cwd": home, "env": {**kept, "HOME": str(home)}}
    subprocess.run([python, "-c", TABLE], **options, check=True)
    command = [python, "-c", RUN, *ASKED.split()]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **options, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
