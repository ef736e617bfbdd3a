"""Write `golden.json` anew with the incrowd that this interpreter imports.

    PYTHONPATH=src:tests python -m golden.write [NAME ...]

Only on purpose: what the file holds is what releases, certificates, documents and exit codes were
before. Write it anew when behaviour changes knowingly, look at the difference, and say in the
commit message what changed and why. With names, only those cases are written.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from golden import tables
from golden.cases import CASES
from golden.outcome import outcome

GOLDEN = Path(__file__).parent / "golden.json"


def main(names: list[str]) -> None:
    """Run the cases and write what came of them."""
    known = json.loads(GOLDEN.read_text()) if names else {}
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs"
        tables.make(inputs)
        for case in CASES:
            if not names or case.name in names:
                start = time.perf_counter()
                known[case.name] = outcome(case, Path(folder) / case.name, inputs)
                codes = [step["exit"] for step in known[case.name]["steps"]]
                print(f"{case.name:32} {codes} {time.perf_counter() - start:.2f} s", flush=True)  # noqa: T201
    order = {case.name: known[case.name] for case in CASES if case.name in known}
    GOLDEN.write_text(dumps(order) + "\n")


def dumps(value: Any, indent: str = "\n") -> str:
    """JSON whose lines are as long as they may be, so that a file is short and differences too."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) <= 150 or not isinstance(value, dict | list):
        return flat
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {dumps(one, inner)}" for key, one in value.items()]
        return "{" + inner + f",{inner}".join(parts) + indent + "}"
    return "[" + inner + f",{inner}".join(dumps(one, inner) for one in value) + indent + "]"


if __name__ == "__main__":
    main(sys.argv[1:])
