"""Runs one command line several times in this process; prints what that took as JSON.

    python -P benchmarks/_command.py FOLDER STDIN incrowd-arguments …

STDIN is a file that is given as standard input, or `-` for none. Only `incrowd.cli.main` is
imported, so that checkouts of any age can be measured. Seconds are of the processor, all threads
together: other work on the machine counts little.
"""

import hashlib
import io
import json
import os
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

ENOUGH = 2.0
"""Seconds after which a run is not repeated."""
RUNS = 6


def main(folder: str, given: str, arguments: list[str]) -> dict[str, Any]:
    """The first run, which loads what it needs, the best of those that follow, and the memory."""
    os.chdir(folder)
    first = _run(given, arguments)
    later: list[float] = []
    while not later or (sum(later) < ENOUGH and len(later) < RUNS):
        later.append(_run(given, arguments))
    return {"first": first, "best": min(later), "peak": _peak(), "digest": _digest()}


def _run(given: str, arguments: list[str]) -> float:
    start = time.process_time()
    from incrowd.cli.main import main as incrowd  # noqa: PLC0415  loading it is part of the time

    if given != "-":
        with Path(given).open("rb") as file:
            os.dup2(file.fileno(), 0)
        sys.stdin = os.fdopen(0, closefd=False)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
        try:
            incrowd(arguments)
        except SystemExit as stop:
            if stop.code not in {0, 1}:
                raise RuntimeError(f"exit code {stop.code}: {said.getvalue()}") from None
    return time.process_time() - start


def _peak() -> int:
    """The most bytes that the process held at a time."""
    rows = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (line,) = (row for row in rows if row.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def _digest() -> str:
    """Of what was written, certificates aside, which hold the time."""
    digest = hashlib.sha256()
    for path in sorted(Path().glob("out*")):
        if not path.name.endswith(".json"):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3:])))
