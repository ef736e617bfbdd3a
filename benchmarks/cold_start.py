"""How long the first run on a machine takes, and the second, in fresh processes.

    python -m benchmarks.cold_start [--wheel FILE]

Compiled kernels go to an empty folder each time. Seconds are of the clock, with those of the
processor (all processes together) beside them: the clock depends on what else runs. `load` is the
machine's load when a line began. With `--wheel`, a wheel of `make wheel` is unpacked and run with
the libraries of this interpreter. The table is Adult with its hierarchies if ../shared/data/arx
is there, else made up.
"""

import argparse
import gzip
import os
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from incrowd.datasets import hospital

SOURCE = Path(__file__).resolve().parents[1] / "src"
ARX = Path(__file__).resolve().parents[2] / "shared/data/arx"
COLUMNS = "sex age race marital-status education native-country workclass occupation salary-class"


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description="How long first runs take.")
    parser.add_argument("--wheel", type=Path, help="a wheel that carries kernels")
    wheel = parser.parse_known_args()[0].wheel
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        asked, quasi = _table(folder)
        print(f"{'':28}  clock  processor  load", flush=True)
        _timed("checkout, anonymize, first", SOURCE, folder / "first", asked)
        _timed("checkout, anonymize, second", SOURCE, folder / "first", asked)
        for verb, more in (("risk", f"-q {quasi}"), ("discover", "")):
            line = f"{verb} table.csv {more} --json"
            _timed(f"checkout, {verb}, first", SOURCE, folder / verb, line)
            _timed(f"checkout, {verb}, second", SOURCE, folder / verb, line)
        if wheel is not None:
            zipfile.ZipFile(wheel).extractall(folder / "wheel")
            _timed("wheel, loaded only once", folder / "wheel", folder / "none", "--help")
            _timed("wheel, anonymize, first", folder / "wheel", folder / "none", asked)
            _timed("wheel, anonymize, second", folder / "wheel", folder / "none", asked)


def _table(folder: Path) -> tuple[str, str]:
    """Write the table; the command that anonymizes it, and its quasi-identifying columns."""
    if not ARX.is_dir():
        hospital(30_000).write_csv(folder / "table.csv")
        quasi = "birth_date,zip,sex,country"
        return f"anonymize table.csv -q {quasi} -s diagnosis -k 5 --seed 1 -o out.csv", quasi
    (folder / "table.csv").write_bytes(gzip.decompress((ARX / "adult.csv.gz").read_bytes()))
    *names, secret = COLUMNS.split()
    quasi = ",".join(names)
    trees = " ".join(
        f"--hierarchy {name}={ARX}/hierarchies/adult_hierarchy_{name}.csv" for name in names
    )
    return f"anonymize table.csv -q {quasi} -s {secret} -k 5 --seed 1 -o out.csv {trees}", quasi


def _timed(title: str, source: Path, cache: Path, line: str) -> None:
    """Run a command in a fresh process and print what it took."""
    environment = {**os.environ, "PYTHONPATH": str(source), "NUMBA_CACHE_DIR": str(cache)}
    load, used, start = os.getloadavg()[0], _processor(), time.perf_counter()
    subprocess.run(
        [sys.executable, "-P", "-m", "incrowd.cli.main", *line.split()],
        cwd=cache.parent,
        env=environment,
        capture_output=True,
        check=True,
    )
    seconds = time.perf_counter() - start
    print(f"{title:28}{seconds:7.1f}{_processor() - used:11.1f}{load:6.1f}", flush=True)


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
