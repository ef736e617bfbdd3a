"""How long the page takes to come up and to answer, and what its server weighs.

    python -m benchmarks.ui [--rows N]

Each figure has its limit beside it. The server runs in a process of its own, and so does the
worker that answers; seconds are of the clock, from question to answer. The smaller table is Adult
if ../shared/data/arx is there, else made up; the larger one is a made-up hospital of so many rows
(1,000,000). "k" is a change of k alone: rows are not counted again. "role" is the first question
after a change of roles: the rows are counted anew.
"""

import argparse
import asyncio
import gzip
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

from incrowd.datasets import hospital
from incrowd.policy.toml import edit_text
from incrowd.web import jobs
from incrowd.web.events import Done
from incrowd.web.session import PageSession

ARX = Path(__file__).resolve().parents[2] / "shared/data/arx"
START = "import sys; from incrowd.cli.main import main; main(sys.argv[1:])"
REPEATS = 3


def main() -> None:
    """Print a line for each figure."""
    parser = argparse.ArgumentParser(description="How long the page takes.")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the larger table")
    rows = parser.parse_known_args()[0].rows
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _server(folder)
        small, large = folder / "adult.csv", folder / "hospital.parquet"
        if ARX.is_dir():
            small.write_bytes(gzip.decompress((ARX / "adult.csv.gz").read_bytes()))
        else:
            hospital(30_000).write_csv(small)
        hospital(rows).write_parquet(large)
        asyncio.run(_questions("Adult" if ARX.is_dir() else "30,000 rows", small, 0.5))
        asyncio.run(_questions(f"{rows:,} rows", large, 3.0))


def _server(folder: Path) -> None:
    begun = time.perf_counter()
    command = [sys.executable, "-c", START, "ui", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        _line("page up, seconds", time.perf_counter() - begun, 4.0)
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        if found is not None:
            _line("server, MB", int(found[1]) / 1000, 200.0)
        process.send_signal(signal.SIGINT)


async def _questions(title: str, path: Path, limit: float) -> None:
    session = PageSession(path.parent)
    session.open(path)
    table = session.now()
    try:
        _line(f"{title}: opened", await _seconds(session, jobs.OpenTable(table)))
        drafted = await session.ask(jobs.DraftPolicy(table)).wait_for_end()
        assert isinstance(drafted, Done), drafted
        text = drafted.value.policy
        quasi = [n for n, c in tomllib.loads(text)["columns"].items() if c["role"] == "quasi"]
        changed = edit_text(text, {("columns", quasi[0]): {"role": "drop"}})
        await _seconds(session, jobs.AskWhatIf(table, text))
        _line(f"{title}: role", await _seconds(session, jobs.AskWhatIf(table, changed)), limit)
        tried = [edit_text(text, {("models", 0, "k"): k}) for k in range(3, 3 + REPEATS)]
        seconds = [await _seconds(session, jobs.AskWhatIf(table, one)) for one in tried]
        _line(f"{title}: k", min(seconds), limit)
    finally:
        session.close()


async def _seconds(session: PageSession, job: jobs.Job[Any]) -> float:
    begun = time.perf_counter()
    ended = await session.ask(job).wait_for_end()
    assert isinstance(ended, Done), ended
    return time.perf_counter() - begun


def _line(title: str, figure: float, limit: float | None = None) -> None:
    beside = "" if limit is None else f"   limit {limit:g}, ratio {figure / limit:.2f}"
    print(f"{title:32} {figure:8.2f}{beside}", flush=True)


if __name__ == "__main__":
    main()
