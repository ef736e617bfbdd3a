"""How long commands take to start and to answer, and how many modules they load.

    python -m benchmarks.start

Each line is the median of five fresh processes, with bytecode: clock, processor, modules of
incrowd, all modules, and the clock's seconds that are not in the stages that the answer names. The
table is Adult if ../shared/data/arx is there, else made up.
"""

import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from incrowd.datasets import hospital

ARX = Path(__file__).resolve().parents[2] / "shared/data/arx/adult.csv.gz"
RUNS = 5
COUNT = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from incrowd.cli.main import main
main()
"""


def main() -> None:
    """Print a line for each command."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        quasi, secret = _table(folder / "table.csv")
        made = f"anonymize table.csv -q {quasi} -s {secret} -k 5 --seed 1 -o out.csv --json"
        print(f"{'':12}  clock  processor  incrowd  modules  over stages", flush=True)
        for line in (
            "--help",
            f"risk table.csv -q {quasi} --json",
            "discover table.csv --json",
            made,
        ):
            _print(line, folder)


def _table(path: Path) -> tuple[str, str]:
    """Write the table; its quasi-identifying columns, and the sensitive one."""
    if not ARX.exists():
        hospital(30_000).write_csv(path)
        return "birth_date,zip,sex,country", "diagnosis"
    path.write_bytes(gzip.decompress(ARX.read_bytes()))
    names = "sex,age,race,marital-status,education,native-country,workclass,occupation"
    return names, "salary-class"


def _print(line: str, folder: Path) -> None:
    _run(line, folder)  # bytecode and kernels are there from now on
    found = [_run(line, folder) for _ in range(RUNS)]
    clock, used, over = (statistics.median(one[i] for one in found) for i in (0, 1, 2))
    modules = found[0][3]
    ours = sum(name.partition(".")[0] == "incrowd" for name in modules)
    print(
        f"{line.split(maxsplit=1)[0]:12}{clock:7.2f}{used:11.2f}{ours:9}{len(modules):9}{over:13.2f}",
        flush=True,
    )


def _run(line: str, folder: Path) -> tuple[float, float, float, list[str]]:
    """Seconds of the clock, of the processor, outside the stages; the modules that were loaded."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", COUNT, *line.split()],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    staged = json.loads(done.stdout).get("seconds", {}) if line.endswith("--json") else {}
    over = clock - (sum(staged.values()) if isinstance(staged, dict) else 0.0)
    return clock, used, over, done.stderr.splitlines()[-1].split()


if __name__ == "__main__":
    main()
